// Parts of forms that try an arm: references that it should follow, and the arms as they might be.
import { html } from '../html.js'
import { link } from '../route.js'
import { extend, t } from '../words.js'
import { get } from '../api.js'
import { Num, PerJoint, numberOf } from './asking.js'
import { Check, Field, Notice, useAnswer } from './parts.js'
import { unitOf } from './joints.js'
import { figure, shortId } from './format.js'

extend({
  ver_references: ['Where it should be', '参考运动'],
  ver_plants: ['The arm as it might be', '可能的实际手臂'],
  'reference.hold': ['hold', '保持'],
  'reference.step': ['step', '阶跃'],
  'reference.sine': ['sine sweep', '正弦扫频'],
  'reference.circle': ['circle of the tool', '末端圆'],
  'reference.chirp': ['chirp', '线性调频扫描'],
  'reference.trajectory': ['stored motion', '已存运动'],
  ver_add: ['+ {what}', '+ {what}'],
  ver_remove: ['Take {what} away', '移除 {what}'],
  ver_name: ['Name', '名称'],
  ver_duration: ['Duration [s]', '时长 [s]'],
  ver_amplitude: ['By how much', '幅度'],
  ver_frequencies: ['Frequencies [Hz]', '频率 [Hz]'],
  ver_periods: ['Periods measured', '测量周期数'],
  ver_chirp: ['From and to [Hz]', '起止频率 [Hz]'],
  ver_chirp_rest: ['Rest after each joint [s]', '每个关节后的静止时间 [s]'],
  ver_center: ['Centre {axis} [m]', '圆心 {axis} [m]'],
  ver_turns: ['Turns', '圈数'],
  ver_rest: ['Held at the end [s]', '终点保持 [s]'],
  ver_arm: ['arm', '手臂'],
  ver_payload: ['It carries [kg]', '负载质量 [kg]'],
  ver_scale: ['Masses and inertias, of the model\'s', '质量与惯量（相对模型）'],
  ver_frictionless: ['Without friction', '无摩擦'],
  ver_log: ['Played and measured in', '实测数据集'],
  ver_log_none: ['not played', '未实测'],
  ver_motion_none: ['There is no motion of this robot yet.', '该机器人还没有运动。'],
})

const numbersOf = (text) => text.split(/[\s,;]+/).filter(Boolean).map(Number)
export const given = (object) => Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined && value !== ''))

// The members that a kind of reference has, of what was typed.
const MEMBERS = {
  hold: ({ duration }) => ({ duration: numberOf(duration) }),
  step: ({ duration, amplitude }) => ({ duration: numberOf(duration), amplitude: amplitude.map((one) => numberOf(one) ?? 0) }),
  sine: ({ amplitude, frequencies, periods }) => ({ amplitude: amplitude.map((one) => numberOf(one) ?? 0), frequencies: numbersOf(frequencies), periods: numberOf(periods) }),
  circle: ({ duration, center, turns, rest }) => ({ duration: numberOf(duration), center: center.map((one) => numberOf(one) ?? 0), turns: numberOf(turns), rest: numberOf(rest) }),
  chirp: ({ duration, amplitude, frequencies, rest }) => ({ duration: numberOf(duration), amplitude: amplitude.map((one) => numberOf(one) ?? 0), frequencies: numbersOf(frequencies), rest: numberOf(rest) }),
  trajectory: ({ trajectory, rest, measured }) => ({ trajectory, rest: numberOf(rest), measured: measured || undefined }),
}

const plantOf = ({ payload, scale, frictionless }) => given({ payload: numberOf(payload) === undefined ? undefined : { mass: numberOf(payload) }, inertial_scale: numberOf(scale), friction: frictionless ? false : undefined })

// The motions that references may follow.
export const useMotions = (model) => useAnswer((signal) => get('v1/trajectories', { robot: model.name, sort: '-created_at', limit: 100 }, signal).then(({ items }) => items), [model.name])

// What arms of this robot did, newest first: data sets, that of a transfer among them.
export const useLogs = (model) => useAnswer((signal) => get('v1/datasets', { robot: model.name, sort: '-created_at', limit: 100 }, signal).then(({ items }) => items), [model.name])

// Of what was typed: what a request takes. A motion that was not chosen is the newest.
const followed = (one, motions) => (one.kind === 'trajectory' ? { ...one, trajectory: one.trajectory ?? motions[0]?.id } : one)
export const lacksMotion = (references, motions) => references.some((one) => one.kind === 'trajectory' && !followed(one, motions).trajectory)
export const referencesOf = (references, motions) => references.map((one) => followed(one, motions)).map((one) => given({ kind: one.kind, name: one.name, ...MEMBERS[one.kind](one) }))
export const plantsOf = (plants) => plants.map((one) => given({ name: one.name, plant: plantOf(one) }))

// Entries that are added and taken away, the last one excepted. makes: { what: a new entry }
export function Entries({ legend, entries, onEntries, makes, draw, titleOf }) {
  const set = (k) => (part) => onEntries(entries.map((old, i) => (i === k ? { ...old, ...part } : old)))
  return html`<fieldset class="stack"><legend>${legend}</legend>
    ${entries.map((one, k) => html`<fieldset key=${k}><legend>${titleOf(one, k)}</legend><div class="row begin">
      <${Field} label=${t('ver_name')}><input style=${{ width: '9rem' }} maxlength="64" value=${one.name} placeholder=${titleOf(one, k)} onInput=${(e) => set(k)({ name: e.target.value })} /></${Field}>
      ${draw(one, set(k))}
      ${entries.length > 1 && html`<button type="button" aria-label=${t('ver_remove', { what: titleOf(one, k) })} title=${t('ver_remove', { what: titleOf(one, k) })} onClick=${() => onEntries(entries.filter((_, i) => i !== k))}>×</button>`}</div></fieldset>`)}
    <div class="row">${Object.entries(makes).map(([what, make]) => html`<button key=${what} type="button" onClick=${() => onEntries([...entries, { ...make }])}>${t('ver_add', { what })}</button>`)}</div></fieldset>`
}

export function ReferenceFields({ model, motions, logs, one, set }) {
  const num = (name, label, rest) => html`<${Num} key=${name} label=${t(label)} min="0" value=${one[name]} onValue=${(value) => set({ [name]: value })} ...${rest} />`
  const amplitude = () => html`<${PerJoint} model=${model} legend=${t('ver_amplitude')} values=${one.amplitude} onValues=${(values) => set({ amplitude: values })} unit=${(joint) => unitOf(joint)} />`
  if (one.kind === 'hold') return num('duration', 'ver_duration', { required: true })
  if (one.kind === 'step') return html`${num('duration', 'ver_duration', { required: true })}${amplitude()}`
  if (one.kind === 'sine') return html`<${Field} label=${t('ver_frequencies')}><input required value=${one.frequencies} onInput=${(e) => set({ frequencies: e.target.value })} /></${Field}>${num('periods', 'ver_periods')}${amplitude()}`
  if (one.kind === 'chirp') return html`${num('duration', 'ver_duration', { required: true })}<${Field} label=${t('ver_chirp')}><input required value=${one.frequencies} onInput=${(e) => set({ frequencies: e.target.value })} /></${Field}>${num('rest', 'ver_chirp_rest')}${amplitude()}`
  if (one.kind === 'circle') return html`${num('duration', 'ver_duration', { required: true })}${['x', 'y', 'z'].map((axis, k) => html`<${Num} key=${axis} width="6rem" required label=${t('ver_center', { axis })} value=${one.center[k]} onValue=${(value) => set({ center: one.center.map((old, i) => (i === k ? value : old)) })} />`)}${num('turns', 'ver_turns')}${num('rest', 'ver_rest')}`
  return motions.length ? html`<${Field} label=${t('reference.trajectory')}><select value=${one.trajectory} onChange=${(e) => set({ trajectory: e.target.value })}>${motions.map((motion) => html`<option key=${motion.id} value=${motion.id}>${motion.label || `${figure(motion.metrics?.duration)} s ${shortId(motion.id)}`}</option>`)}</select></${Field}>${num('rest', 'ver_rest')}${logs?.length > 0 && html`<${Field} label=${t('ver_log')}><select value=${one.measured ?? ''} onChange=${(e) => set({ measured: e.target.value })}><option value="">${t('ver_log_none')}</option>${logs.map((log) => html`<option key=${log.id} value=${log.id}>${log.label || shortId(log.id)}</option>`)}</select></${Field}>`}`
    : html`<${Notice} kind="warn">${t('ver_motion_none')} <a href=${link(['trajectories', 'new'], { robot: model.name })}>${t('page.trajectories')}</a></${Notice}>`
}

// A new reference of a kind, as it is usual.
export function newReference(model, kind) {
  const small = model.joints.map((joint) => (joint.type === 'prismatic' ? '0.005' : '0.02'))
  const first = small.map((one, j) => (j ? '0' : one))
  const of = { hold: { duration: '0.5' }, step: { duration: '1', amplitude: first }, sine: { amplitude: first, frequencies: '1 2 5 10', periods: '3' }, chirp: { duration: '20', amplitude: first, frequencies: '2 40', rest: '2' }, circle: { duration: '2', center: ['', '', ''], turns: '1', rest: '0.2' }, trajectory: { rest: '0.2' } }
  return { kind, name: '', ...of[kind] }
}
export const newReferences = (model) => Object.fromEntries(Object.keys(MEMBERS).map((kind) => [t(`reference.${kind}`), newReference(model, kind)]))

export const NEW_PLANT = { name: '', payload: '', scale: '', frictionless: false }

// kinds: of references that there are; logs: of arms that played a motion, where that matters
export function References({ model, motions, logs, kinds, entries, onEntries }) {
  const makes = Object.fromEntries(Object.entries(newReferences(model)).filter(([, { kind }]) => kinds.includes(kind)))
  return html`<${Entries} legend=${t('ver_references')} entries=${entries} onEntries=${onEntries} makes=${makes} titleOf=${(one) => t(`reference.${one.kind}`)}
    draw=${(one, part) => html`<${ReferenceFields} model=${model} motions=${motions} logs=${logs} one=${one} set=${part} />`} />`
}

export const Plants = ({ entries, onEntries }) => html`<${Entries} legend=${t('ver_plants')} entries=${entries} onEntries=${onEntries} makes=${{ [t('ver_arm')]: NEW_PLANT }} titleOf=${(_, k) => `${t('ver_arm')} ${k + 1}`}
  draw=${(one, part) => html`<${Num} label=${t('ver_payload')} min="0" value=${one.payload} onValue=${(payload) => part({ payload })} /><${Num} label=${t('ver_scale')} min="0.1" max="10" placeholder="1" value=${one.scale} onValue=${(scale) => part({ scale })} /><${Check} label=${t('ver_frictionless')} checked=${one.frictionless} onChange=${(e) => part({ frictionless: e.target.checked })} />`} />`

// What is called by default is said in the person's language; what somebody named, as it is named.
export const referenceName = (name) => (MEMBERS[name] ? t(`reference.${name}`) : name)
export const plantName = (name) => (/^plant \d+$/.test(name) ? `${t('ver_arm')} ${name.slice(6)}` : name)
