// Lists of results of one kind: searched, of one robot, sorted by the service; what is asked for is in the address.
import { html } from '../html.js'
import { adjust, link, route } from '../route.js'
import { t } from '../words.js'
import { get } from '../api.js'
import { turnOf } from '../live.js'
import { Field, Head, Refusal, Tags, useAnswer } from './parts.js'
import { Table, useList } from './table.js'
import { figure, moment, shortId } from './format.js'

// kinds: of lists that are next to this one; columns: of this kind, between the robot and the time; children: what makes new ones.
export function Results({ kind, kinds, text, columns, children }) {
  const { query } = route.value
  const asked = new URLSearchParams([...query])
  if (!asked.get('sort')) asked.set('sort', '-created_at')
  asked.set('limit', '100')
  const list = useList(`v1/${kind}`, asked, 0, turnOf('jobs'))
  const robots = useAnswer((signal) => get('v1/robots', { limit: 200 }, signal))
  return html`
    <${Head} title=${t(`page.${kind}`)} sub=${text}>
      <${Field} label=${t('search')}><input type="search" value=${query.get('q') ?? ''} onChange=${(e) => adjust({ q: e.target.value })} /></${Field}>
      <${Field} label=${t('robot')}><select value=${query.get('robot') ?? ''} onChange=${(e) => adjust({ robot: e.target.value })}><option value="">${t('all')}</option>${(robots.value?.items ?? []).map(({ name }) => html`<option key=${name} value=${name}>${name}</option>`)}</select></${Field}>
      ${children}
    </${Head}>
    ${kinds && html`<p class="row">${kinds.map((one) => html`<a key=${one} class="button" aria-current=${one === kind ? 'page' : undefined} href=${link([one], { robot: query.get('robot') })}>${t(`page.${one}`)}</a>`)}</p>`}
    <${Refusal} error=${list.error} />
    <div class="panel"><${Table} tall caption=${t(`page.${kind}`)} items=${list.items} list=${list} sort=${asked.get('sort')} onSort=${(sort) => adjust({ sort })} columns=${[
      { key: 'label', head: t('label'), sort: 'label', class: 'wide', cell: (one) => html`<a href=${link([kind, one.id])}><bdi>${one.label || shortId(one.id)}</bdi></a>` },
      { key: 'robot', head: t('robot'), sort: 'robot', class: 'tight', cell: (one) => `${one.robot} r${one.revision}` },
      ...columns,
      { key: 'created', head: t('created'), sort: 'created_at', class: 'tight', cell: (one) => moment(one.created_at) },
      { key: 'tags', head: t('tags'), cell: (one) => html`<${Tags} tags=${one.tags} />` },
    ]} /></div>`
}

// One figure of a result, and the greatest of its motion.
export const Tile = ({ name, children }) => html`<div class="tile"><span>${t(name)}</span><b>${children}</b></div>`
export const peakText = ({ max, time }, unit) => t('peak_at', { value: `${figure(max, 3)} ${unit}`, time: figure(time, 3) })
