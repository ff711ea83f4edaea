// One order: how far it is, what was planned, what came of it, and the buttons that start, hold or end it.
import './motion.words.js'
import { useState } from 'preact/hooks'
import { html } from '../html.js'
import { go, link } from '../route.js'
import { extend, t } from '../words.js'
import { get, once, post } from '../api.js'
import { newsOf, unlessLive, useLive } from '../live.js'
import { session } from '../session.js'
import { Act, Ended, Head, Loading, Notice, Refusal, State, Tags, useAnswer } from '../ui/parts.js'
import { figure, moment, readable, shortId } from '../ui/format.js'
import { Deliveries } from '../ui/deliveries.js'
import { OrderForm } from './order_form.js'
import { WaitingButtons, useWaiting } from './order_waits.js'
import { ENDED, Progress, nameOf, orderPath } from './order_parts.js'
import { Played } from './played.js'
import { said } from '../ui/sentences.js'

extend({
  order_blocked: ['The queue is blocked: {why}', '队列被阻止：{why}'],
  order_to_queue: ['To the queue', '前往队列'],
  order_facts: ['What it is', '基本信息'],
  order_plan: ['What is planned', '计划'],
  order_plan_none: ['Nothing is planned.', '无计划。'],
  order_from: ['From [rad, m]', '起点 [rad, m]'],
  order_to: ['To [rad, m]', '终点 [rad, m]'],
  order_mechanical: ['Work of the joints, modelled', '关节做功（模型）'],
  order_electrical: ['Electricity, modelled', '电能（模型）'],
  order_bound: ['Least electricity of any motion, modelled', '任何运动的最少电能（模型）'],
  order_measured: ['What was measured', '实测'],
  order_unmeasured: ['Nothing was measured: {why}.', '无实测数据：{why}。'],
  order_measured_waits: ['It is being summed up.', '正在汇总。'],
  order_mechanical_measured: ['Work of the joints, measured', '关节做功（实测）'],
  order_electrical_measured: ['Electricity, modelled from what was measured', '电能（按实测建模）'],
  order_deviation: ['Farthest from its plan', '最大偏差'],
  order_deviation_text: ['{joint}: {deviation} {unit} at {at} s', '{joint}：{at} s 时 {deviation} {unit}'],
  order_tolerance: ['Tolerance', '容差'],
  order_measured_time: ['Of the motion', '测量时长'],
  order_step: ['Step {number}, from {at} s', '第 {number} 步，始于 {at} s'],
  order_rests: ['rests', '停留'],
  order_planned_smoothly: ['The motion that was asked for could not be loaded; a smooth one takes its place.', '无法加载所要求的运动，已由平滑运动代替。'],
  order_request: ['Request', '请求'],
  order_suggested: ['A motion of {seconds} s can be planned; {asked} s were asked for.', '可规划 {seconds} s 的运动；所要求的是 {asked} s。'],
  order_suggested_open: ['Order that …', '按此下达订单……'],
  changed_by: ['Changed by', '更改者'],
  changed_at: ['Changed', '更改时间'],
  started_by: ['Started by', '启动者'],
  ready_at: ['Ready', '就绪时间'],
  started_at: ['Started', '启动时间'],
  expires_at: ['START before', '最迟启动'],
  order_job: ['Planned by the job', '规划任务'],
})

// What may be asked of an order, as it stands.
const ASKED = {
  start: (order) => order.state === 'ready' && order.start === 'on_request' && !order.blocked,
  hold: (order) => order.state === 'running',
  resume: (order) => order.state === 'held',
  cancel: (order) => !ENDED.includes(order.state),
}
const MOVES = ['start', 'resume']

const idOf = (href) => href.split('/').at(-1)
const Facts = ({ rows }) => html`<dl class="facts">${rows.filter(([, value]) => value != null).map(([name, value]) => html`<dt key=${name}>${t(name)}</dt><dd>${value}</dd>`)}</dl>`
const to = (page, href) => href && html`<a href=${link([page, idOf(href)])}>${shortId(idOf(href))}</a>`
const place = (q) => html`<span class="code">${q.map((value) => figure(value, 5)).join(', ')}</span>`
const energy = (value) => (value == null ? '–' : `${figure(value, 4)} J`)

const Plan = ({ plan }) => html`<section class="panel"><h2>${t('order_plan')}</h2>${plan ? html`
  <${Facts} rows=${[['order_from', place(plan.start)], ['order_to', place(plan.end)], ['duration', `${figure(plan.duration, 4)} s`], ['order_mechanical', energy(plan.mechanical_energy_modelled)],
    ['order_electrical', energy(plan.electrical_energy_modelled)], ['order_bound', energy(plan.electrical_energy_bound_modelled)]]} />
  ${plan.steps && html`<ol>${plan.steps.map((step, k) => html`<li key=${k}>${t('order_step', { number: k + 1, at: figure(step.begins_at, 4) })}: ${step.trajectory ? html`${to('trajectories', step.trajectory)} ${place(step.end)}` : t('order_rests')}, ${figure(step.duration, 4)} s${step.output && html` · <bdi>${step.output.name} = ${step.output.value}</bdi>`}</li>`)}</ol>`}
  ${plan.warnings.map((one) => html`<${Notice} key=${one.code} kind="warn">${one.code === 'planned_smoothly' ? t('order_planned_smoothly') : said(one.detail, one.code)}</${Notice}>`)}` : html`<p class="quiet">${t('order_plan_none')}</p>`}</section>`

const deviation = (worst) => t('order_deviation_text', { ...worst, deviation: figure(worst.deviation, 3), at: figure(worst.deviation_at, 3) })
const summedUp = (order) => order.measured || order.unmeasured || !order.transfer

// What its controller measured of it, summed up.
const Sum = ({ order: { measured, unmeasured } }) => html`<section class="panel"><h2>${t('order_measured')}</h2>${measured ? html`
  <${Facts} rows=${[['order_mechanical_measured', energy(measured.mechanical_energy_measured)], ['order_electrical_measured', energy(measured.electrical_energy_modelled_from_measured)],
    ['order_deviation', html`<bdi>${deviation(measured.worst_deviation)}</bdi>`], ['order_tolerance', measured.worst_deviation.tolerance && `${figure(measured.worst_deviation.tolerance, 3)} ${measured.worst_deviation.unit}`],
    ['order_measured_time', `${figure(measured.measured_time, 4)} s`]]} />` : html`<p class="quiet">${unmeasured ? t('order_unmeasured', { why: said(unmeasured) }) : t('order_measured_waits')}</p>`}</section>`

// The order anew in the time that the planner says would do; null where it says none.
function suggestionOf({ problem, request }) {
  const seconds = problem?.suggested_request?.duration
  if (!seconds || !request.to) return null
  const { callback, ...rest } = request
  const name = rest.duration ? 'duration' : 'cycle_time_max'
  return { seconds, asked: rest[name], request: { ...rest, [name]: seconds } }
}

function Failed({ order, onOrder }) {
  const { problem } = order
  const suggestion = suggestionOf(order)
  return html`<${Notice} kind="bad"><${Ended} problem=${problem} />
      ${suggestion && html`<p>${t('order_suggested', { seconds: figure(suggestion.seconds, 5), asked: figure(suggestion.asked, 5) })} <${Act} role="operator" onClick=${() => onOrder(suggestion.request)}>${t('order_suggested_open')}</${Act}></p>`}</${Notice}>`
}

// What was measured, once the transfer has ended and kept it.
function Measured({ href }) {
  const { value, error } = useAnswer((signal) => get(href.slice(1), {}, signal), [href])
  return html`<${Refusal} error=${error} />${value?.telemetry && html`<section class="panel"><${Played} id=${value.id} motion=${value.trajectory} dataset=${value.telemetry} /></section>`}`
}

function Order({ id, onOrder, onAsk, turn }) {
  const [error, setError] = useState(null)
  const [seen, see] = useState({}) // what decides how often it is asked for
  useLive(seen.controller)
  const news = newsOf('orders', id)
  const queue = newsOf('queues', seen.controller)
  const answer = useAnswer(async (signal) => {
    const order = await get(orderPath(id), {}, signal)
    see({ controller: order.controller, ended: ENDED.includes(order.state), summedUp: summedUp(order) })
    return order
  }, [id, turn, news?.state, news?.changed_at, queue?.blocked, queue?.count], seen.ended ? (seen.summedUp ? 0 : 500) : unlessLive(500)) // of the sum nobody tells
  const order = answer.value
  if (!order) return html`<${Refusal} error=${answer.error} /><${Loading} error=${answer.error} />`
  const ask = async (what) => {
    setError(null)
    const moves = MOVES.includes(what)
    try {
      await post(`${orderPath(id)}/${what}`, {}, { headers: moves ? once() : undefined, moves })
      answer.again()
    } catch (refusal) {
      setError(refusal)
    }
  }
  const may = session.mayMove(order.controller)
  return html`
    <${Head} title=${`${t('order')} ${nameOf(order)}`} sub=${html`<${State} state=${order.state} /> <code>${order.id}</code> <${Tags} tags=${order.tags} />`}>
      ${Object.keys(ASKED).filter((what) => ASKED[what](order)).map((what) => html`<${Act} key=${what} class=${what === 'start' ? 'main' : ''} role="operator" disabled=${MOVES.includes(what) && !may}
        title=${MOVES.includes(what) && !may ? t('motion_missing') : undefined} onClick=${() => ask(what)}>${t(what === 'cancel' ? 'order_cancel' : what)}</${Act}>`)}<${WaitingButtons} order=${order} changeAlone onAsk=${onAsk} /></${Head}>
    <${Refusal} error=${error ?? answer.error} />
    ${order.blocked && html`<${Notice} kind="warn">${t('order_blocked', { why: said(order.blocked) })} <a href=${link(['controllers', order.controller])}>${t('order_to_queue')}</a></${Notice}>`}
    ${order.problem && html`<${Failed} order=${order} onOrder=${onOrder} />`}
    <section class="panel stack"><p role="status">${said(order.message) ?? t(`state.${order.state}`)}</p>${(order.progress ?? order.queue_position) != null && html`<${Progress} order=${order} />`}</section>
    <div class="grid">
      <section class="panel"><h2>${t('order_facts')}</h2><${Facts} rows=${[['controller', html`<a href=${link(['controllers', order.controller])}>${order.controller}</a>`],
        ['order_start', t(`order_start.${order.start}`)], ['priority', order.priority], ['created_by', order.created_by && html`<bdi>${order.created_by}</bdi>`], ['reason', order.reason && html`<bdi>${order.reason}</bdi>`], ['changed_by', order.changed_by && html`<bdi>${order.changed_by}</bdi>`], ['started_by', order.started_by && html`<bdi>${order.started_by}</bdi>`],
        ...['created', 'changed', 'expires', 'ready', 'started', 'finished'].map((what) => [what === 'created' ? what : `${what}_at`, order[`${what}_at`] && moment(order[`${what}_at`])]),
        ['order_job', to('jobs', order.job)], ['lineage_trajectory', to('trajectories', order.trajectory)],
        ['lineage_transfer', order.transfer && html`<a href=${link(['controllers', order.controller])}>${shortId(idOf(order.transfer))}</a>`]]} /></section>
      <${Plan} plan=${order.plan} />
      ${ENDED.includes(order.state) && order.transfer && html`<${Sum} order=${order} />`}
      <section class="panel"><h2>${t('history')}</h2><dl class="facts">${order.history.map((step, k) => html`<dt key=${k}>${moment(step.at)}</dt><dd>${t(`state.${step.state}`)}${step.reason && `: ${said(step.reason)}`}</dd>`)}</dl></section>
      <section class="panel"><h2>${t('order_request')}</h2><pre class="code scroll tall" tabindex="0">${readable(order.request)}</pre></section>
    </div>
    ${order.request.callback && html`<${Deliveries} path=${`v1/orders/${order.id}/deliveries`} webhook=${order.request.callback.webhook} turn=${`${order.state} ${summedUp(order)}`} />`}
    ${ENDED.includes(order.state) && order.transfer && html`<${Measured} href=${order.transfer} />`}`
}

// The form stands apart from what changes by itself, which would undo what is being typed.
function One({ id }) {
  const [request, order] = useState(null)
  const [turn, setTurn] = useState(0) // it was changed here
  const [ask, dialog] = useWaiting(() => setTurn(turn + 1))
  return html`<${Order} id=${id} onOrder=${order} onAsk=${ask} turn=${turn} />${dialog}
    ${request && html`<${OrderForm} request=${request} onClose=${() => order(null)} onDone=${(made) => go(['orders', made.id])} />`}`
}

export const Page = ({ path }) => html`<${One} key=${path[1]} id=${path[1]} />`
