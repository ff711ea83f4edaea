// Orders as they wait, move and end; those that meet the filters may be cancelled together.
import './motion.words.js'
import { useState } from 'preact/hooks'
import { html } from '../html.js'
import { adjust, go, link, route } from '../route.js'
import { extend, t } from '../words.js'
import { get, post } from '../api.js'
import { newsOf, turnOf, unlessLive, useLive } from '../live.js'
import { FormDialog, useMaking } from '../ui/dialog.js'
import { Act, Field, Head, Notice, Refusal, State, useAnswer } from '../ui/parts.js'
import { Table, useList } from '../ui/table.js'
import { Moment } from '../ui/times.js'
import { Typed } from '../ui/typed.js'
import { count, moment } from '../ui/format.js'
import { OrderForm } from './order_form.js'
import { ENDED, LIVING, OrderLink, Progress } from './order_parts.js'
import { said } from '../ui/sentences.js'

extend({
  orders_text: ['Motions that were ordered: planned, loaded and started one after the other.', '已下达的运动：依次规划、加载和启动。'],
  orders_living: ['not ended', '未结束'],
  orders_after: ['Created from', '创建时间从'],
  orders_before: ['Created before', '创建时间早于'],
  orders_cancel: ['Cancel these …', '取消这些……'],
  orders_cancel_first: ['Choose a controller, job order, state or time first.', '请先选择控制器、作业订单、状态或时间。'],
  orders_cancel_does: ['Cancel all of them', '全部取消'],
  orders_cancel_keep: ['Orders that meet all of this, also those that are not on this page:', '符合以下全部条件的订单（包括本页未显示的）：'],
  orders_cancel_text: ['What is at its controller is stopped there, moving or not, and the queue is blocked. This is no safety function.', '已在控制器上的订单将被停止（无论是否在运动），队列随之被阻止。这不是安全功能。'],
  orders_cancelled: ['{cancelled} cancelled; {ending} are being ended.', '已取消 {cancelled} 个；{ending} 个正在结束。'],
})

const STATES = { '': [], living: LIVING, ...Object.fromEntries([...LIVING, ...ENDED].map((state) => [state, [state]])) }
const stateWord = (state) => (state === 'living' ? t('orders_living') : t(`state.${state}`))

// The conditions of what is shown as the call takes them; null where they name nothing that could be cancelled.
function cancelOf(query) {
  const wanted = query.get('state') ?? ''
  if (ENDED.includes(wanted)) return null
  const json = Object.fromEntries(['controller', 'job_order_id', 'created_after', 'created_before'].map((name) => [name, query.get(name)]).filter(([, value]) => value))
  if (wanted) json.state = STATES[wanted]
  return Object.keys(json).length ? json : null
}

function CancelMany({ query, onClose, onDone }) {
  const wanted = query.get('state')
  const facts = [['controller', query.get('controller')], ['job_order', query.get('job_order_id')], ['state', wanted && stateWord(wanted)],
    ['orders_after', query.get('created_after') && moment(query.get('created_after'))], ['orders_before', query.get('created_before') && moment(query.get('created_before'))]].filter(([, value]) => value)
  const send = async () => onDone(await post('v1/orders/cancel', cancelOf(query)))
  return html`<${FormDialog} title=${t('orders_cancel')} does=${t('orders_cancel_does')} kind="danger" role="operator" send=${send} onClose=${onClose}>
    <p>${t('orders_cancel_keep')}</p><dl class="facts">${facts.map(([name, value]) => html`<dt key=${name}>${t(name)}</dt><dd><bdi>${value}</bdi></dd>`)}</dl><p>${t('orders_cancel_text')}</p></${FormDialog}>`
}

// What changes by itself stands apart from the forms, in which it would undo what is being typed.
function Listed({ query }) {
  useLive(query.get('controller') || '*')
  const asked = new URLSearchParams([...query].filter(([, value]) => value))
  for (const name of ['state', 'new']) asked.delete(name)
  if (STATES[query.get('state')]?.length) asked.set('state', STATES[query.get('state')].join())
  asked.set('limit', '100')
  const list = useList('v1/orders', asked, unlessLive(1500), turnOf('orders'))
  const items = list.items?.map((order) => (ENDED.includes(order.state) ? order : newsOf('orders', order.id) ?? order))
  const totals = Object.entries(list.totals ?? {}).filter(([, number]) => number > 0)
  return html`<${Refusal} error=${list.error} />
    <div class="panel">${totals.length > 0 && html`<p class="quiet">${totals.map(([state, number]) => `${t(`state.${state}`)} ${count(number)}`).join(' · ')}</p>`}
      <${Table} tall caption=${t('page.orders')} items=${items} list=${list} columns=${[
        { key: 'order', head: t('order'), cell: (one) => html`<${OrderLink} order=${one} />` },
        { key: 'controller', head: t('controller'), cell: (one) => html`<a href=${link(['controllers', one.controller])}>${one.controller}</a>` },
        { key: 'state', head: t('state'), cell: (one) => html`<${State} state=${one.state} />${one.blocked && html` <small class="quiet">${said(one.blocked)}</small>`}` },
        { key: 'progress', head: t('progress'), cell: (one) => html`<${Progress} order=${one} />` },
        { key: 'start', head: t('order_start'), cell: (one) => t(`order_start.${one.start}`) },
        { key: 'by', head: t('created_by'), cell: (one) => html`<bdi>${one.created_by ?? '–'}</bdi>` },
        { key: 'created', head: t('created'), class: 'tight', cell: (one) => moment(one.created_at) },
      ]} /></div>`
}

export function Page() {
  const { query } = route.value
  const [making, setMaking] = useMaking()
  const [open, setOpen] = useState('')
  const [came, setCame] = useState(null)
  const controllers = useAnswer((signal) => get('v1/controllers', { limit: 200, fields: 'name' }, signal))
  const close = () => setOpen('')
  return html`
    <${Head} title=${t('page.orders')} sub=${t('orders_text')}>
      <${Act} role="operator" class="main" onClick=${() => setMaking(true)}>${t('order_new')}</${Act}></${Head}>
    <div class="panel row">
      <${Field} label=${t('state')}><select value=${query.get('state') ?? ''} onChange=${(e) => adjust({ state: e.target.value })}>${Object.keys(STATES).map((state) => html`<option value=${state}>${state ? stateWord(state) : t('all')}</option>`)}</select></${Field}>
      <${Field} label=${t('controller')}><select value=${query.get('controller') ?? ''} onChange=${(e) => adjust({ controller: e.target.value })}><option value="">${t('all')}</option>${(controllers.value?.items ?? []).map(({ name }) => html`<option value=${name}>${name}</option>`)}</select></${Field}>
      <${Field} label=${t('job_order')}><${Typed} live type="search" maxlength="128" value=${query.get('job_order_id') ?? ''} onValue=${(job_order_id) => adjust({ job_order_id })} /></${Field}>
      <${Moment} label=${t('orders_after')} value=${query.get('created_after')} onValue=${(value) => adjust({ created_after: value })} />
      <${Moment} label=${t('orders_before')} value=${query.get('created_before')} onValue=${(value) => adjust({ created_before: value })} />
      <${Act} role="operator" disabled=${!cancelOf(query)} title=${cancelOf(query) ? undefined : t('orders_cancel_first')} onClick=${() => setOpen('cancel')}>${t('orders_cancel')}</${Act}>
    </div>
    <${Refusal} error=${controllers.error} />
    ${came && html`<${Notice} kind="good">${t('orders_cancelled', came)}</${Notice}>`}
    <${Listed} query=${query} />
    ${making && html`<${OrderForm} request=${{ controller: query.get('controller') || undefined }} onClose=${() => setMaking(false)} onDone=${({ id }) => go(['orders', id])} />`}
    ${open === 'cancel' && html`<${CancelMany} query=${query} onClose=${close} onDone=${(result) => { setCame(result); close() }} />`}`
}
