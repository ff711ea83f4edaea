// Logs of motion: uploading them, reading those of other drives, what is remarkable about them, and identifying from them.
import { useEffect, useMemo, useState } from 'preact/hooks'
import { html } from '../html.js'
import { adjust, go, link, route, useAbout } from '../route.js'
import { session } from '../session.js'
import { extend, t } from '../words.js'
import { call, get, post, once } from '../api.js'
import { FormDialog } from '../ui/dialog.js'
import { Act, Check, Field, Head, Loading, Notice, Refusal, Tags, useAnswer } from '../ui/parts.js'
import { Table, useList } from '../ui/table.js'
import { Listing, askedOf, useChosen } from '../ui/listing.js'
import { nameOf } from '../ui/names.js'
import { Typed } from '../ui/typed.js'
import { Plot } from '../ui/plot.js'
import { ZoomBar } from '../ui/zoombar.js'
import { drawn, useSamples } from '../ui/samples.js'
import { Explore } from '../ui/explore.js'
import { Notes } from '../ui/notes.js'
import { count, figure, moment } from '../ui/format.js'
import { Upload } from './upload.js'
import { Identify } from './identify_form.js'
import { said } from '../ui/sentences.js'

extend({
  evaluate: ['Evaluate …', '评估……'],
  evaluate_text: ['Predicts the torques of these logs by several models: the fair comparison of errors.', '用多个模型预测这些日志的力矩，公平比较误差。'],
  evaluate_models: ['Models (1 to 8)', '模型（1 到 8 个）'],
  evaluate_do: ['Evaluate', '开始评估'],
  datasets_text: ['Logged motion: positions, torques or currents over time.', '运动日志：位置、力矩或电流随时间的记录。'],
  identify: ['Identify …', '辨识……'],
  identify_hint: ['Choose data sets of one robot.', '请选择同一机器人的数据集。'],
  quality: ['Remarks', '质量'],
  'remark.gaps': ['gaps', '缺样'],
  'remark.clock_jitter': ['clock jitters', '时钟抖动'],
  'remark.repeated_samples': ['samples repeat', '样本重复'],
  'remark.rest': ['at rest', '静止时段'],
  'remark.joint_at_rest': ['joint never moves', '关节不动'],
  'remark.unit_suspect': ['units?', '单位可疑'],
  'remark.clipped': ['torque clipped', '力矩削顶'],
  'remark.channel_delay': ['channels apart in time', '通道有时差'],
  'remark.no_torque': ['no torques', '无力矩'],
  quality_report: ['Quality report', '质量报告'],
  quality_none: ['Nothing remarkable was found.', '未发现异常。'],
  evaluate_gains: ['Gains of drives, by which torques are multiplied', '驱动增益（力矩乘以该值）'],
  gains_as_logged: ['none: torques as logged', '无：采用记录的力矩'],
  unit: ['Unit', '单位'],
  least: ['Least', '最小'],
  greatest: ['Greatest', '最大'],
  used_by: ['Runs that learnt from it', '使用它的辨识'],
  delete_ask: ['Delete this for ever?', '确定永久删除？'],
  plotted: ['Plot', '曲线'],
})

// Each kind once, with how often, and all of its sentences.
const Remarks = ({ quality }) => [...new Set(quality.map(({ code }) => code))].map((code) => {
  const alike = quality.filter((one) => one.code === code)
  return html`<span key=${code} class="state warn" title=${alike.map((one) => said(one.detail, code)).join('\n')}>${t(`remark.${code}`)}${alike.length > 1 && ` × ${alike.length}`}</span> `
})

// Which models are held against the chosen logs.
function Evaluate({ sets, onClose }) {
  const { robot } = sets[0]
  const models = useAnswer(async (signal) => {
    const [revisions, runs] = await Promise.all([get(`v1/robots/${robot}/revisions`, { limit: 20 }, signal), get('v1/identifications', { robot, limit: 20 }, signal)])
    return [...revisions.items.map(({ revision }) => ({ model: `revision:${revision}`, text: `${robot} r${revision}` })), ...runs.items.map((run) => ({ model: `identification:${run.id}`, run: run.id, text: nameOf(run) }))]
  }, [robot])
  const [chosen, setChosen] = useState([])
  const [gains, setGains] = useState('')
  const mixed = sets.some((set) => set.robot !== robot)
  const start = async () => go(['jobs', (await post(`v1/robots/${robot}/evaluations`, { models: chosen, datasets: sets.map((set) => set.id), ...(gains && { drive_gains_from: gains }) }, { headers: once() })).id])
  return html`<${FormDialog} title=${t('evaluate')} does=${t('evaluate_do')} role="operator" disabled=${mixed || !chosen.length || chosen.length > 8} send=${start} onClose=${onClose}><p class="quiet">${t('evaluate_text')}</p>
    <${Refusal} error=${models.error} />${mixed && html`<${Notice} kind="bad">${t('identify_robot_one')}</${Notice}>`}
    <p>${sets.map((set) => html`<span key=${set.id} class="tag"><bdi>${nameOf(set)}</bdi></span>`)}</p>
    <fieldset class="scroll" style=${{ maxHeight: '40vh' }}><legend>${t('evaluate_models')}</legend>${(models.value ?? []).map(({ model, text }) => html`<${Check} key=${model} label=${html`<bdi>${text}</bdi>`} checked=${chosen.includes(model)} onChange=${() => setChosen(chosen.includes(model) ? chosen.filter((one) => one !== model) : [...chosen, model])} />`)}</fieldset>
    <${Field} label=${t('evaluate_gains')}><select value=${gains} onChange=${(e) => setGains(e.target.value)}><option value="">${t('gains_as_logged')}</option>${(models.value ?? []).filter(({ run }) => run).map(({ run, text }) => html`<option key=${run} value=${run}>${text}</option>`)}</select></${Field}>
  </${FormDialog}>`
}

function All() {
  const { query } = route.value
  const list = useList('v1/datasets', askedOf(query))
  const [open, setOpen] = useState(null)
  const [done, setDone] = useState(null)
  const [dropped, drop] = useState(null) // a file, anywhere on this page
  useEffect(() => {
    const hold = (event) => event.dataTransfer?.types.includes('Files') && event.preventDefault()
    const take = (event) => {
      if (!event.dataTransfer?.files.length) return
      event.preventDefault()
      if (!session.may('engineer') || document.querySelector('dialog')) return
      drop(event.dataTransfer.files[0])
      setOpen('upload')
    }
    addEventListener('dragover', hold)
    addEventListener('drop', take)
    return () => {
      removeEventListener('dragover', hold)
      removeEventListener('drop', take)
    }
  }, [])
  const sets = useChosen(list.items).reverse()
  return html`
    <${Head} title=${t('page.datasets')} sub=${t('datasets_text')}>
      <${Field} label=${t('search')}><${Typed} live type="search" value=${query.get('q') ?? ''} onValue=${(q) => adjust({ q })} /></${Field}>
      <a class="button" href=${link(['mappings'])}>${t('page.mappings')}</a>
      <${Act} role="engineer" onClick=${() => setOpen('upload')}>${t('upload_title')}</${Act}>
      <${Act} role="operator" disabled=${!sets.length} title=${t('identify_hint')} onClick=${() => setOpen('evaluate')}>${t('evaluate')}</${Act}>
      <${Act} class="main" role="operator" disabled=${!sets.length} title=${t('identify_hint')} onClick=${() => setOpen('identify')}>${t('identify')}</${Act}>
    </${Head}>
    ${done && html`<${Notice} kind="good">${t('uploaded', { label: nameOf(done) })} <a href=${link(['datasets', done.id])}>${t('open')}</a></${Notice}>`}
    <${Listing} kind="datasets" list=${list} sort=${query.get('sort') ?? '-created_at'} columns=${[
      { key: 'label', head: t('label'), sort: 'label', class: 'wide', cell: (set) => html`<a href=${link(['datasets', set.id])}><bdi>${nameOf(set)}</bdi></a>` },
      { key: 'robot', head: t('robot'), class: 'tight', cell: (set) => `${set.robot} r${set.revision}` },
      { key: 'samples', head: t('samples'), number: true, cell: (set) => count(set.samples) },
      { key: 'duration', head: t('duration'), number: true, cell: (set) => `${figure(set.duration)} s` },
      { key: 'rate', head: t('rate'), number: true, cell: (set) => `${figure(set.rate)} Hz` },
      { key: 'quality', head: t('quality'), cell: (set) => html`<${Remarks} quality=${set.quality} />` },
      { key: 'created', head: t('created'), sort: 'created_at', class: 'tight', cell: (set) => moment(set.created_at) },
      { key: 'tags', head: t('tags'), cell: (set) => html`<${Tags} tags=${set.tags} />` },
      { key: 'created_by', head: t('who'), standard: false, cell: (set) => html`<bdi>${set.created_by ?? ''}</bdi>` },
      { key: 'reason', head: t('reason'), standard: false, class: 'wide', cell: (set) => set.reason ?? '' },
      { key: 'sha256', head: 'SHA-256', standard: false, cell: (set) => html`<code>${set.sha256.slice(0, 12)}</code>` },
    ]} /><p class="quiet">${t('identify_hint')}</p>
    ${open === 'upload' && html`<${Upload} dropped=${dropped} onClose=${() => { setOpen(null); drop(null) }} onDone=${(set) => { setOpen(null); drop(null); setDone(set); list.again() }} />`}
    ${open === 'evaluate' && html`<${Evaluate} sets=${sets} onClose=${() => setOpen(null)} />`}
    ${open === 'identify' && html`<${Identify} sets=${sets} onClose=${() => setOpen(null)} />`}`
}

const FIELDS = { q: 'position_axis', qd: 'velocity_axis_y', qdd: 'acceleration_axis', tau: 'torque_axis' }

function Plots({ set }) {
  const fields = Object.keys(FIELDS).filter((field) => set.columns.some((column) => column.name === `${field}1`))
  const clock = set.columns.find((column) => column.name === 't')
  const whole = [clock.min, clock.max]
  const { data, few, range, zoom, error } = useSamples([`v1/datasets/${set.id}/samples`], { whole, count: set.samples })
  const plots = useMemo(() => data && fields.map((field) => ({ field, x: data[0].column('t'), series: set.columns.map(({ name }) => name)
    .filter((name) => new RegExp(`^${field}\\d+$`).test(name)).flatMap((label, index) => drawn(data[0], few, label, { label, index })) })), [data])
  return html`<section class="panel"><h2>${t('plotted')}</h2><${Refusal} error=${error} />
    <${ZoomBar} range=${range} whole=${whole} onRange=${zoom} />
    ${plots ? plots.map(({ field, x, series }) => html`<${Plot} key=${field} title=${field} x=${x} series=${series} onRange=${zoom} sync="dataset" xLabel=${t('time_s')} yLabel=${t(FIELDS[field])} />`) : html`<${Loading} error=${error} />`}
  </section>
  <${Explore} path=${`v1/datasets/${set.id}/samples`} columns=${set.columns.map(({ name }) => name).filter((name) => name !== 't' && fields.includes(name.replace(/\d+$/, '')))} whole=${whole} rows=${set.samples} range=${range} onRange=${zoom} sync="dataset" />`
}

function One({ id }) {
  const answer = useAnswer((signal) => call('GET', `v1/datasets/${encodeURIComponent(id)}`, { signal }), [id])
  const users = useAnswer((signal) => get('v1/identifications', { datasets: id, limit: 20 }, signal), [id])
  const [asking, setAsking] = useState(false)
  const set = answer.value?.data
  useAbout(set?.robot)
  if (!set) return html`<${Refusal} error=${answer.error} /><${Loading} error=${answer.error} />`
  const remove = async () => {
    await call('DELETE', `v1/datasets/${set.id}`, { etag: answer.value.etag })
    go(['datasets'])
  }
  return html`
    <${Head} title=${nameOf(set)} sub=${html`<a href=${link(['robots', set.robot])}>${set.robot}</a> r${set.revision} · ${count(set.samples)} × ${set.columns.length} · ${figure(set.duration)} s · ${figure(set.rate)} Hz · <code>${set.id}</code>`}>
      <a class="button" href=${link(['datasets'], { chosen: set.id })}>${t('identify')}</a>
      <${Act} role="engineer" onClick=${() => setAsking(true)}>${t('delete')}</${Act}>
    </${Head}>
    <section class="panel"><h2>${t('quality_report')}</h2>${set.quality.length === 0 ? html`<p><span class="state good">${t('quality_none')}</span></p>` : html`<ul>${set.quality.map((one, k) => html`<li key=${k}><span class="state warn" title=${one.code}>${t(`remark.${one.code}`)}</span> ${said(one.detail, one.code)}</li>`)}</ul>`}
      <p class="quiet">SHA-256 <code>${set.sha256}</code></p></section>
    <${Plots} set=${set} />
    <section class="panel"><${Table} caption=${t('columns')} id=${(column) => column.name} items=${set.columns} columns=${[
      { key: 'name', head: t('columns'), cell: (column) => html`<code>${column.name}</code>` },
      { key: 'unit', head: t('unit'), cell: (column) => column.unit },
      { key: 'min', head: t('least'), number: true, cell: (column) => figure(column.min, 5) },
      { key: 'max', head: t('greatest'), number: true, cell: (column) => figure(column.max, 5) },
      { key: 'rms', head: 'RMS', number: true, cell: (column) => figure(column.rms, 5) },
    ]} /></section>
    <section class="panel"><h2>${t('used_by')}</h2>${users.value?.items.length ? users.value.items.map((run) => html`<a key=${run.id} class="tag" href=${link(['identifications', run.id])}><bdi>${nameOf(run)}</bdi></a>`) : html`<p class="quiet">${t('nothing')}</p>`}</section>
    <${Notes} path=${`v1/datasets/${set.id}`} document=${set} etag=${answer.value.etag} onSaved=${answer.again} />
    ${asking && html`<${FormDialog} title=${t('delete_ask')} does=${t('delete')} kind="danger" role="engineer" send=${remove} onClose=${() => setAsking(false)}><p><bdi>${set.label}</bdi> <code>${set.id}</code></p></${FormDialog}>`}`
}

export const Page = ({ path }) => (path[1] ? html`<${One} key=${path[1]} id=${path[1]} />` : html`<${All} />`)
