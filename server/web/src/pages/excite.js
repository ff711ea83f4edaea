// Motions for identification: forms for excitations and friction tests.
import { useState } from 'preact/hooks'
import { html } from '../html.js'
import { extend, t } from '../words.js'
import { get } from '../api.js'
import { AskForm } from '../ui/asking.js'
import { CellChoice } from '../ui/cell_choice.js'
import { Check, Field, useAnswer } from '../ui/parts.js'
import { shortId } from '../ui/format.js'
import { ARMDYN_FRICTION_TERM_LIST_linear } from 'virtual:lists'

extend({
  excitation_text: ['A motion whose torques tell the parameters of the arm apart as well as its limits allow.', '在限制范围内尽可能区分手臂各参数的运动。'],
  'friction-test_text': ['Runs of one joint at a time at constant speeds, there and back.', '逐个关节以恒定速度往返运行。'],
  harmonics: ['Harmonics', '谐波数'],
  base_frequency: ['First harmonic [Hz]', '基频 [Hz]'],
  base_frequency_hint: ['empty: one period', '留空：一个周期'],
  criterion: ['Make small', '优化目标'],
  'criterion.condition': ['condition number', '条件数'],
  'criterion.d_optimal': ['volume of uncertainty (D-optimal)', '不确定性体积（D 最优）'],
  excite_friction: ['Friction terms to tell apart', '需区分的摩擦项'],
  'term.offset': ['offset', '偏置'],
  'term.coulomb': ['Coulomb', '库仑'],
  'term.viscous': ['viscous', '粘性'],
  'term.high_speed': ['high speed', '高速'],
  'term.sublinear': ['sublinear', '亚线性'],
  'term.load': ['load', '负载'],
  excite_rotors: ['With inertias of the rotors', '包含转子惯量'],
  tool_box: ['Box that the tool must not leave [m]; empty: none', '末端活动范围 [m]；留空：不限'],
  tool_least: ['least {axis}', '{axis} 最小'],
  tool_most: ['most {axis}', '{axis} 最大'],
  known: ['Logs that are held already: it looks for what they leave open', '已有日志：寻找其未覆盖的信息'],
  population: ['Population', '种群规模'],
  generations: ['Generations', '代数'],
  seed: ['Seed', '随机种子'],
  test_joints: ['Joints to test', '测试关节'],
  speeds: ['Speeds of each joint', '每关节速度数'],
  speed_least: ['Slowest, of the limit', '最低速度（占限制）'],
  speed_most: ['Fastest, of the limit', '最高速度（占限制）'],
  travel: ['Travel, of the range', '行程（占范围）'],
  cruise: ['Longest run [s]', '最长匀速时间 [s]'],
  excite_do: ['Plan it', '开始规划'],
})

const TERMS = ARMDYN_FRICTION_TERM_LIST_linear
const toggle = (list, one) => (list.includes(one) ? list.filter((other) => other !== one) : [...list, one])

// What both forms share.
const Form = ({ model, kind, request, children, more }) => html`<${AskForm} path=${`v1/robots/${model.name}/${kind}`} request=${request} does=${t('excite_do')}><div class="row begin">${children}</div>${more}</${AskForm}>`
const number = (draft, setDraft) => (key, label, rest) => html`<${Field} key=${key} label=${t(label)} hint=${rest?.hint}><input type="number" step="any" min="0" style=${{ width: '9rem' }} value=${draft[key]} onInput=${(e) => setDraft({ ...draft, [key]: e.target.value })} /></${Field}>`
// Of the fields that were filled in: numbers.
const numbers = (draft, names) => Object.fromEntries(names.filter((name) => draft[name] !== '').map((name) => [name, Number(draft[name])]))

export function NewExcitation({ model }) {
  const sets = useAnswer((signal) => get('v1/datasets', { robot: model.name, limit: 50 }, signal), [model.name])
  const [draft, setDraft] = useState({ duration: '20', harmonics: '5', base_frequency_hz: '', criterion: 'condition', friction: TERMS.slice(0, 3), rotor_inertia: false, box: Array(6).fill(''), cell: '', known: [], population: '60', generations: '120', seed: '1' })
  const field = number(draft, setDraft)
  const request = { ...numbers(draft, ['duration', 'harmonics', 'base_frequency_hz', 'population', 'generations', 'seed']), criterion: draft.criterion, friction: draft.friction, rotor_inertia: draft.rotor_inertia, known: draft.known }
  if (draft.box.some((one) => one !== '')) {
    const box = draft.box.map((one) => (one === '' ? null : Number(one)))
    request.tool_box = { min: box.slice(0, 3), max: box.slice(3) }
  }
  if (draft.cell) request.cell = draft.cell
  const more = html`
    <fieldset><legend>${t('excite_friction')}</legend><div class="row">${TERMS.map((term) => html`<${Check} key=${term} label=${t(`term.${term}`)} checked=${draft.friction.includes(term)} onChange=${() => setDraft({ ...draft, friction: toggle(draft.friction, term) })} />`)}
      <${Check} label=${t('excite_rotors')} checked=${draft.rotor_inertia} onChange=${(e) => setDraft({ ...draft, rotor_inertia: e.target.checked })} /></div></fieldset>
    <fieldset><legend>${t('tool_box')}</legend><div class="row">${draft.box.map((value, k) => html`<${Field} key=${k} label=${t(k < 3 ? 'tool_least' : 'tool_most', { axis: 'xyz'[k % 3] })}><input type="number" step="any" style=${{ width: '7rem' }} value=${value} onInput=${(e) => setDraft({ ...draft, box: draft.box.map((old, j) => (j === k ? e.target.value : old)) })} /></${Field}>`)}</div></fieldset>
    ${sets.value?.items.length > 0 && html`<fieldset><legend>${t('known')}</legend><div class="row">${sets.value.items.map((set) => html`<${Check} key=${set.id} label=${html`<bdi>${set.label || shortId(set.id)}</bdi>`} checked=${draft.known.includes(set.id)} onChange=${() => setDraft({ ...draft, known: toggle(draft.known, set.id) })} />`)}</div></fieldset>`}
    <div class="row">${field('population', 'population')}${field('generations', 'generations')}${field('seed', 'seed')}<${CellChoice} cell=${draft.cell} onCell=${(cell) => setDraft({ ...draft, cell })} /></div>`
  return html`<${Form} model=${model} kind="excitations" request=${request} more=${more}>${field('duration', 'duration_s')}${field('harmonics', 'harmonics')}${field('base_frequency_hz', 'base_frequency', { hint: t('base_frequency_hint') })}
    <${Field} label=${t('criterion')}><select value=${draft.criterion} onChange=${(e) => setDraft({ ...draft, criterion: e.target.value })}>${['condition', 'd_optimal'].map((one) => html`<option value=${one}>${t(`criterion.${one}`)}</option>`)}</select></${Field}></${Form}>`
}

export function NewFrictionTest({ model }) {
  const names = model.joints.map((joint) => joint.name)
  const [draft, setDraft] = useState({ joints: names, speeds: '36', speed_least: '0.01', speed_most: '0.9', travel: '0.8', cruise: '4', cell: '' })
  const field = number(draft, setDraft)
  const request = { ...numbers(draft, ['speeds', 'speed_least', 'speed_most', 'travel', 'cruise']), joints: draft.joints.length === names.length ? null : draft.joints }
  if (draft.cell) request.cell = draft.cell
  const more = html`<fieldset><legend>${t('test_joints')}</legend><div class="row">${names.map((name) => html`<${Check} key=${name} label=${html`<bdi>${name}</bdi>`} checked=${draft.joints.includes(name)} onChange=${() => setDraft({ ...draft, joints: names.filter((one) => toggle(draft.joints, name).includes(one)) })} />`)}</div></fieldset>`
  return html`<${Form} model=${model} kind="friction-tests" request=${request} more=${more}>${field('speeds', 'speeds')}${field('speed_least', 'speed_least')}${field('speed_most', 'speed_most')}${field('travel', 'travel')}${field('cruise', 'cruise')}<${CellChoice} cell=${draft.cell} onCell=${(cell) => setDraft({ ...draft, cell })} /></${Form}>`
}
