// Home: what to do next, what runs now, and what came of the last jobs.
import { useEffect, useState } from 'preact/hooks'
import { html } from '../html.js'
import { link } from '../route.js'
import { extend, t } from '../words.js'
import { get } from '../api.js'
import { newsOf, turnOf, unlessLive, useLive } from '../live.js'
import { session } from '../session.js'
import { Bar, Head, Loading, Notice, Refusal, State, useAnswer } from '../ui/parts.js'
import { ENDED, resultPage, withNews } from '../ui/jobs.js'
import { moment } from '../ui/format.js'

extend({
  welcome: ['Welcome to armdyn', '欢迎使用 armdyn'],
  start_text: ['Robot arms: models, logs, identification, energy-optimal motions, and their torques on the controller.', '机器人手臂：模型、日志、参数辨识、能量最优运动及其在控制器上的力矩。'],
  start_done: ['The demo is stored. Next: choose the log "demo: learn" and identify.', '示例已保存。下一步：选择日志“demo: learn”并进行辨识。'],
  start_next: ['What next?', '下一步做什么？'],
  start_now: ['What runs now', '正在运行'],
  start_idle: ['Nothing runs.', '没有正在运行的任务。'],
  start_waiting: ['{count} more wait.', '另有 {count} 个在等待。'],
  start_draining: ['The service is drained: it takes no more jobs and motions.', '服务正在维护：不再接受新任务和运动。'],
  start_alarms: ['Alarms that are active: {count}', '活动报警：{count}'],
  start_ended: ['Ended last', '最近结束'],
  'next.robot': ['Add a robot', '添加机器人'],
  'next.robot_text': ['A URDF or a model as JSON.', 'URDF 或 JSON 模型。'],
  'next.identify': ['Identify an arm', '辨识手臂'],
  'next.identify_text': ['Upload a log, choose it, and let its parameters be found.', '上传日志，选择后辨识参数。'],
  'next.plan': ['Plan a motion', '规划运动'],
  'next.plan_text': ['By hand, by numbers or from a log, with least energy.', '拖动、输入或取自日志，能量最优。'],
  'next.verify': ['Verify an arm', '验证手臂'],
  'next.verify_text': ['Is the tool in place with unknown loads?', '未知负载下末端是否到位？'],
  'next.connect': ['Connect a controller', '连接控制器'],
  'next.connect_text': ['By Modbus TCP: its address, then the test of it.', '通过 Modbus TCP：输入地址，然后测试。'],
  'next.order': ['Order a motion', '下达运动订单'],
  'next.order_text': ['To be planned, sent and played on a controller.', '规划、发送并在控制器上播放。'],
})

// What a person comes for, with the role that it needs. To add one: a row.
const NEXT = [
  { name: 'robot', to: link(['robots'], { new: '1' }), role: 'engineer' },
  { name: 'identify', to: link(['datasets']), role: 'operator' },
  { name: 'plan', to: link(['trajectories', 'new']), role: 'operator' },
  { name: 'verify', to: link(['verifications', 'new']), role: 'operator' },
  { name: 'connect', to: link(['controllers'], { new: '1' }), role: 'admin' },
  { name: 'order', to: link(['orders'], { new: '1' }), role: 'operator' },
]

const nameOf = (job) => `${t(`kind.${job.kind}`)} · ${job.robot}`

function Now() {
  useLive('*')
  const turn = `${turnOf('jobs')} ${turnOf('transfers')}`
  const answer = useAnswer(async (signal) => {
    const [activity, alarms] = await Promise.all([get('v1/activity', {}, signal), get('v1/alarms', { state: 'active', limit: 100 }, signal)])
    return { ...activity, alarms: alarms.items.length }
  }, [turn], unlessLive(3000))
  if (!answer.value) return html`<${Refusal} error=${answer.error} /><${Loading} error=${answer.error} />`
  const { draining, alarms, transfers } = answer.value
  const running = answer.value.jobs.running.map((job) => withNews(job, newsOf('jobs', job.id))).filter((job) => !ENDED.includes(job.state))
  const moving = transfers.active.map((one) => ({ ...one, ...newsOf('transfers', one.id) }))
  const waiting = answer.value.jobs.waiting_count
  return html`<${Refusal} error=${answer.error} />
    ${draining && html`<${Notice} kind="warn">${t('start_draining')} ${session.may('admin') && html`<a href=${link(['storage'])}>${t('place.admin')}</a>`}</${Notice}>`}
    ${alarms > 0 && html`<${Notice} kind="bad"><a href=${link(['alarms'])}>${t('start_alarms', { count: alarms })}</a></${Notice}>`}
    <div class="grid"><section class="panel"><h2>${t('start_now')}</h2>
      ${running.length + moving.length + waiting === 0 && html`<p class="quiet">${t('start_idle')}</p>`}
      <ul class="doing">${moving.map((one) => html`<li key=${one.id}><a href=${link(['controllers', one.controller])}><bdi>${one.controller}</bdi></a> <${State} state=${one.state} /></li>`)}
        ${running.map((job) => html`<li key=${job.id}><a href=${link(['jobs', job.id])}>${nameOf(job)}</a><${Bar} value=${job.progress} label=${nameOf(job)} /></li>`)}</ul>
      ${waiting > 0 && html`<p><a href=${link(['jobs'], { state: 'queued' })}>${t('start_waiting', { count: waiting })}</a></p>`}</section>
    <section class="panel"><h2>${t('start_ended')}</h2>${answer.value.jobs.ended.length === 0 && html`<p class="quiet">${t('nothing')}</p>`}<ul class="doing">${answer.value.jobs.ended.slice(0, 8).map((job) => html`<li key=${job.id}>
      <a href=${(job.result && resultPage(job.result.href)) ?? link(['jobs', job.id])}>${nameOf(job)}</a> <${State} state=${job.state} /> <span class="quiet">${moment(job.finished_at)}</span></li>`)}</ul></section></div>`
}

export function Page() {
  const robots = useAnswer((signal) => get('v1/robots', { limit: 1 }, signal))
  const [done, setDone] = useState(false)
  const empty = robots.value?.items.length === 0
  const [Demo, setDemo] = useState(null) // comes after what is above it
  useEffect(() => {
    import('./start_demo.js').then((module) => setDemo(() => module.Demo), () => {})
  }, [])
  const demo = robots.value && Demo && html`<${Demo} empty=${empty} onDone=${() => { setDone(true); robots.again() }} />`
  return html`
    <${Head} title=${t(empty ? 'welcome' : 'page.start')} sub=${t('start_text')} />
    <${Refusal} error=${robots.error} />
    ${done && html`<${Notice} kind="good">${t('start_done')} <a href=${link(['datasets'])}>${t('next.identify')}</a></${Notice}>`}
    ${empty && demo}
    <h2>${t('start_next')}</h2>
    <div class="tiles">${NEXT.filter(({ role }) => session.may(role)).map(({ name, to }) => html`<a key=${name} class="tile next" href=${to}><b>${t(`next.${name}`)}</b><span class="quiet">${t(`next.${name}_text`)}</span></a>`)}</div>
    <${Now} />
    ${!empty && demo}`
}
