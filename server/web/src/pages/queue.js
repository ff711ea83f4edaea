// The orders that wait for a controller or move its arm, and the release of a queue that is blocked.
import './motion.words.js'
import { useState } from 'preact/hooks'
import { html } from '../html.js'
import { link } from '../route.js'
import { extend, t } from '../words.js'
import { get, once, post } from '../api.js'
import { newsOf, turnOf, unlessLive, useLive } from '../live.js'
import { session } from '../session.js'
import { FormDialog } from '../ui/dialog.js'
import { Act, Notice, Refusal, State, useAnswer } from '../ui/parts.js'
import { Table, useList } from '../ui/table.js'
import { moment } from '../ui/format.js'
import { LIVING, OrderLink, Progress } from './order_parts.js'
import { WaitingButtons, useWaiting } from './order_waits.js'
import { said } from '../ui/sentences.js'

extend({
  queue: ['Queue of orders', '订单队列'],
  queue_text: ['Orders that have not ended: {count}.', '{count} 个未结束的订单。'],
  queue_all: ['All orders of this controller', '该控制器的全部订单'],
  queue_blocked: ['The queue is blocked since {since}: {why}', '队列自 {since} 起被阻止：{why}'],
  queue_release: ['Release the queue …', '解除队列阻止……'],
  queue_release_does: ['Release: the arm may move', '解除：手臂可能运动'],
  queue_release_text: ['Look at the arm first: orders that begin by themselves go on at once.', '请先查看手臂：自动开始的订单将立即继续。'],
})

function Release({ controller, why, onClose, onDone }) {
  const send = async () => {
    await post(`v1/controllers/${encodeURIComponent(controller)}/queue/release`, {}, { headers: once(), moves: true })
    onDone()
  }
  return html`<${FormDialog} title=${t('queue_release')} does=${t('queue_release_does')} role="operator" disabled=${!session.mayMove(controller)} send=${send} onClose=${onClose}>
    <p><code>${controller}</code>: ${said(why)}</p><p>${t('queue_release_text')}</p></${FormDialog}>`
}

const NOT_ENDED = LIVING.join()

export function Queue({ controller }) {
  useLive(controller)
  const [releasing, release] = useState(false)
  const news = newsOf('queues', controller)
  const answer = useAnswer((signal) => get(`v1/controllers/${encodeURIComponent(controller)}/queue`, {}, signal), [controller, news?.blocked, news?.count], unlessLive(1000))
  const list = useList('v1/orders', { controller, state: NOT_ENDED, limit: 200 }, unlessLive(1500), turnOf('orders'))
  const queue = answer.value
  const items = list.items && [...list.items].sort((a, b) => (a.queue_position ?? Infinity) - (b.queue_position ?? Infinity))
  const close = () => release(false)
  const [ask, dialog] = useWaiting(() => { answer.again(); list.again() })
  return html`<section class="panel"><div class="head"><div><h2>${t('queue')}</h2><p class="quiet">${queue && t('queue_text', { count: queue.count })} <a href=${link(['orders'], { controller })}>${t('queue_all')}</a> · <a href=${link(['shifts', controller])}>${t('page.shifts')}</a></p></div>
      ${queue?.blocked && html`<${Act} role="operator" disabled=${!session.mayMove(controller)} title=${session.mayMove(controller) ? undefined : t('motion_missing')} onClick=${() => release(true)}>${t('queue_release')}</${Act}>`}</div>
    <${Refusal} error=${answer.error ?? list.error} />
    ${queue?.blocked && html`<${Notice} kind="warn">${t('queue_blocked', { since: moment(queue.since), why: said(queue.blocked) })}</${Notice}>`}
    ${items?.length > 0 && html`<${Table} tall caption=${t('queue')} items=${items} list=${list} columns=${[
      { key: 'order', head: t('order'), cell: (one) => html`<${OrderLink} order=${one} />` },
      { key: 'state', head: t('state'), cell: (one) => html`<${State} state=${one.state} />` },
      { key: 'progress', head: t('progress'), cell: (one) => html`<${Progress} order=${one} />` },
      { key: 'start', head: t('order_start'), cell: (one) => t(`order_start.${one.start}`) },
      { key: 'priority', head: t('priority'), number: true, cell: (one) => one.priority },
      { key: 'waits', head: '', class: 'tight', cell: (one) => html`<${WaitingButtons} order=${one} onAsk=${ask} />` },
    ]} />`}${dialog}
    ${releasing && queue && html`<${Release} controller=${controller} why=${queue.blocked} onClose=${close} onDone=${() => { close(); answer.again() }} />`}</section>`
}
