// What an observer of momentum noticed: collisions in logs, or one that was simulated along a trajectory.
import { useMemo, useState } from 'preact/hooks'
import { html } from '../html.js'
import { link, useAbout } from '../route.js'
import { extend, t } from '../words.js'
import { call, get } from '../api.js'
import { AskForm, Num, PerJoint, numberOf } from '../ui/asking.js'
import { Check, Field, Head, Loading, Notice, Refusal, Tags, useAnswer } from '../ui/parts.js'
import { Table } from '../ui/table.js'
import { unitOf } from '../ui/joints.js'
import { Notes } from '../ui/notes.js'
import { OfRobot } from '../ui/of_robot.js'
import { Plot } from '../ui/plot.js'
import { Results, Tile } from '../ui/results.js'
import { drawn, useSamples } from '../ui/samples.js'
import { sentence } from '../ui/sentences.js'
import { ZoomBar } from '../ui/zoombar.js'
import { count, figure, moment, shortId } from '../ui/format.js'

extend({
  check_text: ['An observer of momentum looks for torques that the model does not explain: in logs, or in a simulated collision.', '动量观测器查找模型无法解释的力矩：在日志中，或在仿真的碰撞中。'],
  check_new: ['New collision check', '新建碰撞检测'],
  check_do: ['Check', '开始检测'],
  check_where: ['Where to look', '检测对象'],
  'check.logs': ['logs', '日志'],
  'check.simulated': ['a simulated collision', '仿真碰撞'],
  check_logs: ['Logs to look through', '待检测的日志'],
  check_reference: ['Logs without collisions, which tell the thresholds', '无碰撞的参考日志（用于确定阈值）'],
  check_thresholds: ['Thresholds (all, or none: from the reference)', '阈值（全部填写；留空则由参考日志确定）'],
  check_margin: ['Threshold, of the reference\'s largest residual', '阈值与参考最大残差之比'],
  check_bandwidth: ['Bandwidth of the observer [Hz]', '观测器带宽 [Hz]'],
  check_trajectory: ['Trajectory', '轨迹'],
  check_trajectory_none: ['There is no trajectory of this robot yet.', '该机器人还没有轨迹。'],
  check_time: ['When it strikes [s]', '碰撞时刻 [s]'],
  check_long: ['How long [s]', '持续时间 [s]'],
  check_long_hint: ['empty: to the end', '留空：直到结束'],
  check_wrench: ['Force [N] and moment [N m] on the tool', '作用于末端的力 [N] 与力矩 [N m]'],
  check_frame: ['In the axes of', '坐标系'],
  'frame.tool': ['the tool', '末端'],
  'frame.base': ['the base', '基座'],
  check_friction: ['The model has the friction of the joints', '模型包含关节摩擦'],
  check_needs: ['Choose logs to look through, and logs without collisions or a threshold for each joint.', '请选择待检测的日志，以及参考日志或各关节阈值。'],
  alarms_count: ['Alarms', '报警数'],
  check_delay: ['Noticed after', '检测延迟'],
  check_missed: ['not noticed', '未检测到'],
  check_false: ['False alarms an hour, at most', '每小时误报上限'],
  check_false_text: ['{alarms} in {hours} h of reference; at 95 % confidence at most this many an hour.', '{hours} 小时参考数据中误报 {alarms} 次；95 % 置信度下每小时上限。'],
  check_too_early: ['Alarms before it', '碰撞前的报警'],
  check_events: ['Alarms', '报警'],
  check_none: ['Nothing was noticed.', '未检测到碰撞。'],
  check_joints: ['Joints', '关节'],
  threshold: ['Threshold', '阈值'],
  reference_peak: ['Largest without collision', '无碰撞时最大残差'],
  checked_peak: ['Largest residual', '最大残差'],
  checked_rms: ['Residual, RMS', '残差均方根'],
  event_at: ['From [s]', '自 [s]'],
  event_until: ['Until [s]', '结束 [s]'],
  event_joint: ['Joint', '关节'],
  event_residual: ['Residual', '残差'],
  event_peak: ['Largest of each joint', '各关节最大值'],
  check_residuals: ['Residual as a part of the threshold', '残差与阈值之比'],
  part_of_threshold: ['Part of the threshold', '与阈值之比'],
})

const toggle = (list, one) => (list.includes(one) ? list.filter((other) => other !== one) : [...list, one])

const Logs = ({ legend, sets, chosen, onChosen }) => html`<fieldset class="scroll" style=${{ maxHeight: '30vh' }}><legend>${legend}</legend>${sets.length ? sets.map((set) => html`<${Check} key=${set.id} label=${html`<bdi>${set.label || shortId(set.id)}</bdi>`} checked=${chosen.includes(set.id)} onChange=${() => onChosen(toggle(chosen, set.id))} />`) : html`<p class="quiet">${t('nothing')}</p>`}</fieldset>`

const given = (draft) => draft.thresholds.every((one) => one !== '')

function requestOf({ where, trajectory, ...draft }) {
  const thresholds = given(draft) ? { thresholds: draft.thresholds.map(Number) } : { reference: draft.reference, margin: numberOf(draft.margin) }
  const common = { ...thresholds, observer_bandwidth_hz: numberOf(draft.bandwidth), friction: draft.friction }
  if (where === 'logs') return { datasets: draft.datasets, ...common }
  return { trajectory, collision: { time: numberOf(draft.time), duration: numberOf(draft.long) ?? null, wrench: draft.wrench.map((one) => numberOf(one) ?? 0), wrench_frame: draft.frame }, ...common }
}

function Form({ model }) {
  const lists = useAnswer((signal) => Promise.all(['datasets', 'trajectories'].map((kind) => get(`v1/${kind}`, { robot: model.name, sort: '-created_at', limit: 100 }, signal))), [model.name])
  const [draft, setDraft] = useState({ where: 'logs', datasets: [], reference: [], thresholds: model.joints.map(() => ''), margin: '2', bandwidth: '5', time: '0.5', long: '', wrench: ['', '40', '', '', '', ''], frame: 'base', friction: true })
  const [changed, change] = useState(false)
  const set = (part) => {
    change(true)
    setDraft({ ...draft, ...part })
  }
  const num = (name, label, rest) => html`<${Num} key=${name} label=${t(label)} min="0" value=${draft[name]} onValue=${(value) => set({ [name]: value })} ...${rest} />`
  const [sets, motions] = (lists.value ?? []).map((page) => page.items)
  const trajectory = draft.trajectory ?? motions?.[0]?.id
  const lacking = (draft.where === 'logs' && !draft.datasets.length) || (draft.where === 'simulated' && !trajectory) || (!given(draft) && !draft.reference.length)
  return html`<${AskForm} path=${`v1/robots/${model.name}/collision-checks`} request=${requestOf({ ...draft, trajectory })} changed=${changed} does=${t('check_do')} disabled=${lacking}>
    <${Refusal} error=${lists.error} />
    <div class="row begin"><${Field} label=${t('check_where')}><select value=${draft.where} onChange=${(e) => set({ where: e.target.value })}>${['logs', 'simulated'].map((one) => html`<option key=${one} value=${one}>${t(`check.${one}`)}</option>`)}</select></${Field}>
      ${num('bandwidth', 'check_bandwidth')}${!given(draft) && num('margin', 'check_margin', { min: 1 })}</div>
    ${draft.where === 'logs' ? html`<${Logs} legend=${t('check_logs')} sets=${sets ?? []} chosen=${draft.datasets} onChosen=${(datasets) => set({ datasets })} />` : html`<fieldset><legend>${t('check.simulated')}</legend><div class="row begin">
      ${motions?.length === 0 ? html`<${Notice} kind="warn">${t('check_trajectory_none')} <a href=${link(['trajectories', 'new'], { robot: model.name })}>${t('page.trajectories')}</a></${Notice}>` : html`<${Field} label=${t('check_trajectory')}><select value=${trajectory} onChange=${(e) => set({ trajectory: e.target.value })}>${(motions ?? []).map((one) => html`<option key=${one.id} value=${one.id}>${one.label || `${figure(one.metrics?.duration)} s ${shortId(one.id)}`}</option>`)}</select></${Field}>`}
      ${num('time', 'check_time', { required: true })}${num('long', 'check_long', { hint: t('check_long_hint') })}
      <${Field} label=${t('check_frame')}><select value=${draft.frame} onChange=${(e) => set({ frame: e.target.value })}>${['base', 'tool'].map((one) => html`<option key=${one} value=${one}>${t(`frame.${one}`)}</option>`)}</select></${Field}></div>
      <fieldset><legend>${t('check_wrench')}</legend><div class="row">${['Fx', 'Fy', 'Fz', 'Mx', 'My', 'Mz'].map((name, k) => html`<${Num} key=${name} width="6rem" label=${name} placeholder="0" value=${draft.wrench[k]} onValue=${(text) => set({ wrench: draft.wrench.map((old, j) => (j === k ? text : old)) })} />`)}</div></fieldset></fieldset>`}
    <${Logs} legend=${t('check_reference')} sets=${(sets ?? []).filter((one) => draft.where !== 'logs' || !draft.datasets.includes(one.id))} chosen=${draft.reference} onChosen=${(reference) => set({ reference })} />
    <${PerJoint} model=${model} legend=${t('check_thresholds')} values=${draft.thresholds} onValues=${(thresholds) => set({ thresholds })} unit=${(joint) => unitOf(joint, 'torque')} />
    <${Check} label=${t('check_friction')} checked=${draft.friction} onChange=${(e) => set({ friction: e.target.checked })} />
    ${lacking && html`<p class="quiet">${t('check_needs')}</p>`}
  </${AskForm}>`
}

// What the residuals were of each joint, worst of all that was looked through.
function Joints({ check, model }) {
  const most = (logs, name, j) => (logs?.length ? Math.max(...logs.map((one) => one[name][j])) : null)
  const show = (value, joint) => (value == null ? '–' : `${figure(value, 3)} ${unitOf(joint, 'torque')}`)
  return html`<section class="panel"><h2>${t('check_joints')}</h2><${Table} caption=${t('check_joints')} id=${({ joint }) => joint.name} items=${model.joints.map((joint, j) => ({ joint, j }))} columns=${[
    { key: 'joint', head: t('joint'), cell: ({ joint }) => html`<bdi>${joint.name}</bdi>` },
    { key: 'threshold', head: t('threshold'), number: true, cell: ({ joint, j }) => show(check.thresholds[j], joint) },
    { key: 'reference', head: t('reference_peak'), number: true, cell: ({ joint, j }) => show(most(check.reference?.logs, 'peak', j), joint) },
    { key: 'rms', head: t('checked_rms'), number: true, cell: ({ joint, j }) => show(most(check.checked, 'rms', j), joint) },
    { key: 'peak', head: t('checked_peak'), number: true, cell: ({ joint, j }) => html`<span class=${most(check.checked, 'peak', j) > check.thresholds[j] ? 'state warn' : ''}>${show(most(check.checked, 'peak', j), joint)}</span>` },
  ]} /></section>`
}

function Events({ check, model }) {
  const labels = new Map(check.checked.filter((one) => one.dataset).map((one) => [one.dataset, one.label || shortId(one.dataset)]))
  const unit = (name) => unitOf(model.joints.find((joint) => joint.name === name), 'torque')
  return html`<section class="panel"><h2>${t('check_events')}</h2>${check.events.length === 0 ? html`<p><span class="state good">${t('check_none')}</span></p>` : html`<${Table} tall caption=${t('check_events')} id=${(one) => `${one.dataset} ${one.time}`} items=${check.events} columns=${[
    ...(labels.size ? [{ key: 'data', head: t('data'), class: 'wide', cell: (one) => html`<a href=${link(['datasets', one.dataset])}><bdi>${labels.get(one.dataset)}</bdi></a>` }] : []),
    { key: 'time', head: t('event_at'), number: true, cell: (one) => figure(one.time, 5) },
    { key: 'end', head: t('event_until'), number: true, cell: (one) => figure(one.end, 5) },
    { key: 'joint', head: t('event_joint'), cell: (one) => html`<bdi>${one.joint}</bdi>` },
    { key: 'residual', head: t('event_residual'), number: true, cell: (one) => `${figure(one.residual, 3)} ${unit(one.joint)}` },
    { key: 'peak', head: t('event_peak'), number: true, cell: (one) => one.peak.map((value) => figure(value, 3)).join(', ') },
  ]} />`}</section>`
}

// Residuals of all joints on one scale: beyond 1 there is an alarm.
function Residuals({ check, model, samples }) {
  const rate = check.sample_rate
  const all = Math.max(2, Math.round(check.checked.reduce((sum, one) => sum + one.duration, 0) * rate))
  const whole = [0, (all - 1) / rate]
  const { data, few, range, zoom, error } = useSamples([samples], { fields: 't,residual', whole, count: all })
  const plot = useMemo(() => data && { x: data[0].column('t'), series: model.joints.flatMap((joint, index) => drawn(data[0], few, `residual${index + 1}`, { label: joint.name, index }).map((one) => ({ ...one, values: one.values.map((value) => value / check.thresholds[index]) }))) }, [data])
  return html`<section class="panel"><${Refusal} error=${error} /><${ZoomBar} range=${range} whole=${whole} onRange=${zoom} />
    ${plot ? html`<${Plot} title=${t('check_residuals')} x=${plot.x} series=${plot.series} onRange=${zoom} hlines=${[{ value: 1, index: 6 }, { value: -1, index: 6 }]} vlines=${check.collision ? [{ value: check.collision.time, label: t('check.simulated') }] : []} xLabel=${t('time_s')} yLabel=${t('part_of_threshold')} />` : html`<${Loading} error=${error} />`}</section>`
}

function One({ id }) {
  const path = `v1/collision-checks/${encodeURIComponent(id)}`
  const answer = useAnswer((signal) => call('GET', path, { signal }), [id])
  const check = answer.value?.data
  useAbout(check?.robot)
  const model = useAnswer(async (signal) => (check ? get(`v1/robots/${check.robot}/revisions/${check.revision}`, {}, signal) : null), [check?.id])
  if (!check) return html`<${Refusal} error=${answer.error} /><${Loading} error=${answer.error} />`
  const { collision, reference } = check
  return html`
    <${Head} title=${check.label || `${check.robot} · ${t('page.collision-checks')}`} sub=${html`<a href=${link(['robots', check.robot], { revision: check.revision })}>${check.robot}</a> r${check.revision} · ${moment(check.created_at)} · <code>${check.id}</code>${check.trajectory && html` · <a href=${link(['trajectories', check.trajectory])}>${t('check_trajectory')}</a>`} <${Tags} tags=${check.tags} />`} />
    <${Refusal} error=${model.error} />
    ${check.stale && html`<${Notice} kind="warn">${t('stale')}</${Notice}>`}
    ${check.warnings.length > 0 && html`<${Notice} kind="warn"><ul>${check.warnings.map((one, k) => html`<li key=${k}>${sentence(one)}</li>`)}</ul></${Notice}>`}
    <div class="tiles">
      <${Tile} name="alarms_count">${count(check.event_count)}</${Tile}>
      ${collision && html`<${Tile} name="check_delay">${collision.detected ? `${figure(1000 * collision.delay, 3)} ms` : html`<span class="state bad">${t('check_missed')}</span>`}</${Tile}><${Tile} name="check_too_early">${collision.false_alarms}</${Tile}>`}
      ${reference && html`<div class="tile" title=${t('check_false_text', { alarms: reference.false_alarms, hours: figure(reference.hours, 3) })}><span>${t('check_false')}</span><b>${figure(reference.false_alarms_per_hour_at_most, 3)}</b></div>`}
      <${Tile} name="check_bandwidth">${figure(check.observer_bandwidth_hz, 3)}</${Tile}>
    </div>
    ${model.value ? html`<${Events} check=${check} model=${model.value} /><${Residuals} check=${check} model=${model.value} samples=${`${path}/samples`} /><${Joints} check=${check} model=${model.value} />` : html`<${Loading} error=${model.error} />`}
    <${Notes} path=${path} document=${check} etag=${answer.value.etag} onSaved=${answer.again} />`
}

const All = () => html`<${Results} kind="collision-checks" text=${t('check_text')} columns=${[
  { key: 'event_count', head: t('alarms_count'), sort: 'event_count', number: true, cell: (one) => count(one.metrics?.event_count) },
  { key: 'delay', head: t('check_delay'), sort: 'delay', number: true, cell: (one) => (one.metrics?.delay == null ? '–' : `${figure(1000 * one.metrics.delay, 3)} ms`) },
  { key: 'false', head: t('check_false'), sort: 'false_alarms_per_hour_at_most', number: true, cell: (one) => figure(one.metrics?.false_alarms_per_hour_at_most, 3) },
]}><a class="button" href=${link(['collision-checks', 'new'])}>${t('check_new')}</a></${Results}>`

export const Page = ({ path: [, id] }) => (id === 'new' ? html`<${OfRobot} title=${t('check_new')} text=${t('check_text')} form=${Form} />` : id ? html`<${One} key=${id} id=${id} />` : html`<${All} />`)
