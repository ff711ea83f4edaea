// Numbers, times and names as a person reads them.
import { language } from '../session.js'
import { figure } from './figures.js'

export { figure, lasting, measure, plusMinus } from './figures.js'

const locale = () => (language.value === 'zh' ? 'zh-CN' : 'en-GB')

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
