// Jobs as a table shows them.
import { html } from '../html.js'
import { link } from '../route.js'
import { extend, t } from '../words.js'
import { now } from '../clock.js'
import { Bar, State, Tags } from './parts.js'
import { lasting, moment, shortId } from './format.js'
import './jobs.js'

extend({
  took: ['Took', '用时'],
})

export const seconds = (job) => (job.started_at ? ((job.finished_at ? Date.parse(job.finished_at) : now()) - Date.parse(job.started_at)) / 1000 : null)

// Columns of a table of jobs.
export const jobColumns = () => [
  { key: 'kind', head: t('kind'), cell: (job) => html`<a href=${link(['jobs', job.id])}>${t(`kind.${job.kind}`)}</a> <code class="quiet">${shortId(job.id)}</code>` },
  { key: 'robot', head: t('robot'), class: 'tight', cell: (job) => `${job.robot} r${job.revision}` },
  { key: 'state', head: t('state'), cell: (job) => html`<${State} state=${job.state} />` },
  { key: 'progress', head: t('progress'), cell: (job) => html`<${Bar} value=${job.state === 'succeeded' ? 1 : job.progress} label=${`${t('progress')} ${shortId(job.id)}`} />` },
  { key: 'took', head: t('took'), number: true, cell: (job) => lasting(seconds(job)) },
  { key: 'created', head: t('created'), class: 'tight', cell: (job) => moment(job.created_at) },
  { key: 'tags', head: t('tags'), cell: (job) => html`<${Tags} tags=${job.tags} />` },
  { key: 'priority', head: t('column.priority'), standard: false, number: true, cell: (job) => job.priority },
  { key: 'created_by', head: t('who'), standard: false, cell: (job) => html`<bdi>${job.created_by ?? ''}</bdi>` },
  { key: 'reason', head: t('reason'), standard: false, cell: (job) => job.reason ?? '' },
]
