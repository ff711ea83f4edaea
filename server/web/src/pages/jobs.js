// Jobs as they run. A list item leads to the job, the job to its result.
import { useState } from 'preact/hooks'
import { html } from '../html.js'
import { adjust, go, link, route } from '../route.js'
import { extend, t } from '../words.js'
import { call, get, post, once } from '../api.js'
import { newsOf, turnOf, unlessLive } from '../live.js'
import { jobColumns, seconds } from '../ui/job_table.js'
import { ENDED, resultPage, withNews } from '../ui/jobs.js'
import { FormDialog } from '../ui/dialog.js'
import { Act, Bar, Ended, Field, Head, Loading, Notice, Refusal, State, Tags, useAnswer } from '../ui/parts.js'
import { useList } from '../ui/table.js'
import { Deliveries } from '../ui/deliveries.js'
import { Listing, askedOf } from '../ui/listing.js'
import { count, lasting, moment, readable } from '../ui/format.js'
import { said } from '../ui/sentences.js'

extend({
  jobs_text: ['Work that takes longer than a request should.', '耗时较长的计算。'],
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
  jobs_cancel: ['Cancel these …', '取消这些……'],
  jobs_cancel_first: ['Choose a robot or a state first.', '请先选择机器人或状态。'],
  jobs_cancel_text: ['Jobs that wait or run and meet all of this, also those that are not on this page:', '符合以下全部条件的等待或运行中的任务（包括本页未显示的）：'],
  jobs_cancel_count: ['{count} now.', '目前 {count} 个。'],
  jobs_cancel_does: ['Cancel all of them', '全部取消'],
  jobs_cancelled: ['{count} cancelled.', '已取消 {count} 个。'],
})

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
    <section class="panel stack"><${Bar} value=${job.state === 'succeeded' ? 1 : job.progress} label=${t('progress')} /><p role="status">${said(job.message) || t(`state.${job.state}`)} · ${lasting(seconds(job))}</p></section>
    ${job.problem && html`<${Notice} kind="bad"><${Ended} problem=${job.problem} /></${Notice}>`}
    ${job.request.callback && html`<${Deliveries} path=${`v1/jobs/${job.id}/deliveries`} webhook=${job.request.callback.webhook} turn=${job.state} />`}
    <div class="grid">
      <section class="panel"><h2>${t('job_log')}</h2><dl class="facts">${log.map(([at, what], k) => html`<dt key=${k}>${moment(at)}</dt><dd>${what}</dd>`)}</dl></section>
      <section class="panel"><h2>${t('job_request')}</h2><pre class="code scroll tall" tabindex="0">${readable(job.request)}</pre></section>
    </div>`
}

const LIVING = ['queued', 'running']

// The conditions of what is shown as the call takes them; null where they name nothing that could be cancelled.
function cancelOf(query) {
  const [robot, state] = [query.get('robot'), query.get('state')]
  return ENDED.includes(state) || !(robot || state) ? null : { ...(robot && { robot }), state: state ? [state] : LIVING }
}

function CancelMany({ request, onClose, onDone }) {
  const tried = useAnswer(async () => (await call('POST', 'v1/jobs/cancel', { json: request, query: { dry_run: true } })).data, [JSON.stringify(request)])
  const send = async () => onDone(await post('v1/jobs/cancel', request))
  return html`<${FormDialog} title=${t('jobs_cancel')} does=${t('jobs_cancel_does')} kind="danger" role="operator" send=${send} onClose=${onClose}><${Refusal} error=${tried.error} />
    <p>${t('jobs_cancel_text')}</p><dl class="facts">${request.robot && html`<dt>${t('robot')}</dt><dd><bdi>${request.robot}</bdi></dd>`}<dt>${t('state')}</dt><dd>${request.state.map((one) => t(`state.${one}`)).join(', ')}</dd></dl>
    ${tried.value && html`<p role="status"><strong>${t('jobs_cancel_count', { count: count(tried.value.cancelled) })}</strong></p>`}</${FormDialog}>`
}

function All() {
  const { query } = route.value
  const list = useList('v1/jobs', askedOf(query), unlessLive(1500), turnOf('jobs'))
  const items = list.items?.map((job) => (ENDED.includes(job.state) ? job : withNews(job, newsOf('jobs', job.id))))
  const robots = useAnswer((signal) => get('v1/robots', { limit: 200 }, signal))
  const [cancelling, cancel] = useState(null) // what is to be cancelled
  const [came, setCame] = useState(null)
  const request = cancelOf(query)
  return html`
    <${Head} title=${t('page.jobs')} sub=${t('jobs_text')}>
      <${Field} label=${t('state')}><select value=${query.get('state') ?? ''} onChange=${(e) => adjust({ state: e.target.value })}><option value="">${t('all')}</option>${['queued', 'running', ...ENDED].map((state) => html`<option value=${state}>${t(`state.${state}`)}</option>`)}</select></${Field}>
      <${Field} label=${t('robot')}><select value=${query.get('robot') ?? ''} onChange=${(e) => adjust({ robot: e.target.value })}><option value="">${t('all')}</option>${(robots.value?.items ?? []).map(({ name }) => html`<option value=${name}>${name}</option>`)}</select></${Field}>
      <${Act} role="operator" disabled=${!request} title=${request ? undefined : t('jobs_cancel_first')} onClick=${() => cancel(request)}>${t('jobs_cancel')}</${Act}>
    </${Head}>
    ${came && html`<${Notice} kind="good">${t('jobs_cancelled', { count: count(came.cancelled) })}</${Notice}>`}
    ${cancelling && html`<${CancelMany} request=${cancelling} onClose=${() => cancel(null)} onDone=${(told) => { setCame(told); cancel(null); list.again() }} />`}
    <${Listing} fixed kind="jobs" list=${{ ...list, items }} sort=${query.get('sort') ?? '-created_at'} columns=${jobColumns()} />`
}

export const Page = ({ path }) => (path[1] ? html`<${One} key=${path[1]} id=${path[1]} />` : html`<${All} />`)
