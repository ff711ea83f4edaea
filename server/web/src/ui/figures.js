// Figures to the digits that their scale or deviation allows, as in reports (api/report/markup.c); tests/support/figures.json is held
// against both.
const NOTHING = 1e-12 // of the scale
// What one of an arm's quantities is, in these units; of masses and inertias, which may be as small as they like, there is none.
const SCALES = { rad: 1, m: 1, mrad: 1e3, mm: 1e3, 'rad/s': 1, 'm/s': 1, 'rad/s²': 1, 'm/s²': 1, 'N m': 1, N: 1, J: 1, W: 1, s: 1, ms: 1e3 }
// Significant digits; what is undefined is a dash. What is no more than rounding leaves of sums of that scale is 0: a held arm is off
// by 0 rad, not by 1.5e-20.
export const figure = (value, digits = 4, scale = 0) => {
  if (value == null || Number.isNaN(value)) return '–'
  const size = Math.abs(value)
  if (size <= NOTHING * scale) return '0'
  return size >= 1e6 || size < 1e-4 ? value.toExponential(digits - 1) : String(Number(value.toPrecision(digits)))
}
export const measure = (value, unit, digits = 4) => (value == null ? '–' : `${figure(value, digits, SCALES[unit])} ${unit}`)
// How long something lasts, as people say it: 3.2 s, 2 min 05 s, 8 h 01 min
export const lasting = (seconds) => {
  if (!(Math.round(seconds) >= 60)) return measure(seconds, 's', 3)
  const whole = Math.round(seconds), minutes = Math.round(seconds / 60)
  const two = (one) => String(one % 60).padStart(2, '0')
  return whole < 3600 ? `${Math.floor(whole / 60)} min ${two(whole)} s` : `${Math.floor(minutes / 60)} h ${two(minutes)} min`
}
// value ± deviation, both to the deviation's second digit: 2.2328 ± 0.0021
export const plusMinus = (value, std) => {
  if (value == null) return '–'
  if (!(std > NOTHING * Math.abs(value))) return figure(value)
  const rounded = Number(std.toPrecision(2))
  const power = Math.floor(Math.log10(rounded)) - 1 // of the last digit
  const large = Math.floor(Math.log10(Math.max(Math.abs(value), rounded)))
  if (large >= 6 || large < -3) {
    return `(${(value / 10 ** large).toFixed(large - power)} ± ${(rounded / 10 ** large).toFixed(large - power)})e${large}`
  }
  const show = (one) => (power > 0 ? String(Math.round(one / 10 ** power) * 10 ** power) : one.toFixed(-power))
  return `${show(value).replace(/^-(?=0(\.0*)?$)/, '')} ± ${show(rounded)}` // what is rounded to nothing has no sign
}
