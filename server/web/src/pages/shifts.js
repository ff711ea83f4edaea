// What became of a controller's orders in a shift: how many ended how, how its time went, what was done, and why the rest was not.
import './motion.words.js'
import { useState } from 'preact/hooks'
import { html } from '../html.js'
import { adjust, link, route } from '../route.js'
import { language } from '../session.js'
import { extend, t } from '../words.js'
import { call, get, save } from '../api.js'
import { turnOf, unlessLive, useLive } from '../live.js'
import { Head, Loading, Notice, Refusal, State, useAnswer } from '../ui/parts.js'
import { Table } from '../ui/table.js'
import { Moment } from '../ui/times.js'
import { count, figure, lasting, measure, moment } from '../ui/format.js'
import { OrderLink } from './order_parts.js'
import { said } from '../ui/sentences.js'

extend({
  shift_text: ['The last eight hours, unless other times are chosen.', '默认为最近八小时，可选择其他时间。'],
  shift_none: ['Choose a controller: its page leads to its report.', '请选择控制器：其页面可进入报告。'],
  shift_from: ['From', '从'],
  shift_to: ['To', '至'],
  shift_print: ['Print', '打印'],
  shift_csv: ['As CSV', '导出 CSV'],
  shift_interrupted: ['interrupted', '中断'],
  shift_alarms: ['Alarms', '报警'],
  shift_alarm: ['Alarm', '报警内容'],
  shift_since: ['Since', '开始'],
  shift_until: ['Until', '结束'],
  shift_by: ['Acknowledged by', '确认者'],
  shift_open: ['open at its end', '结束时未完成'],
  shift_running: ['running', '运行'],
  shift_held: ['held', '暂停'],
  shift_idle: ['idle', '空闲'],
  shift_parts: ['What was done', '已完成'],
  shift_part: ['Part', '工件'],
  shift_part_none: ['none', '无'],
  shift_count: ['Orders', '订单数'],
  shift_mechanical: ['Work of the joints, modelled', '关节做功（模型）'],
  shift_electrical: ['Electricity, modelled', '电能（模型）'],
  shift_measured_orders: ['orders measured', '已测量订单'],
  shift_measured: ['Measured', '已测量'],
  shift_mechanical_measured: ['Work of these, measured', '其中关节做功（实测）'],
  shift_electrical_measured: ['Electricity of these, modelled from what was measured', '其中电能（按实测建模）'],
  shift_worst: ['Farthest from its plan: joint {joint}, {deviation} {unit} at {at} s, in', '最大偏差：关节 {joint}，{at} s 时 {deviation} {unit}，订单'],
  shift_tolerance: ['tolerance {tolerance} {unit}', '容差 {tolerance} {unit}'],
  shift_failures: ['What was not', '未完成'],
})

const narrow = (word) => html`<bdi style=${{ maxWidth: '8rem' }}>${t(word)}</bdi>` // a head that goes on below
const energy = (value) => measure(value, 'J')
const Tiles = ({ items }) => html`<div class="tiles">${items.map(([word, text]) => html`<div key=${word} class="tile"><span class="quiet">${t(word)}</span><b>${text}</b></div>`)}</div>`

const Worst = ({ worst }) => html`<p>${t('shift_worst', { ...worst, deviation: figure(worst.deviation, 3, 1), at: figure(worst.deviation_at, 3) })} <${OrderLink} order=${{ ...worst, id: worst.order }} />${worst.tolerance != null && `; ${t('shift_tolerance', { tolerance: figure(worst.tolerance, 3), unit: worst.unit })}`}</p>`

const Report = ({ report: { orders, ...report } }) => html`
  <p class="quiet">${moment(report.from)} – ${moment(report.to)}</p>
  <${Tiles} items=${[...['done', 'stopped', 'failed'].map((state) => [`state.${state}`, count(orders[state])]), ['shift_interrupted', count(orders.interrupted)], ['shift_open', count(orders.open)],
    ...['running', 'held', 'idle'].map((what) => [`shift_${what}`, lasting(report[`${what}_time`])]), ['shift_measured_orders', count(report.measured_orders)]]} />
  ${report.worst_deviation && html`<${Worst} worst=${report.worst_deviation} />`}
  <section class="panel"><h2>${t('shift_parts')}</h2><${Table} caption=${t('shift_parts')} items=${report.parts} id=${(one) => one.part ?? ''} columns=${[
    { key: 'part', head: t('shift_part'), cell: (one) => html`<bdi>${one.part ?? t('shift_part_none')}</bdi>` },
    { key: 'done', head: t('shift_count'), number: true, cell: (one) => count(one.done) },
    { key: 'mechanical', head: narrow('shift_mechanical'), number: true, cell: (one) => energy(one.mechanical_energy_modelled) },
    { key: 'electrical', head: narrow('shift_electrical'), number: true, cell: (one) => energy(one.electrical_energy_modelled) },
    { key: 'measured', head: t('shift_measured'), number: true, cell: (one) => count(one.measured) },
    { key: 'mechanical_measured', head: narrow('shift_mechanical_measured'), number: true, cell: (one) => energy(one.mechanical_energy_measured) },
    { key: 'electrical_measured', head: narrow('shift_electrical_measured'), number: true, cell: (one) => energy(one.electrical_energy_modelled_from_measured) },
  ]} /></section>
  <section class="panel"><h2>${t('shift_failures')}</h2><${Table} caption=${t('shift_failures')} items=${report.failures} id=${(one) => one.order} columns=${[
    { key: 'order', head: t('order'), cell: (one) => html`<${OrderLink} order=${{ ...one, id: one.order }} />` },
    { key: 'state', head: t('state'), cell: (one) => html`<${State} state=${one.state} />` },
    { key: 'finished', head: t('finished_at'), class: 'tight', cell: (one) => moment(one.finished_at) },
    { key: 'reason', head: t('reason'), cell: (one) => said(one.reason) ?? '' },
  ]} /></section>
  <section class="panel"><h2>${t('shift_alarms')}</h2><${Table} caption=${t('shift_alarms')} items=${report.alarms} id=${(one) => one.id} columns=${[
    { key: 'since', head: t('shift_since'), class: 'tight', cell: (one) => moment(one.since) },
    { key: 'until', head: t('shift_until'), class: 'tight', cell: (one) => (one.until ? moment(one.until) : '–') },
    { key: 'text', head: t('shift_alarm'), cell: (one) => html`<bdi>${said(one.text, one.code)}</bdi>` },
    { key: 'by', head: t('shift_by'), cell: (one) => html`<bdi>${one.acknowledged_by ?? ''}</bdi>` },
  ]} /></section>`

function Shift({ controller }) {
  const { query } = route.value
  const [from, to] = [query.get('from'), query.get('to')]
  useLive(controller)
  const path = `v1/controllers/${encodeURIComponent(controller)}/report`
  const [refused, setRefused] = useState(null)
  const keep = (kind) => () => call('GET', path, { query: { from, to, lang: language.value }, accept: kind }).then(({ data }) => save(`${controller}-shift.${kind}`, data, `text/${kind}`), setRefused)
  const { value, error } = useAnswer((signal) => get(path, { from, to }, signal), [controller, from, to, turnOf('orders')], unlessLive(5000))
  return html`<${Head} title=${html`${t('page.shifts')} · <a href=${link(['controllers', controller])}>${controller}</a>`} sub=${t('shift_text')}>
      <${Moment} label=${t('shift_from')} value=${from} onValue=${(chosen) => adjust({ from: chosen })} /><${Moment} label=${t('shift_to')} value=${to} onValue=${(chosen) => adjust({ to: chosen })} />
      <button type="button" onClick=${keep('csv')}>${t('shift_csv')}</button><button type="button" onClick=${keep('html')}>${t('report')}</button><button type="button" onClick=${() => print()}>${t('shift_print')}</button></${Head}>
    <${Refusal} error=${refused ?? error} />${value ? html`<${Report} report=${value} />` : html`<${Loading} error=${error} />`}`
}

export const Page = ({ path }) => (path[1] ? html`<${Shift} key=${path[1]} controller=${path[1]} />` : html`<${Notice}>${t('shift_none')} <a href=${link(['controllers'])}>${t('page.controllers')}</a></${Notice}>`)
