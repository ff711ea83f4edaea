// Signals that are derived from columns of samples: what one is more than another, what is left below a frequency, how fast it changes.
//
// Low-pass: Butterworth's of second order, forwards and backwards in time, so that nothing is late. Two passes of |H|^2 = 1 / (1 +
// (w/c)^4) are 3 dB down where (w/c)^4 = sqrt(2) - 1; the bilinear transform maps a frequency f to w = tan(pi f / rate). Ends are
// continued by their odd reflection, and each pass begins at rest on its first value.
const SPREAD = 0.01 // of the steps of the clock, of their mean: what is filtered has one rate

export const clockOf = (t) => {
  const step = (t[t.length - 1] - t[0]) / (t.length - 1)
  let most = 0
  for (let k = 1; k < t.length; k++) most = Math.max(most, Math.abs(t[k] - t[k - 1] - step))
  return { rate: 1 / step, even: t.length > 2 && most <= SPREAD * step }
}

function pass(values, [b0, a1, a2]) {
  const first = values[0]
  let x1 = 0, x2 = 0, y1 = 0, y2 = 0
  return values.map((value) => {
    const x = value - first
    const y = b0 * (x + 2 * x1 + x2) - a1 * y1 - a2 * y2
    x2 = x1, x1 = x, y2 = y1, y1 = y
    return y + first
  })
}

// null: the cut-off is at or above half the rate, or nothing is there to filter.
export function lowPass(values, rate, cutoff) {
  const n = values.length
  if (!(cutoff > 0) || cutoff >= rate / 2 || n < 3) return null
  const c = Math.tan((Math.PI * cutoff) / rate) / (Math.SQRT2 - 1) ** 0.25
  const norm = 1 + Math.SQRT2 * c + c * c
  const filter = [(c * c) / norm, (2 * (c * c - 1)) / norm, (1 - Math.SQRT2 * c + c * c) / norm]
  const pad = Math.min(n - 1, Math.ceil((3 * rate) / cutoff))
  const padded = Float64Array.from({ length: n + 2 * pad }, (_, k) => {
    const at = k - pad
    return at < 0 ? 2 * values[0] - values[-at] : at >= n ? 2 * values[n - 1] - values[2 * n - 2 - at] : values[at]
  })
  return pass(pass(padded, filter).reverse(), filter).reverse().slice(pad, pad + n)
}

// By the parabola through three neighbours, whatever their distances: exact for a quadratic.
export function derivative(t, values) {
  const n = values.length
  if (n < 3) return null
  return Float64Array.from({ length: n }, (_, k) => {
    const m = Math.min(Math.max(k, 1), n - 2)
    const [before, after] = [t[m] - t[m - 1], t[m + 1] - t[m]]
    const [down, up] = [(values[m] - values[m - 1]) / before, (values[m + 1] - values[m]) / after]
    const bend = (up - down) / (before + after)
    return down + bend * (2 * t[k] - t[m - 1] - t[m])
  })
}

// signal: { a, b: taken off, or '', cutoff: Hz or 0, rate: true: its derivative }; null where it cannot be made.
export function signalOf({ a, b, cutoff, rate }, data) {
  let values = data.column(a)
  const other = b ? data.column(b) : null
  if (!values || (b && !other)) return null
  if (other) values = values.map((value, k) => value - other[k])
  const t = data.column('t')
  if (cutoff) {
    const clock = clockOf(t)
    values = clock.even ? lowPass(values, clock.rate, cutoff) : null
  }
  return values && rate ? derivative(t, values) : values
}

export const signalName = ({ a, b, cutoff, rate }) => {
  const of = b ? `${a} − ${b}` : a
  const filtered = cutoff ? `${of} < ${cutoff} Hz` : of
  return rate ? `d/dt (${filtered})` : filtered
}

// As text of an address: "tau1~tau2~10~1".
export const writeSignal = ({ a, b, cutoff, rate }) => [a, b || '', cutoff || '', rate ? 1 : ''].join('~')
export const readSignal = (text) => {
  const [a, b, cutoff, rate] = text.split('~')
  return { a, b: b ?? '', cutoff: Number(cutoff) || 0, rate: rate === '1' }
}
