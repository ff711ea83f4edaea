// What a verification is asked for: the arm as it might be, the laws that control it, where it should be, and what it may be off.
import { useState } from 'preact/hooks'
import { html } from '../html.js'
import { link } from '../route.js'
import { extend, t } from '../words.js'
import { get } from '../api.js'
import { AskForm, Num, PerJoint, numberOf } from '../ui/asking.js'
import { Check, Field, Notice, Refusal, useAnswer } from '../ui/parts.js'
import { Joints, middlesOf, unitOf } from '../ui/joints.js'
import { LawFields, NEW_LAW, controlOf } from '../ui/laws.js'
import { figure, shortId } from '../ui/format.js'

extend({
  ver_pose: ['Where the arm holds, steps and swings', '保持、阶跃和正弦的位置'],
  ver_limit: ['What the tool may be off', '末端允许误差'],
  ver_limit_mm: ['Position [mm]', '位置 [mm]'],
  ver_limit_mrad: ['Rotation [mrad]', '转角 [mrad]'],
  ver_limit_hint: ['empty: no limit', '留空：无限制'],
  ver_references: ['Where it should be', '参考运动'],
  ver_laws: ['What controls it', '控制律'],
  ver_plants: ['The arm as it might be', '可能的实际手臂'],
  'reference.hold': ['hold', '保持'],
  'reference.step': ['step', '阶跃'],
  'reference.sine': ['sine sweep', '正弦扫频'],
  'reference.circle': ['circle of the tool', '末端圆'],
  'reference.trajectory': ['stored motion', '已存运动'],
  ver_add: ['+ {what}', '+ {what}'],
  ver_remove: ['Take {what} away', '移除 {what}'],
  ver_name: ['Name', '名称'],
  ver_duration: ['Duration [s]', '时长 [s]'],
  ver_amplitude: ['By how much', '幅度'],
  ver_frequencies: ['Frequencies [Hz]', '频率 [Hz]'],
  ver_periods: ['Periods measured', '测量周期数'],
  ver_center: ['Centre {axis} [m]', '圆心 {axis} [m]'],
  ver_turns: ['Turns', '圈数'],
  ver_rest: ['Held at the end [s]', '终点保持 [s]'],
  ver_without: ['Beside it, its PID without the model', '并列：无模型的 PID'],
  ver_arm: ['arm', '手臂'],
  ver_payload: ['It carries [kg]', '负载质量 [kg]'],
  ver_scale: ['Masses and inertias, of the model\'s', '质量与惯量（相对模型）'],
  ver_frictionless: ['Without friction', '无摩擦'],
  ver_accuracy: ['Budget of accuracy from', '精度预算依据'],
  ver_accuracy_none: ['none', '无'],
  ver_accuracy_hint: ['what the doubt about identified parameters makes of it at the tool', '辨识参数的不确定度在末端造成的误差'],
  ver_cases: ['{count} cases: every arm under every law on every reference; 256 at most.', '共 {count} 种情况：每个手臂、每种控制律、每个参考运动；最多 256 种。'],
  ver_do: ['Verify', '开始验证'],
  ver_motion_none: ['There is no motion of this robot yet.', '该机器人还没有运动。'],
})

const KINDS = ['hold', 'step', 'sine', 'circle', 'trajectory']
const MOST = 256
const MODELLED = ['pid_gravity', 'pid_friction', 'feedforward', 'computed_torque'] // laws that have a counterpart without the model

const numbersOf = (text) => text.split(/[\s,;]+/).filter(Boolean).map(Number)
const given = (object) => Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined && value !== ''))

// The members that a kind of reference has, of what was typed.
const REFERENCES = {
  hold: ({ duration }) => ({ duration: numberOf(duration) }),
  step: ({ duration, amplitude }) => ({ duration: numberOf(duration), amplitude: amplitude.map((one) => numberOf(one) ?? 0) }),
  sine: ({ amplitude, frequencies, periods }) => ({ amplitude: amplitude.map((one) => numberOf(one) ?? 0), frequencies: numbersOf(frequencies), periods: numberOf(periods) }),
  circle: ({ duration, center, turns, rest }) => ({ duration: numberOf(duration), center: center.map((one) => numberOf(one) ?? 0), turns: numberOf(turns), rest: numberOf(rest) }),
  trajectory: ({ trajectory, rest }) => ({ trajectory, rest: numberOf(rest) }),
}

const plantOf = ({ payload, scale, frictionless }) => given({ payload: numberOf(payload) === undefined ? undefined : { mass: numberOf(payload) }, inertial_scale: numberOf(scale), friction: frictionless ? false : undefined })

const requestOf = ({ q, position, rotation, references, laws, plants, accuracy }) => ({
  q, limit: position === '' && rotation === '' ? null : given({ position_mm: numberOf(position), rotation_mrad: numberOf(rotation) }),
  references: references.map((one) => given({ kind: one.kind, name: one.name, ...REFERENCES[one.kind](one) })),
  laws: laws.map((one) => given({ name: one.name, bandwidth_hz: numberOf(one.bandwidth), without_model: (MODELLED.includes(one.law) && one.without) || undefined, control: controlOf(one) })),
  plants: plants.map((one) => given({ name: one.name, plant: plantOf(one) })),
  ...(accuracy && { accuracy: { identification: accuracy } }),
})

const countOf = ({ references, laws, plants }) => plants.length * references.length * laws.reduce((sum, one) => sum + 1 + (MODELLED.includes(one.law) && one.without ? 1 : 0), 0)

// Entries that are added and taken away, the last one excepted. makes: { what: a new entry }
function Entries({ legend, entries, onEntries, makes, draw, titleOf }) {
  const set = (k) => (part) => onEntries(entries.map((old, i) => (i === k ? { ...old, ...part } : old)))
  return html`<fieldset class="stack"><legend>${legend}</legend>
    ${entries.map((one, k) => html`<fieldset key=${k}><legend>${titleOf(one, k)}</legend><div class="row begin">
      <${Field} label=${t('ver_name')}><input style=${{ width: '9rem' }} maxlength="64" value=${one.name} placeholder=${titleOf(one, k)} onInput=${(e) => set(k)({ name: e.target.value })} /></${Field}>
      ${draw(one, set(k))}
      ${entries.length > 1 && html`<button type="button" aria-label=${t('ver_remove', { what: titleOf(one, k) })} title=${t('ver_remove', { what: titleOf(one, k) })} onClick=${() => onEntries(entries.filter((_, i) => i !== k))}>×</button>`}</div></fieldset>`)}
    <div class="row">${Object.entries(makes).map(([what, make]) => html`<button key=${what} type="button" onClick=${() => onEntries([...entries, { ...make }])}>${t('ver_add', { what })}</button>`)}</div></fieldset>`
}

function ReferenceFields({ model, motions, one, set }) {
  const num = (name, label, rest) => html`<${Num} key=${name} label=${t(label)} min="0" value=${one[name]} onValue=${(value) => set({ [name]: value })} ...${rest} />`
  const amplitude = () => html`<${PerJoint} model=${model} legend=${t('ver_amplitude')} values=${one.amplitude} onValues=${(values) => set({ amplitude: values })} unit=${(joint) => unitOf(joint)} />`
  if (one.kind === 'hold') return num('duration', 'ver_duration', { required: true })
  if (one.kind === 'step') return html`${num('duration', 'ver_duration', { required: true })}${amplitude()}`
  if (one.kind === 'sine') return html`<${Field} label=${t('ver_frequencies')}><input required value=${one.frequencies} onInput=${(e) => set({ frequencies: e.target.value })} /></${Field}>${num('periods', 'ver_periods')}${amplitude()}`
  if (one.kind === 'circle') return html`${num('duration', 'ver_duration', { required: true })}${['x', 'y', 'z'].map((axis, k) => html`<${Num} key=${axis} width="6rem" required label=${t('ver_center', { axis })} value=${one.center[k]} onValue=${(value) => set({ center: one.center.map((old, i) => (i === k ? value : old)) })} />`)}${num('turns', 'ver_turns')}${num('rest', 'ver_rest')}`
  return motions.length ? html`<${Field} label=${t('reference.trajectory')}><select value=${one.trajectory} onChange=${(e) => set({ trajectory: e.target.value })}>${motions.map((motion) => html`<option key=${motion.id} value=${motion.id}>${motion.label || `${figure(motion.metrics?.duration)} s ${shortId(motion.id)}`}</option>`)}</select></${Field}>${num('rest', 'ver_rest')}`
    : html`<${Notice} kind="warn">${t('ver_motion_none')} <a href=${link(['trajectories', 'new'], { robot: model.name })}>${t('page.trajectories')}</a></${Notice}>`
}

// A new reference of each kind, as it is usual.
function newReferences(model, motions) {
  const small = model.joints.map((joint) => (joint.type === 'prismatic' ? '0.005' : '0.02'))
  const first = small.map((one, j) => (j ? '0' : one))
  const of = { hold: { duration: '0.5' }, step: { duration: '1', amplitude: first }, sine: { amplitude: first, frequencies: '1 2 5 10', periods: '3' }, circle: { duration: '2', center: ['', '', ''], turns: '1', rest: '0.2' }, trajectory: { trajectory: motions[0]?.id, rest: '0.2' } }
  return Object.fromEntries(KINDS.map((kind) => [t(`reference.${kind}`), { kind, name: '', ...of[kind] }]))
}
const NEW_CONTROL = { ...NEW_LAW, name: '', law: 'feedforward', bandwidth: '10', without: true }
const NEW_PLANT = { name: '', payload: '', scale: '', frictionless: false }

export function Form({ model }) {
  const stored = useAnswer(async (signal) => {
    const of = (kind) => get(`v1/${kind}`, { robot: model.name, sort: '-created_at', limit: 100 }, signal).then(({ items }) => items)
    return { motions: await of('trajectories'), runs: await of('identifications') }
  }, [model.name])
  const { motions = [], runs = [] } = stored.value ?? {}
  const news = newReferences(model, motions)
  const [draft, setDraft] = useState(() => ({ q: middlesOf(model, 0.12), position: '0.1', rotation: '', references: [news[t('reference.hold')], news[t('reference.step')]], laws: [NEW_CONTROL], plants: [NEW_PLANT, { ...NEW_PLANT, payload: '1' }], accuracy: '' }))
  const [changed, change] = useState(false)
  const set = (part) => {
    change(true)
    setDraft({ ...draft, ...part })
  }
  const count = countOf(draft)
  const lacking = draft.references.some((one) => one.kind === 'trajectory' && !(one.trajectory ?? motions[0]?.id))
  const asked = { ...draft, references: draft.references.map((one) => (one.kind === 'trajectory' ? { ...one, trajectory: one.trajectory ?? motions[0]?.id } : one)) }
  return html`<${AskForm} path=${`v1/robots/${model.name}/verifications`} request=${requestOf(asked)} changed=${changed} does=${t('ver_do')} disabled=${lacking || count > MOST}>
    <${Refusal} error=${stored.error} />
    <fieldset><legend>${t('ver_limit')}</legend><div class="row begin">
      <${Num} label=${t('ver_limit_mm')} hint=${t('ver_limit_hint')} min="0" value=${draft.position} onValue=${(position) => set({ position })} />
      <${Num} label=${t('ver_limit_mrad')} hint=${t('ver_limit_hint')} min="0" value=${draft.rotation} onValue=${(rotation) => set({ rotation })} /></div></fieldset>
    <${Entries} legend=${t('ver_references')} entries=${draft.references} onEntries=${(references) => set({ references })} makes=${news} titleOf=${(one) => t(`reference.${one.kind}`)}
      draw=${(one, part) => html`<${ReferenceFields} model=${model} motions=${motions} one=${one} set=${part} />`} />
    <fieldset><legend>${t('ver_pose')}</legend><${Joints} model=${model} q=${draft.q} onQ=${(q) => set({ q })} /></fieldset>
    <${Entries} legend=${t('ver_laws')} entries=${draft.laws} onEntries=${(laws) => set({ laws })} makes=${{ [t('law')]: NEW_CONTROL }} titleOf=${(one) => t(`law.${one.law}`)}
      draw=${(one, part) => html`<${LawFields} draft=${one} set=${part} />${MODELLED.includes(one.law) && html`<${Check} label=${t('ver_without')} checked=${one.without} onChange=${(e) => part({ without: e.target.checked })} />`}`} />
    <${Entries} legend=${t('ver_plants')} entries=${draft.plants} onEntries=${(plants) => set({ plants })} makes=${{ [t('ver_arm')]: NEW_PLANT }} titleOf=${(_, k) => `${t('ver_arm')} ${k + 1}`}
      draw=${(one, part) => html`<${Num} label=${t('ver_payload')} min="0" value=${one.payload} onValue=${(payload) => part({ payload })} /><${Num} label=${t('ver_scale')} min="0.1" max="10" placeholder="1" value=${one.scale} onValue=${(scale) => part({ scale })} /><${Check} label=${t('ver_frictionless')} checked=${one.frictionless} onChange=${(e) => part({ frictionless: e.target.checked })} />`} />
    <${Field} label=${t('ver_accuracy')} hint=${t('ver_accuracy_hint')}><select value=${draft.accuracy} onChange=${(e) => set({ accuracy: e.target.value })}><option value="">${t('ver_accuracy_none')}</option>${runs.map((run) => html`<option key=${run.id} value=${run.id}>${run.label || run.estimator} ${shortId(run.id)}</option>`)}</select></${Field}>
    <p class=${count > MOST ? 'state bad' : 'quiet'}>${t('ver_cases', { count })}</p>
  </${AskForm}>`
}
