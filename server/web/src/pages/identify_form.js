// Asks for an identification: whatever the contract's request has but what programs alone say (tests/contract/test_forms.py).
import { useState } from 'preact/hooks'
import { html } from '../html.js'
import { go } from '../route.js'
import { extend, t } from '../words.js'
import { get, once, post } from '../api.js'
import { Num, PerJoint, numberOf } from '../ui/asking.js'
import { FormDialog } from '../ui/dialog.js'
import { Check, Field, Notice, Refusal, useAnswer } from '../ui/parts.js'
import { unitOf } from '../ui/joints.js'
import { nameOf } from '../ui/names.js'
import { ARMDYN_ESTIMATOR_LIST, ARMDYN_FRICTION_TERM_LIST } from 'virtual:lists'

extend({
  identify_what: ['What to find', '辨识内容'],
  identify_arm: ['parameters of the arm', '手臂参数'],
  identify_payload: ['what it carries', '所携负载'],
  identify_friction: ['friction alone, from runs at constant speed', '仅摩擦（匀速运行）'],
  identify_robot_one: ['These data sets are of different robots.', '这些数据集属于不同机器人。'],
  identify_do: ['Identify', '开始辨识'],
  'part.training': ['Learn from', '训练数据'],
  'part.validation': ['Validate with', '验证数据'],
  'part.unloaded': ['Without the load', '空载运行'],
  validation_fraction: ['Last part of each log that validates', '每份日志末尾用于验证的比例'],
  validation_fraction_hint: ['0.3: the last 30 %; empty: none', '0.3：末尾 30 %；留空：不验证'],
  friction_terms: ['Friction terms', '摩擦项'],
  'choice.auto': ['choose joint by joint', '逐关节自动选择'],
  'choice.offset': ['offset', '偏置'],
  'choice.coulomb': ['Coulomb', '库仑'],
  'choice.stribeck': ['Stribeck', 'Stribeck'],
  'choice.viscous': ['viscous', '粘性'],
  'choice.high_speed': ['high speed', '高速'],
  'choice.sublinear': ['sublinear', '亚线性'],
  'choice.load': ['load', '负载'],
  'choice.position': ['over the motor angle', '随电机转角'],
  'choice.asymmetric': ['by direction', '区分方向'],
  prior: ['Draw the estimate to the robot\'s model', '以机器人模型为先验'],
  rotor_inertia: ['Identify rotor inertias', '辨识转子惯量'],
  free_signs: ['Friction may have any sign', '摩擦允许任意符号'],
  prior_strength: ['Strength of the prior [squares of one sample]', '先验强度 [单个样本的平方]'],
  by_data: ['empty: by the data', '留空：由数据决定'],
  friction_from: ['Hold friction of', '沿用摩擦辨识结果'],
  friction_from_none: ['none: it is identified here', '不沿用：在此辨识'],
  identify_prior: ['Prior and signs', '先验与符号'],
  conditioning_ask: ['Filters and delays', '滤波与延迟'],
  find_cutoffs: ['Try cut-offs on held-out parts', '在留出数据上试选截止频率'],
  test_filters: ['Test the filters (Durbin, Wu, Hausman)', '检验滤波（Durbin、Wu、Hausman）'],
  find_drive_gains: ['Find gains of drives from payloads', '由负载求驱动增益'],
  payloads_known: ['Known of these payloads', '负载的已知量'],
  payloads_known_all: ['mass, center of mass and inertia', '质量、质心与惯量'],
  payloads_known_mass: ['the mass alone', '仅质量'],
  delays: ['Torques that are late', '力矩延迟'],
  delays_plain: ['take out what is plain', '仅消除明显延迟'],
  delays_all: ['look at all joints', '检查所有关节'],
  delays_none: ['leave as they are', '不处理'],
  delays_stated: ['take out what is stated', '按给定值消除'],
  torque_delay: ['Torques were logged later by', '力矩记录滞后'],
  velocities: ['Logged velocities', '记录的速度'],
  velocities_auto: ['where they agree with the positions', '与位置一致时使用'],
  velocities_logged: ['use all', '全部使用'],
  velocities_positions: ['do not use', '不使用'],
  conditioning_method: ['Filter of positions', '位置滤波器'],
  method_butterworth: ['Butterworth, zero phase', '零相位巴特沃斯'],
  method_tracking_differentiator: ['tracking differentiator', '跟踪微分器'],
  tracking_acceleration: ['Follows at most [rad/s², m/s²]', '最大跟踪加速度 [rad/s², m/s²]'],
  conditioning_rate: ['Even clock [Hz]', '均匀采样率 [Hz]'],
  position_cutoff_hz: ['Cut-off of positions [Hz]', '位置截止频率 [Hz]'],
  torque_cutoff_hz: ['Cut-off of torques [Hz]', '力矩截止频率 [Hz]'],
  seed: ['Seed', '随机种子'],
  trim: ['Cut off both ends [s]', '两端截去 [s]'],
  identify_loop: ['Loop that the arm was logged in', '记录日志时的控制回路'],
  identify_loop_text: ['τ = kp (q wanted − q) + kd (q̇ wanted − q̇) is simulated. didim needs it; iv and the test of filters make their instruments of it.', '将仿真 τ = kp (q 期望 − q) + kd (q̇ 期望 − q̇)。didim 必须给出；iv 与滤波检验由它生成工具变量。'],
  loop_reference: ['Wanted positions of {name}', '{name} 的期望位置'],
  loop_choose: ['choose a data set', '请选择数据集'],
  identify_exclude: ['Parts to leave out', '要剔除的片段'],
  exclude_add: ['Leave out a part', '剔除一段'],
  exclude_from: ['From [s]', '自 [s]'],
  exclude_to: ['To [s]', '至 [s]'],
  exclude_drop: ['Keep it', '保留该段'],
  identify_job: ['Job', '任务'],
  job_time_limit: ['At most [s] of computing', '计算时限 [s]'],
  job_urgency: ['Priority, higher first', '优先级（大者优先）'],
})

const LOADED = ['wls', 'consistent'] // estimators of a payload
const CHOICES = ['auto', ...ARMDYN_FRICTION_TERM_LIST, 'asymmetric'] // FrictionChoice
const SEARCHES = ['find_cutoffs', 'test_filters', 'find_drive_gains'] // that a run makes where it is asked to
const SWITCHES = ['prior', 'rotor_inertia', 'free_signs']
const PRIOR = { prior_strength: { min: '0' }, seed: { min: '0', step: '1', hint: '1' } }
const FILTERS = { rate: { min: '1', max: '100000' }, position_cutoff_hz: { min: '0', max: '50000' }, torque_cutoff_hz: { min: '0', max: '50000' }, trim: { min: '0', max: '1000' } }
const HEADS = { rate: 'conditioning_rate' }
const looped = (form) => ['didim', 'iv'].includes(form.estimator) || form.test_filters

const numbers = (form, names) => Object.fromEntries(names.map((name) => [name, numberOf(form[name])]).filter(([, value]) => value !== undefined))
const filled = (values) => values?.some((one) => one !== '')
const perJoint = (values = []) => values.map((one) => numberOf(one) ?? 0)
const zeros = (values) => values?.map(() => '0')
const loopBegun = ({ estimator, kp, kd, reference }) => estimator === 'didim' || filled(kp) || filled(kd) || Object.values(reference).some(Boolean)

function conditioningOf(form) {
  const tracks = form.method === 'tracking_differentiator'
  return { ...numbers(form, [...Object.keys(FILTERS), ...(tracks ? ['tracking_acceleration'] : [])]), ...(tracks ? { method: form.method } : {}), ...(form.delays === 'stated' && filled(form.torque_delay) ? { torque_delay: perJoint(form.torque_delay) } : {}) }
}

// What holds for the arm alone.
function armOf(form, training) {
  const json = { ...numbers(form, Object.keys(PRIOR)), friction: form.friction }
  for (const name of SWITCHES) json[name] = form[name]
  for (const name of SEARCHES) if (form[name]) json[name] = true
  if (form.find_drive_gains) json.payloads_known = form.payloads_known
  if (form.friction_from) json.friction_from = form.friction_from
  if (['all', 'none'].includes(form.delays)) json.find_torque_delay = form.delays === 'all'
  if (looped(form) && loopBegun(form)) json.loop = { reference: training.map((id) => form.reference[id]), kp: perJoint(form.kp ?? zeros(form.kd)), kd: perJoint(form.kd ?? zeros(form.kp)) }
  return json
}

export function identificationOf(form, of) {
  const validation = of('validation')
  const exclude = form.exclude.map((one) => ({ dataset: one.dataset, from: Number(one.from), to: Number(one.to) }))
  const conditioning = conditioningOf(form)
  return {
    identify: form.identify, datasets: of('training'), estimator: form.estimator, velocities: form.velocities,
    ...(validation.length ? { validation } : numbers(form, ['validation_fraction'])),
    ...(Object.keys(conditioning).length ? { conditioning } : {}), ...(exclude.length ? { exclude } : {}), ...numbers(form, ['time_limit', 'priority']),
    ...(form.identify === 'payload' ? (of('unloaded').length ? { unloaded: of('unloaded') } : {}) : armOf(form, of('training'))),
  }
}

const Choose = ({ label, value, names, word, onValue }) => html`<${Field} label=${label}><select value=${value} onChange=${(e) => onValue(e.target.value)}>${names.map((name) => html`<option key=${name} value=${name}>${word ? t(`${word}${name}`) : name}</option>`)}</select></${Field}>`
const Numbers = ({ of, form, set, hint }) => html`<div class="row begin">${Object.entries(of).map(([name, limits]) => html`<${Num} key=${name} label=${t(HEADS[name] ?? name)} hint=${hint} ...${limits} value=${form[name] ?? ''} onValue=${(text) => set({ [name]: text })} />`)}</div>`

const Roles = ({ sets, roles, part, setPart }) => html`<div class="scroll"><table><thead><tr><th>${t('data')}</th>${roles.map((role) => html`<th key=${role}>${t(`part.${role}`)}</th>`)}</tr></thead><tbody>${sets.map((set) => html`<tr key=${set.id}><td><bdi>${nameOf(set)}</bdi></td>
  ${roles.map((role) => html`<td key=${role}><input type="radio" name=${set.id} aria-label=${`${nameOf(set)}: ${t(`part.${role}`)}`} checked=${part[set.id] === role} onChange=${() => setPart({ ...part, [set.id]: role })} /></td>`)}</tr>`)}</tbody></table></div>`

const Terms = ({ form, set }) => html`<fieldset><legend>${t('friction_terms')}</legend><div class="row">${CHOICES.map((name) => html`<${Check} key=${name} label=${t(`choice.${name}`)} checked=${form.friction.includes(name)}
  onChange=${() => set({ friction: CHOICES.filter((one) => form.friction.includes(one) !== (one === name)) })} />`)}</div></fieldset>`

const Conditioning = ({ form, set, model }) => html`<details><summary>${t('conditioning_ask')}</summary><div class="stack">
  <div class="row begin">${form.identify === 'arm' && html`<${Choose} label=${t('delays')} value=${form.delays} names=${['plain', 'all', 'none', 'stated']} word="delays_" onValue=${(delays) => set({ delays })} />`}
    <${Choose} label=${t('velocities')} value=${form.velocities} names=${['auto', 'logged', 'positions']} word="velocities_" onValue=${(velocities) => set({ velocities })} />
    <${Choose} label=${t('conditioning_method')} value=${form.method} names=${['butterworth', 'tracking_differentiator']} word="method_" onValue=${(method) => set({ method })} />
    ${form.method === 'tracking_differentiator' && html`<${Num} label=${t('tracking_acceleration')} min="0" value=${form.tracking_acceleration ?? ''} onValue=${(text) => set({ tracking_acceleration: text })} />`}</div>
  <${Numbers} of=${FILTERS} form=${form} set=${set} hint=${t('by_data')} />
  ${form.delays === 'stated' && model && html`<${PerJoint} model=${model} legend=${t('torque_delay')} values=${form.torque_delay ?? model.joints.map(() => '')} onValues=${(torque_delay) => set({ torque_delay })} unit=${() => 's'} />`}
  ${form.identify === 'arm' && SEARCHES.map((name) => html`<${Check} key=${name} label=${t(name)} checked=${!!form[name]} onChange=${(e) => set({ [name]: e.target.checked })} />`)}
  ${form.identify === 'arm' && form.find_drive_gains && html`<${Choose} label=${t('payloads_known')} value=${form.payloads_known} names=${['all', 'mass']} word="payloads_known_" onValue=${(payloads_known) => set({ payloads_known })} />`}
</div></details>`

function Prior({ form, set, robot }) {
  const frictions = useAnswer((signal) => get('v1/friction-identifications', { robot, limit: 100 }, signal), [robot])
  return html`<details><summary>${t('identify_prior')}</summary><div class="stack"><${Numbers} of=${PRIOR} form=${form} set=${set} hint=${t('by_data')} />
    <${Field} label=${t('friction_from')}><select value=${form.friction_from ?? ''} onChange=${(e) => set({ friction_from: e.target.value })}><option value="">${t('friction_from_none')}</option>${(frictions.value?.items ?? []).map((one) => html`<option key=${one.id} value=${one.id}>${nameOf(one)}</option>`)}</select></${Field}>
    <${Refusal} error=${frictions.error} /></div></details>`
}

function Loop({ form, set, model, sets, others }) {
  const gains = (name, unit) => html`<${PerJoint} model=${model} legend=${name} values=${form[name] ?? model.joints.map(() => '')} onValues=${(values) => set({ [name]: values })} unit=${unit} />`
  return html`<details open=${form.estimator === 'didim'}><summary>${t('identify_loop')}</summary><div class="stack"><p class="quiet">${t('identify_loop_text')}</p>
    ${model && gains('kp', (joint) => `${unitOf(joint, 'torque')}/${unitOf(joint)}`)}${model && gains('kd', (joint) => `${unitOf(joint, 'torque')} s/${unitOf(joint)}`)}
    ${sets.map((one) => html`<${Field} key=${one.id} label=${t('loop_reference', { name: nameOf(one) })}><select value=${form.reference[one.id] ?? ''} required=${loopBegun(form)} onChange=${(e) => set({ reference: { ...form.reference, [one.id]: e.target.value } })}>
      <option value="">${t('loop_choose')}</option>${others.filter((other) => other.id !== one.id).map((other) => html`<option key=${other.id} value=${other.id}>${nameOf(other)}</option>`)}</select></${Field}>`)}</div></details>`
}

function Exclude({ form, set, sets }) {
  const change = (k, more) => set({ exclude: form.exclude.map((one, at) => (at === k ? { ...one, ...more } : one)) })
  return html`<details><summary>${t('identify_exclude')}</summary><div class="stack">${form.exclude.map((one, k) => html`<div key=${k} class="row">
    <${Field} label=${t('data')}><select value=${one.dataset} onChange=${(e) => change(k, { dataset: e.target.value })}>${sets.map((set) => html`<option key=${set.id} value=${set.id}>${nameOf(set)}</option>`)}</select></${Field}>
    ${['from', 'to'].map((end) => html`<${Num} key=${end} required label=${t(`exclude_${end}`)} value=${one[end]} onValue=${(text) => change(k, { [end]: text })} />`)}
    <button type="button" onClick=${() => set({ exclude: form.exclude.filter((_, at) => at !== k) })}>${t('exclude_drop')}</button></div>`)}
    <p><button type="button" disabled=${!sets.length} onClick=${() => set({ exclude: [...form.exclude, { dataset: sets[0].id, from: '', to: '' }] })}>${t('exclude_add')}</button></p></div></details>`
}

const BEGIN = { identify: 'arm', estimator: 'consistent', friction: ['auto'], prior: true, rotor_inertia: false, free_signs: false, delays: 'plain', velocities: 'auto', method: 'butterworth', payloads_known: 'all', validation_fraction: '0.3', reference: {}, exclude: [] }

export function Identify({ sets, onClose }) {
  const { robot } = sets[0]
  const [part, setPart] = useState(Object.fromEntries(sets.map((set, k) => [set.id, k === sets.length - 1 && sets.length > 1 ? 'validation' : 'training'])))
  const [form, setForm] = useState(BEGIN)
  const set = (more) => setForm({ ...form, ...more })
  const model = useAnswer((signal) => get(`v1/robots/${robot}`, {}, signal), [robot])
  const others = useAnswer((signal) => get('v1/datasets', { robot, limit: 200 }, signal), [robot])
  const of = (role) => sets.filter((one) => part[one.id] === role).map((one) => one.id)
  const training = sets.filter((one) => part[one.id] === 'training')
  const [arm, payload, friction] = ['arm', 'payload', 'friction'].map((what) => form.identify === what)
  const mixed = sets.some((one) => one.robot !== robot)
  const start = async () => go(['jobs', (await post(`v1/robots/${robot}/${friction ? 'friction-identifications' : 'identifications'}`, friction ? { datasets: sets.map(({ id }) => id), ...numbers(form, ['position_cutoff_hz', 'time_limit', 'priority']) } : identificationOf(form, of), { headers: once() })).id])
  const become = (identify) => {
    set({ identify, ...(identify === 'payload' && !LOADED.includes(form.estimator) ? { estimator: 'consistent' } : {}) })
    if (identify !== 'payload') setPart(Object.fromEntries(Object.entries(part).map(([id, role]) => [id, role === 'unloaded' ? 'training' : role])))
  }
  return html`<${FormDialog} title=${t('identify')} does=${t('identify_do')} role="operator" disabled=${mixed || (!friction && !training.length)} send=${start} onClose=${onClose}>
    ${mixed && html`<${Notice} kind="bad">${t('identify_robot_one')}</${Notice}>`}<${Refusal} error=${model.error ?? others.error} />
    <fieldset><legend>${t('identify_what')}</legend><div class="row">${['arm', 'payload', 'friction'].map((what) => html`<label key=${what} class="check"><input type="radio" name="of" checked=${form.identify === what} onChange=${() => become(what)} /><span>${t(`identify_${what}`)}</span></label>`)}</div></fieldset>
    ${friction ? html`<${Numbers} of=${{ position_cutoff_hz: FILTERS.position_cutoff_hz }} form=${form} set=${set} hint="20 Hz" />` : html`<${Roles} sets=${sets} roles=${['training', 'validation', ...(payload ? ['unloaded'] : [])]} part=${part} setPart=${setPart} />
    <div class="row begin"><${Choose} label=${t('estimator')} value=${form.estimator} names=${payload ? LOADED : ARMDYN_ESTIMATOR_LIST} onValue=${(estimator) => set({ estimator })} />
      ${!of('validation').length && html`<${Num} label=${t('validation_fraction')} hint=${t('validation_fraction_hint')} min="0.01" max="0.9" value=${form.validation_fraction} onValue=${(text) => set({ validation_fraction: text })} />`}</div>
    ${arm && html`<${Terms} form=${form} set=${set} />${SWITCHES.map((name) => html`<${Check} key=${name} label=${t(name)} checked=${form[name]} onChange=${(e) => set({ [name]: e.target.checked })} />`)}`}
    <${Conditioning} form=${form} set=${set} model=${model.value} />
    ${arm && html`<${Prior} form=${form} set=${set} robot=${robot} />`}
    ${arm && looped(form) && html`<${Loop} form=${form} set=${set} model=${model.value} sets=${training} others=${others.value?.items ?? []} />`}
    <${Exclude} form=${form} set=${set} sets=${training} />`}
    <details><summary>${t('identify_job')}</summary><div class="row begin"><${Num} label=${t('job_time_limit')} min="0" value=${form.time_limit ?? ''} onValue=${(text) => set({ time_limit: text })} /><${Num} label=${t('job_urgency')} step="1" value=${form.priority ?? ''} onValue=${(text) => set({ priority: text })} /></div></details>
  </${FormDialog}>`
}
