// A pose of the tool as six numbers, metres and degrees.
import { html } from '../html.js'
import { extend, t } from '../words.js'
import { Field } from './parts.js'
import { Typed } from './typed.js'
import { anglesOf } from './kinematics.js'

extend({
  tool_pose: ['Tool', '末端'],
  roll: ['roll', '横滚'],
  pitch: ['pitch', '俯仰'],
  yaw: ['yaw', '偏航'],
})

export const DEGREES = 180 / Math.PI
const PARTS = [['x', 'm'], ['y', 'm'], ['z', 'm'], ['roll', '°'], ['pitch', '°'], ['yaw', '°']]

// As the service takes it, of the rows of a matrix.
export const poseOf = (rows) => ({ translation: [rows[0][3], rows[1][3], rows[2][3]], rpy: anglesOf(rows) })

export function Pose({ pose: { translation, rpy }, onPose }) {
  const values = [...translation, ...rpy.map((one) => one * DEGREES)]
  const change = (k, text) => {
    if (text === '' || !Number.isFinite(Number(text))) return
    const next = values.map((value, other) => (other === k ? Number(text) : value))
    onPose({ translation: next.slice(0, 3), rpy: next.slice(3).map((one) => one / DEGREES) })
  }
  return html`<div class="row">${PARTS.map(([name, unit], k) => html`
    <${Field} key=${name} label=${`${k < 3 ? name : t(name)} [${unit}]`}><${Typed} style=${{ width: '6.5rem' }} value=${Number(values[k].toFixed(k < 3 ? 4 : 2))} onValue=${(text) => change(k, text)} /></${Field}>`)}</div>`
}
