// What became of telling a webhook of a job, a transfer or an order, and telling it again.
import { useState } from 'preact/hooks'
import { html } from '../html.js'
import { extend, t } from '../words.js'
import { get, post } from '../api.js'
import { Act, Refusal, useAnswer } from './parts.js'
import { Table } from './table.js'
import { moment } from './format.js'
import { said } from './sentences.js'

extend({
  deliveries: ['Telling {webhook}', '通知 {webhook}'],
  deliveries_text: ['Signed messages to the webhook that the request names.', '发送给请求所指定网络钩子的签名消息。'],
  deliveries_again: ['Tell it again', '重新通知'],
  deliveries_none: ['There is nothing to tell yet.', '目前尚无可通知的内容。'],
  delivery_of: ['Of', '事件'],
  delivery_end: ['its end', '结束'],
  delivery_attempts: ['Attempts', '尝试次数'],
  delivery_answer: ['Answered', '应答'],
  delivery_last: ['Last attempt', '上次尝试'],
  delivery_next: ['Next attempt', '下次尝试'],
  'state.pending': ['to be told', '待通知'],
  'state.delivered': ['told', '已通知'],
  'state.measured': ['measured', '已测量'],
})

const LOOKS = { pending: 'warn', delivered: 'good', failed: 'bad' }
const WAITING_MS = 1500 // between two questions while something is to be told

// path: of the deliveries; webhook: its name; turn: another one whenever there may be more to tell.
export function Deliveries({ path, webhook, turn }) {
  const [error, setError] = useState(null)
  const [asked, ask] = useState(0)
  const [pending, wait] = useState(false)
  const answer = useAnswer(async (signal) => {
    const { items } = await get(path, {}, signal)
    wait(items.some(({ state }) => state === 'pending'))
    return items
  }, [path, turn, asked], pending ? WAITING_MS : 0)
  const again = () => post(path).then(() => { setError(null); ask(asked + 1) }, setError)
  const items = answer.value
  return html`<section class="panel"><div class="head"><div><h2>${t('deliveries', { webhook })}</h2><p class="quiet">${t('deliveries_text')}</p></div>
      <${Act} role="operator" disabled=${!items?.length} onClick=${again}>${t('deliveries_again')}</${Act}></div>
    <${Refusal} error=${error ?? answer.error} />
    ${items && (items.length === 0 ? html`<p class="quiet">${t('deliveries_none')}</p>` : html`<${Table} caption=${t('deliveries', { webhook })} id=${(one) => one.event ?? 'end'} items=${items} columns=${[
      { key: 'of', head: t('delivery_of'), cell: (one) => (one.event ? t(`state.${one.event}`) : t('delivery_end')) },
      { key: 'state', head: t('state'), cell: (one) => html`<span class=${`state ${LOOKS[one.state]}`}>${t(`state.${one.state}`)}</span>` },
      { key: 'attempts', head: t('delivery_attempts'), number: true, cell: (one) => one.attempts },
      { key: 'answer', head: t('delivery_answer'), class: 'wide', cell: (one) => html`${one.http_status ?? ''} ${one.error ? said(one.error) : ''}` },
      { key: 'last', head: t('delivery_last'), class: 'tight', cell: (one) => moment(one.last_at) },
      { key: 'next', head: t('delivery_next'), class: 'tight', cell: (one) => moment(one.next_at) },
    ]} />`)}</section>`
}
