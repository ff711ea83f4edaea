// Positions of all joints, by slider or number, within their limits.
import { html } from '../html.js'
import { figure } from './format.js'

export const rangeOf = (joint) => {
  const [low, high] = joint.limits?.position ?? []
  const free = joint.type === 'prismatic' ? 1 : Math.PI
  return [low ?? -free, high ?? free]
}
export const unitOf = (joint, of = 'position') => ({ position: ['rad', 'm'], velocity: ['rad/s', 'm/s'], torque: ['N m', 'N'] })[of][joint.type === 'prismatic' ? 1 : 0]

export const Joints = ({ model, q, onQ, beside }) => html`<div class="sliders">${model.joints.map((joint, j) => {
  const [low, high] = rangeOf(joint)
  const set = (text) => Number.isFinite(Number(text)) && text !== '' && onQ(q.map((value, k) => (k === j ? Number(text) : value)))
  return html`<bdi>${joint.name}</bdi>
    <input type="range" min=${low} max=${high} step=${(high - low) / 1000} value=${q[j]} aria-label=${`${joint.name} [${unitOf(joint)}]`} onInput=${(e) => set(e.target.value)} />
    <input type="number" step="any" value=${Number(q[j].toFixed(5))} aria-label=${`${joint.name}, ${unitOf(joint)}`} onChange=${(e) => set(e.target.value)} />
    <span class="number">${beside ? beside(joint, j) : unitOf(joint)}</span>`
})}</div>`

export const torqueText = (joint, value) => `${figure(value, 3)} ${unitOf(joint, 'torque')}`
