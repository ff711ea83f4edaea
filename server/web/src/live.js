// What happens, as it happens: one stream of server-sent events tells whatever the parts of the page that is shown have asked
// for. While there is none they ask again and again.
import { batch, effect, signal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { events } from './api.js'
import { session } from './session.js'

const QUIET_MS = 40000 // the service says something every 15 s: after so long it is gone
const PAUSES_MS = [300, 1000, 2000, 5000, 10000, 30000] // before the next attempt; the last one from there on
const TURN_MS = 300 // what turns within it is one turn

const KINDS = { job: 'jobs', transfer: 'transfers', controller: 'controllers' }
const idOf = { jobs: (one) => one.id, transfers: (one) => one.id, controllers: (one) => one.name }

const open = signal(false)
const newest = Object.fromEntries(Object.values(KINDS).map((kind) => [kind, signal(new Map())]))
const turns = Object.fromEntries(Object.values(KINDS).map((kind) => [kind, signal(0)]))

// For useAnswer: milliseconds between two questions, none as long as the stream tells.
export const unlessLive = (every) => (open.value ? 0 : every)
// What the stream told last of a job or transfer (by id) or a controller (by name).
export const newsOf = (kind, id) => (open.value ? newest[kind].value.get(id) : undefined)
// Another number whenever something of this kind has begun or changed its state: lists ask anew then.
export const turnOf = (kind) => turns[kind].value

const turning = {}
function turn(kind) {
  turning[kind] ??= setTimeout(() => {
    turning[kind] = undefined
    turns[kind].value++
  }, TURN_MS)
}

function tell(event, data) {
  batch(() => {
    for (const kind of event === 'snapshot' ? Object.values(KINDS) : KINDS[event] ? [KINDS[event]] : []) {
      const items = event === 'snapshot' ? data[kind] : [data]
      const before = newest[kind].value
      newest[kind].value = new Map([...(event === 'snapshot' ? [] : before), ...items.map((one) => [idOf[kind](one), one])])
      if (event === 'snapshot' || items.some((one) => before.get(idOf[kind](one))?.state !== one.state)) turn(kind)
    }
  })
}

const wishes = { jobs: [], controllers: [] } // names, each as often as somebody asks for it
let stop = null // of the stream
let asked = '' // what it was asked for

async function follow(query, signal) { // signal: ends it
  for (let failed = 0, last = null; !signal.aborted; failed++) {
    const attempt = new AbortController()
    const give = () => attempt.abort()
    let watch = setTimeout(give, QUIET_MS)
    const alive = () => {
      open.value = true
      clearTimeout(watch)
      watch = setTimeout(give, QUIET_MS)
    }
    signal.addEventListener('abort', give)
    try {
      await events('v1/events', query, last, attempt.signal, alive, (event, data, id) => {
        failed = 0
        last = id ?? last
        tell(event, data)
      })
    } catch {
      // told by `open`: whoever wants to know asks now, and shows the refusal
    }
    clearTimeout(watch)
    signal.removeEventListener('abort', give)
    if (signal.aborted) return
    open.value = false
    await new Promise((done) => setTimeout(done, (0.5 + Math.random()) * PAUSES_MS[Math.min(failed, PAUSES_MS.length - 1)]))
  }
}

function settle() {
  const query = {}
  for (const [topic, names] of Object.entries(wishes)) if (names.length) query[topic] = names.includes('*') ? '*' : [...new Set(names)].sort().join(',')
  const wanted = session.state.value === 'in' ? JSON.stringify([query, session.key.value]) : ''
  if (wanted === asked) return
  asked = wanted
  stop?.abort()
  open.value = false
  if (!wanted || !Object.keys(query).length) return
  stop = new AbortController()
  follow(query, stop.signal)
}
effect(settle)

// While this part of the page is shown: follow jobs (an id or "*") and controllers with their transfers (a name or "*").
export function useLive({ jobs, controllers }) {
  useEffect(() => {
    const add = Object.entries({ jobs, controllers }).filter(([, name]) => name)
    for (const [topic, name] of add) wishes[topic].push(name)
    setTimeout(settle) // when all parts of the page have said what they want
    return () => {
      for (const [topic, name] of add) wishes[topic].splice(wishes[topic].indexOf(name), 1)
      setTimeout(settle)
    }
  }, [jobs, controllers])
}
