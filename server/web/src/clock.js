// The time of the service, as its answers tell it: a browser's clock may be minutes off.
let known = null // of the last answer: its Date, and when that came by a clock that nobody sets

export function hear(headers) {
  const time = Date.parse(headers.get('Date'))
  if (!Number.isNaN(time)) known = { time, at: performance.now() }
}

// Milliseconds since 1970, up to a second late.
export const now = () => (known ? known.time + performance.now() - known.at : Date.now())
