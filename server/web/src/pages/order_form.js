// Ordering a motion, or another in place of one that waits: whose arm, where to, how long it may take, and when it may begin.
import './motion.words.js'
import { useEffect, useRef, useState } from 'preact/hooks'
import { html } from '../html.js'
import { extend, t } from '../words.js'
import { call, get, once, post } from '../api.js'
import { session } from '../session.js'
import { FormDialog } from '../ui/dialog.js'
import { Check, Field, Loading, Notice, Refusal, useAnswer } from '../ui/parts.js'
import { Joints, rangeOf } from '../ui/joints.js'
import { forwardKinematics } from '../ui/kinematics.js'
import { Pose, poseOf } from '../ui/pose.js'
import { figure } from '../ui/format.js'
import { mergePatch } from '../ui/patch.js'
import { orderPath } from './order_parts.js'

extend({
  order_does: ['Order', '下达订单'],
  order_change_title: ['Change the order', '更改订单'],
  order_change_does: ['Change it', '更改'],
  order_change_text: ['It is planned anew. It keeps its place by priority and age, and its time to start by itself counts from when it was made.', '订单将重新规划，并按优先级与下达先后排队；自动启动的时限仍从下达时算起。'],
  order_goal: ['Goal', '目标'],
  'order_goal.q': ['joints', '关节'],
  'order_goal.tool': ['pose of the tool', '末端位姿'],
  order_task: ['What of it counts', '需满足的分量'],
  order_part: ['Part that the arm holds', '手臂所持工件'],
  order_part_none: ['none', '无'],
  order_wanted: ['Wanted is', '期望'],
  'order_objective.energy': ['the least energy', '能量最少'],
  'order_objective.time': ['the shortest time', '时间最短'],
  'order_objective.smooth': ['a smooth motion, planned at once', '平滑运动，立即规划'],
  order_time: ['Time', '时间'],
  'order_time.cycle_time_max': ['at most', '至多'],
  'order_time.duration': ['exactly', '正好'],
  order_seconds: ['Seconds', '秒数'],
  order_moves: ['It moves the arm by itself, as soon as it is ready.', '就绪后手臂将自动运动。'],
  order_start_within: ['START within … of ready [s]', '就绪后多久内启动 [s]'],
  order_expires_within: ['START within … of now [s]', '从现在起多久内启动 [s]'],
  order_steps: ['Steps', '步骤'],
  order_steps_text: ['Several moves and rests as one motion. With none, the goal above is the only one.', '多次运动与停留作为一个整体。若为空，则仅执行上方目标。'],
  order_step_move: ['+ This goal as a move', '+ 以当前目标为一步'],
  order_step_rest: ['+ A rest', '+ 停留'],
  order_step_seconds: ['Rest [s]', '停留 [s]'],
  order_step_output: ['Set meanwhile', '同时设置'],
  order_step_none: ['nothing', '无'],
  order_step_away: ['Take step {number} away', '移除第 {number} 步'],
  order_step_to: ['to {place} [{unit}]', '到 {place} [{unit}]'],
  order_step_rests: ['rests {seconds} s', '停留 {seconds} s'],
  order_no_start: ['This controller\'s entry does not let the service start motions.', '该控制器的配置不允许本服务启动运动。'],
})

const TASK = ['x', 'y', 'z', 'rx', 'ry', 'rz']
const middleOf = (joint) => rangeOf(joint).reduce((a, b) => a + b) / 2
const path = (name) => `v1/controllers/${encodeURIComponent(name)}`

// What the form needs of a controller: its robot with parts, and where the arm stands if that is known.
async function cellOf(name, signal) {
  const controller = await get(path(name), {}, signal)
  const robot = `v1/robots/${encodeURIComponent(controller.robot)}`
  const [model, parts, status] = await Promise.all([get(robot, {}, signal), get(`${robot}/parts`, { limit: 200 }, signal), get(`${path(name)}/status`, {}, signal)])
  return { controller, model, parts: parts.items, position: status.position ?? model.joints.map(middleOf) }
}

// What a request says beyond the form, which stays as it is.
const beyond = ({ from, tags, work_master_id, equipment_id, callback } = {}) => ({ from, tags, work_master_id, equipment_id, callback })

// The form of a request that is there already, as one that is to be changed.
const formOf = ({ controller = '', job_order_id = '', objective = 'energy', part, start = 'on_request', start_within, expires_within, priority = 0, ...rest } = {}) => ({
  controller, job_order_id, objective, part: part ?? '', start, start_within: start_within ?? '', expires_within: expires_within ?? '', priority,
  time: rest.duration ? 'duration' : 'cycle_time_max', seconds: rest.duration ?? rest.cycle_time_max ?? 2,
})

// Where to, how and how fast: of an order, or of one of its steps.
const moveOf = (form, goal) => ({ to: goal.by === 'q' ? { q: goal.q } : { tool: goal.tool, task: goal.task }, objective: form.objective, ...(form.objective !== 'time' && { [form.time]: Number(form.seconds) }) })

function requestOf(form, goal, steps) {
  const automatic = form.start === 'automatic'
  const json = { controller: form.controller, ...(steps.length ? { steps } : moveOf(form, goal)), start: form.start, priority: Number(form.priority) }
  if (form.job_order_id) json.job_order_id = form.job_order_id
  if (form.part) json.part = form.part
  if (form.start_within !== '') json.start_within = Number(form.start_within)
  if (automatic && form.expires_within !== '') json.expires_within = Number(form.expires_within)
  return json
}

function Goal({ model, goal, set }) {
  return html`<fieldset><legend>${t('order_goal')}</legend>
    <div class="row"><${Field} label=${t('kind')}><select value=${goal.by} onChange=${(e) => set({ by: e.target.value })}>${['q', 'tool'].map((by) => html`<option value=${by}>${t(`order_goal.${by}`)}</option>`)}</select></${Field}></div>
    ${goal.by === 'q' ? html`<${Joints} model=${model} q=${goal.q} onQ=${(q) => set({ q })} />` : html`<${Pose} pose=${goal.tool} onPose=${(tool) => set({ tool })} />
      <div class="row" role="group" aria-label=${t('order_task')}><span class="quiet">${t('order_task')}</span>${TASK.map((one) => html`<${Check} key=${one} label=${one} checked=${goal.task.includes(one)}
        onChange=${(e) => set({ task: TASK.filter((other) => (other === one ? e.target.checked : goal.task.includes(other))) })} />`)}</div>`}</fieldset>`
}

const placeOf = ({ q, tool }) => (q ?? tool.translation).map((value) => figure(value, 3)).join(', ')

// A step as a person reads it.
const stepText = ({ to, dwell, output, duration, cycle_time_max: most }) => [to ? t('order_step_to', { place: placeOf(to), unit: to.q ? 'rad, m' : 'm' }) : t('order_step_rests', { seconds: figure(dwell, 4) }), to && (duration ?? most) && `${duration ? '' : '≤ '}${duration ?? most} s`, output && `${output.name} = ${output.value}`].filter(Boolean).join(' · ')

// Moves and rests, one after the other; outputs: of the controller, which may be set while the arm rests.
function Steps({ steps, onSteps, move, outputs }) {
  const [rest, setRest] = useState({ seconds: '0.5', output: '' })
  const settings = outputs.flatMap(({ name, values }) => values.map((value) => ({ name, value: value.name })))
  const add = () => onSteps([...steps, { dwell: Number(rest.seconds), ...(rest.output !== '' && { output: settings[Number(rest.output)] }) }])
  return html`<fieldset><legend>${t('order_steps')}</legend><p class="quiet">${t('order_steps_text')}</p>
    ${steps.length > 0 && html`<ol>${steps.map((step, k) => html`<li key=${k}><bdi>${stepText(step)}</bdi> <button type="button" aria-label=${t('order_step_away', { number: k + 1 })} title=${t('order_step_away', { number: k + 1 })} onClick=${() => onSteps(steps.filter((_, j) => j !== k))}>×</button></li>`)}</ol>`}
    <div class="row"><button type="button" onClick=${() => onSteps([...steps, move])}>${t('order_step_move')}</button>
      <${Field} label=${t('order_step_seconds')}><input type="number" step="any" min="0.001" max="10000" style=${{ width: '6rem' }} value=${rest.seconds} onInput=${(e) => setRest({ ...rest, seconds: e.target.value })} /></${Field}>
      ${settings.length > 0 && html`<${Field} label=${t('order_step_output')}><select value=${rest.output} onChange=${(e) => setRest({ ...rest, output: e.target.value })}><option value="">${t('order_step_none')}</option>${settings.map((one, k) => html`<option key=${k} value=${k}>${one.name} = ${one.value}</option>`)}</select></${Field}>`}
      <button type="button" disabled=${!(Number(rest.seconds) > 0)} onClick=${add}>${t('order_step_rest')}</button></div></fieldset>`
}

// Where the form begins: at the goal that was asked for, else where the arm stands.
function goalOf({ model, position }, to) {
  const q = to?.q?.length === model.joints.length ? to.q : position
  const asked = to?.tool
  return { by: asked ? 'tool' : 'q', q, tool: asked ? { translation: [0, 0, 0], rpy: [0, 0, 0], ...asked } : poseOf(forwardKinematics(model, q).tool),
    task: to?.task ?? TASK.slice(0, model.joints.length >= 6 ? 6 : Math.min(3, model.joints.length)) } // arms of few joints cannot turn the tool freely
}

// request: what it begins with; order: { id, etag } of the one that is changed, none: it is a new one; onDone(order)
export function OrderForm({ request, order, onClose, onDone }) {
  const controllers = useAnswer((signal) => get('v1/controllers', { limit: 200, fields: 'name' }, signal))
  const [form, setForm] = useState(formOf(request))
  const [goal, setGoal] = useState(null)
  const [steps, setSteps] = useState(request?.steps ?? [])
  const key = useRef({}) // of what was sent: the same again after a broken connection is the same order
  const name = form.controller || controllers.value?.items[0]?.name
  const cell = useAnswer(async (signal) => (name ? cellOf(name, signal) : undefined), [name])
  const known = cell.value?.controller.name === name ? cell.value : null
  const untouched = useRef(null) // the goal as it was asked for
  useEffect(() => setGoal((untouched.current = known && goalOf(known, request?.to))), [known])
  const change = (part) => setForm({ ...form, ...part })
  const send = async () => {
    const json = { ...beyond(request), ...requestOf({ ...form, controller: name }, goal, steps) }
    if (json.to && request?.to && goal === untouched.current) json.to = request.to
    if (order) return onDone((await call('PATCH', orderPath(order.id), { json: mergePatch(request, json), type: 'application/merge-patch+json', etag: order.etag })).data)
    const text = JSON.stringify(json)
    if (key.current.text !== text) key.current = { text, headers: once() }
    try {
      onDone(await post('v1/orders', json, { headers: key.current.headers, moves: form.start === 'automatic' }))
    } catch (refusal) {
      if (refusal.status) key.current = {}
      throw refusal
    }
  }
  const number = (field, label, rest) => html`<${Field} label=${t(label)}><input type="number" step="any" style=${{ width: '8rem' }} value=${form[field]} onInput=${(e) => change({ [field]: e.target.value })} ...${rest} /></${Field}>`
  const choice = (field, label, values, word) => html`<${Field} label=${t(label)}><select value=${form[field]} onChange=${(e) => change({ [field]: e.target.value })}>${values.map((value) => html`<option value=${value}>${word(value)}</option>`)}</select></${Field}>`
  const automatic = form.start === 'automatic'
  return html`<${FormDialog} title=${t(order ? 'order_change_title' : 'order_new')} does=${t(order ? 'order_change_does' : 'order_does')} role="operator" disabled=${!goal || !session.mayMove(name) || (goal.by === 'tool' && !goal.task.length)} send=${send} onClose=${onClose}>
    <${Refusal} error=${controllers.error ?? cell.error} />${order && html`<p class="quiet">${t('order_change_text')}</p>`}
    <div class="row"><${Field} label=${t('controller')}><select required disabled=${!!order} value=${name} onChange=${(e) => change({ controller: e.target.value, part: '' })}>${(controllers.value?.items ?? []).map((one) => html`<option value=${one.name}>${one.name}</option>`)}</select></${Field}>
      <${Field} label=${t('job_order')}><input maxlength="128" value=${form.job_order_id} onInput=${(e) => change({ job_order_id: e.target.value })} /></${Field}>
      ${choice('part', 'order_part', ['', ...(known?.parts ?? []).map((one) => one.name)], (one) => one || t('order_part_none'))}</div>
    ${name && !session.mayMove(name) && html`<${Notice} kind="warn">${t('motion_missing')}</${Notice}>`}
    ${known && !known.controller.profile.allow_start && html`<${Notice} kind="warn">${t('order_no_start')}</${Notice}>`}
    ${goal && known ? html`<${Goal} model=${known.model} goal=${goal} set=${(part) => setGoal({ ...goal, ...part })} />` : name && html`<${Loading} error=${cell.error} />`}
    <div class="row">${choice('objective', 'order_wanted', ['energy', 'time', 'smooth'], (one) => t(`order_objective.${one}`))}
      ${form.objective !== 'time' && html`${choice('time', 'order_time', ['cycle_time_max', 'duration'], (one) => t(`order_time.${one}`))}${number('seconds', 'order_seconds', { required: true, min: 0.001, max: 10000 })}`}</div>
    ${goal && known && html`<${Steps} steps=${steps} onSteps=${setSteps} move=${moveOf(form, goal)} outputs=${known.controller.profile.map?.outputs ?? []} />`}
    <div class="row">${choice('start', 'order_start', ['on_request', 'automatic'], (one) => t(`order_start.${one}`))}
      ${number('start_within', 'order_start_within', { min: 0.001, max: 60, placeholder: automatic ? '30' : '∞' })}
      ${automatic && number('expires_within', 'order_expires_within', { min: 0.001, max: 86400, placeholder: '300' })}
      ${number('priority', 'priority', { required: true, min: -10, max: 10, step: 1 })}</div>
    ${automatic && html`<${Notice} kind="warn">${t('order_moves')}</${Notice}>`}</${FormDialog}>`
}
