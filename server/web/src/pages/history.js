// What became of a robot's model: its revisions and where each came from, what differs between two of them, the names that stand for
// one, and the jobs that were asked about it.
import { useState } from 'preact/hooks'
import { html } from '../html.js'
import { adjust, link, route } from '../route.js'
import { extend, t } from '../words.js'
import { call, get } from '../api.js'
import { turnOf, unlessLive } from '../live.js'
import { FormDialog } from '../ui/dialog.js'
import { Act, Field, Head, Loading, Refusal, useAnswer } from '../ui/parts.js'
import { Table, useList } from '../ui/table.js'
import { figure, moment, shortId } from '../ui/format.js'
import { jobColumns } from '../ui/job_table.js'
import { differences } from '../ui/model.js'

extend({
  history_title: ['History of {robot}', '{robot} 的历史'],
  history_text: ['Nothing is overwritten: what was computed names the revision that it was computed with.', '任何内容都不会被覆盖：所有计算结果都注明所用版本。'],
  history_source: ['Came from', '来源'],
  history_hand: ['a model as it was entered', '录入的模型'],
  history_run: ['identification {run}', '辨识 {run}'],
  history_aliases: ['Names', '别名'],
  history_changes: ['What differs between two revisions', '两个版本的差异'],
  history_from: ['From', '从'],
  history_to: ['To', '到'],
  history_same: ['Nothing differs.', '没有差异。'],
  alias_title: ['Names that stand for a revision', '代表版本的别名'],
  alias_text: ['A call takes such a name instead of a number; what was computed names the number that it stood for then.', '调用可用别名代替版本号；计算结果记录当时所指的版本号。'],
  alias_new: ['New name …', '新建别名……'],
  alias_change: ['Let it stand for another …', '改指其他版本……'],
  alias_name: ['Name (a-z, 0-9, -)', '名称（a-z、0-9、-）'],
  alias_since: ['Since', '自'],
  alias_delete: ['Delete the name {name}?', '删除别名 {name}？'],
})

const shown = (value) => (typeof value === 'number' ? figure(value, 5) : JSON.stringify(value) ?? '–')

function Changes({ name, revisions }) {
  const newest = revisions[0].revision
  const [from, to] = ['against', 'of'].map((key, k) => Number(route.value.query.get(key)) || (k ? newest : newest - 1))
  const models = useAnswer((signal) => Promise.all([from, to].map((revision) => get(`v1/robots/${encodeURIComponent(name)}/revisions/${revision}`, {}, signal))), [name, from, to])
  const choice = (key, head, value) => html`<${Field} label=${t(head)}><select value=${value} onChange=${(e) => adjust({ [key]: e.target.value })}>${revisions.map((one) => html`<option key=${one.revision} value=${one.revision}>r${one.revision}</option>`)}</select></${Field}>`
  const rows = models.value ? differences(...models.value).filter(({ pointer }) => !/^\/(revision|created_at|identification|warnings\/)/.test(pointer)) : []
  return html`<section class="panel"><h2>${t('history_changes')}</h2><div class="row">${choice('against', 'history_from', from)}${choice('of', 'history_to', to)}</div>
    <${Refusal} error=${models.error} />
    ${!models.value ? html`<${Loading} error=${models.error} />` : rows.length === 0 ? html`<p class="quiet">${t('history_same')}</p>` : html`<${Table} tall caption=${t('history_changes')} id=${(row) => row.pointer} items=${rows} columns=${[
      { key: 'pointer', head: t('pointer'), cell: (row) => html`<code>${row.pointer}</code>` },
      { key: 'old', head: `r${from}`, number: true, cell: (row) => shown(row.old) },
      { key: 'new', head: `r${to}`, number: true, cell: (row) => shown(row.new) },
    ]} />`}</section>`
}

// alias: the one that is changed; without: a new one
function AliasForm({ robot, alias, revisions, onClose, onDone }) {
  const [draft, setDraft] = useState({ name: alias?.alias ?? '', revision: alias?.revision ?? revisions[0].revision, reason: '' })
  const set = (part) => setDraft({ ...draft, ...part })
  const path = `v1/robots/${encodeURIComponent(robot)}/aliases/${encodeURIComponent(draft.name)}`
  const send = async () => {
    const now = alias && (await call('GET', path))
    await call('PUT', path, { json: { revision: Number(draft.revision), reason: draft.reason || undefined }, etag: now?.etag, headers: now ? {} : { 'If-None-Match': '*' } })
    onDone()
  }
  return html`<${FormDialog} title=${t(alias ? 'alias_change' : 'alias_new')} does=${t('save')} role="engineer" send=${send} onClose=${onClose}>
    <${Field} label=${t('alias_name')}><input required pattern="[a-z0-9]([a-z0-9\\-]*[a-z0-9])?" disabled=${!!alias} value=${draft.name} onInput=${(e) => set({ name: e.target.value })} /></${Field}>
    <${Field} label=${t('revision')}><select value=${draft.revision} onChange=${(e) => set({ revision: e.target.value })}>${revisions.map((one) => html`<option key=${one.revision} value=${one.revision}>r${one.revision} · ${moment(one.created_at)}</option>`)}</select></${Field}>
    <${Field} label=${t('reason')}><input maxlength="1024" value=${draft.reason} onInput=${(e) => set({ reason: e.target.value })} /></${Field}></${FormDialog}>`
}

function Aliases({ robot, aliases, revisions }) {
  const [open, setOpen] = useState(null) // { change } or { remove }, of an alias; {}: a new one
  const done = () => {
    setOpen(null)
    aliases.again()
  }
  const remove = async () => {
    const path = `v1/robots/${encodeURIComponent(robot)}/aliases/${encodeURIComponent(open.remove.alias)}`
    await call('DELETE', path, { etag: (await call('GET', path)).etag })
    done()
  }
  return html`<section class="panel"><div class="head"><h2>${t('alias_title')}</h2><${Act} role="engineer" onClick=${() => setOpen({})}>${t('alias_new')}</${Act}></div>
    <p class="quiet">${t('alias_text')}</p><${Refusal} error=${aliases.error} />
    <${Table} caption=${t('alias_title')} id=${(one) => one.alias} items=${aliases.items} list=${aliases} columns=${[
      { key: 'alias', head: t('history_aliases'), cell: (one) => html`<code>${one.alias}</code>` },
      { key: 'revision', head: t('revision'), number: true, cell: (one) => html`<a href=${link(['robots', robot], { revision: one.revision })}>r${one.revision}</a>` },
      { key: 'since', head: t('alias_since'), class: 'tight', cell: (one) => moment(one.changed_at) },
      { key: 'reason', head: t('reason'), class: 'wide', cell: (one) => html`<bdi>${one.reason ?? ''}</bdi>` },
      { key: 'acts', head: '', cell: (one) => html`<span class="row"><${Act} role="engineer" onClick=${() => setOpen({ change: one })}>${t('alias_change')}</${Act}><${Act} role="engineer" onClick=${() => setOpen({ remove: one })}>${t('delete')}</${Act}></span>` },
    ]} />
    ${open?.remove && html`<${FormDialog} title=${t('alias_delete', { name: open.remove.alias })} does=${t('delete')} kind="danger" role="engineer" send=${remove} onClose=${() => setOpen(null)} />`}
    ${open && !open.remove && html`<${AliasForm} robot=${robot} alias=${open.change} revisions=${revisions} onClose=${() => setOpen(null)} onDone=${done} />`}</section>`
}

export function Page({ path: [, name] }) {
  const robot = encodeURIComponent(name)
  const revisions = useList(`v1/robots/${robot}/revisions`, { limit: 50 })
  const aliases = useList(`v1/robots/${robot}/aliases`, { limit: 100 })
  const jobs = useList('v1/jobs', { robot: name, sort: '-created_at', limit: 20 }, unlessLive(5000), turnOf('jobs'))
  const stand = (revision) => (aliases.items ?? []).filter((one) => one.revision === revision).map((one) => html`<span key=${one.alias} class="tag">${one.alias}</span>`)
  return html`
    <${Head} title=${t('history_title', { robot: name })} sub=${t('history_text')} />
    <${Refusal} error=${revisions.error} />
    <section class="panel"><${Table} tall caption=${t('history_title', { robot: name })} id=${(one) => one.revision} items=${revisions.items} list=${revisions} columns=${[
      { key: 'revision', head: t('revision'), number: true, cell: (one) => html`<a href=${link(['robots', name], { revision: one.revision })}>r${one.revision}</a>` },
      { key: 'created', head: t('created'), class: 'tight', cell: (one) => moment(one.created_at) },
      { key: 'source', head: t('history_source'), cell: (one) => (one.identification ? html`<a href=${link(['identifications', one.identification])}>${t('history_run', { run: shortId(one.identification) })}</a>` : t('history_hand')) },
      { key: 'aliases', head: t('history_aliases'), cell: (one) => stand(one.revision) },
      { key: 'description', head: '', class: 'wide', cell: (one) => html`<bdi class="quiet">${one.description ?? ''}</bdi>` },
    ]} /></section>
    ${revisions.items?.length > 1 && html`<${Changes} name=${name} revisions=${revisions.items} />`}
    ${revisions.items?.length > 0 && html`<${Aliases} robot=${name} aliases=${aliases} revisions=${revisions.items} />`}
    <section class="panel"><h2>${t('page.jobs')}</h2><${Refusal} error=${jobs.error} /><${Table} tall caption=${t('page.jobs')} items=${jobs.items} list=${jobs} columns=${jobColumns().filter(({ standard }) => standard !== false)} /></section>`
}
