// What takes how much room, how long things are kept, and whether the service takes work.
import { useState } from 'preact/hooks'
import { html } from '../html.js'
import { extend, t } from '../words.js'
import { call, get } from '../api.js'
import { Act, Bar, Head, Loading, Notice, Refusal, useAnswer } from '../ui/parts.js'
import { Table } from '../ui/table.js'
import { Tile } from '../ui/results.js'
import '../ui/jobs.js'
import { bytes, count } from '../ui/format.js'

extend({
  storage_text: ['What is stored, how much room it takes, and how much there is left.', '已存储的内容、占用空间和剩余空间。'],
  storage_file: ['Size of the store', '数据库大小'],
  storage_unused: ['Of it free to be used again', '其中可再利用'],
  storage_log: ['Log of changes', '变更日志'],
  storage_free: ['Free on the disk', '磁盘剩余'],
  storage_disk: ['{free} of {all} are free', '共 {all}，剩余 {free}'],
  storage_kinds: ['What is in it', '存储内容'],
  storage_count: ['Number', '数量'],
  storage_pinned: ['Pinned', '已固定'],
  storage_series: ['Room of their samples', '样本占用'],
  storage_kept: ['How long things are kept', '保留时间'],
  storage_for_ever: ['for ever', '永久'],
  storage_days: ['{days} days', '{days} 天'],
  'kept.jobs_days': ['Ended jobs, and results that nobody pinned or needs', '已结束的任务，以及无人固定或需要的结果'],
  'kept.orders_days': ['Ended orders', '已结束的订单'],
  'kept.alarms_days': ['Cleared alarms', '已解除的报警'],
  'kind.audit_entry': ['entry of the audit trail', '审计记录'],
  'kind.dataset': ['data set', '数据集'],
  'kind.mesh': ['mesh', '网格模型'],
  'kind.job': ['job', '任务'],
  'kind.order': ['order', '订单'],
  'kind.transfer': ['transfer', '传输'],
  'kind.robot_revision': ['revision of a robot', '机器人版本'],
  nodes: ['Nodes', '节点'],
  node_host: ['Machine', '主机'],
  node_state: ['State', '状态'],
  node_workers: ['Workers', '工作进程'],
  node_running: ['Jobs', '任务'],
  node_version: ['Version', '版本'],
  'node.serving': ['serves, and computes', '提供服务并计算'],
  'node.standing_by': ['stands by', '待命'],
  'node.computing': ['computes', '计算中'],
  'node.draining': ['ends what runs', '正在收尾'],
  'node.gone': ['not seen for {s} s', '已 {s} s 无响应'],
  'node.other_version': ['gets no jobs: another version', '版本不同，不分配任务'],
  drain: ['Maintenance', '维护'],
  drain_off: ['The service takes jobs and motions.', '服务正在接受任务和运动。'],
  drain_on: ['The service takes no more jobs and motions; those that run go on: {running} jobs, {moving} motions. {waiting} jobs wait.', '服务不再接受任务和运动；正在进行的继续：{running} 个任务，{moving} 个运动。{waiting} 个任务等待。'],
  drain_done: ['Nothing is under way: it can be stopped.', '没有进行中的工作，可以停止服务。'],
  drain_begin: ['Take no more work', '停止接受工作'],
  drain_end: ['Take work again', '恢复接受工作'],
})

function Drain() {
  const answer = useAnswer((signal) => get('v1/drain', {}, signal), [], 2000)
  const [error, setError] = useState(null)
  const [busy, setBusy] = useState(false)
  const turn = async (method) => {
    setError(null)
    setBusy(true)
    await call(method, 'v1/drain').then(answer.again, setError)
    setBusy(false)
  }
  const now = answer.value
  if (!now) return html`<${Refusal} error=${answer.error} /><${Loading} error=${answer.error} />`
  return html`<section class="panel"><h2>${t('drain')}</h2><${Refusal} error=${error ?? answer.error} />
    ${now.draining ? html`<${Notice} kind="warn">${t('drain_on', { running: now.jobs_running, moving: now.transfers_active, waiting: now.jobs_waiting })} ${now.drained && t('drain_done')}</${Notice}>` : html`<p>${t('drain_off')}</p>`}
    <${Act} role="admin" busy=${busy} onClick=${() => turn(now.draining ? 'DELETE' : 'POST')}>${t(now.draining ? 'drain_end' : 'drain_begin')}</${Act}></section>`
}

function Nodes() {
  const { value, error } = useAnswer((signal) => get('v1/nodes', {}, signal), [], 5000)
  if (!value) return html`<${Refusal} error=${error} /><${Loading} error=${error} />`
  return html`<section class="panel nodes"><h2>${t('nodes')}</h2><${Refusal} error=${error} /><${Table} caption=${t('nodes')} id=${(one) => `${one.id}${one.process}`} items=${value.items} columns=${[
    { key: 'host', head: t('node_host'), cell: (one) => one.host },
    { key: 'state', head: t('node_state'), cell: (one) => t(`node.${one.state}`, { s: Math.round(one.silent_s) }) },
    { key: 'workers', head: t('node_workers'), number: true, cell: (one) => `${count(one.ready)} / ${count(one.workers)}` },
    { key: 'running', head: t('node_running'), number: true, cell: (one) => count(one.running) },
    { key: 'version', head: t('node_version'), cell: (one) => one.version },
  ]} /></section>`
}

export function Page() {
  const answer = useAnswer((signal) => get('v1/storage', {}, signal), [], 15000)
  if (!answer.value) return html`<${Refusal} error=${answer.error} /><${Loading} error=${answer.error} />`
  const { kinds, store, disk, retention } = answer.value
  return html`
    <${Head} title=${t('page.storage')} sub=${t('storage_text')} />
    <${Refusal} error=${answer.error} />
    <div class="tiles"><${Tile} name="storage_file">${bytes(store.bytes)}</${Tile}><${Tile} name="storage_unused">${bytes(store.unused_bytes)}</${Tile}><${Tile} name="storage_log">${bytes(store.log_bytes)}</${Tile}>
      ${disk && html`<${Tile} name="storage_free">${bytes(disk.free_bytes)}</${Tile}>`}</div>
    ${disk && html`<section class="panel"><${Bar} value=${1 - disk.free_bytes / disk.bytes} label=${t('storage_free')} /><p>${t('storage_disk', { free: bytes(disk.free_bytes), all: bytes(disk.bytes) })}</p></section>`}
    <${Drain} />
    <${Nodes} />
    <div class="grid"><section class="panel"><h2>${t('storage_kinds')}</h2><${Table} caption=${t('storage_kinds')} id=${(one) => one.kind} items=${kinds} columns=${[
      { key: 'kind', head: t('kind'), cell: (one) => t(`kind.${one.kind}`) },
      { key: 'count', head: t('storage_count'), number: true, cell: (one) => count(one.count) },
      { key: 'pinned', head: t('storage_pinned'), number: true, cell: (one) => count(one.pinned) },
      { key: 'series', head: t('storage_series'), number: true, cell: (one) => bytes(one.series_bytes) },
    ]} /></section>
    <section class="panel"><h2>${t('storage_kept')}</h2><dl class="facts">${Object.entries(retention).map(([name, days]) => html`<dt key=${name}>${t(`kept.${name}`)}</dt><dd>${days == null ? t('storage_for_ever') : t('storage_days', { days })}</dd>`)}</dl></section></div>`
}
