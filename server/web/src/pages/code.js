// The equations of one robot as a program: chosen, made, read, copied, downloaded; and what was proven of those made before.
import { useRef, useState } from 'preact/hooks'
import { html } from '../html.js'
import { adjust, link, route } from '../route.js'
import { extend, t } from '../words.js'
import { get, post, save } from '../api.js'
import { session } from '../session.js'
import { Act, Check, Field, Head, Loading, Refusal, useAnswer } from '../ui/parts.js'
import { Table, useList } from '../ui/table.js'
import { figure, moment } from '../ui/format.js'

extend({
  code_text: ['Written out for this arm and no other: for a PLC, a controller, a paper. Each program is evaluated beside the service’s own numbers before it is shown.', '仅为此手臂写出的方程：用于 PLC、控制器或论文。每个程序在显示前都与服务自身的数值比对。'],
  code_function: ['Function', '函数'],
  code_language: ['Language', '语言'],
  code_dialect: ['Dialect', '方言'],
  code_precision: ['Precision', '精度'],
  code_parameters: ['Parameters', '参数'],
  code_terms: ['Terms', '项'],
  code_bound: ['May be off by [N m, N]', '允许误差 [N m, N]'],
  code_bound_hint: ['Empty: nothing is left out. One number, or one for each joint.', '留空：不省略任何项。一个数，或每个关节一个数。'],
  code_make: ['Write the program', '生成程序'],
  code_copy: ['Copy', '复制'],
  code_copied: ['Copied.', '已复制。'],
  code_save: ['Download', '下载'],
  code_operations: ['Operations', '运算次数'],
  code_counts: ['{multiplications} multiplications, {additions} additions, {sines} sines and cosines, {others} others', '乘法 {multiplications} 次，加法 {additions} 次，正余弦 {sines} 次，其他 {others} 次'],
  code_proof: ['Evaluated', '已验证'],
  code_proven: ['{states} random states, at most {difference} off; the largest entry was {entry}', '{states} 个随机状态，最大偏差 {difference}；最大值 {entry}'],
  code_left_out: ['Left out', '省略的项'],
  code_left: ['{terms} terms; at most {torque} N m (N) off', '{terms} 项；偏差至多 {torque} N m（N）'],
  code_note: ['What was evaluated is the list of operations that the text is printed from. Run the test that comes with it where it will be used.', '验证的是生成文本所用的运算序列。请在实际使用处运行附带的测试。'],
  code_kept: ['Proofs that were kept', '保存的验证结果'],
  'function.inverse_dynamics': ['Inverse dynamics', '逆动力学'],
  'function.gravity': ['Gravity', '重力'],
  'function.friction': ['Friction', '摩擦'],
  'function.mass_matrix': ['Mass matrix', '质量矩阵'],
  'function.coriolis': ['Coriolis and centrifugal torque', '科氏力与离心力矩'],
  'function.forward_kinematics': ['Forward kinematics', '正运动学'],
  'function.jacobian': ['Jacobian', '雅可比矩阵'],
  'function.regressor': ['Regressor', '回归矩阵'],
  'function.collision_observer': ['Collision observer', '碰撞观测器'],
  'function.payload_torque': ['Torque of a payload', '负载力矩'],
  'language.c': ['C', 'C'],
  'language.structured_text': ['Structured text (PLC)', '结构化文本（PLC）'],
  'language.python': ['Python', 'Python'],
  'language.matlab': ['Matlab, Octave', 'Matlab、Octave'],
  'language.latex': ['LaTeX', 'LaTeX'],
  'language.text': ['Text to read', '可读文本'],
  'parameters.folded': ['numbers in the program', '程序中的数值'],
  'parameters.symbols': ['standard parameters as an input', '标准参数作为输入'],
  'parameters.base': ['base parameters as an input', '基参数作为输入'],
  'term.inertial': ['inertia', '惯性'],
  'term.coriolis': ['Coriolis', '科氏力'],
  'term.gravity': ['gravity', '重力'],
  'term.friction': ['friction', '摩擦'],
})

const FUNCTIONS = ['gravity', 'inverse_dynamics', 'friction', 'coriolis', 'mass_matrix', 'forward_kinematics', 'jacobian', 'regressor', 'collision_observer', 'payload_torque']
const TORQUES = FUNCTIONS.slice(0, 4) // that may leave something out
const LANGUAGES = ['structured_text', 'c', 'python', 'matlab', 'latex', 'text']
const DIALECTS = { codesys: 'CODESYS', twincat: 'TwinCAT', siemens: 'Siemens SCL' }
const PRECISIONS = { float64: 'float64 (LREAL)', float32: 'float32 (REAL)' }
const PARAMETERS = ['folded', 'symbols', 'base']
const TERMS = ['inertial', 'coriolis', 'gravity', 'friction']
const PLAIN = { function: 'gravity', language: 'structured_text', dialect: 'codesys', precision: 'float64', parameters: 'folded', terms: TERMS, bound: '' }

const mayBound = (form) => TORQUES.includes(form.function) && form.parameters === 'folded'
const narrow = (form) => ['c', 'structured_text'].includes(form.language)

function requestOf(form) {
  const bound = form.bound.split(/[\s,;]+/).filter(Boolean).map(Number)
  return {
    functions: [form.function], language: form.language, parameters: form.parameters,
    ...(form.language === 'structured_text' && { dialect: form.dialect }),
    ...(narrow(form) && { precision: form.precision }),
    ...(form.function === 'inverse_dynamics' && form.terms.length < TERMS.length && { terms: form.terms }),
    ...(mayBound(form) && bound.length > 0 && { error_bound: bound.length > 1 ? bound : bound[0] }),
  }
}

const Choice = ({ label, value, of, onPick }) => html`<${Field} label=${label}><select value=${value} onChange=${(e) => onPick(e.target.value)}>
  ${Object.entries(of).map(([name, words]) => html`<option key=${name} value=${name}>${words}</option>`)}</select></${Field}>`
const worded = (names, group) => Object.fromEntries(names.map((name) => [name, t(`${group}.${name}`)]))

function Source({ file }) {
  const at = useRef()
  const [copied, setCopied] = useState(false)
  const copy = () => {
    getSelection().selectAllChildren(at.current)
    document.execCommand('copy') // navigator.clipboard is there only over HTTPS; the event below tells that it was done
  }
  return html`<section class="panel"><div class="head"><h2><code>${file.name}</code></h2><div class="row">
      ${copied && html`<span role="status">${t('code_copied')}</span>`}
      <button type="button" onClick=${copy}>${t('code_copy')}</button>
      <button type="button" onClick=${() => save(file.name, file.source, 'text/plain')}>${t('code_save')}</button></div></div>
    <pre class="code" tabindex="0" aria-label=${file.name} style=${{ maxHeight: '60vh', overflow: 'auto', whiteSpace: 'pre' }} ref=${at} onCopy=${() => setCopied(true)}>${file.source}</pre></section>`
}

const torqueOf = (left) => left.torque.map((one) => figure(one, 3)).join(', ')

function Made({ answer }) {
  const [program] = answer.programs
  const { operations, proof, left_out: left } = program
  return html`
    <section class="panel"><h2><code>${program.signature || program.function}</code></h2><dl>
      <dt>${t('code_operations')}</dt><dd>${t('code_counts', operations)}</dd>
      ${left && html`<dt>${t('code_left_out')}</dt><dd>${t('code_left', { terms: left.terms, torque: torqueOf(left) })}</dd>`}
      <dt>${t('code_proof')}</dt><dd>${t('code_proven', { states: proof.states, difference: figure(proof.largest_difference, 2), entry: figure(proof.largest_entry, 3) })}</dd></dl>
      <p class="quiet">${t('code_note')}</p></section>
    ${answer.files.map((file) => html`<${Source} key=${file.name + file.source.length} file=${file} />`)}`
}

function Kept({ name, turn }) {
  const list = useList(`v1/robots/${encodeURIComponent(name)}/code`, { limit: 50 }, 0, turn)
  const all = (item, of) => item.programs.map(of).join(', ')
  return html`<section class="panel"><h2>${t('code_kept')}</h2><${Refusal} error=${list.error} />
    <${Table} caption=${t('code_kept')} id=${(item) => item.id} items=${list.items} list=${list} columns=${[
      { key: 'created', head: t('created'), class: 'tight', cell: (item) => moment(item.created_at) },
      { key: 'revision', head: t('revision'), number: true, cell: (item) => item.revision },
      { key: 'function', head: t('code_function'), cell: (item) => all(item, (one) => t(`function.${one.function}`)) },
      { key: 'language', head: t('code_language'), cell: (item) => t(`language.${item.request.language}`) },
      { key: 'left', head: t('code_left_out'), number: true, cell: (item) => all(item, (one) => one.left_out?.terms ?? '–') },
      { key: 'difference', head: t('code_proof'), number: true, cell: (item) => all(item, (one) => figure(one.proof.largest_difference, 2)) },
    ]} /></section>`
}

function One({ name }) {
  const revision = route.value.query.get('revision')
  const [form, setForm] = useState({ ...PLAIN, ...(FUNCTIONS.includes(route.value.query.get('function')) && { function: route.value.query.get('function') }) })
  const [made, setMade] = useState({ turn: 0 })
  const robot = useAnswer((signal) => get(`v1/robots/${encodeURIComponent(name)}${revision ? `/revisions/${revision}` : ''}`, {}, signal), [name, revision])
  if (!robot.value) return html`<${Refusal} error=${robot.error} /><${Loading} error=${robot.error} />`
  const pick = (key) => (value) => {
    setForm({ ...form, [key]: value })
    if (key === 'function') adjust({ function: value })
  }
  const make = async (e) => {
    e.preventDefault()
    setMade({ ...made, busy: true })
    try {
      const answer = await post(`v1/robots/${encodeURIComponent(name)}/code`, requestOf(form), { query: { revision: robot.value.revision } })
      setMade({ answer, turn: made.turn + 1 })
    } catch (error) {
      setMade({ error, turn: made.turn })
    }
  }
  const toggled = (term) => TERMS.filter((one) => (one === term) !== form.terms.includes(one))
  return html`
    <${Head} title=${`${t('page.code')}: ${name} r${robot.value.revision}`} sub=${t('code_text')}><a class="button" href=${link(['robots', name], revision ? { revision } : {})}>${t('robot')}</a></${Head}>
    <form class="panel" onSubmit=${make}>
      <div class="row">
        <${Choice} label=${t('code_function')} value=${form.function} of=${worded(FUNCTIONS, 'function')} onPick=${pick('function')} />
        <${Choice} label=${t('code_language')} value=${form.language} of=${worded(LANGUAGES, 'language')} onPick=${pick('language')} />
        ${form.language === 'structured_text' && html`<${Choice} label=${t('code_dialect')} value=${form.dialect} of=${DIALECTS} onPick=${pick('dialect')} />`}
        ${narrow(form) && html`<${Choice} label=${t('code_precision')} value=${form.precision} of=${PRECISIONS} onPick=${pick('precision')} />`}
        <${Choice} label=${t('code_parameters')} value=${form.parameters} of=${worded(PARAMETERS, 'parameters')} onPick=${pick('parameters')} />
      </div>
      ${form.function === 'inverse_dynamics' && html`<fieldset><legend>${t('code_terms')}</legend><div class="row">${TERMS.map((term) => html`
        <${Check} key=${term} label=${t(`term.${term}`)} checked=${form.terms.includes(term)} onChange=${() => pick('terms')(toggled(term))} />`)}</div></fieldset>`}
      ${mayBound(form) && html`<${Field} label=${t('code_bound')} hint=${t('code_bound_hint')}><input inputmode="decimal" pattern="[0-9.eE+\\-\\s,;]*" value=${form.bound} onInput=${(e) => pick('bound')(e.target.value)} /></${Field}>`}
      <${Refusal} error=${made.error} />
      <div class="row"><${Act} type="submit" class="main" role="operator" busy=${made.busy}>${t('code_make')}</${Act}></div>
    </form>
    ${made.answer && html`<${Made} answer=${made.answer} />`}
    <${Kept} name=${name} turn=${made.turn} />`
}

export const Page = ({ path }) => html`<${One} key=${path[1]} name=${path[1] ?? ''} />`
