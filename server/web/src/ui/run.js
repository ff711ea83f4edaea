// What pages of runs share: the joints of a run, the clock of its samples, and the positions that belong to them.
import { get, table } from '../api.js'

export const jointsOf = (run) => run.parameters.friction.map((one) => one.joint)

// The joint whose torques it explains worst, of what it had not seen if there is any.
export function worstOf(run) {
  const joints = (run.errors.validation ?? run.errors.training)?.raw.joints ?? []
  return joints.reduce((at, one, j) => (one.relative_percent > (joints[at]?.relative_percent ?? -1) ? j : at), 0)
}

// How many samples of torques are kept of a run, and the clock that runs through all its data sets.
export const keptOf = (run) => {
  const count = Object.values(run.errors).reduce((sum, one) => sum + (one?.samples ?? 0), 0)
  const kept = Math.ceil((count * run.sample_rate) / run.conditioning.rate)
  return { count, kept, whole: [0, Math.max(0, kept - 1) / run.sample_rate] }
}

// Where in the run's clock the validation begins: { value, role }.
export function bordersOf(run) {
  return run.errors.validation && run.errors.training ? [{ value: run.errors.training.samples / run.conditioning.rate, role: 'validation' }] : []
}

const MOST = 20000 // samples that are held against each other

// Residuals of one joint beside the position and velocity that they belong to: { q, qd, residual, held: is it of the validation? }; null
// where the torques of the data sets, at the times that their samples should have, are not those of the run (currents, say, or parts of
// a data set).
export async function residualsOver(run, j, signal) {
  const { kept } = keptOf(run)
  if (kept > MOST || run.sample_rate !== run.conditioning.rate) return null
  const samples = await table(`v1/identifications/${run.id}/samples`, { fields: 't,dataset,measured,filtered,predicted' }, signal)
  const [of, measured, filtered, predicted] = ['dataset', `measured${j + 1}`, `filtered${j + 1}`, `predicted${j + 1}`].map((name) => samples.column(name))
  const [border] = bordersOf(run)
  const clock = samples.column('t')
  const out = { q: [], qd: [], residual: [], held: [] }
  for (const [d, set] of run.provenance.datasets.filter((one) => one.role !== 'unloaded').entries()) {
    const log = await get(`v1/datasets/${set.id}`, {}, signal)
    if (log.samples > 10 * MOST || !log.columns.some((one) => one.name === `tau${j + 1}`)) return null
    const rows = await table(`v1/datasets/${set.id}/samples`, { fields: 't,q,tau' }, signal)
    const [times, q, tau] = ['t', `q${j + 1}`, `tau${j + 1}`].map((name) => rows.column(name))
    const first = of.indexOf(d)
    const count = of.lastIndexOf(d) - first + 1
    const at = (series, time) => {
      const k = Math.min(times.length - 2, Math.max(0, Math.floor(((time - times[0]) / (times[times.length - 1] - times[0])) * (times.length - 1))))
      const part = (time - times[k]) / (times[k + 1] - times[k])
      return series[k] + part * (series[k + 1] - series[k])
    }
    const width = 0.5 / Math.max(1, run.conditioning.position_cutoff_hz) // s, over which the filter lets nothing change
    let apart = 0, size = 0
    for (let i = 0; i < count; i++) {
      const time = times[0] + run.conditioning.trim + i / run.conditioning.rate
      apart += (at(tau, time) - measured[first + i]) ** 2
      size += measured[first + i] ** 2
      out.q.push(at(q, time))
      out.qd.push((at(q, time + width / 4) - at(q, time - width / 4)) / (width / 2))
      out.residual.push(filtered[first + i] - predicted[first + i])
      out.held.push(border !== undefined && clock[first + i] >= border.value - 0.5 / run.conditioning.rate)
    }
    if (apart > 0.01 * size) return null
  }
  return out
}
