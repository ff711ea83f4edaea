// 2 to 10 runs side by side. Figures of runs are told apart by colour, dash and name; the first is what others are held against.
import './identification.words.js'
import { useMemo, useState } from 'preact/hooks'
import { html } from '../html.js'
import { adjust, link, route } from '../route.js'
import { extend, t } from '../words.js'
import { get } from '../api.js'
import { Check, Field, Head, Loading, Notice, Refusal, useAnswer } from '../ui/parts.js'
import { Table } from '../ui/table.js'
import { Bars } from '../ui/bars.js'
import { Legend, Plot, colour, dashes } from '../ui/plot.js'
import { ZoomBar } from '../ui/zoombar.js'
import { nameOf } from '../ui/names.js'
import { figure, percent, plusMinus } from '../ui/format.js'
import { frictionCurve, frictionLines } from '../ui/friction.js'
import { drawn, useSamples } from '../ui/samples.js'
import { bordersOf, jointsOf, keptOf } from '../ui/run.js'
import { SETTINGS } from './run_summary.js'

extend({
  compare_text: ['Parameters are in the base set of the first run. Errors are comparable only where the validation data are the same.', '参数按第一次辨识的基参数集表示；仅当验证数据相同时误差才可比。'],
  compare_few: ['Choose 2 to 10 runs in the list of results.', '请在结果列表中选择 2 到 10 次辨识。'],
  compare_different_data: ['These runs were validated on different data: their errors are no fair comparison.', '这些辨识使用了不同的验证数据，误差不可直接比较。'],
  deviations: ['Std. deviations apart', '相差标准差数'],
  spread: ['Value and 2 deviations', '数值与 2 倍标准差'],
  differing: ['Only what differs by more than 2 deviations', '仅显示相差超过 2 个标准差的参数'],
  overlay: ['Torques over each other', '力矩叠加'],
  overlay_left: ['What is left (measured − predicted)', '残差（实测 − 预测）'],
  overlay_left_of: ['What is left of {joint}', '{joint} 的残差'],
  overlay_different: ['The runs hold different samples, so their torques cannot be laid over each other.', '各次辨识的样本不同，无法叠加力矩。'],
  side_by_side: ['Figures side by side', '指标平行坐标'],
  run: ['Run', '辨识'],
  settings_apart: ['Settings that differ', '不同的设置'],
  settings_same: ['All were made with the same settings.', '所有辨识的设置相同。'],
  setting: ['Setting', '设置'],
  baseline: ['baseline', '基准'],
  baseline_make: ['Hold the others against {run}', '以 {run} 为基准'],
  run_away: ['Take {run} away', '移除 {run}'],
  run_add: ['Add a run', '添加辨识'],
  run_add_none: ['choose …', '选择……'],
  brush_hint: ['Drag along an axis: only runs within the range stay, in the plots too.', '沿坐标轴拖动选择范围：仅保留范围内的辨识，下方曲线随之变化。'],
  brush_kept: ['{kept} of {count} runs are within.', '{count} 个中有 {kept} 个在范围内。'],
  brush_ranges: ['Ranges as numbers', '以数值设定范围'],
  brush_least: ['at least', '下限'],
  brush_most: ['at most', '上限'],
  friction_bands: ['Each with one standard deviation to both sides.', '阴影为正负一个标准差。'],
  brush_none: ['Take all ranges away', '清除全部范围'],
  rank_short: ['Parameters told', '可辨识参数'],
})

// Two of one estimator and one minute are told apart.
const name = (run) => run.label || `${nameOf(run)} · ${run.id.slice(-8)}`

const MOST = 10 // runs side by side
const show = (ids) => adjust({ ids: ids.join(',') })

// Which runs are compared: the first is what the others are held against.
function Runs({ runs }) {
  const ids = runs.map((run) => run.id)
  const others = useAnswer((signal) => get('v1/identifications', { robot: runs[0].robot, sort: '-created_at', limit: 50 }, signal), [runs[0].robot])
  const more = (others.value?.items ?? []).filter((run) => !ids.includes(run.id))
  return html`<section class="panel row"><${Refusal} error=${others.error} />
    ${runs.map((run, k) => html`<span key=${run.id} class="row"><span><svg width="34" height="10" viewBox="0 0 34 10" aria-hidden="true"><line x1="1" x2="33" y1="5" y2="5" stroke=${colour(k)} stroke-width="3" stroke-dasharray=${dashes(k).join(' ')} /></svg> <a href=${link(['identifications', run.id])}><bdi>${name(run)}</bdi></a></span>
      ${k === 0 ? html`<span class="state">${t('baseline')}</span>` : html`<button type="button" aria-label=${t('baseline_make', { run: name(run) })} title=${t('baseline_make', { run: name(run) })} onClick=${() => show([run.id, ...ids.filter((id) => id !== run.id)])}>⚑</button>`}
      ${runs.length > 2 && html`<button type="button" aria-label=${t('run_away', { run: name(run) })} title=${t('run_away', { run: name(run) })} onClick=${() => show(ids.filter((id) => id !== run.id))}>×</button>`}</span>`)}
    ${runs.length < MOST && more.length > 0 && html`<${Field} label=${t('run_add')}><select value="" onChange=${(e) => e.target.value && show([...ids, e.target.value])}><option value="">${t('run_add_none')}</option>${more.map((run) => html`<option key=${run.id} value=${run.id}>${name(run)}</option>`)}</select></${Field}>`}</section>`
}

// What was asked for or chosen differently: what else can tell why figures differ?
function Settings({ runs }) {
  const rows = SETTINGS.map((one) => ({ ...one, texts: runs.map((run) => one.of(run).trim()) })).filter(({ texts }) => new Set(texts).size > 1)
  return html`<section class="panel"><h2>${t('settings_apart')}</h2>${rows.length === 0 ? html`<p class="quiet">${t('settings_same')}</p>` : html`<${Table} caption=${t('settings_apart')} id=${(row) => row.head} items=${rows} columns=${[
    { key: 'setting', head: t('setting'), class: 'tight', cell: (row) => t(row.head) },
    ...runs.map((run, k) => ({ key: run.id, head: html`<bdi>${name(run)}</bdi>`, cell: ({ texts }) => html`<bdi class=${k > 0 && texts[k] !== texts[0] ? 'apart' : ''}>${texts[k] || '–'}</bdi>` })),
  ]} />`}</section>`
}

// One axis for each figure, one line for each run; the table beneath has the same numbers, and what is pointed at in one of the
// two stands out in both.
const AXES = [
  { head: 'error_validation', of: (run) => run.errors.validation?.raw.relative_percent, show: percent },
  { head: 'error_validation_parallel', of: (run) => run.errors.validation?.parallel?.relative_percent, show: percent },
  { head: 'error_training', of: (run) => run.errors.training?.raw.relative_percent, show: percent },
  { head: 'condition', of: (run) => run.condition_number, show: (value) => figure(value, 3) },
  { head: 'rank', short: 'rank_short', of: (run) => run.rank, show: (value) => figure(value) },
]

// Ranges of figures that runs must lie in, of the address: [low, high] by the head of the axis.
const brushesOf = (query) => Object.fromEntries(query.getAll('brush').map((text) => text.split('~')).map(([head, low, high]) => [head, [Number(low), Number(high)]]))
const brush = (query, head, range) => adjust({ brush: Object.entries({ ...brushesOf(query), [head]: range }).filter(([, one]) => one).map(([one, [low, high]]) => `${one}~${low}~${high}`) })
// Is a run within all of them? One without the figure is not.
const within = (run, brushes) => Object.entries(brushes).every(([head, [low, high]]) => {
  const value = AXES.find((axis) => axis.head === head)?.of(run)
  return value != null && value >= low && value <= high
})

// Of an axis: what was chosen, and the choice by the mouse; the fields beneath do the same by the keyboard.
function Brush({ x, top, bottom, chosen, valueAt, onRange }) {
  const [from, begin] = useState(null)
  const [to, move] = useState(null)
  const at = (event) => {
    const box = event.currentTarget.getBoundingClientRect()
    return top + ((event.clientY - box.top) / box.height) * (bottom - top)
  }
  const down = (event) => {
    event.currentTarget.setPointerCapture(event.pointerId)
    begin(at(event))
    move(at(event))
  }
  const up = () => {
    if (from == null) return
    onRange(Math.abs(to - from) < 4 ? null : [valueAt(Math.max(from, to)), valueAt(Math.min(from, to))])
    begin(null)
  }
  const [high, low] = from == null ? chosen ?? [] : [Math.min(from, to), Math.max(from, to)]
  return html`${high != null && html`<rect x=${x - 8} width="16" y=${high} height=${Math.max(2, low - high)} fill="var(--accent)" opacity=".25" />`}
    <rect class="brush" x=${x - 14} width="28" y=${top} height=${bottom - top} fill="transparent" style=${{ cursor: 'ns-resize', touchAction: 'none' }} onPointerDown=${down} onPointerMove=${(e) => from != null && move(at(e))} onPointerUp=${up} onPointerCancel=${() => begin(null)} />`
}

function Parallel({ runs, kept }) {
  const [width, height, top] = [900, 210, 34]
  const { query } = route.value
  const brushes = brushesOf(query)
  const x = (k) => 100 + (k * (width - 200)) / (AXES.length - 1)
  const [pointed, point] = useState(null) // the run whose row or line is pointed at
  const scale = AXES.map(({ of, show }) => {
    const values = runs.map(of).filter((value) => value != null)
    const [low, high] = [Math.min(...values), Math.max(...values)]
    const [span, foot] = [height - top - 34, height - 26]
    const digits = [4, 5, 6, 7, 8].find((count) => figure(high, count) !== figure(low, count)) // ends that are apart do not read alike
    return { low, high, end: (value) => (digits && show(high) === show(low) ? figure(value, digits) : show(value)), y: (value) => (high > low ? foot - ((value - low) / (high - low)) * span : height / 2), value: (y) => low + ((foot - y) / span) * (high - low) }
  })
  const bound = (head, k, side) => html`<input type="number" step="any" aria-label=${`${t(AXES[k].short ?? head)}: ${t(side ? 'brush_most' : 'brush_least')}`} style=${{ width: '8rem' }} value=${brushes[head]?.[side] ?? ''}
    onChange=${(e) => brush(query, head, Object.assign([...(brushes[head] ?? [scale[k].low, scale[k].high])], { [side]: e.target.value === '' ? [scale[k].low, scale[k].high][side] : Number(e.target.value) }))} />`
  return html`<section class="panel"><h2>${t('side_by_side')}</h2><p class="quiet">${t('brush_hint')} ${kept.length < runs.length && html`<strong role="status">${t('brush_kept', { kept: kept.length, count: runs.length })}</strong>`}</p><${Legend} series=${runs.map((run, index) => ({ label: name(run), index }))} />
    <div class="scroll" tabindex="0" role="region" aria-label=${`${t('page.compare')}: ${t('side_by_side')}`}><svg viewBox=${`0 0 ${width} ${height}`} style=${{ minWidth: '640px', width: '100%', maxWidth: '90rem' }} role="img" aria-label=${t('side_by_side')}>
      ${AXES.map((axis, k) => html`<g key=${axis.head}><line x1=${x(k)} x2=${x(k)} y1=${top} y2=${height - 22} stroke="var(--quiet)" />
        <text x=${x(k)} y="14" text-anchor="middle" font-size="12" fill="var(--ink)">${t(axis.short ?? axis.head)}</text>
        <text x=${x(k)} y="29" text-anchor="middle" font-size="11" fill="var(--quiet)">${scale[k].end(scale[k].high)}</text>
        <text x=${x(k)} y=${height - 6} text-anchor="middle" font-size="11" fill="var(--quiet)">${scale[k].end(scale[k].low)}</text></g>`)}
      ${runs.map((run, r) => html`<polyline key=${run.id} fill="none" stroke=${colour(r)} stroke-width="2.2" stroke-dasharray=${dashes(r).join(' ')}
        opacity=${!kept.includes(run) ? 0.1 : pointed && pointed !== run.id ? 0.2 : 1} onMouseEnter=${() => point(run.id)} onMouseLeave=${() => point(null)}
        points=${AXES.map((axis, k) => (axis.of(run) == null ? null : `${x(k)},${scale[k].y(axis.of(run))}`)).filter(Boolean).join(' ')} />`)}
      ${AXES.map((axis, k) => scale[k].high > scale[k].low && html`<${Brush} key=${axis.head} x=${x(k)} top=${top - 4} bottom=${height - 20} valueAt=${scale[k].value} chosen=${brushes[axis.head] && [scale[k].y(brushes[axis.head][1]), scale[k].y(brushes[axis.head][0])]} onRange=${(range) => brush(query, axis.head, range)} />`)}
    </svg></div>
    <details><summary>${t('brush_ranges')}</summary><div class="row">${AXES.map((axis, k) => html`<fieldset key=${axis.head}><legend>${t(axis.short ?? axis.head)}</legend>${bound(axis.head, k, 0)} … ${bound(axis.head, k, 1)}</fieldset>`)}
      <button type="button" disabled=${!query.has('brush')} onClick=${() => adjust({ brush: null })}>${t('brush_none')}</button></div></details>
    <${Table} caption=${t('side_by_side')} items=${kept} pointed=${pointed} onPoint=${point} columns=${[
      { key: 'run', head: t('run'), class: 'wide', cell: (run) => html`<a href=${link(['identifications', run.id])}><bdi>${name(run)}</bdi></a>` },
      { key: 'robot', head: t('robot'), class: 'tight', cell: (run) => `${run.robot} r${run.revision}` },
      ...AXES.map((axis) => ({ key: axis.head, head: t(axis.short ?? axis.head), number: true, cell: (run) => axis.show(axis.of(run)) })),
    ]} /></section>`
}

const leftOf = (samples, number) => {
  const predicted = samples.column(`predicted${number}`)
  return samples.column(`measured${number}`).map((value, k) => value - predicted[k])
}

function Overlay({ runs, kept: shown }) {
  const { kept, whole } = keptOf(runs[0])
  const { data, few, range, zoom, error } = useSamples(runs.map((run) => `v1/identifications/${run.id}/samples`), { fields: 't,measured,predicted', whole, count: kept, most: 20000 })
  const left = few !== false && route.value.query.get('left') === '1' // of buckets of extremes there is no difference
  const borders = bordersOf(runs[0]).map(({ value, role }) => ({ value, label: t(`border_${role}`) }))
  const plots = useMemo(() => {
    if (!data) return null
    const measured = data.map((one) => one.column(few ? 'measured1' : 'measured1.max'))
    const same = measured.every((one) => one.length === measured[0].length && one.every((value, k) => Math.abs(value - measured[0][k]) <= 1e-9 * (1 + Math.abs(value))))
    if (!same) return { different: true }
    if (left && few) return { x: data[0].column('t'), joints: jointsOf(runs[0]).map((joint, j) => ({ joint, series: runs.flatMap((run, r) => (shown.includes(run) ? [{ label: name(run), index: r, values: leftOf(data[r], j + 1) }] : [])) })) }
    return { x: data[0].column('t'), joints: jointsOf(runs[0]).map((joint, j) => ({ joint, series: [...drawn(data[0], few, `measured${j + 1}`, { label: t('measured'), index: 6, faint: true, solid: true }),
      ...runs.flatMap((run, r) => (shown.includes(run) ? drawn(data[r], few, `predicted${j + 1}`, { label: name(run), index: r }) : []))] })) }
  }, [data, shown, left, t('measured')])
  return html`<section class="panel"><div class="head"><h2>${t('overlay')}</h2><${Check} label=${t('overlay_left')} checked=${left} disabled=${few === false} onChange=${(e) => adjust({ left: e.target.checked ? '1' : null })} /></div><${Refusal} error=${error} />
    ${!plots ? html`<${Loading} error=${error} />` : plots.different ? html`<${Notice}>${t('overlay_different')}</${Notice}>` : html`
      <${ZoomBar} range=${range} whole=${whole} onRange=${zoom} />
      <div class="grid">${plots.joints.map(({ joint, series }) => html`<${Plot} key=${joint} title=${t(left ? 'overlay_left_of' : 'torque_of', { joint })} x=${plots.x} series=${series} onRange=${zoom} sync="overlay" vlines=${borders} xLabel=${t('time_s')} yLabel=${t('torque_axis')} />`)}</div>`}
  </section>`
}

function Friction({ runs, kept }) {
  const joints = jointsOf(runs[0])
  const plots = useMemo(() => joints.flatMap((joint, j) => {
    const curves = runs.map((run) => frictionCurve(run.parameters.friction[j] ?? {}))
    const x = curves.find(Boolean)?.x // runs from before they carried their curves have none
    return x ? [{ joint, x, series: curves.flatMap((curve, r) => (curve && kept.includes(runs[r]) ? frictionLines(curve, x, { label: name(runs[r]), index: r }) : [])) }] : []
  }), [runs, kept])
  if (!plots.length) return null
  return html`<section class="panel"><h2>${t('friction_curves')}</h2><p class="quiet">${t('friction_bands')}</p><div class="grid">${plots.map(({ joint, x, series }) => html`<${Plot} key=${joint} title=${joint} height="210" x=${x}
    series=${series} xLabel=${t('velocity_axis')} yLabel=${t('friction_axis')} />`)}</div></section>`
}

function Spectra({ runs, kept }) {
  const first = runs[0].residuals?.spectrum?.frequency_hz
  if (!first?.length || runs.some((run) => run.residuals?.spectrum?.frequency_hz?.length !== first.length || Math.abs(run.residuals.spectrum.frequency_hz[1] - first[1]) > 1e-9)) return null
  const positive = (values) => values.slice(1).map((value) => (value > 0 ? value : null))
  return html`<section class="panel"><h2>${t('spectra')}</h2><div class="grid">${jointsOf(runs[0]).map((joint, j) => html`<${Plot} key=${joint} title=${joint} height="210" logX logY x=${first.slice(1)}
    series=${runs.map((run, r) => ({ label: name(run), index: r, values: positive(run.residuals.spectrum.joints[j]), run })).filter(({ run }) => kept.includes(run))} xLabel=${t('frequency_axis')} yLabel=${t('density_axis')} />`)}</div></section>`
}

// What each run found of one parameter, and two standard deviations to both sides, on a scale of their own.
function Spread({ row }) {
  const known = row.runs.map((one, r) => one && { r, value: one.value, reach: 2 * (one.std ?? 0) }).filter(Boolean)
  const low = Math.min(...known.map(({ value, reach }) => value - reach)), high = Math.max(...known.map(({ value, reach }) => value + reach))
  const x = (value) => 5 + (high > low ? (170 * (value - low)) / (high - low) : 85)
  return html`<svg width="180" height=${8 * row.runs.length} aria-hidden="true">${known.map(({ r, value, reach }) => html`<g key=${r} stroke=${colour(r)} stroke-width="2">
    <line x1=${x(value - reach)} x2=${x(value + reach)} y1=${4 + 8 * r} y2=${4 + 8 * r} /><circle cx=${x(value)} cy=${4 + 8 * r} r="2.5" fill=${colour(r)} /></g>`)}</svg>`
}

function Differences({ runs, comparison }) {
  const only = route.value.query.get('differing') === '1'
  const rows = comparison.parameters.filter((row) => !only || row.runs.some((one) => Math.abs(one?.deviations ?? 0) > 2))
  return html`<section class="panel"><div class="head"><h2>${t('base_parameters')}</h2><${Check} label=${t('differing')} checked=${only} onChange=${() => adjust({ differing: only ? null : '1' })} /></div>
    <${Table} tall caption=${t('base_parameters')} id=${(row) => row.expression} items=${rows} columns=${[
      { key: 'expression', head: t('expression'), class: 'wide', cell: (row) => html`<code>${row.expression}</code>` },
      { key: 'spread', head: t('spread'), cell: (row) => html`<${Spread} row=${row} />` },
      ...runs.map((run, r) => ({ key: run.id, number: true, head: html`<bdi>${name(run)}</bdi>`, cell: (row) => {
        const one = row.runs[r]
        return one == null ? '–' : html`${plusMinus(one.value, one.std)}${r > 0 && one.deviations != null && html` <span class=${`state ${Math.abs(one.deviations) > 2 ? 'warn' : 'idle'}`} title=${t('deviations')}>${one.deviations > 0 ? '+' : ''}${figure(one.deviations, 2)} σ</span>`}`
      } })),
    ]} /></section>`
}

export function Page() {
  const ids = (route.value.query.get('ids') ?? '').split(',').filter(Boolean)
  const key = ids.join()
  const answer = useAnswer(async (signal) => {
    if (ids.length < 2 || ids.length > MOST) return null
    const [comparison, ...runs] = await Promise.all([get('v1/identifications/compare', { ids: key }, signal), ...ids.map((id) => get(`v1/identifications/${encodeURIComponent(id)}`, {}, signal))])
    return { comparison, runs }
  }, [key])
  if (ids.length < 2 || ids.length > MOST) return html`<${Head} title=${t('page.compare')} /><${Notice}>${t('compare_few')} <a href=${link(['identifications'])}>${t('page.identifications')}</a></${Notice}>`
  if (!answer.value) return html`<${Refusal} error=${answer.error} /><${Loading} error=${answer.error} />`
  return html`<${Compared} ...${answer.value} ids=${key} />`
}

function Compared({ runs, comparison, ids }) {
  const { query } = route.value
  const brushes = query.getAll('brush').join()
  const kept = useMemo(() => runs.filter((run) => within(run, brushesOf(query))), [runs, brushes]) // the same as long as they are: plots are drawn anew for others
  const joints = jointsOf(runs[0])
  const validated = new Set(runs.map((run) => run.provenance.datasets.filter((set) => set.role === 'validation').map((set) => `${set.sha256} ${set.samples}`).sort().join()))
  return html`
    <${Head} title=${t('page.compare')} sub=${t('compare_text')}><a class="button" href=${link(['identifications'], { chosen: ids })}>${t('page.identifications')}</a></${Head}>
    ${validated.size > 1 && html`<${Notice} kind="warn">${t('compare_different_data')}</${Notice}>`}
    <${Runs} runs=${runs} />
    <${Settings} runs=${runs} />
    <${Parallel} runs=${runs} kept=${kept} />
    <${Differences} runs=${runs} comparison=${comparison} />
    <section class="panel"><${Bars} title=${`${t('errors_of_joints')}: ${t('error_relative')}`} legend=${runs.map(name)} unit="%" rows=${joints.map((joint, j) => ({ label: joint, bars: runs.flatMap((run, index) => (!kept.includes(run) ? [] : { index, value: (run.errors.validation ?? run.errors.training)?.raw.joints[j]?.relative_percent })) }))} /></section>
    <${Overlay} runs=${runs} kept=${kept} />
    <${Friction} runs=${runs} kept=${kept} />
    <${Spectra} runs=${runs} kept=${kept} />`
}
