// A list to work on: how much of it is shown, rows that are chosen to be labelled, exported or deleted together, columns that are
// chosen, views under a name. What is asked for, shown and chosen is in the address.
import { useState } from 'preact/hooks'
import { html } from '../html.js'
import { adjust, route } from '../route.js'
import { extend, t } from '../words.js'
import { call, get, save } from '../api.js'
import { FormDialog } from './dialog.js'
import { Act, Check, Field, Notice, Refusal } from './parts.js'
import { FIRST, Table } from './table.js'
import { Views } from './views.js'
import { count } from './format.js'
import { nameOf } from './names.js'
import { said } from './sentences.js'

extend({
  list_all: ['{count} in all', '共 {count} 个'],
  list_some: ['{count} shown, there are more', '已显示 {count} 个，还有更多'],
  list_so_far: ['{count} found so far', '目前找到 {count} 个'],
  chosen_count: ['{count} chosen', '已选 {count} 个'],
  choose_all: ['Choose all that are shown', '选择已显示的全部'],
  choose_none: ['Choose none', '取消选择'],
  bulk_label: ['Label, tag …', '名称、标记……'],
  bulk_delete: ['Delete …', '删除……'],
  bulk_csv: ['Export CSV', '导出 CSV'],
  bulk_json: ['Export JSON', '导出 JSON'],
  export_all: ['All that is asked for', '导出符合条件的全部'],
  export_chosen: ['What is chosen', '导出所选'],
  export_cut: ['The first {count} were exported; ask for less to have all.', '仅导出前 {count} 条；请缩小范围。'],
  bulk_label_title: ['Label and tag {count}', '为 {count} 个设置名称和标记'],
  bulk_label_hint: ['empty: as it is', '留空：保持不变'],
  bulk_tag_name: ['Name of a tag', '标记名'],
  bulk_tag_value: ['Its value; empty: take it away', '标记值；留空：移除'],
  bulk_delete_title: ['Delete {count} for ever?', '永久删除 {count} 个？'],
  bulk_done: ['Done: {count}.', '已完成：{count} 个。'],
  bulk_left: ['Refused, and as before: {count}', '被拒绝、保持原样：{count}'],
})

const chosenOf = (query) => (query.get('chosen') ?? '').split(',').filter(Boolean)
// The query of the address without what is not the service's.
export const askedOf = (query, more = {}) => new URLSearchParams([...[...query].filter(([name]) => !['columns', 'chosen', 'new'].includes(name)), ...Object.entries({ limit: FIRST, ...(query.get('sort') ? {} : { sort: '-created_at' }), ...more })])
export const useChosen = (items) => {
  const ids = chosenOf(route.value.query)
  return (items ?? []).filter((one) => ids.includes(one.id))
}

const flat = (value) => (value === null || typeof value !== 'object' ? value : Array.isArray(value) && value.every((one) => typeof one !== 'object') ? value.join(' ') : JSON.stringify(value))
const cell = (value) => (value == null ? '' : /[",\n\r;]/.test(String(value)) ? `"${String(value).replaceAll('"', '""')}"` : String(value))
// A leading = + - @ of a text would be a formula in a spreadsheet.
const plain = (value) => (typeof value === 'string' && /^[=+\-@\t\r]/.test(value) ? `'${value}` : value)

// Items as a table of their members; tags and metrics have a column each.
export function csvOf(items) {
  const rows = items.map(({ tags, metrics, ...rest }) => ({
    ...Object.fromEntries(Object.entries(rest).map(([name, value]) => [name, flat(value)])),
    ...Object.fromEntries(Object.entries(metrics ?? {}).map(([name, value]) => [name, value])),
    ...Object.fromEntries(Object.entries(tags ?? {}).map(([name, value]) => [`tag ${name}`, value])),
  }))
  const names = [...new Set(rows.flatMap(Object.keys))]
  return [names, ...rows.map((row) => names.map((name) => plain(row[name])))].map((row) => row.map(cell).join(',')).join('\r\n') + '\r\n'
}
const EXPORTED = 20000 // at most, of what is asked for page by page
// All of a list, as far as that: { items, more }.
export async function everyItem(path, query) {
  const items = []
  const asked = new URLSearchParams(query)
  asked.set('limit', '200')
  for (let cursor = null; items.length < EXPORTED;) {
    if (cursor) asked.set('cursor', cursor)
    const page = await get(path, asked)
    items.push(...page.items)
    cursor = page.next_cursor
    if (!cursor) return { items, more: false }
  }
  return { items, more: true }
}
export const exportItems = (name, items, format) => (format === 'csv' ? save(`${name}.csv`, csvOf(items), 'text/csv') : save(`${name}.json`, JSON.stringify(items, null, 1), 'application/json'))

// Buttons that save what was chosen, else all that is asked for.
//   path, query   of the list; chosen: items; name: of the file; of: what is saved of an item
export function Exports({ path, query, chosen = [], name, of = (one) => one }) {
  const [busy, setBusy] = useState(false)
  const [told, tell] = useState(null) // { error } or { count }: not all
  const save = async (format) => {
    setBusy(true)
    tell(null)
    try {
      const { items, more } = chosen.length ? { items: chosen } : await everyItem(path, query)
      exportItems(name, items.map(of), format)
      tell(more ? { count: items.length } : null)
    } catch (error) {
      tell({ error })
    }
    setBusy(false)
  }
  return html`${told?.error && html`<${Refusal} error=${told.error} />`}${told?.count && html`<span role="status">${t('export_cut', { count: count(told.count) })}</span>`}
    ${['csv', 'json'].map((format) => html`<${Act} key=${format} busy=${busy} title=${t(chosen.length ? 'export_chosen' : 'export_all')} onClick=${() => save(format)}>${t(`bulk_${format}`)}</${Act}>`)}`
}

// One call for each; those that were refused are told with their reasons.
async function each(items, work) {
  const left = []
  for (const one of items) {
    try {
      await work(one)
    } catch (error) {
      left.push({ one, error })
    }
  }
  return { done: items.length - left.length, left }
}

function Relabel({ kind, items, onClose, onDone }) {
  const [form, set] = useState({ label: '', tag: '', value: '' })
  const patch = { ...(form.label ? { label: form.label } : {}), ...(form.tag ? { tags: { [form.tag]: form.value || null } } : {}) }
  const send = async () => onDone(await each(items, (one) => call('PATCH', `v1/${kind}/${one.id}`, { json: patch, type: 'application/merge-patch+json', etag: '*' })))
  return html`<${FormDialog} title=${t('bulk_label_title', { count: items.length })} does=${t('save')} role="engineer" disabled=${!Object.keys(patch).length} send=${send} onClose=${onClose}>
    <${Field} label=${t('label')} hint=${t('bulk_label_hint')}><input maxlength="128" value=${form.label} onInput=${(e) => set({ ...form, label: e.target.value })} /></${Field}>
    <div class="row begin"><${Field} label=${t('bulk_tag_name')}><input maxlength="64" value=${form.tag} onInput=${(e) => set({ ...form, tag: e.target.value })} /></${Field}>
      <${Field} label=${t('bulk_tag_value')}><input maxlength="256" value=${form.value} onInput=${(e) => set({ ...form, value: e.target.value })} /></${Field}></div></${FormDialog}>`
}

function Remove({ kind, items, onClose, onDone }) {
  const send = async () => onDone(await each(items, (one) => call('DELETE', `v1/${kind}/${one.id}`, { etag: '*' })))
  return html`<${FormDialog} title=${t('bulk_delete_title', { count: items.length })} does=${t('delete')} kind="danger" role="engineer" send=${send} onClose=${onClose}>
    <ul>${items.slice(0, 10).map((one) => html`<li key=${one.id}><bdi>${nameOf(one)}</bdi> <code class="quiet">${one.id}</code></li>`)}${items.length > 10 && html`<li>…</li>`}</ul></${FormDialog}>`
}

function Outcome({ outcome: { done, left } }) {
  return html`${done > 0 && html`<${Notice} kind="good">${t('bulk_done', { count: done })}</${Notice}>`}
    ${left.length > 0 && html`<div class="notice bad" role="alert"><strong>${t('bulk_left', { count: left.length })}</strong><ul>${left.slice(0, 10).map(({ one, error }) => html`<li key=${one.id}><bdi>${nameOf(one)}</bdi>: ${said(error.message, error.body?.type)}</li>`)}</ul></div>`}`
}

// Which columns are shown: there are as many to choose from as the items have figures.
function Columns({ columns, shown }) {
  const [open, setOpen] = useState(false)
  const toggle = (key) => adjust({ columns: columns.map((column) => column.key).filter((one) => (one === key) !== shown.includes(one)).join(',') })
  return html`<details class="columns" name="listbar" onToggle=${(e) => setOpen(e.target.open)}><summary>${t('columns')}</summary>
    ${open && html`<div class="panel">${columns.map((column) => html`<${Check} key=${column.key} label=${column.head || column.key} checked=${shown.includes(column.key)} onChange=${() => toggle(column.key)} />`)}</div>`}</details>`
}

// kind: of the list, as in the API; list: of useList; columns: of a Table, those with `standard: false` are shown when they are chosen;
// fixed: its items can be exported alone; filters: what stands above; children: what else is done with those that are chosen.
export function Listing({ kind, list, columns, sort, fixed, children }) {
  const { query } = route.value
  const [open, setOpen] = useState(null)
  const [outcome, setOutcome] = useState(null) // told as long as the same is asked for
  const asked = askedOf(query).toString()
  const ids = chosenOf(query)
  const chosen = useChosen(list.items)
  const shown = query.get('columns')?.split(',') ?? columns.filter((one) => one.standard !== false).map(({ key }) => key)
  const done = (told) => {
    setOpen(null)
    setOutcome({ ...told, asked })
    adjust({ chosen: told.left.map(({ one }) => one.id).join(',') })
    list.again()
  }
  return html`<div class="panel">
    <${Refusal} error=${list.error} />
    ${outcome?.asked === asked && html`<${Outcome} outcome=${outcome} />`}
    <div class="row listbar"><span role="status">${list.items && t(!list.cursor ? 'list_all' : query.get('q') ? 'list_so_far' : 'list_some', { count: count(list.items.length) })}${chosen.length > 0 && html` · <strong>${t('chosen_count', { count: chosen.length })}</strong>`}</span>
      ${list.items?.length > 0 && html`<button type="button" class="plain" onClick=${() => adjust({ chosen: ids.length ? null : list.items.map(({ id }) => id).join(',') })}>${t(ids.length ? 'choose_none' : 'choose_all')}</button>`}
      <span class="spring"></span>${children}
      ${!fixed && html`<${Act} role="engineer" disabled=${!chosen.length} onClick=${() => setOpen('label')}>${t('bulk_label')}</${Act}><${Act} role="engineer" disabled=${!chosen.length} onClick=${() => setOpen('delete')}>${t('bulk_delete')}</${Act}>`}
      <${Exports} path=${`v1/${kind}`} query=${askedOf(query)} chosen=${chosen} name=${kind} />
      <${Columns} columns=${columns} shown=${shown} />
      <${Views} list=${kind} /></div>
    <${Table} tall caption=${t(`page.${kind}`)} items=${list.items} list=${list} sort=${sort} onSort=${(sort) => adjust({ sort })} columns=${columns.filter(({ key }) => shown.includes(key))} chosen=${ids} onChoose=${(chosen) => adjust({ chosen: chosen.join(',') })} />
    ${open === 'label' && html`<${Relabel} kind=${kind} items=${chosen} onClose=${() => setOpen(null)} onDone=${done} />`}
    ${open === 'delete' && html`<${Remove} kind=${kind} items=${chosen} onClose=${() => setOpen(null)} onDone=${done} />`}</div>`
}
