// Long lists: pages of them that come on demand, and tables that stay fluid.
import { useEffect, useRef, useState } from 'preact/hooks'
import { html } from '../html.js'
import { t } from '../words.js'
import { get } from '../api.js'
import { Loading, useAnswer } from './parts.js'

// Pages of a list, more of them on demand. The first is asked for anew every `every` milliseconds and when `turn` changes, as long
// as no further one lies behind it.
export function useList(path, query, every = 0, turn = 0) {
  const key = `${path}?${new URLSearchParams(query)}`
  const [further, set] = useState({ key, items: [] }) // of this key: { items, cursor, busy, error }
  const rest = further.key === key ? further : { items: [] }
  const kept = useRef({})
  kept.current.held = rest.items.length > 0
  const first = useAnswer(async (signal) => (kept.current.page = kept.current.held ? kept.current.page : await get(path, query, signal)), [key, turn], every)
  const cursor = kept.current.held ? rest.cursor : first.value?.next_cursor
  const load = async () => {
    if (!cursor || rest.busy) return
    set({ ...rest, key, busy: true, error: null })
    try {
      const asked = new URLSearchParams(query)
      asked.set('cursor', cursor)
      const page = await get(path, asked)
      set({ key, items: [...rest.items, ...page.items], cursor: page.next_cursor })
    } catch (error) {
      set({ ...rest, key, busy: false, error })
    }
  }
  const again = () => {
    set({ key, items: [] })
    first.again()
  }
  return { items: first.value ? [...first.value.items, ...rest.items] : undefined, totals: first.value?.totals, cursor, load, busy: rest.busy, error: first.error ?? rest.error, again }
}

// Asks for the next page of a list when a person comes near its end; the button is for who does not scroll.
function More({ list, tall }) {
  const at = useRef()
  useEffect(() => {
    const watch = new IntersectionObserver(([end]) => end.isIntersecting && list.load(), { root: tall ? at.current.closest('.scroll') : null, rootMargin: '900px' })
    watch.observe(at.current)
    return () => watch.disconnect()
  }, [list.cursor])
  return html`<p ref=${at}><button type="button" onClick=${list.load} disabled=${list.busy}>${t('more')}</button></p>`
}

export const FIRST = 50 // rows that a list asks for at a time: more than a screen shows
const BLOCK = 100 // rows

// Rows of a long table, which are kept out of the document, but for their height, while they are far from sight: thousands of them
// stay fluid.
function Rows({ rows, width, draw }) {
  const at = useRef()
  const [height, setHeight] = useState(0) // 0: shown
  useEffect(() => {
    const watch = new IntersectionObserver(([entry]) => setHeight((old) => (entry.isIntersecting ? 0 : old || entry.boundingClientRect.height)), { root: at.current.closest('.tall'), rootMargin: '1200px' })
    watch.observe(at.current)
    return () => watch.disconnect()
  }, [])
  return html`<tbody ref=${at}>${height ? html`<tr aria-hidden="true"><td colspan=${width} style=${{ height, padding: 0 }}></td></tr>` : rows.map(draw)}</tbody>`
}

// [classes of a frame, what it is told to be]: is what it holds wider than it (`wide`), and does some of it lie to the right (`more`)?
function useWidth(there) {
  const at = useRef()
  const [is, set] = useState('')
  const look = () => set(at.current && at.current.scrollWidth > at.current.clientWidth + 1 ? `wide ${at.current.scrollLeft + at.current.clientWidth < at.current.scrollWidth - 1 ? 'more' : ''}` : '')
  useEffect(() => {
    if (!there) return
    const watch = new ResizeObserver(look)
    watch.observe(at.current)
    watch.observe(at.current.firstElementChild)
    return () => watch.disconnect()
  }, [there])
  return [is, { ref: at, onScroll: look }]
}

// A table whose columns are { key, head, cell, sort, number }; `sort` is "name" or "-name", rows may be chosen,
// and onPoint(id or null) tells at which the person points; `pointed` stands out.
export function Table({ columns, items, caption, id = (item) => item.id, sort, onSort, chosen, onChoose, list, tall, pointed, onPoint }) {
  const [width, frame] = useWidth(!!items)
  if (!items) return html`<${Loading} error=${list?.error} />`
  const heading = (column) => {
    if (column.head === '') return html`<td key=${column.key}></td>` // of buttons, which tell themselves
    const order = sort === column.sort ? 'ascending' : sort === `-${column.sort}` ? 'descending' : undefined
    return html`<th key=${column.key} scope="col" class=${column.number ? 'number' : ''} aria-sort=${column.sort ? order ?? 'none' : undefined}>
      ${column.sort && onSort
        ? html`<button type="button" onClick=${() => onSort(order === 'ascending' ? `-${column.sort}` : column.sort)}>${column.head} <span aria-hidden="true">${order ? (order === 'ascending' ? '▲' : '▼') : '↕'}</span></button>`
        : column.head}</th>`
  }
  const pointing = (one) => (onPoint ? { onMouseEnter: () => onPoint(one), onMouseLeave: () => onPoint(null), onFocusIn: () => onPoint(one), onFocusOut: () => onPoint(null) } : {})
  const draw = (item) => html`<tr key=${id(item)} class=${pointed === id(item) ? 'pointed' : undefined} ...${pointing(id(item))} aria-selected=${chosen ? String(chosen.includes(id(item))) : undefined}>
    ${chosen && html`<td><input type="checkbox" aria-label=${`${t('choose')} ${item.label || id(item)}`} checked=${chosen.includes(id(item))}
      onChange=${() => onChoose(chosen.includes(id(item)) ? chosen.filter((one) => one !== id(item)) : [...chosen, id(item)])} /></td>`}
    ${columns.map((column) => html`<td key=${column.key} class=${column.number ? 'number' : column.class ?? ''}>${column.cell(item)}</td>`)}
  </tr>`
  const blocks = Array.from({ length: Math.ceil(items.length / BLOCK) }, (_, k) => items.slice(k * BLOCK, (k + 1) * BLOCK))
  return html`
    <div ...${frame} class=${`scroll ${tall ? 'tall' : ''} ${chosen ? 'choosing' : ''} ${width}`} tabindex="0" role="region" aria-label=${caption}>
      <table>
        <caption class="hidden-text">${caption}</caption>
        <thead><tr>${chosen && html`<th scope="col"><span class="hidden-text">${t('choose')}</span></th>`}${columns.map(heading)}</tr></thead>
        ${blocks.length === 1 ? html`<tbody>${items.map(draw)}</tbody>` : blocks.map((rows, k) => html`<${Rows} key=${k} rows=${rows} width=${columns.length + (chosen ? 1 : 0)} draw=${draw} />`)}
      </table>
      ${items.length === 0 && html`<p class="quiet">${t(list?.cursor ? 'nothing_yet' : 'nothing')}</p>`}
      ${list?.cursor && html`<${More} list=${list} tall=${tall} />`}
    </div>`
}
