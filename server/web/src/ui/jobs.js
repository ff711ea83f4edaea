// What pages of jobs share: what kinds there are, how far one is by now, and where its result is shown.
import { html } from '../html.js'
import { link } from '../route.js'
import { extend, t } from '../words.js'
import { now } from '../clock.js'
import { Bar, State, Tags } from './parts.js'
import { figure, moment, shortId } from './format.js'

extend({
  took: ['Took', '用时'],
  'kind.identification': ['identification', '辨识'],
  'kind.identification_study': ['study of an identification', '辨识研究'],
  'kind.trajectory': ['trajectory', '轨迹'],
  'kind.excitation': ['excitation', '激励轨迹'],
  'kind.simulation': ['simulation', '仿真'],
  'kind.friction_test': ['friction test', '摩擦测试'],
  'kind.evaluation': ['evaluation', '评估'],
  'kind.collision_check': ['collision check', '碰撞检测'],
  'kind.verification': ['verification', '验证'],
  'kind.tuning': ['tuning', '增益整定'],
  'kind.friction_identification': ['friction identification', '摩擦辨识'],
})

export const ENDED = ['succeeded', 'failed', 'cancelled']
const RESULTS = ['identifications', 'trajectories', 'excitations', 'friction-tests', 'evaluations', 'friction-identifications', 'simulations', 'collision-checks', 'verifications', 'identification-studies']
// A result's address in the API is one of these pages where there is a page for its kind.
export const resultPage = (href) => {
  const [, , kind, id] = href.split('/').slice(-4)
  return RESULTS.includes(kind) ? link([kind, id]) : null
}
export const seconds = (job) => (job.started_at ? ((job.finished_at ? Date.parse(job.finished_at) : now()) - Date.parse(job.started_at)) / 1000 : null)

// A job as the API answered it, with how far it is by now.
export const withNews = (job, news) => job && news && { ...job, state: news.state, progress: news.progress, message: news.message, started_at: news.started_at } || job

// Columns of a table of jobs.
export const jobColumns = () => [
  { key: 'kind', head: t('kind'), cell: (job) => html`<a href=${link(['jobs', job.id])}>${t(`kind.${job.kind}`)}</a> <code class="quiet">${shortId(job.id)}</code>` },
  { key: 'robot', head: t('robot'), class: 'tight', cell: (job) => `${job.robot} r${job.revision}` },
  { key: 'state', head: t('state'), cell: (job) => html`<${State} state=${job.state} />` },
  { key: 'progress', head: t('progress'), cell: (job) => html`<${Bar} value=${job.state === 'succeeded' ? 1 : job.progress} label=${`${t('progress')} ${shortId(job.id)}`} />` },
  { key: 'took', head: t('took'), number: true, cell: (job) => `${figure(seconds(job), 3)} s` },
  { key: 'created', head: t('created'), class: 'tight', cell: (job) => moment(job.created_at) },
  { key: 'tags', head: t('tags'), cell: (job) => html`<${Tags} tags=${job.tags} />` },
]
