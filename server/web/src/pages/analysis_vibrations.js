// What dies out after a stop, in the stretch of a log that is in sight: frequencies, dampings, and what is against them.
import { useState } from 'preact/hooks'
import { html } from '../html.js'
import { extend, t } from '../words.js'
import { get, post } from '../api.js'
import { Field, Loading, Notice, Refusal, useAnswer } from '../ui/parts.js'
import { Plot } from '../ui/plot.js'
import { drawn, useSamples } from '../ui/samples.js'
import { Source, useSource } from '../ui/source.js'
import { Table } from '../ui/table.js'
import { Typed } from '../ui/typed.js'
import { ZoomBar } from '../ui/zoombar.js'
import { count, figure, plusMinus } from '../ui/format.js'
import { unitOf } from '../ui/joints.js'

extend({
  vibration_zoom: ['Zoom to where the arm has stopped: what is in sight is looked at.', '请放大到手臂停止之后：只分析可见区间。'],
  vibration_modes: ['Modes, at most', '最多模态数'],
  vibration_range: ['Frequencies may be off by [%]', '频率允许偏差 [%]'],
  vibration_found: ['Modes', '模态'],
  vibration_none: ['Nothing here is more than noise.', '此处没有超出噪声的振动。'],
  vibration_looked: ['{samples} samples at {rate} Hz; arm at rest at {q}', '{samples} 个样本，{rate} Hz；静止位置 {q}'],
  vibration_frequency: ['Frequency [Hz]', '频率 [Hz]'],
  vibration_damping: ['Damping ratio', '阻尼比'],
  vibration_amplitude: ['Amplitude of {joint} [{unit}]', '{joint} 幅值 [{unit}]'],
  vibration_shaper: ['Shaper for trajectories', '轨迹整形器'],
  vibration_no_shaper: ['No shaper leaves at most 5 % over this range of frequencies.', '在该频率范围内没有整形器能将残余振动降到 5 % 以内。'],
  vibration_notch: ['Notch for control', '控制陷波器'],
  vibration_notch_at: ['{hz} Hz, width {width}', '{hz} Hz，宽度 {width}'],
})

function Found({ model, found }) {
  return html`<section class="panel"><h2>${t('vibration_found')}</h2>
    <p class="quiet">${t('vibration_looked', { samples: count(found.samples), rate: figure(found.rate_hz), q: found.q.map((one) => figure(one, 3)).join(', ') })}</p>
    ${found.modes.length === 0 ? html`<${Notice}>${t('vibration_none')}</${Notice}>` : html`<${Table} caption=${t('vibration_found')} id=${(one) => one.frequency_hz} items=${found.modes} columns=${[
      { key: 'frequency', head: t('vibration_frequency'), number: true, cell: (one) => plusMinus(one.frequency_hz, one.frequency_deviation_hz) },
      { key: 'damping', head: t('vibration_damping'), number: true, cell: (one) => plusMinus(one.damping, one.damping_deviation) },
      ...model.joints.map((joint, j) => ({ key: joint.name, head: t('vibration_amplitude', { joint: joint.name, unit: unitOf(joint) }), number: true, cell: (one) => figure(one.amplitude[j], 3) })),
    ]} />
    <dl class="facts"><dt>${t('vibration_shaper')}</dt><dd>${found.shaper ? html`<code>${found.shaper.type}</code> ${found.shaper.modes.map((one) => `${figure(one.frequency_hz)} Hz (${figure(one.damping, 3)})`).join(', ')}` : t('vibration_no_shaper')}</dd>
      ${found.notch && html`<dt>${t('vibration_notch')}</dt><dd>${t('vibration_notch_at', { hz: figure(found.notch.notch_hz), width: figure(found.notch.notch_width, 3) })}</dd>`}</dl>`}</section>`
}

function OfLog({ model, set }) {
  const clock = set.columns.find((column) => column.name === 't')
  const whole = [clock.min, clock.max]
  const positions = model.joints.map((_, j) => `q${j + 1}`)
  const { data, few, range, zoom, error } = useSamples([`v1/datasets/${set.id}/samples`], { fields: 't,q', whole, count: set.samples })
  const [form, adjust] = useState({ modes: '2', range: '10' })
  const request = range && { dataset: set.id, begin: range[0], end: range[1], modes_max: Number(form.modes), range_percent: Number(form.range) }
  const answer = useAnswer(async (signal) => request && post(`v1/robots/${encodeURIComponent(model.name)}/vibrations`, request, { signal }), [model.name, JSON.stringify(request)])
  return html`<section class="panel"><div class="row begin"><${Field} label=${t('vibration_modes')}><select value=${form.modes} onChange=${(e) => adjust({ ...form, modes: e.target.value })}>${['1', '2', '3', '4'].map((one) => html`<option key=${one} value=${one}>${one}</option>`)}</select></${Field}>
      <${Field} label=${t('vibration_range')}><${Typed} min="0" max="50" value=${form.range} onValue=${(value) => value !== '' && adjust({ ...form, range: value })} /></${Field}></div>
    <p>${t('vibration_zoom')}</p><${ZoomBar} range=${range} whole=${whole} onRange=${zoom} />
    <${Refusal} error=${error} />
    ${data ? html`<${Plot} title=${t('position_axis')} x=${data[0].column('t')} series=${positions.flatMap((name, index) => drawn(data[0], few, name, { label: model.joints[index].name, index }))} onRange=${zoom} xLabel=${t('time_s')} yLabel=${t('position_axis')} />` : html`<${Loading} error=${error} />`}</section>
    <${Refusal} error=${answer.error} />
    ${request && !answer.error && (answer.value ? html`<${Found} model=${model} found=${answer.value} />` : html`<${Loading} />`)}`
}

export function Vibrations({ model }) {
  const source = useSource(model, ['datasets'])
  const id = source.chosen?.dataset
  const set = useAnswer(async (signal) => id && get(`v1/datasets/${encodeURIComponent(id)}`, {}, signal), [id])
  return html`<section class="panel row begin"><${Source} source=${source} /></section><${Refusal} error=${set.error} />
    ${set.value && set.value.id === id && html`<${OfLog} key=${id} model=${model} set=${set.value} />`}`
}
