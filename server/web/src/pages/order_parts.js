// What lists of orders, their queue and one order's page share.
import { html } from '../html.js'
import { link } from '../route.js'
import { t } from '../words.js'
import { get } from '../api.js'
import { now } from '../clock.js'
import { Bar, useAnswer } from '../ui/parts.js'
import { figure, shortId } from '../ui/format.js'

export const LIVING = ['accepted', 'planning', 'queued', 'loading', 'ready', 'running', 'held']
export const ENDED = ['done', 'stopped', 'failed', 'interrupted']

export const orderPath = (id) => `v1/orders/${encodeURIComponent(id)}`
export const nameOf = (order) => order.job_order_id ?? shortId(order.id)
export const OrderLink = ({ order }) => html`<a href=${link(['orders', order.id])}><bdi>${nameOf(order)}</bdi></a>${order.job_order_id && html` <code class="quiet">${shortId(order.id)}</code>`}`

const LOOK_MS = 1000

// How far the motion of an order is, which lists do not tell while it moves.
function Moving({ order }) {
  const { value } = useAnswer((signal) => get(orderPath(order.id), {}, signal), [order.id, order.state], LOOK_MS)
  const told = value ?? order
  return html`<${Bar} value=${told.progress ?? 0} label=${`${t('progress')} ${nameOf(order)}`} />${told.eta && html`<small class="number">${t('order_left', { seconds: figure(Math.max(0, (Date.parse(told.eta) - now()) / 1000), 2) })}</small>`}`
}

export const Progress = ({ order }) => (['running', 'held'].includes(order.state) ? html`<${Moving} order=${order} />`
  : order.progress != null ? html`<${Bar} value=${order.progress} label=${`${t('progress')} ${nameOf(order)}`} />`
  : order.queue_position != null ? html`<span class="quiet">${t('queue_position', { position: order.queue_position })}</span>` : '–')
