// How the log of a drive becomes a data set: which column is what, in which unit. Saved under a name, for the next log too.
import { useEffect, useState } from 'preact/hooks'
import { html } from '../html.js'
import { extend, t } from '../words.js'
import { call, get } from '../api.js'
import { FormDialog } from '../ui/dialog.js'
import { guess } from '../ui/guess.js'
import { Field, Notice, Refusal } from '../ui/parts.js'

extend({
  mapping_title: ['Which column is what', '列的含义'],
  mapping_name: ['Name (a-z, 0-9, -)', '名称（a-z、0-9、-）'],
  delimiter: ['Delimiter', '分隔符'],
  decimal: ['Decimal mark', '小数点'],
  encoding: ['Encoding', '编码'],
  skip_rows: ['Lines before the names', '列名前的行数'],
  blanks: ['blanks', '空格'],
  has_names: ['A line names the columns', '含列名行'],
  no_clock: ['Rate, if there is no clock [Hz]', '采样率（无时间列时）[Hz]'],
  log_side: ['Logged at', '记录位置'],
  side_joint: ['joint', '关节侧'],
  side_motor: ['motor', '电机侧'],
  log_column: ['Column of the log', '日志中的列'],
  sign: ['Sign', '符号'],
  offset: ['Offset', '偏移'],
  meaning: ['Becomes', '对应'],
  unused: ['not used', '不使用'],
  mapping_guessed: ['Proposed by the names, numbers of columns and values of this file: look whether it is so.', '根据该文件的列名、列数和数值提出，请核对。'],
  mapping_from: ['Columns found in the file: {columns}', '文件中的列：{columns}'],
})

const UNITS = {
  t: ['s', 'ms', 'us', 'ns', 'min'],
  q: ['rad', 'deg', 'rev', 'm', 'mm'],
  qd: ['rad/s', 'deg/s', 'rpm', 'm/s', 'mm/s', 'mm/min'],
  qdd: ['rad/s^2', 'deg/s^2', 'm/s^2', 'mm/s^2'],
  tau: ['N*m', 'N*mm', 'kN*m', 'N', 'kN', 'permille_rated', 'percent_rated'],
  i: ['A', 'mA'],
}
// Of the joints or of the motors before the gears.
const SIDED = /^(q|qd|qdd|tau)\d+$/
const GUESSED_BYTES = 65536 // of a file, that tell how it is to be read
const ENCODINGS = { 'utf-8': 'utf-8', 'windows-1252': 'windows-1252', 'utf-16': 'utf-16le' }

export function Mapping({ name, file, robot, onClose, onSaved }) {
  const [form, setForm] = useState({ name: name || '', delimiter: ';', decimal: ',', encoding: 'utf-8', skip_rows: 0, header: true, rate: '' })
  const [rows, setRows] = useState([{ target: 't', column: '', unit: 's', sign: 1, offset: 0 }])
  const [found, setFound] = useState([])
  const [guessed, setGuessed] = useState(false)
  const [etag, setEtag] = useState(null)
  const [error, setError] = useState(null)
  useEffect(() => {
    if (!name) get(`v1/robots/${robot}`).then(async (model) => {
      const proposed = file && guess(await file.slice(0, GUESSED_BYTES).text(), model)
      const { rows: known = [], ...layout } = proposed ?? {}
      const empty = ['q', 'tau'].flatMap((field) => model.joints.map((_, j) => ({ target: `${field}${j + 1}`, column: '', unit: UNITS[field][0], sign: 1, offset: 0 })))
      setForm((now) => ({ ...now, ...layout }))
      setRows(([time]) => [known.find(({ target }) => target === 't') ?? time, ...known.filter(({ target }) => target !== 't'), ...empty.filter(({ target }) => !known.some((one) => one.target === target))])
      setGuessed(known.length > 0)
    }, setError)
    if (name) call('GET', `v1/mappings/${name}`).then(({ data, etag: tag }) => {
      setEtag(tag)
      const row = (target, { number, ...one }) => ({ target, sign: 1, offset: 0, ...one, column: one.column ?? (number ? String(number) : ''), numbered: number > 0 })
      setForm({ name, delimiter: data.delimiter ?? ',', decimal: data.decimal ?? '.', encoding: data.encoding ?? 'utf-8', skip_rows: data.skip_rows ?? 0, header: data.header ?? true, rate: data.time.rate ?? '' })
      setRows([row('t', { unit: 's', ...data.time }), ...Object.entries(data.columns).map(([target, column]) => row(target, column))])
    }, setError)
  }, [name, robot])
  // the names that stand in the file, to choose from
  useEffect(() => {
    if (!file) return
    file.slice(0, 65536).arrayBuffer().then((bytes) => {
      const line = new TextDecoder(ENCODINGS[form.encoding]).decode(bytes).split(/\r?\n/)[form.skip_rows] ?? ''
      const cells = (form.delimiter === ' ' ? line.trim().split(/[ \t]+/) : line.split(form.delimiter)).map((one) => one.trim().replace(/^"|"$/g, ''))
      setFound((form.header ? cells.filter(Boolean) : cells.map((_, k) => String(k + 1))).slice(0, 200))
    }, () => setFound([]))
  }, [file, form.delimiter, form.encoding, form.skip_rows, form.header])
  const change = (k, part) => setRows((now) => now.map((row, other) => (other === k ? { ...row, ...part } : row)))
  const store = async () => {
    const column = ({ target: _, column: name_, numbered, rate: _rate, ...row }) => ({ ...row, ...(numbered || !form.header ? { number: Number(name_) } : { column: name_ }), sign: Number(row.sign), offset: Number(row.offset) })
    const used = rows.filter((row) => row.column)
    const [time, ...others] = [used.find((row) => row.target === 't'), ...used.filter((row) => row.target !== 't')]
    const json = { delimiter: form.delimiter, decimal: form.decimal, encoding: form.encoding, skip_rows: Number(form.skip_rows), header: form.header, time: form.rate ? { rate: Number(form.rate) } : time && column(time), columns: Object.fromEntries(others.map((row) => [row.target, column(row)])) }
    await call('PUT', `v1/mappings/${encodeURIComponent(form.name)}`, { json, headers: etag && form.name === name ? { 'If-Match': etag } : { 'If-None-Match': '*' } })
    onSaved(form.name)
  }
  const field = (key, label, element) => html`<${Field} label=${t(label)}>${element({ value: form[key], onChange: (e) => setForm({ ...form, [key]: e.target.value }) })}</${Field}>`
  const choice = (options) => (rest) => html`<select ...${rest}>${options.map(([value, text]) => html`<option value=${value}>${text ?? value}</option>`)}</select>`
  return html`<${FormDialog} title=${t('mapping_title')} does=${t('save')} role="engineer" send=${store} onClose=${onClose}>
    <${Refusal} error=${error} />${guessed && html`<${Notice}>${t('mapping_guessed')}</${Notice}>`}
    <div class="row">
      <${Field} label=${t('mapping_name')}><input required pattern="[a-z0-9][a-z0-9._\\-]*" value=${form.name} onInput=${(e) => setForm({ ...form, name: e.target.value })} /></${Field}>
      ${field('delimiter', 'delimiter', choice([[';'], [','], ['\t', 'tab'], ['|'], [' ', t('blanks')]]))}
      ${field('decimal', 'decimal', choice([['.'], [',']]))}
      ${field('encoding', 'encoding', choice(Object.keys(ENCODINGS).map((one) => [one])))}
      <label class="check"><input type="checkbox" checked=${form.header} onChange=${(e) => setForm({ ...form, header: e.target.checked })} /><span>${t('has_names')}</span></label>
      <${Field} label=${t('no_clock')}><input type="number" min="0.001" step="any" style=${{ width: '7rem' }} value=${form.rate} onInput=${(e) => setForm({ ...form, rate: e.target.value })} /></${Field}>
      ${field('skip_rows', 'skip_rows', (rest) => html`<input type="number" min="0" style=${{ width: '7rem' }} ...${rest} />`)}
    </div>
    ${found.length > 0 && html`<p class="quiet">${t('mapping_from', { columns: found.join(' · ') })}</p>`}
    <datalist id="log-columns">${found.map((one) => html`<option value=${one} />`)}</datalist>
    <div class="scroll" style=${{ maxHeight: '42vh' }}><table><thead><tr><th>${t('meaning')}</th><th>${t('log_column')}</th><th>${t('unit')}</th><th>${t('log_side')}</th><th>${t('sign')}</th><th>${t('offset')}</th></tr></thead>
      <tbody>${rows.map((row, k) => html`<tr key=${row.target}><th scope="row"><code>${row.target}</code></th>
        <td><input list="log-columns" aria-label=${`${row.target}: ${t('log_column')}`} placeholder=${t('unused')} value=${row.column} onInput=${(e) => change(k, { column: e.target.value })} /></td>
        <td><select aria-label=${`${row.target}: ${t('unit')}`} value=${row.unit} onChange=${(e) => change(k, { unit: e.target.value })}>${UNITS[row.target.replace(/\d+$/, '')].map((unit) => html`<option value=${unit}>${unit}</option>`)}</select></td>
        <td>${SIDED.test(row.target) && html`<select aria-label=${`${row.target}: ${t('log_side')}`} value=${row.side ?? 'joint'} onChange=${(e) => change(k, { side: e.target.value })}>${['joint', 'motor'].map((side) => html`<option value=${side}>${t(`side_${side}`)}</option>`)}</select>`}</td>
        <td><select aria-label=${`${row.target}: ${t('sign')}`} value=${row.sign} onChange=${(e) => change(k, { sign: e.target.value })}><option value="1">+</option><option value="-1">−</option></select></td>
        <td><input type="number" step="any" style=${{ width: '7rem' }} aria-label=${`${row.target}: ${t('offset')}`} value=${row.offset} onInput=${(e) => change(k, { offset: e.target.value })} /></td></tr>`)}</tbody></table></div>
  </${FormDialog}>`
}
