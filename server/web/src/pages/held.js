// Who has a controller and who may move its arm, and what the arm holds: taken over, or said anew.
import './motion.words.js'
import { useState } from 'preact/hooks'
import { html } from '../html.js'
import { extend, t } from '../words.js'
import { call, get } from '../api.js'
import { newsOf, unlessLive } from '../live.js'
import { session } from '../session.js'
import { FormDialog } from '../ui/dialog.js'
import { Act, Field, Notice, Refusal, State, useAnswer } from '../ui/parts.js'
import { moment, shortId } from '../ui/format.js'

extend({
  held: ['Who has it', '占用与权限'],
  held_by: ['Held by', '占用者'],
  held_free: ['nobody: whoever comes first gets it', '无：先到者占用'],
  held_transfer: ['transfer {id}', '传输 {id}'],
  held_whose: ['of key {key}, since {since}', '密钥 {key}，自 {since}'],
  held_motion: ['Right to move it', '驱动权限'],
  held_mine: ['this key may move its arm', '此密钥可驱动其手臂'],
  held_not_mine: ['this key may not move its arm: an administrator gives that right to a key', '此密钥不可驱动其手臂：由管理员授予密钥该权限'],
  held_keys: ['Keys that may move it', '可驱动它的密钥'],
  held_part: ['Its arm holds', '手臂所持'],
  held_part_none: ['nothing', '无'],
  held_part_unsaid: ['nothing, as nobody said otherwise', '无（未曾声明）'],
  held_part_since: ['since {since}', '自 {since}'],
  held_part_change: ['Say what it holds …', '声明所持工件……'],
  held_part_does: ['It holds this', '确认所持'],
  held_part_text: ['Say what the gripper really holds: motions that were planned for another part are refused from then on.', '请按夹爪实际所持声明：此后将拒绝为其他工件规划的运动。'],
  held_part_which: ['Part', '工件'],
  held_take: ['Take it away …', '收回占用……'],
  held_take_does: ['Stop that transfer, and take it away', '停止该传输并收回'],
  held_take_text: ['Its transfer is stopped, moving or not; then the controller is free for whoever comes first. This is no safety function.', '其传输将被停止（无论是否在运动），随后控制器空闲，先到者占用。这不是安全功能。'],
  held_taken: ['It was taken away, and the controller confirmed that its arm stands.', '已收回，控制器已确认手臂静止。'],
  held_unconfirmed: ['It was taken away; whether the arm stands is NOT CONFIRMED. Use the emergency stop.', '已收回，但未确认手臂静止！请使用急停按钮。'],
  held_nobody: ['Nobody held it any more.', '已无人占用。'],
})

const at = (name) => `v1/controllers/${encodeURIComponent(name)}`

function Take({ name, lease, onClose, onDone }) {
  const send = async () => onDone((await call('DELETE', `${at(name)}/lease`)).data)
  return html`<${FormDialog} title=${t('held_take')} does=${t('held_take_does')} kind="danger" role="admin" send=${send} onClose=${onClose}>
    <p><code>${name}</code>: ${t('held_transfer', { id: lease })}</p><p>${t('held_take_text')}</p></${FormDialog}>`
}

function SayPart({ name, robot, part, onClose, onDone }) {
  const parts = useAnswer((signal) => get(`v1/robots/${encodeURIComponent(robot)}/parts`, { limit: 200 }, signal), [robot])
  const [chosen, choose] = useState(part ?? '')
  const send = async () => {
    await call('PUT', `${at(name)}/part`, { json: { part: chosen || null } })
    onDone()
  }
  return html`<${FormDialog} title=${t('held_part_change')} does=${t('held_part_does')} role="operator" disabled=${!parts.value} send=${send} onClose=${onClose}><p>${t('held_part_text')}</p><${Refusal} error=${parts.error} />
    <${Field} label=${t('held_part_which')}><select value=${chosen} onChange=${(e) => choose(e.target.value)}><option value="">${t('held_part_none')}</option>${(parts.value?.items ?? []).map((one) => html`<option key=${one.name} value=${one.name}>${one.name}</option>`)}</select></${Field}></${FormDialog}>`
}

// The transfer that holds it.
function Holder({ lease }) {
  const news = newsOf('transfers', lease)
  const { value, error } = useAnswer((signal) => get(`v1/transfers/${lease}`, {}, signal), [lease, news?.state])
  return html`${t('held_transfer', { id: shortId(lease) })} ${value && html`<${State} state=${news?.state ?? value.state} /> ${t('held_whose', { key: value.created_by ?? '–', since: moment(value.created_at) })}`}<${Refusal} error=${error} />`
}

const movers = (name, keys) => keys.filter(({ motion }) => motion.some((one) => one === '*' || one === name)).map((key) => key.name)

export function Held({ name, robot }) {
  const [open, setOpen] = useState('')
  const [came, setCame] = useState(null) // of taking it away: { confirmed } or { nobody }
  const seen = useAnswer((signal) => get(`${at(name)}/status`, {}, signal), [name], unlessLive(1000))
  const held = useAnswer((signal) => get(`${at(name)}/part`, {}, signal), [name])
  const administers = session.may('admin')
  const keys = useAnswer(async (signal) => (administers ? (await get('v1/keys', { limit: 200, fields: 'name,motion' }, signal)).items : null), [administers])
  const lease = (newsOf('controllers', name)?.status ?? seen.value)?.lease
  const may = session.mayMove(name)
  const part = held.value
  const close = () => setOpen('')
  return html`<section class="panel"><div class="head"><div><h2>${t('held')}</h2></div>
      <${Act} role="operator" disabled=${!may || !part} title=${may ? undefined : t('motion_missing')} onClick=${() => setOpen('part')}>${t('held_part_change')}</${Act}>
      <${Act} role="admin" disabled=${!lease} onClick=${() => setOpen('take')}>${t('held_take')}</${Act}></div>
    <${Refusal} error=${held.error ?? seen.error ?? keys.error} />
    ${came && html`<${Notice} kind=${came.confirmed === false ? 'bad' : 'good'}>${t(came.nobody ? 'held_nobody' : came.confirmed ? 'held_taken' : 'held_unconfirmed')}</${Notice}>`}
    <dl class="facts"><dt>${t('held_by')}</dt><dd>${lease ? html`<${Holder} key=${lease} lease=${lease} />` : t('held_free')}</dd>
      <dt>${t('held_motion')}</dt><dd><span class=${`state ${may ? 'good' : 'idle'}`}>${t(may ? 'held_mine' : 'held_not_mine')}</span></dd>
      ${keys.value?.length > 0 && html`<dt>${t('held_keys')}</dt><dd><bdi>${movers(name, keys.value).join(', ') || '–'}</bdi></dd>`}
      ${part && html`<dt>${t('held_part')}</dt><dd>${part.part ? html`<bdi>${part.part}</bdi>` : t(part.said_at ? 'held_part_none' : 'held_part_unsaid')} ${part.said_at && html`<span class="quiet">${t('held_part_since', { since: moment(part.said_at) })}</span>`}</dd>`}</dl>
    ${open === 'take' && html`<${Take} name=${name} lease=${lease} onClose=${close} onDone=${(answer) => { setCame(answer ?? { nobody: true }); close() }} />`}
    ${open === 'part' && html`<${SayPart} name=${name} robot=${robot} part=${part.part} onClose=${close} onDone=${() => { close(); held.again() }} />`}</section>`
}
