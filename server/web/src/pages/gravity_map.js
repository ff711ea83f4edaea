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
  gravity_constant: ['The gravity load of {joint} is {value} wherever {x} and {y} are.', '无论 {x} 和 {y} 处于何位置，{joint} 的重力负载恒为 {value}。'],
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
const STEP = 0.2 // of the range of a joint
const ROUNDING = 1e-9 // of the largest load: a smaller one is none

// The two joints, and which of them, whose load changes most when they leave the middle of their ranges; where no load changes,
// the one with the largest. rounding: a load that is none.
async function mostTelling(model, middle, signal) {
  const steps = model.joints.map((joint) => STEP * (rangeOf(joint)[1] - rangeOf(joint)[0]))
  const moved = steps.map((step, j) => middle.map((value, k) => (k === j ? value + step : value)))
  const { gravity_torque: [still, ...after] } = await post(`v1/robots/${model.name}/gravity`, { q: [middle, ...moved] }, { query: { revision: model.revision }, signal })
  const rounding = ROUNDING * Math.max(...[still, ...after].flat().map(Math.abs))
  const effect = (of, j) => (Math.abs(after[j][of] - still[of]) > rounding ? Math.abs(after[j][of] - still[of]) : 0)
  const choices = steps.flatMap((_, x) => steps.slice(x + 1).map((_, k) => [x, x + 1 + k]))
    .flatMap((pair) => pair.map((joint, of) => ({ pair, of, change: effect(joint, pair[0]) + effect(joint, pair[1]), load: Math.abs(still[joint]) })))
  const { pair, of } = choices.sort((a, b) => b.change - a.change || b.load - a.load)[0]
  return { rounding, of, x: model.joints[pair[0]].name, y: model.joints[pair[1]].name }
}

export function GravityMap({ model }) {
  const names = model.joints.map((joint) => joint.name)
  const middle = model.joints.map((joint) => rangeOf(joint).reduce((a, b) => a + b) / 2)
  const [chosen, setChosen] = useState({})
  const canvas = useRef()
  const begin = useAnswer((signal) => mostTelling(model, middle, signal), [model.name, model.revision])
  const pick = { of: 0, x: names[0], y: names[1], ...begin.value, ...chosen }
  const answer = useAnswer(async (signal) => (!begin.value || pick.x === pick.y ? null : post(`v1/robots/${model.name}/gravity-map`, {
    joints: [pick.x, pick.y], q: middle, points: [POINTS, POINTS] }, { query: { revision: model.revision }, signal })), [model.name, model.revision, !begin.value, pick.x, pick.y])
  const surface = answer.value?.gravity_torque[pick.of] // of the two joints, in the order asked for
  const all = surface?.flat() ?? [0]
  const [low, high] = [Math.min(...all), Math.max(...all)]
  const constant = high - low <= pick.rounding
  useEffect(() => {
    if (!surface || constant || !canvas.current) return
    const image = new ImageData(POINTS, POINTS)
    for (let i = 0; i < POINTS; i++)
      for (let j = 0; j < POINTS; j++) image.data.set([...shade((surface[i][j] - low) / (high - low || 1)), 255], 4 * ((POINTS - 1 - j) * POINTS + i))
    canvas.current.getContext('2d').putImageData(image, 0, 0)
  }, [surface])
  const choice = (key, label) => html`<${Field} label=${t(label)}><select value=${pick[key]} onChange=${(e) => setChosen({ ...chosen, [key]: e.target.value })}>${names.map((name) => html`<option value=${name}>${name}</option>`)}</select></${Field}>`
  const axis = (name, k) => {
    const joint = model.joints[names.indexOf(name)]
    const values = answer.value?.axes[k] ?? [0, 0]
    return `${name}: ${figure(values[0], 3)} … ${figure(values[values.length - 1], 3)} ${unitOf(joint)}`
  }
  const name = [pick.x, pick.y][pick.of]
  const joint = model.joints[names.indexOf(name)]
  return html`<section class="panel"><h2>${t('gravity_map')}</h2><${Refusal} error=${begin.error ?? answer.error} />
    <div class="row"><${Field} label=${t('gravity_of')}><select value=${pick.of} onChange=${(e) => setChosen({ ...chosen, of: Number(e.target.value) })}>${[pick.x, pick.y].map((one, k) => html`<option value=${k}>${one}</option>`)}</select></${Field}>${choice('x', 'gravity_over')}${choice('y', 'gravity_and')}</div>
    ${surface && constant && html`<p role="status">${t('gravity_constant', { joint: name, x: pick.x, y: pick.y, value: `${figure(Math.abs(high) > pick.rounding ? high : 0)} ${unitOf(joint, 'torque')}` })}</p>`}
    ${surface && !constant && html`<div class="row" style=${{ alignItems: 'stretch', marginTop: '.8rem' }}>
      <div><canvas ref=${canvas} width=${POINTS} height=${POINTS} role="img" aria-label=${t('gravity_label', { joint: name, low: figure(low, 3), high: figure(high, 3) })} style=${{ width: 'min(30rem, 70vw)', height: 'min(24.3rem, 60vw)', imageRendering: 'auto', borderRadius: '6px' }}></canvas>
        <p class="quiet">→ ${axis(pick.x, 0)}<br />↑ ${axis(pick.y, 1)}</p></div>
      <div><svg viewBox="0 0 26 300" style=${{ width: '1.86rem', height: '21.4rem' }} aria-hidden="true"><defs><linearGradient id="cividis" x1="0" y1="1" x2="0" y2="0">${CIVIDIS.map((one, k) => html`<stop offset=${k / (CIVIDIS.length - 1)} stop-color=${one} />`)}</linearGradient></defs><rect width="26" height="300" rx="4" fill="url(#cividis)" /></svg></div>
      <div style=${{ display: 'flex', flexDirection: 'column', justifyContent: 'space-between', height: '21.4rem' }}><span>${figure(high, 3)} ${unitOf(joint, 'torque')}</span><span>${figure((low + high) / 2, 3)}</span><span>${figure(low, 3)}</span></div>
    </div>`}
  </section>`
}
