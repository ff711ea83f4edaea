// A stored motion or log that something is asked of: chosen from the newest ones of a robot, and named in the address.
import { html } from '../html.js'
import { adjust, route } from '../route.js'
import { extend, t } from '../words.js'
import { get } from '../api.js'
import { Field, Notice, Refusal, useAnswer } from './parts.js'
import { nameOf } from './names.js'
import { shortId } from './format.js'

extend({
  source: ['Of what', '对象'],
  source_none: ['There is neither a motion nor a log of this robot to ask about yet.', '该机器人还没有可供分析的运动或日志。'],
})

// Lists that a source may come from, and what a request calls it. To add one: a row.
const MEMBERS = { trajectories: 'trajectory', excitations: 'trajectory', 'friction-tests': 'trajectory', datasets: 'dataset' }

// kinds: lists to choose from. { lists, chosen: { trajectory } or { dataset }; null: there is none yet, id, error }
export function useSource(model, kinds) {
  const { query } = route.value
  const answer = useAnswer((signal) => Promise.all(kinds.map(async (kind) => ({ kind, items: (await get(`v1/${kind}`, { robot: model.name, sort: '-created_at', limit: 50 }, signal)).items }))), [model.name, kinds.join()])
  const lists = answer.value?.filter(({ items }) => items.length)
  const newest = lists?.[0]
  const member = ['trajectory', 'dataset'].find((name) => query.get(name)) ?? (newest && MEMBERS[newest.kind])
  const id = (member && query.get(member)) ?? newest?.items[0].id
  return { lists, chosen: id ? { [member]: id } : null, id, error: answer.error }
}

export function Source({ source: { lists, chosen, id, error } }) {
  if (!lists) return html`<${Refusal} error=${error} />`
  if (!chosen) return html`<${Notice} kind="warn">${t('source_none')}</${Notice}>`
  const choose = (event) => {
    const [member, one] = event.target.value.split(' ')
    adjust({ trajectory: null, dataset: null, from: null, to: null, [member]: one })
  }
  const [[member]] = Object.entries(chosen)
  const listed = lists.some(({ items }) => items.some((one) => one.id === id))
  return html`<${Field} label=${t('source')}><select value=${`${member} ${id}`} onChange=${choose}>
    ${!listed && html`<option value=${`${member} ${id}`}>${shortId(id)}</option>`}
    ${lists.map(({ kind, items }) => html`<optgroup key=${kind} label=${t(`page.${kind}`)}>${items.map((one) => html`<option key=${one.id} value=${`${MEMBERS[kind]} ${one.id}`}>${nameOf(one)} ${shortId(one.id)}</option>`)}</optgroup>`)}</select></${Field}>`
}
