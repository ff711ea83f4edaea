// Label, tags, notes and pin of anything that can be written on.
import { useEffect, useState } from 'preact/hooks'
import { html } from '../html.js'
import { t, extend } from '../words.js'
import { call } from '../api.js'
import { useUnsaved } from '../route.js'
import { Act, Check, Field, Refusal } from './parts.js'

extend({
  edit_notes: ['Label, tags and notes', '名称、标记与备注'],
  tags_hint: ['one a line, name: value', '每行一个，名称: 值'],
  pinned: ['Pinned: cannot be deleted', '已固定：不能删除'],
})

const text = (tags) => Object.entries(tags ?? {}).map(([name, value]) => `${name}: ${value}`).join('\n')
const parse = (lines) => Object.fromEntries(lines.split('\n').filter((line) => line.trim()).map((line) => {
  const at = line.indexOf(':')
  return at < 0 ? [line.trim(), ''] : [line.slice(0, at).trim(), line.slice(at + 1).trim()]
}))

export function Notes({ path, document, etag, onSaved }) {
  const [draft, set] = useState(null)
  const [error, setError] = useState(null)
  const [saved, setSaved] = useState(false)
  useUnsaved(!!draft)
  const now = draft ?? { label: document.label ?? '', notes: document.notes ?? '', tags: text(document.tags), pinned: document.pinned }
  const change = (part) => {
    setSaved(false)
    set({ ...now, ...part })
  }
  const send = async (event) => {
    event.preventDefault()
    setError(null)
    const tags = parse(now.tags)
    for (const name of Object.keys(document.tags ?? {})) if (!(name in tags)) tags[name] = null
    const json = { label: now.label, notes: now.notes, tags, ...(document.pinned === undefined ? {} : { pinned: now.pinned }) }
    try {
      await call('PATCH', path, { json, type: 'application/merge-patch+json', etag })
      set(null)
      setSaved(true)
      onSaved()
    } catch (refusal) {
      setError(refusal)
    }
  }
  useEffect(() => set(null), [path])
  return html`<section class="panel"><h2>${t('edit_notes')}</h2><form class="stack" onSubmit=${send}>
    <${Refusal} error=${error} />
    <${Field} label=${t('label')}><input maxlength="128" value=${now.label} onInput=${(e) => change({ label: e.target.value })} /></${Field}>
    <${Field} label=${t('tags')} hint=${t('tags_hint')}><textarea rows="3" value=${now.tags} onInput=${(e) => change({ tags: e.target.value })}></textarea></${Field}>
    <${Field} label=${t('notes')}><textarea rows="5" value=${now.notes} onInput=${(e) => change({ notes: e.target.value })}></textarea></${Field}>
    ${document.pinned !== undefined && html`<${Check} label=${t('pinned')} checked=${now.pinned} onChange=${(e) => change({ pinned: e.target.checked })} />`}
    <div class="row"><${Act} role="engineer" type="submit" disabled=${!draft}>${t('save')}</${Act}>${saved && html`<span role="status">${t('saved')}</span>`}</div>
  </form></section>`
}
