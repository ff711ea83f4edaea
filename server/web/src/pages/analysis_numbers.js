// Every matrix of the dynamics at one state, to be held against another program, or taken into one. The state is in the address.
import { html } from '../html.js'
import { adjust, route } from '../route.js'
import { extend, t } from '../words.js'
import { post, save } from '../api.js'
import { Act, Field, Loading, Refusal, useAnswer } from '../ui/parts.js'
import { Typed } from '../ui/typed.js'
import { unitOf } from '../ui/joints.js'
import { figure } from '../ui/format.js'

extend({
  numbers_state: ['State', '状态'],
  numbers_torque: ['Torques, by cause', '力矩及其构成'],
  numbers_what: ['Quantity', '量'],
  numbers_wrench: ['On the tool [N, N m]', '末端受力 [N, N m]'],
  numbers_python: ['For NumPy', '导出 NumPy'],
  numbers_json: ['JSON', 'JSON'],
  numbers_tau_hint: ['Where a torque is empty, forward dynamics and the linear model take the one that the state needs.', '力矩留空时，正动力学与线性模型取该状态所需的力矩。'],
  'number.mass-matrix': ['Mass matrix M', '质量矩阵 M'],
  'number.coriolis': ['Coriolis matrix C', '科氏矩阵 C'],
  'number.jacobian': ['Jacobian J of the tool', '末端雅可比矩阵 J'],
  'number.forward-kinematics': ['Poses, velocities, accelerations', '位姿、速度与加速度'],
  'number.forward-dynamics': ['Forward dynamics', '正动力学'],
  'number.energy': ['Energy and momentum', '能量与动量'],
  'number.statics': ['Load of the joints at rest', '静态关节载荷'],
  'number.derivatives': ['Derivatives of the torque', '力矩的导数'],
  'number.linearize': ['Linear model A, B', '线性化模型 A、B'],
  'number.regressor': ['Regressor Y', '回归矩阵 Y'],
  'number.base-parameters': ['Base parameters', '基参数'],
  'cause.inertial': ['M q̈', 'M q̈'],
  'cause.coriolis': ['C q̇', 'C q̇'],
  'cause.gravity': ['gravity', '重力'],
  'cause.friction': ['friction', '摩擦'],
  'cause.external': ['−Jᵀ f', '−Jᵀ f'],
})

// What each call is asked of the state. To add one: a row.
const ASKED = {
  'mass-matrix': ({ q }) => ({ q }),
  coriolis: ({ q, qd }) => ({ q, qd }),
  jacobian: ({ q, qd }) => ({ q, qd }),
  'forward-kinematics': ({ q, qd, qdd }) => ({ q, qd, qdd }),
  'forward-dynamics': ({ q, qd, tau, wrench }) => ({ q, qd, tau, wrench }),
  energy: ({ q, qd }) => ({ q, qd }),
  statics: ({ q, wrench }) => ({ q, wrench }),
  derivatives: ({ q, qd, qdd, wrench }) => ({ q, qd, qdd, wrench }),
  linearize: ({ q, qd, tau, wrench }) => ({ q, qd, tau, wrench }),
  regressor: ({ q, qd, qdd }) => ({ q, qd, qdd }),
  'base-parameters': () => ({}),
}
const MOTION = ['q', 'qd', 'qdd'], CAUSES = ['inertial', 'coriolis', 'gravity', 'friction', 'external']
const WRENCH = ['fx', 'fy', 'fz', 'mx', 'my', 'mz'], TWIST = ['vx', 'vy', 'vz', 'wx', 'wy', 'wz']

// What stands at the rows and columns of members of answers; of others their numbers do. To add one: a row.
const AXES = { mass_matrix: ['joints', 'joints'], coriolis_matrix: ['joints', 'joints'], coriolis_torque: [, 'joints'], jacobian: ['twist', 'joints'], jacobian_dot_qd: [, 'twist'], tool_velocity: [, 'twist'], tool_acceleration: [, 'twist'], link_velocities: ['joints', 'twist'],
  link_accelerations: ['joints', 'twist'], qdd: [, 'joints'], tau: [, 'joints'], joint_wrenches: ['joints', 'wrench'], dtau_dq: ['joints', 'joints'], dtau_dqd: ['joints', 'joints'], a: ['state', 'state'], b: ['state', 'joints'], regressor: ['joints', 'parameters'] }

const isVector = (value) => Array.isArray(value) && value.every((one) => typeof one === 'number')
const isMatrix = (value) => Array.isArray(value) && value.length > 0 && value.every(isVector)

const namesOf = (axis, length, joints, parameters) => ({ joints, parameters, twist: TWIST, wrench: WRENCH, state: [...joints, ...joints.map((name) => `d/dt ${name}`)] }[axis] ?? Array.from({ length }, (_, k) => k + 1))

function Matrix({ name, rows, across, joints }) {
  const [down, along] = [rows.length, rows[0].length].map((length, k) => namesOf(AXES[name]?.[k], length, joints, across))
  return html`<figure><figcaption><code>${name}</code></figcaption><div class="scroll" tabindex="0" role="region" aria-label=${name}><table aria-label=${name}>
    <thead><tr><td></td>${along.map((one, k) => html`<th key=${k} scope="col" class="number"><bdi>${one}</bdi></th>`)}</tr></thead>
    <tbody>${rows.map((row, k) => html`<tr key=${k}><th scope="row"><bdi>${rows.length > 1 ? down[k] : ''}</bdi></th>${row.map((value, c) => html`<td key=${c} class="number" title=${value}>${figure(value, 6)}</td>`)}</tr>`)}</tbody></table></div></figure>`
}

// Any member of an answer, as a number, a row, a matrix, or several of them.
function Value({ name, value, across, joints }) {
  if (value === null) return null
  if (typeof value === 'number') return html`<p><code>${name}</code> = ${figure(value, 8)}</p>`
  if (isVector(value)) return value.length > 0 && html`<${Matrix} name=${name} rows=${[value]} across=${across} joints=${joints} />`
  if (isMatrix(value)) return html`<${Matrix} name=${name} rows=${value} across=${across} joints=${joints} />`
  if (Array.isArray(value) && value[0]?.expression) return html`<table aria-label=${name}><tbody>${value.map((one) => html`<tr key=${one.expression}><td class="wide"><code>${one.expression}</code></td><td class="number">${figure(one.value, 6)}</td></tr>`)}</tbody></table>`
  if (typeof value === 'string' || (Array.isArray(value) && typeof value[0] === 'string')) return null // names of columns
  return Object.entries(value).map(([part, one]) => html`<${Value} key=${part} name=${Array.isArray(value) ? `${name}[${part}]` : `${name}.${part}`} value=${one} joints=${joints} />`)
}

// Numbers as a program of Python's takes them, with all their digits.
const pythonOf = (all) => `import numpy as np\n\n${Object.entries(all).filter(([, value]) => value !== null && typeof value !== 'string').map(([name, value]) => `${name} = ${isVector(value) || isMatrix(value) || (Array.isArray(value) && value.every(isMatrix)) ? `np.array(${JSON.stringify(value)})` : JSON.stringify(value)}`).join('\n')}\n`

const SIGNS = { q: 'q', qd: 'q̇', qdd: 'q̈', tau: 'τ' }, PER = { q: '', qd: '/s', qdd: '/s²' }
const unitIn = (name, joint) => (name === 'tau' ? unitOf(joint, 'torque') : `${unitOf(joint)}${PER[name]}`)

function State({ model, typed, torques, onState }) {
  const set = (name, j, text) => onState(name, typed[name].map((old, k) => (k === j ? text : old)))
  const cell = (name, joint, j) => html`<td key=${name}><${Typed} style=${{ width: '8rem' }} aria-label=${`${name} ${joint.name} [${unitIn(name, joint)}]`} placeholder=${name === 'tau' && torques ? figure(torques[j], 6) : '0'}
    value=${typed[name][j]} onValue=${(text) => set(name, j, text)} /> <span class="quiet">${unitIn(name, joint)}</span></td>`
  return html`<div class="scroll" tabindex="0" role="region" aria-label=${t('numbers_state')}><table aria-label=${t('numbers_state')}><thead><tr><th scope="col">${t('joint')}</th>${Object.values(SIGNS).map((sign) => html`<th key=${sign} scope="col">${sign}</th>`)}</tr></thead>
    <tbody>${model.joints.map((joint, j) => html`<tr key=${joint.name}><th scope="row"><bdi>${joint.name}</bdi></th>${Object.keys(SIGNS).map((name) => cell(name, joint, j))}</tr>`)}</tbody></table></div>
    <fieldset><legend>${t('numbers_wrench')}</legend><div class="row">${WRENCH.map((one, k) => html`<${Field} key=${one} label=${one}><${Typed} style=${{ width: '7rem' }} placeholder="0" value=${typed.wrench[k]} onValue=${(text) => set('wrench', k, text)} /></${Field}>`)}</div></fieldset>`
}

function Torques({ found, joints }) {
  const causes = CAUSES.filter((cause) => found[cause])
  return html`<section class="panel"><h2>${t('numbers_torque')}</h2><div class="scroll" tabindex="0" role="region" aria-label=${t('numbers_torque')}><table aria-label=${t('numbers_torque')}>
    <thead><tr><th scope="col">${t('joint')}</th><th scope="col" class="number">τ</th>${causes.map((cause) => html`<th key=${cause} scope="col" class="number">${t(`cause.${cause}`)}</th>`)}</tr></thead>
    <tbody>${joints.map((name, j) => html`<tr key=${name}><th scope="row"><bdi>${name}</bdi></th><td class="number" title=${found.tau[j]}><strong>${figure(found.tau[j], 6)}</strong></td>${causes.map((cause) => html`<td key=${cause} class="number">${figure(found[cause][j], 6)}</td>`)}</tr>`)}</tbody></table></div></section>`
}

export function Numbers({ model }) {
  const { query } = route.value
  const joints = model.joints.map(({ name }) => name)
  const read = (name, length) => Array.from({ length }, (_, k) => query.get(name)?.split(',')[k] ?? '')
  const typed = { ...Object.fromEntries([...MOTION, 'tau'].map((name) => [name, read(name, joints.length)])), wrench: read('wrench', 6) }
  const state = Object.fromEntries(Object.entries(typed).map(([name, texts]) => [name, texts.map(Number)]))
  const what = ASKED[query.get('what')] ? query.get('what') : 'mass-matrix'
  const of = `v1/robots/${encodeURIComponent(model.name)}`
  const key = JSON.stringify([model.name, typed])
  const torque = useAnswer((signal) => post(`${of}/inverse-dynamics`, { ...ASKED.derivatives(state), decompose: true }, { signal }), [key])
  const needed = torque.value && typed.tau.map((text, j) => (text === '' ? torque.value.tau[j] : Number(text)))
  const answer = useAnswer(async (signal) => needed && { what, request: ASKED[what]({ ...state, tau: needed }), found: await post(`v1/robots/${encodeURIComponent(model.name)}/${what}`, ASKED[what]({ ...state, tau: needed }), { signal }) }, [key, what, !needed, JSON.stringify(needed)])
  const got = answer.value?.what === what ? answer.value : null
  const { revision, ...found } = got?.found ?? {}
  const all = { ...got?.request, ...found }
  return html`<section class="panel stack"><h2>${t('numbers_state')}</h2><${State} model=${model} typed=${typed} torques=${torque.value?.tau} onState=${(name, texts) => adjust({ [name]: texts.some((text) => text !== '') ? texts.join() : null })} /><p class="quiet">${t('numbers_tau_hint')}</p></section>
    <${Refusal} error=${torque.error ?? answer.error} />
    ${torque.value && html`<${Torques} found=${torque.value} joints=${joints} />`}
    <section class="panel stack"><div class="row"><${Field} label=${t('numbers_what')}><select value=${what} onChange=${(e) => adjust({ what: e.target.value })}>${Object.keys(ASKED).map((one) => html`<option key=${one} value=${one}>${t(`number.${one}`)}</option>`)}</select></${Field}>
        <${Act} disabled=${!got} onClick=${() => save(`${model.name}-${what}.py`, pythonOf(all), 'text/x-python')}>${t('numbers_python')}</${Act}><${Act} disabled=${!got} onClick=${() => save(`${model.name}-${what}.json`, JSON.stringify(all, null, 1), 'application/json')}>${t('numbers_json')}</${Act}></div>
      ${got ? Object.entries(found).map(([name, value]) => html`<${Value} key=${name} name=${name} value=${value} across=${found.parameters} joints=${joints} />`) : html`<${Loading} error=${torque.error ?? answer.error} />`}</section>`
}
