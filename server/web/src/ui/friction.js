// Friction curves as results carry them: torque over velocity, and the torques one standard deviation below and above it. null where a
// result has none, as those from before there were any.
export function frictionCurve({ curve }) {
  if (!curve) return null
  const { velocity: x, torque: mean, std } = curve
  const shifted = (sign) => mean.map((value, k) => (std?.[k] == null ? null : value + sign * std[k]))
  return { x, mean, low: shifted(-1), high: shifted(1) }
}

// A curve at other velocities, straight between its points; null beyond them.
export function frictionAt(curve, velocities) {
  const { x, mean } = curve
  return velocities.map((v) => {
    const k = x.findIndex((other) => other >= v)
    if (k < 0 || (k === 0 && x[0] > v)) return null
    return x[k] === v ? mean[k] : mean[k - 1] + (mean[k] - mean[k - 1]) * (v - x[k - 1]) / (x[k] - x[k - 1])
  })
}
