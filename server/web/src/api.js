// Calls of the service. What is refused is a Problem with the service's own words; numbers in bulk travel as .npy.
import { hear } from './clock.js'
import { session } from './session.js'

export const ROOT = new URL('.', document.baseURI.split('#')[0])

export class Problem extends Error {
  constructor(status, body) {
    super(body.detail || body.title || `HTTP ${status}`)
    this.status = status
    this.body = body
    this.faults = body.errors ?? []
  }
}

export const address = (path, query) => {
  const url = new URL(path.replace(/^\//, ''), ROOT)
  for (const [name, value] of query instanceof URLSearchParams ? query : Object.entries(query ?? {}))
    if (value != null && value !== '') url.searchParams.append(name, value)
  return url
}

export const authorized = (headers) => (session.key.value ? { ...headers, Authorization: `Bearer ${session.key.value}` } : headers)

// asked: the headers of the call. One that was sent before another key came says nothing of that key.
async function problem(response, asked) {
  const text = await response.text()
  let body = { title: `${response.status} ${response.statusText}`, detail: text.slice(0, 500) }
  try {
    body = JSON.parse(text)
  } catch {
    // a proxy's own page: what it says is the detail
  }
  if (response.status === 401 && asked?.Authorization === authorized({}).Authorization) session.refused()
  return new Problem(response.status, body)
}

const STOP_MS = 10000 // the service answers within 6 s
const AGAIN_MS = [300, 1200] // before what may be repeated is sent again

async function answerOf(address, options, again = false) {
  let response
  for (let failed = 0; !response; failed++) {
    try {
      response = await fetch(address, { ...options, credentials: 'omit', cache: 'no-store' })
    } catch (error) {
      if (options.signal?.aborted) throw error
      if (!again || failed === AGAIN_MS.length) throw new Problem(0, { title: 'offline', detail: 'offline' })
      await new Promise((done) => setTimeout(done, AGAIN_MS[failed]))
    }
  }
  hear(response.headers)
  if (!response.ok) throw await problem(response, options.headers)
  return response
}

// One call; { data, etag, headers }. json: the body; accept: "npy" answers { columns, rows, values }, "stl" its bytes, "text" a
// text. What has an Idempotency-Key is sent again when the connection fails, unless `moves` says that an arm may move of it.
export async function call(method, path, { json, body, type, query, headers, accept, signal, etag, moves } = {}) {
  const sent = { Accept: { npy: 'application/x-npy', stl: 'model/stl', text: '*/*', html: 'text/html', csv: 'text/csv' }[accept] ?? 'application/json', ...headers }
  if (json !== undefined) sent['Content-Type'] = type ?? 'application/json'
  else if (type) sent['Content-Type'] = type
  if (etag) sent['If-Match'] = etag
  const numbers = accept === 'npy' && import('./npy.js') // which comes while the answer does
  const response = await answerOf(address(path, query), { method, signal, headers: authorized(sent), body: json !== undefined ? JSON.stringify(json) : body }, !moves && !!headers?.['Idempotency-Key'])
  const data = response.status === 204 ? null
    : accept === 'npy' ? (await numbers).npy(await response.arrayBuffer(), response.headers.get('Columns'))
    : accept === 'stl' ? await response.arrayBuffer()
    : accept ? await response.text() : await response.json()
  return { data, etag: response.headers.get('ETag'), headers: response.headers }
}

// STOP, of all controllers or one: ahead of whatever else waits for a connection, and sent to its end even if the page is left.
export async function stop(controller) {
  const path = controller === undefined ? 'v1/controllers/stop' : `v1/controllers/${encodeURIComponent(controller)}/stop`
  const options = { method: 'POST', headers: authorized({ Accept: 'application/json' }), keepalive: true, priority: 'high', signal: AbortSignal.timeout(STOP_MS) }
  return (await answerOf(address(path), options)).json()
}

export const get = async (path, query, signal) => (await call('GET', path, { query, signal })).data
export const post = async (path, json, options) => (await call('POST', path, { json: json ?? {}, ...options })).data
export const table = async (path, query, signal) => (await call('GET', path, { query, signal, accept: 'npy' })).data
export const once = () => ({ 'Idempotency-Key': crypto.randomUUID?.() ?? `${Date.now()}-${Math.random()}` })

// Hand a text to the person as a file.
export function save(name, text, type) {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(new Blob([text], { type }))
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(link.href), 10000)
}
