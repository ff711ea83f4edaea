// A motion: plotted against its limits, told where its energy goes, played in three dimensions, sent on.
import './trajectories.words.js'
import { signal } from '@preact/signals'
import { useMemo, useState } from 'preact/hooks'
import { html } from '../html.js'
import { go, link, useAbout } from '../route.js'
import { t } from '../words.js'
import { call, get, post, once, save, table } from '../api.js'
import { language } from '../session.js'
import { FormDialog } from '../ui/dialog.js'
import { Act, Field, Head, Loading, Notice, Refusal, Tags, useAnswer } from '../ui/parts.js'
import { Table } from '../ui/table.js'
import { Bars } from '../ui/bars.js'
import { Plot } from '../ui/plot.js'
import { Explore } from '../ui/explore.js'
import { ZoomBar } from '../ui/zoombar.js'
import { Notes } from '../ui/notes.js'
import { figure, moment, percent } from '../ui/format.js'
import { Player } from '../ui/player.js'
import { Tile, peakText } from '../ui/results.js'
import { Pareto } from './pareto.js'
import { Replan } from './replan.js'
import { said, sentence } from '../ui/sentences.js'

const COST_UNITS = { torque: 's', electrical: 'J', time: 's' } // the first is of parts of limits
const PLOTS = [['q', 'position_axis'], ['qd', 'velocity_axis_y', 'velocity'], ['qdd', 'acceleration_axis', 'acceleration'], ['tau', 'torque_axis', 'torque']]

function Plots({ motion, model, samples, time }) {
  const [range, setRange] = useState(null)
  const [relative, setRelative] = useState(true)
  const zoom = (from, to) => setRange(from == null ? null : [from, to])
  const plots = useMemo(() => PLOTS.map(([field, axis, limit]) => ({ field, axis, limit, series: model.joints.map((joint, index) => {
    const values = samples.column(`${field}${index + 1}`)
    const most = limit && (motion.request?.limits?.[limit]?.[index] ?? joint.limits?.[limit])
    return { label: joint.name, index, values: relative && most ? values.map((value) => value / most) : values, limited: !!most }
  }) })), [samples, relative])
  return html`<section class="panel"><h2>${t('motion')}</h2>
    <${ZoomBar} range=${range} whole=${[0, motion.duration]} onRange=${zoom} />
    <label class="check" style=${{ margin: '.2rem 0 .8rem' }}><input type="checkbox" checked=${relative} onChange=${(e) => setRelative(e.target.checked)} /><span>${t('as_part_of_limit')}</span></label>
    <div class="grid">${plots.map(({ field, axis, limit, series }) => {
      const parts = relative && limit && series.every((one) => one.limited)
      return html`<${Plot} key=${`${field}${parts}`} title=${t(`plot.${field}`)} x=${samples.column('t')} series=${series} range=${range} onRange=${zoom} sync="motion" time=${time} xLabel=${t('time_s')} yLabel=${parts ? t('part_of_limit') : t(axis)} hlines=${parts ? [{ value: 1, index: 6 }, { value: -1, index: 6 }] : []} />`
    })}</div></section>
    <${Explore} data=${samples} columns=${samples.columns.filter((name) => name !== 't')} ...${{ whole: [0, motion.duration], rows: samples.rows, range, onRange: zoom, sync: 'motion', time }} />`
}

// What is saved; less than nothing in red, with the reason.
const Saved = ({ motion, value }) => {
  if (!(value < 0)) return percent(value)
  return html`<span class="state bad" title=${t('saved_less', { objective: t(`cost.${motion.cost.model}`) })}>${percent(value)}</span>`
}

function Energy({ motion }) {
  // what rounding left of nothing is nothing
  const causes = (energy) => Object.entries(energy.by_cause).map(([cause, value]) => ({ label: t(`cause.${cause}`), bars: [{ value: Math.abs(value) < 1e-9 * energy.total ? 0 : value, index: 0 }] }))
  const profiles = Object.entries(motion.baselines ?? {})
  return html`<section class="panel"><h2>${t('energy')}</h2><div class="grid">
    <${Bars} title=${`${t('energy_mechanical')}: ${figure(motion.energy.total)} J`} unit="J" rows=${causes(motion.energy)} />
    ${motion.electrical_energy && html`<${Bars} title=${`${t('energy_electrical')}: ${figure(motion.electrical_energy.total)} J`} unit="J" rows=${causes(motion.electrical_energy)} />`}
    ${profiles.length > 0 && html`<div><h3>${t('baselines')}</h3><${Table} caption=${t('baselines')} id=${([name]) => name} items=${profiles} columns=${[
      { key: 'name', head: '', cell: ([name, one]) => html`${t(`method.${name}`)} ${!one.feasible && html`<span class="state warn">${t('baseline_infeasible')}</span>`}` },
      { key: 'cost', head: t('saved_cost'), number: true, cell: ([, one]) => html`<${Saved} motion=${motion} value=${one.cost_saved_percent} />` },
      { key: 'energy', head: t('energy_mechanical'), number: true, cell: ([, one]) => `${figure(one.energy)} J` },
      { key: 'saved', head: t('saved_energy'), number: true, cell: ([, one]) => html`<${Saved} motion=${motion} value=${one.energy_saved_percent} />` },
    ]} />${profiles.some(([, one]) => one.energy_saved_percent < 0) && html`<p class="quiet">${t('saved_less', { objective: t(`cost.${motion.cost.model}`) })}</p>`}</div>`}</div></section>`
}

// The stretches at constant speed of a friction test.
const Runs = ({ runs }) => html`<section class="panel"><h2>${t('runs')}</h2><${Table} tall caption=${t('runs')} id=${(one) => `${one.joint} ${one.from}`} items=${runs} columns=${[
  { key: 'joint', head: t('joint'), cell: (one) => html`<bdi>${one.joint}</bdi>` },
  { key: 'speed', head: t('velocity_axis_y'), number: true, cell: (one) => figure(one.speed, 3) },
  { key: 'from', head: t('run_from'), number: true, cell: (one) => figure(one.from, 5) },
  { key: 'to', head: t('run_to'), number: true, cell: (one) => figure(one.to, 5) },
]} /></section>`

function Send({ motion, onClose }) {
  const controllers = useAnswer((signal) => get('v1/controllers', { limit: 200 }, signal))
  const fitting = (controllers.value?.items ?? []).filter((one) => one.robot === motion.robot)
  const [form, setForm] = useState({ controller: '', rate: '250', mode: 'download' })
  const controller = form.controller || fitting[0]?.name
  const send = async () => {
    await post(`v1/controllers/${controller}/transfers`, { trajectory: motion.id, rate: Number(form.rate), mode: form.mode }, { headers: once() })
    go(['controllers', controller])
  }
  return html`<${FormDialog} title=${t('send')} does=${t('send_do')} role="operator" disabled=${!controller} send=${send} onClose=${onClose}><p>${t('send_text')}</p><${Refusal} error=${controllers.error} />
    ${controllers.value && !fitting.length && html`<${Notice} kind="warn">${t('send_none', { robot: motion.robot })} <a href=${link(['controllers'])}>${t('page.controllers')}</a></${Notice}>`}
    <div class="row"><${Field} label=${t('page.controllers')}><select value=${controller} onChange=${(e) => setForm({ ...form, controller: e.target.value })}>${fitting.map((one) => html`<option value=${one.name}>${one.name}</option>`)}</select></${Field}>
      <${Field} label=${t('rate_hz')}><input type="number" required min="1" step="any" value=${form.rate} onInput=${(e) => setForm({ ...form, rate: e.target.value })} /></${Field}>
      <${Field} label=${t('mode')}><select value=${form.mode} onChange=${(e) => setForm({ ...form, mode: e.target.value })}><option value="download">${t('mode.download')}</option><option value="stream">${t('mode.stream')}</option></select></${Field}></div></${FormDialog}>`
}

function One({ kind, id }) {
  const answer = useAnswer((signal) => call('GET', `v1/${kind}/${encodeURIComponent(id)}`, { signal }), [id])
  const motion = answer.value?.data
  useAbout(motion?.robot)
  const rest = useAnswer(async (signal) => (motion ? Promise.all([get(`v1/robots/${motion.robot}/revisions/${motion.revision}`, {}, signal), table(`v1/${kind}/${motion.id}/samples`, {}, signal)]) : null), [motion?.id])
  const [sending, setSending] = useState(false)
  const time = useMemo(() => signal(0), [id]) // s, where the player and the plots are
  const [error, setError] = useState(null)
  if (!motion) return html`<${Refusal} error=${answer.error} /><${Loading} error=${answer.error} />`
  const [model, samples] = rest.value ?? []
  const file = async (what, name, type, accept, query) => {
    try {
      save(name, (await call('GET', `v1/${kind}/${motion.id}/${what}`, { accept, query })).data, type)
    } catch (refusal) {
      setError(refusal)
    }
  }
  const worst = [...motion.margins].sort((a, b) => b.worst - a.worst)
  return html`
    <${Head} title=${motion.label || `${motion.robot} · ${motion.method ? t(`method.${motion.method}`) : t(`page.${kind}`)}`} sub=${html`<a href=${link(['robots', motion.robot], { revision: motion.revision })}>${motion.robot}</a> r${motion.revision} · ${moment(motion.created_at)} · <code>${motion.id}</code> <${Tags} tags=${motion.tags} />`}>
      <button type="button" onClick=${() => file('samples', `motion-${motion.id}.csv`, 'text/csv', 'csv')}>CSV</button>
      ${kind === 'trajectories' && html`<button type="button" onClick=${() => file('report', `report-${motion.id}.html`, 'text/html', 'html', { lang: language.value })}>${t('report')}</button>`}
      <${Act} class="main" role="operator" disabled=${!motion.transferable} onClick=${() => setSending(true)}>${t('send')} …</${Act}>
    </${Head}>
    <${Refusal} error=${error ?? rest.error} />
    <p>${said(motion.detail)}</p>
    ${motion.stale && html`<${Notice} kind="warn">${t('stale')}</${Notice}>`}
    ${motion.blockers.length > 0 && html`<${Notice} kind="warn"><strong>${t('blockers')}</strong><ul>${motion.blockers.map((one, k) => html`<li key=${k}>${t(`blocker.${one.code}`)} ${one.limit ? t(`limit.${one.limit}`) : ''} <bdi>${one.joint ?? one.between?.join(' – ') ?? ''}</bdi></li>`)}</ul></${Notice}>`}
    ${motion.warnings?.length > 0 && html`<${Notice} kind="warn"><ul>${motion.warnings.map((one, k) => html`<li key=${k}>${sentence(one)}</li>`)}</ul></${Notice}>`}
    <div class="tiles">
      <div class="tile"><span>${t('duration')}</span><b>${figure(motion.duration)} s</b></div>
      ${motion.status && html`<div class="tile"><span>${t('status')}</span><span class=${`state ${motion.status === 'optimal' ? 'good' : ''}`}>${t(`status.${motion.status}`)}</span></div>`}
      ${motion.condition_number && html`<div class="tile"><span>${t('condition')}</span><b>${figure(motion.condition_number, 3)}</b></div><div class="tile"><span>${t('told_apart')}</span><b>${motion.parameters}</b></div>`}
      ${motion.run_count && html`<div class="tile"><span>${t('runs')}</span><b>${motion.run_count}</b></div>`}
      ${motion.cost && html`<div class="tile"><span>${t('cost')} (${t(`cost.${motion.cost.model}`)})</span><b>${figure(motion.cost.value)} ${motion.request?.cost?.weights ? '' : COST_UNITS[motion.cost.model]}</b></div>`}
      ${motion.energy && html`<div class="tile"><span>${t('energy_mechanical')}</span><b>${figure(motion.energy.total)} J</b></div>`}
      ${motion.minimum_duration != null && html`<div class="tile"><span>${t('minimum_duration')}</span><b>${figure(motion.minimum_duration)} s</b></div>`}
      ${motion.tool_speed && html`<${Tile} name="tool_speed">${peakText(motion.tool_speed, 'm/s')}</${Tile}>`}
      ${motion.tool_acceleration && html`<${Tile} name="tool_acceleration">${peakText(motion.tool_acceleration, 'm/s²')}</${Tile}>`}
      ${motion.lower_bound && html`<${Tile} name="lower_bound">${figure(motion.lower_bound.total)} J</${Tile}>`}
      ${motion.gap_percent != null && html`<${Tile} name="gap">${percent(motion.gap_percent)}</${Tile}>`}
      ${motion.fit && html`<${Tile} name="fit_off">${figure(motion.fit.deviation, 3)} <bdi>${motion.fit.joint}</bdi></${Tile}><${Tile} name="fit_pieces">${motion.fit.intervals} / ${motion.fit.samples}</${Tile}>`}
      ${motion.clearance && html`<div class="tile"><span>${t('clearance_from')} <bdi>${motion.clearance.cell}</bdi></span><b>${figure(motion.clearance.clearance)} m</b></div>`}
      ${worst[0] && html`<div class="tile"><span>${t('worst_margin')}: ${t(`limit.${worst[0].limit}`)} <bdi>${worst[0].joint}</bdi></span><b>${percent(100 * worst[0].worst)}</b></div>`}
    </div>
    ${samples ? html`<${Player} model=${model} name=${motion.robot} duration=${motion.duration} samples=${samples} time=${time} /><${Plots} motion=${motion} model=${model} samples=${samples} time=${time} />` : html`<${Loading} error=${rest.error} />`}
    ${motion.energy && html`<${Energy} motion=${motion} />`}
    ${samples && motion.method === 'energy_optimal' && html`<${Replan} motion=${motion} model=${model} samples=${samples} time=${time} />`}
    <${Pareto} motion=${motion} />
    ${motion.runs && html`<${Runs} runs=${motion.runs} />`}
    <section class="panel"><h2>${t('margins')}</h2><div style=${{ maxHeight: '40vh', overflow: 'auto' }}><${Table} caption=${t('margins')} id=${(one) => one.limit + one.joint} items=${worst} columns=${[
      { key: 'limit', head: t('limit'), cell: (one) => t(`limit.${one.limit}`) },
      { key: 'joint', head: t('joint'), cell: (one) => html`<bdi>${one.joint}</bdi>` },
      { key: 'worst', head: t('part_used'), number: true, cell: (one) => percent(100 * one.worst) },
      { key: 'value', head: t('value'), number: true, cell: (one) => figure(one.value) },
      { key: 'time', head: t('time_s'), number: true, cell: (one) => figure(one.time) },
    ]} /></div></section>
    <${Notes} path=${`v1/${kind}/${motion.id}`} document=${motion} etag=${answer.value.etag} onSaved=${answer.again} />
    ${sending && html`<${Send} motion=${motion} onClose=${() => setSending(false)} />`}`
}

export const Page = ({ path: [kind, id] }) => html`<${One} key=${id} kind=${kind} id=${id} />`
