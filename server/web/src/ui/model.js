// The numbers of a model as fields, each with what the service says of it; and what differs between two models.
import { useState } from 'preact/hooks'
import { html } from '../html.js'
import { extend, t } from '../words.js'
import { call } from '../api.js'
import { useUnsaved } from '../route.js'
import { kindOf } from './kind.js'
import { Act, Check, Notice, Refusal } from './parts.js'
import { said } from './sentences.js'

extend({
  editor: ['Edit the model', '编辑模型'],
  editor_text: ['Saving makes a new revision. What the service finds wrong or suspicious stands beside the field.', '保存后生成新版本。服务发现的错误或可疑之处显示在相应字段旁。'],
  editor_general: ['General', '通用'],
  editor_visual: ['Shown by', '外形'],
  editor_save: ['Save as a new revision', '保存为新版本'],
})

const ANSWERED = ['revision', 'created_at', 'unphysical', 'warnings'] // which a PUT ignores

// [pointer, value] of every number, text and truth value.
export function leaves(node, at = '') {
  if (node === null || typeof node !== 'object') return [[at, node]]
  return Object.entries(node).flatMap(([name, value]) => (at === '' && ANSWERED.includes(name) ? [] : leaves(value, `${at}/${name}`)))
}

export function differences(before, after) {
  const [old, fresh] = [new Map(leaves(before)), new Map(leaves(after))]
  return [...new Set([...old.keys(), ...fresh.keys()])].filter((pointer) => old.get(pointer) !== fresh.get(pointer)).map((pointer) => ({ pointer, old: old.get(pointer), new: fresh.get(pointer) }))
}

function replaced(node, [name, ...rest], value) {
  const copy = Array.isArray(node) ? [...node] : { ...node }
  copy[name] = rest.length ? replaced(node[name], rest, value) : value
  return copy
}

const Fields = ({ part, draft, remarks, onChange }) => html`<div class="fields">${leaves(part.node, part.at).map(([pointer, value]) => {
  const own = remarks.filter((one) => one.pointer && (one.pointer === pointer || pointer.startsWith(`${one.pointer}/`)))
  const label = pointer.slice(part.at.length + 1).replaceAll('/', ' ')
  const number = typeof value === 'number'
  return html`<label key=${pointer} class=${own.length ? 'remarked' : ''}><span><code>${label}</code></span>
    <input type=${number ? 'number' : 'text'} step="any" value=${value ?? ''} disabled=${value === null} aria-invalid=${own.some((one) => one.fault) || undefined}
      onChange=${(e) => onChange(pointer, number ? Number(e.target.value) : e.target.value)} />
    ${own.slice(0, 2).map((one, k) => html`<small key=${k}>${said(one.detail, one.code)}</small>`)}</label>`
})}</div>`

export function Editor({ model, etag, onSaved }) {
  const [draft, setDraft] = useState(model)
  const [allow, setAllow] = useState(model.unphysical)
  const [error, setError] = useState(null)
  const remarks = [...model.warnings, ...(error?.faults ?? []).map((one) => ({ ...one, fault: true }))]
  const change = (pointer, value) => setDraft(replaced(draft, pointer.slice(1).split('/'), value))
  const dirty = differences(model, draft).length
  useUnsaved(dirty > 0)
  const save = async (event) => {
    event.preventDefault()
    setError(null)
    try {
      await call('PUT', `v1/robots/${model.name}`, { json: draft, etag, query: { allow_unphysical: allow || null } })
      onSaved()
    } catch (refusal) {
      setError(refusal)
    }
  }
  const { joints, visuals = [], name: _, ...general } = draft
  const parts = [{ title: t('editor_general'), at: '', node: general }, ...joints.map((joint, j) => ({ title: joint.name ?? `${j + 1}`, at: `/joints/${j}`, node: joint })), ...visuals.map((visual, k) => ({ title: `${t('editor_visual')} ${visual.mesh ?? kindOf(visual)}`, at: `/visuals/${k}`, node: visual }))]
  return html`<form class="panel" onSubmit=${save} aria-label=${t('editor')}><h2>${t('editor')}</h2><p class="quiet">${t('editor_text')}</p><${Refusal} error=${error} />
    ${parts.map((part) => html`<details key=${part.at} open=${remarks.some((one) => part.at && one.pointer?.startsWith(`${part.at}/`) && one.fault)}><summary><bdi>${part.title}</bdi></summary><${Fields} part=${part} draft=${draft} remarks=${remarks} onChange=${change} /></details>`)}
    <${Check} label=${t('allow_unphysical')} checked=${allow} onChange=${(e) => setAllow(e.target.checked)} />
    <p><${Act} type="submit" class="main" role="engineer" disabled=${!dirty}>${t('editor_save')}${dirty ? ` (${dirty})` : ''}</${Act}></p></form>`
}
