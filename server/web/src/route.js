// What is shown stands behind the # of the address: "#/identifications?robot=scara&sort=-created_at".
import { signal } from '@preact/signals'
import { useEffect } from 'preact/hooks'

const read = () => {
  const [path, query] = location.hash.replace(/^#\/?/, '').split('?')
  return { path: path.split('/').filter(Boolean).map(decodeURIComponent), query: new URLSearchParams(query ?? '') }
}

export const route = signal(read())

const unsaved = new Set() // parts of the page where something was entered that is not kept yet
export const about = signal(null) // the robot that the page is about, where its address does not say it
export const leaving = signal(false) // the person went elsewhere, and is asked about it

addEventListener('hashchange', () => {
  const next = read()
  leaving.value = unsaved.size > 0 && next.path.join('/') !== route.value.path.join('/')
  if (!leaving.value) route.value = next
})
addEventListener('beforeunload', (event) => unsaved.size && event.preventDefault())

export function stay() {
  history.pushState(null, '', link(route.value.path, route.value.query))
  leaving.value = false
}
export function leave() {
  unsaved.clear()
  leaving.value = false
  route.value = read()
}

// While `is`, the person is asked before this page goes away.
export function useUnsaved(is) {
  useEffect(() => {
    if (!is) return
    const me = {}
    unsaved.add(me)
    return () => unsaved.delete(me)
  }, [is])
}

// While this part of the page is shown, the page is about this robot.
export function useAbout(robot) {
  useEffect(() => {
    about.value = robot ?? null
    return () => (about.value = null)
  }, [robot])
}

export const link = (path, query) => {
  const text = new URLSearchParams(query instanceof URLSearchParams ? query : Object.entries(query ?? {}).filter(([, v]) => v != null && v !== '')).toString()
  return `#/${path.map(encodeURIComponent).join('/')}${text ? `?${text}` : ''}`
}

// By the program's own decision: nobody is asked.
export function go(path, query) {
  unsaved.clear()
  location.hash = link(path, query)
}

// Change the query of what is shown: null takes a parameter away. The history keeps one entry, so that typing does not fill it.
export function adjust(changes) {
  const query = new URLSearchParams(route.value.query)
  for (const [name, value] of Object.entries(changes)) {
    query.delete(name)
    for (const one of Array.isArray(value) ? value : [value]) if (one != null && one !== '') query.append(name, one)
  }
  history.replaceState(null, '', link(route.value.path, query))
  route.value = read()
}
