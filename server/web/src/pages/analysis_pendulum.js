// A body that swings: what was weighed and timed, and the inertia that it tells, with what its deviation comes from.
import { useState } from 'preact/hooks'
import { html } from '../html.js'
import { angles } from '../session.js'
import { useUnsaved } from '../route.js'
import { extend, t } from '../words.js'
import { post } from '../api.js'
import { Act, Field, Refusal } from '../ui/parts.js'
import { Bars } from '../ui/bars.js'
import { numberOf } from '../ui/asking.js'
import { DEGREES } from '../ui/pose.js'
import { figure, plusMinus } from '../ui/format.js'

extend({
  pendulum_measured: ['What was measured', '测量值'],
  pendulum_value: ['value', '数值'],
  pendulum_deviation: ['± deviation', '± 标准差'],
  pendulum_mass: ['Mass of the body [kg]', '物体质量 [kg]'],
  pendulum_distance: ['From the axis to the centre of mass [m]', '转轴到质心的距离 [m]'],
  pendulum_first: ['Amplitude of the first swing [{unit}]', '首次摆动幅值 [{unit}]'],
  pendulum_last: ['Amplitude of the last one [{unit}]', '末次摆动幅值 [{unit}]'],
  pendulum_gravity: ['Free fall there [m/s²]', '当地重力加速度 [m/s²]'],
  pendulum_swings: ['Swings in each time, there and back', '每次计时的往返摆动次数'],
  pendulum_times: ['Times that so many swings took [s]', '各次计时 [s]'],
  pendulum_times_hint: ['with spaces between', '以空格分隔'],
  pendulum_times_wrong: ['Numbers greater than 0 with spaces between, 100 at most', '大于 0 的数，以空格分隔，最多 100 个'],
  pendulum_decay: ['It dies out', '衰减方式'],
  'decay.viscous': ['by a ratio: air, grease', '按比例：空气、润滑脂'],
  'decay.dry': ['by a step: a bearing with seals', '按等差：带密封的轴承'],
  pendulum_reduce: ['What it tells', '计算惯量'],
  pendulum_told: ['What it tells', '结果'],
  pendulum_com: ['Inertia about its centre of mass, along the axis [kg m²]', '绕过质心且平行于转轴的惯量 [kg m²]'],
  pendulum_axis: ['Inertia about the axis [kg m²]', '绕转轴的惯量 [kg m²]'],
  pendulum_gyration: ['Radius of gyration about the centre [m]', '绕质心的回转半径 [m]'],
  pendulum_time: ['Mean of the times [s]', '平均计时 [s]'],
  pendulum_period: ['A swing as timed [s]', '实测周期 [s]'],
  pendulum_small: ['A small one without damping [s]', '无阻尼小幅周期 [s]'],
  pendulum_damping: ['Damping ratio', '阻尼比'],
  pendulum_viscous: ['Viscous friction [N m s/rad]', '粘性摩擦 [N m s/rad]'],
  pendulum_coulomb: ['Dry friction [N m]', '干摩擦 [N m]'],
  pendulum_shares: ['What the deviation comes from', '标准差的来源'],
  'share.mass': ['mass', '质量'],
  'share.distance': ['distance', '距离'],
  'share.times': ['times', '计时'],
  'share.amplitude_first': ['first amplitude', '首次幅值'],
  'share.amplitude_last': ['last amplitude', '末次幅值'],
  'share.gravity': ['free fall', '重力加速度'],
})

// Figures with a deviation: member of the request, its words, and whether it is an angle or may be left out.
const FIGURES = [['mass', 'pendulum_mass'], ['distance', 'pendulum_distance'], ['amplitude_first', 'pendulum_first', { angle: true }], ['amplitude_last', 'pendulum_last', { angle: true }], ['gravity', 'pendulum_gravity', { optional: true }]]
const BEGIN = { ...Object.fromEntries(FIGURES.map(([name]) => [name, ['', '']])), swings: '20', times: '', decay: 'viscous' }

const timesOf = (text) => text.split(/[\s,;]+/).filter(Boolean).map(Number)
const areTimes = (times) => times.length > 0 && times.length <= 100 && times.every((time) => time > 0 && Number.isFinite(time))

function requestOf(form) {
  const figures = FIGURES.filter(([name]) => form[name][0] !== '').map(([name, , { angle } = {}]) => {
    const [value, deviation] = form[name].map((text) => (text === '' ? undefined : numberOf(text) / (angle && angles.value === 'deg' ? DEGREES : 1)))
    return [name, deviation === undefined ? value : { value, deviation }]
  })
  return { ...Object.fromEntries(figures), swings: Number(form.swings), times: timesOf(form.times), decay: form.decay }
}

const Figure = ({ name, label, optional, value: [value, deviation], onValue }) => html`<tr><th scope="row">${label}</th>
  <td><input type="number" step="any" min="0" required=${!optional} placeholder=${optional ? '9.81' : undefined} style=${{ width: '9rem' }} aria-label=${label} value=${value} onInput=${(e) => onValue([e.target.value, deviation])} /></td>
  <td><input type="number" step="any" min="0" style=${{ width: '9rem' }} aria-label=${`${label}, ${t('pendulum_deviation')}`} name=${name} value=${deviation} onInput=${(e) => onValue([value, e.target.value])} /></td></tr>`

function Told({ told }) {
  const estimate = (one) => plusMinus(one.value, one.deviation)
  const facts = [['pendulum_com', html`<strong>${estimate(told.inertia_com)}</strong>`], ['pendulum_axis', estimate(told.inertia_axis)], ['pendulum_gyration', figure(told.radius_of_gyration)], ['pendulum_time', estimate(told.time)],
    ['pendulum_period', figure(told.period, 6)], ['pendulum_small', figure(told.period_small, 6)], ['pendulum_damping', told.damping && figure(told.damping, 3)], ['pendulum_viscous', told.viscous && figure(told.viscous, 3)], ['pendulum_coulomb', told.coulomb && figure(told.coulomb, 3)]]
  const shares = Object.entries(told.shares).filter(([, share]) => share > 0)
  return html`<section class="panel"><h2>${t('pendulum_told')}</h2><div class="grid"><dl class="facts">${facts.filter(([, value]) => value).map(([name, value]) => html`<dt key=${name}>${t(name)}</dt><dd>${value}</dd>`)}</dl>
    ${shares.length > 0 && html`<${Bars} title=${t('pendulum_shares')} unit="%" rows=${shares.map(([name, share]) => ({ label: t(`share.${name}`), bars: [{ value: 100 * share, index: 0 }] }))} />`}</div></section>`
}

export function PendulumTest() {
  const [form, set] = useState(BEGIN)
  const [told, tell] = useState(null) // { value } or { error }, of what was asked
  useUnsaved(form !== BEGIN && !told?.value)
  const change = (part) => {
    set({ ...form, ...part })
    tell(null)
  }
  const send = (event) => {
    event.preventDefault()
    post('v1/pendulum-tests', requestOf(form)).then((value) => tell({ value }), (error) => tell({ error }))
  }
  const wrong = form.times && !areTimes(timesOf(form.times)) ? t('pendulum_times_wrong') : ''
  return html`<form class="panel stack" onSubmit=${send}><h2>${t('pendulum_measured')}</h2>
    <div class="scroll" tabindex="0" role="region" aria-label=${t('pendulum_measured')}><table><thead><tr><td></td><th scope="col">${t('pendulum_value')}</th><th scope="col">${t('pendulum_deviation')}</th></tr></thead>
      <tbody>${FIGURES.map(([name, label, { angle, optional } = {}]) => html`<${Figure} key=${name} name=${name} label=${t(label, angle && { unit: angles.value === 'deg' ? '°' : 'rad' })} optional=${optional} value=${form[name]} onValue=${(pair) => change({ [name]: pair })} />`)}</tbody></table></div>
    <div class="row begin"><${Field} label=${t('pendulum_swings')}><input type="number" required min="1" max="10000" style=${{ width: '9rem' }} value=${form.swings} onInput=${(e) => change({ swings: e.target.value })} /></${Field}>
      <${Field} label=${t('pendulum_times')} hint=${t('pendulum_times_hint')}><input required size="36" placeholder="18.52 18.55 18.53" value=${form.times} ref=${(at) => at?.setCustomValidity(wrong)} onInput=${(e) => change({ times: e.target.value })} /></${Field}>
      <${Field} label=${t('pendulum_decay')}><select value=${form.decay} onChange=${(e) => change({ decay: e.target.value })}>${['viscous', 'dry'].map((one) => html`<option key=${one} value=${one}>${t(`decay.${one}`)}</option>`)}</select></${Field}>
      <${Field} label=${t('angles')}><select value=${angles.value} onChange=${(e) => (angles.value = e.target.value)}><option value="rad">rad</option><option value="deg">°</option></select></${Field}></div>
    <${Refusal} error=${told?.error} />
    <div class="row end"><${Act} type="submit" class="main" role="operator">${t('pendulum_reduce')}</${Act}></div></form>
    ${told?.value && html`<${Told} told=${told.value} />`}`
}
