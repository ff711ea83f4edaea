// STOP: in the frame of every page and in every dialog, as the rest of the page is out of reach while one is open. All of its places
// show the same, what is known of the controllers and what came of the last STOP.
import { signal } from '@preact/signals'
import { useEffect, useId, useRef, useState } from 'preact/hooks'
import { html } from './html.js'
import { get, stop } from './api.js'
import { begun, newsOf, turnOf, useLive } from './live.js'
import { extend, t } from './words.js'

extend({
  stop_group: ['Stop arms', '停止手臂'],
  stop: ['STOP {name}', '停止 {name}'],
  stop_all: ['STOP all {count}', '停止全部 {count}'],
  stop_every: ['STOP all', '全部停止'],
  stop_one: ['STOP one of {count} …', '停止 {count} 个之一……'],
  stop_search: ['Controller', '控制器'],
  stop_sent: ['STOP is on its way …', '停止指令已发出……'],
  stop_confirmed: ['{name}: stopped, the controller confirmed it.', '{name}：已停止，控制器已确认。'],
  stop_confirmed_all: ['All {count} stopped, each controller confirmed it.', '全部 {count} 个已停止，控制器均已确认。'],
  stop_unconfirmed: ['{name}: NOT CONFIRMED. Use the emergency stop.', '{name}：未得到确认！请使用急停按钮。'],
  stop_unconfirmed_some: ['NOT CONFIRMED by {missing} of {count} ({names}). Use the emergency stop.', '{count} 个中有 {missing} 个未确认（{names}）。请使用急停按钮！'],
  stop_all_name: ['Controllers', '控制器'],
  stop_note: ['Stopping over a network is no safety function: keep the emergency stop within reach.', '网络停止不是安全功能：请保持急停按钮触手可及。'],
  stop_hide: ['Hide', '隐藏'],
  stop_state_unknown: ['not seen yet', '尚未获知'],
  stop_state_unreachable: ['not connected', '未连接'],
})

const LOOK_MS = 15000 // between two looks at which controllers there are, while no stream tells
const NEWS_MS = 20000 // that an arm stopped is news for so long; that it may not have, until somebody asks again
const NAMED = 4 // controllers in a message; the menu has all

const known = signal(null) // names of the controllers; null: not known yet
const came = signal({}) // what came of the last STOP: by name { kind: "sent" | "good" | "bad" }
const said = signal(null) // the same in words: { kind, text }
let asked = 0 // STOPs

async function names(abort) {
  const found = []
  for (let cursor; cursor !== null;) {
    const page = await get('v1/controllers', { limit: 200, fields: 'name', cursor }, abort)
    found.push(...page.items.map((one) => one.name))
    cursor = page.next_cursor
  }
  return found
}

// Keeps what is known of the controllers fresh; once, in the frame.
export function useControllers() {
  const turn = `${turnOf('controllers')} ${begun.value}`
  useEffect(() => {
    const abort = new AbortController()
    const look = () => document.hidden || names(abort.signal).then((found) => (known.value = found), () => {}) // what is known stays: who stops all needs no names
    look()
    const timer = setInterval(look, LOOK_MS)
    addEventListener('visibilitychange', look)
    return () => {
      abort.abort()
      clearInterval(timer)
      removeEventListener('visibilitychange', look)
    }
  }, [turn])
}

const outcome = (name, confirmed) => ({ [name]: { kind: confirmed ? 'good' : 'bad' } })

function conclude(number, results, all) {
  if (number !== asked) return // another STOP was given meanwhile, and tells
  const missing = results.filter((one) => !one.confirmed).map((one) => one.name)
  came.value = { ...came.value, ...Object.assign({}, ...results.map((one) => outcome(one.name, one.confirmed))) }
  const few = missing.slice(0, NAMED).join(', ') + (missing.length > NAMED ? ', …' : '')
  const text = !all ? [missing.length ? 'stop_unconfirmed' : 'stop_confirmed', { name: results[0].name }]
    : missing.length ? ['stop_unconfirmed_some', { missing: missing.length, count: results.length, names: few }] : ['stop_confirmed_all', { count: results.length }]
  said.value = { kind: missing.length ? 'bad' : 'good', text }
  if (!missing.length) setTimeout(() => number === asked && (said.value = null), NEWS_MS)
}

// name: undefined = all
async function press(name) {
  const number = ++asked
  const concerned = name === undefined ? known.value ?? [] : [name]
  said.value = { kind: '', text: ['stop_sent'] }
  came.value = { ...came.value, ...Object.fromEntries(concerned.map((one) => [one, { kind: 'sent' }])) }
  try {
    const answer = await stop(name)
    conclude(number, name === undefined ? answer.controllers : [{ name, confirmed: answer.confirmed }], name === undefined)
  } catch {
    const lost = concerned.length ? concerned : [t('stop_all_name')]
    conclude(number, lost.map((one) => ({ name: one, confirmed: false })), name === undefined)
  }
}

const Came = ({ name }) => {
  const one = came.value[name]
  if (!one) return null
  return html`<span class=${`state ${one.kind === 'sent' ? '' : one.kind}`}>${{ sent: '…', good: '✓', bad: '✗' }[one.kind]}<span class="hidden-text">${t({ sent: 'stop_sent', good: 'stop_confirmed', bad: 'stop_unconfirmed' }[one.kind], { name })}</span></span>`
}

function Seen({ name }) {
  const status = newsOf('controllers', name)?.status
  if (!status) return html`<span class="quiet">${t('stop_state_unknown')}</span>`
  if (!status.connected) return html`<span class="state idle">${t('stop_state_unreachable')}</span>`
  return html`<span class=${`state ${['playing', 'armed', 'holding'].includes(status.state) ? 'warn' : ''}`}>${t(`state.${status.state}`)}</span>`
}

// One of them: found by its name, with what it does now.
function Menu({ id }) {
  const [shown, show] = useState(false)
  const [text, setText] = useState('')
  const search = useRef()
  useLive(shown ? '*' : null)
  const toggled = (event) => {
    show(event.newState === 'open')
    if (event.newState !== 'open') setText('')
  }
  useEffect(() => void (shown && search.current.focus()), [shown]) // it is there only then
  const found = (known.value ?? []).filter((name) => name.includes(text.trim().toLowerCase()))
  return html`<div popover="auto" id=${id} class="stopmenu" onToggle=${toggled} role="group" aria-label=${t('stop_one', { count: known.value?.length ?? '' })}>${shown && html`
    <label><span>${t('stop_search')}</span><input ref=${search} type="search" value=${text} onInput=${(e) => setText(e.target.value)}
      onKeyDown=${(e) => { if (e.key === 'Enter' && found.length === 1) press(found[0]) }} /></label>
    <ul>${found.map((name) => html`<li key=${name}><button type="button" class="stop" onClick=${() => press(name)}><span aria-hidden="true">■</span> ${t('stop', { name })}</button><${Seen} name=${name} /><${Came} name=${name} /></li>`)}</ul>
    ${!found.length && html`<p class="quiet">${t('nothing')}</p>`}
    <p class="quiet">${t('stop_note')}</p>`}</div>`
}

export function Stop() {
  const id = `stop${useId()}`
  const names = known.value
  if (names?.length === 0) return null
  const [one] = names?.length === 1 ? names : []
  const news = said.value
  return html`<div class="stopbar" role="group" aria-label=${t('stop_group')}>
    <button type="button" class="stop" title=${t('stop_note')} onClick=${() => press(one)}><span aria-hidden="true">■</span> ${one ? t('stop', { name: one }) : names ? t('stop_all', { count: names.length }) : t('stop_every')}</button>
    ${names?.length > 1 && html`<button type="button" class="stop" popovertarget=${id} aria-label=${t('stop_one', { count: names.length })} title=${t('stop_one', { count: names.length })}>▾</button><${Menu} id=${id} />`}
    <div role="alert" class=${news ? `said ${news.kind}` : 'hidden-text'}>${news && html`<span>${t(...news.text)}</span><button type="button" class="plain" aria-label=${t('stop_hide')} title=${t('stop_hide')} onClick=${() => (said.value = null)}>✕</button>`}</div>
  </div>`
}
