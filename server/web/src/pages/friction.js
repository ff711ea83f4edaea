// Friction of the joints as runs at constant speed tell it.
import './identification.words.js'
import { useState } from 'preact/hooks'
import { html } from '../html.js'
import { link, useAbout } from '../route.js'
import { extend, t } from '../words.js'
import { call } from '../api.js'
import { Act, Head, Loading, Notice, Refusal, Tags, useAnswer } from '../ui/parts.js'
import { Table } from '../ui/table.js'
import { Promote } from './promote.js'
import { Plot } from '../ui/plot.js'
import { Notes } from '../ui/notes.js'
import { Results } from '../ui/results.js'
import { sentence } from '../ui/sentences.js'
import { count, figure, moment, plusMinus, shortId } from '../ui/format.js'

extend({
  friction_text: ['From runs of one joint at a time at constant speed.', '由单关节匀速运行得到。'],
  friction_joints: ['Joints', '关节数'],
  friction_runs: ['Runs', '运行次数'],
  friction_error: ['Left of the means (rms)', '均值残差（rms）'],
  friction_held_out: ['The same on runs held out', '留出运行的残差'],
  friction_term: ['Terms', '项'],
  friction_fitted: ['what the terms give', '由各项计算'],
})

const termsOf = ({ friction, std }) => Object.entries(friction ?? {}).filter(([, value]) => typeof value === 'number' && value !== 0)
  .map(([name, value]) => html`<div key=${name}><code>${name}</code> ${plusMinus(value, std?.[name])}</div>`)

function One({ id }) {
  const answer = useAnswer((signal) => call('GET', `v1/friction-identifications/${encodeURIComponent(id)}`, { signal }), [id])
  const found = answer.value?.data
  const [open, setOpen] = useState(false)
  const [made, setMade] = useState(null) // the revision that it became
  useAbout(found?.robot)
  if (!found) return html`<${Refusal} error=${answer.error} /><${Loading} error=${answer.error} />`
  return html`
    <${Head} title=${found.label || t('page.friction-identifications')} sub=${html`${t('friction_text')} <a href=${link(['robots', found.robot], { revision: found.revision })}>${found.robot} r${found.revision}</a> · ${moment(found.created_at)} ·${found.data.map((set) => html` <a key=${set.id} href=${link(['datasets', set.id])}><bdi>${set.label || shortId(set.id)}</bdi></a>`)} <${Tags} tags=${found.tags} />`}><${Act} class="main" role="engineer" onClick=${() => setOpen(true)}>${t('promote')}</${Act}></${Head}>
    ${made && html`<${Notice} kind="good">${t('promoted', made)} <a href=${link(['robots', found.robot])}>${found.robot}</a></${Notice}>`}
    ${open && html`<${Promote} run=${found} kind="friction-identifications" parts=${['friction']} joints=${found.joints.map(({ joint }) => joint)} onClose=${() => setOpen(false)} onDone=${(change) => { setOpen(false); setMade(change) }} />`}
    ${found.warnings.length > 0 && html`<${Notice} kind="warn"><ul>${found.warnings.map((one, k) => html`<li key=${k}>${sentence(one)}</li>`)}</ul></${Notice}>`}
    <section class="panel"><${Table} caption=${t('page.friction-identifications')} id=${(one) => one.joint} items=${found.joints} columns=${[
      { key: 'joint', head: t('joint'), cell: (one) => html`<bdi>${one.joint}</bdi>` },
      { key: 'runs', head: t('friction_runs'), number: true, cell: (one) => one.run_count },
      { key: 'terms', head: t('friction_term'), class: 'wide', cell: termsOf },
      { key: 'error', head: t('friction_error'), number: true, cell: (one) => figure(one.error, 3) },
      { key: 'held', head: t('friction_held_out'), number: true, cell: (one) => figure(one.held_out_error, 3) },
    ]} /></section>
    <section class="panel"><h2>${t('friction_curves')}</h2><div class="grid">${found.joints.filter((one) => one.points.length).map((one) => html`<${Plot} key=${one.joint} title=${one.joint} height="220" x=${one.points.map((point) => point.speed)}
      series=${[{ label: t('measured'), values: one.points.map((point) => point.torque), index: 5, points: true }, { label: t('friction_fitted'), values: one.points.map((point) => point.fitted), index: 1, solid: true }]} xLabel=${t('velocity_axis')} yLabel=${t('friction_axis')} />`)}</div></section>
    <${Notes} path=${`v1/friction-identifications/${found.id}`} document=${found} etag=${answer.value.etag} onSaved=${answer.again} />`
}

const All = () => html`<${Results} kind="friction-identifications" kinds=${['evaluations', 'friction-identifications', 'identification-studies']} text=${t('friction_text')} columns=${[
  { key: 'joints', head: t('friction_joints'), sort: 'joint_count', number: true, cell: (one) => count(one.metrics?.joint_count) },
]} />`

export const Page = ({ path: [, id] }) => (id ? html`<${One} key=${id} id=${id} />` : html`<${All} />`)
