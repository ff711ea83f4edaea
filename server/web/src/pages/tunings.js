// Gains of a law that were found within margins, for all arms as they might be together.
import { useState } from 'preact/hooks'
import { html } from '../html.js'
import { link, useAbout } from '../route.js'
import { extend, t } from '../words.js'
import { call, get, save } from '../api.js'
import { AskForm, Num, numberOf } from '../ui/asking.js'
import { Check, Head, Loading, Notice, Refusal, Tags, useAnswer } from '../ui/parts.js'
import { Joints, middlesOf } from '../ui/joints.js'
import { LawFields, NEW_LAW, controlOf } from '../ui/laws.js'
import { OfZones } from '../ui/schedules.js'
import { Notes } from '../ui/notes.js'
import { OfRobot } from '../ui/of_robot.js'
import { Results, Tile } from '../ui/results.js'
import { Table } from '../ui/table.js'
import { NEW_PLANT, Plants, References, given, lacksMotion, newReferences, plantName, plantsOf, referenceName, referencesOf, useMotions } from '../ui/verify_parts.js'
import { count, figure, moment, percent, readable } from '../ui/format.js'

extend({
  tune_text: ['Gains that follow best on every arm as it might be, among those that keep the margins asked for.', '在满足裕度要求的增益中，寻找使所有可能手臂跟踪最好的增益。'],
  tune_new: ['New tuning', '新建整定'],
  tune_do: ['Find the gains', '开始整定'],
  tune_law: ['What controls it', '控制律'],
  tune_delay: ['Late by periods', '延迟周期数'],
  tune_margins: ['Margins that it keeps', '应保持的裕度'],
  tune_gain: ['Gain [dB]', '增益 [dB]'],
  tune_phase: ['Phase [°]', '相位 [°]'],
  tune_late: ['Delay [ms]', '延迟 [ms]'],
  tune_sensitivity: ['Sensitivity, at most', '灵敏度上限'],
  tune_search: ['The search', '搜索'],
  tune_overshoot: ['Overshoot, at most [%]', '超调上限 [%]'],
  tune_most_bandwidth: ['Bandwidth, at most [Hz]', '带宽上限 [Hz]'],
  tune_evaluations: ['Gains tried, at most', '最多尝试次数'],
  tune_integral: ['It may have an integral', '允许积分'],
  tune_any: ['empty: any', '留空：不限'],
  tune_pose: ['Where the arm holds and steps, and gains are made', '保持与阶跃的位置（增益在此计算）'],
  tune_found: ['{law}: the tool is off by {cost} mm (RMS) over all that it was tried on, from {first} mm where the search began.', '{law}：在全部试验中末端误差均方根为 {cost} mm，搜索开始时为 {first} mm。'],
  tune_limited: ['What limits it: {what}{where}.', '限制因素：{what}{where}。'],
  'limit.stability': ['stability', '稳定性'],
  'limit.gain': ['the margin of gain', '增益裕度'],
  'limit.phase': ['the margin of phase', '相位裕度'],
  'limit.delay': ['the margin of delay', '延迟裕度'],
  'limit.sensitivity': ['sensitivity', '灵敏度'],
  'limit.bandwidth': ['the bandwidth asked for at most', '带宽上限'],
  'limit.cost': ['a wider loop would follow no better', '更宽的回路不会跟踪更好'],
  tune_gains: ['Gains', '增益'],
  tune_as_json: ['As JSON', 'JSON'],
  tune_bandwidth: ['Bandwidth [Hz]', '带宽 [Hz]'],
  tune_places: ['Margins, the least first', '裕度（由小到大）'],
  tune_up: ['More gain [dB]', '增益增大 [dB]'],
  tune_down: ['Less gain [dB]', '增益减小 [dB]'],
  tune_lag: ['More lag [°]', '滞后增大 [°]'],
  tune_sensitive: ['Sensitivity', '灵敏度'],
  tune_crossover: ['Crossover [Hz]', '穿越频率 [Hz]'],
  tune_cases: ['What follows with them', '跟踪效果'],
  tune_rms: ['Tool, RMS [mm]', '末端误差均方根 [mm]'],
  tune_max: ['Tool, farthest [mm]', '末端最大误差 [mm]'],
  tune_over: ['Overshoot', '超调'],
  tune_saturated: ['At its torque limit', '达到力矩限制'],
  tune_cost: ['Off, RMS', '误差均方根'],
})

const KINDS = ['hold', 'step', 'circle', 'trajectory']
const TUNED = ['pid', 'pid_gravity', 'pid_friction', 'feedforward', 'computed_torque', 'impedance'] // as the contract says: those whose gains these are

const requestOf = (draft, motions) => ({
  q: draft.q, references: referencesOf(draft.references, motions), plants: plantsOf(draft.plants),
  control: given({ ...controlOf(draft.law), delay_periods: numberOf(draft.late) }),
  margins: given({ gain_db: numberOf(draft.gain), phase_deg: numberOf(draft.phase), delay: numberOf(draft.delay) === undefined ? undefined : numberOf(draft.delay) / 1000, sensitivity: numberOf(draft.sensitivity) ?? null }),
  overshoot_percent: numberOf(draft.overshoot) ?? null, integral: draft.integral, ...given({ bandwidth_max_hz: numberOf(draft.bandwidth), evaluations: numberOf(draft.evaluations) }),
})

function Form({ model }) {
  const stored = useMotions(model)
  const motions = stored.value ?? []
  const [draft, setDraft] = useState(() => ({ q: middlesOf(model, 0.12), references: [newReferences(model)[t('reference.step')]], plants: [NEW_PLANT], law: { ...NEW_LAW, gains: 'searched' }, late: '0', gain: '6', phase: '30', delay: '0', sensitivity: '2', overshoot: '', bandwidth: '100', evaluations: '100', integral: true }))
  const [changed, change] = useState(false)
  const set = (part) => {
    change(true)
    setDraft({ ...draft, ...part })
  }
  const num = (name, label, rest) => html`<${Num} key=${name} label=${t(label)} min="0" value=${draft[name]} onValue=${(value) => set({ [name]: value })} ...${rest} />`
  return html`<${AskForm} path=${`v1/robots/${model.name}/tunings`} request=${requestOf(draft, motions)} changed=${changed} does=${t('tune_do')} disabled=${lacksMotion(draft.references, motions)}>
    <${Refusal} error=${stored.error} />
    <fieldset><legend>${t('tune_law')}</legend><div class="row begin"><${LawFields} model=${model} laws=${TUNED} bandwidth=${false} sorts=${['searched', 'zones']} draft=${draft.law} set=${(part) => set({ law: { ...draft.law, ...part } })} />${num('late', 'tune_delay', { step: '1', max: '100' })}</div></fieldset>
    <fieldset><legend>${t('tune_margins')}</legend><div class="row begin">${num('gain', 'tune_gain')}${num('phase', 'tune_phase')}${num('delay', 'tune_late')}${num('sensitivity', 'tune_sensitivity', { hint: t('tune_any') })}</div></fieldset>
    <${References} model=${model} motions=${motions} kinds=${KINDS} entries=${draft.references} onEntries=${(references) => set({ references })} />
    <fieldset><legend>${t('tune_pose')}</legend><${Joints} model=${model} q=${draft.q} onQ=${(q) => set({ q })} /></fieldset>
    <${Plants} entries=${draft.plants} onEntries=${(plants) => set({ plants })} />
    <fieldset><legend>${t('tune_search')}</legend><div class="row begin">${num('overshoot', 'tune_overshoot', { hint: t('tune_any') })}${num('bandwidth', 'tune_most_bandwidth', { required: true })}${num('evaluations', 'tune_evaluations', { required: true, step: '1' })}
      <${Check} label=${t('tune_integral')} checked=${draft.integral} onChange=${(e) => set({ integral: e.target.checked })} /></div></fieldset>
  </${AskForm}>`
}

const milliseconds = (value) => (value == null ? '–' : figure(1000 * value, 3))

function Gains({ found, joints }) {
  const gains = ['kp', 'ki', 'kd'].filter((name) => Array.isArray(found.control[name]))
  return html`<section class="panel"><div class="head"><h2>${t('tune_gains')}</h2><button type="button" onClick=${() => save(`control-${found.id}.json`, readable(found.control), 'application/json')}>${t('tune_as_json')}</button></div>
    <${Table} caption=${t('tune_gains')} id=${(row) => row.joint} items=${joints.map(({ name }, j) => ({ joint: name, j }))} columns=${[
      { key: 'joint', head: t('joint'), cell: (row) => html`<bdi>${row.joint}</bdi>` },
      { key: 'bandwidth', head: t('tune_bandwidth'), number: true, cell: (row) => figure(found.bandwidth_hz[row.j], 3) },
      ...gains.map((name) => ({ key: name, head: name, number: true, cell: (row) => figure(found.control[name][row.j]) })),
    ]} /><${OfZones} schedule=${found.control.schedule} joints=${joints} /></section>`
}

// Every joint at every place where margins were held.
function Margins({ found, joints }) {
  const rows = found.places.flatMap((place, k) => place.joints.map((margin, j) => ({ ...margin, ...place, id: `${k} ${j}`, joint: joints[j]?.name }))).sort((a, b) => b.sensitivity - a.sensitivity)
  const number = (name, head, show = (value) => figure(value, 3)) => ({ key: name, head: t(head), number: true, cell: (row) => show(row[name]) })
  return html`<section class="panel"><h2>${t('tune_places')}</h2><${Table} tall caption=${t('tune_places')} items=${rows} columns=${[
    { key: 'joint', head: t('joint'), cell: (row) => html`<bdi>${row.joint}</bdi>` },
    { key: 'plant', head: t('ver_arm'), cell: (row) => html`<bdi>${plantName(row.plant)}</bdi>` },
    { key: 'reference', head: t('ver_references'), cell: (row) => html`<bdi>${referenceName(row.reference)}</bdi> ${figure(row.time, 3)} s` },
    number('sensitivity', 'tune_sensitive'), number('gain_db', 'tune_up'), number('gain_down_db', 'tune_down'), number('phase_deg', 'tune_lag'), number('delay', 'tune_late', milliseconds), number('crossover_hz', 'tune_crossover'),
  ]} /></section>`
}

const whereOf = ({ joint, plant, reference }) => [joint, plant && plantName(plant), reference && referenceName(reference)].filter(Boolean).join(', ')

function One({ id }) {
  const answer = useAnswer((signal) => call('GET', `v1/tunings/${encodeURIComponent(id)}`, { signal }), [id])
  const found = answer.value?.data
  useAbout(found?.robot)
  const model = useAnswer(async (signal) => (found ? get(`v1/robots/${found.robot}/revisions/${found.revision}`, {}, signal) : null), [found?.id])
  if (!found) return html`<${Refusal} error=${answer.error} /><${Loading} error=${answer.error} />`
  const { margins, limited_by: limited } = found
  const where = whereOf(limited)
  return html`
    <${Head} title=${found.label || `${found.robot} · ${t('page.tunings')}`} sub=${html`<a href=${link(['robots', found.robot], { revision: found.revision })}>${found.robot}</a> r${found.revision} · ${moment(found.created_at)} · <code>${found.id}</code> <${Tags} tags=${found.tags} />`}>
      <a class="button" href=${link(['simulations', 'new'], { robot: found.robot, tuning: found.id })}>${t('simulate_gains')}</a></${Head}>
    <${Refusal} error=${model.error} />
    ${found.stale && html`<${Notice} kind="warn">${t('stale')}</${Notice}>`}
    <p class="lead">${t('tune_found', { law: t(`law.${found.control.law}`), cost: figure(found.cost_mm, 3), first: figure(found.first_cost_mm, 3) })} ${t('tune_limited', { what: t(`limit.${limited.what}`), where: where && ` (${where})` })}</p>
    <div class="tiles"><${Tile} name="tune_up">${figure(margins.gain_db, 3)}</${Tile}><${Tile} name="tune_lag">${figure(margins.phase_deg, 3)}</${Tile}><${Tile} name="tune_late">${milliseconds(margins.delay)}</${Tile}><${Tile} name="tune_sensitive">${figure(margins.sensitivity, 3)}</${Tile}><${Tile} name="tune_evaluations">${count(found.evaluations)}</${Tile}></div>
    ${model.value ? html`<${Gains} found=${found} joints=${model.value.joints} /><${Margins} found=${found} joints=${model.value.joints} />` : html`<${Loading} error=${model.error} />`}
    <section class="panel"><h2>${t('tune_cases')}</h2><${Table} caption=${t('tune_cases')} id=${(row) => `${row.plant} ${row.reference}`} items=${found.cases} columns=${[
      { key: 'plant', head: t('ver_arm'), cell: (row) => html`<bdi>${plantName(row.plant)}</bdi>` },
      { key: 'reference', head: t('ver_references'), cell: (row) => html`<bdi>${referenceName(row.reference)}</bdi>` },
      { key: 'rms', head: t('tune_rms'), number: true, cell: (row) => figure(row.position_rms_mm, 3) },
      { key: 'max', head: t('tune_max'), number: true, cell: (row) => figure(row.position_max_mm, 3) },
      { key: 'over', head: t('tune_over'), number: true, cell: (row) => percent(row.overshoot_percent) },
      { key: 'saturated', head: t('tune_saturated'), number: true, cell: (row) => html`${percent(100 * row.saturated)} ${row.saturated_joint && html`<bdi class="quiet">${row.saturated_joint}</bdi>`}` },
    ]} /></section>
    <${Notes} path=${`v1/tunings/${found.id}`} document=${found} etag=${answer.value.etag} onSaved=${answer.again} />`
}

const metric = (key, head, show = (value) => figure(value, 3)) => ({ key, head: t(head), sort: key, number: true, cell: (one) => show(one.metrics?.[key]) })

const All = () => html`<${Results} kind="tunings" kinds=${['verifications', 'tunings', 'zonings']} text=${t('tune_text')} columns=${[
  metric('cost_mm', 'tune_cost', (value) => `${figure(value, 3)} mm`), metric('gain_db', 'tune_up'), metric('phase_deg', 'tune_lag'), metric('delay', 'tune_late', milliseconds),
]}><a class="button" href=${link(['tunings', 'new'])}>${t('tune_new')}</a></${Results}>`

export const Page = ({ path: [, id] }) => (id === 'new' ? html`<${OfRobot} title=${t('tune_new')} text=${t('tune_text')} form=${Form} />` : id ? html`<${One} key=${id} id=${id} />` : html`<${All} />`)
