// A controller is made, changed, taken out of service and deleted here, by an administrator.
import { useState } from 'preact/hooks'
import { html } from '../html.js'
import { extend, t } from '../words.js'
import { call, get, post, once } from '../api.js'
import { FormDialog } from '../ui/dialog.js'
import { Check, Field, Refusal, useAnswer } from '../ui/parts.js'

extend({
  controller_name: ['Name (a-z, 0-9, -)', '名称（a-z、0-9、-）'],
  host: ['Host', '主机'],
  port: ['Port', '端口'],
  modbus_unit: ['Unit', '单元'],
  allow_start: ['This service may start motions', '允许本服务启动运动'],
  controller_in_service: ['In service: it is spoken to, and takes transfers', '投入使用：与其通信并接受传输'],
  controller_delete_ask: ['Delete this controller?', '删除此控制器？'],
  controller_delete_text: ['The service forgets where it is. The motions that were sent to it stay in the records.', '服务将忘记其地址；已发送的运动保留在记录中。'],
})

const at = (name) => `v1/controllers/${encodeURIComponent(name)}`

// document: what is changed, with its etag; without it a new one.
export function ControllerForm({ title, document, etag, onClose, onDone }) {
  const robots = useAnswer((signal) => get('v1/robots', { limit: 200 }, signal))
  const [form, setForm] = useState({ name: '', host: '127.0.0.1', port: 502, unit: 1, robot: '', enabled: true, ...document, allow_start: document?.profile.allow_start ?? false })
  const robot = form.robot || robots.value?.items[0]?.name
  const send = async () => {
    const { allow_start, profile, ...rest } = form
    const json = { ...rest, robot, port: Number(form.port), unit: Number(form.unit), profile: { protocol: 'armdyn-v2', ...profile, allow_start } }
    await (document ? call('PUT', at(document.name), { json, etag }) : post('v1/controllers', json, { headers: once() }))
    onDone()
  }
  const field = (key, label, rest) => html`<${Field} label=${t(label)}><input required value=${form[key]} onInput=${(e) => setForm({ ...form, [key]: e.target.value })} ...${rest} /></${Field}>`
  const check = (key, label) => html`<${Check} label=${t(label)} checked=${form[key]} onChange=${(e) => setForm({ ...form, [key]: e.target.checked })} />`
  return html`<${FormDialog} title=${title} does=${t('save')} role="admin" send=${send} onClose=${onClose}><${Refusal} error=${robots.error} />
    <div class="row">${field('name', 'controller_name', { pattern: '[a-z0-9][a-z0-9._\\-]*', maxlength: 63, disabled: !!document })}${field('host', 'host')}${field('port', 'port', { type: 'number', min: 1, max: 65535, style: { width: '7rem' } })}${field('unit', 'modbus_unit', { type: 'number', min: 0, max: 255, style: { width: '5rem' } })}
      <${Field} label=${t('robot')}><select required value=${robot} onChange=${(e) => setForm({ ...form, robot: e.target.value })}>${(robots.value?.items ?? []).map(({ name }) => html`<option value=${name}>${name}</option>`)}</select></${Field}></div>
    ${check('allow_start', 'allow_start')}${check('enabled', 'controller_in_service')}</${FormDialog}>`
}

export function ControllerDelete({ name, etag, onClose, onDone }) {
  const send = async () => {
    await call('DELETE', at(name), { etag })
    onDone()
  }
  return html`<${FormDialog} title=${t('controller_delete_ask')} does=${t('delete')} kind="danger" role="admin" send=${send} onClose=${onClose}><p><code>${name}</code></p><p>${t('controller_delete_text')}</p></${FormDialog}>`
}
