// Laws held against arms as they might be: how far the tool is off in every case, the worst of them marked, and one case in focus.
import { useMemo } from 'preact/hooks'
import { html } from '../html.js'
import { adjust, link, route, useAbout } from '../route.js'
import { language } from '../session.js'
import { extend, t } from '../words.js'
import { call, get, save } from '../api.js'
import { Field, Head, Loading, Notice, Refusal, Tags, useAnswer } from '../ui/parts.js'
import { Table } from '../ui/table.js'
import { unitOf } from '../ui/joints.js'
import '../ui/laws.js'
import { Notes } from '../ui/notes.js'
import { OfRobot } from '../ui/of_robot.js'
import { Plot } from '../ui/plot.js'
import { Results, Tile } from '../ui/results.js'
import { plantName, referenceName } from '../ui/verify_parts.js'
import { said } from '../ui/sentences.js'
import { count, figure, measure, moment, percent } from '../ui/format.js'
import { Form } from './verification_form.js'

extend({
  ver_text: ['Is the tool where it should be, with loads, friction and inertias that the model does not know?', '在模型未知的负载、摩擦和惯量下，末端是否到位？'],
  ver_new: ['New verification', '新建验证'],
  ver_worst: ['Farthest off', '最差误差'],
  ver_case_count: ['Cases', '情况数'],
  ver_beyond: ['Beyond the limit', '超出限制'],
  ver_diverged: ['Diverged', '发散'],
  ver_within: ['within the limit', '在限制内'],
  ver_without_model: ['without the model', '无模型'],
  ver_summary_bad: ['{beyond} of {all} cases are beyond the limit. Worst: {law} with {plant}, {reference}: {off}.', '{all} 种情况中有 {beyond} 种超出限制。最差：{law}，{plant}，{reference}：{off}。'],
  ver_summary_good: ['All {all} cases are within the limit. Worst: {law} with {plant}, {reference}: {off}.', '{all} 种情况全部在限制内。最差：{law}，{plant}，{reference}：{off}。'],
  ver_summary: ['Worst of {all} cases: {law} with {plant}, {reference}: {off}.', '{all} 种情况中最差：{law}，{plant}，{reference}：{off}。'],
  ver_summary_diverged: ['The loop diverges in all {all} cases.', '{all} 种情况全部发散。'],
  ver_heat: ['How far the tool is off [mm]', '末端误差 [mm]'],
  ver_heat_text: ['The largest distance where it counts: of holds and steps the last tenth, of sines what is measured, of motions all. Darker is worse beside the other cases of a column; the worst of each is marked. Choose a case to see why.', '计入部分的最大距离：保持与阶跃为最后十分之一，正弦为测量部分，运动为全程。同列中颜色越深越差，每列最差者已标出。选择一种情况查看原因。'],
  ver_worst_of: ['worst of this column', '该列最差'],
  ver_case: ['{reference}: {law}, {plant}', '{reference}：{law}，{plant}'],
  ver_tool_max: ['Tool, farthest', '末端最大误差'],
  ver_tool_rms: ['Tool, RMS', '末端误差均方根'],
  ver_turned: ['Tool turned by at most', '末端最大转角误差'],
  ver_settled: ['Settled after the end', '终点后稳定时间'],
  ver_not_settled: ['not', '未稳定'],
  ver_envelope: ['How far the tool is off, all laws on this arm', '末端误差（该手臂，全部控制律）'],
  ver_gain: ['Gain, all laws on this arm', '幅值（该手臂，全部控制律）'],
  ver_phase: ['Phase, all laws on this arm', '相位（该手臂，全部控制律）'],
  ver_off_axis: ['Off [mm]', '误差 [mm]'],
  ver_gain_axis: ['Gain', '幅值'],
  ver_phase_axis: ['Phase [°]', '相位 [°]'],
  ver_frequency_axis: ['Frequency [Hz]', '频率 [Hz]'],
  ver_joint_rms: ['Off, RMS', '误差均方根'],
  ver_joint_max: ['Off, farthest', '最大误差'],
  ver_static: ['Static error', '静态误差'],
  ver_ripple: ['Ripple', '波动'],
  ver_breaks_up: ['Breaks away up', '正向启动力矩'],
  ver_breaks_down: ['Breaks away down', '反向启动力矩'],
  ver_steady: ['Steady-state error', '稳态误差'],
  ver_overshoot: ['Overshoot', '超调'],
  ver_rise: ['Rise time [s]', '上升时间 [s]'],
  ver_settling: ['Settling time [s]', '调节时间 [s]'],
  ver_bandwidth: ['Bandwidth [Hz]', '带宽 [Hz]'],
  ver_torque: ['Largest torque', '最大力矩'],
  ver_saturated: ['At its torque limit', '达到力矩限制'],
  ver_feedforward: ['With and without the model', '有模型与无模型'],
  ver_with: ['with [mm]', '有模型 [mm]'],
  ver_bare: ['without [mm]', '无模型 [mm]'],
  ver_ratio: ['times as far', '倍数'],
  ver_spread: ['Over all arms', '所有手臂'],
  ver_least: ['least [mm]', '最小 [mm]'],
  ver_mean: ['mean [mm]', '平均 [mm]'],
  ver_most: ['most [mm]', '最大 [mm]'],
  ver_worst_arm: ['worst with', '最差的手臂'],
  ver_loads: ['To which load the limit holds', '限制可满足的负载'],
  ver_holds_to: ['holds to [kg]', '满足至 [kg]'],
  ver_fails_at: ['no longer at [kg]', '不再满足 [kg]'],
  ver_about: ['about where [kg]', '估计界限 [kg]'],
  ver_holds_all: ['holds with all', '全部满足'],
  ver_holds_none: ['with none', '均不满足'],
  ver_budget: ['Budget of accuracy', '精度预算'],
  ver_budget_text: ['{law}, {reference}: {nominal} mm as the arm is, {parameters} mm more for one deviation of its {count} identified parameters; with two of them {together} mm at {time} s.', '{law}，{reference}：按现有手臂 {nominal} mm；{count} 个辨识参数各偏一个标准差再加 {parameters} mm；两个标准差合计 {together} mm（{time} s）。'],
  ver_measured: ['Measured, farthest', '实测最大误差'],
  ver_measured_mm: ['measured [mm]', '实测 [mm]'],
  ver_measured_series: ['measured', '实测'],
  ver_apart: ['Apart from what was measured', '与实测的差距'],
  ver_nearest: ['Of all cases nearest to what was measured: {law}, {plant}.', '与实测最接近的情况：{law}，{plant}。'],
  ver_reference: ['Reference', '参考运动'],
  ver_law_and_arm: ['Law and arm', '控制律与手臂'],
})

// What is called by default is said in the person's language; what somebody named, as it is named.
const BARE = / without model$/
const lawOf = (found, name) => {
  const law = found.laws.find((one) => one.name === name.replace(BARE, ''))
  const text = law?.name === law?.control.law ? t(`law.${law.control.law}`) : name.replace(BARE, '')
  return BARE.test(name) ? `${text}, ${t('ver_without_model')}` : text
}
const namesOf = (found, { law, plant, reference }) => ({ law: lawOf(found, law), plant: plantName(plant), reference: referenceName(reference) })

const farthest = (cases) => cases.reduce((worst, one) => (one.judged_mm > (worst?.judged_mm ?? -1) ? one : worst), null)
const badOf = (one) => one.state === 'diverged' || one.within === false

function Summary({ found }) {
  const worst = farthest(found.cases)
  const which = !worst ? 'ver_summary_diverged' : !found.limit ? 'ver_summary' : found.beyond_count ? 'ver_summary_bad' : 'ver_summary_good'
  return html`<p class="lead">${t(which, { all: found.case_count, beyond: found.beyond_count, off: measure(worst?.judged_mm, 'mm', 3), ...(worst && namesOf(found, worst)) })}</p>`
}

// Laws and arms by references. How dark a cell is tells how bad it is beside the other cases of this reference.
function Heat({ found, chosen, onChoose }) {
  const rows = found.laws.flatMap((law) => found.plants.map((plant) => ({ law: law.name, plant: plant.name })))
  const columns = found.references.map(({ name }) => {
    const cases = found.cases.filter((one) => one.reference === name)
    return { name, cases, worst: farthest(cases), most: Math.max(...cases.map((one) => one.judged_mm ?? 0)) }
  })
  const cell = ({ cases, worst, most }, row) => {
    const one = cases.find(({ law, plant }) => law === row.law && plant === row.plant)
    const part = most > 0 && one.judged_mm != null ? one.judged_mm / most : 0
    return html`<td class="number" style=${{ background: `color-mix(in srgb, var(--warn-soft) ${Math.round(100 * part)}%, var(--paper))` }}>
      ${one === worst && cases.length > 1 && html`<span class="worst" title=${t('ver_worst_of')}>▲<span class="hidden-text">${t('ver_worst_of')}</span></span>`}
      <button type="button" class="plain" aria-pressed=${one === chosen} onClick=${() => onChoose(one)}>${one.state === 'diverged' ? t('ver_diverged') : figure(one.judged_mm, 3, 1e3)} ${badOf(one) && html`<span class="state bad" title=${t('ver_beyond')}>✕<span class="hidden-text">${t('ver_beyond')}</span></span>`}</button></td>`
  }
  return html`<section class="panel"><h2>${t('ver_heat')}</h2><p class="quiet">${t('ver_heat_text')}</p>
    <div class="scroll" tabindex="0" role="region" aria-label=${t('ver_heat')}><table class="heat"><caption class="hidden-text">${t('ver_heat')}</caption>
      <thead><tr><th scope="col">${t('ver_law_and_arm')}</th>${columns.map(({ name }) => html`<th key=${name} scope="col" class="number"><bdi>${referenceName(name)}</bdi></th>`)}</tr></thead>
      <tbody>${rows.map((row) => html`<tr key=${`${row.law} ${row.plant}`}><th scope="row"><bdi>${lawOf(found, row.law)}</bdi> <bdi class="quiet">${plantName(row.plant)}</bdi></th>${columns.map((column) => cell(column, row))}</tr>`)}</tbody></table></div></section>`
}

const measuredOf = (found, { reference }) => found.measured?.find((one) => one.reference === reference)

// What the laws make of the same arm on the same reference: sines over the frequency, motions over their time.
function Responses({ found, focus, joint }) {
  const same = found.cases.filter((one) => one.plant === focus.plant && one.reference === focus.reference && one.state === 'finished')
  const plots = useMemo(() => {
    const series = (values) => same.map((one) => ({ label: lawOf(found, one.law), index: found.laws.findIndex(({ name }) => name === one.law), values: values(one) }))
    if (focus.responses?.length > 1) return { x: focus.responses.map((one) => one.frequency_hz), gain: series((one) => one.responses.map(({ joints }) => joints[joint].gain)), phase: series((one) => one.responses.map(({ joints }) => joints[joint].phase_deg)) }
    const played = measuredOf(found, focus)
    if (focus.envelope_mm) return { x: focus.envelope_mm.map((_, k) => ((k + 0.5) * focus.duration) / focus.envelope_mm.length), off: [...series((one) => one.envelope_mm), ...(played ? [{ label: t('ver_measured_series'), index: found.laws.length, values: played.envelope_mm }] : [])] }
    return {}
  }, [found, focus, joint, t('ver_without_model')])
  const limit = found.limit?.position_mm
  if (plots.off) return html`<${Plot} title=${t('ver_envelope')} x=${plots.x} series=${plots.off} hlines=${limit ? [{ value: limit, index: 1 }] : []} xLabel=${t('time_s')} yLabel=${t('ver_off_axis')} />`
  return plots.gain && html`<div class="grid">
    <${Plot} title=${t('ver_gain')} logX logY x=${plots.x} series=${plots.gain} xLabel=${t('ver_frequency_axis')} yLabel=${t('ver_gain_axis')} />
    <${Plot} title=${t('ver_phase')} logX x=${plots.x} series=${plots.phase} xLabel=${t('ver_frequency_axis')} yLabel=${t('ver_phase_axis')} /></div>`
}

// To add a figure of a joint: a row; shown where a case has it.
const JOINT_FIGURES = [
  { head: 'ver_joint_rms', of: 'rms', unit: 'position' }, { head: 'ver_joint_max', of: 'max', unit: 'position' },
  { head: 'ver_static', of: 'static_error', unit: 'position' }, { head: 'ver_ripple', of: 'ripple', unit: 'position' },
  { head: 'ver_breaks_up', of: 'breakaway_positive', unit: 'torque' }, { head: 'ver_breaks_down', of: 'breakaway_negative', unit: 'torque' }, { head: 'ver_steady', of: 'steady_state_error', unit: 'position' },
  { head: 'ver_overshoot', of: 'overshoot_percent', show: percent }, { head: 'ver_rise', of: 'rise_time' }, { head: 'ver_settling', of: 'settling_time' }, { head: 'ver_bandwidth', of: 'bandwidth_hz' },
  { head: 'ver_torque', of: 'torque_peak', unit: 'torque' }, { head: 'ver_saturated', of: 'saturated', show: (part) => percent(100 * part) },
]

function Focus({ found, model, focus }) {
  const played = measuredOf(found, focus)
  const rows = (focus.joints ?? []).map((one, j) => ({ ...one, joint: model.joints[j] }))
  const figures = JOINT_FIGURES.filter(({ of }) => rows.some((row) => row[of] !== undefined))
  const moved = model.joints.filter((_, j) => focus.responses?.[0]?.joints[j].gain != null)
  const joint = Math.max(0, model.joints.findIndex(({ name }) => name === (moved.find((one) => one.name === route.value.query.get('joint')) ?? moved[0])?.name))
  return html`<section class="panel"><h2>${t('ver_case', namesOf(found, focus))}</h2>
    ${focus.state === 'diverged' && html`<${Notice} kind="bad"><strong>${t('ver_diverged')}</strong> ${said(focus.detail, 'diverged')}</${Notice}>`}
    ${focus.tool && html`<div class="tiles">
      <${Tile} name="ver_tool_max">${measure(focus.tool.position_max_mm, 'mm', 3)}</${Tile}><${Tile} name="ver_tool_rms">${measure(focus.tool.position_rms_mm, 'mm', 3)}</${Tile}><${Tile} name="ver_turned">${measure(focus.tool.rotation_max_mrad, 'mrad', 3)}</${Tile}>
      ${focus.envelope_mm && found.limit && html`<${Tile} name="ver_settled">${focus.settled_after == null ? t('ver_not_settled') : `${figure(focus.settled_after, 3)} s`}</${Tile}>`}
      ${played && html`<${Tile} name="ver_measured"><a href=${link(['datasets', played.dataset])}>${measure(played.tool.position_max_mm, 'mm', 3)}</a></${Tile}><${Tile} name="ver_apart">${measure(focus.apart.position_rms_mm, 'mm', 3)}</${Tile}>`}</div>`}
    ${played?.nearest && html`<p>${t('ver_nearest', namesOf(found, { ...played.nearest, reference: played.reference }))}</p>`}
    ${moved.length > 1 && html`<div class="row"><${Field} label=${t('joint')}><select value=${model.joints[joint].name} onChange=${(e) => adjust({ joint: e.target.value })}>${moved.map(({ name }) => html`<option key=${name} value=${name}>${name}</option>`)}</select></${Field}></div>`}
    <${Responses} found=${found} focus=${focus} joint=${joint} />
    ${rows.length > 0 && html`<${Table} caption=${t('ver_case', namesOf(found, focus))} id=${(row) => row.joint.name} items=${rows} columns=${[
      { key: 'joint', head: t('joint'), cell: (row) => html`<bdi>${row.joint.name}</bdi>` },
      ...figures.map(({ head, of, unit, show }) => ({ key: of, head: t(head), number: true, cell: (row) => (row[of] == null ? '–' : show ? show(row[of]) : unit ? measure(row[of], unitOf(row.joint, unit), 3) : figure(row[of], 3)) })),
    ]} />`}</section>`
}

function Together({ found }) {
  const law = { key: 'law', head: t('law'), cell: (row) => html`<bdi>${lawOf(found, row.law)}</bdi>` }
  const reference = { key: 'reference', head: t('ver_reference'), cell: (row) => html`<bdi>${referenceName(row.reference)}</bdi>` }
  const number = (name, head, none = '–') => ({ key: name, head: t(head), number: true, cell: (row) => (row[name] == null ? none : figure(row[name], 3, name.endsWith('_mm') ? 1e3 : 1)) })
  const part = (title, items, columns) => items?.length > 0 && html`<section class="panel"><h2>${t(title)}</h2><${Table} tall caption=${t(title)} id=${(row) => `${row.law} ${row.reference} ${row.plant}`} items=${items} columns=${[law, reference, ...columns]} /></section>`
  return html`
    ${part('ver_feedforward', found.feedforward, [{ key: 'plant', head: t('ver_arm'), cell: (row) => html`<bdi>${plantName(row.plant)}</bdi>` }, number('with_mm', 'ver_with'), number('without_mm', 'ver_bare'), number('ratio', 'ver_ratio'), ...(found.measured ? [number('measured_mm', 'ver_measured_mm')] : [])])}
    ${found.plants.length > 1 && part('ver_spread', found.spread, [number('least_mm', 'ver_least'), number('mean_mm', 'ver_mean'), number('most_mm', 'ver_most'), { key: 'worst', head: t('ver_worst_arm'), cell: (row) => html`<bdi>${row.worst_plant ? plantName(row.worst_plant) : '–'}</bdi>` }])}
    ${part('ver_loads', found.loads, [number('holds_to', 'ver_holds_to', t('ver_holds_none')), number('fails_at', 'ver_fails_at', t('ver_holds_all')), number('about', 'ver_about')])}`
}

const Budget = ({ found, budget }) => budget && html`<section class="panel"><h2>${t('ver_budget')}</h2>${budget.nominal_mm == null ? html`<${Notice} kind="warn">${said(budget.detail, 'unsupported')}</${Notice}>` : html`
  <p>${t('ver_budget_text', { law: lawOf(found, budget.law), reference: referenceName(budget.reference), nominal: figure(budget.nominal_mm, 3, 1e3), parameters: figure(budget.parameters_mm, 3, 1e3), together: figure(budget.together_mm, 3, 1e3), time: figure(budget.time, 3), count: budget.parameters })}
    ${budget.within !== undefined && html` <span class=${`state ${budget.within ? 'good' : 'bad'}`}>${t(budget.within ? 'ver_within' : 'ver_beyond')}</span>`}</p>`}
  ${budget.identification && html`<p><a href=${link(['identifications', budget.identification])}>${t('page.identifications')}</a></p>`}</section>`

function One({ id }) {
  const answer = useAnswer((signal) => call('GET', `v1/verifications/${encodeURIComponent(id)}`, { signal }), [id])
  const found = answer.value?.data
  useAbout(found?.robot)
  const model = useAnswer(async (signal) => (found ? get(`v1/robots/${found.robot}/revisions/${found.revision}`, {}, signal) : null), [found?.id])
  if (!found) return html`<${Refusal} error=${answer.error} /><${Loading} error=${answer.error} />`
  const report = () => call('GET', `v1/verifications/${found.id}/report`, { accept: 'html', query: { lang: language.value } }).then(({ data }) => save(`verification-${found.id}.html`, data, 'text/html'))
  const focus = found.cases[route.value.query.get('case') ?? -1] ?? found.cases.find((one) => one.state === 'diverged') ?? farthest(found.cases)
  return html`
    <${Head} title=${found.label || `${found.robot} · ${t('page.verifications')}`} sub=${html`<a href=${link(['robots', found.robot], { revision: found.revision })}>${found.robot}</a> r${found.revision} · ${moment(found.created_at)} · <code>${found.id}</code> <${Tags} tags=${found.tags} />`}>
      <button type="button" onClick=${report}>${t('report')}</button></${Head}>
    <${Refusal} error=${model.error} />
    ${found.stale && html`<${Notice} kind="warn">${t('stale')}</${Notice}>`}
    <${Summary} found=${found} />
    <div class="tiles"><${Tile} name="ver_worst">${measure(found.worst_mm, 'mm', 3)}</${Tile}><${Tile} name="ver_case_count">${count(found.case_count)}</${Tile}>
      ${found.limit && html`<${Tile} name="ver_beyond">${count(found.beyond_count)}</${Tile}>`}<${Tile} name="ver_diverged">${count(found.diverged_count)}</${Tile}></div>
    <${Heat} found=${found} chosen=${focus} onChoose=${(one) => adjust({ case: found.cases.indexOf(one) })} />
    ${model.value ? html`<${Focus} found=${found} model=${model.value} focus=${focus} />` : html`<${Loading} error=${model.error} />`}
    <${Together} found=${found} />
    <${Budget} found=${found} budget=${found.accuracy} />
    <${Notes} path=${`v1/verifications/${found.id}`} document=${found} etag=${answer.value.etag} onSaved=${answer.again} />`
}

const metric = (key, head, show = count) => ({ key, head: t(head), sort: key, number: true, cell: (one) => show(one.metrics?.[key]) })

const All = () => html`<${Results} kind="verifications" kinds=${['verifications', 'tunings', 'zonings']} text=${t('ver_text')} columns=${[
  metric('worst_mm', 'ver_worst', (value) => measure(value, 'mm', 3)), metric('cases', 'ver_case_count'), metric('beyond', 'ver_beyond'), metric('diverged', 'ver_diverged'),
]}><a class="button" href=${link(['verifications', 'new'])}>${t('ver_new')}</a></${Results}>`

export const Page = ({ path: [, id] }) => (id === 'new' ? html`<${OfRobot} title=${t('ver_new')} text=${t('ver_text')} form=${Form} />` : id ? html`<${One} key=${id} id=${id} />` : html`<${All} />`)
