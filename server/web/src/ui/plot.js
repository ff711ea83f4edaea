// Plots: lines that a colour-blind person tells apart by their dashes too, bands of least and greatest values, zoom in both directions,
// a legend that tells the values at the cursor and switches lines off, and what is shown as a picture.
import { useEffect, useRef, useState } from 'preact/hooks'
import { effect } from '@preact/signals'
import uPlot from 'uplot'
import 'uplot/dist/uPlot.min.css'
import { html } from '../html.js'
import { dark } from '../session.js'
import { extend, t } from '../words.js'
import { figure } from './format.js'
import { pictureOf, drawingOf, saveBlob } from './picture.js'

extend({
  plot_menu: ['Picture and zoom of {title}', '{title} 的图片与缩放'],
  plot_taller: ['Zoom in vertically', '纵向放大'],
  plot_lower: ['Zoom out vertically', '纵向缩小'],
  plot_all: ['Show all', '显示全部'],
  plot_line: ['Show or hide {name}', '显示或隐藏 {name}'],
})

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

function stroke(u, index, from, to) {
  u.ctx.save()
  u.ctx.strokeStyle = colour(index)
  u.ctx.setLineDash([3, 5])
  u.ctx.beginPath()
  u.ctx.moveTo(...from)
  u.ctx.lineTo(...to)
  u.ctx.stroke()
  u.ctx.restore()
}

// Lines across the plot: limits, and where something begins or ends, with its name.
function drawLines(u, hlines, vlines) {
  const { left, top, width, height } = u.bbox
  for (const { value, index = 0 } of hlines) {
    const y = u.valToPos(value, 'y', true)
    if (y >= top && y <= top + height) stroke(u, index, [left, y], [left + width, y])
  }
  for (const { value, index = 6, label } of vlines) {
    const x = u.valToPos(value, 'x', true)
    if (x < left || x > left + width) continue
    stroke(u, index, [x, top], [x, top + height])
    u.ctx.save()
    u.ctx.fillStyle = colour(index)
    u.ctx.textAlign = 'left' // whatever the axes left behind
    u.ctx.font = `${scaled(11) * devicePixelRatio}px system-ui`
    u.ctx.fillText(label, x + 4 * devicePixelRatio, top + 12 * devicePixelRatio)
    u.ctx.restore()
  }
}

// Points as squares, one by one: thousands of circles in one path take a browser without a graphics card minutes.
function drawPoints(u, k, index) {
  const { left, top, width, height } = u.bbox
  const size = 3 * devicePixelRatio
  u.ctx.save()
  u.ctx.fillStyle = colour(index)
  for (let i = 0; i < u.data[0].length; i++) {
    if (u.data[k][i] == null) continue
    const [x, y] = [u.valToPos(u.data[0][i], 'x', true), u.valToPos(u.data[k][i], 'y', true)]
    if (x >= left && x <= left + width && y >= top && y <= top + height) u.ctx.fillRect(x - size / 2, y - size / 2, size, size)
  }
  u.ctx.restore()
}

// Which line of the legend each series belongs to: one without a label is the other side of the band before it.
const ownersOf = (series) => {
  let owner = -1
  return series.map((one, k) => (owner = one.label || owner < 0 ? k : owner))
}

function Values({ series, owners, hidden, onToggle, slots }) {
  return html`<ul class="legend">${series.map((one, k) => owners[k] === k && html`<li key=${k}>
    <button type="button" class="plain" aria-pressed=${!hidden.has(k)} title=${t('plot_line', { name: one.label })} onClick=${() => onToggle(k)}><${Sample} index=${one.index ?? k} solid=${one.solid} points=${one.points} /><bdi>${one.label}</bdi></button>
    <output ref=${(at) => (slots.current[k] = at)} class="number"></output></li>`)}</ul>`
}

// series: { label, values, index, faint, solid, points, bars, band } in the order of drawing; `band`: filled down to the one after.
// onRange(from, to) when the person zoomed, onRange(null) when all is wanted again; sync: plots of one name share cursor and zoom;
// hlines { value, index }, vlines { value, label, index }: lines across; time: a signal whose value is marked, and set by a click.
export function Plot({ title, x, series, xLabel, yLabel, height = 230, logX, logY, onRange, range, sync, hlines = [], vlines = [], time }) {
  const at = useRef()
  const plot = useRef()
  const slots = useRef([])
  const tall = useRef(null) // [low, high] of y, when the person chose it
  const [hidden, hide] = useState(new Set())
  const owners = ownersOf(series)
  const shape = JSON.stringify([series.map((one) => [one.label, one.index, one.faint, one.solid, one.points, one.band]), logX, logY, xLabel, yLabel, dark.value, height, hlines, vlines])
  const now = useRef({})
  now.current = { onRange, series, owners, x, time }

  const write = (u) => {
    const k = u.cursor.idx
    const inside = u.cursor.left >= 0 && k != null
    now.current.series.forEach((one, i) => {
      const slot = now.current.owners[i] === i && slots.current[i]
      if (!slot) return
      const other = one.band && now.current.owners[i + 1] === i ? now.current.series[i + 1].values[k] : undefined
      slot.value = !inside ? '' : other === undefined ? figure(one.values[k], 4) : `${figure(other, 4)} … ${figure(one.values[k], 4)}`
    })
  }
  const all = () => {
    tall.current = null
    plot.current?.setData(plot.current.data)
    now.current.onRange?.(null)
  }
  const stretch = (factor) => {
    const { min, max } = plot.current.scales.y
    const [middle, half] = [(min + max) / 2, ((max - min) / 2) * factor]
    tall.current = [middle - half, middle + half]
    plot.current.setScale('y', { min: tall.current[0], max: tall.current[1] })
  }

  useEffect(() => {
    const own = {
      width: at.current.clientWidth || 600, height: scaled(height), legend: { show: false },
      cursor: { drag: { x: true, y: !logY, uni: 30 }, sync: sync ? { key: sync, setSeries: false } : undefined, points: { show: false } },
      scales: { x: { time: false, distr: logX ? 3 : 1 }, y: { distr: logY ? 3 : 1, range: logY ? undefined : (_, low, high) => tall.current ?? (low == null ? [0, 1] : uPlot.rangeNum(low, high, 0.1, true)) } },
      axes: [{ ...axisOf(xLabel, 32), ...(logX && logarithmic) }, { ...axisOf(yLabel, 62), values: (_, ticks) => ticks.map((tick) => (tick == null ? '' : figure(tick, 3))), ...(logY && logarithmic) }],
      series: [{}, ...series.map((one, k) => ({
        label: one.label ?? '', stroke: () => colour(one.index ?? k) + (one.faint ? '88' : ''), width: one.width ?? (one.faint ? 1 : 1.7), dash: one.solid || one.points ? undefined : dashes(one.index ?? k), show: !hidden.has(owners[k]),
        points: { show: false }, spanGaps: false, paths: one.points ? () => null : one.bars ? uPlot.paths.bars({ size: [0.95] }) : undefined, fill: one.bars ? colour(one.index ?? k) + '66' : undefined,
      }))],
      bands: series.flatMap((one, k) => (one.band ? [{ series: [k + 1, k + 2], fill: colour(one.index ?? k) + '44' }] : [])),
      hooks: {
        draw: [(u) => drawLines(u, hlines, vlines)],
        drawSeries: [(u, k) => series[k - 1].points && drawPoints(u, k, series[k - 1].index ?? k - 1)],
        setCursor: [write],
        setSelect: [(u) => {
          const { left, top, width, height: h } = u.select
          const whole = { x: width > u.over.clientWidth - 2, y: h > u.over.clientHeight - 2 }
          if (!whole.y && h > 5) {
            tall.current = [u.posToVal(top + h, 'y'), u.posToVal(top, 'y')]
            u.setScale('y', { min: tall.current[0], max: tall.current[1] })
          }
          if (!whole.x && width > 5) {
            const [from, to] = [u.posToVal(left, 'x'), u.posToVal(left + width, 'x')]
            now.current.onRange ? now.current.onRange(from, to) : u.setScale('x', { min: from, max: to })
          }
          u.setSelect({ left: 0, width: 0, top: 0, height: 0 }, false)
        }],
      },
    }
    own.cursor.drag.setScale = false
    const u = new uPlot(own, [x, ...series.map((one) => one.values)], at.current)
    plot.current = u
    u.over.addEventListener('dblclick', all)
    const mark = document.createElement('div')
    mark.className = 'mark'
    u.over.append(mark)
    const follow = time && effect(() => {
      const place = time.value == null ? -1 : u.valToPos(time.value, 'x')
      mark.style.display = place < 0 || place > u.over.clientWidth ? 'none' : 'block'
      mark.style.transform = `translateX(${place}px)`
    })
    u.over.addEventListener('click', () => time && u.cursor.left >= 0 && (time.value = u.posToVal(u.cursor.left, 'x')))
    const watch = new ResizeObserver(() => { // it tells the present size first: nothing is drawn again for that
      const size = { width: at.current.clientWidth, height: scaled(height) }
      if (size.width !== u.width || size.height !== u.height) u.setSize(size)
    })
    watch.observe(at.current)
    return () => {
      watch.disconnect()
      follow?.()
      u.destroy()
      plot.current = null
    }
  }, [shape, time])
  useEffect(() => {
    plot.current?.setData([x, ...series.map((one) => one.values)])
    if (range) plot.current?.setScale('x', { min: range[0], max: range[1] })
  }, [x, series, range?.[0], range?.[1]])
  useEffect(() => owners.forEach((owner, k) => plot.current?.setSeries(k + 1, { show: !hidden.has(owner) })), [hidden])

  const toggle = (k) => hide((old) => new Set(old.has(k) ? [...old].filter((one) => one !== k) : [...old, k]))
  const about = () => ({ u: plot.current, title, xLabel, yLabel, series: series.map((one, k) => ({ ...one, colour: colour(one.index ?? k), dash: one.solid || one.points ? [] : dashes(one.index ?? k), hidden: hidden.has(owners[k]) })) })
  const name = title.replace(/[^\p{L}\p{N}]+/gu, '-')
  return html`<figure><figcaption>${title}<details class="plotmenu"><summary aria-label=${t('plot_menu', { title })} title=${t('plot_menu', { title })}>⋯</summary><div class="panel stack">
      ${!logY && html`<button type="button" onClick=${() => stretch(0.5)}>${t('plot_taller')}</button><button type="button" onClick=${() => stretch(2)}>${t('plot_lower')}</button>`}
      <button type="button" onClick=${all}>${t('plot_all')}</button>
      <button type="button" onClick=${async () => saveBlob(`${name}.png`, await pictureOf(about()))}>PNG</button>
      <button type="button" onClick=${() => saveBlob(`${name}.svg`, drawingOf(about()))}>SVG</button></div></details></figcaption>
    <${Values} series=${series} owners=${owners} hidden=${hidden} onToggle=${toggle} slots=${slots} />
    <div class="plot" ref=${at} role="img" aria-label=${`${title}. ${yLabel}, ${xLabel}: ${series.map((one) => one.label).filter(Boolean).join(', ')}`}></div></figure>`
}
