// What happened, the newest first: the log of events that streams, webhooks and brokers were told.
import { html } from '../html.js'
import { adjust, link, route } from '../route.js'
import { extend, t } from '../words.js'
import { Field, Head, Refusal } from '../ui/parts.js'
import { Exports } from '../ui/listing.js'
import { Table, useList } from '../ui/table.js'
import { moment, shortId } from '../ui/format.js'
import { said } from '../ui/sentences.js'
import { turnOf } from '../live.js'
import { Typed } from '../ui/typed.js'

extend({
  events_text: ['Every event that was told, by number; the newest 100,000 are kept.', '已通知的全部事件，按编号排列；保留最近 100000 条。'],
  event_number: ['No.', '编号'],
  happened_at: ['When', '时间'],
  event_type: ['What', '事件'],
  event_of: ['Of', '对象'],
  event_text: ['Why', '原因'],
  'event.order': ['order', '订单'],
  'event.job': ['job', '任务'],
  'event.transfer': ['transfer', '传输'],
  'event.queue': ['queue', '队列'],
  'event.controller': ['controller', '控制器'],
  'event.alarm': ['alarm', '报警'],
  'happened.accepted': ['accepted', '已接受'],
  'happened.planning': ['planning', '规划中'],
  'happened.queued': ['queued', '排队中'],
  'happened.loading': ['loading', '加载中'],
  'happened.ready': ['ready', '就绪'],
  'happened.running': ['running', '运行中'],
  'happened.held': ['held', '暂停'],
  'happened.done': ['done', '完成'],
  'happened.failed': ['failed', '失败'],
  'happened.stopped': ['stopped', '已停止'],
  'happened.cancelled': ['cancelled', '已取消'],
  'happened.interrupted': ['interrupted', '中断'],
  'happened.measured': ['measured', '已测量'],
  'happened.succeeded': ['succeeded', '成功'],
  'happened.blocked': ['blocked', '被阻止'],
  'happened.released': ['released', '已放行'],
  'happened.lost': ['does not answer', '无响应'],
  'happened.back': ['answers again', '恢复响应'],
  'happened.raised': ['raised', '产生'],
  'happened.cleared': ['cleared', '清除'],
  'happened.acknowledged': ['acknowledged', '已确认'],
})

const BAD = ['failed', 'interrupted', 'blocked', 'lost', 'raised']
const Kind = ({ type }) => {
  const [of, what] = type.split('.')
  return html`<span class=${`state ${BAD.includes(what) ? 'bad' : 'idle'}`} title=${type}>${t(`event.${of}`)} ${t(`happened.${what}`)}</span>`
}
const PLACES = { order: 'orders', job: 'jobs', controller: 'controllers' }
const Of = ({ one }) => {
  const [of] = one.type.split('.')
  const id = one[of]
  return html`${PLACES[of] && id ? html`<a href=${link([PLACES[of], id])}>${of === 'controller' ? id : shortId(id)}</a>` : id && html`<code>${shortId(id)}</code>`}
    ${of !== 'controller' && one.controller && html` <a href=${link(['controllers', one.controller])}>${one.controller}</a>`} ${one.job_order_id && html`<bdi>${one.job_order_id}</bdi>`}`
}
// What can be asked for: the ids of what an event is of, too, by links from their pages.
const ASKED = ['q', 'type', 'controller', 'job_order_id', 'order', 'job', 'transfer', 'alarm']

export function Page() {
  const { query } = route.value
  const asked = new URLSearchParams([['sort', '-number'], ['limit', '100'], ...[...query].filter(([name]) => ASKED.includes(name))])
  const list = useList('v1/events/log', asked, 5000, turnOf('orders') + turnOf('transfers') + turnOf('jobs') + turnOf('queues'))
  const text = (name, label, rest) => html`<${Field} label=${label}><${Typed} type="search" ...${rest} value=${query.get(name) ?? ''} onValue=${(text) => adjust({ [name]: text })} /></${Field}>`
  return html`<${Head} title=${t('page.events')} sub=${t('events_text')}><${Exports} path="v1/events/log" query=${asked} name="events" /></${Head}>
    <form class="row panel" role="search" onSubmit=${(e) => e.preventDefault()}>${text('q', t('search'))}${text('type', t('event_type'), { placeholder: 'order.ready,order.done' })}${text('controller', t('controller'))}${text('job_order_id', t('column.job_order_id'))}
      <button type="button" onClick=${() => adjust(Object.fromEntries([...query.keys()].map((name) => [name, null])))}>${t('clear_filters')}</button></form>
    <${Refusal} error=${list.error} />
    <div class="panel"><${Table} tall caption=${t('page.events')} id=${(one) => one.number} items=${list.items} list=${list} columns=${[
      { key: 'number', head: t('event_number'), number: true, cell: (one) => one.number },
      { key: 'at', head: t('happened_at'), class: 'tight', cell: (one) => moment(one.at) },
      { key: 'type', head: t('event_type'), cell: (one) => html`<${Kind} type=${one.type} />` },
      { key: 'of', head: t('event_of'), cell: (one) => html`<${Of} one=${one} />` },
      { key: 'text', head: t('event_text'), class: 'wide', cell: (one) => html`<bdi>${said(one.text) ?? ''}</bdi>` },
    ]} /></div>`
}
