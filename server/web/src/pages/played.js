// What was measured while a transfer was played, against its plan.
import { html } from '../html.js'
import { link } from '../route.js'
import { extend, t } from '../words.js'
import { get } from '../api.js'
import { Loading, Notice, Refusal, useAnswer } from '../ui/parts.js'
import { Table } from '../ui/table.js'
import { Plot } from '../ui/plot.js'
import { figure } from '../ui/format.js'
import { planned, usePlan } from './playing.js'
import { said } from '../ui/sentences.js'

extend({
  played: ['Measured less planned', '实测减计划'],
  played_text: ['{samples} moments in {parts} parts', '{samples} 个时刻，{parts} 段'],
  played_data: ['Data set', '数据集'],
  played_lag: ['Lag / ms', '滞后 / 毫秒'],
  played_position: ['Position, worst', '位置最大偏差'],
  played_torque: ['Torque, worst', '力矩最大偏差'],
  played_torque_command: ['The controller told no torques: these are those of the profile.', '控制器未提供力矩：此处为曲线本身的力矩。'],
  played_rms: ['rms {rms}', '均方根 {rms}'],
  played_at: ['{worst} at {at} s', '{at} s 时 {worst}'],
  played_work: ['Work of the joints, less what braking gave back: {measured} J, planned {planned} J', '关节做功（扣除制动回馈）：{measured} J，计划 {planned} J'],
  played_position_off: ['Position, measured less planned', '位置：实测减计划'],
  played_torque_off: ['Torque, measured less planned', '力矩：实测减计划'],
})

const worst = (error) => html`${t('played_at', { worst: figure(error.worst, 3), at: figure(error.worst_at, 3) })} <span class="quiet">${t('played_rms', { rms: figure(error.rms, 3) })}</span>`

// Plan and measurement of each joint, over the moments of the comparison.
function Both({ got, motion, sync }) {
  const plan = usePlan(motion)
  if (!plan.value) return html`<${Refusal} error=${plan.error} />`
  const x = got.residuals.t
  const lines = (field, column) => got.joints.flatMap(({ joint }, j) => {
    const plans = planned(plan.value, `${column}${j + 1}`, x)
    return [{ label: t('playing_plan', { joint }), index: j, faint: true, values: plans }, { label: t('playing_measured', { joint }), index: j, solid: true, values: plans.map((value, k) => value + got.residuals[field][j][k]) }]
  })
  return html`<div class="grid"><${Plot} title=${t('playing_position')} x=${x} series=${lines('position', 'q')} sync=${sync} xLabel=${t('time_s')} yLabel=${t('position_axis')} />
    <${Plot} title=${t('playing_torque')} x=${x} series=${lines('torque', 'tau')} sync=${sync} xLabel=${t('time_s')} yLabel=${t('torque_axis')} /></div>`
}

export function Played({ id, motion, dataset }) {
  const answer = useAnswer((signal) => get(`v1/transfers/${id}/comparison`, {}, signal), [id])
  const got = answer.value
  if (!got) return html`<${Refusal} error=${answer.error} /><${Loading} error=${answer.error} />`
  const series = (field) => got.joints.map(({ joint }, j) => ({ label: joint, values: got.residuals[field][j], index: j }))
  const { measured, planned } = got.energy.mechanical
  return html`<h3>${t('played')}</h3>
    <p class="quiet">${t('played_text', { samples: got.samples, parts: got.parts.length })} · <a href=${link(['datasets', dataset.split('/').at(-1)])}>${t('played_data')}</a></p>
    ${got.torque_source === 'command' && html`<${Notice}>${t('played_torque_command')}</${Notice}>`}
    <${Table} caption=${t('played')} items=${got.joints} id=${(one) => one.joint} columns=${[
      { key: 'joint', head: t('joint'), cell: (one) => html`<bdi>${one.joint}</bdi>` },
      { key: 'lag', head: t('played_lag'), number: true, cell: (one) => (one.lag == null ? '–' : figure(1000 * one.lag, 3)) },
      { key: 'position', head: t('played_position'), number: true, cell: (one) => worst(one.position) },
      { key: 'torque', head: t('played_torque'), number: true, cell: (one) => worst(one.torque) },
    ]} />
    <div class="grid" style=${{ marginTop: '.8rem' }}><${Plot} title=${t('played_position_off')} x=${got.residuals.t} series=${series('position')} sync=${id} xLabel=${t('time_s')} yLabel=${t('position_axis')} />
      <${Plot} title=${t('played_torque_off')} x=${got.residuals.t} series=${series('torque')} sync=${id} xLabel=${t('time_s')} yLabel=${t('torque_axis')} /></div>
    ${motion && html`<${Both} got=${got} motion=${motion} sync=${id} />`}
    <p>${t('played_work', { measured: figure(measured, 4), planned: figure(planned, 4) })}${got.energy.remark && html` – ${said(got.energy.remark)}`}</p>`
}
