// Models held against data sets: the fair comparison of errors.
import './identification.words.js'
import { useState } from 'preact/hooks'
import { html } from '../html.js'
import { link, useAbout } from '../route.js'
import { extend, t } from '../words.js'
import { call, save } from '../api.js'
import { Head, Loading, Notice, Refusal, Tags, useAnswer } from '../ui/parts.js'
import { Table } from '../ui/table.js'
import { Bars } from '../ui/bars.js'
import { Notes } from '../ui/notes.js'
import { Results } from '../ui/results.js'
import { sentence } from '../ui/sentences.js'
import { moment, percent, shortId } from '../ui/format.js'

extend({
  evaluation_text: ['How far predicted torques are off, of every model on every data set.', '各模型在各数据集上的力矩预测误差。'],
  evaluation_best: ['Least error, raw', '最小误差（原始）'],
  evaluation_new: ['Choose logs to evaluate with', '选择用于评估的日志'],
  evaluation_run: ['Run', '辨识'],
  gains_from_used: ['Torques times the gains of drives', '力矩已乘以驱动增益'],
  evaluation_model: ['Model', '模型'],
  trained_on_this: ['learnt from this', '由此训练'],
  repeats_training: ['repeats its training', '与训练重复'],
  error_parallel: ['Error, both filtered', '误差（同滤波）'],
  error_raw: ['Error, raw', '误差（原始）'],
  above_best: ['To the best, raw', '与最佳之差（原始）'],
})

const modelOf = (evaluation, name) => {
  const model = evaluation.models.find((one) => one.model === name)
  return model.identification
    ? html`<a href=${link(['identifications', model.identification])}>${t('evaluation_run')} ${shortId(model.identification)}</a>`
    : html`<a href=${link(['robots', evaluation.robot], { revision: model.revision })}>${evaluation.robot} r${model.revision}</a>`
}
// The same figures to cite: what it is called, how it is asked for, and its file's ending.
const TABLES = [['CSV', 'text/csv', 'csv'], ['Markdown', 'text/markdown', 'md'], ['LaTeX', 'application/x-latex', 'tex']]
const plain = (name) => (name.startsWith('identification:') ? shortId(name.slice('identification:'.length)) : name.replace('revision:', 'r'))

// Where an error lies, in percent; evaluations from before there were intervals have none.
const bounds = (interval) => interval && html` <small class="quiet number">${interval.map((bound) => bound.toFixed(2)).join(' … ')}</small>`
const aboveBest = (told) => (told && told.difference_percent != null ? html`${told.difference_percent.toFixed(2)}${bounds(told.difference_interval_percent)}` : '–')

function One({ id }) {
  const [error, setError] = useState(null)
  const answer = useAnswer((signal) => call('GET', `v1/evaluations/${encodeURIComponent(id)}`, { signal }), [id])
  const evaluation = answer.value?.data
  useAbout(evaluation?.robot)
  if (!evaluation) return html`<${Refusal} error=${answer.error} /><${Loading} error=${answer.error} />`
  const file = (accept, ending) => call('GET', `v1/evaluations/${evaluation.id}/table`, { accept: 'text', headers: { Accept: accept } }).then(({ data }) => save(`evaluation-${evaluation.id}.${ending}`, data, accept), setError)
  const labels = new Map(evaluation.provenance.datasets.map((set) => [set.id, set.label || shortId(set.id)]))
  const joints = evaluation.evaluations[0].errors.raw.joints.map((_, j) => j)
  return html`
    <${Head} title=${evaluation.label || t('page.evaluations')} sub=${html`${t('evaluation_text')} <a href=${link(['robots', evaluation.robot])}>${evaluation.robot}</a> · ${moment(evaluation.created_at)} · <code>${evaluation.id}</code> <${Tags} tags=${evaluation.tags} />`}>
      ${TABLES.map(([name, accept, ending]) => html`<button key=${name} type="button" onClick=${() => file(accept, ending)}>${name}</button>`)}</${Head}>
    <${Refusal} error=${error} />
    ${evaluation.drive_gains && html`<p>${t('gains_from_used')}: ${evaluation.drive_gains.gains.map((gain) => gain.toPrecision(4)).join(', ')} (<a href=${link(['identifications', evaluation.drive_gains.identification])}>${shortId(evaluation.drive_gains.identification)}</a>)</p>`}
    ${evaluation.warnings.length > 0 && html`<${Notice} kind="warn"><ul>${evaluation.warnings.map((one, k) => html`<li key=${k}>${sentence(one)}</li>`)}</ul></${Notice}>`}
    <section class="panel"><${Table} caption=${t('page.evaluations')} id=${(row) => `${row.model} ${row.dataset}`} items=${evaluation.evaluations} columns=${[
      { key: 'model', head: t('evaluation_model'), class: 'tight', cell: (row) => modelOf(evaluation, row.model) },
      { key: 'data', head: t('data'), class: 'wide', cell: (row) => html`<a href=${link(['datasets', row.dataset])}><bdi>${labels.get(row.dataset)}</bdi></a>
        ${row.trained_on_this ? html` <span class="state warn">${t('trained_on_this')}</span>` : row.repeats_training && html` <span class="state warn">${t('repeats_training')}</span>`}` },
      { key: 'raw', head: t('error_raw'), number: true, cell: (row) => html`${percent(row.errors.raw.relative_percent)}${bounds(row.intervals?.raw.interval_percent)}` },
      { key: 'above', head: t('above_best'), number: true, cell: (row) => aboveBest(row.intervals?.raw) },
      { key: 'parallel', head: t('error_parallel'), number: true, cell: (row) => html`${percent(row.errors.parallel?.relative_percent)}${bounds(row.intervals?.parallel.interval_percent)}` },
      ...joints.map((j) => ({ key: j, head: `${t('joint')} ${j + 1}`, number: true, cell: (row) => percent(row.errors.raw.joints[j].relative_percent) })),
    ]} /></section>
    <div class="grid">${evaluation.datasets.map((set) => html`<section key=${set} class="panel"><${Bars} title=${`${labels.get(set)}: ${t('errors_of_joints')}`} unit="%" legend=${evaluation.models.map(({ model }) => plain(model))}
      rows=${joints.map((j) => ({ label: `${t('joint')} ${j + 1}`, bars: evaluation.evaluations.filter((row) => row.dataset === set).map((row, index) => ({ index, value: row.errors.raw.joints[j].relative_percent })) }))} /></section>`)}</div>
    <${Notes} path=${`v1/evaluations/${evaluation.id}`} document=${evaluation} etag=${answer.value.etag} onSaved=${answer.again} />`
}

const errorOf = (key, head) => ({ key, head: t(head), number: true, cell: (one) => percent(Math.min(...Object.entries(one.metrics ?? {}).filter(([name]) => name.startsWith(`${key}.`)).map(([, value]) => value))) })

const All = () => html`<${Results} kind="evaluations" kinds=${['evaluations', 'friction-identifications', 'identification-studies']} text=${t('evaluation_text')} columns=${[
  { key: 'data', head: t('data'), class: 'tight', cell: (one) => (one.datasets ?? []).map((id) => html`<a key=${id} href=${link(['datasets', id])} title=${id}>${shortId(id)}</a> `) },
  errorOf('raw.relative_percent', 'evaluation_best'),
]}><a class="button" href=${link(['datasets'])}>${t('evaluation_new')}</a></${Results}>`

export const Page = ({ path: [, id] }) => (id ? html`<${One} key=${id} id=${id} />` : html`<${All} />`)
