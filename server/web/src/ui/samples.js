// Samples of what is in sight, whatever the length of the series: themselves when they are few, else the least and the greatest
// values of some two thousand buckets, no more than the window has pixels. What is in sight is in the address.
import { adjust, route } from '../route.js'
import { table } from '../api.js'
import { useAnswer } from './parts.js'

const BUCKETS = 2000

// [from, to] of the clock, as the address has it; null: all.
export const windowOf = (query) => (query.get('from') && query.get('to') ? [Number(query.get('from')), Number(query.get('to'))] : null)
export const partOf = (range, whole) => (range && whole[1] > whole[0] ? (range[1] - range[0]) / (whole[1] - whole[0]) : 1)

// paths: of series with the same clock; whole: [from, to] of the clock; count: samples of one series; most: how many are few.
// { data: a table for each path, few, range, zoom(from, to), error }
export function useSamples(paths, { fields, whole, count, most = 4000 }) {
  const { query } = route.value
  const range = windowOf(query)
  const zoom = (from, to) => adjust({ from: from == null ? null : from.toPrecision(12), to: from == null ? null : to.toPrecision(12) })
  const few = count * partOf(range, whole) <= most
  const asked = { fields, from: range?.[0], to: range?.[1], points: few ? null : Math.min(BUCKETS, innerWidth) }
  const of = paths.join()
  const answer = useAnswer(async (signal) => ({ of, few, data: await Promise.all(paths.map((path) => table(path, asked, signal))) }), [of, range?.[0], range?.[1]])
  return { ...(answer.value?.of === of ? answer.value : {}), range, zoom, error: answer.error } // what others were asked for is no answer
}

// What a plot draws of a column: its line, or the band of its extremes.
export const drawn = (data, few, column, look) => (few
  ? [{ ...look, values: data.column(column) }]
  : [{ ...look, values: data.column(`${column}.max`), band: true, solid: true, width: 1 }, { ...look, label: '', values: data.column(`${column}.min`), solid: true, width: 1 }])
