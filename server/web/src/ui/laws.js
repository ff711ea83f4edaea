// Control laws as people choose them: their words, the fields that ask for one, and the request of it.
import { html } from '../html.js'
import { extend, t } from '../words.js'
import { Num, numberOf } from './asking.js'
import { Field } from './parts.js'

extend({
  law: ['Law', '控制律'],
  'law.pid': ['PID', 'PID'],
  'law.pid_gravity': ['PID with gravity', 'PID + 重力补偿'],
  'law.pid_friction': ['PID with gravity and friction', 'PID + 重力与摩擦补偿'],
  'law.feedforward': ['PID with feed-forward', 'PID + 前馈'],
  'law.computed_torque': ['computed torque', '计算力矩'],
  'law.adaptive': ['adaptive (Slotine and Li)', '自适应（Slotine–Li）'],
  'law.impedance': ['impedance', '阻抗'],
  law_rate: ['Rate of the controller [Hz]', '控制频率 [Hz]'],
  law_bandwidth: ['Bandwidth [Hz]', '带宽 [Hz]'],
  law_stiffness: ['Stiffness [N/m]', '刚度 [N/m]'],
  law_turning: ['Stiffness [N m/rad]', '转动刚度 [N m/rad]'],
})

const LAWS = ['pid', 'pid_gravity', 'pid_friction', 'feedforward', 'computed_torque', 'adaptive', 'impedance']

export const NEW_LAW = { law: 'computed_torque', rate: '1000', bandwidth: '5', stiffness: '1000', turning: '50' }

export const controlOf = ({ law, rate, stiffness, turning }) => ({
  law, rate_hz: numberOf(rate), ...(law === 'impedance' && { stiffness: [...Array(3).fill(numberOf(stiffness)), ...Array(3).fill(numberOf(turning))] }),
})

// draft: as NEW_LAW; set(part of it)
export function LawFields({ draft, set }) {
  const num = (name, label, required) => html`<${Num} key=${name} label=${t(label)} min="0" required=${required} value=${draft[name]} onValue=${(value) => set({ [name]: value })} />`
  return html`<${Field} label=${t('law')}><select value=${draft.law} onChange=${(e) => set({ law: e.target.value })}>${LAWS.map((one) => html`<option key=${one} value=${one}>${t(`law.${one}`)}</option>`)}</select></${Field}>
    ${num('rate', 'law_rate', true)}${num('bandwidth', 'law_bandwidth')}${draft.law === 'impedance' && html`${num('stiffness', 'law_stiffness', true)}${num('turning', 'law_turning', true)}`}`
}
