// Addresses that are told when a job or a transfer has ended. A secret is shown once.
import { useState } from 'preact/hooks'
import { html } from '../html.js'
import { extend, t } from '../words.js'
import { call, once, post } from '../api.js'
import { session } from '../session.js'
import { FormDialog } from '../ui/dialog.js'
import { Act, Field, Head, Refusal, Table, useList } from '../ui/parts.js'
import { moment } from '../ui/format.js'

extend({
  webhooks_text: ['Addresses that are told when a job or a transfer has ended, by signed messages.', '任务或传输结束时，以签名消息通知这些地址。'],
  webhook_new: ['New webhook …', '新建网络钩子……'],
  webhook_name: ['Name (a-z, 0-9, -)', '名称（a-z、0-9、-）'],
  webhook_called: ['Name', '名称'],
  webhook_url: ['Address', '地址'],
  webhook_on: ['told', '发送'],
  webhook_off: ['waits', '等待'],
  webhook_enable: ['Switch on', '启用'],
  webhook_disable: ['Switch off', '停用'],
  webhook_rotate: ['New secret …', '更换密钥……'],
  webhook_rotate_does: ['Make it', '更换'],
  webhook_rotate_text: ['Messages are signed with the new secret and, for a while, with the former one, too.', '消息将以新密钥签名，并在一段时间内同时以旧密钥签名。'],
  webhook_delete_ask: ['Delete this webhook?', '删除此网络钩子？'],
  webhook_former: ['Former secret until', '旧密钥有效至'],
})

const at = (name) => `v1/webhooks/${encodeURIComponent(name)}`

// Change what stands there now, not what the list told a while ago.
const change = async (method, name, changed) => {
  const { data, etag } = await call('GET', at(name))
  await call(method, at(name), { etag, json: changed && { ...data, ...changed } })
}

function New({ onClose, onDone }) {
  const [form, setForm] = useState({ name: '', url: 'https://' })
  const send = async () => {
    session.secret.value = await post('v1/webhooks', form, { headers: once() })
    onDone()
  }
  const field = (key, label, rest) => html`<${Field} label=${t(label)}><input required value=${form[key]} onInput=${(e) => setForm({ ...form, [key]: e.target.value })} ...${rest} /></${Field}>`
  return html`<${FormDialog} title=${t('webhook_new')} does=${t('save')} role="admin" send=${send} onClose=${onClose}>
    ${field('name', 'webhook_name', { pattern: '[a-z0-9][a-z0-9._\\-]*', maxlength: 63 })}${field('url', 'webhook_url', { type: 'url', maxlength: 1000, size: 60 })}</${FormDialog}>`
}

function Rotate({ name, onClose, onDone }) {
  const send = async () => {
    session.secret.value = await post(`${at(name)}/rotate`, {}, { headers: once() })
    onDone()
  }
  return html`<${FormDialog} title=${t('webhook_rotate')} does=${t('webhook_rotate_does')} role="admin" send=${send} onClose=${onClose}><p><code>${name}</code></p><p>${t('webhook_rotate_text')}</p></${FormDialog}>`
}

function Delete({ name, onClose, onDone }) {
  const send = async () => {
    await change('DELETE', name)
    onDone()
  }
  return html`<${FormDialog} title=${t('webhook_delete_ask')} does=${t('delete')} kind="danger" role="admin" send=${send} onClose=${onClose}><p><code>${name}</code></p></${FormDialog}>`
}

const DIALOGS = { new: New, rotate: Rotate, delete: Delete }

export function Page() {
  const list = useList('v1/webhooks', { limit: 100 })
  const [open, setOpen] = useState(null) // { what, name }
  const [error, setError] = useState(null)
  const turn = (one) => {
    setError(null)
    change('PUT', one.name, { enabled: !one.enabled }).then(list.again, setError)
  }
  const close = () => setOpen(null)
  const Asked = open && DIALOGS[open.what]
  return html`
    <${Head} title=${t('page.webhooks')} sub=${t('webhooks_text')}><${Act} class="main" role="admin" onClick=${() => setOpen({ what: 'new' })}>${t('webhook_new')}</${Act}></${Head}>
    <${Refusal} error=${error ?? list.error} />
    <div class="panel"><${Table} caption=${t('page.webhooks')} items=${list.items} list=${list} id=${(one) => one.name} columns=${[
      { key: 'name', head: t('webhook_called'), cell: (one) => html`<code>${one.name}</code>` },
      { key: 'url', head: t('webhook_url'), cell: (one) => html`<bdi>${one.url}</bdi>` },
      { key: 'enabled', head: t('state'), cell: (one) => html`<span class=${`state ${one.enabled ? 'good' : 'warn'}`}>${t(one.enabled ? 'webhook_on' : 'webhook_off')}</span>` },
      { key: 'created', head: t('created'), class: 'tight', cell: (one) => moment(one.created_at) },
      { key: 'former', head: t('webhook_former'), class: 'tight', cell: (one) => (one.former_secret_until ? moment(one.former_secret_until) : '–') },
      { key: 'acts', head: '', cell: (one) => html`<div class="row"><${Act} role="admin" onClick=${() => turn(one)}>${t(one.enabled ? 'webhook_disable' : 'webhook_enable')}</${Act}>
        <${Act} role="admin" onClick=${() => setOpen({ what: 'rotate', name: one.name })}>${t('webhook_rotate')}</${Act}><${Act} role="admin" onClick=${() => setOpen({ what: 'delete', name: one.name })}>${t('delete')}</${Act}></div>` },
    ]} /></div>
    ${open && html`<${Asked} name=${open.name} onClose=${close} onDone=${() => { close(); list.again() }} />`}`
}
