// Addresses that are told when a job or a transfer has ended, what becomes of orders, and of controllers and their queues. A secret is shown once.
import { useState } from 'preact/hooks'
import { html } from '../html.js'
import { extend, t } from '../words.js'
import { call, once, post } from '../api.js'
import { session } from '../session.js'
import { FormDialog } from '../ui/dialog.js'
import { Act, Check, Field, Head, Refusal } from '../ui/parts.js'
import { Table, useList } from '../ui/table.js'
import { moment } from '../ui/format.js'

extend({
  webhooks_text: ['Addresses that are told by signed messages when a job or a transfer has ended and what becomes of orders, where the request names them, and of the events that are chosen here.', '以签名消息通知这些地址：请求中指定的任务或传输的结束、订单的状态，以及此处选择的事件。'],
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
  webhook_events: ['Told of every controller', '通知所有控制器的事件'],
  webhook_events_change: ['Events …', '事件……'],
  webhook_events_none: ['what requests name alone', '仅请求中指定的'],
  'told.controller.lost': ['controller does not answer', '控制器无响应'],
  'told.controller.back': ['controller answers again', '控制器恢复响应'],
  'told.queue.blocked': ['queue blocked', '队列被阻止'],
  'told.queue.released': ['queue released', '队列已解除阻止'],
  'told.alarm.raised': ['alarm raised', '报警产生'],
  'told.alarm.cleared': ['alarm cleared', '报警清除'],
  'told.alarm.acknowledged': ['alarm acknowledged', '报警已确认'],
  webhook_former: ['former secret until {until}', '旧密钥有效至 {until}'],
})

const EVENTS = ['controller.lost', 'controller.back', 'queue.blocked', 'queue.released', 'alarm.raised', 'alarm.cleared', 'alarm.acknowledged']

const at = (name) => `v1/webhooks/${encodeURIComponent(name)}`

// Change what stands there now, not what the list told a while ago.
const change = async (method, name, changed) => {
  const { data, etag } = await call('GET', at(name))
  await call(method, at(name), { etag, json: changed && { ...data, ...changed } })
}

const Events = ({ events, onEvents }) => html`<fieldset><legend>${t('webhook_events')}</legend>${EVENTS.map((one) => html`<${Check} key=${one} label=${t(`told.${one}`)} checked=${events.includes(one)}
  onChange=${(e) => onEvents(EVENTS.filter((other) => (other === one ? e.target.checked : events.includes(other))))} />`)}</fieldset>`

function New({ onClose, onDone }) {
  const [form, setForm] = useState({ name: '', url: 'https://', events: [] })
  const send = async () => {
    session.secret.value = await post('v1/webhooks', form, { headers: once() })
    onDone()
  }
  const field = (key, label, rest) => html`<${Field} label=${t(label)}><input required value=${form[key]} onInput=${(e) => setForm({ ...form, [key]: e.target.value })} ...${rest} /></${Field}>`
  return html`<${FormDialog} title=${t('webhook_new')} does=${t('save')} role="admin" send=${send} onClose=${onClose}>
    ${field('name', 'webhook_name', { pattern: '[a-z0-9][a-z0-9._\\-]*', maxlength: 63 })}${field('url', 'webhook_url', { type: 'url', maxlength: 1000, size: 60 })}
    <${Events} events=${form.events} onEvents=${(events) => setForm({ ...form, events })} /></${FormDialog}>`
}

function Told({ name, events: before, onClose, onDone }) {
  const [events, setEvents] = useState(before)
  const send = async () => {
    await change('PUT', name, { events })
    onDone()
  }
  return html`<${FormDialog} title=${t('webhook_events_change')} does=${t('save')} role="admin" send=${send} onClose=${onClose}><p><code>${name}</code></p><${Events} events=${events} onEvents=${setEvents} /></${FormDialog}>`
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

const DIALOGS = { new: New, told: Told, rotate: Rotate, delete: Delete }

export function Page() {
  const list = useList('v1/webhooks', { limit: 100 })
  const [open, setOpen] = useState(null) // { what, name, events }
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
      { key: 'enabled', head: t('state'), cell: (one) => html`<span class=${`state ${one.enabled ? 'good' : 'warn'}`}>${t(one.enabled ? 'webhook_on' : 'webhook_off')}</span>${one.former_secret_until && html` <small class="quiet">${t('webhook_former', { until: moment(one.former_secret_until) })}</small>`}` },
      { key: 'events', head: t('webhook_events'), cell: (one) => one.events.map((event) => t(`told.${event}`)).join(', ') || html`<span class="quiet">${t('webhook_events_none')}</span>` },
      { key: 'created', head: t('created'), class: 'tight', cell: (one) => moment(one.created_at) },
      { key: 'acts', head: '', cell: (one) => html`<div class="row"><${Act} role="admin" onClick=${() => turn(one)}>${t(one.enabled ? 'webhook_disable' : 'webhook_enable')}</${Act}>
        <${Act} role="admin" onClick=${() => setOpen({ what: 'told', name: one.name, events: one.events })}>${t('webhook_events_change')}</${Act}><${Act} role="admin" onClick=${() => setOpen({ what: 'rotate', name: one.name })}>${t('webhook_rotate')}</${Act}><${Act} role="admin" onClick=${() => setOpen({ what: 'delete', name: one.name })}>${t('delete')}</${Act}></div>` },
    ]} /></div>
    ${open && html`<${Asked} name=${open.name} events=${open.events} onClose=${close} onDone=${() => { close(); list.again() }} />`}`
}
