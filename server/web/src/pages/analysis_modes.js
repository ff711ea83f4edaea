// How gears give, of several logs at once: postures and loads gathered into one fit, held against what was seen, and put into the model.
import { useState } from 'preact/hooks'
import { html } from '../html.js'
import { go } from '../route.js'
import { extend, t } from '../words.js'
import { call, get, post } from '../api.js'
import { Act, Check, Field, Loading, Notice, Refusal, useAnswer } from '../ui/parts.js'
import { Num, numberOf } from '../ui/asking.js'
import { Plot } from '../ui/plot.js'
import { Table } from '../ui/table.js'
import { figure, moment, percent, plusMinus, shortId } from '../ui/format.js'
import { unitOf } from '../ui/joints.js'

extend({
  modes_joints: ['Joints whose gears give', '具有弹性的关节'],
  modes_logs: ['Logs after whose stop something swings', '停止后有振动的数据集'],
  modes_logs_text: ['Each is one more posture, with the payload of its conditions. Telemetry of a transfer knows when the motion stopped; of others say when.', '每个数据集是一个位姿，负载取自其工况。传输的遥测知道运动何时停止；其他数据集请填写停止时刻。'],
  modes_none: ['There is no data set of this robot yet.', '该机器人还没有数据集。'],
  modes_begin: ['Stopped at [s]', '停止时刻 [s]'],
  modes_chirps: ['Chirps were played', '播放了扫频'],
  modes_starts: ['Began at [s]', '开始时刻 [s]'],
  modes_sweep: ['Chirps of the joints ticked above, one after the other', '上面所选关节依次扫频'],
  modes_sweep_text: ['As the motion was: sweep every joint whose gear gives. The log needs torques.', '与所播放的运动一致：每个有弹性的关节都要扫频；数据集须含力矩。'],
  modes_from: ['From [Hz]', '起始频率 [Hz]'],
  modes_to: ['To [Hz]', '终止频率 [Hz]'],
  modes_each: ['Each joint [s]', '每个关节 [s]'],
  modes_rest: ['Rest after each [s]', '之后静止 [s]'],
  modes_most: ['Modes in each, at most', '每个数据集最多模态数'],
  modes_do: ['Fit the gears', '拟合传动刚度'],
  modes_stiffness: ['Stiffness of the gears', '传动刚度'],
  modes_joint: ['Joint', '关节'],
  modes_k: ['Stiffness [{unit}/{of}]', '刚度 [{unit}/{of}]'],
  modes_d: ['Damping', '阻尼'],
  modes_seen: ['What was seen', '观测结果'],
  modes_log: ['Log', '数据集'],
  modes_at: ['At rest at', '静止位置'],
  modes_mass: ['Carried [kg]', '负载 [kg]'],
  modes_hz: ['Frequencies seen [Hz]', '观测频率 [Hz]'],
  modes_zeta: ['Damping ratios', '阻尼比'],
  modes_off: ['The fit is off by', '拟合偏差'],
  modes_over: ['Lowest frequency over', '最低频率随关节变化'],
  modes_line: ['by the fit, with the payload of the model', '拟合值（模型负载）'],
  modes_points: ['seen', '观测值'],
  modes_axis: ['Lowest frequency [Hz]', '最低频率 [Hz]'],
  modes_keep: ['Put into the model as a new revision', '写入模型并保存为新版本'],
  modes_keep_text: ['Then trajectories of this robot may say "shaper": "auto", within these postures and loads.', '之后该机器人的轨迹可在这些位姿与负载范围内使用 "shaper": "auto"。'],
  modes_changed: ['The robot was changed meanwhile; fit once more.', '机器人已被更改，请重新拟合。'],
})

const POINTS = 60
const place = (model) => `v1/robots/${encodeURIComponent(model.name)}`

// The joint that stood most differently in the logs, but for the first, which changes no inertia.
const widest = (found, model) => {
  const spans = model.joints.map((_, j) => (j ? Math.max(...found.observations.map(({ q }) => q[j])) - Math.min(...found.observations.map(({ q }) => q[j])) : 0))
  return spans.indexOf(Math.max(...spans))
}

function Over({ model, request, found }) {
  const [joint, choose] = useState(() => widest(found, model))
  const seen = found.observations
  const at = seen.map(({ q }) => q[joint])
  const [low, high] = [Math.min(...at), Math.max(...at)]
  const wide = high - low || 1
  const predictions = Array.from({ length: POINTS }, (_, k) => ({ q: seen[0].q.map((value, j) => (j === joint ? low - 0.1 * wide + (1.2 * wide * k) / (POINTS - 1) : value)) }))
  const answer = useAnswer((signal) => post(`${place(model)}/mode-fits`, { ...request, predictions }, { signal }), [joint])
  const lines = answer.value?.predictions ?? []
  const near = (x) => lines.reduce((a, b) => (Math.abs(b.q[joint] - x) < Math.abs(a.q[joint] - x) ? b : a), lines[0])?.frequencies_hz[0]
  const points = [...lines.map(({ q, frequencies_hz: [hz] }) => ({ x: q[joint], line: hz })), ...seen.map((one, k) => ({ x: at[k], line: near(at[k]), point: one.seen_hz[0] }))].sort((a, b) => a.x - b.x)
  return html`<section class="panel"><h2>${t('modes_axis')}</h2><div class="row"><${Field} label=${t('modes_over')}><select value=${joint} onChange=${(e) => choose(Number(e.target.value))}>${model.joints.map((one, j) => html`<option key=${j} value=${j}>${one.name}</option>`)}</select></${Field}></div>
    <${Refusal} error=${answer.error} />
    ${answer.value ? html`<${Plot} title=${t('modes_axis')} x=${points.map(({ x }) => x)} xLabel=${`${model.joints[joint].name} [${unitOf(model.joints[joint])}]`} yLabel=${t('modes_axis')} series=${[
      { label: t('modes_line'), values: points.map(({ line }) => line ?? null), index: 0, solid: true },
      { label: t('modes_points'), values: points.map(({ point }) => point ?? null), index: 1, points: true },
    ]} />` : html`<${Loading} error=${answer.error} />`}</section>`
}

function Found({ model, request, found }) {
  const [error, setError] = useState(null)
  const keep = async () => {
    setError(null)
    try {
      const { data, etag } = await call('GET', place(model))
      if (data.revision !== found.revision) throw Object.assign(new Error(t('modes_changed')), { status: 409, body: { title: t('modes_changed') } })
      const joints = data.joints.map((joint, j) => ({ ...joint, elasticity: found.elasticity[j] }))
      await call('PUT', place(model), { json: { ...data, joints }, etag, query: { allow_unphysical: model.unphysical || null } })
      go(['robots', model.name])
    } catch (refusal) {
      setError(refusal)
    }
  }
  const jointOf = (name) => model.joints.find((one) => one.name === name)
  const list = (values, digits = 4) => values.map((one) => figure(one, digits)).join(', ')
  return html`<section class="panel"><div class="head"><h2>${t('modes_stiffness')}</h2><${Act} class="main" role="engineer" onClick=${keep}>${t('modes_keep')}</${Act}></div>
      <p class="quiet">${t('modes_keep_text')}</p><${Refusal} error=${error} />
      <${Table} caption=${t('modes_stiffness')} id=${(one) => one.joint} items=${found.stiffness} columns=${[
        { key: 'joint', head: t('modes_joint'), cell: (one) => html`<bdi>${one.joint}</bdi>` },
        { key: 'value', head: t('modes_k', { unit: unitOf(jointOf(found.stiffness[0].joint), 'torque'), of: unitOf(jointOf(found.stiffness[0].joint)) }), number: true, cell: (one) => plusMinus(one.value, one.deviation) },
        { key: 'damping', head: t('modes_d'), number: true, cell: (one) => figure(one.damping, 3) },
      ]} /></section>
    <section class="panel"><h2>${t('modes_seen')}</h2><${Table} caption=${t('modes_seen')} id=${(one) => one.id} items=${found.observations.map((one, k) => ({ ...one, id: `${k}` }))} columns=${[
      { key: 'log', head: t('modes_log'), cell: (one) => html`<code>${shortId(one.dataset)}</code>` },
      { key: 'q', head: t('modes_at'), cell: (one) => list(one.q, 3) },
      { key: 'mass', head: t('modes_mass'), number: true, cell: (one) => figure(one.payload_mass, 3) },
      { key: 'hz', head: t('modes_hz'), number: true, cell: (one) => list(one.seen_hz) },
      { key: 'zeta', head: t('modes_zeta'), number: true, cell: (one) => list(one.seen_dampings, 3) },
      { key: 'off', head: t('modes_off'), number: true, cell: (one) => one.error_percent.map((off) => percent(off)).join(', ') },
    ]} /></section>
    <${Over} model=${model} request=${request} found=${found} />`
}

export function Modes({ model }) {
  const logs = useAnswer((signal) => get('v1/datasets', { robot: model.name, sort: '-created_at', limit: 50 }, signal), [model.name])
  const [form, set] = useState({ elastic: model.joints.map(({ name }) => name), chosen: {}, swept: {}, most: '1', from: '2', to: '40', each: '20', rest: '2' })
  const [error, setError] = useState(null)
  const [fitted, setFitted] = useState(null)
  const items = logs.value?.items
  const { chosen, swept } = form
  const pick = (id, begin) => set({ ...form, chosen: { ...chosen, [id]: begin } })
  const drop = (id) => set({ ...form, chosen: Object.fromEntries(Object.entries(chosen).filter(([one]) => one !== id)) })
  const fit = (event) => {
    event.preventDefault()
    setError(null)
    const chirp = { amplitude: model.joints.map(({ name }) => (form.elastic.includes(name) ? 1 : 0)), frequencies: [numberOf(form.from), numberOf(form.to)], duration: numberOf(form.each), rest: numberOf(form.rest) }
    const request = { joints: form.elastic, logs: Object.entries(chosen).map(([dataset, begin]) => ({ dataset, begin: numberOf(begin) ?? null, modes_max: Number(form.most), ...(swept[dataset] ? { chirp } : {}) })) }
    post(`${place(model)}/mode-fits`, request).then((found) => setFitted({ request, found, key: JSON.stringify(request) }), (refusal) => { setFitted(null); setError(refusal) })
  }
  if (!items) return html`<${Refusal} error=${logs.error} /><${Loading} error=${logs.error} />`
  if (!items.length) return html`<${Notice}>${t('modes_none')}</${Notice}>`
  return html`<form class="panel stack" onSubmit=${fit}>
    <fieldset><legend>${t('modes_joints')}</legend><div class="row">${model.joints.map(({ name }) => html`<${Check} key=${name} label=${html`<bdi>${name}</bdi>`} checked=${form.elastic.includes(name)} onChange=${() => set({ ...form, elastic: model.joints.map((one) => one.name).filter((one) => (one === name) !== form.elastic.includes(one)) })} />`)}
      <${Field} label=${t('modes_most')}><select value=${form.most} onChange=${(e) => set({ ...form, most: e.target.value })}>${['1', '2', '3', '4'].map((one) => html`<option key=${one} value=${one}>${one}</option>`)}</select></${Field}></div></fieldset>
    <fieldset class="stack"><legend>${t('modes_logs')}</legend><p class="quiet">${t('modes_logs_text')}</p>
      ${items.map((log) => html`<div key=${log.id} class="row"><${Check} label=${html`<bdi>${log.label || shortId(log.id)}</bdi> · ${moment(log.created_at)}`} checked=${log.id in chosen} onChange=${() => (log.id in chosen ? drop(log.id) : pick(log.id, ''))} />
        ${log.id in chosen && html`<${Num} label=${t(swept[log.id] ? 'modes_starts' : 'modes_begin')} width="7rem" value=${chosen[log.id]} onValue=${(begin) => pick(log.id, begin)} /><${Check} label=${t('modes_chirps')} checked=${!!swept[log.id]} onChange=${() => set({ ...form, swept: { ...swept, [log.id]: !swept[log.id] } })} />`}</div>`)}</fieldset>
    ${Object.keys(chosen).some((id) => swept[id]) && html`<fieldset class="stack"><legend>${t('modes_sweep')}</legend><p class="quiet">${t('modes_sweep_text')}</p><div class="row">
      ${['from', 'to', 'each', 'rest'].map((key) => html`<${Num} key=${key} label=${t(`modes_${key}`)} width="7rem" value=${form[key]} onValue=${(value) => set({ ...form, [key]: value })} />`)}</div></fieldset>`}
    <${Refusal} error=${error} />
    <div class="row end"><${Act} type="submit" class="main" role="operator" disabled=${!Object.keys(chosen).length || !form.elastic.length}>${t('modes_do')}</${Act}></div></form>
    ${fitted && html`<${Found} key=${fitted.key} model=${model} request=${fitted.request} found=${fitted.found} />`}`
}
