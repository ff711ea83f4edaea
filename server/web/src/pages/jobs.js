// Jobs as they run. A list item leads to the job, the job to its result.
import { useState } from 'preact/hooks'
import { html } from '../html.js'
import { adjust, go, link, route } from '../route.js'
import { extend, t } from '../words.js'
import { get, post, once } from '../api.js'
import { newsOf, turnOf, unlessLive } from '../live.js'
import { now } from '../clock.js'
import { Act, Bar, Ended, Field, Head, Loading, Notice, Refusal, State, Table, Tags, useAnswer, useList } from '../ui/parts.js'
import { figure, moment, readable, shortId } from '../ui/format.js'
import { said } from '../ui/sentences.js'

extend({
  jobs_text: ['Work that takes longer than a request should.', '耗时较长的计算。'],
  took: ['Took', '用时'],
  job_cancel: ['Cancel the job', '取消任务'],
  job_again: ['Run again', '重新运行'],
  job_suggested: ['Run what is suggested', '按建议运行'],
  job_result: ['Open the result', '打开结果'],
  job_request: ['Request', '请求'],
  job_log: ['Log', '日志'],
  attempt_lost: ['Attempt {attempt} was lost: {reason}', '第 {attempt} 次尝试丢失：{reason}'],
  log_accepted: ['accepted', '已接受'],
  log_started: ['started', '已开始'],
  log_finished: ['finished', '已结束'],
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

const ENDED = ['succeeded', 'failed', 'cancelled']
const RESULTS = ['identifications', 'trajectories', 'excitations', 'friction-tests', 'evaluations', 'friction-identifications', 'simulations', 'collision-checks', 'verifications', 'identification-studies']
// A result's address in the API is one of these pages where there is a page for its kind.
const resultPage = (href) => {
  const [, , kind, id] = href.split('/').slice(-4)
  return RESULTS.includes(kind) ? link([kind, id]) : null
}
const seconds = (job) => (job.started_at ? ((job.finished_at ? Date.parse(job.finished_at) : now()) - Date.parse(job.started_at)) / 1000 : null)

// A job as the API answered it, with how far it is by now.
const withNews = (job, news) => job && news && { ...job, state: news.state, progress: news.progress, message: news.message, started_at: news.started_at } || job

function One({ id }) {
  const [error, setError] = useState(null)
  const [ended, setEnded] = useState(false)
  const news = newsOf('jobs', id)
  const answer = useAnswer(async (signal) => {
    const job = await get(`v1/jobs/${encodeURIComponent(id)}`, {}, signal)
    setEnded(ENDED.includes(job.state))
    return job
  }, [id, news?.state, news?.attempt], ended ? 0 : unlessLive(700))
  const job = ended ? answer.value : withNews(answer.value, news)
  if (!job) return html`<${Refusal} error=${answer.error} /><${Loading} error=${answer.error} />`
  const act = async (work) => {
    setError(null)
    try {
      await work()
    } catch (refusal) {
      setError(refusal)
    }
  }
  const again = (request) => act(async () => {
    const { callback, ...rest } = request
    const made = await post(`v1/robots/${job.robot}/${job.collection}`, rest, { query: { revision: job.revision }, headers: once() })
    go(['jobs', made.id])
  })
  const open = job.result && resultPage(job.result.href)
  const log = [[job.created_at, t('log_accepted')], [job.started_at, t('log_started')],
    ...(job.attempts ?? []).map((one) => [one.at, t('attempt_lost', { ...one, reason: said(one.reason) })]), [job.finished_at, `${t('log_finished')}: ${t(`state.${job.state}`)}`]].filter(([at]) => at)
  return html`
    <${Head} title=${`${t(`kind.${job.kind}`)} · ${job.robot} r${job.revision}`} sub=${html`<${State} state=${job.state} /> <code>${job.id}</code> <${Tags} tags=${job.tags} />`}>
      ${open && html`<a class="button" href=${open}>${t('job_result')}</a>`}
      ${!ENDED.includes(job.state) && html`<${Act} role="operator" onClick=${() => act(() => post(`v1/jobs/${job.id}/cancel`).then(answer.again))}>${t('job_cancel')}</${Act}>`}
      ${ENDED.includes(job.state) && html`<${Act} role="operator" onClick=${() => again(job.request)}>${t('job_again')}</${Act}>`}
      ${job.problem?.suggested_request && html`<${Act} class="main" role="operator" onClick=${() => again(job.problem.suggested_request)}>${t('job_suggested')}</${Act}>`}
    </${Head}>
    <${Refusal} error=${error ?? answer.error} />
    <section class="panel stack"><${Bar} value=${job.state === 'succeeded' ? 1 : job.progress} label=${t('progress')} /><p role="status">${said(job.message) || t(`state.${job.state}`)} · ${figure(seconds(job), 3)} s</p></section>
    ${job.problem && html`<${Notice} kind="bad"><${Ended} problem=${job.problem} /></${Notice}>`}
    <div class="grid">
      <section class="panel"><h2>${t('job_log')}</h2><dl class="facts">${log.map(([at, what], k) => html`<dt key=${k}>${moment(at)}</dt><dd>${what}</dd>`)}</dl></section>
      <section class="panel"><h2>${t('job_request')}</h2><pre class="code scroll tall" tabindex="0">${readable(job.request)}</pre></section>
    </div>`
}

function All() {
  const { query } = route.value
  const asked = new URLSearchParams([...query])
  if (!asked.get('sort')) asked.set('sort', '-created_at')
  asked.set('limit', '100')
  const list = useList('v1/jobs', asked, unlessLive(1500), turnOf('jobs'))
  const items = list.items?.map((job) => (ENDED.includes(job.state) ? job : withNews(job, newsOf('jobs', job.id))))
  const robots = useAnswer((signal) => get('v1/robots', { limit: 200 }, signal))
  return html`
    <${Head} title=${t('page.jobs')} sub=${t('jobs_text')}>
      <${Field} label=${t('state')}><select value=${query.get('state') ?? ''} onChange=${(e) => adjust({ state: e.target.value })}><option value="">${t('all')}</option>${['queued', 'running', ...ENDED].map((state) => html`<option value=${state}>${t(`state.${state}`)}</option>`)}</select></${Field}>
      <${Field} label=${t('robot')}><select value=${query.get('robot') ?? ''} onChange=${(e) => adjust({ robot: e.target.value })}><option value="">${t('all')}</option>${(robots.value?.items ?? []).map(({ name }) => html`<option value=${name}>${name}</option>`)}</select></${Field}>
    </${Head}>
    <${Refusal} error=${list.error} />
    <div class="panel"><${Table} tall caption=${t('page.jobs')} items=${items} list=${list} columns=${[
      { key: 'kind', head: t('kind'), cell: (job) => html`<a href=${link(['jobs', job.id])}>${t(`kind.${job.kind}`)}</a> <code class="quiet">${shortId(job.id)}</code>` },
      { key: 'robot', head: t('robot'), class: 'tight', cell: (job) => `${job.robot} r${job.revision}` },
      { key: 'state', head: t('state'), cell: (job) => html`<${State} state=${job.state} />` },
      { key: 'progress', head: t('progress'), cell: (job) => html`<${Bar} value=${job.state === 'succeeded' ? 1 : job.progress} label=${`${t('progress')} ${shortId(job.id)}`} />` },
      { key: 'took', head: t('took'), number: true, cell: (job) => `${figure(seconds(job), 3)} s` },
      { key: 'created', head: t('created'), class: 'tight', cell: (job) => moment(job.created_at) },
      { key: 'tags', head: t('tags'), cell: (job) => html`<${Tags} tags=${job.tags} />` },
    ]} /></div>`
}

export const Page = ({ path }) => (path[1] ? html`<${One} key=${path[1]} id=${path[1]} />` : html`<${All} />`)
