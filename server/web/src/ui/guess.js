// How a log that nobody has described is probably to be read: its delimiter, the line of names, and by names, numbers of columns and
// values which column is what, in which unit. A proposal, which a person looks at.

// Words of names, the more special ones first. To add one: here.
const WORDS = [
  ['qdd', /acc|qdd|beschl/i],
  ['qd', /vel|speed|qd|omega|geschw/i],
  ['tau', /torque|moment|tau|effort|trq/i],
  ['i', /current|curr|ampere|strom/i],
  ['q', /pos|angle|winkel|axis|achse|joint|q/i],
]
const MEASURED = /act|meas|real|feedback|\bist\b|_is\b/i
const WANTED = /target|cmd|command|desired|\bdes|ref|set|soll|plan|follow|err/i
const CLOCK = /^"?(t|time|timestamp|zeit|clock|sec|seconds)\b|time/i
// Units as names have them, in brackets or behind the last underscore.
const UNITS = {
  t: [['us', /(us|µs|micro)/i], ['ns', /ns\b|nano/i], ['ms', /(ms\b|milli)/i], ['min', /min\b/i]],
  q: [['deg', /(deg|°|grad)/i], ['mm', /mm\b/i], ['rev', /\brev/i]],
  qd: [['deg/s', /(deg|°|grad)/i], ['rpm', /(rpm|1\/min|min-1)/i], ['mm/s', /mm/i]],
  qdd: [['deg/s^2', /(deg|°|grad)/i], ['mm/s^2', /mm/i]],
  tau: [['N*mm', /nmm|n\*mm/i], ['kN*m', /knm/i], ['permille_rated', /permille|‰/i], ['percent_rated', /percent|%/i], ['N*m', /nm\b|n\*m/i]],
  i: [['mA', /\bmA\b/]],
}
const PLAIN = { t: 's', q: 'rad', qd: 'rad/s', qdd: 'rad/s^2', tau: 'N*m', i: 'A' }
const SLIDES = { q: 'm', qd: 'm/s', qdd: 'm/s^2', tau: 'N', i: 'A' }
const BLOCKS = { 1: ['q'], 2: ['q', 'tau'], 3: ['q', 'qd', 'tau'], 4: ['q', 'qd', 'qdd', 'tau'] } // of columns that have no names
const TURNS = 7 // rad: what turns farther is in degrees
const LOOKED = 200 // lines

const cellsOf = (line, delimiter) => (delimiter === ' ' ? line.trim().split(/[ \t]+/) : line.split(delimiter)).map((one) => one.trim().replace(/^"|"$/g, ''))
const last = (lines) => lines[lines.length - 1]

// How lines are cut up: { delimiter, decimal, skip_rows, header, names, rows }; null: into nothing.
function layoutOf(text) {
  const lines = text.split(/\r?\n/).slice(0, LOOKED).filter((line, k, all) => k < all.length - 1 || all.length < 3) // the last may be cut off
  const body = lines.filter((line) => line.trim())
  if (body.length < 2) return null
  const widths = [';', '\t', '|', ',', ' '].map((delimiter) => ({ delimiter, width: cellsOf(last(body), delimiter).length }))
  // a comma is no delimiter where another one leaves numbers with commas
  const [{ delimiter, width }] = widths.filter((one) => one.width > 1).sort((a, b) => (a.delimiter === ',' || a.delimiter === ' ' ? 1 : 0) - (b.delimiter === ',' || b.delimiter === ' ' ? 1 : 0) || b.width - a.width).concat({ width: 0 })
  if (!width) return null
  const decimal = delimiter !== ',' && /\d,\d/.test(last(body)) ? ',' : '.'
  const number = (cell) => (cell === '' ? NaN : Number(decimal === ',' ? cell.replace(',', '.') : cell))
  const first = lines.findIndex((line) => cellsOf(line, delimiter).length === width)
  const head = cellsOf(lines[first], delimiter)
  const header = head.some((cell) => Number.isNaN(number(cell)))
  const rows = lines.slice(first + (header ? 1 : 0)).map((line) => cellsOf(line, delimiter)).filter((cells) => cells.length === width).map((cells) => cells.map(number))
  return { delimiter, decimal, skip_rows: first, header, names: header ? head : head.map((_, k) => String(k + 1)), rows }
}

const TURNING = /^(deg|rev|rpm)|N\*m/ // units that nothing which slides has, whatever the name says

function unitOf(field, name, slides) {
  const behind = name.replace(/^.*?(?=[[(_ ])/, '')
  const told = UNITS[field].find(([, like]) => like.test(behind))?.[0]
  return told && !(slides && TURNING.test(told)) ? told : (slides ? SLIDES : PLAIN)[field]
}

const column = (rows, k) => rows.map((row) => row[k])
const rises = (values) => values.length > 1 && values.every((value, k) => Number.isFinite(value) && (k === 0 || value >= values[k - 1])) && last(values) > values[0]

function clockOf({ names, rows, header }) {
  const at = names.findIndex((name, k) => (header ? CLOCK.test(name) : k === 0) && rises(column(rows, k)))
  if (at < 0) return null
  const times = column(rows, at)
  const step = (last(times) - times[0]) / (times.length - 1)
  const told = unitOf('t', names[at])
  return { at, unit: told !== 's' ? told : step >= 1e5 ? 'ns' : step >= 500 ? 'us' : step >= 0.5 ? 'ms' : 's' }
}

// Names that differ by their last number alone, in its order: [columns] for each field. What was wanted is never taken for measured.
function byNames({ names }, joints) {
  const families = new Map()
  names.forEach((name, k) => {
    const match = name.match(/^(.*?)(\d+)(\D*)$/)
    if (match) families.set(`${match[1]}#${match[3]}`, [...(families.get(`${match[1]}#${match[3]}`) ?? []), { k, number: Number(match[2]) }])
  })
  const found = {}
  for (const [stem, members] of [...families].filter(([one]) => !WANTED.test(one)).sort(([a], [b]) => MEASURED.test(b) - MEASURED.test(a))) {
    const field = WORDS.find(([, like]) => like.test(stem))?.[0]
    const ordered = members.sort((a, b) => a.number - b.number)
    if (field && !found[field] && ordered.length >= joints && ordered[joints - 1].number - ordered[0].number === joints - 1) found[field] = ordered.slice(0, joints).map(({ k }) => k)
  }
  return found
}

function byShape({ names }, joints, clock) {
  const first = clock?.at === 0 ? 1 : 0
  const fields = BLOCKS[(names.length - first) / joints] ?? []
  return Object.fromEntries(fields.map((field, block) => [field, Array.from({ length: joints }, (_, j) => first + block * joints + j)]))
}

// text: the beginning of the log; model: of the robot. { delimiter, decimal, skip_rows, header, rows: of the mapping }, or null.
export function guess(text, model) {
  const layout = layoutOf(text)
  if (!layout) return null
  const n = model.joints.length
  const clock = clockOf(layout)
  const named = layout.header ? byNames(layout, n) : {}
  const found = named.q ? named : byShape(layout, n, clock)
  const far = found.q?.some((k, j) => model.joints[j].type !== 'prismatic' && column(layout.rows, k).some((value) => Math.abs(value) > TURNS))
  const angular = (unit) => (far ? unit.replace(/^rad/, 'deg') : unit) // no log has positions in degrees and speeds in rad
  const row = (target, k, unit) => ({ target, column: layout.names[k], unit, sign: 1, offset: 0 })
  const { names, rows, ...form } = layout
  return { ...form, rows: [...(clock ? [row('t', clock.at, clock.unit)] : []), ...Object.entries(found).flatMap(([field, columns]) => columns.map((k, j) => row(`${field}${j + 1}`, k, angular(unitOf(field, names[k], model.joints[j].type === 'prismatic')))))] }
}
