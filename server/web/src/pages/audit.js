// Who did what, when, from where, and what came of it.
import { html } from '../html.js'
import { adjust, route } from '../route.js'
import { extend, t } from '../words.js'
import { Field, Head, Refusal } from '../ui/parts.js'
import { Exports } from '../ui/listing.js'
import { Moment } from '../ui/times.js'
import { Table, useList } from '../ui/table.js'
import { moment } from '../ui/format.js'
import { Typed } from '../ui/typed.js'

extend({
  audit_text: ['Changes, transfers and refusals. Each entry holds the hash of the one before: nothing can be taken out unseen.', '变更、传输与拒绝的记录。每条记录包含前一条的哈希，无法悄悄删除。'],
  number: ['No.', '编号'],
  at: ['When', '时间'],
  from_where: ['From', '来源'],
  what: ['What', '操作'],
  came: ['Answer', '结果'],
  key_filter: ['Id of the key', '密钥编号'],
  audit_from: ['From', '自'],
  audit_to: ['Before', '至'],
  operation_filter: ['Operation', '操作名'],
})

export function Page() {
  const { query } = route.value
  const asked = new URLSearchParams([...query])
  asked.set('limit', '100')
  const list = useList('v1/audit', asked)
  const text = (name, label, rest) => html`<${Field} label=${t(label)}><${Typed} type="search" ...${rest} value=${query.get(name) ?? ''} onValue=${(text) => adjust({ [name]: text })} /></${Field}>`
  return html`
    <${Head} title=${t('page.audit')} sub=${t('audit_text')}>
      <${Exports} path="v1/audit" query=${asked} name="audit" of=${({ entry, ...rest }) => ({ ...rest, ...entry })} />
    </${Head}>
    <form class="row panel" role="search" onSubmit=${(e) => e.preventDefault()}>
      <${Moment} label=${t('audit_from')} value=${query.get('at_after')} onValue=${(at_after) => adjust({ at_after })} />
      <${Moment} label=${t('audit_to')} value=${query.get('at_before')} onValue=${(at_before) => adjust({ at_before })} />
      ${text('q', 'search')}${text('key', 'key_filter')}${text('operation', 'operation_filter', { placeholder: 'createRobot' })}${text('job_order_id', 'column.job_order_id')}
      <button type="button" onClick=${() => adjust(Object.fromEntries([...query.keys()].map((name) => [name, null])))}>${t('clear_filters')}</button></form>
    <${Refusal} error=${list.error} />
    <div class="panel"><${Table} tall caption=${t('page.audit')} id=${(item) => item.number} items=${list.items} list=${list} columns=${[
      { key: 'number', head: t('number'), number: true, cell: (item) => item.number },
      { key: 'at', head: t('at'), class: 'tight', cell: ({ entry }) => moment(entry.at) },
      { key: 'who', head: t('who'), cell: ({ entry }) => html`<bdi title=${entry.key}>${entry.key_name || entry.key}</bdi>` },
      { key: 'from', head: t('from_where'), cell: ({ entry }) => entry.address },
      { key: 'what', head: t('what'), class: 'wide', cell: ({ entry }) => html`<strong>${entry.operation ?? ''}</strong> <code>${entry.method} ${entry.path}</code>${entry.resource ? html` → <code>${entry.resource}</code>` : ''}` },
      { key: 'came', head: t('came'), cell: ({ entry }) => html`<span class=${`state ${entry.status < 400 ? 'good' : 'bad'}`}>${entry.status}</span>` },
      { key: 'reason', head: t('reason'), cell: ({ entry }) => entry.reason ?? '' },
      { key: 'hash', head: 'SHA-256', class: 'tight', cell: (item) => html`<code title=${item.hash}>${item.hash.slice(0, 12)}</code>` },
    ]} /></div>`
}
