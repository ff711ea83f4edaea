// This tab's line to what all tabs share (hub.js).
const hears = new Set()
let port = null
let unheard = [] // what was said before the hub was heard first, to be said again to another one; null: it was heard

function take(to) {
  port = to
  port.onmessage = ({ data }) => {
    unheard = null
    for (const hear of [...hears]) hear(data)
  }
}

// A hub of this tab's own, where browsers have no shared workers or the worker's script cannot be fetched.
function alone() {
  const { port1, port2 } = new MessageChannel()
  take(port1)
  for (const message of unheard ?? []) port.postMessage(message) // which wait there
  import('./hub.js').then(({ serve }) => serve(port2))
}

function begin() {
  try {
    const worker = new SharedWorker(new URL('./worker.js', import.meta.url), { type: 'module', name: 'armdyn' })
    worker.onerror = () => unheard && alone()
    take(worker.port)
  } catch {
    alone()
  }
}

export function say(message) {
  if (!port) begin()
  unheard?.push(message)
  port.postMessage(message)
}

// Hear all that is said to this tab, until the function that is returned is called.
export function listen(hear) {
  hears.add(hear)
  return () => hears.delete(hear)
}
