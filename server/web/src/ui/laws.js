// Control laws as people choose them: their words, the fields that ask for one, and the request of it.
import { html } from '../html.js'
import { extend, t } from '../words.js'
import { Num, numberOf } from './asking.js'
import { Field } from './parts.js'
import { GainFields, NEW_GAINS, gainsOf } from './schedules.js'
import { ARMDYN_LAW_LIST } from 'virtual:lists'

extend({
  law: ['Law', '控制律'],
  'law.pid': ['PID', 'PID'],
  'law.pid_gravity': ['PID with gravity', 'PID + 重力补偿'],
  'law.pid_friction': ['PID with gravity and friction', 'PID + 重力与摩擦补偿'],
  'law.feedforward': ['PID with feed-forward', 'PID + 前馈'],
  'law.computed_torque': ['computed torque', '计算力矩'],
  'law.adaptive': ['adaptive (Slotine and Li)', '自适应（Slotine–Li）'],
  'law.impedance': ['impedance', '阻抗'],
  'law.joint_impedance': ['joint impedance', '关节阻抗'],
  'law.cartesian_impedance': ['tool impedance with an inertia', '笛卡尔阻抗（含期望惯量）'],
  'law.layered': ['layered: model ahead, slow learning', '分层：模型前馈，慢速学习'],
  'law.force': ['force', '力控制'],
  'law.hybrid': ['force along z, position else', '沿 z 力控，其余位置控制'],
  law_push: ['The tool pushes along z of the base [N]', '工具沿基座 z 轴的推力 [N]'],
  law_rate: ['Rate of the controller [Hz]', '控制频率 [Hz]'],
  law_bandwidth: ['Bandwidth [Hz]', '带宽 [Hz]'],
  law_stiffness: ['Stiffness [N/m]', '刚度 [N/m]'],
  law_turning: ['Stiffness [N m/rad]', '转动刚度 [N m/rad]'],
})

const SPRINGS = ['impedance', 'cartesian_impedance', 'hybrid'] // at the tool
const PUSHES = ['force', 'hybrid']

export const NEW_LAW = { law: 'computed_torque', rate: '1000', bandwidth: '5', stiffness: '1000', turning: '50', push: '-10', ...NEW_GAINS }

export const controlOf = ({ law, rate, stiffness, turning, push, ...draft }) => ({
  law, rate_hz: numberOf(rate), ...(SPRINGS.includes(law) && { stiffness: [...Array(3).fill(numberOf(stiffness)), ...Array(3).fill(numberOf(turning))] }),
  ...(PUSHES.includes(law) && { force: [0, 0, numberOf(push), 0, 0, 0] }), ...(law === 'hybrid' && { selection: [0, 0, 1, 0, 0, 0] }),
  ...gainsOf({ law, ...draft }), // of a tuning it is all, but for the rate that was typed
})

// draft: as NEW_LAW; set(part of it); laws: those to choose from; bandwidth: is it asked for?; sorts: of gains
export function LawFields({ model, draft, set, laws = ARMDYN_LAW_LIST, bandwidth = true, sorts }) {
  const num = (name, label, required, min = '0') => html`<${Num} key=${name} label=${t(label)} min=${min} required=${required} value=${draft[name]} onValue=${(value) => set({ [name]: value })} />`
  const choose = (law) => set({ law, ...(draft.gains === 'tuning' && { gains: 'bandwidth' }) })
  const tuned = draft.gains === 'tuning' // all is the tuning's
  return html`<${Field} label=${t('law')}><select value=${draft.law} onChange=${(e) => choose(e.target.value)}>${laws.map((one) => html`<option key=${one} value=${one}>${t(`law.${one}`)}</option>`)}</select></${Field}>
    ${!tuned && html`${num('rate', 'law_rate', true)}${bandwidth && num('bandwidth', 'law_bandwidth')}${SPRINGS.includes(draft.law) && html`${num('stiffness', 'law_stiffness', true)}${num('turning', 'law_turning', true)}`}${PUSHES.includes(draft.law) && num('push', 'law_push', true, '-1000000')}`}
    <${GainFields} model=${model} draft=${draft} set=${set} sorts=${sorts} />`
}
