// The parts that an arm carries, by name: what they weigh, and where they are held.
import { useState } from 'preact/hooks'
import { html } from '../html.js'
import { go, route, useAbout } from '../route.js'
import { extend, t } from '../words.js'
import { call, get, post } from '../api.js'
import { FormDialog } from '../ui/dialog.js'
import { Act, Check, Field, Head, Loading, Refusal, useAnswer } from '../ui/parts.js'
import { Table, useList } from '../ui/table.js'
import { Num } from '../ui/asking.js'
import { figure, moment } from '../ui/format.js'

extend({
  parts_text: ['What the arm carries. Requests and cells name a part instead of its mass.', '手臂搬运的工件。请求和工作单元可用名称代替其质量参数。'],
  part_new: ['New part …', '新建工件……'],
  part_name: ['Name (letters, digits, . _ -)', '名称（字母、数字、. _ -）'],
  part_mass: ['Mass [kg]', '质量 [kg]'],
  part_com: ['Centre of mass [m]', '质心 [m]'],
  part_inertia: ['Inertia about the centre of mass [kg m²]', '绕质心的惯量 [kg m²]'],
  part_tool: ['Held away from the model’s tool', '夹持位置不同于模型末端'],
  part_translation: ['Tool from the last link [m]', '末端相对末连杆 [m]'],
  part_rpy: ['turned (roll, pitch, yaw) [rad]', '姿态（滚转、俯仰、偏航）[rad]'],
  part_change: ['Change …', '修改……'],
  part_remove: ['Delete …', '删除……'],
  part_remove_ask: ['Delete the part {name}?', '删除工件 {name}？'],
  part_since: ['Since', '自'],
})

const AXES = ['x', 'y', 'z']
const INERTIA = ['xx', 'yy', 'zz', 'xy', 'xz', 'yz']
const texts = (values, names) => Object.fromEntries(names.map((name, k) => [name, String(values?.[Array.isArray(values) ? k : name] ?? 0)]))
const numbers = (form, names) => names.map((name) => Number(form[name]))

function Form({ robot, part, etag, onClose, onDone }) {
  const [form, set] = useState({ name: part?.name ?? '', mass: part ? String(part.payload.mass) : '', com: texts(part?.payload.com, AXES), inertia: texts(part?.payload.inertia, INERTIA),
    held: !!part?.tool, translation: texts(part?.tool?.translation, AXES), rpy: texts(part?.tool?.rpy, AXES) })
  const group = (of, names, legend) => html`<fieldset><legend>${t(legend)}</legend><div class="row">${names.map((name) => html`<${Num} key=${name} required label=${name} width="7rem" value=${form[of][name]} onValue=${(text) => set({ ...form, [of]: { ...form[of], [name]: text } })} />`)}</div></fieldset>`
  const send = async () => {
    const json = { name: form.name, payload: { mass: Number(form.mass), com: numbers(form.com, AXES), inertia: Object.fromEntries(INERTIA.map((name) => [name, Number(form.inertia[name])])) },
      tool: form.held ? { translation: numbers(form.translation, AXES), rpy: numbers(form.rpy, AXES) } : null }
    await (part ? call('PUT', `v1/robots/${robot}/parts/${part.name}`, { json, etag }) : post(`v1/robots/${robot}/parts`, json))
    onDone()
  }
  return html`<${FormDialog} title=${part?.name ?? t('part_new')} does=${t('save')} role="engineer" send=${send} onClose=${onClose}>
    <div class="row"><${Field} label=${t('part_name')}><input required disabled=${!!part} pattern="[A-Za-z0-9][A-Za-z0-9._\\-]{0,63}" value=${form.name} onInput=${(e) => set({ ...form, name: e.target.value })} /></${Field}>
      <${Num} required min="0" label=${t('part_mass')} value=${form.mass} onValue=${(mass) => set({ ...form, mass })} /></div>
    ${group('com', AXES, 'part_com')}${group('inertia', INERTIA, 'part_inertia')}
    <${Check} label=${t('part_tool')} checked=${form.held} onChange=${(e) => set({ ...form, held: e.target.checked })} />
    ${form.held && html`${group('translation', AXES, 'part_translation')}${group('rpy', AXES, 'part_rpy')}`}</${FormDialog}>`
}

function Parts({ robot, robots }) {
  useAbout(robot)
  const list = useList(`v1/robots/${encodeURIComponent(robot)}/parts`, { limit: 100 })
  const [open, setOpen] = useState(null) // { part, etag } or { remove: name }
  const [error, setError] = useState(null)
  const close = () => setOpen(null)
  const done = () => {
    close()
    list.again()
  }
  const place = (name) => `v1/robots/${encodeURIComponent(robot)}/parts/${encodeURIComponent(name)}`
  const change = (name) => call('GET', place(name)).then(({ data, etag }) => setOpen({ part: data, etag }), setError)
  const remove = async () => {
    await call('DELETE', place(open.remove), { etag: '*' })
    done()
  }
  return html`<${Head} title=${t('page.parts')} sub=${t('parts_text')}><${Field} label=${t('robot')}><select value=${robot} onChange=${(e) => go(['parts'], { robot: e.target.value })}>${robots.map(({ name }) => html`<option key=${name} value=${name}>${name}</option>`)}</select></${Field}>
      <${Act} role="engineer" class="main" onClick=${() => setOpen({})}>${t('part_new')}</${Act}></${Head}>
    <${Refusal} error=${error ?? list.error} />
    <div class="panel"><${Table} tall caption=${t('page.parts')} id=${(one) => one.name} items=${list.items} list=${list} columns=${[
      { key: 'name', head: t('label'), cell: (one) => html`<bdi>${one.name}</bdi>` },
      { key: 'mass', head: t('part_mass'), number: true, cell: (one) => figure(one.payload.mass) },
      { key: 'com', head: t('part_com'), number: true, cell: (one) => (one.payload.com ?? [0, 0, 0]).map((value) => figure(value, 3)).join(', ') },
      { key: 'tool', head: t('part_translation'), number: true, cell: (one) => (one.tool ? one.tool.translation.map((value) => figure(value, 3)).join(', ') : '–') },
      { key: 'since', head: t('part_since'), class: 'tight', cell: (one) => moment(one.changed_at) },
      { key: 'do', head: '', cell: (one) => html`<div class="row"><${Act} role="engineer" onClick=${() => change(one.name)}>${t('part_change')}</${Act}><${Act} role="engineer" onClick=${() => setOpen({ remove: one.name })}>${t('part_remove')}</${Act}></div>` },
    ]} /></div>
    ${open && !open.remove && html`<${Form} robot=${robot} part=${open.part} etag=${open.etag} onClose=${close} onDone=${done} />`}
    ${open?.remove && html`<${FormDialog} title=${t('part_remove_ask', { name: open.remove })} does=${t('delete')} kind="danger" role="engineer" send=${remove} onClose=${close}><p><bdi>${open.remove}</bdi></p></${FormDialog}>`}`
}

// Of the robot that is named, or the first.
export function Page() {
  const robots = useAnswer((signal) => get('v1/robots', { limit: 200 }, signal))
  const name = route.value.query.get('robot') || robots.value?.items[0]?.name
  if (!name) return html`<${Refusal} error=${robots.error} />${robots.value ? html`<${Head} title=${t('page.parts')} sub=${t('nothing')} />` : html`<${Loading} error=${robots.error} />`}`
  return html`<${Parts} key=${name} robot=${name} robots=${robots.value?.items ?? []} />`
}
