// Lists of results of one kind: searched, of one robot, sorted by the service; what is asked for is in the address.
import { html } from '../html.js'
import { adjust, link, route } from '../route.js'
import { t } from '../words.js'
import { get } from '../api.js'
import { turnOf } from '../live.js'
import { Field, Head, Tags, useAnswer } from './parts.js'
import { useList } from './table.js'
import { Listing, askedOf } from './listing.js'
import { nameOf } from './names.js'
import { figure, measure, moment } from './format.js'
import { Typed } from './typed.js'

// What else the items tell, settings and figures, for who wants to see it.
const SETTINGS = ['method', 'estimator', 'status', 'job_order_id', 'work_master_id', 'equipment_id']
export const moreOf = (items, columns) => [
  ...SETTINGS.filter((name) => items.some((one) => one[name]) && !columns.some(({ key }) => key === name)).map((name) => ({ key: name, head: t(`column.${name}`), standard: false, cell: (one) => one[name] ?? '' })),
  ...[...new Set(items.flatMap((one) => Object.keys(one.metrics ?? {})))].filter((name) => !columns.some(({ sort }) => sort === name))
    .map((name) => ({ key: name, head: name, sort: name, number: true, standard: false, cell: (one) => figure(one.metrics?.[name]) })),
]

// kinds: of lists that are next to this one; columns: of this kind, between the robot and the time; children: what makes new ones.
export function Results({ kind, kinds, text, columns, children }) {
  const { query } = route.value
  const list = useList(`v1/${kind}`, askedOf(query), 0, turnOf('jobs'))
  const robots = useAnswer((signal) => get('v1/robots', { limit: 200 }, signal))
  return html`
    <${Head} title=${t(`page.${kind}`)} sub=${text}>
      <${Field} label=${t('search')}><${Typed} live type="search" value=${query.get('q') ?? ''} onValue=${(q) => adjust({ q })} /></${Field}>
      <${Field} label=${t('robot')}><select value=${query.get('robot') ?? ''} onChange=${(e) => adjust({ robot: e.target.value })}><option value="">${t('all')}</option>${(robots.value?.items ?? []).map(({ name }) => html`<option key=${name} value=${name}>${name}</option>`)}</select></${Field}>
      ${children}
    </${Head}>
    ${kinds && html`<p class="row">${kinds.map((one) => html`<a key=${one} class="button" aria-current=${one === kind ? 'page' : undefined} href=${link([one], { robot: query.get('robot') })}>${t(`page.${one}`)}</a>`)}</p>`}
    <${Listing} kind=${kind} list=${list} sort=${query.get('sort') ?? '-created_at'} columns=${[
      { key: 'label', head: t('label'), sort: 'label', class: 'wide', cell: (one) => html`<a href=${link([kind, one.id])}><bdi>${nameOf(one)}</bdi></a>${one.pinned ? ' 📌' : ''}` },
      { key: 'robot', head: t('robot'), sort: 'robot', class: 'tight', cell: (one) => `${one.robot} r${one.revision}` },
      ...columns,
      { key: 'created', head: t('created'), sort: 'created_at', class: 'tight', cell: (one) => moment(one.created_at) },
      { key: 'tags', head: t('tags'), cell: (one) => html`<${Tags} tags=${one.tags} />` },
      ...moreOf(list.items ?? [], columns),
    ]} />`
}

// One figure of a result, and the greatest of its motion.
export const Tile = ({ name, children }) => html`<div class="tile"><span>${t(name)}</span><b>${children}</b></div>`
export const peakText = ({ max, time }, unit) => t('peak_at', { value: measure(max, unit, 3), time: figure(time, 3) })
