// Friction as the service defines it: F(v) = offset + coulomb s(v) + viscous v + high_speed v² s(v), s(v) = tanh(v / velocity_scale).
const POINTS = 241

// The curve of one joint's estimate and where one standard deviation of its terms may move it (terms taken as independent).
export function frictionCurve(estimate, reach = 2) {
  const scale = estimate.velocity_scale || 1e-3
  const std = estimate.std ?? {}
  const x = Float64Array.from({ length: POINTS }, (_, k) => reach * (2 * k / (POINTS - 1) - 1))
  const terms = (v) => ({ offset: 1, coulomb: Math.tanh(v / scale), viscous: v, high_speed: v * v * Math.tanh(v / scale) })
  const mean = x.map((v) => Object.entries(terms(v)).reduce((sum, [name, factor]) => sum + (estimate[name] ?? 0) * factor, 0))
  const wide = x.map((v) => Math.sqrt(Object.entries(terms(v)).reduce((sum, [name, factor]) => sum + ((std[name] ?? 0) * factor) ** 2, 0)))
  return { x, mean, low: mean.map((value, k) => value - wide[k]), high: mean.map((value, k) => value + wide[k]) }
}
