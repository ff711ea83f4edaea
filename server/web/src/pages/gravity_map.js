// The torque that gravity asks of one of two joints, over the positions of both: a map with its scale.
import { useEffect, useRef, useState } from 'preact/hooks'
import { html } from '../html.js'
import { extend, t } from '../words.js'
import { post } from '../api.js'
import { Field, Refusal, useAnswer } from '../ui/parts.js'
import { figure } from '../ui/format.js'
import { rangeOf, unitOf } from '../ui/joints.js'

extend({
  gravity_map: ['Gravity load', '重力负载图'],
  gravity_of: ['Torque of', '关节力矩'],
  gravity_over: ['over', '横轴'],
  gravity_and: ['and', '纵轴'],
  gravity_label: ['Gravity torque of {joint}, from {low} to {high}', '{joint} 的重力矩，从 {low} 到 {high}'],
})

// Cividis, which looks the same to the colour-blind; thirteen of its colours with steps between.
const CIVIDIS = ['#00224e', '#123570', '#2b446e', '#414d6b', '#53596d', '#646672', '#757575', '#878678', '#9b9576', '#b0a570', '#c7b766', '#dfc955', '#fee838']
const rgb = CIVIDIS.map((one) => [1, 3, 5].map((k) => parseInt(one.slice(k, k + 2), 16)))
const shade = (part) => {
  const at = Math.min(rgb.length - 1.000001, Math.max(0, part * (rgb.length - 1)))
  const [a, b] = [rgb[Math.floor(at)], rgb[Math.floor(at) + 1]]
  return a.map((value, k) => Math.round(value + (b[k] - value) * (at % 1)))
}
const POINTS = 61

export function GravityMap({ model }) {
  const names = model.joints.map((joint) => joint.name)
  const [pick, setPick] = useState({ of: 1, x: names[names.length > 2 ? 1 : 0], y: names[names.length > 2 ? 2 : 1] })
  const canvas = useRef()
  const answer = useAnswer(async (signal) => (pick.x === pick.y ? null : post(`v1/robots/${model.name}/gravity-map`, {
    joints: [pick.x, pick.y], q: model.joints.map((joint) => rangeOf(joint).reduce((a, b) => a + b) / 2), points: [POINTS, POINTS] }, { query: { revision: model.revision }, signal })), [model.name, model.revision, pick.x, pick.y])
  const surface = answer.value?.gravity_torque[pick.of] // of the two joints, in the order asked for
  const all = surface?.flat() ?? [0]
  const [low, high] = [Math.min(...all), Math.max(...all)]
  useEffect(() => {
    if (!surface || !canvas.current) return
    const image = new ImageData(POINTS, POINTS)
    for (let i = 0; i < POINTS; i++)
      for (let j = 0; j < POINTS; j++) image.data.set([...shade((surface[i][j] - low) / (high - low || 1)), 255], 4 * ((POINTS - 1 - j) * POINTS + i))
    canvas.current.getContext('2d').putImageData(image, 0, 0)
  }, [surface])
  const choice = (key, label) => html`<${Field} label=${t(label)}><select value=${pick[key]} onChange=${(e) => setPick({ ...pick, [key]: e.target.value })}>${names.map((name) => html`<option value=${name}>${name}</option>`)}</select></${Field}>`
  const axis = (name, k) => {
    const joint = model.joints[names.indexOf(name)]
    const values = answer.value?.axes[k] ?? [0, 0]
    return `${name}: ${figure(values[0], 3)} … ${figure(values[values.length - 1], 3)} ${unitOf(joint)}`
  }
  const name = [pick.x, pick.y][pick.of]
  const joint = model.joints[names.indexOf(name)]
  return html`<section class="panel"><h2>${t('gravity_map')}</h2><${Refusal} error=${answer.error} />
    <div class="row"><${Field} label=${t('gravity_of')}><select value=${pick.of} onChange=${(e) => setPick({ ...pick, of: Number(e.target.value) })}>${[pick.x, pick.y].map((one, k) => html`<option value=${k}>${one}</option>`)}</select></${Field}>${choice('x', 'gravity_over')}${choice('y', 'gravity_and')}</div>
    ${surface && html`<div class="row" style=${{ alignItems: 'stretch', marginTop: '.8rem' }}>
      <div><canvas ref=${canvas} width=${POINTS} height=${POINTS} role="img" aria-label=${t('gravity_label', { joint: name, low: figure(low, 3), high: figure(high, 3) })} style=${{ width: 'min(420px, 70vw)', height: 'min(340px, 60vw)', imageRendering: 'auto', borderRadius: '6px' }}></canvas>
        <p class="quiet">→ ${axis(pick.x, 0)}<br />↑ ${axis(pick.y, 1)}</p></div>
      <div><svg width="26" height="300" aria-hidden="true"><defs><linearGradient id="cividis" x1="0" y1="1" x2="0" y2="0">${CIVIDIS.map((one, k) => html`<stop offset=${k / (CIVIDIS.length - 1)} stop-color=${one} />`)}</linearGradient></defs><rect width="26" height="300" rx="4" fill="url(#cividis)" /></svg></div>
      <div style=${{ display: 'flex', flexDirection: 'column', justifyContent: 'space-between', height: '300px' }}><span>${figure(high, 3)} ${unitOf(joint, 'torque')}</span><span>${figure((low + high) / 2, 3)}</span><span>${figure(low, 3)}</span></div>
    </div>`}
  </section>`
}
