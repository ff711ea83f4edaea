// Friction curves as results carry them: torque over velocity, and the torques one standard deviation below and above it. null where a
// result has none, as those from before there were any.
export function frictionCurve({ curve }) {
  if (!curve) return null
  const { velocity: x, torque: mean, std } = curve
  const shifted = (sign) => mean.map((value, k) => (std?.[k] == null ? null : value + sign * std[k]))
  return { x, mean, low: shifted(-1), high: shifted(1) }
}

// Values over x at other velocities, straight between the points; null beyond them and where one of the two is.
const between = (x, values, velocities) => velocities.map((v) => {
  const k = x.findIndex((other) => other >= v)
  if (k < 0 || (k === 0 && x[0] > v)) return null
  if (x[k] === v) return values[k]
  return values[k] == null || values[k - 1] == null ? null : values[k - 1] + (values[k] - values[k - 1]) * (v - x[k - 1]) / (x[k] - x[k - 1])
})

// A curve at the velocities of a plot, and its band of one deviation filled: lines of a plot, one of its legend where the band has no name.
export function frictionLines(curve, velocities, { band = '', ...line }) {
  const at = (values) => between(curve.x, values, velocities)
  const edge = { index: line.index, faint: true, width: 0.5, solid: true, label: '' }
  const [high, low] = [at(curve.high), at(curve.low)]
  return [{ ...line, values: at(curve.mean) }, ...(high.some((value) => value != null) ? [{ ...edge, label: band, values: high, band: true }, { ...edge, values: low }] : [])]
}
