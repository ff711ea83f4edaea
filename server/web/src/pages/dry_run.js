// What a transfer would write to a controller with registers of its own, register by register; nothing is sent.
import { useState } from 'preact/hooks'
import { html } from '../html.js'
import { extend, t } from '../words.js'
import { post } from '../api.js'
import { Act, Field, Refusal } from '../ui/parts.js'
import { Table } from '../ui/table.js'
import { Source, useSource } from '../ui/source.js'
import { Typed } from '../ui/typed.js'
import { exportItems } from '../ui/listing.js'
import { numberOf } from '../ui/asking.js'
import { count, figure } from '../ui/format.js'
import { said } from '../ui/sentences.js'

extend({
  writes: ['What a transfer would write', '传输将写入的内容'],
  writes_text: ['Every register of a motion as it would be on the wire, with what is waited for. Nothing is sent.', '一次运动在线路上的全部寄存器及所等待的状态。不发送任何内容。'],
  writes_rate: ['Points a second [Hz]', '每秒点数 [Hz]'],
  writes_rate_hint: ['empty: as it was planned', '留空：按规划'],
  writes_show: ['Show them', '显示'],
  writes_told: ['{samples} points, {period} ms apart: {requests} requests.', '{samples} 个点，间隔 {period} ms：共 {requests} 个请求。'],
  writes_cut: ['The first {count} are listed.', '仅列出前 {count} 个。'],
  writes_clear: ['Never nearer than {clearance} m to what stands in its cell.', '与单元内物体的距离始终不小于 {clearance} 米。'],
  writes_what: ['What', '内容'],
  writes_step: ['Step', '步骤'],
  writes_where: ['Register', '寄存器'],
  writes_function: ['Function', '功能码'],
  writes_words: ['Words', '字'],
  writes_back: ['read back', '回读'],
  writes_hex: ['hexadecimal', '十六进制'],
  'writes.write': ['write', '写入'],
  'writes.pulse': ['write for {hold} ms', '写入并保持 {hold} ms'],
  'writes.toggle': ['toggle', '翻转'],
  'writes.wait': ['wait, {timeout} ms at most', '等待，最多 {timeout} ms'],
  'writes.check': ['must be so', '必须如此'],
  'writes.not_yet': ['must not be so yet', '尚不得如此'],
  'register.holding': ['holding', '保持'],
  'register.input': ['input', '输入'],
  'register.coil': ['coil', '线圈'],
  'register.discrete': ['discrete', '离散'],
})

const KINDS = ['trajectories', 'excitations', 'friction-tests']

const wordOf = (hex) => (word) => (hex ? word.toString(16).toUpperCase().padStart(4, '0') : word)

function Writes({ plan, name }) {
  const [hex, setHex] = useState(false)
  const items = plan.writes.map((one, number) => ({ number: number + 1, ...one }))
  return html`<p>${t('writes_told', { samples: count(plan.samples), period: figure(1000 * plan.period, 6), requests: count(plan.requests) })} ${plan.requests > items.length && t('writes_cut', { count: count(items.length) })} ${plan.clearance != null && t('writes_clear', { clearance: figure(plan.clearance, 3) })}</p>
    <div class="row"><${Act} onClick=${() => setHex(!hex)} aria-pressed=${String(hex)}>${t('writes_hex')}</${Act}><${Act} onClick=${() => exportItems(`${name}-writes`, items, 'csv')}>CSV</${Act}></div>
    <${Table} tall caption=${t('writes')} id=${({ number }) => number} items=${items} columns=${[
      { key: 'number', head: '#', number: true, cell: (one) => one.number },
      { key: 'what', head: t('writes_what'), class: 'wide', cell: (one) => said(one.what) },
      { key: 'step', head: t('writes_step'), cell: (one) => html`${t(`writes.${one.step}`, { hold: one.hold_ms, timeout: one.timeout_ms })}${one.read_back && html` <span class="tag">${t('writes_back')}</span>`}` },
      { key: 'where', head: t('writes_where'), class: 'tight', cell: (one) => html`${t(`register.${one.register}`)} <code>${one.address}</code> <span class="quiet">/ ${one.unit}</span>` },
      { key: 'function', head: t('writes_function'), number: true, cell: (one) => one.function },
      { key: 'words', head: t('writes_words'), class: 'wide', cell: (one) => html`<code>${one.words.map(wordOf(hex)).join(' ')}</code>${one.mask != null && html` <span class="quiet">& ${wordOf(true)(one.mask)}</span>`}` },
    ]} />`
}

// controller: its entry; model: of its robot.
export function DryRun({ controller, model }) {
  const source = useSource(model, KINDS)
  const [rate, setRate] = useState('')
  const [told, tell] = useState(null) // { plan, of } or { error, of }: of these
  const request = source.chosen && { ...source.chosen, rate: numberOf(rate) }
  const of = JSON.stringify(request)
  const show = (event) => {
    event.preventDefault()
    post(`v1/controllers/${encodeURIComponent(controller.name)}/dry-run`, request).then((plan) => tell({ plan, of }), (error) => tell({ error, of }))
  }
  return html`<section class="panel stack"><div><h2>${t('writes')}</h2><p class="quiet">${t('writes_text')}</p></div>
    <form class="row begin" onSubmit=${show}><${Source} source=${source} />${source.chosen && html`<${Field} label=${t('writes_rate')} hint=${t('writes_rate_hint')}><${Typed} min="0.001" style=${{ width: '9rem' }} value=${rate} onValue=${setRate} /></${Field}>
      <div class="field"><span aria-hidden="true"> </span><${Act} type="submit" role="operator">${t('writes_show')}</${Act}></div>`}</form>
    ${told?.of === of && html`<${Refusal} error=${told.error} />${told.plan && html`<${Writes} plan=${told.plan} name=${controller.name} />`}`}</section>`
}
