// Small parts that every page uses.
import { useEffect, useRef, useState, useCallback } from 'preact/hooks'
import { html } from '../html.js'
import { t } from '../words.js'
import { session } from '../session.js'
import { get } from '../api.js'
import { begun } from '../live.js'
import { said } from './sentences.js'

// The title of a problem; its type stands for it in other languages.
const titled = ({ title, type }) => (title ? said(title, type) : t('refused'))

// This very case, unless the title says it all.
function Detail({ problem }) {
  const text = said(problem.detail, problem.type)
  return text && text !== titled(problem) && html`<div>${text}</div>`
}

// A problem that something ended with.
export const Ended = ({ problem }) => html`<strong>${titled(problem)}</strong><${Detail} problem=${problem} />
  ${problem.errors?.length > 0 && html`<ul>${problem.errors.map((fault, k) => html`<li key=${k}><code>${fault.pointer ?? ''}</code> ${said(fault.detail, fault.code)}</li>`)}</ul>`}`

// What a call was refused for, with every fault that the service lists.
export const Refusal = ({ error }) => error && html`
  <div class="notice bad" role="alert">
    <strong>${error.status ? titled(error.body) : t('offline')}</strong>
    ${error.status > 0 && html`<${Detail} problem=${{ ...error.body, detail: error.message }} />`}
    ${error.faults?.length > 0 && html`<ul>${error.faults.map((fault) => html`
      <li><code>${fault.pointer ?? fault.parameter ?? fault.header ?? (fault.row ? `${t('row')} ${fault.row}` : '')}</code> ${said(fault.detail, fault.code)}</li>`)}</ul>`}
  </div>`

// Instead of what is not there yet; nothing beside the error that it did not come for.
export const Loading = ({ error }) => !error && html`<p class="quiet" aria-busy="true">${t('loading')}</p>`

export const Notice = ({ kind = '', children }) => html`<div class=${`notice ${kind}`} role="status">${children}</div>`

export const Head = ({ title, sub, children }) => html`
  <div class="head"><div><h1>${title}</h1>${sub && html`<p class="quiet">${sub}</p>`}</div><div class="row">${children}</div></div>`

export const Tags = ({ tags }) => html`${Object.entries(tags ?? {}).map(([name, value]) => html`
  <span class="tag" title=${`${name}: ${value}`}><bdi>${name}</bdi>: <bdi>${value}</bdi></span>`)}`

const KINDS = { succeeded: 'good', done: 'good', ready: 'good', failed: 'bad', interrupted: 'bad', fault: 'bad', stopped: 'warn', cancelled: 'warn', holding: 'warn', held: 'warn', armed: 'warn', accepted: 'idle', queued: 'idle', empty: 'idle' }
export const State = ({ state }) => html`<span class=${`state ${KINDS[state] ?? ''}`}>${t(`state.${state}`)}</span>`

// A button that needs a role: without it it is there, disabled, and says why.
export const Act = ({ role, children, disabled, busy, ...rest }) => {
  const may = !role || session.may(role)
  return html`<button type="button" ...${rest} disabled=${disabled || busy || !may} aria-busy=${busy ? 'true' : undefined}
    title=${may ? rest.title : t('needs_role', { role: t(`role.${role}`) })}>${children}</button>`
}

export const Field = ({ label, hint, children }) => html`<label><span>${label}</span>${children}${hint && html`<small class="quiet">${hint}</small>`}</label>`

export const Check = ({ label, ...rest }) => html`<label class="check"><input type="checkbox" ...${rest} /><span>${label}</span></label>`

export const Bar = ({ value, label }) => html`
  <div class="bar" role="progressbar" aria-label=${label} aria-valuemin="0" aria-valuemax="100" aria-valuenow=${Math.round(100 * value)}><i style=${{ width: `${100 * value}%` }} /></div>`

// What passes by itself: no answer, or one that says that the service is busy.
const PASSING = [0, 429, 502, 503, 504]
const RETRIES_MS = [500, 1000, 2000, 4000, 8000]

// What an asynchronous question answers: { value, error, again }; asked anew when `of` changes, every `every` milliseconds, and after
// a failure that passes until it has.
export function useAnswer(ask, of = [], every = 0) {
  const [answer, set] = useState({ value: undefined, error: null })
  const [round, turn] = useState(0)
  useEffect(() => {
    const stop = new AbortController()
    let timer, failed = 0
    const run = async () => {
      let pause = every
      try {
        const value = await ask(stop.signal)
        if (!stop.signal.aborted) set({ value, error: null })
        failed = 0
      } catch (error) {
        if (stop.signal.aborted) return
        set((old) => ({ value: old.value, error }))
        pause = PASSING.includes(error.status) ? RETRIES_MS[Math.min(failed++, RETRIES_MS.length - 1)] : every && Math.max(every, 3000)
      }
      if (pause && !stop.signal.aborted) timer = setTimeout(run, pause)
    }
    run()
    return () => {
      stop.abort()
      clearTimeout(timer)
    }
  }, [...of, every, round])
  useEffect(() => {
    if (PASSING.includes(answer.error?.status)) turn((n) => n + 1)
  }, [begun.value])
  return { ...answer, again: useCallback(() => turn((n) => n + 1), []) }
}

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

// A table whose columns are { key, head, cell, sort, number }; `sort` is "name" or "-name", rows may be chosen,
// and onPoint(id or null) tells at which the person points; `pointed` stands out.
export function Table({ columns, items, caption, id = (item) => item.id, sort, onSort, chosen, onChoose, list, tall, pointed, onPoint }) {
  if (!items) return html`<${Loading} error=${list?.error} />`
  const heading = (column) => {
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
    <div class=${`scroll ${tall ? 'tall' : ''}`} tabindex="0" role="region" aria-label=${caption}>
      <table>
        <caption class="hidden-text">${caption}</caption>
        <thead><tr>${chosen && html`<th scope="col"><span class="hidden-text">${t('choose')}</span></th>`}${columns.map(heading)}</tr></thead>
        ${blocks.length === 1 ? html`<tbody>${items.map(draw)}</tbody>` : blocks.map((rows, k) => html`<${Rows} key=${k} rows=${rows} width=${columns.length + (chosen ? 1 : 0)} draw=${draw} />`)}
      </table>
      ${items.length === 0 && html`<p class="quiet">${t('nothing')}</p>`}
      ${list?.cursor && html`<${More} list=${list} tall=${tall} />`}
    </div>`
}
