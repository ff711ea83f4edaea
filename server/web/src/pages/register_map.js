// What is done at a controller with registers of its own: the steps of every command, in words.
import { html } from '../html.js'
import { extend, t } from '../words.js'
import { Table } from '../ui/table.js'

extend({
  register_map: ['How it is spoken to', '通信步骤'],
  map_text: ['Its own registers, step by step. A wait that does not come ends the transfer.', '对其自有寄存器逐步操作；等待未得到应答则传输结束。'],
  map_unverified: ['What it holds cannot be read back: its PLC starts it, never this service.', '无法读回其保存的内容：只能由其 PLC 启动，本服务不会启动。'],
  map_command: ['Command', '命令'],
  map_steps: ['Steps', '步骤'],
  'map.write': ['write {value} to {field}', '将 {value} 写入 {field}'],
  'map.pulse': ['write {value} to {field} for {hold} ms, then 0', '将 {value} 写入 {field}，保持 {hold} ms 后写 0'],
  'map.toggle': ['toggle {field}', '翻转 {field}'],
  'map.wait': ['wait until {field} is {value}, {timeout} ms at most', '等待 {field} 变为 {value}，最多 {timeout} ms'],
  'map.check': ['{field} must be {value}', '{field} 必须为 {value}'],
  'map.value.points': ['the number of points', '点数'],
  'map.value.first': ['the index of the page\'s first point', '本页首点序号'],
  'map.value.page_points': ['the points of the page', '本页点数'],
  'map.value.page': ['the number of the page', '页号'],
  'map.value.toggled': ['the toggled value', '翻转后的值'],
})

const COMMANDS = ['begin', 'page', 'commit', 'arm', 'start', 'hold', 'resume', 'stop', 'clear']
const valueOf = (value) => (typeof value === 'string' ? t(`map.value.${value}`) : value)
const inWords = (step) => t(`map.${step.do ?? 'write'}`, { field: step.field, value: valueOf(step.equal_to ?? step.value), hold: step.hold_ms ?? 100, timeout: step.timeout_ms ?? 2000 })

export function RegisterMap({ map }) {
  const items = COMMANDS.map((name) => ({ name, steps: [map.commands?.[name] ?? []].flat() })).filter(({ steps }) => steps.length)
  if (!items.length && !map.unverified) return null
  return html`<section class="panel"><h2>${t('register_map')}</h2><p class="quiet">${t('map_text')}</p>
    ${map.unverified && html`<p><span class="state warn">${t('map_unverified')}</span></p>`}
    <${Table} caption=${t('register_map')} id=${({ name }) => name} items=${items} columns=${[
      { key: 'command', head: t('map_command'), cell: ({ name }) => html`<code>${name}</code>` },
      { key: 'steps', head: t('map_steps'), cell: ({ steps }) => html`<ol>${steps.map((step, k) => html`<li key=${k}>${inWords(step)}</li>`)}</ol>` },
    ]} /></section>`
}
