// Who may use the service: keys with their roles and the controllers that they may move. A secret is shown once.
import { useState } from 'preact/hooks'
import { html } from '../html.js'
import { extend, t } from '../words.js'
import { call, get, once, post } from '../api.js'
import { ROLES, session } from '../session.js'
import { Dialog } from '../ui/dialog.js'
import { Act, Field, Head, Notice, Refusal, useAnswer } from '../ui/parts.js'
import { Table, useList } from '../ui/table.js'
import { moment } from '../ui/format.js'

extend({
  keys_text: ['Each person and program has a key of its own, so that the audit trail tells who did what.', '每个人和程序使用各自的密钥，审计记录据此显示操作者。'],
  key_new: ['New key …', '新建密钥……'],
  key_name: ['Whose it is (a-z, 0-9, -)', '使用者（a-z、0-9、-）'],
  key_role: ['Role', '角色'],
  key_motion: ['May move', '可驱动'],
  key_motion_hint: ['Controllers whose arms it may set in motion; none if nothing is chosen.', '可启动其手臂的控制器；未选择则均不可。'],
  key_motion_all: ['all controllers', '全部控制器'],
  key_expires: ['Works until', '有效期至'],
  key_never: ['for ever', '长期有效'],
  key_empty: ['empty: for ever', '留空：长期有效'],
  key_last: ['Last used', '上次使用'],
  key_delete_ask: ['Delete this key? Whoever uses it is refused at once.', '删除此密钥？其使用者将立即被拒绝。'],
  key_first: ['From the first key on every call needs one: make one for an admin first.', '创建第一个密钥后，所有调用都需要密钥：请先创建管理员密钥。'],
  key_own: ['yours', '当前'],
})

const isFirst = () => session.self.value?.id === 'anonymous'

function New({ onClose, onDone }) {
  const controllers = useAnswer((signal) => get('v1/controllers', { limit: 200 }, signal))
  const [form, setForm] = useState({ name: '', role: isFirst() ? 'admin' : 'viewer', motion: [], expires: '' })
  const [error, setError] = useState(null)
  const make = async () => {
    setError(null)
    try {
      const first = isFirst()
      const made = await post('v1/keys', { name: form.name, role: form.role, motion: form.motion, expires_at: form.expires ? new Date(form.expires).toISOString() : null }, { headers: once() })
      if (first) session.enter(made, made.secret, false) // from now on every call needs a key
      session.secret.value = { ...made, first }
      onDone()
    } catch (refusal) {
      setError(refusal)
    }
  }
  return html`<${Dialog} title=${t('key_new')} onClose=${onClose}><div class="stack"><${Refusal} error=${error ?? controllers.error} />
    <div class="row begin"><${Field} label=${t('key_name')}><input value=${form.name} onInput=${(e) => setForm({ ...form, name: e.target.value })} /></${Field}>
      <${Field} label=${t('key_role')}><select value=${form.role} onChange=${(e) => setForm({ ...form, role: e.target.value })}>${ROLES.map((role) => html`<option value=${role}>${t(`role.${role}`)}</option>`)}</select></${Field}>
      <${Field} label=${t('key_expires')} hint=${t('key_empty')}><input type="datetime-local" value=${form.expires} onInput=${(e) => setForm({ ...form, expires: e.target.value })} /></${Field}></div>
    <${Field} label=${t('key_motion')} hint=${t('key_motion_hint')}><select multiple size="4" onChange=${(e) => setForm({ ...form, motion: [...e.target.selectedOptions].map((one) => one.value) })}>
      <option value="*">${t('key_motion_all')}</option>${(controllers.value?.items ?? []).map(({ name }) => html`<option value=${name}>${name}</option>`)}</select></${Field}>
    <div class="row end"><button type="button" onClick=${onClose}>${t('cancel')}</button><${Act} class="main" role="admin" disabled=${!form.name} onClick=${make}>${t('save')}</${Act}></div></div></${Dialog}>`
}

export function Page() {
  const list = useList('v1/keys', { limit: 100 })
  const [open, setOpen] = useState(null) // "new", or the key to delete
  const [error, setError] = useState(null)
  const remove = async (key) => {
    setError(null)
    setOpen(null)
    try {
      await call('DELETE', `v1/keys/${encodeURIComponent(key.id)}`)
      list.again()
    } catch (refusal) {
      setError(refusal)
    }
  }
  return html`
    <${Head} title=${t('page.keys')} sub=${t('keys_text')}><${Act} class="main" role="admin" onClick=${() => setOpen('new')}>${t('key_new')}</${Act}></${Head}>
    <${Refusal} error=${error ?? list.error} />
    ${isFirst() && html`<${Notice} kind="warn">${t('key_first')}</${Notice}>`}
    <div class="panel"><${Table} caption=${t('page.keys')} items=${list.items} list=${list} columns=${[
      { key: 'name', head: t('who'), cell: (key) => html`<bdi>${key.name}</bdi>${key.id === session.self.value?.id ? ` (${t('key_own')})` : ''}` },
      { key: 'id', head: t('id'), cell: (key) => html`<code>${key.id}</code>` },
      { key: 'role', head: t('key_role'), cell: (key) => t(`role.${key.role}`) },
      { key: 'motion', head: t('key_motion'), cell: (key) => (key.motion.includes('*') ? t('key_motion_all') : key.motion.join(', ') || '–') },
      { key: 'created', head: t('created'), class: 'tight', cell: (key) => moment(key.created_at) },
      { key: 'expires', head: t('key_expires'), class: 'tight', cell: (key) => (key.expires_at ? moment(key.expires_at) : t('key_never')) },
      { key: 'used', head: t('key_last'), class: 'tight', cell: (key) => moment(key.last_used_at) },
      { key: 'delete', head: '', cell: (key) => html`<${Act} role="admin" onClick=${() => setOpen(key)}>${t('delete')}</${Act}>` },
    ]} /></div>
    ${open === 'new' && html`<${New} onClose=${() => setOpen(null)} onDone=${() => { setOpen(null); list.again() }} />`}
    ${open?.id && html`<${Dialog} title=${t('key_delete_ask')} onClose=${() => setOpen(null)}><p><bdi>${open.name}</bdi> <code>${open.id}</code></p><div class="row end"><button type="button" onClick=${() => setOpen(null)}>${t('cancel')}</button><button type="button" class="stop" onClick=${() => remove(open)}>${t('delete')}</button></div></${Dialog}>`}`
}
