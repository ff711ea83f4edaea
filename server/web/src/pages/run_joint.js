// One joint of a run: why it is as good or bad as it is.
import './identification.words.js'
import { useMemo } from 'preact/hooks'
import { html } from '../html.js'
import { extend, t } from '../words.js'
import { Loading, Notice, Refusal, useAnswer } from '../ui/parts.js'
import { Table } from '../ui/table.js'
import { Plot } from '../ui/plot.js'
import { ZoomBar } from '../ui/zoombar.js'
import { count, figure, plusMinus } from '../ui/format.js'
import { frictionCurve, frictionLines } from '../ui/friction.js'
import { bordersOf, jointsOf, keptOf, residualsOver } from '../ui/run.js'
import { drawn, useSamples } from '../ui/samples.js'

extend({
  joint_focus: ['Joint {joint}', '关节 {joint}'],
  joint_torque: ['Torque', '力矩'],
  joint_residual: ['Residual over time', '残差（时间）'],
  joint_over_q: ['Residual over position', '残差（位置）'],
  joint_over_qd: ['Residual over velocity', '残差（速度）'],
  joint_over_none: ['Residuals over position and velocity are shown of runs of up to 20,000 samples whose data sets hold torques.', '仅对样本数不超过 20,000 且数据集含力矩的辨识显示残差与位置、速度的关系。'],
  joint_friction: ['Friction', '摩擦'],
  joint_spectrum: ['Spectrum of the residual', '残差频谱'],
  joint_histogram: ['Histogram of the residual', '残差直方图'],
  joint_counts: ['Samples', '样本数'],
  residual_axis: ['Residual [N m, N]', '残差 [N m, N]'],
  joint_fit: ['Lack of fit', '失拟'],
  joint_fit_text: ['The residual depends on {over}: F = {f}, p = {p}. The model lacks something there.', '残差与{over}相关：F = {f}，p = {p}。模型在此缺少某些项。'],
  joint_fit_none: ['The residual does not depend on {over} more than noise does: F = {f}, p = {p}.', '残差与{over}的相关性不超过噪声：F = {f}，p = {p}。'],
  over_velocity: ['velocity', '速度'],
  over_position: ['position', '位置'],
  joint_tried: ['What was tried of its friction', '摩擦项的取舍'],
  tried_term: ['Term', '项'],
  tried_error: ['Held-out error', '留出误差'],
  tried_gain: ['Gain [standard errors]', '增益 [标准误差]'],
  tried_kept: ['Kept', '保留'],
  joint_parameters: ['Its parameters', '该关节的参数'],
})

// Clearly not by chance, and more than twice the noise: as `noise_only` is told.
const lacks = (fit) => fit.p < 0.001 && fit.f > 4

const Fit = ({ fit }) => fit && html`<div>${['velocity', 'position'].map((over) => fit[over] && fit[over].f != null && html`<p key=${over}><span class=${`state ${lacks(fit[over]) ? 'warn' : 'good'}`}>${t(lacks(fit[over]) ? 'joint_fit_text' : 'joint_fit_none', { over: t(`over_${over}`), f: figure(fit[over].f, 3), p: figure(fit[over].p, 2) })}</span></p>`)}</div>`

// Points in the order of x, as plots want them.
function Scatter({ title, x, y, held, xLabel }) {
  const [xs, trained, validated] = useMemo(() => {
    const order = [...x.keys()].sort((a, b) => x[a] - x[b])
    return [order.map((k) => x[k]), order.map((k) => (held[k] ? null : y[k])), order.map((k) => (held[k] ? y[k] : null))]
  }, [x, y, held])
  const series = [{ label: t('of_training'), values: trained, index: 2, points: true }, { label: t('of_validation'), values: validated, index: 1, points: true }]
  return html`<${Plot} title=${title} x=${xs} series=${series.filter(({ values }) => values.some((value) => value !== null))} hlines=${[{ value: 0, index: 6 }]} xLabel=${xLabel} yLabel=${t('residual_axis')} />`
}

function Over({ run, j }) {
  const answer = useAnswer((signal) => residualsOver(run, j, signal), [run.id, j])
  if (answer.value === undefined) return html`<${Refusal} error=${answer.error} /><${Loading} error=${answer.error} />`
  if (!answer.value) return html`<p class="quiet">${t('joint_over_none')}</p>`
  const { q, qd, residual, held } = answer.value
  return html`<${Scatter} title=${t('joint_over_q')} x=${q} y=${residual} held=${held} xLabel=${t('position_axis')} /><${Scatter} title=${t('joint_over_qd')} x=${qd} y=${residual} held=${held} xLabel=${t('velocity_axis')} />`
}

function OverTime({ run, joint, j }) {
  const { count: all, kept, whole } = keptOf(run)
  const { data, few, range, zoom, error } = useSamples([`v1/identifications/${run.id}/samples`], { fields: 't,measured,predicted', whole, count: kept, most: 20000 })
  const borders = bordersOf(run).map(({ value, role }) => ({ value, label: t(`border_${role}`) }))
  const plots = useMemo(() => {
    if (!data) return null
    const [measured, predicted] = ['measured', 'predicted'].map((name) => data[0].column(`${name}${j + 1}`))
    return {
      x: data[0].column('t'),
      torque: [...drawn(data[0], few, `measured${j + 1}`, { label: t('measured'), index: 5, solid: true, faint: true }), ...drawn(data[0], few, `predicted${j + 1}`, { label: t('predicted'), index: 1, solid: true })],
      residual: few && [{ label: t('residual'), values: measured.map((value, k) => value - predicted[k]), index: 2, solid: true }],
    }
  }, [data, j, t('measured')])
  if (!plots) return html`<${Refusal} error=${error} /><${Loading} error=${error} />`
  const common = { x: plots.x, onRange: zoom, sync: 'run', vlines: borders, xLabel: t('time_s') }
  return html`<${Refusal} error=${error} /><${ZoomBar} range=${range} whole=${whole} onRange=${zoom} />
    ${!few && html`<p class="quiet">${t('extremes_hint')}</p>`}${kept < all && html`<p class="quiet">${t('kept_hint', { kept: count(kept), all: count(all) })}</p>`}
    <${Plot} ...${common} title=${`${t('joint_torque')} ${joint}`} series=${plots.torque} yLabel=${t('torque_axis')} />
    ${plots.residual && html`<${Plot} ...${common} height=${160} title=${t('joint_residual')} series=${plots.residual} hlines=${[{ value: 0, index: 6 }]} yLabel=${t('residual_axis')} />`}`
}

function Friction({ one }) {
  const curve = one && frictionCurve(one)
  if (!curve) return null // from before runs carried their curves, or a payload's
  return html`<${Plot} title=${t('joint_friction')} x=${curve.x} xLabel=${t('velocity_axis')} yLabel=${t('friction_axis')}
    series=${frictionLines(curve, curve.x, { label: t('predicted'), index: 0, solid: true, band: t('one_deviation') })} />`
}

function Spread({ run, j }) {
  const spectrum = run.residuals?.spectrum
  const histogram = run.residuals?.histograms?.[j]
  const centers = histogram?.counts.map((_, k) => -histogram.range + ((2 * k + 1) * histogram.range) / histogram.counts.length)
  return html`
    ${spectrum?.frequency_hz?.length > 1 && html`<${Plot} title=${t('joint_spectrum')} x=${spectrum.frequency_hz.slice(1)} logX logY xLabel=${t('frequency_axis')} yLabel=${t('density_axis')} series=${[{ label: t('residual'), index: 2, solid: true, values: spectrum.joints[j].slice(1).map((value) => (value > 0 ? value : null)) }]} />`}
    ${histogram && html`<${Plot} title=${t('joint_histogram')} x=${centers} xLabel=${t('residual_axis')} yLabel=${t('joint_counts')} series=${[{ label: t('joint_counts'), values: histogram.counts, index: 2, bars: true, solid: true }]} />`}`
}

const Tried = ({ selection }) => selection && selection.trials.length > 0 && html`<h3>${t('joint_tried')}</h3><${Table} caption=${t('joint_tried')} id=${(row) => row.term} items=${selection.trials} columns=${[
  { key: 'term', head: t('tried_term'), cell: (row) => html`<code>${row.term}</code>${row.velocity != null && ` ${figure(row.velocity, 3)}`}${row.exponent != null && `, δ = ${row.exponent}`}` },
  { key: 'relative_percent', head: t('tried_error'), number: true, cell: (row) => `${figure(row.relative_percent, 3)} %` },
  { key: 'gain', head: t('tried_gain'), number: true, cell: (row) => figure(row.gain, 2) },
  { key: 'kept', head: t('tried_kept'), cell: (row) => (row.kept ? '✓' : '–') },
]} />`

export function Joint({ run, joint }) {
  const j = jointsOf(run).indexOf(joint)
  const own = run.parameters.standard.filter((one) => one.joint === joint)
  return html`<section class="panel"><h2>${t('joint_focus', { joint })}</h2>
    <${Fit} fit=${run.lack_of_fit?.[j]} />
    <${OverTime} key=${joint} run=${run} joint=${joint} j=${j} />
    <div class="grid"><${Over} run=${run} j=${j} /><${Friction} one=${run.parameters.friction[j]} /><${Spread} run=${run} j=${j} /></div>
    <${Tried} selection=${run.friction_selection?.[j]} />
    ${own.length > 0 ? html`<h3>${t('joint_parameters')}</h3><${Table} caption=${t('joint_parameters')} id=${(row) => row.name} items=${own} columns=${[
      { key: 'name', head: t('expression'), cell: (row) => html`<code>${row.name}</code>` },
      { key: 'value', head: t('value'), number: true, cell: (row) => plusMinus(row.value, row.std) },
      { key: 'prior', head: t('model_value'), number: true, cell: (row) => figure(row.prior) },
      { key: 'apart', head: t('parameter_apart'), number: true, cell: (row) => (row.std > 0 && row.prior != null ? `${figure((row.value - row.prior) / row.std, 2)} σ` : '–') },
    ]} />` : html`<${Notice}>${t('nothing')}</${Notice}>`}
  </section>`
}
