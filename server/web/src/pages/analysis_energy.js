// The electrical energy of one cycle of a motion or a log: predicted beside measured, by cause and by drive.
import { useState } from 'preact/hooks'
import { html } from '../html.js'
import { extend, t } from '../words.js'
import { post } from '../api.js'
import { Bars } from '../ui/bars.js'
import { Field, Loading, Notice, Refusal, useAnswer } from '../ui/parts.js'
import { Source, useSource } from '../ui/source.js'
import { Table } from '../ui/table.js'
import { Tile } from '../ui/results.js'
import { Typed } from '../ui/typed.js'
import { figure, percent } from '../ui/format.js'
import { sentence } from '../ui/sentences.js'

extend({
  estimate_regeneration: ['What becomes of braking power', '制动能量去向'],
  'regeneration.none': ['each drive burns its own', '各驱动自行消耗'],
  'regeneration.shared_bus': ['drives use each other\'s', '驱动间共用直流母线'],
  'regeneration.grid': ['fed back to the grid', '回馈电网'],
  estimate_efficiency: ['Efficiency of feeding back', '回馈效率'],
  estimate_predicted: ['Predicted', '预测'],
  estimate_measured: ['Measured', '实测'],
  estimate_difference: ['Predicted over measured', '预测与实测之差'],
  estimate_cycles: ['1,000 cycles', '1000 次循环'],
  estimate_cause: ['By cause [J]', '按原因 [J]'],
  estimate_drive: ['By drive', '按驱动'],
  estimate_drawn: ['Drawn [J]', '取用 [J]'],
  estimate_returned: ['Given back [J]', '回馈 [J]'],
  estimate_total: ['Sum [J]', '合计 [J]'],
})

const Cycle = ({ name, cycle }) => cycle && html`<${Tile} name=${name}>${figure(cycle.electrical_energy.total)} J</${Tile}>
  <div class="tile"><span>${t(name)}, ${t('estimate_cycles')}</span><b>${figure(cycle.kwh_per_1000_cycles, 3)} kWh</b></div>`

// What rounding left of nothing is nothing.
const orNothing = (value, total) => (Math.abs(value) < 1e-9 * Math.abs(total) ? 0 : value)

function Estimate({ estimate: { predicted, measured, difference_percent, duration, warnings } }) {
  const known = [['estimate_predicted', predicted], ['estimate_measured', measured]].filter(([, cycle]) => cycle)
  const causes = Object.keys(known[0][1].electrical_energy.by_cause)
  const drives = known.flatMap(([name, cycle]) => cycle.electrical_energy.by_joint.map((one) => ({ name, ...one, returned: orNothing(one.returned, one.drawn) })))
  return html`${warnings.length > 0 && html`<${Notice} kind="warn"><ul>${warnings.map((one, k) => html`<li key=${k}>${sentence(one)}</li>`)}</ul></${Notice}>`}
    <div class="tiles"><${Tile} name="duration">${figure(duration)} s</${Tile}>${known.map(([name, cycle]) => html`<${Cycle} key=${name} name=${name} cycle=${cycle} />`)}
      ${difference_percent != null && html`<${Tile} name="estimate_difference">${figure(difference_percent, 3)} %</${Tile}>`}</div>
    <section class="panel"><div class="grid"><${Bars} title=${t('estimate_cause')} legend=${known.map(([name]) => t(name))} rows=${causes.map((cause) => ({ label: t(`cause.${cause}`), bars: known.map(([, cycle], index) => ({ value: orNothing(cycle.electrical_energy.by_cause[cause], cycle.electrical_energy.total), index })) }))} />
      <div><h2>${t('estimate_drive')}</h2><${Table} caption=${t('estimate_drive')} id=${(one) => `${one.name} ${one.joint}`} items=${drives} columns=${[
        { key: 'joint', head: t('joint'), cell: (one) => html`<bdi>${one.joint}</bdi>` },
        ...(known.length > 1 ? [{ key: 'of', head: t('source'), cell: (one) => t(one.name) }] : []),
        { key: 'drawn', head: t('estimate_drawn'), number: true, cell: (one) => figure(one.drawn) },
        { key: 'returned', head: t('estimate_returned'), number: true, cell: (one) => figure(one.returned) },
        { key: 'total', head: t('estimate_total'), number: true, cell: (one) => figure(one.total) },
      ]} /></div></div></section>`
}

export function EnergyEstimate({ model }) {
  const source = useSource(model, ['trajectories', 'datasets'])
  const [form, set] = useState({ regeneration: 'none', efficiency: '0.8' })
  const request = source.chosen && { ...source.chosen, regeneration: form.regeneration, ...(form.regeneration === 'grid' && { grid_efficiency: Number(form.efficiency) }) }
  const answer = useAnswer(async (signal) => request && post(`v1/robots/${encodeURIComponent(model.name)}/energy-estimates`, request, { signal }), [model.name, JSON.stringify(request)])
  return html`<section class="panel row begin"><${Source} source=${source} />
      <${Field} label=${t('estimate_regeneration')}><select value=${form.regeneration} onChange=${(e) => set({ ...form, regeneration: e.target.value })}>${['none', 'shared_bus', 'grid'].map((one) => html`<option key=${one} value=${one}>${t(`regeneration.${one}`)}</option>`)}</select></${Field}>
      ${form.regeneration === 'grid' && html`<${Field} label=${t('estimate_efficiency')}><${Typed} min="0" max="1" value=${form.efficiency} onValue=${(efficiency) => efficiency !== '' && set({ ...form, efficiency })} /></${Field}>`}</section>
    <${Refusal} error=${answer.error} />
    ${request && !answer.error && (answer.value ? html`<${Estimate} estimate=${answer.value} />` : html`<${Loading} />`)}`
}
