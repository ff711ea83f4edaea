// Controllers as they are now, the transfers to them, and the buttons that move an arm or stop it.
import './motion.words.js'
import { useState } from 'preact/hooks'
import { html } from '../html.js'
import { go, link, route } from '../route.js'
import { useMaking } from '../ui/dialog.js'
import { extend, t } from '../words.js'
import { call, get, post, once } from '../api.js'
import { newsOf, turnOf, unlessLive, useLive } from '../live.js'
import { now } from '../clock.js'
import { session } from '../session.js'
import { Act, Ended, Bar, Head, Notice, Refusal, State, useAnswer } from '../ui/parts.js'
import { Table, useList } from '../ui/table.js'
import { ControllerDelete, ControllerForm } from './controller_form.js'
import { figure, moment, plusMinus, shortId } from '../ui/format.js'
import { Deliveries } from '../ui/deliveries.js'
import { DryRun } from './dry_run.js'
import { Held } from './held.js'
import { Played } from './played.js'
import { Playing } from './playing.js'
import { Queue } from './queue.js'
import { RegisterMap } from './register_map.js'
import { Connect } from './connect.js'
import { Watch } from './watch.js'
import { said } from '../ui/sentences.js'

extend({
  controllers_text: ['Controllers that play torque profiles.', '播放力矩曲线的控制器。'],
  controller_new: ['New controller …', '新建控制器……'],
  controller_connect: ['Connect a controller …', '连接控制器……'],
  controller_connect_this: ['Test it, and put it in service', '测试并投入使用'],
  controller_change: ['Change …', '修改……'],
  controller_delete: ['Delete …', '删除……'],
  controller_off: ['Not in service: it is not spoken to, but for STOP, and takes no transfers. So is every controller of a restored copy: put it in service when this copy is the one that moves the arm.', '未投入使用：除停止外不与其通信，也不接受传输。恢复的副本中所有控制器均如此：确认由本副本驱动手臂后再投入使用。'],
  connected: ['connected', '已连接'],
  disconnected: ['not connected', '未连接'],
  out_of_service: ['not in service', '未投入使用'],
  stale_status: ['last seen {age} s ago', '上次更新于 {age} s 前'],
  status_source: ['Told by', '数据来源'],
  'source.controller': ['the controller', '控制器'],
  'source.simulator': ['a simulator: no arm moves', '模拟器：没有手臂在动'],
  positions: ['Positions [rad, m]', '位置 [rad, m]'],
  play_index: ['Sample played', '播放样本'],
  lease: ['Held by', '占用者'],
  lease_free: ['free', '空闲'],
  last_error: ['Last error', '上次错误'],
  clock: ['Its clock', '时钟'],
  clock_goes: ['{error} % off, {offset} ms {way} after {watched} s; cycle {cycle} ms', '误差 {error} %，{watched} s 后{way} {offset} ms；周期 {cycle} ms'],
  clock_ahead: ['ahead', '快'],
  clock_behind: ['behind', '慢'],
  clear: ['Clear', '清除'],
  transfers_earlier: ['Earlier transfers', '以前的传输'],
  sent: ['Sent', '已发送'],
  arm: ['Arm', '使能'],
  stop_word: ['STOP', '停止'],
})

const START_MS = 20000 // a START that the service has not sent by then is none
const ENDED = ['done', 'stopped', 'failed', 'interrupted']

function Card({ name, robot, enabled }) {
  useLive(name)
  const answer = useAnswer((signal) => get(`v1/controllers/${encodeURIComponent(name)}/status`, {}, signal), [name], unlessLive(500))
  const [error, setError] = useState(null)
  const status = newsOf('controllers', name)?.status ?? answer.value
  const clear = () => post(`v1/controllers/${encodeURIComponent(name)}/clear`).then(() => setError(null), setError)
  return html`<section class="panel"><div class="head"><div><h2><a href=${link(['controllers', name])}>${name}</a></h2><p class="quiet">${robot}</p></div>
      <${Act} role="operator" onClick=${clear}>${t('clear')}</${Act}></div>
    <${Refusal} error=${error ?? answer.error} />
    ${status && html`<dl class="facts">
      <dt>${t('state')}</dt><dd><span class=${`state ${status.connected ? 'good' : enabled === false ? 'idle' : 'bad'}`}>${t(status.connected ? 'connected' : enabled === false ? 'out_of_service' : 'disconnected')}</span> ${status.state && html`<${State} state=${status.state} />`} ${status.stale && status.age != null && html`<span class="state warn">${t('stale_status', { age: figure(status.age, 2) })}</span>`}</dd>
      ${status.source && html`<dt>${t('status_source')}</dt><dd>${status.source === 'simulator' ? html`<span class="state warn">${t('source.simulator')}</span>` : t(`source.${status.source}`)}</dd>`}
      <dt>${t('positions')}</dt><dd class="code">${status.position ? status.position.map((value) => figure(value, 4)).join(', ') : '–'}</dd>
      <dt>${t('play_index')}</dt><dd>${status.play_index ?? '–'}</dd>
      <dt>${t('lease')}</dt><dd>${status.lease ? html`<code>${shortId(status.lease)}</code>` : t('lease_free')}</dd>
      ${status.clock && html`<dt>${t('clock')}</dt><dd>${t('clock_goes', { error: plusMinus(status.clock.error_percent, status.clock.uncertainty_percent), offset: figure(Math.abs(1000 * status.clock.offset), 3), way: t(status.clock.offset < 0 ? 'clock_behind' : 'clock_ahead'), watched: figure(status.clock.watched, 3), cycle: figure(1000 * status.clock.cycle, 3) })} ${status.clock.warning && html`<span class="state warn">${said(status.clock.warning)}</span>`}</dd>`}
      ${status.last_error && html`<dt>${t('last_error')}</dt><dd>${said(status.last_error)}</dd>`}
    </dl>`}</section>`
}

// What may be asked of a transfer in each state.
const ASKED = { ready: ['arm'], armed: ['start'], playing: ['hold'], holding: ['resume'] }

function Transfer({ id, controller, robot }) {
  const [ended, setEnded] = useState(false)
  const news = newsOf('transfers', id)
  const answer = useAnswer(async (signal) => {
    const transfer = await get(`v1/transfers/${id}`, {}, signal)
    setEnded(ENDED.includes(transfer.state))
    return transfer
  }, [id, news?.state], ended ? 0 : unlessLive(300))
  const model = useAnswer(async (signal) => robot && get(`v1/robots/${encodeURIComponent(robot)}`, {}, signal), [robot])
  const [error, setError] = useState(null)
  const transfer = ended || !news ? answer.value : answer.value && { ...answer.value, state: news.state, sent: news.sent }
  if (!transfer) return html`<${Refusal} error=${answer.error} />`
  const ask = async (what) => {
    setError(null)
    const moves = ['start', 'resume', 'arm'].includes(what)
    try {
      if (what === 'start') await get(`v1/transfers/${id}`) // whose answer tells what time it is now
      await post(`v1/transfers/${id}/${what}`, what === 'start' ? { start_before: new Date(now() + START_MS).toISOString() } : {}, { headers: moves ? once() : undefined, moves })
      answer.again()
    } catch (refusal) {
      setError(refusal)
    }
  }
  return html`<section class="panel"><div class="head"><div><h2>${t('lineage_transfer')} <code>${shortId(id)}</code> <${State} state=${transfer.state} /></h2><p class="quiet"><a href=${link(['trajectories', transfer.trajectory])}>${shortId(transfer.trajectory)}</a> · ${moment(transfer.created_at)}</p></div>
      ${(ASKED[transfer.state] ?? []).map((what) => html`<${Act} key=${what} class=${what === 'start' ? 'main' : ''} role="operator" disabled=${what !== 'hold' && !session.mayMove(controller)} title=${session.mayMove(controller) ? undefined : t('motion_missing')} onClick=${() => ask(what)}>${t(what)}</${Act}>`)}
      ${!ended && html`<button type="button" class="stop" onClick=${() => ask('stop')}>■ ${t('stop_word')}</button>`}</div>
    <${Refusal} error=${error ?? answer.error} />
    ${transfer.problem && html`<${Notice} kind="bad"><${Ended} problem=${transfer.problem} /></${Notice}>`}
    <p>${t('sent')}: ${transfer.sent} / ${transfer.total}</p><${Bar} value=${transfer.total ? transfer.sent / transfer.total : 0} label=${t('sent')} />
    ${!ended && model.value && ['armed', 'playing', 'holding'].includes(transfer.state) && html`<${Playing} transfer=${transfer} names=${model.value.joints.map(({ name }) => name)} />`}
    ${ended && transfer.telemetry && html`<${Played} id=${id} motion=${transfer.trajectory} dataset=${transfer.telemetry} />`}
    ${transfer.request.callback && html`<${Deliveries} path=${`v1/transfers/${id}/deliveries`} webhook=${transfer.request.callback.webhook} turn=${transfer.state} />`}
    <h3>${t('history')}</h3><dl class="facts">${transfer.history.map((step, k) => html`<dt key=${k}>${moment(step.at)}</dt><dd>${t(`state.${step.state}`)}${step.reason && `: ${said(step.reason)}`}</dd>`)}</dl></section>`
}

function One({ name }) {
  const list = useList('v1/transfers', { controller: name, limit: 20, sort: '-created_at' }, unlessLive(2000), turnOf('transfers'))
  const kept = useAnswer((signal) => call('GET', `v1/controllers/${encodeURIComponent(name)}`, { signal }), [name])
  const model = useAnswer(async (signal) => (kept.value?.data.profile.map ? get(`v1/robots/${encodeURIComponent(kept.value.data.robot)}`, {}, signal) : null), [kept.value?.data.robot])
  const [open, setOpen] = useState('')
  const [latest, ...older] = list.items ?? []
  const { data: controller, etag } = kept.value ?? {}
  const close = () => setOpen('')
  return html`<${Head} title=${name} sub=${controller ? `${controller.host}:${controller.port} · ${controller.robot}` : ''}>
      <${Act} role="admin" disabled=${!controller} onClick=${() => setOpen('change')}>${t('controller_change')}</${Act}><${Act} role="admin" disabled=${!controller} onClick=${() => setOpen('delete')}>${t('controller_delete')}</${Act}></${Head}>
    <${Refusal} error=${list.error ?? kept.error} /><p class="quiet">${t('stop_note')}</p>
    ${controller?.enabled === false && html`<${Notice} kind="warn">${t('controller_off')} <a href=${link(['controllers'], { connect: name })}>${t('controller_connect_this')}</a></${Notice}>`}
    ${open === 'change' && html`<${ControllerForm} title=${t('controller_change')} document=${controller} etag=${etag} onClose=${close} onDone=${() => { close(); kept.again() }} />`}
    ${open === 'delete' && html`<${ControllerDelete} name=${name} etag=${etag} onClose=${close} onDone=${() => go(['controllers'])} />`}
    <${Card} name=${name} robot=${controller?.robot} enabled=${controller?.enabled} />
    <${Held} key=${name} name=${name} robot=${controller?.robot} />
    <${Queue} controller=${name} />
    <${Watch} controller=${name} />
    ${latest && html`<${Transfer} key=${latest.id} id=${latest.id} controller=${name} robot=${controller?.robot} />`}
    ${controller?.profile.map && html`<${RegisterMap} map=${controller.profile.map} />${model.value && controller.profile.protocol === 'register-map' && html`<${DryRun} controller=${controller} model=${model.value} />`}`}
    <section class="panel"><h2>${t('transfers_earlier')}</h2><${Table} caption=${t('transfers_earlier')} items=${older} columns=${[
      { key: 'id', head: t('id'), cell: (one) => html`<code>${shortId(one.id)}</code>` },
      { key: 'trajectory', head: t('lineage_trajectory'), cell: (one) => html`<a href=${link(['trajectories', one.trajectory])}>${shortId(one.trajectory)}</a>` },
      { key: 'state', head: t('state'), cell: (one) => html`<${State} state=${one.state} />` },
      { key: 'sent', head: t('sent'), number: true, cell: (one) => `${one.sent} / ${one.total}` },
      { key: 'created', head: t('created'), class: 'tight', cell: (one) => moment(one.created_at) },
    ]} /></section>`
}

function All() {
  const list = useList('v1/controllers', { limit: 100 }, 5000)
  const [making, setMaking] = useMaking()
  return html`<${Head} title=${t('page.controllers')} sub=${t('controllers_text')}><a class="button" href=${link(['controllers'], { connect: 'new' })}>${t('controller_connect')}</a><${Act} role="admin" class="main" onClick=${() => setMaking(true)}>${t('controller_new')}</${Act}></${Head}>
    <${Refusal} error=${list.error} /><p class="quiet">${t('stop_note')}</p>
    ${list.items?.length === 0 && html`<p class="quiet">${t('nothing')}</p>`}
    <div class="grid">${(list.items ?? []).map((one) => html`<${Card} key=${one.name} name=${one.name} robot=${one.robot} enabled=${one.enabled} />`)}</div>
    ${making && html`<${ControllerForm} title=${t('controller_new')} onClose=${() => setMaking(false)} onDone=${() => { setMaking(false); list.again() }} />`}`
}

export const Page = ({ path }) => (path[1] ? html`<${One} key=${path[1]} name=${path[1]} />` : route.value.query.has('connect') ? html`<${Connect} />` : html`<${All} />`)
