// What is shown stands behind the # of the address: "#/identifications?robot=scara&sort=-created_at".
import { signal } from '@preact/signals'

const read = () => {
  const [path, query] = location.hash.replace(/^#\/?/, '').split('?')
  return { path: path.split('/').filter(Boolean).map(decodeURIComponent), query: new URLSearchParams(query ?? '') }
}

export const route = signal(read())
addEventListener('hashchange', () => (route.value = read()))

export const link = (path, query) => {
  const text = new URLSearchParams(query instanceof URLSearchParams ? query : Object.entries(query ?? {}).filter(([, v]) => v != null && v !== '')).toString()
  return `#/${path.map(encodeURIComponent).join('/')}${text ? `?${text}` : ''}`
}

export const go = (path, query) => (location.hash = link(path, query))

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
