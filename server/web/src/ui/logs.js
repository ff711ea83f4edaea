// The beginning of a log, as far as a browser can judge it before the service reads it.

const numbers = (line, delimiter) => line.split(delimiter).map((one) => (one.trim() === '' ? NaN : Number(one)))

// { names, columns, delimiter, joints } of a CSV whose first line names columns as the service does; null when it is another. joints:
// how many there are positions of.
export function readSlice(text) {
  const lines = text.split(/\r?\n/)
  if (text.length && !/\n$/.test(text)) lines.pop() // which may be cut off
  const delimiter = [',', ';', '\t'].find((one) => lines[0]?.includes(one)) ?? ','
  const names = (lines[0] ?? '').split(delimiter).map((one) => one.trim().replace(/^"|"$/g, ''))
  if (!names.includes('t') || !names.includes('q1')) return null
  const rows = lines.slice(1).filter((line) => line.trim()).map((line) => numbers(line, delimiter))
  if (rows.length < 2 || rows.some((row) => row.length !== names.length || row.some(Number.isNaN))) return null
  return { names, delimiter, columns: names.map((_, k) => rows.map((row) => row[k])), joints: names.filter((name) => /^q\d+$/.test(name)).length }
}

const FULL = 2 * Math.PI

// Columns of positions of joints that turn which are far beyond what the joint can do in rad, and not in degrees: { name, most }.
export function degreesOf({ names, columns }, { joints }) {
  return joints.flatMap((joint, j) => {
    const k = names.indexOf(`q${j + 1}`)
    if (k < 0 || joint.type === 'prismatic') return []
    const most = columns[k].reduce((max, value) => Math.max(max, Math.abs(value)), 0)
    const limit = Math.max(...(joint.limits?.position ?? [FULL]).map((one) => Math.abs(one ?? FULL)))
    return most > 1.2 * limit && (most * Math.PI) / 180 <= 1.2 * limit ? [{ name: `q${j + 1}`, most }] : []
  })
}

const UNEVEN = 0.2 // of the usual interval

// What of the beginning of a log speaks against keeping it as it is: { what, ...numbers }.
export function flawsOf({ names, columns }) {
  const t = columns[names.indexOf('t')]
  const steps = t.slice(1).map((time, k) => time - t[k])
  const usual = [...steps].sort((a, b) => a - b)[steps.length >> 1]
  const back = steps.findIndex((step) => !(step > 0))
  const uneven = steps.filter((step) => Math.abs(step - usual) > UNEVEN * usual).length
  const still = names.filter((name, k) => /^q\d+$/.test(name) && columns[k].every((value) => value === columns[k][0]))
  return [
    back >= 0 && { what: 'back', time: t[back + 1], row: back + 2 },
    back < 0 && uneven > 0 && { what: 'uneven', count: uneven, rate: 1 / usual },
    still.length > 0 && { what: 'still', columns: still.join(', ') },
    !names.some((name) => /^(tau|i)\d+$/.test(name)) && { what: 'torqueless' },
  ].filter(Boolean)
}
