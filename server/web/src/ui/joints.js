// Positions of all joints, by slider or number, within their limits, in degrees or rad.
import { html } from '../html.js'
import { angles } from '../session.js'
import { extend, t } from '../words.js'
import { figure, measure } from './format.js'
import { Field } from './parts.js'
import { Typed } from './typed.js'

extend({
  angles: ['Angles in', '角度单位'],
})

export const rangeOf = (joint) => {
  const [low, high] = joint.limits?.position ?? []
  const free = joint.type === 'prismatic' ? 1 : Math.PI
  return [low ?? -free, high ?? free]
}
// In the middle of the range of every joint, or a part of the range beside it, where no arm is stretched out.
export const middlesOf = (model, beside = 0) => model.joints.map((joint) => {
  const [low, high] = rangeOf(joint)
  return (low + high) / 2 + beside * (high - low)
})
export const unitOf = (joint, of = 'position') => ({ position: ['rad', 'm'], velocity: ['rad/s', 'm/s'], torque: ['N m', 'N'] })[of][joint.type === 'prismatic' ? 1 : 0]

// Within the limits that the joint has.
const kept = (joint, value) => {
  const [low, high] = joint.limits?.position ?? []
  return Math.min(high ?? Infinity, Math.max(low ?? -Infinity, value))
}

export const Joints = ({ model, q, onQ, beside }) => html`<div class="sliders">${model.joints.map((joint, j) => {
  const turns = joint.type !== 'prismatic'
  const scale = turns && angles.value === 'deg' ? 180 / Math.PI : 1
  const unit = turns && angles.value === 'deg' ? '°' : unitOf(joint)
  const [low, high] = rangeOf(joint).map((one) => one * scale)
  const set = (text) => Number.isFinite(Number(text)) && text !== '' && onQ(q.map((value, k) => (k === j ? kept(joint, Number(text) / scale) : value)))
  const digits = scale === 1 ? 5 : 3
  const [least, most] = [0, 1].map((end) => joint.limits?.position?.[end] == null ? undefined : (end ? Math.ceil : Math.floor)([low, high][end] * 10 ** digits) / 10 ** digits) // a limit that is rounded is none that is passed
  const range = `${figure(low, 3)} … ${figure(high, 3)} ${unit}`
  return html`<bdi>${joint.name}</bdi>
    <input type="range" min=${low} max=${high} step=${(high - low) / 1000} value=${q[j] * scale} aria-label=${`${joint.name} [${unit}]`} title=${range} onInput=${(e) => set(e.target.value)} />
    <${Typed} min=${least} max=${most} value=${Number((q[j] * scale).toFixed(digits))} aria-label=${`${joint.name}, ${unit}`} title=${range} onValue=${set} />
    <span class="number">${beside ? beside(joint, j) : range}</span>`
})}
  ${model.joints.some((joint) => joint.type !== 'prismatic') && html`<${Field} label=${t('angles')}><select value=${angles.value} onChange=${(e) => (angles.value = e.target.value)}><option value="rad">rad</option><option value="deg">°</option></select></${Field}>`}</div>`

export const torqueText = (joint, value) => measure(value, unitOf(joint, 'torque'), 3)
