// The runs: sorted, filtered and searched by the server; the whole view is in the address.
import { html } from '../html.js'
import { route, adjust, link, go } from '../route.js'
import { t } from '../words.js'
import { get } from '../api.js'
import { Act, Field, Head, Tags, useAnswer } from '../ui/parts.js'
import { useList } from '../ui/table.js'
import { Listing, askedOf, useChosen } from '../ui/listing.js'
import { moreOf } from '../ui/results.js'
import { nameOf } from '../ui/names.js'
import { Typed } from '../ui/typed.js'
import { turnOf, unlessLive } from '../live.js'
import { count, figure, moment, percent, shortId } from '../ui/format.js'
import { ARMDYN_ESTIMATOR_LIST } from 'virtual:lists'

const metric = (name, show) => ({ sort: name, number: true, cell: (run) => show(run.metrics?.[name]) })

// To add a column: a row; `standard` ones are shown unless others are chosen.
const COLUMNS = [
  { key: 'label', head: 'label', sort: 'label', standard: true, class: 'wide', cell: (run) => html`<a href=${link(['identifications', run.id])}><bdi>${nameOf(run)}</bdi></a>${run.pinned ? ' 📌' : ''}` },
  { key: 'robot', head: 'robot', sort: 'robot', standard: true, class: 'tight', cell: (run) => html`<a href=${link(['robots', run.robot])}>${run.robot}</a> <span class="quiet">r${run.revision}</span>` },
  { key: 'estimator', head: 'estimator', standard: true, cell: (run) => run.estimator },
  { key: 'error_validation', head: 'error_validation', standard: true, ...metric('validation.raw.relative_percent', percent) },
  { key: 'error_validation_parallel', head: 'error_validation_parallel', ...metric('validation.parallel.relative_percent', percent) },
  { key: 'error_training', head: 'error_training', standard: true, ...metric('training.raw.relative_percent', percent) },
  { key: 'error_training_parallel', head: 'error_training_parallel', ...metric('training.parallel.relative_percent', percent) },
  { key: 'condition', head: 'condition', standard: true, ...metric('condition_number', (value) => figure(value, 3)) },
  { key: 'base_count', head: 'base_count', ...metric('base_parameter_count', count) },
  { key: 'samples', head: 'samples', ...metric('training_samples', count) },
  { key: 'data', head: 'data', standard: true, class: 'tight', cell: (run) => (run.datasets ?? []).map((id) => html`<a key=${id} href=${link(['datasets', id])} title=${id}>${shortId(id)}</a> `) },
  { key: 'created', head: 'created', sort: 'created_at', standard: true, class: 'tight', cell: (run) => moment(run.created_at) },
  { key: 'tags', head: 'tags', standard: true, cell: (run) => html`<${Tags} tags=${run.tags} />` },
]
const OF_JOINT = 'validation.raw.relative_percent.'
// Columns of joints are those that the runs have figures of.
const jointColumns = (items) => [...new Set(items.flatMap((run) => Object.keys(run.metrics ?? {})).filter((name) => name.startsWith(OF_JOINT)))]
  .map((name) => ({ key: `joint.${name.slice(OF_JOINT.length)}`, head: t('error_of_joint', { joint: name.slice(OF_JOINT.length) }), standard: false, ...metric(name, percent) }))

const ERROR = 'validation.raw.relative_percent'

function Filters({ query }) {
  const robots = useAnswer((signal) => get('v1/robots', { limit: 200 }, signal))
  const below = query.getAll('metric').find((one) => one.startsWith(`${ERROR}<`))?.slice(ERROR.length + 1) ?? ''
  return html`<form class="row panel" role="search" onSubmit=${(e) => e.preventDefault()}>
    <${Field} label=${t('search')}><${Typed} live type="search" placeholder=${t('search_hint')} value=${query.get('q') ?? ''} onValue=${(q) => adjust({ q })} /></${Field}>
    <${Field} label=${t('robot')}><select value=${query.get('robot') ?? ''} onChange=${(e) => adjust({ robot: e.target.value })}>
      <option value="">${t('all')}</option>${(robots.value?.items ?? []).map(({ name }) => html`<option value=${name}>${name}</option>`)}
    </select></${Field}>
    <${Field} label=${t('estimator')}><select value=${query.get('estimator') ?? ''} onChange=${(e) => adjust({ estimator: e.target.value })}>
      <option value="">${t('all')}</option>${ARMDYN_ESTIMATOR_LIST.map((name) => html`<option value=${name}>${name}</option>`)}
    </select></${Field}>
    <${Field} label=${t('error_below')}><${Typed} live min="0" style=${{ width: '9rem' }} value=${below} onValue=${(most) => adjust({ metric: most && `${ERROR}<${most}` })} /></${Field}>
    <${Field} label=${t('tag_filter')}><${Typed} live type="text" value=${query.get('tag') ?? ''} onValue=${(tag) => adjust({ tag })} /></${Field}>
    <button type="button" onClick=${() => adjust({ q: null, robot: null, estimator: null, metric: null, tag: null, datasets: null })}>${t('clear_filters')}</button>
  </form>`
}

export function Page() {
  const { query } = route.value
  const list = useList('v1/identifications', askedOf(query), unlessLive(15000), turnOf('jobs'))
  const chosen = useChosen(list.items)
  const columns = [...COLUMNS.map(({ standard, ...one }) => ({ ...one, head: t(one.head), standard: !!standard })), ...jointColumns(list.items ?? [])]
  return html`
    <${Head} title=${t('page.identifications')} sub=${t('ident_text')} />
    <${Filters} query=${query} />
    <${Listing} kind="identifications" list=${list} sort=${query.get('sort') ?? '-created_at'} columns=${[...columns, ...moreOf(list.items ?? [], columns)]}>
      <${Act} class="main" disabled=${chosen.length < 2 || chosen.length > 10} title=${t('compare_hint')} onClick=${() => go(['compare'], { ids: chosen.map(({ id }) => id).join(',') })}>${t('compare', { count: chosen.length })}</${Act}></${Listing}>
    <p class="quiet">${t('compare_hint')}</p>`
}
