// Modals of the browser's own: the keyboard stays inside, Escape closes, STOP is within reach. What was entered is not thrown away
// unasked.
import { useEffect, useRef, useState } from 'preact/hooks'
import { html } from '../html.js'
import { adjust, route, useUnsaved } from '../route.js'
import { Stop } from '../stop.js'
import { extend, t } from '../words.js'
import { Act, Refusal } from './parts.js'

extend({
  discard_ask: ['What was entered here is not kept. Throw it away?', '此处输入的内容尚未保存，要放弃吗？'],
  discard: ['Throw away', '放弃'],
  go_on: ['Go on', '继续编辑'],
})

// [is something new being made?, set]: the address says so, and leads there.
export const useMaking = () => [route.value.query.has('new'), (is) => adjust({ new: is ? '1' : null })]

function Modal({ title, changed, onClose, children }) {
  const at = useRef()
  const [asking, ask] = useState(false)
  useUnsaved(changed)
  useEffect(() => {
    at.current.showModal()
  }, [])
  const close = (event) => {
    if (!changed) return event.type === 'click' && onClose()
    event.preventDefault()
    ask(true)
  }
  return html`<dialog ref=${at} aria-label=${title} onCancel=${(e) => e.target === at.current && close(e)} onClose=${onClose}>
    <div class="head"><h2>${title}</h2><${Stop} /></div>
    ${children(close)}
    ${asking && html`<div class="notice warn row" role="alertdialog" aria-label=${t('discard_ask')}><span>${t('discard_ask')}</span>
      <button type="button" ref=${(one) => one?.focus()} onClick=${() => ask(false)}>${t('go_on')}</button><button type="button" onClick=${onClose}>${t('discard')}</button></div>`}
  </dialog>`
}

export const Dialog = ({ title, onClose, children }) => html`<${Modal} title=${title} onClose=${onClose}>${() => children}</${Modal}>`

// A dialog that is a form: Enter and its button do what it is for, when what was entered is valid; what that was refused for stands
// beside the button.
//   send        what is done; may be asynchronous, and throw what it was refused for
//   does        the word on the button; role, disabled, kind: of the button; more: other buttons
export function FormDialog({ title, does, send, onClose, role, disabled, kind = 'main', more, children }) {
  const [changed, change] = useState(false)
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState(null)
  const submit = async (event) => {
    event.preventDefault()
    setError(null)
    setBusy(true)
    try {
      await send()
    } catch (refusal) {
      setError(refusal)
    }
    setBusy(false)
  }
  return html`<${Modal} title=${title} changed=${changed && !busy} onClose=${onClose}>${(close) => html`<form class="stack" onSubmit=${submit} onInput=${() => change(true)}>
    ${children}
    <${Refusal} error=${error} />
    <div class="row end"><button type="button" onClick=${close}>${t('cancel')}</button>${more}<${Act} type="submit" class=${kind} role=${role} disabled=${disabled} busy=${busy}>${does}</${Act}></div>
  </form>`}</${Modal}>`
}
