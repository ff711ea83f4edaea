// The runs: sorted, filtered and searched by the server; the whole view is in the address.
import { useEffect, useState } from 'preact/hooks'
import { html } from '../html.js'
import { route, adjust, link, go } from '../route.js'
import { t } from '../words.js'
import { get } from '../api.js'
import { Act, Check, Field, Head, Refusal, Tags, useAnswer } from '../ui/parts.js'
import { Table, useList } from '../ui/table.js'
import { turnOf, unlessLive } from '../live.js'
import { count, figure, moment, percent, shortId } from '../ui/format.js'

const metric = (name, show) => ({ sort: name, number: true, cell: (run) => show(run.metrics?.[name]) })

// To add a column: a row; `standard` ones are shown unless others are chosen.
const COLUMNS = [
  { key: 'label', head: 'label', sort: 'label', standard: true, class: 'wide', cell: (run) => html`<a href=${link(['identifications', run.id])}><bdi>${run.label || shortId(run.id)}</bdi></a>${run.pinned ? ' 📌' : ''}` },
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
  .map((name) => ({ key: `joint.${name.slice(OF_JOINT.length)}`, text: t('error_of_joint', { joint: name.slice(OF_JOINT.length) }), ...metric(name, percent) }))

const ERROR = 'validation.raw.relative_percent'

// Text that becomes part of the address when the person pauses.
function Later({ value, onValue, ...rest }) {
  const [text, set] = useState(value)
  useEffect(() => set(value), [value])
  useEffect(() => {
    if (text === value) return
    const timer = setTimeout(() => onValue(text), 250)
    return () => clearTimeout(timer)
  }, [text])
  return html`<input ...${rest} value=${text} onInput=${(e) => set(e.target.value)} />`
}

function Filters({ query }) {
  const robots = useAnswer((signal) => get('v1/robots', { limit: 200 }, signal))
  const below = query.getAll('metric').find((one) => one.startsWith(`${ERROR}<`))?.slice(ERROR.length + 1) ?? ''
  return html`<form class="row panel" role="search" onSubmit=${(e) => e.preventDefault()}>
    <${Field} label=${t('search')}><${Later} type="search" placeholder=${t('search_hint')} value=${query.get('q') ?? ''} onValue=${(q) => adjust({ q })} /></${Field}>
    <${Field} label=${t('robot')}><select value=${query.get('robot') ?? ''} onChange=${(e) => adjust({ robot: e.target.value })}>
      <option value="">${t('all')}</option>${(robots.value?.items ?? []).map(({ name }) => html`<option value=${name}>${name}</option>`)}
    </select></${Field}>
    <${Field} label=${t('estimator')}><select value=${query.get('estimator') ?? ''} onChange=${(e) => adjust({ estimator: e.target.value })}>
      <option value="">${t('all')}</option>${['consistent', 'ridge', 'wls', 'irls', 'ols', 'didim'].map((name) => html`<option value=${name}>${name}</option>`)}
    </select></${Field}>
    <${Field} label=${t('error_below')}><${Later} type="number" min="0" step="any" style=${{ width: '9rem' }} value=${below} onValue=${(most) => adjust({ metric: most && `${ERROR}<${most}` })} /></${Field}>
    <${Field} label=${t('tag_filter')}><${Later} type="text" value=${query.get('tag') ?? ''} onValue=${(tag) => adjust({ tag })} /></${Field}>
    <button type="button" onClick=${() => adjust({ q: null, robot: null, estimator: null, metric: null, tag: null, datasets: null })}>${t('clear_filters')}</button>
  </form>`
}

export function Page() {
  const { query } = route.value
  const asked = new URLSearchParams([...query].filter(([name]) => !['columns', 'chosen'].includes(name)))
  if (!asked.get('sort')) asked.set('sort', '-created_at')
  asked.set('limit', '100')
  const list = useList('v1/identifications', asked, unlessLive(15000), turnOf('jobs'))
  const chosen = (query.get('chosen') ?? '').split(',').filter(Boolean)
  const every = [...COLUMNS, ...jointColumns(list.items ?? [])]
  const shown = query.get('columns')?.split(',') ?? COLUMNS.filter((column) => column.standard).map((column) => column.key)
  const toggle = (key) => adjust({ columns: every.map((column) => column.key).filter((one) => (one === key) !== shown.includes(one)).join(',') })
  return html`
    <${Head} title=${t('page.identifications')} sub=${t('ident_text')}>
      <details class="columns"><summary>${t('columns')}</summary><div class="panel">
        ${every.map((column) => html`<${Check} key=${column.key} label=${column.text ?? t(column.head)} checked=${shown.includes(column.key)} onChange=${() => toggle(column.key)} />`)}
      </div></details>
      <${Act} class="main" disabled=${chosen.length < 2 || chosen.length > 10} title=${t('compare_hint')} onClick=${() => go(['compare'], { ids: chosen.join(',') })}>${t('compare', { count: chosen.length })}</${Act}>
    </${Head}>
    <${Filters} query=${query} />
    <${Refusal} error=${list.error} />
    <div class="panel"><${Table} caption=${t('page.identifications')} items=${list.items} list=${list} tall
      columns=${every.filter((column) => shown.includes(column.key)).map((column) => ({ ...column, head: column.text ?? t(column.head) }))}
      sort=${asked.get('sort')} onSort=${(sort) => adjust({ sort })} chosen=${chosen} onChoose=${(ids) => adjust({ chosen: ids.slice(0, 10).join(',') })} />
      <p class="quiet">${t('compare_hint')}</p></div>`
}
