// Keeping a log: which robot it is of, how it is to be read, and what it looks like before it is kept.
import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { html } from '../html.js'
import { extend, t } from '../words.js'
import { call, get } from '../api.js'
import { upload } from '../uploads.js'
import { FormDialog } from '../ui/dialog.js'
import { Act, Bar, Field, Notice, Refusal, useAnswer } from '../ui/parts.js'
import { count, figure } from '../ui/format.js'
import { Plot } from '../ui/plot.js'
import { degreesOf, flawsOf, readSlice } from '../ui/logs.js'
import { Mapping } from './mapping.js'

extend({
  upload_title: ['Upload a log', '上传日志'],
  upload_drop: ['Drop a file here, or', '将文件拖到此处，或'],
  upload_choose: ['choose one', '选择文件'],
  upload_formats: ['CSV with columns t, q1.., tau1.. (or qd, qdd, i), .npy, or JSON. Logs of drives that look otherwise need a mapping.', 'CSV（列 t, q1.., tau1..，可含 qd、qdd、i）、.npy 或 JSON。其他格式的驱动器日志需要列映射。'],
  mapping: ['Mapping', '列映射'],
  mapping_none: ['none: columns are named t, q1, tau1 ...', '无：列名为 t、q1、tau1 等'],
  mapping_edit: ['New or changed mapping …', '新建或修改映射……'],
  preview: ['Preview', '预览'],
  preview_read: ['As read', '原始数据'],
  preview_converted: ['As kept: SI, joint side', '转换后：SI 单位，关节侧'],
  upload_do: ['Upload', '上传'],
  uploading: ['Uploading {percent} %', '正在上传 {percent} %'],
  upload_waits: ['Waits for other uploads of this browser …', '等待此浏览器的其他上传……'],
  uploaded: ['Kept as {label}.', '已保存为 {label}。'],
  degrees_seen: ['{columns}: up to {value}, which no joint of {robot} turns in rad. The angles of this log look like degrees.', '{columns}：最大 {value}，超出 {robot} 关节的弧度范围，看起来是角度（度）。'],
  degrees_convert: ['Convert degrees to rad', '将度转换为弧度'],
  degrees_mapping: ['Read by the mapping {mapping}, which converts them.', '已使用列映射 {mapping} 进行转换。'],
  columns_many: ['The file has columns for {file} joints; {robot} has {joints}.', '文件包含 {file} 个关节的列；{robot} 有 {joints} 个关节。'],
  'flaw.back': ['Its clock does not go on at sample {row}, {time} s.', '第 {row} 个样本（{time} s）处时钟没有前进。'],
  'flaw.uneven': ['{count} intervals differ from the usual one ({rate} Hz): samples may be missing.', '{count} 个间隔与通常间隔（{rate} Hz）不同：可能缺少样本。'],
  'flaw.still': ['{columns}: never moves here.', '{columns}：此处从不运动。'],
  'flaw.torqueless': ['There are neither torques nor currents: it serves for plots and plans, not for identification.', '既无力矩也无电流：可用于绘图和规划，不能用于辨识。'],
  columns_unknown: ['The columns of this file are not called as here.', '该文件的列名与本服务不同。'],
  columns_propose: ['Propose a mapping …', '提出列映射……'],
  slice_of: ['The beginning of the file', '文件开头部分'],
})

const TYPES = { csv: 'text/csv', txt: 'text/csv', npy: 'application/x-npy', json: 'application/json' }
const typeOf = (file) => TYPES[file.name.split('.').pop().toLowerCase()] ?? 'text/csv'
const PREVIEW_BYTES = 200000
// Of a log in degrees: of joints that turn, and of joints that slide.
const UNITS = { q: ['deg', 'm'], qd: ['deg/s', 'm/s'], qdd: ['deg/s^2', 'm/s^2'], tau: ['N*m', 'N'], i: ['A', 'A'] }

function Preview({ preview }) {
  const shown = (title, columns, rows) => html`<h3>${title}</h3><div class="scroll" style=${{ maxHeight: '30vh' }} tabindex="0" role="region" aria-label=${title}><table><thead><tr>${columns.map((name) => html`<th key=${name} class="number">${name}</th>`)}</tr></thead>
    <tbody>${rows.slice(0, 8).map((row, k) => html`<tr key=${k}>${row.map((value, c) => html`<td key=${c} class="number">${figure(value, 6)}</td>`)}</tr>`)}</tbody></table></div>`
  return html`${shown(t('preview_read'), preview.columns, preview.read)}${shown(t('preview_converted'), preview.converted.columns, preview.converted.rows)}`
}

// What the beginning of a log in this service's own columns looks like, one plot for each quantity.
function Looks({ slice }) {
  const plots = useMemo(() => ['q', 'tau', 'i'].map((field) => ({ field, series: slice.names.map((label, k) => ({ label, k })).filter(({ label }) => new RegExp(`^${field}\\d+$`).test(label)).map(({ label, k }, index) => ({ label, index, values: slice.columns[k] })) })).filter(({ series }) => series.length), [slice])
  const time = slice.columns[slice.names.indexOf('t')]
  if (!time || !plots.length) return null
  return html`<h3>${t('slice_of')}</h3><div class="grid">${plots.map(({ field, series }) => html`<${Plot} key=${field} title=${field} x=${time} series=${series} height="150" xLabel=${t('time_s')} yLabel=${field} />`)}</div>`
}

export function Upload({ dropped, onClose, onDone }) {
  const robots = useAnswer((signal) => get('v1/robots', { limit: 200 }, signal))
  const mappings = useAnswer((signal) => get('v1/mappings', { limit: 200 }, signal))
  const [file, setFile] = useState(dropped ?? null)
  const [over, setOver] = useState(false)
  const [form, setForm] = useState({ robot: '', label: dropped?.name.slice(0, 120) ?? '', mapping: '' })
  const [state, setState] = useState({})
  const [editing, setEditing] = useState(false)
  const input = useRef()
  const sending = useRef(null) // whose upload ends with this dialog
  useEffect(() => () => sending.current?.abort(), [])
  const slice = useAnswer(async () => (file && typeOf(file) === 'text/csv' ? readSlice(await file.slice(0, PREVIEW_BYTES).text()) : null), [file])
  // the first robot that has as many joints as the file has columns for
  const fitting = robots.value?.items.find((one) => one.joints === slice.value?.joints) ?? robots.value?.items[0]
  const robot = form.robot || fitting?.name || ''
  const model = useAnswer(async (signal) => (robot ? get(`v1/robots/${robot}`, {}, signal) : null), [robot])
  const suspects = !form.mapping && slice.value && model.value?.name === robot ? degreesOf(slice.value, model.value) : []
  const unknown = file && !form.mapping && slice.value === null && typeOf(file) === 'text/csv' // columns that are called otherwise
  const flaws = !form.mapping && slice.value ? flawsOf(slice.value) : []
  const miscounted = !form.mapping && slice.value?.joints > 0 && model.value?.name === robot && slice.value.joints !== model.value.joints.length
  const path = `v1/robots/${robot}/datasets`
  const take = (chosen) => {
    setFile(chosen)
    setState({})
    if (!form.label) setForm({ ...form, label: chosen.name.slice(0, 120) })
  }
  const look = async () => {
    setState({ busy: true })
    try {
      // whole lines of the beginning are enough to see whether it is read right
      const text = file.size > PREVIEW_BYTES && typeOf(file) === 'text/csv' ? (await file.slice(0, PREVIEW_BYTES).text()).replace(/\n[^\n]*$/, '\n') : file
      setState({ preview: (await call('POST', path, { body: text, type: typeOf(file), query: { mapping: form.mapping, preview: true } })).data })
    } catch (error) {
      setState({ error })
    }
  }
  // a mapping that reads the same columns, all that turns in degrees: no log has some of its joints so and some otherwise
  const convert = async () => {
    const mapping = `${robot}-degrees`.slice(0, 63)
    const columns = Object.fromEntries(slice.value.names.filter((name) => /^(q|qd|qdd|tau|i)\d+$/.test(name)).map((name) => {
      const [, field, number] = name.match(/^([a-z]+)(\d+)$/)
      return [name, { column: name, unit: UNITS[field][model.value.joints[number - 1]?.type === 'prismatic' ? 1 : 0] }]
    }))
    try {
      const there = mappings.value?.items.some((one) => one.name === mapping) && (await call('GET', `v1/mappings/${mapping}`))
      await call('PUT', `v1/mappings/${mapping}`, { json: { delimiter: slice.value.delimiter, decimal: '.', time: { column: 't', unit: 's' }, columns }, headers: there ? { 'If-Match': there.etag } : { 'If-None-Match': '*' } })
      mappings.again()
      setForm({ ...form, robot, mapping })
      setState({ converted: mapping })
    } catch (error) {
      setState({ error })
    }
  }
  const send = async () => {
    sending.current = new AbortController()
    try {
      onDone(await upload(path, { label: form.label, mapping: form.mapping }, file, typeOf(file), (progress) => setState({ progress }), { signal: sending.current.signal }))
    } catch (error) {
      setState({})
      if (!sending.current.signal.aborted) throw error
    }
  }
  if (editing) return html`<${Mapping} name=${form.mapping} file=${file} robot=${robot} onClose=${() => setEditing(false)} onSaved=${(mapping) => { setEditing(false); mappings.again(); setForm({ ...form, mapping }) }} />`
  return html`<${FormDialog} title=${t('upload_title')} does=${t('upload_do')} role="engineer" disabled=${!file || !robot} send=${send} onClose=${onClose}
    more=${html`<${Act} role="engineer" disabled=${!file || !robot} busy=${state.busy} onClick=${look}>${t('preview')}</${Act}>`}>
    <p class="quiet">${t('upload_formats')}</p>
    <${Refusal} error=${state.error ?? robots.error} />
    <div class=${`drop ${over ? 'over' : ''}`} onDragOver=${(e) => { e.preventDefault(); setOver(true) }} onDragLeave=${() => setOver(false)} onDrop=${(e) => { e.preventDefault(); e.stopPropagation(); setOver(false); e.dataTransfer.files[0] && take(e.dataTransfer.files[0]) }}>
      ${t('upload_drop')} <button type="button" onClick=${() => input.current.click()}>${t('upload_choose')}</button>
      <input ref=${input} type="file" aria-label=${t('upload_choose')} style=${{ display: 'none' }} accept=".csv,.txt,.npy,.json" onChange=${(e) => e.target.files[0] && take(e.target.files[0])} />
      ${file && html`<p><strong><bdi>${file.name}</bdi></strong> ${count(Math.ceil(file.size / 1024))} KiB</p>`}
    </div>
    <div class="row">
      <${Field} label=${t('robot')}><select value=${robot} onChange=${(e) => setForm({ ...form, robot: e.target.value })}>${(robots.value?.items ?? []).map(({ name }) => html`<option value=${name}>${name}</option>`)}</select></${Field}>
      <${Field} label=${t('label')}><input maxlength="128" value=${form.label} onInput=${(e) => setForm({ ...form, label: e.target.value })} /></${Field}>
      <${Field} label=${t('mapping')}><select value=${form.mapping} onChange=${(e) => setForm({ ...form, mapping: e.target.value })}><option value="">${t('mapping_none')}</option>${(mappings.value?.items ?? []).map(({ name }) => html`<option value=${name}>${name}</option>`)}</select></${Field}>
      <${Act} role="engineer" onClick=${() => setEditing(true)} disabled=${!robot}>${t('mapping_edit')}</${Act}>
    </div>
    ${unknown && html`<${Notice} kind="warn">${t('columns_unknown')} <${Act} role="engineer" disabled=${!robot} onClick=${() => setEditing(true)}>${t('columns_propose')}</${Act}></${Notice}>`}
    ${flaws.length > 0 && html`<${Notice} kind="warn"><ul>${flaws.map(({ what, ...values }) => html`<li key=${what}>${t(`flaw.${what}`, Object.fromEntries(Object.entries(values).map(([name, value]) => [name, typeof value === 'number' ? figure(value, 5) : value])))}</li>`)}</ul></${Notice}>`}
    ${miscounted && html`<${Notice} kind="warn">${t('columns_many', { file: slice.value.joints, robot, joints: model.value.joints.length })}</${Notice}>`}
    ${suspects.length > 0 && html`<${Notice} kind="warn">${t('degrees_seen', { columns: suspects.map((one) => one.name).join(', '), value: figure(Math.max(...suspects.map((one) => one.most)), 4), robot })} <${Act} role="engineer" onClick=${convert}>${t('degrees_convert')}</${Act}></${Notice}>`}
    ${state.converted && html`<${Notice} kind="good">${t('degrees_mapping', { mapping: state.converted })}</${Notice}>`}
    ${state.progress !== undefined && html`<${Bar} value=${state.progress} label=${t('upload_title')} /><p role="status">${state.progress === null ? t('upload_waits') : t('uploading', { percent: Math.round(100 * state.progress) })}</p>`}
    ${state.preview ? html`<${Preview} preview=${state.preview} />` : slice.value && html`<${Looks} slice=${slice.value} />`}
  </${FormDialog}>`
}
