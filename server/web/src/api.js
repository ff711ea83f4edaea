// Calls of the service. What is refused is a Problem with the service's own words; numbers in bulk travel as .npy.
import { session } from './session.js'

const ROOT = new URL('.', document.baseURI.split('#')[0])

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

const authorized = (headers) => (session.key.value ? { ...headers, Authorization: `Bearer ${session.key.value}` } : headers)

async function problem(response) {
  const text = await response.text()
  let body = { title: `${response.status} ${response.statusText}`, detail: text.slice(0, 500) }
  try {
    body = JSON.parse(text)
  } catch {
    // a proxy's own page: what it says is the detail
  }
  if (response.status === 401) session.refused()
  return new Problem(response.status, body)
}

async function answerOf(address, options) {
  let response
  try {
    response = await fetch(address, { ...options, credentials: 'omit', cache: 'no-store' })
  } catch (error) {
    if (error.name === 'AbortError') throw error
    throw new Problem(0, { title: 'offline', detail: 'offline' })
  }
  if (!response.ok) throw await problem(response)
  return response
}

// One call; { data, etag, headers }. json: the body; accept: "npy" answers { columns, rows, values }, "stl" its bytes, "text" a
// text.
export async function call(method, path, { json, body, type, query, headers, accept, signal, etag } = {}) {
  const sent = { Accept: { npy: 'application/x-npy', stl: 'model/stl', text: '*/*', html: 'text/html', csv: 'text/csv' }[accept] ?? 'application/json', ...headers }
  if (json !== undefined) sent['Content-Type'] = type ?? 'application/json'
  else if (type) sent['Content-Type'] = type
  if (etag) sent['If-Match'] = etag
  const response = await answerOf(address(path, query), { method, signal, headers: authorized(sent), body: json !== undefined ? JSON.stringify(json) : body })
  const data = response.status === 204 ? null
    : accept === 'npy' ? npy(await response.arrayBuffer(), response.headers.get('Columns'))
    : accept === 'stl' ? await response.arrayBuffer()
    : accept ? await response.text() : await response.json()
  return { data, etag: response.headers.get('ETag'), headers: response.headers }
}

// Read server-sent events until the stream ends: tell(event, data, id) for each, alive() whenever anything comes. `last`: the
// id of the event that was seen last. (EventSource would send no key.)
export async function events(path, query, last, signal, alive, tell) {
  const headers = authorized({ Accept: 'text/event-stream', ...(last ? { 'Last-Event-ID': last } : {}) })
  const reader = (await answerOf(address(path, query), { signal, headers })).body.pipeThrough(new TextDecoderStream()).getReader()
  for (let text = ''; ;) {
    const { value, done } = await reader.read()
    if (done) return
    alive()
    const messages = (text + value).split('\n\n')
    text = messages.pop()
    for (const message of messages) {
      const field = Object.fromEntries(message.split('\n').map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1).trimStart()]))
      if (field.data !== undefined) tell(field.event, JSON.parse(field.data), field.id)
    }
  }
}

export const get = async (path, query, signal) => (await call('GET', path, { query, signal })).data
export const post = async (path, json, options) => (await call('POST', path, { json: json ?? {}, ...options })).data
export const table = async (path, query, signal) => (await call('GET', path, { query, signal, accept: 'npy' })).data
export const once = () => ({ 'Idempotency-Key': crypto.randomUUID?.() ?? `${Date.now()}-${Math.random()}` })

// A .npy of '<f8' in C order, columns named by the answer: column(name) is a Float64Array.
function npy(buffer, names) {
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

// An upload that tells how far it is, which fetch cannot.
export function upload(path, query, file, type, onProgress, { method = 'POST', headers = once() } = {}) {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest()
    request.open(method, address(path, query))
    request.setRequestHeader('Content-Type', type)
    for (const [name, value] of Object.entries(authorized(headers))) request.setRequestHeader(name, value)
    request.upload.onprogress = (event) => event.lengthComputable && onProgress(event.loaded / event.total)
    request.onerror = () => reject(new Problem(0, { title: 'offline', detail: 'offline' }))
    request.onload = () => {
      let body = {}
      try {
        body = JSON.parse(request.responseText)
      } catch {
        body = { detail: request.responseText.slice(0, 500) }
      }
      request.status < 300 ? resolve(body) : reject(new Problem(request.status, body))
    }
    request.send(file)
  })
}

// Hand a text to the person as a file.
export function save(name, text, type) {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(new Blob([text], { type }))
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(link.href), 10000)
}
