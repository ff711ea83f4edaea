// What is wrong and asks for somebody, and what was.
import { useState } from 'preact/hooks'
import { html } from '../html.js'
import { adjust, link, route } from '../route.js'
import { extend, t } from '../words.js'
import { post } from '../api.js'
import { Act, Field, Head, Refusal } from '../ui/parts.js'
import { Table, useList } from '../ui/table.js'
import { count, moment } from '../ui/format.js'
import { said } from '../ui/sentences.js'
import { Typed } from '../ui/typed.js'

extend({
  alarms_text: ['Raised when a cause is seen, cleared when it is gone. To acknowledge one says that somebody knows of it, and lets nothing go on.', '发现原因时产生，原因消失时清除。确认仅表示有人知晓，不会使任何动作继续。'],
  alarms_standing: ['standing', '未清除'],
  alarms_all: ['all', '全部'],
  'alarms.active': ['active', '活动'],
  'alarms.acknowledged': ['acknowledged', '已确认'],
  'alarms.cleared': ['cleared', '已清除'],
  alarm_what: ['What', '内容'],
  alarm_code: ['Code', '代码'],
  alarm_since: ['Since', '开始'],
  alarm_until: ['Until', '结束'],
  alarm_by: ['Acknowledged by', '确认者'],
  alarm_acknowledge: ['Acknowledge', '确认'],
})

const KINDS = { active: 'bad', acknowledged: 'warn', cleared: 'idle' }
const STATES = { standing: 'active,acknowledged', active: 'active', acknowledged: 'acknowledged', cleared: 'cleared', all: '' }
const wordOf = (state) => (KINDS[state] ? t(`alarms.${state}`) : t(`alarms_${state}`))

export function Page() {
  const { query } = route.value
  const [error, setError] = useState(null)
  const chosen = query.get('state') ?? 'standing'
  const list = useList('v1/alarms', new URLSearchParams({ limit: '100', ...(STATES[chosen] && { state: STATES[chosen] }), ...(query.get('controller') && { controller: query.get('controller') }) }), 2000)
  const acknowledge = (alarm) => {
    setError(null)
    post(`v1/alarms/${alarm.id}/acknowledge`, {}).then(list.again, setError)
  }
  const totals = Object.entries(list.totals ?? {}).filter(([, number]) => number > 0)
  return html`
    <${Head} title=${t('page.alarms')} sub=${t('alarms_text')}>
      <${Field} label=${t('state')}><select value=${chosen} onChange=${(e) => adjust({ state: e.target.value })}>${Object.keys(STATES).map((state) => html`<option key=${state} value=${state}>${wordOf(state)}</option>`)}</select></${Field}>
      <${Field} label=${t('controller')}><${Typed} type="search" value=${query.get('controller') ?? ''} onValue=${(controller) => adjust({ controller })} /></${Field}>
    </${Head}>
    <${Refusal} error=${error ?? list.error} />
    <p class="quiet">${totals.map(([state, number]) => `${wordOf(state)}: ${count(number)}`).join(' · ')}</p>
    <div class="panel"><${Table} tall caption=${t('page.alarms')} id=${(alarm) => alarm.id} items=${list.items} list=${list} columns=${[
      { key: 'state', head: t('state'), cell: (alarm) => html`<span class=${`state ${KINDS[alarm.state] ?? ''}`}>${wordOf(alarm.state)}</span>` },
      { key: 'text', head: t('alarm_what'), class: 'wide', cell: (alarm) => html`<bdi>${said(alarm.text, alarm.code)}</bdi>` },
      { key: 'code', head: t('alarm_code'), class: 'tight', cell: (alarm) => html`<code>${alarm.code}</code>` },
      { key: 'controller', head: t('controller'), cell: (alarm) => alarm.controller && html`<a href=${link(['controllers', alarm.controller])}>${alarm.controller}</a>` },
      { key: 'since', head: t('alarm_since'), class: 'tight', cell: (alarm) => moment(alarm.since) },
      { key: 'until', head: t('alarm_until'), class: 'tight', cell: (alarm) => (alarm.until ? moment(alarm.until) : '–') },
      { key: 'by', head: t('alarm_by'), cell: (alarm) => (alarm.acknowledged_at ? html`<bdi title=${moment(alarm.acknowledged_at)}>${alarm.acknowledged_by}</bdi>` : html`<${Act} role="operator" onClick=${() => acknowledge(alarm)}>${t('alarm_acknowledge')}</${Act}>`) },
    ]} /></div>`
}
