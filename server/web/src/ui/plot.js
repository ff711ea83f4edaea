// Plots: lines that a colour-blind person tells apart by their dashes too, bands of least and greatest values, and zoom.
import { useEffect, useRef } from 'preact/hooks'
import uPlot from 'uplot'
import 'uplot/dist/uPlot.min.css'
import { html } from '../html.js'
import { dark } from '../session.js'
import { t } from '../words.js'
import { figure } from './format.js'

// Okabe and Ito's colours, darkened or lightened until they stand out from the ground.
const LIGHT = ['#0065a3', '#b84a00', '#00704f', '#9c3f78', '#7a5b00', '#1379b0', '#3a3a3a', '#8a1538', '#4b4bb8', '#4f6b00']
const DARK = ['#5ab4f0', '#ff9a52', '#3fd0a0', '#e79ac4', '#f0c33c', '#9ad4f7', '#dcdcdc', '#ff8fa8', '#b0b0ff', '#c3dc5a']
const DASHES = [[], [9, 4], [2, 3], [9, 3, 2, 3], [15, 4], [5, 2], [2, 2, 7, 2], [12, 3, 3, 3, 3, 3], [1, 4], [6, 6]]
export const colour = (index) => (dark.value ? DARK : LIGHT)[index % LIGHT.length]
export const dashes = (index) => DASHES[index % DASHES.length]

const Sample = ({ index, solid, points }) => html`<svg aria-hidden="true" viewBox="0 0 34 10">${points ? html`<circle cx="17" cy="5" r="3" fill="none" stroke=${colour(index)} stroke-width="1.5" />` : html`<line x1="1" x2="33" y1="5" y2="5" stroke=${colour(index)} stroke-width="3" stroke-dasharray=${solid ? '' : dashes(index).join(' ')} />`}</svg>`

export const Legend = ({ series }) => html`<ul class="legend">${series.filter((one) => one.label).map((one, k) => html`<li key=${k}><${Sample} index=${one.index ?? k} solid=${one.solid} points=${one.points} /><bdi>${one.label}</bdi></li>`)}</ul>`

// Plots grow with the text around them, whose size is 14 px on most screens and more on wide ones.
const scaled = (size) => Math.round((size * parseFloat(getComputedStyle(document.documentElement).fontSize)) / 14)

// Ticks of a logarithmic axis: powers of ten, or 1, 2, 5 of few of them. (The library's own take for ever below 1e-16.)
const ofTen = (_, __, low, high) => {
  const [first, last] = [Math.floor(Math.log10(low)), Math.ceil(Math.log10(high))]
  const step = Math.max(1, Math.ceil((last - first) / 8))
  const powers = Array.from({ length: Math.floor((last - first) / step) + 1 }, (___, k) => Number(`1e${first + k * step}`))
  return (last - first > 3 ? powers : powers.flatMap((power) => [power, 2 * power, 5 * power])).filter((tick) => tick >= low && tick <= high)
}
const logarithmic = { splits: ofTen, filter: (_, ticks) => ticks, values: (_, ticks) => ticks.map((tick) => figure(tick, 1)) }

const axisOf = (label, size) => ({
  label, labelSize: scaled(18), labelFont: `${scaled(12)}px system-ui`, font: `${scaled(11)}px system-ui`, size: scaled(size), stroke: () => (dark.value ? '#c3cfdb' : '#42505f'),
  grid: { stroke: () => (dark.value ? '#2b3947' : '#e3e8ee'), width: 1 }, ticks: { stroke: () => (dark.value ? '#445465' : '#b9c3ce'), width: 1, size: 5 },
})

// series: { label, values, index, faint, solid, points, band } in the order of drawing; `band`: between this one and the one after.
// onRange(from, to) when the person zoomed, onRange(null) when all is wanted again; sync: plots of one name share cursor and zoom.
export function Plot({ title, x, series, xLabel, yLabel, height = 230, logX, logY, onRange, range, sync, hlines = [] }) {
  const at = useRef()
  const plot = useRef()
  const shape = JSON.stringify([series.map((one) => [one.label, one.index, one.faint, one.solid, one.points, one.band]), logX, logY, xLabel, yLabel, dark.value, height, hlines])
  const answer = useRef(onRange)
  answer.current = onRange

  useEffect(() => {
    const own = {
      width: at.current.clientWidth || 600, height: scaled(height), legend: { show: false }, cursor: { drag: { x: true, y: false, uni: 20 }, sync: sync ? { key: sync, setSeries: false } : undefined, points: { show: false } },
      scales: { x: { time: false, distr: logX ? 3 : 1 }, y: { distr: logY ? 3 : 1 } },
      axes: [{ ...axisOf(xLabel, 32), ...(logX && logarithmic) }, { ...axisOf(yLabel, 62), values: (_, ticks) => ticks.map((tick) => (tick == null ? '' : figure(tick, 3))), ...(logY && logarithmic) }],
      series: [{}, ...series.map((one, k) => ({
        label: one.label ?? '', stroke: () => colour(one.index ?? k) + (one.faint ? '88' : ''), width: one.width ?? (one.faint ? 1 : 1.7), dash: one.solid || one.points ? undefined : dashes(one.index ?? k),
        points: { show: !!one.points, size: 5 }, spanGaps: false, paths: one.points ? () => null : undefined,
      }))],
      bands: series.flatMap((one, k) => (one.band ? [{ series: [k + 2, k + 1], fill: colour(one.index ?? k) + '44', dir: 1 }] : [])),
      hooks: {
        draw: [(u) => {
          for (const line of hlines) {
            const y = u.valToPos(line.value, 'y', true)
            if (y < u.bbox.top || y > u.bbox.top + u.bbox.height) continue
            u.ctx.save()
            u.ctx.strokeStyle = colour(line.index ?? 0)
            u.ctx.setLineDash([3, 5])
            u.ctx.beginPath()
            u.ctx.moveTo(u.bbox.left, y)
            u.ctx.lineTo(u.bbox.left + u.bbox.width, y)
            u.ctx.stroke()
            u.ctx.restore()
          }
        }],
        setSelect: [(u) => {
          if (u.select.width < 5 || !answer.current) return
          answer.current(u.posToVal(u.select.left, 'x'), u.posToVal(u.select.left + u.select.width, 'x'))
          u.setSelect({ left: 0, width: 0, top: 0, height: 0 }, false)
        }],
      },
    }
    plot.current = new uPlot(own, [x, ...series.map((one) => one.values)], at.current)
    const all = () => answer.current?.(null)
    plot.current.over.addEventListener('dblclick', all)
    const watch = new ResizeObserver(() => plot.current?.setSize({ width: at.current.clientWidth, height: scaled(height) }))
    watch.observe(at.current)
    return () => {
      watch.disconnect()
      plot.current.destroy()
      plot.current = null
    }
  }, [shape])
  useEffect(() => {
    plot.current?.setData([x, ...series.map((one) => one.values)])
    if (range) plot.current?.setScale('x', { min: range[0], max: range[1] })
  }, [x, series, range?.[0], range?.[1]])
  return html`<figure><figcaption>${title}</figcaption><${Legend} series=${series} />
    <div class="plot" ref=${at} role="img" aria-label=${`${title}. ${yLabel}, ${xLabel}: ${series.map((one) => one.label).filter(Boolean).join(', ')}`}></div></figure>`
}

// Zoom shared by the plots of a page, with buttons for who has no mouse.
export const ZoomBar = ({ range, whole, onRange }) => {
  const [from, to] = range ?? whole
  const width = to - from
  const set = (a, b) => onRange(Math.max(whole[0], a), Math.min(whole[1], b))
  return html`<div class="row" style=${{ marginBottom: '.5rem' }}>
    <button type="button" onClick=${() => set(from + width / 4, to - width / 4)} aria-label=${t('zoom_in')} title=${t('zoom_in')}>+</button>
    <button type="button" onClick=${() => set(from - width / 2, to + width / 2)} aria-label=${t('zoom_out')} title=${t('zoom_out')}>−</button>
    <button type="button" onClick=${() => set(from - width / 4, to - width / 4)} aria-label=${t('pan_left')} title=${t('pan_left')}>◀</button>
    <button type="button" onClick=${() => set(from + width / 4, to + width / 4)} aria-label=${t('pan_right')} title=${t('pan_right')}>▶</button>
    <button type="button" onClick=${() => onRange(null)} disabled=${!range}>${t('reset_zoom')}</button>
    <span class="quiet">${figure(from, 5)} … ${figure(to, 5)} s · ${t('zoom_hint')}</span>
  </div>`
}

// Horizontal bars: rows of { label, bars: [{ value, index }] }; what is negative is drawn pale.
export function Bars({ title, rows, unit, legend }) {
  const most = Math.max(1e-300, ...rows.flatMap((row) => row.bars.map((bar) => Math.abs(bar?.value ?? 0))))
  return html`<figure><figcaption>${title}</figcaption>${legend && html`<${Legend} series=${legend.map((label, index) => ({ label, index, solid: true }))} />`}
    <table><thead class="hidden-text"><tr><th>${t('joint')}</th><th>${title}</th></tr></thead><tbody>${rows.map((row) => html`<tr key=${row.label}>
      <th scope="row" class="tight"><bdi>${row.label}</bdi></th>
      <td style=${{ width: '100%' }}><div class="bars">${row.bars.map((bar, k) => html`<div key=${k} style=${{ display: 'grid', gridTemplateColumns: 'minmax(0,1fr) 6rem', gap: '.5rem', alignItems: 'center' }}>
        <svg width="100%" height="12" aria-hidden="true"><rect x="0" y="2" height="8" rx="2" width=${`${(100 * Math.abs(bar?.value ?? 0)) / most}%`} fill-opacity=${bar?.value < 0 ? 0.4 : 1} fill=${colour(bar?.index ?? k)} /></svg>
        <span class="number">${bar?.value == null ? '–' : `${figure(bar.value, 3)} ${unit ?? ''}`}</span></div>`)}</div></td></tr>`)}
    </tbody></table></figure>`
}
