// An order that waits: it is changed, or cancelled before anything of it is at the controller.
import './motion.words.js'
import { useState } from 'preact/hooks'
import { html } from '../html.js'
import { extend, t } from '../words.js'
import { call, post } from '../api.js'
import { session } from '../session.js'
import { Dialog, FormDialog } from '../ui/dialog.js'
import { Act, Loading, useAnswer } from '../ui/parts.js'
import { OrderForm } from './order_form.js'
import { nameOf, orderPath } from './order_parts.js'

extend({
  order_change: ['Change …', '更改……'],
  order_drop: ['Take out …', '移出……'],
  order_drop_ask: ['Take this order out of the queue?', '将此订单移出队列？'],
  order_drop_does: ['Take it out', '移出队列'],
  order_drop_text: ['Nothing of it is at the controller yet: the arm stays as it is. It is cancelled, and kept among the orders that have ended.', '该订单尚未装载到控制器：手臂保持不动。订单将被取消，并保留在已结束的订单中。'],
})

const WAITING = ['accepted', 'planning', 'queued']
export const waits = (order) => WAITING.includes(order.state)

// As it is now, and what tells whether somebody else changes it meanwhile.
function Change({ id, onClose, onDone }) {
  const { value, error } = useAnswer((signal) => call('GET', orderPath(id), { signal }), [id])
  if (value) return html`<${OrderForm} order=${{ id, etag: value.etag }} request=${value.data.request} onClose=${onClose} onDone=${onDone} />`
  return html`<${Dialog} title=${t('order_change')} onClose=${onClose}><${Loading} error=${error} /></${Dialog}>`
}

function Drop({ order, onClose, onDone }) {
  const send = async () => onDone(await post(`${orderPath(order.id)}/cancel`))
  return html`<${FormDialog} title=${t('order_drop_ask')} does=${t('order_drop_does')} kind="danger" role="operator" send=${send} onClose=${onClose}>
    <p><bdi>${nameOf(order)}</bdi> <code>${order.id}</code></p><p>${t('order_drop_text')}</p></${FormDialog}>`
}

// [what opens the dialogs of an order, the dialog that is open]. The dialog stands apart from what changes by itself.
export function useWaiting(onDone) {
  const [open, set] = useState(null)
  const close = () => set(null)
  const done = (order) => { close(); onDone(order) }
  const dialog = open && (open.what === 'change' ? html`<${Change} id=${open.order.id} onClose=${close} onDone=${done} />` : html`<${Drop} order=${open.order} onClose=${close} onDone=${done} />`)
  return [(what, order) => set({ what, order }), dialog]
}

export function WaitingButtons({ order, onAsk, changeAlone }) {
  const may = session.mayMove(order.controller)
  return waits(order) && html`<${Act} role="operator" disabled=${!may} title=${may ? undefined : t('motion_missing')} onClick=${() => onAsk('change', order)}>${t('order_change')}</${Act}>
    ${!changeAlone && html` <${Act} role="operator" onClick=${() => onAsk('drop', order)}>${t('order_drop')}</${Act}>`}`
}
