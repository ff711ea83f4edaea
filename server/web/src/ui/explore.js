// Any columns of samples in one plot: their differences, derivatives and what is left below a frequency, over time or over another of
// them. What was chosen is in the address.
import { useMemo, useState } from 'preact/hooks'
import { html } from '../html.js'
import { adjust, route } from '../route.js'
import { extend, t } from '../words.js'
import { table } from '../api.js'
import { Act, Check, Field, Loading, Notice, Refusal, useAnswer } from './parts.js'
import { Plot } from './plot.js'
import { count } from './format.js'
import { partOf } from './samples.js'
import { clockOf, readSignal, signalName, signalOf, writeSignal } from './signals.js'

extend({
  explore: ['Any signals', '任意信号'],
  explore_text: ['Columns, their differences and derivatives, filtered or not, over time or over each other.', '任意列及其差、导数和滤波结果，可随时间或相对另一列绘制。'],
  explore_column: ['Column', '列'],
  explore_less: ['less', '减去'],
  explore_below: ['Low-pass [Hz]', '低通 [Hz]'],
  explore_rate: ['its derivative', '求导'],
  explore_add: ['Add', '添加'],
  explore_away: ['Take {name} away', '移除 {name}'],
  explore_over: ['Over', '横轴'],
  explore_time: ['time', '时间'],
  explore_many: ['{count} samples are in sight: signals are made of at most {most}. Zoom in.', '当前范围有 {count} 个样本，最多可计算 {most} 个，请放大。'],
  explore_uneven: ['The clock of these samples has no one rate: they cannot be filtered.', '这些样本的时间间隔不均匀，无法滤波。'],
  explore_high: ['The low-pass must be below half the rate, {half} Hz.', '低通频率必须低于采样率的一半（{half} Hz）。'],
})

const MOST = 20000 // samples that are fetched to be computed with

// Pairs sorted by the first, as a plot wants its x.
const sorted = (x, all) => {
  const order = Uint32Array.from(x.keys()).sort((a, b) => x[a] - x[b])
  const by = (values) => Float64Array.from(order, (k) => values[k])
  return [by(x), all.map(by)]
}

function Choose({ columns, onAdd }) {
  const [one, set] = useState({ a: columns[0], b: '', cutoff: 0, rate: false })
  const choice = (key, none) => html`<select value=${one[key]} onChange=${(e) => set({ ...one, [key]: e.target.value })}>${none && html`<option value="">–</option>`}${columns.map((name) => html`<option key=${name} value=${name}>${name}</option>`)}</select>`
  const add = (event) => {
    event.preventDefault()
    onAdd(one)
  }
  return html`<form class="row" onSubmit=${add}>
    <${Field} label=${t('explore_column')}>${choice('a')}</${Field}><${Field} label=${t('explore_less')}>${choice('b', true)}</${Field}>
    <${Field} label=${t('explore_below')}><input type="number" min="0.001" step="any" style=${{ width: '7rem' }} value=${one.cutoff || ''} onInput=${(e) => set({ ...one, cutoff: Number(e.target.value) })} /></${Field}>
    <${Check} label=${t('explore_rate')} checked=${one.rate} onChange=${(e) => set({ ...one, rate: e.target.checked })} />
    <${Act} type="submit">${t('explore_add')}</${Act}></form>`
}

function Drawn({ data, signals, over, range, onRange, sync, time }) {
  const drawn = useMemo(() => {
    const made = signals.map((one) => ({ one, values: signalOf(one, data) })).filter(({ values }) => values)
    const x = data.column(over || 't')
    const [at, all] = over ? sorted(x, made.map(({ values }) => values)) : [x, made.map(({ values }) => values)]
    return { x: at, series: made.map(({ one }, k) => ({ label: signalName(one), values: all[k], index: k, points: !!over })) }
  }, [data, signals.map(writeSignal).join(), over])
  const clock = clockOf(data.column('t'))
  const filtered = signals.filter(({ cutoff }) => cutoff)
  return html`${filtered.length > 0 && !clock.even && html`<${Notice} kind="warn">${t('explore_uneven')}</${Notice}>`}
    ${clock.even && filtered.some(({ cutoff }) => cutoff >= clock.rate / 2) && html`<${Notice} kind="warn">${t('explore_high', { half: count(clock.rate / 2) })}</${Notice}>`}
    ${drawn.series.length > 0 && html`<${Plot} key=${over} title=${t('explore')} height=${300} x=${drawn.x} series=${drawn.series} ...${over ? {} : { range, onRange, sync, time }} xLabel=${over || t('time_s')} yLabel=${drawn.series.map(({ label }) => label).join(', ').slice(0, 60)} />`}`
}

// path: of the series; columns: their names, without the clock; whole: [from, to] of the clock; rows: of the whole series; range and
// onRange: what is in sight; data: the samples, where they are here already.
export function Explore({ path, columns, whole, rows, range, onRange, sync, data, time }) {
  const { query } = route.value
  const signals = query.getAll('signal').map(readSignal).filter(({ a }) => columns.includes(a))
  const over = columns.includes(query.get('over')) ? query.get('over') : ''
  const show = (all) => adjust({ signal: all.map(writeSignal) })
  const inSight = Math.round(rows * partOf(range, whole))
  const wanted = [...new Set(['t', over, ...signals.flatMap(({ a, b }) => [a, b])].filter(Boolean))]
  const may = !data && signals.length > 0 && inSight <= MOST
  const answer = useAnswer(async (abort) => (may ? table(path, { fields: [...new Set(wanted.map((name) => name.replace(/\d+$/, '')))].join(), from: range?.[0], to: range?.[1] }, abort) : null), [path, may, wanted.join(), range?.[0], range?.[1]])
  const here = data ?? answer.value
  return html`<section class="panel stack"><div><h2>${t('explore')}</h2><p class="quiet">${t('explore_text')}</p></div>
    <${Choose} columns=${columns} onAdd=${(one) => show([...signals, one])} />
    ${signals.length > 0 && html`<div class="row">${signals.map((one, k) => html`<span key=${k} class="tag">${signalName(one)} <button type="button" class="plain" aria-label=${t('explore_away', { name: signalName(one) })} title=${t('explore_away', { name: signalName(one) })} onClick=${() => show(signals.filter((_, other) => other !== k))}>✕</button></span>`)}
      <${Field} label=${t('explore_over')}><select value=${over} onChange=${(e) => adjust({ over: e.target.value })}><option value="">${t('explore_time')}</option>${columns.map((name) => html`<option key=${name} value=${name}>${name}</option>`)}</select></${Field}></div>`}
    <${Refusal} error=${answer.error} />
    ${signals.length > 0 && (!data && inSight > MOST ? html`<${Notice}>${t('explore_many', { count: count(inSight), most: count(MOST) })}</${Notice}>`
      : here && wanted.every((name) => here.columns.includes(name)) ? html`<${Drawn} data=${here} signals=${signals} over=${over} range=${data && range} onRange=${onRange} sync=${sync} time=${time} />` : html`<${Loading} error=${answer.error} />`)}</section>`
}
