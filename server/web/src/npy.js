// A .npy of '<f8' in C order, columns named by the answer: column(name) is a Float64Array.
export function npy(buffer, names) {
  const view = new DataView(buffer)
  const start = 10 + view.getUint16(8, true)
  const header = new TextDecoder('latin1').decode(new Uint8Array(buffer, 10, start - 10))
  const shape = header.match(/'shape': \(([^)]*)\)/)[1].split(',').filter((part) => part.trim()).map(Number)
  const values = new Float64Array(buffer.slice(start))
  const columns = (names ?? '').split(',').map((name) => name.trim())
  const width = shape[1] ?? 1
  return {
    columns, rows: shape[0],
    column: (name) => {
      const at = columns.indexOf(name)
      return at < 0 ? null : Float64Array.from({ length: shape[0] }, (_, row) => values[row * width + at])
    },
  }
}
