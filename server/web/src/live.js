// What happens, as it happens, told by the stream of events that all tabs share (hub.js). While there is none, who wants to know asks
// again and again.
import { batch, effect, signal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { ROOT } from './api.js'
import { listen, say } from './tab.js'
import { session } from './session.js'

const TURN_MS = 300 // what turns within it is one turn
const LOST_MS = 700 // a stream that is back sooner was not missed

const KINDS = { job: 'jobs', transfer: 'transfers', order: 'orders', queue: 'queues', controller: 'controllers' }
const idOf = { jobs: (one) => one.id, transfers: (one) => one.id, orders: (one) => one.id, queues: (one) => one.controller, controllers: (one) => one.name }

const open = signal(false)
const newest = Object.fromEntries(Object.values(KINDS).map((kind) => [kind, signal(new Map())]))
const turns = Object.fromEntries(Object.values(KINDS).map((kind) => [kind, signal(0)]))

// Does the service not answer?
export const lost = signal(false)
// Another number whenever the stream is there again: what was asked before may have changed, and what failed may work.
export const begun = signal(0)

// For useAnswer: milliseconds between two questions, none as long as the stream tells.
export const unlessLive = (every) => (open.value ? 0 : every)
// What the stream told last of a job, transfer or order (by id), of a controller or its queue (by the controller's name).
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

let losing
function be(state, status) {
  if (state === 'open' && !open.value) begun.value++
  open.value = state === 'open'
  clearTimeout(losing)
  if (state === 'refused') session.refused()
  if (state === 'down' && status === 0) losing = setTimeout(() => (lost.value = true), LOST_MS)
  else lost.value = false
}

listen((message) => {
  if (message.stream) be(message.stream, message.status)
  if (message.event) tell(message.event, message.data)
})

const wishes = [] // names of controllers, each as often as somebody asks for it
let asked = ''
const follow = () => {
  const names = wishes.includes('*') ? ['*'] : [...new Set(wishes)].sort()
  if (names.join() === asked || session.state.value !== 'in') return
  asked = names.join()
  say({ follow: names })
}

const join = () => {
  if (session.state.value === 'in') say({ join: { root: ROOT.href, key: session.key.value } })
  else say({ leave: 'for now' })
  asked = ''
  follow()
}
effect(join)
addEventListener('pagehide', () => say({ leave: 'for ever' }))
addEventListener('pageshow', (event) => event.persisted && join())

// While this part of the page is shown: follow a controller, its transfers and its orders, by name or "*". Jobs are always told.
export function useLive(controller) {
  useEffect(() => {
    if (!controller) return
    wishes.push(controller)
    setTimeout(follow) // when all parts of the page have said what they want
    return () => {
      wishes.splice(wishes.indexOf(controller), 1)
      setTimeout(follow)
    }
  }, [controller])
}
