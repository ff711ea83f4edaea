// Asking for a motion: its points by hand in three dimensions, by numbers, or from where an arm stands; what is to be least; limits.
import './trajectories.words.js'
import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { html } from '../html.js'
import { go, useUnsaved } from '../route.js'
import { extend, t } from '../words.js'
import { get, once, post } from '../api.js'
import { session } from '../session.js'
import { Further, withFurther } from '../ui/further.js'
import { CellChoice } from '../ui/cell_choice.js'
import { Act, Field, Notice, Refusal, useAnswer } from '../ui/parts.js'
import { figure } from '../ui/format.js'
import { Joints, middlesOf } from '../ui/joints.js'
import { forwardKinematics, placed } from '../ui/kinematics.js'
import { OwnMotion, faultOfOwn, newOwn, samplesOf } from '../ui/own_motion.js'
import { Pose, poseOf } from '../ui/pose.js'
import { View3D } from '../ui/view.js'

extend({
  point_here: ['Where {controller} stands', '{controller} 的当前位置'],
  point_here_none: ['{controller} does not tell where its arm is.', '{controller} 未报告手臂位置。'],
  tool_pose_text: ['Drag the tool in the picture, or type where it is to be; the joints follow.', '在图中拖动末端，或输入目标位姿；关节随之变化。'],
  tool_far: ['This cannot be reached: the nearest is {distance} mm and {angle}° away.', '无法到达：最近处相差 {distance} mm 和 {angle}°。'],
  objective: ['Make least', '优化目标'],
  'objective.': ['electricity where every drive has its data, else torque', '驱动数据齐全时为电能，否则为力矩'],
  'objective.torque': ['torque, ∫ Σ (tau / limit)² dt [s]', '力矩，∫ Σ (tau / 限值)² dt [s]'],
  'objective.electrical': ['electricity from the supply [J]', '电源电能 [J]'],
  'objective.time': ['time [s]', '时间 [s]'],
  point_beyond: ['{joint} of {point} is beyond its limits.', '{point} 的 {joint} 超出限制。'],
  swinging: ['Where the arm swings', '手臂摆动处'],
  'swinging.': ['as planned', '按规划'],
  'swinging.auto': ['shaped: ends at rest, a little later', '整形：稍晚结束并静止'],
  points_same: ['Start and goal are the same.', '起点与终点相同。'],
})

const METHODS = ['energy_optimal', 'quintic', 'cubic', 'trapezoid', 'path_timing', 'samples']
const LIMITS = ['velocity', 'acceleration', 'jerk', 'torque', 'torque_rate']
const DEGREES = 180 / Math.PI
const DURATIONS = { hint: '0.8 1.0 1.5 2', read: (text) => text.split(/[\s,;]+/).filter(Boolean).map(Number) }

// Joint positions for a pose of the tool, near those that are there; one question at a time, the last one wins. far: what it misses.
function useTool(model, q, onQ) {
  const [far, setFar] = useState(null)
  const [error, setError] = useState(null)
  const wanted = useRef(null)
  const busy = useRef(false)
  const task = model.joints.length >= 6 ? undefined : ['x', 'y', 'z'].slice(0, model.joints.length) // arms of few joints cannot turn the tool freely
  const near = useRef(q)
  near.current = q
  const ask = async (tool) => {
    wanted.current = tool
    if (busy.current) return
    busy.current = true
    while (wanted.current) {
      const next = wanted.current
      wanted.current = null
      try {
        const answer = await post(`v1/robots/${model.name}/inverse-kinematics`, { tool: next, q: near.current, task, starts: 0 }, { query: { revision: model.revision } })
        setFar(answer.reached ? null : answer.residual)
        setError(null)
        near.current = answer.q
        onQ(answer.q)
      } catch (refusal) {
        setError(refusal)
      }
    }
    busy.current = false
  }
  return { ask, far, error, clear: () => setFar(null) }
}

// The pose of the tool in numbers, for who does not drag.
function ToolPose({ rows, onPose }) {
  return html`<fieldset><legend>${t('tool_pose')}</legend><p class="quiet">${t('tool_pose_text')}</p><${Pose} pose=${poseOf(rows)} onPose=${(pose) => onPose(placed(pose))} /></fieldset>`
}

// What can be seen to be wrong before the service is asked.
function faultOf(model, points, nameOf) {
  for (const [k, q] of points.entries())
    for (const [j, joint] of model.joints.entries()) {
      const [low, high] = joint.limits?.position ?? []
      if (q[j] < (low ?? -Infinity) - 1e-9 || q[j] > (high ?? Infinity) + 1e-9) return { at: k, text: t('point_beyond', { joint: joint.name, point: nameOf(k) }) }
    }
  return points.length === 2 && points[0].every((value, j) => Math.abs(value - points[1][j]) < 1e-9) ? { at: 1, text: t('points_same') } : null
}

const ownOf = ({ own, cell }) => ({ method: 'samples', samples: samplesOf(own), ...(cell && { cell }) })

// The request of a form; limits that were typed stand beside the robot's own.
function requestOf(model, points, form, compares) {
  const json = { method: form.method, start: { q: points[0] }, goal: { q: points[points.length - 1] }, duration: form.duration === '' ? null : Number(form.duration) }
  if (points.length > 2) json.waypoints = points.slice(1, -1).map((q) => ({ q }))
  if (form.cost && ['energy_optimal', 'path_timing'].includes(form.method)) json.cost = { model: form.cost }
  if (compares && DURATIONS.read(form.durations).length) json.durations = DURATIONS.read(form.durations)
  if (form.cell) json.cell = form.cell
  if (form.shaper) json.shaper = form.shaper
  if (form.method === 'path_timing') json.limits = { jerk: null, torque_rate: null }
  for (const [limit, values] of Object.entries(form.limits))
    if (values.some((value) => value !== '')) json.limits = { ...json.limits, [limit]: values.map((value, j) => (value === '' ? model.joints[j].limits?.[limit] ?? null : Number(value))) }
  return json
}

function Points({ model, points, at, setAt, setPoints, change, nameOf }) {
  const controllers = useAnswer((signal) => get('v1/controllers', { robot: model.name, limit: 200 }, signal), [model.name])
  const [error, setError] = useState(null)
  const [said, say] = useState('')
  const here = async (controller) => {
    setError(null)
    try {
      const { position } = await get(`v1/controllers/${encodeURIComponent(controller)}/status`)
      say(position ? '' : t('point_here_none', { controller }))
      if (position) change(position)
    } catch (refusal) {
      setError(refusal)
    }
  }
  return html`<div class="row" role="group" aria-label=${t('points')}>
      ${points.map((_, k) => html`<button key=${k} type="button" aria-pressed=${k === at} class=${k === at ? 'main' : ''} onClick=${() => setAt(k)}>${nameOf(k)}</button>`)}
      <button type="button" onClick=${() => { setPoints([...points.slice(0, -1), points[at], points[points.length - 1]]); setAt(points.length - 1) }}>+ ${t('waypoint_add')}</button>
      <button type="button" disabled=${at === 0 || at === points.length - 1} onClick=${() => { setPoints(points.filter((_, k) => k !== at)); setAt(0) }}>${t('waypoint_remove')}</button>
      ${(controllers.value?.items ?? []).map(({ name }) => html`<button key=${name} type="button" onClick=${() => here(name)}>${t('point_here', { controller: name })}</button>`)}</div>
    <${Refusal} error=${error} />${said && html`<${Notice} kind="warn">${said}</${Notice}>`}`
}

export function PlanForm({ model }) {
  const [middle, moved] = [middlesOf(model), middlesOf(model, 0.12)]
  const [points, setPoints] = useState([middle, moved])
  const [at, setAt] = useState(1)
  const [form, setForm] = useState(() => ({ method: 'energy_optimal', duration: '2', durations: '', cost: '', cell: '', shaper: '', limits: {}, own: newOwn(model), further: [] }))
  const [changed, setChanged] = useState(false)
  const [error, setError] = useState(null)
  const [busy, setBusy] = useState(false)
  useUnsaved(changed && !busy)
  useEffect(() => tool.clear(), [at])
  const own = form.method === 'samples'
  const gives = model.joints.some((joint) => joint.elasticity?.stiffness) // the shaper's modes are of the model
  const compares = form.method === 'energy_optimal' && form.cost !== 'time'
  const nameOf = (k) => (k === 0 ? t('start_point') : k === points.length - 1 ? t('goal_point') : t('waypoint', { number: k }))
  const change = (q) => {
    setChanged(true)
    setPoints((now) => now.map((one, k) => (k === at ? q : one)))
  }
  const tool = useTool(model, points[at], change)
  const rows = useMemo(() => forwardKinematics(model, points[at]).tool, [model, points[at]])
  const fault = own ? null : faultOf(model, points, nameOf)
  const ownFault = own ? faultOfOwn(model, form.own) : null
  const computes = session.may('operator')
  const send = async (event) => {
    event.preventDefault()
    setError(null)
    setBusy(true)
    try {
      go(['jobs', (await post(`v1/robots/${model.name}/trajectories`, withFurther(own ? ownOf(form) : requestOf(model, points, form, compares), form.further), { headers: once() })).id])
    } catch (refusal) {
      setError(refusal)
      setBusy(false)
    }
  }
  const set = (part) => {
    setChanged(true)
    setForm({ ...form, ...part })
  }
  const limit = (kind) => html`<tr key=${kind}><th scope="row">${t(`limit.${kind}`)}</th>${model.joints.map((joint, j) => html`<td key=${j}><input type="number" step="any" min="0" style=${{ width: '6.5rem' }} placeholder=${joint.limits?.[kind] == null ? '∞' : figure(joint.limits[kind], 4)} aria-label=${`${t(`limit.${kind}`)} ${joint.name}`}
    value=${form.limits[kind]?.[j] ?? ''} onInput=${(e) => set({ limits: { ...form.limits, [kind]: model.joints.map((_, k) => (k === j ? e.target.value : form.limits[kind]?.[k] ?? '')) } })} /></td>`)}</tr>`
  return html`<form onSubmit=${send}>
    ${own ? html`<${OwnMotion} model=${model} own=${form.own} onOwn=${(own) => set({ own })} />` : html`<section class="panel"><${Points} model=${model} points=${points} at=${at} setAt=${setAt} setPoints=${setPoints} change=${change} nameOf=${nameOf} />
      <div class="grid" style=${{ marginTop: '.8rem' }}><${View3D} model=${model} q=${points[at]} ghosts=${points} bodies=${false} frames=${false} grip=${computes ? tool.ask : undefined} label=${`${model.name}: ${nameOf(at)}`} />
        <div class="stack"><${Joints} model=${model} q=${points[at]} onQ=${change} />
          ${computes && html`<${ToolPose} rows=${rows} onPose=${tool.ask} />`}<${Refusal} error=${tool.error} />
          ${tool.far && html`<${Notice} kind="warn">${t('tool_far', { distance: figure(1000 * tool.far.position, 3), angle: figure(DEGREES * tool.far.orientation, 3) })}</${Notice}>`}</div></div></section>`}
    <section class="panel"><div class="row begin">
      <${Field} label=${t('method')}><select value=${form.method} onChange=${(e) => set({ method: e.target.value })}>${METHODS.map((one) => html`<option value=${one}>${t(`method.${one}`)}</option>`)}</select></${Field}>
      ${!own && html`<${Field} label=${t('duration_s')} hint=${t('duration_hint')}><input type="number" step="any" min="0" value=${form.duration} onInput=${(e) => set({ duration: e.target.value })} /></${Field}>
      <${Field} label=${t('objective')}><select disabled=${!['energy_optimal', 'path_timing'].includes(form.method)} value=${form.cost} onChange=${(e) => set({ cost: e.target.value })}>${['', 'torque', 'electrical', 'time'].map((one) => html`<option value=${one}>${t(`objective.${one}`)}</option>`)}</select></${Field}>
      <${Field} label=${t('durations_s')} hint=${t('durations_hint')}><input type="text" disabled=${!compares} placeholder=${DURATIONS.hint} value=${form.durations} onInput=${(e) => set({ durations: e.target.value })} /></${Field}>`}
      ${!own && gives && html`<${Field} label=${t('swinging')}><select value=${form.shaper} onChange=${(e) => set({ shaper: e.target.value })}>${['', 'auto'].map((one) => html`<option value=${one}>${t(`swinging.${one}`)}</option>`)}</select></${Field}>`}
      <${CellChoice} cell=${form.cell} onCell=${(cell) => set({ cell })} />
    </div>
    ${!own && html`<details style=${{ marginTop: '.8rem' }}><summary>${t('limits_own')}</summary><div class="scroll"><table><thead><tr><td></td>${model.joints.map((joint) => html`<th key=${joint.name}><bdi>${joint.name}</bdi></th>`)}</tr></thead><tbody>${LIMITS.map(limit)}</tbody></table></div></details>`}
    <${Further} path=${`v1/robots/${model.name}/trajectories`} rows=${form.further} onRows=${(further) => set({ further })} />
    <${Refusal} error=${error} />
    ${fault && html`<${Notice} kind="warn">${fault.text} ${fault.at !== at && html`<button type="button" onClick=${() => setAt(fault.at)}>${nameOf(fault.at)}</button>`}</${Notice}>`}
    ${ownFault && form.own.rows && html`<${Notice} kind="warn">${ownFault}</${Notice}>`}
    <div class="row end"><${Act} type="submit" class="main" role="operator" disabled=${!!fault || !!ownFault || (own && form.own.of === 'dataset' && !form.own.dataset)} busy=${busy}>${t('trajectory_do')}</${Act}></div></section></form>`
}
