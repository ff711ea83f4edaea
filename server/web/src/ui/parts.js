// Small parts that every page uses.
import { useEffect, useLayoutEffect, useState, useCallback } from 'preact/hooks'
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
  useLayoutEffect(() => { // before anything is painted
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
