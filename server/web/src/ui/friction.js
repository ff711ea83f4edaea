// Friction as the service defines it, but for what depends on the position: F(v) = offset + coulomb (1 - e(v)) s(v) + stiction e(v) s(v)
// + viscous v + high_speed v² s(v), with s(v) = tanh(v / velocity_scale) and e(v) = exp(-(v / stribeck_velocity)²), 0 without stiction.
const POINTS = 241

// The curve of one joint's estimate and where one standard deviation of its terms may move it (terms taken as independent).
export function frictionCurve(estimate, reach = 2) {
  const scale = estimate.velocity_scale || 1e-3
  const std = estimate.std ?? {}
  const x = Float64Array.from({ length: POINTS }, (_, k) => reach * (2 * k / (POINTS - 1) - 1))
  const fading = (v) => (estimate.stiction != null && estimate.stribeck_velocity > 0 ? Math.exp(-((v / estimate.stribeck_velocity) ** 2)) : 0)
  const terms = (v) => {
    const s = Math.tanh(v / scale), e = fading(v)
    return { offset: 1, coulomb: (1 - e) * s, stiction: e * s, viscous: v, high_speed: v * v * s }
  }
  const mean = x.map((v) => Object.entries(terms(v)).reduce((sum, [name, factor]) => sum + (estimate[name] ?? 0) * factor, 0))
  const wide = x.map((v) => Math.sqrt(Object.entries(terms(v)).reduce((sum, [name, factor]) => sum + ((std[name] ?? 0) * factor) ** 2, 0)))
  return { x, mean, low: mean.map((value, k) => value - wide[k]), high: mean.map((value, k) => value + wide[k]) }
}
