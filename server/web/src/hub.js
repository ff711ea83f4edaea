// What all tabs of one browser share, so that the six connections it opens to an origin stay free for calls, a STOP among them: one
// stream of events for all who have the same key, and uploads a few at a time. It runs in a shared worker (worker.js), or, where
// there is none, in the page.
//
// A tab says     { join: { root, key } }, { follow: [controllers] } ("*": all), { upload: { id, ... } }, { abort: id }, { leave }
// and is told    { stream: "begins" | "open" | "down" | "refused", status }, { event, data }, { progress: id, part }, { uploaded: id, status, text }
const UPLOADS = 2 // at a time
const QUIET_MS = 40000 // the service says something every 15 s: after so long it is gone
const PAUSES_MS = [100, 300, 700, 1000] // before the next attempt; the last one for a minute
const LONG_MS = 5000 // after that
const KEPT = 500 // of each kind that are remembered for tabs that come later
const NAMES = 64 // that a stream may be asked for; more: all

const KINDS = { job: 'jobs', transfer: 'transfers', order: 'orders', queue: 'queues', controller: 'controllers' }
const idOf = (event, one) => one[{ controller: 'name', queue: 'controller' }[event] ?? 'id']
const pause = (ms, signal) => new Promise((done) => {
  const timer = setTimeout(done, ms)
  signal.addEventListener('abort', () => done(clearTimeout(timer)))
})

// Read server-sent events until the stream ends: tell(event, data, id) for each, alive() whenever anything comes.
// (EventSource would send no key.)
async function read(body, alive, tell) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader()
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

const streams = new Map() // by root and key

class Stream {
  constructor(root, key) {
    this.root = root
    this.key = key
    this.tabs = new Map() // port: controllers that it follows
    this.newest = Object.fromEntries(Object.values(KINDS).map((name) => [name, new Map()])) // since the last snapshot
    this.known = false // has there been one?
    this.state = { stream: 'begins', status: 0 }
  }

  all(message) {
    for (const port of this.tabs.keys()) port.postMessage(message)
  }

  be(stream, status = 0) {
    if (this.state.stream === stream && this.state.status === status) return
    this.state = { stream, status }
    this.all(this.state)
  }

  join(port) {
    this.tabs.set(port, [])
    port.postMessage(this.state)
    if (this.known) port.postMessage({ event: 'snapshot', data: Object.fromEntries(Object.entries(this.newest).map(([kind, ones]) => [kind, [...ones.values()]])) })
    this.settle()
  }

  leave(port) {
    this.tabs.delete(port)
    this.settle()
  }

  follow(port, controllers) {
    this.tabs.set(port, controllers)
    this.settle()
  }

  // Ask for what the tabs follow by now, once all have said what they want.
  settle() {
    clearTimeout(this.settling)
    this.settling = setTimeout(() => {
      const names = [...new Set([...this.tabs.values()].flat())].sort()
      const query = new URLSearchParams({ jobs: '*' })
      if (names.length) query.set('controllers', names.includes('*') || names.length > NAMES ? '*' : names.join())
      const wanted = this.tabs.size ? String(query) : null
      if (wanted === this.asked) return
      this.asked = wanted
      this.stop?.abort()
      if (wanted) this.run(wanted, (this.stop = new AbortController()).signal)
      else streams.delete(this.root + this.key)
    }, 30)
  }

  take(event, data, id) {
    this.last = id ?? this.last
    if (event === 'snapshot') {
      for (const [kind, name] of Object.entries(KINDS)) this.newest[name] = new Map(data[name].map((one) => [idOf(kind, one), one]))
      this.known = true
    } else if (KINDS[event]) {
      const kept = this.newest[KINDS[event]]
      kept.delete(idOf(event, data)) // so that the oldest news comes first
      kept.set(idOf(event, data), data)
      if (kept.size > KEPT) kept.delete(kept.keys().next().value)
    }
    this.all({ event, data })
  }

  async run(query, signal) { // signal: ends it
    this.last = null // what is asked for is other than before: a snapshot comes
    this.be('begins')
    for (let failed = 0; !signal.aborted; failed++) {
      const attempt = new AbortController()
      const give = () => attempt.abort()
      let watch = setTimeout(give, QUIET_MS)
      const alive = () => {
        clearTimeout(watch)
        watch = setTimeout(give, QUIET_MS)
      }
      signal.addEventListener('abort', give)
      let status = 0
      try {
        const headers = { Accept: 'text/event-stream', ...(this.key && { Authorization: `Bearer ${this.key}` }), ...(this.last && { 'Last-Event-ID': this.last }) }
        const answer = await fetch(new URL(`v1/events?${query}`, this.root), { headers, signal: attempt.signal, credentials: 'omit', cache: 'no-store' })
        status = answer.status
        if (answer.ok) {
          this.be('open')
          await read(answer.body, alive, (event, data, id) => {
            failed = 0
            this.take(event, data, id)
          })
          status = 0
        }
      } catch {
        status = 0 // told by the state: whoever wants to know asks now, and shows the refusal
      }
      clearTimeout(watch)
      signal.removeEventListener('abort', give)
      if (signal.aborted) return
      this.be(status === 401 ? 'refused' : 'down', status)
      if (status === 401) return
      await pause((0.75 + Math.random() / 2) * (failed > 60 ? LONG_MS : PAUSES_MS[Math.min(failed, PAUSES_MS.length - 1)]), signal)
    }
  }
}

// -- uploads, which tell how far they are: fetch cannot --

const waiting = []
const running = new Map() // XMLHttpRequest by upload

function next() {
  while (running.size < UPLOADS && waiting.length) start(waiting.shift())
}

function start(upload) {
  const { port, id, method, url, headers, body } = upload
  const request = new XMLHttpRequest()
  running.set(upload, request)
  const end = (message) => {
    running.delete(upload)
    port.postMessage({ uploaded: id, ...message })
    next()
  }
  request.open(method, url)
  for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value)
  request.upload.onprogress = (event) => event.lengthComputable && port.postMessage({ progress: id, part: event.loaded / event.total })
  request.onerror = () => end({ status: 0, text: '' })
  request.onabort = () => end({ status: 0, text: 'aborted' })
  request.onload = () => end({ status: request.status, text: request.responseText })
  port.postMessage({ progress: id, part: 0 })
  request.send(body)
}

function abort(of) {
  for (const upload of waiting.filter(of)) waiting.splice(waiting.indexOf(upload), 1)
  for (const [upload, request] of [...running]) if (of(upload)) request.abort()
}

// -- a tab --

export function serve(port) {
  let stream = null
  const leave = () => {
    stream?.leave(port)
    stream = null
  }
  port.addEventListener('close', () => { // where browsers tell; a tab that can says { leave }
    leave()
    abort((upload) => upload.port === port)
  })
  port.onmessage = ({ data }) => {
    if (data.join) {
      leave()
      const { root, key } = data.join
      if (!streams.has(root + key)) streams.set(root + key, new Stream(root, key))
      stream = streams.get(root + key)
      stream.join(port)
    }
    if (data.follow) stream?.follow(port, data.follow)
    if (data.upload) {
      waiting.push({ port, ...data.upload })
      next()
    }
    if (data.abort) abort((upload) => upload.port === port && upload.id === data.abort)
    if (data.leave) {
      leave()
      if (data.leave === 'for ever') abort((upload) => upload.port === port)
    }
  }
}
