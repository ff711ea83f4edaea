// A controller that is spoken to for the first time: where it is, which joint each axis moves, what a test says of it, and then into
// service. Each step is kept as it is made, so that one may come back to it.
import './motion.words.js'
import { useState } from 'preact/hooks'
import { html } from '../html.js'
import { adjust, go, route } from '../route.js'
import { extend, t } from '../words.js'
import { call, get, post, once } from '../api.js'
import { session } from '../session.js'
import { Act, Bar, Check, Field, Head, Loading, Notice, Refusal, useAnswer } from '../ui/parts.js'
import { Table } from '../ui/table.js'
import { figure } from '../ui/format.js'
import { ControllerForm } from './controller_form.js'
import { MapLook, MapText, Speaks, profileOf } from './connect_map.js'
import { CheckName, CheckMend, groupName } from '../ui/checks.js'

extend({
  connect: ['Connect a controller', '连接控制器'],
  connect_text: ['Three steps; it is out of service until the last of them, so nobody sends it a motion meanwhile.', '共三步；最后一步之前控制器未投入使用，不会向其发送运动。'],
  connect_where: ['1. Where it is', '1. 地址'],
  connect_axes: ['2. Which joint each axis moves', '2. 轴与关节的对应'],
  connect_test: ['3. What a test says of it', '3. 测试结果'],
  connect_keep: ['Keep it, out of service', '保存（不投入使用）'],
  connect_base: ['First register', '首寄存器'],
  connect_axis: ['Axis', '轴号'],
  connect_sign: ['Turns', '方向'],
  connect_same: ['the same way', '相同'],
  connect_opposite: ['the other way', '相反'],
  connect_rated: ['Rated torque [N m, N]', '额定力矩 [N m, N]'],
  connect_axes_save: ['Keep the axes', '保存轴对应'],
  connect_axes_kept: ['Kept.', '已保存。'],
  connect_probe: ['Who is there?', '探测'],
  connect_whole: ['Test everything', '全面测试'],
  connect_cancel: ['End the test', '结束测试'],
  connect_lost: ['Whatever is loaded in the controller is lost. Without the box below, ARM, START and RESUME are never sent.', '控制器中已加载的内容会丢失。若不勾选下方选项，绝不发送使能、启动与继续指令。'],
  connect_motion: ['Also arm and start profiles that stand still: DRIVES GO ON, BRAKES OPEN; keep clear of the arm', '同时使能并启动静止曲线：驱动上电、抱闸打开；请远离手臂'],
  connect_progress: ['{done} of {expected} checks', '已完成 {done}／{expected} 项检查'],
  connect_identity: ['{axes} axes, formats {formats}, up to {samples} samples', '{axes} 轴，格式 {formats}，最多 {samples} 个样本'],
  connect_few: ['It moves {axes} axes, the robot has {joints} joints.', '控制器驱动 {axes} 个轴，而机器人有 {joints} 个关节。'],
  connect_clock: ['Its clock', '时钟'],
  connect_clock_rate: ['{percent} % off ours', '与本机相差 {percent} %'],
  connect_cycle: ['Its cycle', '周期'],
  connect_cycle_bound: ['{ms} ms or less', '不超过 {ms} ms'],
  connect_cycle_is: ['{ms} ms', '{ms} ms'],
  connect_answer: ['An answer takes', '应答时间'],
  connect_windows: ['Windows a second', '每秒窗口数'],
  connect_wrong: ['{count} wrong', '{count} 项错误'],
  connect_right: ['{count} right', '{count} 项正确'],
  connect_not_tried: ['{count} not tried', '{count} 项未测试'],
  connect_good: ['Nothing is wrong.', '未发现错误。'],
  connect_seen: ['Seen', '观察到'],
  connect_mend: ['What to mend', '如何修正'],
  connect_all: ['All checks', '全部检查'],
  connect_result: ['Result', '结果'],
  'check.right': ['right', '正确'],
  'check.wrong': ['wrong', '错误'],
  'check.not_tried': ['not tried', '未测试'],
  'test.failed': ['The test itself ended: {detail}', '测试本身中断：{detail}'],
  'test.cancelled': ['The test was ended before it was through.', '测试未完成即被结束。'],
  connect_serve: ['Put it in service', '投入使用'],
  connect_untested: ['It was not tested as a whole yet.', '尚未进行全面测试。'],
  connect_wrong_still: ['Something is wrong with it. A motion may fail, or be another than was planned: mend it first.', '控制器存在错误，运动可能失败或与计划不同：请先修正。'],
  connect_served: ['It is in service.', '已投入使用。'],
})

const at = (name) => `v1/controllers/${encodeURIComponent(name)}`

function Where() {
  const robots = useAnswer((signal) => get('v1/robots', { limit: 200 }, signal))
  const [form, set] = useState({ name: '', host: '', port: '502', unit: '1', base: '1000', robot: '', allow_start: true, own: false, map: '' })
  const [error, setError] = useState(null)
  const robot = form.robot || robots.value?.items[0]?.name
  const send = async (event) => {
    event.preventDefault()
    setError(null)
    try {
      const { name, host, port, unit } = form
      await post('v1/controllers', { name, host, robot, port: Number(port), unit: Number(unit), enabled: false, profile: profileOf(form) }, { headers: once() })
      adjust({ connect: form.name })
    } catch (refusal) {
      setError(refusal)
    }
  }
  const field = (key, label, rest) => html`<${Field} label=${t(label)}><input required value=${form[key]} onInput=${(e) => set({ ...form, [key]: e.target.value })} ...${rest} /></${Field}>`
  return html`<form class="panel stack" onSubmit=${send}><h2>${t('connect_where')}</h2>
    <div class="row begin">${field('name', 'controller_name', { pattern: '[a-z0-9][a-z0-9._\\-]*', maxlength: 63 })}${field('host', 'host', { placeholder: '192.168.1.20' })}${field('port', 'port', { type: 'number', min: 1, max: 65535, style: { width: '7rem' } })}${field('unit', 'modbus_unit', { type: 'number', min: 0, max: 255, style: { width: '5rem' } })}<${Speaks} own=${form.own} onOwn=${(own) => set({ ...form, own })} />${!form.own && field('base', 'connect_base', { type: 'number', min: 0, max: 65535, style: { width: '7rem' } })}
      <${Field} label=${t('robot')}><select required value=${robot} onChange=${(e) => set({ ...form, robot: e.target.value })}>${(robots.value?.items ?? []).map(({ name }) => html`<option key=${name} value=${name}>${name}</option>`)}</select></${Field}></div>
    ${form.own && html`<${MapText} map=${form.map} onMap=${(map) => set({ ...form, map })} />`}
    <${Check} label=${t('allow_start')} checked=${form.allow_start} onChange=${(e) => set({ ...form, allow_start: e.target.checked })} />
    <${Refusal} error=${error ?? robots.error} />
    <div class="row end"><${Act} type="submit" class="main" role="admin" disabled=${!robot}>${t('connect_keep')}</${Act}></div></form>`
}

function Axes({ kept, model, onKept }) {
  const { data: controller, etag } = kept
  const bound = controller.profile.axes?.length ? controller.profile.axes : model.joints.map(({ name }, k) => ({ joint: name, axis: k + 1, sign: 1 }))
  const [axes, set] = useState(bound)
  const [told, tell] = useState(null) // { error } or { done }
  const change = (k, part) => set(axes.map((one, i) => (i === k ? { ...one, ...part } : one)))
  const send = async (event) => {
    event.preventDefault()
    try {
      await call('PUT', at(controller.name), { json: { ...controller, profile: { ...controller.profile, axes } }, etag })
      tell({ done: true })
      onKept()
    } catch (error) {
      tell({ error })
    }
  }
  return html`<form class="panel stack" onSubmit=${send}><h2>${t('connect_axes')}</h2>
    <table><thead><tr><th scope="col">${t('joint')}</th><th scope="col">${t('connect_axis')}</th><th scope="col">${t('connect_sign')}</th><th scope="col">${t('connect_rated')}</th></tr></thead><tbody>${axes.map((one, k) => html`<tr key=${one.joint}><th scope="row"><bdi>${one.joint}</bdi></th>
      <td><input type="number" required min="1" max="16" style=${{ width: '5rem' }} aria-label=${`${t('connect_axis')} ${one.joint}`} value=${one.axis} onInput=${(e) => change(k, { axis: Number(e.target.value) })} /></td>
      <td><select aria-label=${`${t('connect_sign')} ${one.joint}`} value=${one.sign ?? 1} onChange=${(e) => change(k, { sign: Number(e.target.value) })}><option value="1">${t('connect_same')}</option><option value="-1">${t('connect_opposite')}</option></select></td>
      <td><input type="number" min="0" step="any" style=${{ width: '8rem' }} aria-label=${`${t('connect_rated')} ${one.joint}`} value=${one.rated_torque ?? ''} onInput=${(e) => change(k, { rated_torque: e.target.value === '' ? null : Number(e.target.value) })} /></td></tr>`)}</tbody></table>
    <${Refusal} error=${told?.error} />${told?.done && html`<p role="status">${t('connect_axes_kept')}</p>`}
    <div class="row end"><${Act} type="submit" role="admin">${t('connect_axes_save')}</${Act}></div></form>`
}

const RESULTS = { right: 'good', wrong: 'bad', not_tried: 'idle' }
const Result = ({ result }) => html`<span class=${`state ${RESULTS[result]}`}>${t(`check.${result}`)}</span>`

function Identity({ identity, measured, model }) {
  const off = measured && 100 * (measured.clock_rate - 1)
  return html`<p>${t('connect_identity', { axes: identity.axes, formats: identity.formats.join(', '), samples: identity.samples_max })}</p>
    ${identity.axes < model.joints.length && html`<${Notice} kind="warn">${t('connect_few', { axes: identity.axes, joints: model.joints.length })}</${Notice}>`}
    ${measured && html`<dl class="facts"><dt>${t('connect_clock')}</dt><dd>${t('connect_clock_rate', { percent: figure(Math.abs(off) < 0.005 ? 0 : off, 2) })}</dd>
      <dt>${t('connect_cycle')}</dt><dd>${t(measured.cycle_is_bound ? 'connect_cycle_bound' : 'connect_cycle_is', { ms: figure(1000 * measured.cycle, 3) })}</dd>
      <dt>${t('connect_answer')}</dt><dd>${figure(1000 * measured.answer, 3)} ms</dd>
      ${measured.windows_per_second && html`<dt>${t('connect_windows')}</dt><dd>${figure(measured.windows_per_second, 3)}</dd>`}</dl>`}`
}

function Found({ test, model }) {
  const wrong = test.checks.filter(({ result }) => result === 'wrong')
  return html`<p class="row" role="status">${Object.keys(RESULTS).map((result) => test[result] > 0 && html`<span key=${result} class=${`state ${RESULTS[result]}`}>${t(`connect_${result}`, { count: test[result] })}</span>`)}
      ${test.state === 'done' && test.wrong === 0 && html`<strong>${t('connect_good')}</strong>`}</p>
    ${test.identity && html`<${Identity} identity=${test.identity} measured=${test.measured} model=${model} />`}
    ${wrong.map((check) => html`<div key=${check.name} class="notice bad"><strong><${CheckName} check=${check} /></strong><dl class="facts"><dt>${t('connect_seen')}</dt><dd><code>${check.seen}</code></dd><dt>${t('connect_mend')}</dt><dd><${CheckMend} check=${check} /></dd></dl></div>`)}
    ${test.checks.length > 0 && html`<details><summary>${t('connect_all')}</summary><${Table} tall caption=${t('connect_all')} id=${(check) => `${check.group} ${check.name}`} items=${test.checks} columns=${[
      { key: 'group', head: '', cell: (check) => groupName(check.group) },
      { key: 'name', head: t('connect_all'), class: 'wide', cell: (check) => html`<${CheckName} check=${check} />` },
      { key: 'result', head: t('connect_result'), cell: (check) => html`<${Result} result=${check.result} />` },
      { key: 'seen', head: t('connect_seen'), class: 'wide', cell: (check) => check.seen && html`<code>${check.seen}</code>` },
    ]} /></details>`}`
}

// main: nothing speaks against it
function Serve({ kept: { data: controller, etag }, main, disabled }) {
  const [error, setError] = useState(null)
  const serve = () => call('PUT', at(controller.name), { json: { ...controller, enabled: true }, etag }).then(() => go(['controllers', controller.name]), setError)
  return html`<${Refusal} error=${error} /><div class="row end"><${Act} role="admin" class=${main ? 'main' : ''} disabled=${disabled} onClick=${serve}>${t('connect_serve')}</${Act}></div>`
}

function Test({ kept, model }) {
  const controller = kept.data
  const place = `${at(controller.name)}/test`
  const [running, setRunning] = useState(true) // until it is known otherwise
  const [motion, setMotion] = useState(false)
  const [error, setError] = useState(null)
  const answer = useAnswer(async (signal) => {
    try {
      const test = await get(place, {}, signal)
      setRunning(test.state === 'running')
      return test
    } catch (refusal) {
      setRunning(false)
      if (refusal.status !== 404) throw refusal
      return null // not tested yet
    }
  }, [place], running ? 700 : 0)
  const test = answer.value
  const act = (what) => {
    setError(null)
    what().then(() => { setRunning(true); answer.again() }, setError)
  }
  const begin = (request) => act(() => post(place, request))
  const whole = test?.state === 'done' && !test.only
  const goes = test?.state === 'running'
  return html`<section class="panel stack"><h2>${t('connect_test')}</h2><p>${t('connect_lost')}</p>
    <${Check} label=${t('connect_motion')} checked=${motion} disabled=${!session.mayMove(controller.name)} onChange=${(e) => setMotion(e.target.checked)} />
    <div class="row"><${Act} role="engineer" disabled=${goes} onClick=${() => begin({ only: 'it answers' })}>${t('connect_probe')}</${Act}>
      <${Act} role="engineer" class="main" disabled=${goes} onClick=${() => begin({ allow_motion: motion })}>${t('connect_whole')}</${Act}>
      ${goes && html`<${Act} role="engineer" onClick=${() => act(() => call('DELETE', place))}>${t('connect_cancel')}</${Act}>`}</div>
    <${Refusal} error=${error ?? answer.error} />
    ${goes && html`<p>${t('connect_progress', { done: test.checks.length, expected: test.expected })}</p><${Bar} value=${test.expected ? test.checks.length / test.expected : 0} label=${t('connect_test')} />`}
    ${['failed', 'cancelled'].includes(test?.state) && html`<${Notice} kind="warn">${t(`test.${test.state}`, { detail: test.detail })}</${Notice}>`}
    ${test && html`<${Found} test=${test} model=${model} />`}
    ${!whole ? html`<p class="quiet">${t('connect_untested')}</p>` : test.wrong > 0 && html`<${Notice} kind="bad">${t('connect_wrong_still')}</${Notice}>`}
    <${Serve} kept=${kept} main=${whole && test.wrong === 0} disabled=${goes} /></section>`
}

function Steps({ name }) {
  const [changing, change] = useState(false)
  const kept = useAnswer((signal) => call('GET', at(name), { signal }), [name])
  const controller = kept.value?.data
  const model = useAnswer(async (signal) => controller && get(`v1/robots/${encodeURIComponent(controller.robot)}`, {}, signal), [controller?.robot])
  if (!controller || !model.value) return html`<${Refusal} error=${kept.error ?? model.error} /><${Loading} error=${kept.error ?? model.error} />`
  if (controller.enabled) return html`<${Notice} kind="good">${t('connect_served')} <a href=${`#/controllers/${encodeURIComponent(name)}`}>${name}</a></${Notice}>`
  return html`<section class="panel"><div class="head"><h2>${t('connect_where')}</h2><${Act} role="admin" onClick=${() => change(true)}>${t('controller_change')}</${Act}></div><p><strong><bdi>${name}</bdi></strong> · ${controller.host}:${controller.port} · ${controller.robot}</p></section>
    ${changing && html`<${ControllerForm} title=${t('controller_change')} document=${controller} etag=${kept.value.etag} onClose=${() => change(false)} onDone=${() => { change(false); kept.again() }} />`}
    <${Axes} key=${name} kept=${kept.value} model=${model.value} onKept=${kept.again} />
    ${controller.profile.protocol === 'register-map' ? html`<${MapLook} controller=${controller} model=${model.value}><${Serve} kept=${kept.value} main /></${MapLook}>` : html`<${Test} kept=${kept.value} model=${model.value} />`}`
}

export function Connect() {
  const name = route.value.query.get('connect')
  return html`<${Head} title=${t('connect')} sub=${t('connect_text')} />${name === 'new' ? html`<${Where} />` : html`<${Steps} key=${name} name=${name} />`}`
}
