// The rest of a motion from where the arm is: what it would cost, and how it differs from what was stored. Nothing of it is kept.
import { useState } from 'preact/hooks'
import { html } from '../html.js'
import { extend, t } from '../words.js'
import { post } from '../api.js'
import { Act, Notice, Refusal } from '../ui/parts.js'
import { PerJoint } from '../ui/asking.js'
import { Plot } from '../ui/plot.js'
import { Tile } from '../ui/results.js'
import { figure } from '../ui/format.js'

extend({
  replan: ['The rest of it, from elsewhere', '从其他状态重新规划剩余运动'],
  replan_text: ['A state off the motion at the time where the player stands: how the rest would go from there, to the same goal. Nothing is kept or sent.', '在播放器所在时刻偏离运动的状态：从该状态到同一终点的剩余运动。不保存、不发送。'],
  replan_off: ['Positions off by', '位置偏差'],
  replan_off_speed: ['Velocities off by', '速度偏差'],
  replan_do: ['Plan the rest', '规划剩余部分'],
  replan_at: ['From {time} s', '自 {time} s'],
  replan_cost: ['Left to pay', '剩余代价'],
  replan_took: ['Found in', '求解用时'],
  replan_stored: ['{joint}, stored', '{joint}，原运动'],
  replan_new: ['{joint}, from there', '{joint}，重新规划'],
  replan_end: ['The motion is over at this time: move the player back.', '此时运动已结束：请将播放器移回。'],
})

// A column at a time, by a line between its samples.
function at(times, values, time) {
  const later = times.findIndex((one) => one > time)
  const k = later < 0 ? times.length - 1 : Math.max(later, 1)
  const part = Math.min(1, Math.max(0, (time - times[k - 1]) / (times[k] - times[k - 1])))
  return values[k - 1] + part * (values[k] - values[k - 1])
}

function Answer({ answer, model, samples }) {
  const times = samples.column('t')
  const x = answer.samples.t.map((one) => one + answer.time)
  const series = model.joints.flatMap(({ name }, j) => [
    { label: t('replan_stored', { joint: name }), index: j, faint: true, solid: true, values: x.map((one) => (one > times[times.length - 1] + 1e-9 ? null : at(times, samples.column(`q${j + 1}`), one))) },
    { label: t('replan_new', { joint: name }), index: j, values: answer.samples.q.map((row) => row[j]) }])
  return html`<div class="tiles"><${Tile} name="duration">${figure(answer.duration)} s</${Tile}><${Tile} name="replan_cost">${figure(answer.cost.value)}</${Tile}>
      <div class="tile"><span>${t('status')}</span><span class="state">${t(`status.${answer.status}`)}</span></div><${Tile} name="replan_took">${figure(1000 * answer.solver.time, 3)} ms</${Tile}></div>
    <${Plot} title=${t('replan')} x=${x} series=${series} xLabel=${t('time_s')} yLabel=${t('position_axis')} />`
}

export function Replan({ motion, model, samples, time }) {
  const none = model.joints.map(() => '')
  const [off, setOff] = useState(none)
  const [fast, setFast] = useState(none)
  const [answer, set] = useState(null)
  const [error, setError] = useState(null)
  const [busy, setBusy] = useState(false)
  const now = time.value ?? 0
  const over = now >= motion.duration
  const state = (field, by) => by.map((text, j) => at(samples.column('t'), samples.column(`${field}${j + 1}`), now) + Number(text))
  const ask = async (event) => {
    event.preventDefault()
    setError(null)
    setBusy(true)
    try {
      set(await post(`v1/trajectories/${motion.id}/replan`, { q: state('q', off), qd: state('qd', fast), time: now, deadline: 2 }))
    } catch (refusal) {
      setError(refusal)
    }
    setBusy(false)
  }
  const unit = (rest) => (joint) => (joint.type === 'prismatic' ? 'm' : 'rad') + rest
  return html`<section class="panel"><form class="stack" onSubmit=${ask}><div><h2>${t('replan')}</h2><p class="quiet">${t('replan_text')}</p></div>
      <${PerJoint} model=${model} legend=${t('replan_off')} values=${off} onValues=${setOff} unit=${unit('')} />
      <${PerJoint} model=${model} legend=${t('replan_off_speed')} values=${fast} onValues=${setFast} unit=${unit('/s')} />
      <${Refusal} error=${error} />${over && html`<${Notice}>${t('replan_end')}</${Notice}>`}
      <div class="row"><${Act} type="submit" role="operator" disabled=${over} busy=${busy}>${t('replan_do')}</${Act}><span class="quiet">${t('replan_at', { time: figure(now, 4) })}</span></div></form>
    ${answer && html`<${Answer} answer=${answer} model=${model} samples=${samples} />`}</section>`
}
