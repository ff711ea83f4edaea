// Views of a list: what it is asked for and which columns it shows, kept under a name in this browser, and as a link for others.
import { signal } from '@preact/signals'
import { useState } from 'preact/hooks'
import { html } from '../html.js'
import { go, link, route } from '../route.js'
import { extend, t } from '../words.js'
import { Field } from './parts.js'

extend({
  views: ['Views', '视图'],
  views_none: ['Filters, order and columns can be kept under a name in this browser.', '筛选、排序与列可命名保存在此浏览器中。'],
  view_name: ['Name of this view', '此视图的名称'],
  view_save: ['Keep this view', '保存此视图'],
  view_remove: ['Forget the view {name}', '删除视图 {name}'],
  view_link: ['Copy the link', '复制链接'],
  view_copied: ['The link was copied.', '链接已复制。'],
  view_link_hand: ['Link to this view', '此视图的链接'],
})

const PLACE = 'armdyn.views'
const read = () => {
  try {
    return JSON.parse(localStorage.getItem(PLACE)) ?? {}
  } catch {
    return {} // a browser that keeps nothing, or what nobody wrote here
  }
}
const views = signal(read()) // { list: { name: query } }
function keep(list, changed) {
  views.value = { ...read(), [list]: changed }
  try {
    localStorage.setItem(PLACE, JSON.stringify(views.value))
  } catch {
    // then it lasts as long as this page
  }
}

// What tells nothing of how a list is looked at.
const PASSING = ['chosen', 'new']
const queryOf = (query) => new URLSearchParams([...query].filter(([name]) => !PASSING.includes(name))).toString()

export function Views({ list }) {
  const own = Object.entries(views.value[list] ?? {})
  const now = queryOf(route.value.query)
  const [name, setName] = useState('')
  const [copied, setCopied] = useState(null) // true; or the link, where a browser does not copy (without TLS)
  const save = (event) => {
    event.preventDefault()
    keep(list, { ...views.value[list], [name.trim()]: now })
    setName('')
  }
  const forget = (one) => keep(list, Object.fromEntries(own.filter(([name]) => name !== one)))
  const address = () => new URL(link([list], new URLSearchParams(now)), location.href).href
  const copy = () => (navigator.clipboard ? navigator.clipboard.writeText(address()).then(() => setCopied(true), () => setCopied(address())) : setCopied(address()))
  return html`<details class="columns views" name="listbar"><summary>${t('views')}</summary><div class="panel stack">
    ${own.length === 0 && html`<p class="quiet">${t('views_none')}</p>`}
    ${own.map(([name, query]) => html`<div key=${name} class="row"><a class="button" aria-current=${query === now ? 'page' : undefined} href=${link([list], new URLSearchParams(query))} onClick=${(e) => { e.preventDefault(); go([list], new URLSearchParams(query)) }}><bdi>${name}</bdi></a>
      <button type="button" class="plain" aria-label=${t('view_remove', { name })} title=${t('view_remove', { name })} onClick=${() => forget(name)}>✕</button></div>`)}
    <form class="row" onSubmit=${save}><${Field} label=${t('view_name')}><input required pattern=".*\\S.*" maxlength="60" value=${name} onInput=${(e) => setName(e.target.value)} /></${Field}><button type="submit">${t('view_save')}</button></form>
    <button type="button" onClick=${copy}>${t('view_link')}</button>
    ${copied === true ? html`<span role="status">${t('view_copied')}</span>` : copied && html`<${Field} label=${t('view_link_hand')}><input readonly value=${copied} onFocus=${(e) => e.target.select()} /></${Field}>`}
  </div></details>`
}
