// What the same way would cost in other durations, so that a person can choose the cycle time: curves, and a table whose rows
// can be planned.
import { useState } from 'preact/hooks'
import { html } from '../html.js'
import { go } from '../route.js'
import { extend, t } from '../words.js'
import { once, post } from '../api.js'
import { Act, Refusal } from '../ui/parts.js'
import { Table } from '../ui/table.js'
import { Plot } from '../ui/plot.js'
import { figure } from '../ui/format.js'

extend({
  pareto: ['The same way in other durations', '相同路径、不同时长'],
  pareto_energy: ['Energy over the duration', '能量与时长'],
  pareto_cost: ['Cost over the duration', '代价与时长'],
  pareto_this: ['this motion', '本运动'],
  pareto_plan: ['Plan this one', '规划此时长'],
  energy_axis: ['Energy [J]', '能量 [J]'],
  'status.infeasible': ['no motion keeps the limits', '无法满足限制'],
  'status.undecided': ['not settled in time', '搜索未完成'],
})

export function Pareto({ motion }) {
  const [error, setError] = useState(null)
  if (!motion.pareto) return null
  const own = { own: true, duration: motion.duration, status: motion.status, cost: motion.cost.value, energy: motion.energy.total, electrical_energy: motion.electrical_energy?.total }
  const rows = [own, ...motion.pareto].sort((a, b) => a.duration - b.duration)
  const x = rows.map((row) => row.duration)
  const here = (key) => ({ label: t('pareto_this'), index: 1, points: true, values: rows.map((row) => (row.own ? row[key] : null)) })
  const curve = (key, label, index) => ({ label, index, values: rows.map((row) => row[key] ?? null) })
  const plan = async (duration) => {
    const { callback, durations, ...request } = motion.request
    setError(null)
    try {
      const job = await post(`v1/robots/${motion.robot}/trajectories`, { ...request, duration }, { query: { revision: motion.revision }, headers: once() })
      go(['jobs', job.id])
    } catch (refusal) {
      setError(refusal)
    }
  }
  return html`<section class="panel"><h2>${t('pareto')}</h2><${Refusal} error=${error} />
    <div class="grid">
      <${Plot} title=${t('pareto_energy')} x=${x} xLabel=${t('duration_s')} yLabel=${t('energy_axis')} series=${[curve('energy', t('energy_mechanical'), 0), ...(motion.electrical_energy ? [curve('electrical_energy', t('energy_electrical'), 2)] : []), here('energy')]} />
      <${Plot} title=${t('pareto_cost')} x=${x} xLabel=${t('duration_s')} yLabel=${`${t('cost')} (${t(`cost.${motion.cost.model}`)})`} series=${[curve('cost', t('cost'), 0), here('cost')]} /></div>
    <${Table} caption=${t('pareto')} id=${(row) => `${row.duration} ${row.own}`} items=${rows} columns=${[
      { key: 'duration', head: t('duration_s'), number: true, cell: (row) => figure(row.duration) },
      { key: 'status', head: t('status'), cell: (row) => html`<span class=${`state ${{ optimal: 'good', infeasible: 'bad', undecided: 'warn' }[row.status] ?? ''}`}>${t(`status.${row.status}`)}</span>` },
      { key: 'energy', head: t('energy_mechanical'), number: true, cell: (row) => (row.energy == null ? '–' : `${figure(row.energy)} J`) },
      { key: 'electrical', head: t('energy_electrical'), number: true, cell: (row) => (row.electrical_energy == null ? '–' : `${figure(row.electrical_energy)} J`) },
      { key: 'cost', head: t('cost'), number: true, cell: (row) => figure(row.cost) },
      { key: 'plan', head: '', cell: (row) => (row.own ? t('pareto_this') : row.energy == null ? '' : html`<${Act} role="operator" onClick=${() => plan(row.duration)}>${t('pareto_plan')}</${Act}>`) },
    ]} /></section>`
}
