// Where the gains of a law come from: one bandwidth, a table over a joint, the zones of a zoning, or a tuning. The fields that ask for
// it, the members of a request's `control`, and what was in force.
import { useEffect } from 'preact/hooks'
import { html } from '../html.js'
import { link } from '../route.js'
import { extend, t } from '../words.js'
import { get } from '../api.js'
import { Num, numberOf } from './asking.js'
import { Field, Notice, Refusal, useAnswer } from './parts.js'
import { unitOf } from './joints.js'
import { Table } from './table.js'
import { count, figure, percent, shortId } from './format.js'

extend({
  gains: ['Gains', '增益'],
  'gains.bandwidth': ['of one bandwidth', '由单一带宽得出'],
  'gains.searched': ['the same everywhere', '处处相同'],
  'gains.entries': ['of a table', '由增益表'],
  'gains.zones': ['of the zone that the arm is in', '由手臂所在的分区'],
  'gains.tuning': ['of a tuning', '由整定结果'],
  simulate_gains: ['Simulate with these gains', '用这些增益仿真'],
  gains_zoning: ['Zones', '分区'],
  gains_zonings_none: ['There are no zones of this robot yet.', '该机器人还没有分区。'],
  gains_tuning: ['Tuning', '整定'],
  gains_tunings_none: ['There is no tuning of this robot yet.', '该机器人还没有整定结果。'],
  gains_over: ['By its', '依据'],
  'gains_over.speed': ['speed', '速度'],
  'gains_over.load': ['torque', '力矩'],
  'gains_over.position': ['position', '位置'],
  gains_hysteresis: ['Hysteresis [{unit}]', '滞回 [{unit}]'],
  gains_from: ['From [{unit}]', '起点 [{unit}]'],
  gains_first: ['below that of the second', '低于第二项'],
  gains_entry: ['Entry {number}', '第 {number} 项'],
  gains_same_law: ['as above', '同上'],
  gains_add: ['+ entry', '+ 项'],
  gains_remove: ['Take entry {number} away', '移除第 {number} 项'],
  gains_in_force: ['Gains in force', '生效的增益'],
  gains_share: ['In force', '生效占比'],
  gains_changes: ['Changed {count} times.', '切换 {count} 次。'],
  gains_of_zones: ['Gains of these zones', '采用这些分区的增益'],
  gains_hold_at: ['The gains hold at {q}; in a zone they are times its inertia over that there.', '增益在 {q} 处成立；在各分区按该区惯量与此处惯量之比缩放。'],
  gains_where: ['Where', '位置'],
  gains_zone: ['Zone', '分区'],
})

export const PIDS = ['pid', 'pid_gravity', 'pid_friction', 'feedforward'] // the laws whose gains can change on the way
const MOST = 8 // entries
const SORTS = ['bandwidth', 'entries', 'zones', 'tuning']
const OVER = { speed: 'velocity', load: 'torque', position: 'position' }

export const NEW_GAINS = { gains: 'bandwidth', zones: '', tuning: '', tuned: null, over: 'speed', joint: '', hysteresis: '', entries: [{ from: '', law: '', bandwidth: '5' }, { from: '1', law: '', bandwidth: '10' }] }

// A sort that the law cannot have is the first.
const sortOf = ({ gains, law }) => (gains === 'tuning' || PIDS.includes(law) ? gains : 'bandwidth')

// `schedule`, or all that was tuned.
export function gainsOf(draft) {
  const { zones, tuned, over, joint, entries } = draft
  const hysteresis = numberOf(draft.hysteresis)
  const sort = sortOf(draft)
  if (sort === 'tuning') return tuned ?? {}
  if (sort === 'zones') return { schedule: { zones, hysteresis } }
  if (sort === 'entries') return { schedule: { over, joint, hysteresis, entries: entries.map((one, k) => ({ from: k ? numberOf(one.from) : undefined, law: one.law || undefined, bandwidth_hz: numberOf(one.bandwidth) })) } }
  return {}
}

const nameOf = (one) => `${one.label || one.law || ''} ${shortId(one.id)}`.trim()
const stored = (kind, model) => useAnswer((signal) => get(`v1/${kind}`, { robot: model.name, sort: '-created_at', limit: 100 }, signal), [model.name])

// One of what is stored; the newest until one is chosen.
function Stored({ kind, model, label, none, value, onValue }) {
  const { value: found, error } = stored(kind, model)
  const items = found?.items ?? []
  useEffect(() => {
    if (!value && items.length) onValue(items[0].id)
  }, [value, items[0]?.id])
  if (!found || items.length) return html`<${Refusal} error=${error} /><${Field} label=${t(label)}><select required value=${value} onChange=${(e) => onValue(e.target.value)}>${items.map((one) => html`<option key=${one.id} value=${one.id}>${nameOf(one)}</option>`)}</select></${Field}>`
  return html`<${Notice} kind="warn">${t(none)} <a href=${link([kind, 'new'], { robot: model.name })}>${t(`page.${kind}`)}</a></${Notice}>`
}

const Zones = ({ model, draft, set }) => html`<${Stored} kind="zonings" model=${model} label="gains_zoning" none="gains_zonings_none" value=${draft.zones} onValue=${(zones) => set({ zones })} />
  <${Num} label=${t('gains_hysteresis', { unit: 'rad, m' })} min="0" value=${draft.hysteresis} placeholder="0" onValue=${(hysteresis) => set({ hysteresis })} />`

function Tuning({ model, draft, set }) {
  const { value, error } = useAnswer((signal) => (draft.tuning ? get(`v1/tunings/${encodeURIComponent(draft.tuning)}`, {}, signal) : null), [draft.tuning])
  useEffect(() => {
    if (value && value.id === draft.tuning) set({ tuned: value.control, law: value.control.law, rate: String(value.control.rate_hz) })
  }, [value])
  return html`<${Refusal} error=${error} /><${Stored} kind="tunings" model=${model} label="gains_tuning" none="gains_tunings_none" value=${draft.tuning} onValue=${(tuning) => set({ tuning, tuned: null })} />`
}

function Entries({ model, draft, set }) {
  const joint = model.joints.find((one) => one.name === draft.joint) ?? model.joints[0]
  const unit = unitOf(joint, OVER[draft.over])
  const { entries } = draft
  const change = (k, part) => set({ entries: entries.map((one, i) => (i === k ? { ...one, ...part } : one)) })
  useEffect(() => {
    if (draft.joint !== joint.name) set({ joint: joint.name })
  }, [draft.joint])
  return html`<${Field} label=${t('joint')}><select value=${joint.name} onChange=${(e) => set({ joint: e.target.value })}>${model.joints.map(({ name }) => html`<option key=${name} value=${name}>${name}</option>`)}</select></${Field}>
    <${Field} label=${t('gains_over')}><select value=${draft.over} onChange=${(e) => set({ over: e.target.value })}>${Object.keys(OVER).map((one) => html`<option key=${one} value=${one}>${t(`gains_over.${one}`)}</option>`)}</select></${Field}>
    <${Num} label=${t('gains_hysteresis', { unit })} min="0" value=${draft.hysteresis} placeholder="0" onValue=${(hysteresis) => set({ hysteresis })} />
    ${entries.map((one, k) => html`<fieldset key=${k}><legend>${t('gains_entry', { number: k + 1 })}</legend><div class="row begin">
      ${k === 0 ? html`<${Field} label=${t('gains_from', { unit })}><input disabled style=${{ width: '11rem' }} value=${t('gains_first')} /></${Field}>` : html`<${Num} required label=${t('gains_from', { unit })} value=${one.from} onValue=${(from) => change(k, { from })} />`}
      <${Field} label=${t('law')}><select value=${one.law} onChange=${(e) => change(k, { law: e.target.value })}><option value="">${t('gains_same_law')}</option>${PIDS.map((law) => html`<option key=${law} value=${law}>${t(`law.${law}`)}</option>`)}</select></${Field}>
      <${Num} required label=${t('law_bandwidth')} min="0.01" max="1000" value=${one.bandwidth} onValue=${(bandwidth) => change(k, { bandwidth })} />
      ${entries.length > 2 && html`<button type="button" aria-label=${t('gains_remove', { number: k + 1 })} title=${t('gains_remove', { number: k + 1 })} onClick=${() => set({ entries: entries.filter((_, i) => i !== k) })}>×</button>`}</div></fieldset>`)}
    ${entries.length < MOST && html`<button type="button" onClick=${() => set({ entries: [...entries, { ...entries.at(-1), from: String(2 * numberOf(entries.at(-1).from) || '') }] })}>${t('gains_add')}</button>`}`
}

const FIELDS = { entries: Entries, zones: Zones, tuning: Tuning }

// sorts: those that there are; the first is without a schedule.
export function GainFields({ model, draft, set, sorts = SORTS }) {
  const sort = sortOf(draft)
  const shown = sorts.filter((one, k) => k === 0 || one === 'tuning' || PIDS.includes(draft.law))
  if (shown.length < 2) return null
  return html`<${Field} label=${t('gains')}><select value=${sort} onChange=${(e) => set({ gains: e.target.value })}>${shown.map((one) => html`<option key=${one} value=${one}>${t(`gains.${one}`)}</option>`)}</select></${Field}>
    ${FIELDS[sort] && html`<${FIELDS[sort]} model=${model} draft=${draft} set=${set} />`}`
}

// -- what was in force --

export const spanOf = (zone, joints) => joints.map(({ name }, j) => `${name} ${figure(zone.low[j], 3)} … ${figure(zone.high[j], 3)}`).join(' · ')

const list = (values) => values.map((value) => figure(value, 3)).join(', ')

// Of zones: a way to them, and where the gains beside them hold.
export const OfZones = ({ schedule, joints }) => schedule?.zones && html`<p class="quiet"><a href=${link(['zonings', schedule.zones])}>${t('gains_of_zones')}</a>${schedule.gains_at && html`. ${t('gains_hold_at', { q: joints.map((joint, j) => `${joint.name} ${figure(schedule.gains_at[j], 3)} ${unitOf(joint)}`).join(', ') })}`}</p>`

// shares: of the periods, as tracking.scheduled
export function InForce({ schedule, asked, shares, changes, joints }) {
  const zoning = useAnswer((signal) => (schedule.zones ? get(`v1/zonings/${encodeURIComponent(schedule.zones)}`, {}, signal).catch(() => null) : null), [schedule.zones]) // it may be gone
  const joint = joints.find((one) => one.name === asked?.joint)
  const unit = joint ? ` ${unitOf(joint, OVER[schedule.over])}` : ''
  const rows = shares.map((share, k) => ({ id: `${k}`, share, ...(schedule.entries?.[k] ?? zoning.value?.zones[k]) })).filter(({ share }) => schedule.entries || share > 0)
  const gains = schedule.gains_at ? [] : ['kp', 'ki', 'kd'].filter((name) => rows.every((row) => row[name]))
  const where = (row) => (!schedule.entries ? (row.low ? spanOf(row, joints) : `${t('gains_zone')} ${Number(row.id) + 1}`) : row.from == null ? `… ${figure(schedule.entries[1].from, 3)}${unit}` : `${figure(row.from, 3)}${unit} …`)
  return html`<h3>${t('gains_in_force')}</h3><${OfZones} schedule=${schedule} joints=${joints} />
    <p class="quiet">${schedule.over && `${asked?.joint ?? ''} ${t(`gains_over.${schedule.over}`)}. `}${t('gains_changes', { count: count(changes) })}</p>
    <${Table} tall caption=${t('gains_in_force')} items=${rows} columns=${[
      { key: 'where', head: t('gains_where'), cell: (row) => html`<bdi>${where(row)}</bdi>` },
      ...(schedule.entries ? [{ key: 'law', head: t('law'), cell: (row) => t(`law.${row.law}`) }] : []),
      { key: 'share', head: t('gains_share'), number: true, cell: (row) => percent(100 * row.share) },
      ...gains.map((name) => ({ key: name, head: name, cell: (row) => list(row[name]) })),
    ]} />`
}
