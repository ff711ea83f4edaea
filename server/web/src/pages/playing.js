// A transfer while it plays: where the joints are and what they push beside the plan, as the stream of events tells it four times a
// second; and afterwards both, whole.
import { signal } from '@preact/signals'
import { useEffect, useMemo, useRef } from 'preact/hooks'
import { html } from '../html.js'
import { extend, t } from '../words.js'
import { table } from '../api.js'
import { newsOf } from '../live.js'
import { Bar, Refusal, useAnswer } from '../ui/parts.js'
import { Plot } from '../ui/plot.js'
import { figure } from '../ui/format.js'

extend({
  playing: ['While it plays', '播放过程'],
  playing_at: ['{time} s of {whole} s', '{time} s／{whole} s'],
  playing_progress: ['Played', '播放进度'],
  playing_position: ['Position, planned and measured', '位置：计划与实测'],
  playing_torque: ['Torque, planned and measured', '力矩：计划与实测'],
  playing_plan: ['{joint}, planned', '{joint} 计划'],
  playing_measured: ['{joint}, measured', '{joint} 实测'],
  playing_no_torque: ['This controller tells no torques while it plays.', '该控制器在播放时不提供力矩。'],
})

const DRAWN = 300 // points of the plan
const KEPT = 1200 // moments that are remembered; when there are more, every other is forgotten
const KINDS = ['trajectories', 'excitations', 'friction-tests']

// The plan of a motion, of whichever kind: its columns by name, taken out once, as they are asked for many times a second.
async function planOf(id, signal) {
  for (const kind of KINDS) {
    try {
      const samples = await table(`v1/${kind}/${id}/samples`, { fields: 't,q,tau' }, signal)
      const columns = new Map(samples.columns.map((name) => [name, samples.column(name)]))
      return { column: (name) => columns.get(name) }
    } catch (error) {
      if (error.status !== 404 || kind === KINDS.at(-1)) throw error
    }
  }
}
export const usePlan = (id) => useAnswer((signal) => planOf(id, signal), [id])

// Values of a column of the plan at these times, which rise.
export function planned(plan, column, times) {
  const [clock, values] = [plan.column('t'), plan.column(column)]
  let k = 0
  return Float64Array.from(times, (time) => {
    while (k < clock.length - 2 && clock[k + 1] <= time) k++
    const part = Math.min(1, Math.max(0, (time - clock[k]) / (clock[k + 1] - clock[k])))
    return values[k] + part * (values[k + 1] - values[k])
  })
}

// What was heard of a motion until now: { times, position, torque }, each a list for each moment.
function useHeard(transfer, status, rate) {
  const heard = useRef({})
  if (heard.current.id !== transfer.id) heard.current = { id: transfer.id, moments: [] }
  const { moments } = heard.current
  const index = status?.play_index
  if (transfer.state === 'playing' && status?.position && index != null && !(moments.at(-1)?.index >= index)) {
    heard.current.moments = [...(moments.length < KEPT ? moments : moments.filter((_, k) => k % 2)), { index, time: index / rate, position: status.position, torque: status.torque }]
  }
  return heard.current.moments
}

// Lines of the plan and points of what was measured, over the times of both.
function overlay(plan, names, moments, field, column) {
  const clock = plan.column('t')
  const step = Math.max(1, Math.floor(clock.length / DRAWN))
  const grid = clock.filter((_, k) => k % step === 0 || k === clock.length - 1)
  const seen = new Map(moments.filter((one) => one[field]).map((one) => [one.time, one[field]]))
  const x = Float64Array.from(new Set([...grid, ...seen.keys()])).sort()
  const series = names.flatMap((joint, j) => [
    { label: t('playing_plan', { joint }), index: j, faint: true, values: planned(plan, `${column}${j + 1}`, x) },
    { label: t('playing_measured', { joint }), index: j, points: true, values: Array.from(x, (time) => seen.get(time)?.[j] ?? null) },
  ])
  return { x, series }
}

// names: of the joints
export function Playing({ transfer, names }) {
  const status = newsOf('controllers', transfer.controller)?.status
  const answer = usePlan(transfer.trajectory)
  const plan = answer.value
  const rate = transfer.request.rate ?? (plan ? (transfer.total - 1) / plan.column('t').at(-1) : 1)
  const moments = useHeard(transfer, status, rate)
  const position = useMemo(() => plan && overlay(plan, names, moments, 'position', 'q'), [plan, moments, names.join()])
  const torque = useMemo(() => plan && overlay(plan, names, moments, 'torque', 'tau'), [plan, moments, names.join()])
  const last = moments.at(-1)
  const now = useMemo(() => signal(null), [transfer.id]) // s, marked in the plots, which stay as they are otherwise
  useEffect(() => void (now.value = last?.time ?? null), [last?.time, !plan])
  if (!plan) return html`<${Refusal} error=${answer.error} />`
  const whole = plan.column('t').at(-1)
  return html`<h3>${t('playing')}</h3><p>${t('playing_at', { time: figure(last?.time ?? 0, 3), whole: figure(whole, 3) })}</p><${Bar} value=${last ? Math.min(1, last.time / whole) : 0} label=${t('playing_progress')} />
    <div class="grid"><${Plot} title=${t('playing_position')} ...${position} sync=${transfer.id} time=${now} xLabel=${t('time_s')} yLabel=${t('position_axis')} />
      <div><${Plot} title=${t('playing_torque')} ...${torque} sync=${transfer.id} time=${now} xLabel=${t('time_s')} yLabel=${t('torque_axis')} />
        ${moments.length > 2 && !moments.some((one) => one.torque) && html`<p class="quiet">${t('playing_no_torque')}</p>`}</div></div>`
}
