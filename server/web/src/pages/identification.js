// One run: how good it is, what it found, where it comes from, and how it becomes the robot's model.
import './identification.words.js'
import { useState } from 'preact/hooks'
import { html } from '../html.js'
import { adjust, link, route, useAbout } from '../route.js'
import { t } from '../words.js'
import { call, get, save } from '../api.js'
import { language } from '../session.js'
import { Act, Check, Field, Head, Loading, Notice, Refusal, Tags, useAnswer } from '../ui/parts.js'
import { Table } from '../ui/table.js'
import { count, figure, moment, percent, plusMinus, shortId } from '../ui/format.js'
import { jointsOf, keptOf, worstOf } from '../ui/run.js'
import { partOf, windowOf } from '../ui/samples.js'
import { Explore } from '../ui/explore.js'
import { Notes } from '../ui/notes.js'
import { Promote } from './promote.js'
import { Joint } from './run_joint.js'
import { Correlations } from './run_correlation.js'
import { Heat, Settings, Summary } from './run_summary.js'

function Errors({ run }) {
  const sets = ['validation', 'training'].filter((of) => run.errors[of])
  const rows = jointsOf(run).flatMap((joint, j) => sets.flatMap((of) => ['raw', 'parallel'].filter((how) => run.errors[of][how]).map((how) => ({ id: `${joint} ${of} ${how}`, joint, of, how, ...run.errors[of][how].joints[j] }))))
  return html`<section class="panel"><h2>${t('errors_of_joints')}</h2>
    <${Table} caption=${t('errors_of_joints')} items=${rows} columns=${[
      { key: 'joint', head: t('joint'), cell: (row) => html`<bdi>${row.joint}</bdi>` },
      { key: 'of', head: t('data'), class: 'tight', cell: (row) => `${t(`of_${row.of}`)}, ${t(row.how)}` },
      { key: 'relative', head: t('error_relative'), number: true, cell: (row) => figure(row.relative_percent, 3) },
      { key: 'rms', head: t('rms'), number: true, cell: (row) => figure(row.rms, 3) },
      { key: 'nrmse', head: t('nrmse'), number: true, cell: (row) => figure(row.nrmse_percent, 3) },
      { key: 'r2', head: 'R²', number: true, cell: (row) => figure(row.r2, 5) },
      { key: 'max', head: t('max_error'), number: true, cell: (row) => figure(row.max, 3) },
    ]} /></section>`
}

const quoted = (value) => (value == null ? '' : /[",\n]/.test(String(value)) ? `"${String(value).replaceAll('"', '""')}"` : String(value))
const csv = (rows) => rows.map((row) => row.map(quoted).join(',')).join('\n') + '\n'

function Parameters({ run }) {
  return html`
    <section class="panel"><h2>${t('base_parameters')}</h2><${Table} tall caption=${t('base_parameters')} id=${(row) => row.expression} items=${run.parameters.base} columns=${[
      { key: 'expression', head: t('expression'), class: 'wide', cell: (row) => html`<code>${row.expression}</code>` },
      { key: 'value', head: t('value'), number: true, cell: (row) => plusMinus(row.value, row.std) },
      { key: 'relative', head: t('relative_std'), number: true, cell: (row) => html`<span class=${row.relative_std_percent > 30 ? 'state warn' : ''}>${figure(row.relative_std_percent, 3)}</span>` },
    ]} /></section>
    <section class="panel"><h2>${t('standard_parameters')}</h2><${Table} tall caption=${t('standard_parameters')} id=${(row) => `${row.joint} ${row.name}`} items=${run.parameters.standard} columns=${[
      { key: 'joint', head: t('joint'), cell: (row) => html`<bdi>${row.joint}</bdi>` },
      { key: 'name', head: '', cell: (row) => html`<code>${row.name}</code>` },
      { key: 'value', head: t('value'), number: true, cell: (row) => plusMinus(row.value, row.std) },
      { key: 'prior', head: t('model_value'), number: true, cell: (row) => figure(row.prior) },
    ]} /></section>`
}

// data set → run → the revision that it became → the motions planned with it → their transfers
function Lineage({ run }) {
  const answer = useAnswer(async (signal) => {
    const { items } = await get(`v1/robots/${run.robot}/revisions`, { limit: 200 }, signal)
    const revisions = items.filter((one) => one.identification === run.id).slice(0, 3)
    const trajectories = (await Promise.all(revisions.map(({ revision }) => get('v1/trajectories', { robot: run.robot, revision, limit: 5 }, signal)))).flatMap((page) => page.items)
    const transfers = (await Promise.all(trajectories.map((one) => get('v1/transfers', { trajectory: one.id, limit: 3 }, signal)))).flatMap((page) => page.items)
    return { revisions, trajectories, transfers }
  }, [run.id, run.stale])
  const { revisions = [], trajectories = [], transfers = [] } = answer.value ?? {}
  const none = (list) => (list.length ? '' : t('lineage_none'))
  return html`<section class="panel"><h2>${t('lineage')}</h2><${Refusal} error=${answer.error} /><ol class="chain">
    <li><div class="step">${run.provenance.datasets.map((set) => html`<div key=${set.id + set.role}><span class="quiet">${t('lineage_data')} (${t(`of_${set.role}`)})</span> <a href=${link(['datasets', set.id])}><bdi>${set.label || shortId(set.id)}</bdi></a> <code title=${set.sha256}>${set.sha256?.slice(0, 10)}</code></div>`)}</div></li>
    <li><div class="step"><span class="quiet">${t('lineage_run')}</span> <code title=${run.id}>${shortId(run.id)}</code> · ${run.estimator} · <a href=${link(['jobs', run.job])}>${t('job')}</a>
      <div><span class="quiet">${t('lineage_from')}</span> <a href=${link(['robots', run.robot], { revision: run.revision })}>${run.robot} r${run.revision}</a> <code title=${run.provenance.robot_sha256}>${run.provenance.robot_sha256?.slice(0, 10)}</code></div></div></li>
    <li><div class="step"><span class="quiet">${t('lineage_promoted')}</span> ${revisions.map(({ revision }) => html`<a key=${revision} href=${link(['robots', run.robot], { revision })}>${run.robot} r${revision}</a> `)}${none(revisions)}</div></li>
    <li><div class="step"><span class="quiet">${t('lineage_trajectory')}</span> ${trajectories.map((one) => html`<a key=${one.id} href=${link(['trajectories', one.id])}><bdi>${one.label || shortId(one.id)}</bdi></a> `)}${none(trajectories)}</div></li>
    <li><div class="step"><span class="quiet">${t('lineage_transfer')}</span> ${transfers.map((one) => html`<a key=${one.id} href=${link(['controllers', one.controller])}>${one.controller}: ${t(`state.${one.state}`)}</a> `)}${none(transfers)}</div></li>
  </ol></section>`
}

const SIGNALS = ['measured', 'filtered', 'predicted'] // of each joint, as its samples have them
const EXPORTED_MOST = 1000000 // samples that a browser takes in as a text

export function Page({ path }) {
  const id = path[1]
  const answer = useAnswer((signal) => call('GET', `v1/identifications/${encodeURIComponent(id)}`, { signal }), [id])
  const [all, setAll] = useState(false) // is everything asked for?
  const [promoting, setPromoting] = useState(false)
  const [promoted, setPromoted] = useState(null)
  const [error, setError] = useState(null)
  const run = answer.value?.data
  useAbout(run?.robot)
  if (!run) return html`<${Refusal} error=${answer.error} /><${Loading} error=${answer.error} />`
  const file = async (what, name, type, accept, query) => {
    setError(null)
    try {
      save(name, (await call('GET', `v1/identifications/${run.id}/${what}`, { accept, query })).data, type)
    } catch (refusal) {
      setError(refusal)
    }
  }
  const joints = jointsOf(run)
  const joint = joints.includes(route.value.query.get('joint')) ? route.value.query.get('joint') : joints[worstOf(run)]
  const inSight = windowOf(route.value.query)
  const { kept, whole } = keptOf(run)
  const large = kept * partOf(inSight, whole) > EXPORTED_MOST
  const parameters = () => save(`parameters-${run.id}.csv`, csv([['kind', 'joint', 'name', 'value', 'std'],
    ...run.parameters.base.map((row) => ['base', '', row.expression, row.value, row.std]), ...run.parameters.standard.map((row) => ['standard', row.joint, row.name, row.value, row.std])]), 'text/csv')
  return html`
    <${Head} title=${run.label || `${run.robot} · ${run.estimator}`} sub=${html`<a href=${link(['robots', run.robot])}>${run.robot}</a> r${run.revision} · ${run.estimator} · ${moment(run.created_at)} · <code>${run.id}</code> <${Tags} tags=${run.tags} />`}>
      <button type="button" disabled=${large} title=${large ? t('export_large', { most: count(EXPORTED_MOST) }) : t('export_hint')} onClick=${() => file('samples', `torques-${run.id}.csv`, 'text/csv', 'csv', { from: inSight?.[0], to: inSight?.[1] })}>${t('export_csv')}</button>
      <button type="button" onClick=${parameters}>${t('export_parameters')}</button>
      <button type="button" onClick=${() => file('report', `report-${run.id}.html`, 'text/html', 'html', { lang: language.value })}>${t('report')}</button>
      <a class="button" href=${link(['identification-studies', 'new'], { robot: run.robot, identification: run.id })}>${t('study_this')}</a>
      <${Act} class="main" role="engineer" onClick=${() => setPromoting(true)}>${t('promote')}</${Act}>
    </${Head}>
    <${Refusal} error=${error} />
    ${promoted && html`<${Notice} kind="good">${t('promoted', promoted)} <a href=${link(['robots', promoted.robot])}>${promoted.robot}</a></${Notice}>`}
    ${run.stale && !promoted && html`<${Notice} kind="warn">${t('stale')}</${Notice}>`}
    <${Summary} run=${run} />
    <${Settings} run=${run} />
    <${Heat} run=${run} chosen=${joint} onChoose=${(one) => adjust({ joint: one })} />
    ${joint && html`<${Joint} run=${run} joint=${joint} />`}
    <${Explore} path=${`v1/identifications/${run.id}/samples`} columns=${SIGNALS.flatMap((name) => joints.map((_, j) => `${name}${j + 1}`))} whole=${whole} rows=${kept} range=${inSight} sync="run" />
    <${Lineage} run=${run} />
    <details class="panel" onToggle=${(e) => setAll(e.currentTarget.open)}><summary><strong>${t('run_all')}</strong></summary>${all && html`<${Errors} run=${run} /><${Parameters} run=${run} /><${Correlations} run=${run} />`}</details>
    <${Notes} path=${`v1/identifications/${run.id}`} document=${run} etag=${answer.value.etag} onSaved=${answer.again} />
    ${promoting && html`<${Promote} run=${run} onClose=${() => setPromoting(false)} onDone=${(made) => { setPromoting(false); setPromoted(made); answer.again() }} />`}`
}
