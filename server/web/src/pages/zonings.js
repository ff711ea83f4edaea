// Zones of the joint space in which one constant model of an arm, or one set of gains, is right within a bound.
import { useState } from 'preact/hooks'
import { html } from '../html.js'
import { link, useAbout } from '../route.js'
import { extend, t } from '../words.js'
import { call, get, save } from '../api.js'
import { language } from '../session.js'
import { AskForm, Num, PerJoint, numberOf } from '../ui/asking.js'
import { Field, Head, Loading, Notice, Refusal, Tags, useAnswer } from '../ui/parts.js'
import { rangeOf, unitOf } from '../ui/joints.js'
import { PIDS, spanOf } from '../ui/schedules.js'
import { Notes } from '../ui/notes.js'
import { OfRobot } from '../ui/of_robot.js'
import { Results, Tile } from '../ui/results.js'
import { Table } from '../ui/table.js'
import { count, figure, moment, percent } from '../ui/format.js'

extend({
  zones_text: ['The workspace, divided until constant gains or linear models are right within a bound in every zone.', '把工作空间划分为若干区，使每个区内的常值增益或线性模型误差不超过给定界限。'],
  zones_new: ['New zones', '新建分区'],
  zones_do: ['Divide', '开始划分'],
  zones_what: ['What shall hold in a zone', '区内应成立的内容'],
  zones_about: ['About', '对象'],
  'zones_about.gains': ['constant gains', '常值增益'],
  'zones_about.linear': ['linear models', '线性模型'],
  zones_inertia: ['Inertia changes, at most [%]', '惯量变化上限 [%]'],
  zones_torque: ['Torque is off, at most', '力矩误差上限'],
  zones_acceleration: ['While accelerations are at most', '加速度上限'],
  zones_law: ['Law', '控制律'],
  zones_bandwidth: ['Bandwidth [Hz]', '带宽 [Hz]'],
  zones_most: ['Zones, at most', '分区数上限'],
  zones_low: ['From', '起点'],
  zones_high: ['To', '终点'],
  zones_all: ['All {count} zones keep the bound: at every point, not at samples alone.', '全部 {count} 个区都满足界限：在每一点，而不只是在采样点。'],
  zones_left: ['{left} of {count} zones, {share} of the box, do not keep the bound: allow more zones, or a wider bound.', '{count} 个区中有 {left} 个（占范围的 {share}）不满足界限：请允许更多分区或放宽界限。'],
  zones_count: ['Zones', '分区数'],
  zones_worst: ['Worst, of what is allowed', '最差（相对界限）'],
  zones_left_share: ['Left', '剩余'],
  zones_found: ['Found by looking', '采样所得'],
  zones_damping: ['Least damping', '最小阻尼'],
  zones_map: ['Map', '分区图'],
  zones_over: ['over', '横轴'],
  zones_and: ['and', '纵轴'],
  zones_cut: ['The others stand where the zones are cut: {q}. Dark zones keep the bound with room to spare, red ones do not keep it.', '其余关节位于截面处：{q}。深色区有余量地满足界限，红色区不满足。'],
  zones_map_label: ['Zones over {x} and {y}', '{x} 与 {y} 上的分区'],
  zones_where: ['Where', '位置'],
})

const numbers = (texts) => texts.map((text) => numberOf(text) ?? null)

const requestOf = (draft) => ({
  about: draft.about, low: numbers(draft.low), high: numbers(draft.high), law: draft.law, bandwidth_hz: numberOf(draft.bandwidth), zones_max: numberOf(draft.most),
  ...(draft.about === 'gains' ? { inertia_error: numberOf(draft.inertia) === undefined ? null : numberOf(draft.inertia) / 100 } : { torque_error: numbers(draft.torque), acceleration: numbers(draft.acceleration) }),
})

function Form({ model }) {
  const ends = model.joints.map((joint) => rangeOf(joint).map((value) => String(Number(value.toFixed(4)))))
  const [draft, setDraft] = useState(() => ({ about: 'gains', inertia: '20', torque: ends.map(() => '5'), acceleration: ends.map(() => '1'), law: 'pid_gravity', bandwidth: '5', most: '64', low: ends.map(([low]) => low), high: ends.map(([, high]) => high) }))
  const [changed, change] = useState(false)
  const set = (part) => {
    change(true)
    setDraft({ ...draft, ...part })
  }
  const num = (name, label, rest) => html`<${Num} key=${name} label=${t(label)} min="0" required value=${draft[name]} onValue=${(value) => set({ [name]: value })} ...${rest} />`
  const each = (name, label, of = unitOf) => html`<${PerJoint} key=${name} model=${model} legend=${t(label)} values=${draft[name]} onValues=${(values) => set({ [name]: values })} unit=${of} />`
  return html`<${AskForm} path=${`v1/robots/${model.name}/zonings`} request=${requestOf(draft)} changed=${changed} does=${t('zones_do')}>
    <fieldset><legend>${t('zones_what')}</legend><div class="row begin">
      <${Field} label=${t('zones_about')}><select value=${draft.about} onChange=${(e) => set({ about: e.target.value })}>${['gains', 'linear'].map((one) => html`<option key=${one} value=${one}>${t(`zones_about.${one}`)}</option>`)}</select></${Field}>
      ${draft.about === 'gains' && num('inertia', 'zones_inertia')}
      <${Field} label=${t('zones_law')}><select value=${draft.law} onChange=${(e) => set({ law: e.target.value })}>${PIDS.map((one) => html`<option key=${one} value=${one}>${t(`law.${one}`)}</option>`)}</select></${Field}>
      ${num('bandwidth', 'zones_bandwidth')}${num('most', 'zones_most', { step: '1', min: '1', max: '512' })}</div></fieldset>
    ${draft.about === 'linear' && html`${each('torque', 'zones_torque', (joint) => unitOf(joint, 'torque'))}${each('acceleration', 'zones_acceleration', (joint) => `${unitOf(joint)}/s²`)}`}
    ${each('low', 'zones_low')}${each('high', 'zones_high')}
  </${AskForm}>`
}

const shadeOf = ({ kept, worst }) => (kept ? `hsl(205 45% ${Math.round(28 + 47 * Math.min(1, worst))}%)` : 'hsl(5 65% 55%)')
const SIDE = 320

// Where the zones are cut for the map: through the middle of the worst of them.
const cutOf = (zones) => zones.reduce((a, b) => ((b.worst ?? Infinity) > (a.worst ?? Infinity) ? b : a)).q

function ZoneMap({ found, joints }) {
  const divided = joints.map((_, j) => j).filter((j) => found.zones.some((zone) => zone.low[j] > found.low[j]))
  const wide = joints.map((_, j) => j).filter((j) => found.high[j] > found.low[j])
  const order = [...divided, ...wide.filter((j) => !divided.includes(j))]
  const [pick, setPick] = useState({ x: order[0], y: order[1] })
  if (order.length < 2) return null
  const { x, y } = pick
  const cut = cutOf(found.zones)
  const part = (value, j) => (SIDE * (value - found.low[j])) / (found.high[j] - found.low[j])
  const shown = found.zones.filter((zone) => joints.every((_, j) => j === x || j === y || (zone.low[j] <= cut[j] && cut[j] <= zone.high[j])))
  const choice = (key, other, label) => html`<${Field} label=${t(label)}><select value=${pick[key]} onChange=${(e) => setPick({ ...pick, [key]: Number(e.target.value) })}>${order.filter((j) => j !== pick[other]).map((j) => html`<option key=${j} value=${j}>${joints[j].name}</option>`)}</select></${Field}>`
  const axis = (j) => `${joints[j].name}: ${figure(found.low[j], 3)} … ${figure(found.high[j], 3)} ${unitOf(joints[j])}`
  const others = order.filter((j) => j !== x && j !== y).map((j) => `${joints[j].name} ${figure(cut[j], 3)} ${unitOf(joints[j])}`).join(', ')
  return html`<section class="panel"><h2>${t('zones_map')}</h2><div class="row">${choice('x', 'y', 'zones_over')}${choice('y', 'x', 'zones_and')}</div>
    <svg viewBox=${`0 0 ${SIDE} ${SIDE}`} role="img" aria-label=${t('zones_map_label', { x: joints[x].name, y: joints[y].name })} style=${{ width: 'min(26rem, 80vw)', marginTop: '.8rem' }}>
      ${shown.map((zone, k) => html`<rect key=${k} x=${part(zone.low[x], x)} y=${SIDE - part(zone.high[y], y)} width=${part(zone.high[x], x) - part(zone.low[x], x)} height=${part(zone.high[y], y) - part(zone.low[y], y)} fill=${shadeOf(zone)} stroke="white" stroke-width=".8" />`)}
    </svg><p class="quiet">→ ${axis(x)}<br />↑ ${axis(y)}${others && html`<br />${t('zones_cut', { q: others })}`}</p></section>`
}

const ZoneTable = ({ found, joints }) => html`<section class="panel"><h2>${t('page.zonings')}</h2><${Table} tall caption=${t('page.zonings')} id=${(row) => row.id} items=${found.zones.map((zone, k) => ({ ...zone, id: `${k}` })).sort((a, b) => (b.worst ?? Infinity) - (a.worst ?? Infinity))} columns=${[
  { key: 'where', head: t('zones_where'), cell: (row) => spanOf(row, joints) },
  { key: 'worst', head: t('zones_worst'), number: true, cell: (row) => (row.worst == null ? '–' : percent(100 * row.worst)) },
  { key: 'found', head: t('zones_found'), number: true, cell: (row) => (row.found == null ? '–' : percent(100 * row.found)) },
  { key: 'damping', head: t('zones_damping'), number: true, cell: (row) => figure(row.damping, 3) },
  ...['kp', 'ki', 'kd'].map((name) => ({ key: name, head: name, cell: (row) => row[name].map((value) => figure(value, 3)).join(', ') })),
]} /></section>`

function One({ id }) {
  const answer = useAnswer((signal) => call('GET', `v1/zonings/${encodeURIComponent(id)}`, { signal }), [id])
  const found = answer.value?.data
  useAbout(found?.robot)
  const model = useAnswer(async (signal) => (found ? get(`v1/robots/${found.robot}/revisions/${found.revision}`, {}, signal) : null), [found?.id])
  if (!found) return html`<${Refusal} error=${answer.error} /><${Loading} error=${answer.error} />`
  const { left } = found
  const report = () => call('GET', `v1/zonings/${found.id}/report`, { accept: 'html', query: { lang: language.value } }).then(({ data }) => save(`zoning-${found.id}.html`, data, 'text/html'))
  return html`
    <${Head} title=${found.label || `${found.robot} · ${t('page.zonings')}`} sub=${html`<a href=${link(['robots', found.robot], { revision: found.revision })}>${found.robot}</a> r${found.revision} · ${moment(found.created_at)} · <code>${found.id}</code> <${Tags} tags=${found.tags} />`}>
      <a class="button" href=${link(['simulations', 'new'], { robot: found.robot, zones: found.id, law: found.law })}>${t('simulate_gains')}</a><button type="button" onClick=${report}>${t('report')}</button></${Head}>
    <${Refusal} error=${model.error} />
    ${found.stale && html`<${Notice} kind="warn">${t('stale')}</${Notice}>`}
    <p class="lead">${left.zones ? t('zones_left', { left: count(left.zones), count: count(found.zone_count), share: percent(100 * left.share) }) : t('zones_all', { count: count(found.zone_count) })}</p>
    <div class="tiles"><${Tile} name="zones_count">${count(found.zone_count)}</${Tile}><${Tile} name="zones_worst">${found.worst == null ? '–' : percent(100 * found.worst)}</${Tile}><${Tile} name="zones_left_share">${percent(100 * left.share)}</${Tile}></div>
    ${model.value ? html`<${ZoneMap} found=${found} joints=${model.value.joints} /><${ZoneTable} found=${found} joints=${model.value.joints} />` : html`<${Loading} error=${model.error} />`}
    <${Notes} path=${`v1/zonings/${found.id}`} document=${found} etag=${answer.value.etag} onSaved=${answer.again} />`
}

const metric = (key, head, show) => ({ key, head: t(head), sort: key, number: true, cell: (one) => show(one.metrics?.[key]) })
const share = (value) => (value == null ? '–' : percent(100 * value))

const All = () => html`<${Results} kind="zonings" kinds=${['verifications', 'tunings', 'zonings']} text=${t('zones_text')} columns=${[
  metric('zones', 'zones_count', count), metric('worst', 'zones_worst', share), metric('left_share', 'zones_left_share', share),
]}><a class="button" href=${link(['zonings', 'new'])}>${t('zones_new')}</a></${Results}>`

export const Page = ({ path: [, id] }) => (id === 'new' ? html`<${OfRobot} title=${t('zones_new')} text=${t('zones_text')} form=${Form} />` : id ? html`<${One} key=${id} id=${id} />` : html`<${All} />`)
