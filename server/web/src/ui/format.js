// Numbers, times and names as a person reads them.
import { language } from '../session.js'

const locale = () => (language.value === 'zh' ? 'zh-CN' : 'en-GB')

// Significant digits; what is undefined is a dash.
export const figure = (value, digits = 4) => {
  if (value == null || Number.isNaN(value)) return '–'
  if (value === 0) return '0'
  const size = Math.abs(value)
  return size >= 1e6 || size < 1e-4 ? value.toExponential(digits - 1) : String(Number(value.toPrecision(digits)))
}
export const percent = (value) => (value == null ? '–' : `${value < 10 ? value.toFixed(2) : value.toFixed(1)} %`)
export const count = (value) => (value == null ? '–' : value.toLocaleString(locale()))
// 1.2 GB
export const bytes = (value) => {
  const power = value >= 1000 ? Math.min(4, Math.floor(Math.log10(value) / 3)) : 0
  return `${figure(value / 1000 ** power, 3)} ${['B', 'kB', 'MB', 'GB', 'TB'][power]}`
}
const clocks = {} // by language: a list of times takes its time from the making of them
const clockOf = (zh) => (clocks[zh] ??= new Intl.DateTimeFormat(locale(), { dateStyle: zh ? 'short' : 'medium', timeStyle: 'medium' }))
// 22 Nov 2026, 15:30:00; in Chinese the short date, which is as plain
export const moment = (text) => (Number.isNaN(Date.parse(text)) ? text || '–' : clockOf(language.value === 'zh').format(new Date(text)))
// JSON as a person reads it: a vector of numbers is one line
export const readable = (value) => JSON.stringify(value, null, 1).replace(/\[\n((?:[^[\]{}"\n]+\n)+)\s*\]/g, (_, inner) => `[${inner.trim().replace(/\n\s*/g, ' ')}]`)
export const shortId = (id) => (id && id.length > 10 ? `…${id.slice(-8)}` : id)
// value ± deviation, both to the deviation's second digit: 2.2328 ± 0.0021
export const plusMinus = (value, std) => {
  if (value == null) return '–'
  if (!(std > 0)) return figure(value)
  const rounded = Number(std.toPrecision(2))
  const power = Math.floor(Math.log10(rounded)) - 1 // of the last digit
  const large = Math.floor(Math.log10(Math.max(Math.abs(value), rounded)))
  if (large >= 6 || large < -3) {
    return `(${(value / 10 ** large).toFixed(large - power)} ± ${(rounded / 10 ** large).toFixed(large - power)})e${large}`
  }
  const show = (one) => (power > 0 ? String(Math.round(one / 10 ** power) * 10 ** power) : one.toFixed(-power))
  return `${show(value).replace(/^-(?=0(\.0*)?$)/, '')} ± ${show(rounded)}` // what is rounded to nothing has no sign
}
