// What a plot shows as a picture: PNG as on the screen, SVG as lines. about: { u (the uPlot), title, xLabel, yLabel, series: { label, values,
// colour, dash, points, band, hidden } }.
import { figure } from './format.js'

export function saveBlob(name, blob) {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(blob)
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(link.href), 10000)
}

const HEAD = 26 // px above the plot for its title, and for each row of the legend
const shownOf = (series) => series.filter((one) => one.label && !one.hidden)

export async function pictureOf({ u, title, series }) {
  const scale = devicePixelRatio
  const { width, height } = u.ctx.canvas
  const canvas = Object.assign(document.createElement('canvas'), { width, height: height + 2 * HEAD * scale })
  const to = canvas.getContext('2d')
  const style = getComputedStyle(document.documentElement)
  to.fillStyle = style.getPropertyValue('--paper')
  to.fillRect(0, 0, canvas.width, canvas.height)
  to.fillStyle = style.getPropertyValue('--ink')
  to.font = `600 ${14 * scale}px system-ui`
  to.fillText(title, 10 * scale, 18 * scale)
  to.font = `${12 * scale}px system-ui`
  let x = 10 * scale
  for (const { label, colour } of shownOf(series)) {
    to.fillStyle = colour
    to.fillRect(x, (HEAD + 9) * scale, 22 * scale, 3 * scale)
    to.fillStyle = style.getPropertyValue('--ink')
    to.fillText(label, x + 28 * scale, (HEAD + 14) * scale)
    x += to.measureText(label).width + 48 * scale
  }
  to.drawImage(u.ctx.canvas, 0, 2 * HEAD * scale)
  return new Promise((done) => canvas.toBlob(done, 'image/png'))
}

const safe = (text) => String(text).replace(/[&<>"]/g, (one) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' })[one])
const round = (value) => Math.round(value * 100) / 100

// The points of a line, broken where there is nothing.
function pathOf(u, values, across, up) {
  let path = ''
  let pen = 'M'
  const x = u.data[0]
  for (let k = 0; k < x.length; k++) {
    if (values[k] == null || x[k] < u.scales.x.min || x[k] > u.scales.x.max) {
      pen = 'M'
      continue
    }
    path += `${pen}${round(across(x[k]))} ${round(up(values[k]))}`
    pen = 'L'
  }
  return path
}

export function drawingOf({ u, title, xLabel, yLabel, series }) {
  const [width, height] = [u.width, u.height + 2 * HEAD]
  const over = { left: u.over.offsetLeft, top: u.over.offsetTop + 2 * HEAD, width: u.over.clientWidth, height: u.over.clientHeight }
  const across = (value) => over.left + u.valToPos(value, 'x')
  const up = (value) => over.top + u.valToPos(value, 'y')
  const ticks = (axis, scale) => (u.axes[axis]._splits ?? []).filter((tick) => tick != null && tick >= u.scales[scale].min && tick <= u.scales[scale].max)
  const parts = [`<rect width="${width}" height="${height}" fill="#fff"/>`, `<text x="10" y="18" font-size="14" font-weight="600">${safe(title)}</text>`]
  let at = 10
  for (const { label, colour, dash } of shownOf(series)) {
    parts.push(`<line x1="${at}" x2="${at + 24}" y1="${HEAD + 10}" y2="${HEAD + 10}" stroke="${colour}" stroke-width="2.5" stroke-dasharray="${dash.join(' ')}"/><text x="${at + 29}" y="${HEAD + 14}">${safe(label)}</text>`)
    at += 45 + 7 * label.length
  }
  for (const tick of ticks(0, 'x')) parts.push(`<line x1="${round(across(tick))}" x2="${round(across(tick))}" y1="${over.top}" y2="${over.top + over.height}" stroke="#ddd"/><text x="${round(across(tick))}" y="${over.top + over.height + 15}" text-anchor="middle">${figure(tick, 6)}</text>`)
  for (const tick of ticks(1, 'y')) parts.push(`<line x1="${over.left}" x2="${over.left + over.width}" y1="${round(up(tick))}" y2="${round(up(tick))}" stroke="#ddd"/><text x="${over.left - 6}" y="${round(up(tick)) + 4}" text-anchor="end">${figure(tick, 4)}</text>`)
  parts.push(`<text x="${over.left + over.width / 2}" y="${height - 4}" text-anchor="middle">${safe(xLabel)}</text>`, `<text transform="translate(13 ${over.top + over.height / 2}) rotate(-90)" text-anchor="middle">${safe(yLabel)}</text>`)
  const lines = series.filter((one) => !one.hidden).map((one) => (one.points
    ? [...u.data[0]].map((x, k) => (one.values[k] == null ? '' : `<circle cx="${round(across(x))}" cy="${round(up(one.values[k]))}" r="2.5" fill="none" stroke="${one.colour}"/>`)).join('')
    : `<path d="${pathOf(u, one.values, across, up)}" fill="none" stroke="${one.colour}" stroke-width="${one.width ?? (one.faint ? 1 : 1.7)}" stroke-dasharray="${one.dash.join(' ')}"/>`))
  parts.push(`<clipPath id="in"><rect x="${over.left}" y="${over.top}" width="${over.width}" height="${over.height}"/></clipPath><g clip-path="url(#in)">${lines.join('')}</g>`)
  return new Blob([`<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" font-family="system-ui, sans-serif" font-size="11" fill="#16202b">${parts.join('\n')}</svg>\n`], { type: 'image/svg+xml' })
}
