// Bodies that are proposed for an arm, seen around it, and kept as a new revision when they are right.
import { useState } from 'preact/hooks'
import { html } from '../html.js'
import { go } from '../route.js'
import { extend, t } from '../words.js'
import { call, post } from '../api.js'
import { Num, numberOf } from '../ui/asking.js'
import { Act, Check, Field, Notice, Refusal } from '../ui/parts.js'
import { Table } from '../ui/table.js'
import { View3D } from '../ui/view.js'
import { figure } from '../ui/format.js'
import { kindOf } from '../ui/kind.js'

extend({
  fit_from: ['Fitted to', '依据'],
  'fit.meshes': ['its meshes', '网格模型'],
  'fit.lengths': ['its lengths', '连杆尺寸'],
  fit_margin: ['Margin [m]', '余量 [m]'],
  fit_radius: ['Radius of the links [m]', '连杆半径 [m]'],
  fit_shapes: ['Shapes', '形状'],
  fit_most: ['Bodies of a part, at most', '每部件最多个数'],
  fit_do: ['Propose', '生成'],
  fit_parts: ['What is proposed', '生成结果'],
  fit_part: ['Part', '部件'],
  fit_bodies: ['Bodies', '碰撞体'],
  fit_volume: ['Volume [l]', '体积 [升]'],
  fit_missing: ['These meshes were not uploaded: their links may be larger than what was fitted.', '以下网格尚未上传：对应连杆可能比拟合结果更大。'],
  fit_near: ['Nearest to itself in the middle of its limits: {clearance} m, {parts}', '处于限位中间时与自身的最小间距：{clearance} m，{parts}'],
  fit_touch: ['In the middle of its limits {parts} overlap by {clearance} m: fitted too large, or they touch by their make.', '处于限位中间时 {parts} 重叠 {clearance} m：拟合过大，或本来就相互接触。'],
  fit_keep: ['Keep as a new revision', '保存为新版本'],
  fit_changed: ['The robot was changed since; propose again.', '机器人已被修改，请重新生成。'],
  fit_view: ['Proposed bodies of {name}', '{name} 的拟合碰撞体'],
  'shape.sphere': ['sphere', '球体'],
  'shape.capsule': ['capsule', '胶囊体'],
  'shape.box': ['box', '长方体'],
})

const SHAPES = ['sphere', 'capsule', 'box']

function Near({ clearance, between }) {
  if (clearance == null) return null
  const values = { clearance: figure(Math.abs(clearance), 3), parts: between.join(' – ') }
  return clearance < 0 ? html`<${Notice} kind="warn">${t('fit_touch', values)}</${Notice}>` : html`<p>${t('fit_near', values)}</p>`
}

function Proposed({ model, fitted }) {
  const [error, setError] = useState(null)
  const keep = async () => {
    setError(null)
    try {
      const place = `v1/robots/${encodeURIComponent(model.name)}`
      const { data, etag } = await call('GET', place)
      if (data.revision !== fitted.revision) throw Object.assign(new Error(t('fit_changed')), { status: 409, body: { title: t('fit_changed') } })
      await call('PUT', place, { json: fitted.robot, etag, query: { allow_unphysical: model.unphysical || null } })
      go(['robots', model.name])
    } catch (refusal) {
      setError(refusal)
    }
  }
  return html`<section class="panel"><div class="head"><h2>${t('fit_parts')}</h2><${Act} class="main" role="engineer" disabled=${!fitted.parts.length} onClick=${keep}>${t('fit_keep')}</${Act}></div>
    <${Refusal} error=${error} />
    ${fitted.missing.length > 0 && html`<${Notice} kind="warn">${t('fit_missing')} <code>${fitted.missing.join(', ')}</code></${Notice}>`}
    <${Near} clearance=${fitted.clearance} between=${fitted.between} />
    <div class="grid"><${View3D} model=${fitted.robot} q=${fitted.q} solids bodies=${false} frames=${false} label=${t('fit_view', { name: model.name })} />
      <${Table} caption=${t('fit_parts')} id=${(one) => one.part} items=${fitted.parts} columns=${[
        { key: 'part', head: t('fit_part'), cell: (one) => html`<bdi>${one.part}</bdi>` },
        { key: 'bodies', head: t('fit_bodies'), cell: (one) => one.bodies.map((body) => t(`shape.${kindOf(body)}`)).join(', ') },
        fitted.parts.some((one) => one.volume != null) && { key: 'volume', head: t('fit_volume'), number: true, cell: (one) => (one.volume == null ? '–' : figure(1000 * one.volume, 3)) },
      ].filter(Boolean)} /></div></section>`
}

export function FittedBodies({ model }) {
  const [form, set] = useState({ from: model.visuals?.length ? 'meshes' : 'lengths', margin: '0.01', radius: '0.05', shapes: SHAPES, most: '1' })
  const [error, setError] = useState(null)
  const [fitted, setFitted] = useState(null)
  const meshes = form.from === 'meshes'
  const propose = (event) => {
    event.preventDefault()
    setError(null)
    const request = { from: form.from, margin: numberOf(form.margin), ...(meshes ? { shapes: form.shapes, bodies_per_part: Number(form.most) } : { radius: numberOf(form.radius) }) }
    post(`v1/robots/${encodeURIComponent(model.name)}/fitted-bodies`, request).then(setFitted, (refusal) => { setFitted(null); setError(refusal) })
  }
  return html`<form class="panel stack" onSubmit=${propose}><div class="row begin">
      <${Field} label=${t('fit_from')}><select value=${form.from} onChange=${(e) => set({ ...form, from: e.target.value })}>${['meshes', 'lengths'].map((one) => html`<option key=${one} value=${one}>${t(`fit.${one}`)}</option>`)}</select></${Field}>
      <${Num} label=${t('fit_margin')} min="0" max="1" required value=${form.margin} onValue=${(margin) => set({ ...form, margin })} />
      ${meshes ? html`<${Num} label=${t('fit_most')} min="1" max="8" step="1" required value=${form.most} onValue=${(most) => set({ ...form, most })} />
        <fieldset><legend>${t('fit_shapes')}</legend><div class="row">${SHAPES.map((shape) => html`<${Check} key=${shape} label=${t(`shape.${shape}`)} checked=${form.shapes.includes(shape)} onChange=${() => set({ ...form, shapes: SHAPES.filter((one) => (one === shape) !== form.shapes.includes(one)) })} />`)}</div></fieldset>`
        : html`<${Num} label=${t('fit_radius')} min="0.0001" max="10" required value=${form.radius} onValue=${(radius) => set({ ...form, radius })} />`}</div>
    <${Refusal} error=${error} />
    <div class="row end"><${Act} type="submit" class="main" role="operator" disabled=${meshes && !form.shapes.length}>${t('fit_do')}</${Act}></div></form>
    ${fitted && html`<${Proposed} key=${JSON.stringify(fitted.parts)} model=${model} fitted=${fitted} />`}`
}
