// Motions that were integrated: an arm let go, driven by torques, or led along a trajectory by a controller.
import { signal } from '@preact/signals'
import { useMemo, useState } from 'preact/hooks'
import { html } from '../html.js'
import { link, route, useAbout } from '../route.js'
import { extend, t } from '../words.js'
import { call, get, save, table } from '../api.js'
import { AskForm, Num, PerJoint, numberOf } from '../ui/asking.js'
import { Check, Field, Head, Loading, Notice, Refusal, Tags, useAnswer } from '../ui/parts.js'
import { Table } from '../ui/table.js'
import { Joints, middlesOf, unitOf } from '../ui/joints.js'
import { LawFields, NEW_LAW, controlOf } from '../ui/laws.js'
import { InForce } from '../ui/schedules.js'
import { Notes } from '../ui/notes.js'
import { OfRobot } from '../ui/of_robot.js'
import { Player } from '../ui/player.js'
import { Plot } from '../ui/plot.js'
import { Results, Tile, peakText } from '../ui/results.js'
import { Explore } from '../ui/explore.js'
import { ZoomBar } from '../ui/zoombar.js'
import { count, figure, measure, moment, percent, shortId } from '../ui/format.js'

extend({
  sim_text: ['What an arm does when it is let go, driven, or led along a trajectory.', '手臂自由运动、受力矩驱动或沿轨迹受控时的运动。'],
  sim_new: ['New simulation', '新建仿真'],
  sim_do: ['Simulate', '开始仿真'],
  sim_how: ['What moves it', '运动方式'],
  'sim.free': ['nothing: it is let go', '无驱动：自由运动'],
  'sim.torques': ['constant torques', '恒定力矩'],
  'sim.hold': ['a controller that holds it', '控制器保持位置'],
  'sim.trajectory': ['a controller, along a trajectory', '控制器跟踪轨迹'],
  'sim.open_loop': ['the torques of a trajectory, open loop', '轨迹力矩开环驱动'],
  sim_trajectory_none: ['There is no trajectory of this robot yet.', '该机器人还没有轨迹。'],
  sim_start: ['Where it starts', '起始位置'],
  sim_torques: ['Torques of the drives', '驱动力矩'],
  sim_friction: ['With the friction of the joints', '考虑关节摩擦'],
  sim_plant: ['The arm that moves differs from the model', '实际手臂与模型不同'],
  sim_scale: ['Masses and inertias, of the model\'s', '质量与惯量（相对模型）'],
  sim_payload: ['It carries [kg]', '负载质量 [kg]'],
  sim_duration: ['Duration [s]', '时长 [s]'],
  sim_duration_own: ['empty: the trajectory\'s', '留空：轨迹时长'],
  sim_samples: ['Samples a second [Hz]', '采样频率 [Hz]'],
  sim_tolerance: ['Tolerance', '容差'],
  sim_tolerance_hint: ['empty: as is usual', '留空：默认'],
  sim_method: ['Method', '方法'],
  'method.adaptive': ['adaptive steps', '自适应步长'],
  'method.fixed': ['fixed steps', '固定步长'],
  sim_steps: ['Steps', '步数'],
  sim_drift: ['Drift of the energy', '能量漂移'],
  sim_work: ['Work of the drives', '驱动做功'],
  sim_dissipated: ['Taken by friction', '摩擦耗散'],
  sim_peak: ['Largest kinetic energy', '最大动能'],
  sim_plots: ['The motion', '运动'],
  sim_position: ['Position', '位置'],
  sim_velocity: ['Velocity', '速度'],
  sim_torque: ['Torque', '力矩'],
  sim_energy: ['Energy', '能量'],
  sim_kinetic: ['kinetic', '动能'],
  sim_potential: ['potential', '势能'],
  sim_total: ['sum', '总和'],
  energy_axis: ['Energy [J]', '能量 [J]'],
  sim_tracking: ['How near it was to where it should be', '跟踪误差'],
  off_rms: ['Off, RMS', '误差均方根'],
  off_max: ['Off, farthest', '最大误差'],
  peak_torque: ['Largest torque', '最大力矩'],
  saturated: ['At its torque limit', '达到力矩限制'],
  sim_control: ['Controller', '控制器'],
  sim_followed: ['Trajectory', '轨迹'],
})

const HOW = ['free', 'torques', 'hold', 'trajectory', 'open_loop']
const follows = (how) => how === 'trajectory' || how === 'open_loop'
const controlled = (how) => how === 'trajectory' || how === 'hold'

function plantOf({ scale, payload }) {
  const plant = {}
  if (numberOf(scale) !== undefined) plant.inertial_scale = numberOf(scale)
  if (numberOf(payload) !== undefined) plant.payload = { mass: numberOf(payload) }
  return Object.keys(plant).length ? plant : undefined
}

// The request of the form: only what belongs to how the arm is moved.
function requestOf({ how, q, tau, trajectory, ...draft }) {
  return {
    ...(!follows(how) && { q }),
    ...(how === 'torques' && { tau: tau.map((one) => numberOf(one) ?? 0) }),
    ...(follows(how) && { trajectory }), ...(how === 'open_loop' && { open_loop: true }),
    ...(controlled(how) && { control: controlOf(draft), bandwidth_hz: numberOf(draft.bandwidth) }),
    plant: follows(how) || how === 'hold' ? plantOf(draft) : undefined,
    duration: numberOf(draft.duration), sample_rate: numberOf(draft.sampling), tolerance: numberOf(draft.tolerance), friction: draft.friction,
  }
}

// Gains that a page of zones or of a tuning has sent here: the arm is held with them at first.
function given({ query }) {
  const [zones, tuning, law] = ['zones', 'tuning', 'law'].map((name) => query.get(name) ?? undefined)
  return zones ? { how: 'hold', gains: 'zones', zones, ...(law && { law }) } : tuning ? { how: 'hold', gains: 'tuning', tuning } : {}
}

function Form({ model }) {
  const trajectories = useAnswer((signal) => get('v1/trajectories', { robot: model.name, sort: '-created_at', limit: 100 }, signal), [model.name])
  const [draft, setDraft] = useState({ how: 'free', q: middlesOf(model), tau: model.joints.map(() => ''), ...NEW_LAW, scale: '', payload: '', duration: '2', sampling: '200', tolerance: '', friction: true, ...given(route.value) })
  const [changed, change] = useState(false)
  const set = (part) => {
    change(true)
    setDraft({ ...draft, ...part })
  }
  const num = (name, label, rest) => html`<${Num} key=${name} label=${t(label)} min="0" value=${draft[name]} onValue=${(value) => set({ [name]: value })} ...${rest} />`
  const motions = trajectories.value?.items ?? []
  const trajectory = draft.trajectory ?? motions[0]?.id
  const { how } = draft
  return html`<${AskForm} path=${`v1/robots/${model.name}/simulations`} request=${requestOf({ ...draft, trajectory })} changed=${changed} does=${t('sim_do')} disabled=${follows(how) && !trajectory}>
    <${Refusal} error=${trajectories.error} />
    <div class="row begin">
      <${Field} label=${t('sim_how')}><select value=${how} onChange=${(e) => set({ how: e.target.value })}>${HOW.map((one) => html`<option key=${one} value=${one}>${t(`sim.${one}`)}</option>`)}</select></${Field}>
      ${follows(how) && (motions.length ? html`<${Field} label=${t('sim_followed')}><select value=${trajectory} onChange=${(e) => set({ trajectory: e.target.value })}>${motions.map((one) => html`<option key=${one.id} value=${one.id}>${one.label || `${figure(one.metrics?.duration)} s ${shortId(one.id)}`}</option>`)}</select></${Field}>` : html`<${Notice} kind="warn">${t('sim_trajectory_none')} <a href=${link(['trajectories', 'new'], { robot: model.name })}>${t('page.trajectories')}</a></${Notice}>`)}
      ${num('duration', 'sim_duration', { required: !follows(how), hint: follows(how) ? t('sim_duration_own') : undefined })}${num('sampling', 'sim_samples')}${num('tolerance', 'sim_tolerance', { hint: t('sim_tolerance_hint') })}
    </div>
    ${!follows(how) && html`<fieldset><legend>${t('sim_start')}</legend><${Joints} model=${model} q=${draft.q} onQ=${(q) => set({ q })} /></fieldset>`}
    ${how === 'torques' && html`<${PerJoint} model=${model} legend=${t('sim_torques')} values=${draft.tau} onValues=${(tau) => set({ tau })} unit=${(joint) => unitOf(joint, 'torque')} />`}
    ${controlled(how) && html`<fieldset><legend>${t('sim_control')}</legend><div class="row begin">
      <${LawFields} model=${model} draft=${draft} set=${set} /></div></fieldset>`}
    ${(follows(how) || how === 'hold') && html`<fieldset><legend>${t('sim_plant')}</legend><div class="row">${num('scale', 'sim_scale', { placeholder: '1' })}${num('payload', 'sim_payload')}</div></fieldset>`}
    <${Check} label=${t('sim_friction')} checked=${draft.friction} onChange=${(e) => set({ friction: e.target.checked })} />
  </${AskForm}>`
}

const PLOTS = [['q', 'sim_position', 'position_axis'], ['qd', 'sim_velocity', 'velocity_axis_y'], ['tau', 'sim_torque', 'torque_axis']]

function Plots({ simulation, model, samples, time }) {
  const [range, setRange] = useState(null)
  const zoom = (from, to) => setRange(from == null ? null : [from, to])
  const x = useMemo(() => samples.column('t'), [samples])
  const joints = useMemo(() => PLOTS.flatMap(([field, title, axis]) => {
    const series = model.joints.map((joint, index) => ({ label: joint.name, index, values: samples.column(`${field}${index + 1}`) }))
    return series[0].values ? [{ title, axis, series }] : [] // results of earlier versions have no torques
  }), [samples, model])
  const energy = useMemo(() => {
    const [kinetic, potential] = ['kinetic', 'potential'].map((name) => samples.column(name))
    return [kinetic, potential, kinetic.map((value, k) => value + potential[k])].map((values, index) => ({ label: t(['sim_kinetic', 'sim_potential', 'sim_total'][index]), index, values }))
  }, [samples, t('sim_kinetic')])
  const common = { x, range, onRange: zoom, sync: 'simulation', time, xLabel: t('time_s') }
  return html`<section class="panel"><h2>${t('sim_plots')}</h2><${ZoomBar} range=${range} whole=${[0, simulation.duration]} onRange=${zoom} />
    <div class="grid">${joints.map(({ title, axis, series }) => html`<${Plot} key=${title} ...${common} title=${t(title)} series=${series} yLabel=${t(axis)} />`)}
      <${Plot} ...${common} title=${t('sim_energy')} series=${energy} yLabel=${t('energy_axis')} /></div></section>
    <${Explore} data=${samples} columns=${samples.columns.filter((name) => name !== 't')} ...${{ whole: [0, simulation.duration], rows: samples.rows, range, onRange: zoom, sync: 'simulation', time }} />`
}

function Tracking({ simulation: { tracking, control, request }, model }) {
  if (!tracking) return null
  const rows = model.joints.map((joint, j) => ({ joint, j }))
  const of = (name, unit) => ({ key: name, number: true, cell: ({ joint, j }) => measure(tracking[name][j], unitOf(joint, unit), 3) })
  return html`<section class="panel"><h2>${t('sim_tracking')}</h2><${Table} caption=${t('sim_tracking')} id=${({ joint }) => joint.name} items=${rows} columns=${[
    { key: 'joint', head: t('joint'), cell: ({ joint }) => html`<bdi>${joint.name}</bdi>` },
    { head: t('off_rms'), ...of('rms', 'position') }, { head: t('off_max'), ...of('max', 'position') }, { head: t('peak_torque'), ...of('peak_torque', 'torque') },
    ...(tracking.saturated ? [{ key: 'saturated', head: t('saturated'), number: true, cell: ({ j }) => percent(100 * tracking.saturated[j]) }] : []),
  ]} />${control && html`<p class="quiet">${t('sim_control')}: ${t(`law.${control.law}`)}, ${figure(control.rate_hz)} Hz</p>`}
    ${control?.schedule && html`<${InForce} schedule=${control.schedule} asked=${request.control?.schedule} shares=${tracking.scheduled} changes=${tracking.schedule_changes} joints=${model.joints} />`}</section>`
}


function One({ id }) {
  const answer = useAnswer((signal) => call('GET', `v1/simulations/${encodeURIComponent(id)}`, { signal }), [id])
  const found = answer.value?.data
  useAbout(found?.robot)
  const rest = useAnswer(async (signal) => (found ? Promise.all([get(`v1/robots/${found.robot}/revisions/${found.revision}`, {}, signal), table(`v1/simulations/${found.id}/samples`, {}, signal)]) : null), [found?.id])
  const time = useMemo(() => signal(0), [id])
  const [error, setError] = useState(null)
  if (!found) return html`<${Refusal} error=${answer.error} /><${Loading} error=${answer.error} />`
  const [model, samples] = rest.value ?? []
  const file = () => call('GET', `v1/simulations/${found.id}/samples`, { accept: 'csv' }).then(({ data }) => save(`simulation-${found.id}.csv`, data, 'text/csv'), setError)
  const { energy } = found
  return html`
    <${Head} title=${found.label || `${found.robot} · ${t('page.simulations')}`} sub=${html`<a href=${link(['robots', found.robot], { revision: found.revision })}>${found.robot}</a> r${found.revision} · ${moment(found.created_at)} · <code>${found.id}</code>${found.trajectory && html` · <a href=${link(['trajectories', found.trajectory])}>${t('sim_followed')}</a>`} <${Tags} tags=${found.tags} />`}>
      <button type="button" onClick=${file}>CSV</button></${Head}>
    <${Refusal} error=${error ?? rest.error} />
    ${found.stale && html`<${Notice} kind="warn">${t('stale')}</${Notice}>`}
    <div class="tiles">
      <${Tile} name="duration">${figure(found.duration)} s</${Tile}>
      <${Tile} name="sim_steps">${count(found.steps)}</${Tile}>
      <${Tile} name="sim_work">${measure(energy.work, 'J')}</${Tile}>
      ${energy.dissipated != null && html`<${Tile} name="sim_dissipated">${measure(energy.dissipated, 'J')}</${Tile}>`}
      ${energy.drift != null && html`<${Tile} name="sim_drift">${figure(energy.drift, 2)}</${Tile}>`}
      <${Tile} name="sim_peak">${measure(energy.peak_kinetic, 'J')}</${Tile}>
      ${found.tool_speed && html`<${Tile} name="tool_speed">${peakText(found.tool_speed, 'm/s')}</${Tile}>`}
      ${found.tool_acceleration && html`<${Tile} name="tool_acceleration">${peakText(found.tool_acceleration, 'm/s²')}</${Tile}>`}
    </div>
    ${samples ? html`<${Tracking} simulation=${found} model=${model} /><${Player} model=${model} name=${found.robot} duration=${found.duration} samples=${samples} time=${time} /><${Plots} simulation=${found} model=${model} samples=${samples} time=${time} />` : html`<${Loading} error=${rest.error} />`}
    <${Notes} path=${`v1/simulations/${found.id}`} document=${found} etag=${answer.value.etag} onSaved=${answer.again} />`
}

const metric = (key, head, show) => ({ key, head: t(head), sort: key, number: true, cell: (one) => show(one.metrics?.[key]) })

const All = () => html`<${Results} kind="simulations" text=${t('sim_text')} columns=${[
  { key: 'method', head: t('sim_method'), class: 'tight', cell: (one) => t(`method.${one.method}`) },
  metric('duration', 'duration', (value) => `${figure(value)} s`), metric('steps', 'sim_steps', count),
  metric('tool_speed', 'tool_speed', (value) => measure(value, 'm/s', 3)), metric('drift', 'sim_drift', (value) => figure(value, 2)),
]}><a class="button" href=${link(['simulations', 'new'])}>${t('sim_new')}</a></${Results}>`

export const Page = ({ path: [, id] }) => (id === 'new' ? html`<${OfRobot} title=${t('sim_new')} text=${t('sim_text')} form=${Form} />` : id ? html`<${One} key=${id} id=${id} />` : html`<${All} />`)
