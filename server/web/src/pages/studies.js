// Does what an identification states hold? Monte Carlo of its arm, motion and noise: coverage and bias of every parameter.
import './identification.words.js'
import { useState } from 'preact/hooks'
import { html } from '../html.js'
import { link, route, useAbout } from '../route.js'
import { extend, t } from '../words.js'
import { call, get } from '../api.js'
import { AskForm, Num, numberOf } from '../ui/asking.js'
import { Check, Field, Head, Loading, Notice, Refusal, Tags, useAnswer } from '../ui/parts.js'
import { Table } from '../ui/table.js'
import { Notes } from '../ui/notes.js'
import { OfRobot } from '../ui/of_robot.js'
import { Results, Tile } from '../ui/results.js'
import { sentence } from '../ui/sentences.js'
import { count, figure, moment, percent, plusMinus, shortId } from '../ui/format.js'

extend({
  study_text: ['How often the truth lies within what an identification states, by simulating its arm on its motion with its noise.', '按辨识所得手臂、运动和噪声进行仿真，检验其标准差是否可信。'],
  study_new: ['New study', '新建研究'],
  study_do: ['Begin the study', '开始研究'],
  study_of: ['Identification', '辨识'],
  study_none: ['There is no identification of this robot yet.', '该机器人还没有辨识结果。'],
  study_repetitions: ['Simulated runs', '仿真次数'],
  study_repetitions_hint: ['100 tell a share of 95 % to ± 4.5 %, 500 to ± 2 %', '100 次可将 95 % 的比例确定到 ± 4.5 %，500 次到 ± 2 %'],
  study_seed: ['Seed of the noise', '噪声种子'],
  study_positions: ['Positions are noisy, too', '位置也含噪声'],
  study_95: ['Within 95 % intervals', '落入 95 % 区间'],
  study_one: ['Within one deviation', '落入一个标准差'],
  study_completed: ['Simulated runs', '仿真次数'],
  study_failed: ['Not identified', '未能辨识'],
  study_other: ['Chose other friction', '选择了其他摩擦项'],
  study_share: ['{low} … {high}, stated {stated}', '{low} … {high}，应为 {stated}'],
  study_holds: ['What this identification states holds: {share} of its parameters lie within two deviations where 95 % should.', '该辨识给出的标准差可信：{share} 的参数落入两个标准差（应为 95 %）。'],
  study_small: ['Its deviations are too small: only {share} of the parameters lie within two of them where 95 % should.', '标准差偏小：仅 {share} 的参数落入两个标准差（应为 95 %）。'],
  study_large: ['Its deviations are larger than they need be: {share} of the parameters lie within two of them where 95 % should.', '标准差偏大：{share} 的参数落入两个标准差（应为 95 %）。'],
  study_parameters: ['Parameters, the least covered first', '参数（覆盖率由低到高）'],
  study_parameters_text: ['The bar is the interval of 95 % of the share; the line is where it should be.', '横条为比例的 95 % 区间，竖线为应有值。'],
  study_truth: ['Simulated', '仿真真值'],
  study_bias: ['Off in the mean', '平均偏差'],
  study_spread: ['Scatters by', '实际离散'],
  study_std: ['States', '给出的标准差'],
  study_ratio: ['States / scatters', '给出 / 实际'],
  study_runs: ['Runs', '次数'],
  study_noise: ['What was simulated', '仿真的噪声'],
  study_torque_noise: ['Torque noise', '力矩噪声'],
  study_order: ['Order', '阶数'],
  study_correlation: ['Correlated over [s]', '相关时间 [s]'],
  study_position_noise: ['Position noise', '位置噪声'],
})

const part = (value) => (value == null ? '–' : percent(100 * value))

function Form({ model }) {
  const runs = useAnswer((signal) => get('v1/identifications', { robot: model.name, sort: '-created_at', limit: 100 }, signal), [model.name])
  const [draft, setDraft] = useState({ repetitions: '100', seed: '1', positions: true })
  const items = runs.value?.items ?? []
  const identification = draft.identification ?? route.value.query.get('identification') ?? items[0]?.id
  const set = (more) => setDraft({ ...draft, ...more, changed: true })
  if (runs.value && !items.length) return html`<${Notice} kind="warn">${t('study_none')} <a href=${link(['datasets'], { robot: model.name })}>${t('page.datasets')}</a></${Notice}>`
  return html`<${AskForm} path=${`v1/robots/${model.name}/identification-studies`} changed=${!!draft.changed} does=${t('study_do')} disabled=${!identification}
    request=${{ identification, repetitions: numberOf(draft.repetitions), seed: numberOf(draft.seed), position_noise: draft.positions }}>
    <${Refusal} error=${runs.error} />
    <div class="row begin"><${Field} label=${t('study_of')}><select value=${identification} onChange=${(e) => set({ identification: e.target.value })}>${items.map((run) => html`<option key=${run.id} value=${run.id}>${run.label || run.estimator} ${shortId(run.id)}</option>`)}</select></${Field}>
      <${Num} label=${t('study_repetitions')} hint=${t('study_repetitions_hint')} required min="20" max="2000" step="1" value=${draft.repetitions} onValue=${(repetitions) => set({ repetitions })} />
      <${Num} label=${t('study_seed')} min="0" step="1" value=${draft.seed} onValue=${(seed) => set({ seed })} /></div>
    <${Check} label=${t('study_positions')} checked=${draft.positions} onChange=${(e) => set({ positions: e.target.checked })} />
  </${AskForm}>`
}

// A share between 0 and 1 with its interval, and where it is stated to be.
function Share({ of: { share, low, high, stated } }) {
  if (share == null) return '–'
  const x = (value) => 2 + 116 * value
  const apart = stated < low || stated > high
  return html`<span class="row" style=${{ flexWrap: 'nowrap', alignItems: 'center' }}><svg width="120" height="16" aria-hidden="true"><rect x=${x(low)} y="4" width=${Math.max(1, x(high) - x(low))} height="8" rx="2" fill=${apart ? 'var(--bad)' : 'var(--accent)'} opacity="0.55" />
    <circle cx=${x(share)} cy="8" r="3" fill="var(--ink)" /><line x1=${x(stated)} x2=${x(stated)} y1="0" y2="16" stroke="var(--ink)" stroke-width="1.5" /></svg> <span class=${`number ${apart && high < stated ? 'apart' : ''}`}>${part(share)}</span></span>`
}

const shareText = (one) => t('study_share', { low: part(one.low), high: part(one.high), stated: part(one.stated) })
const verdictOf = ({ within_95: { low, high, stated } }) => (high < stated ? 'study_small' : low > stated ? 'study_large' : 'study_holds')

function Parameters({ study }) {
  const rows = [...study.parameters].sort((a, b) => (a.coverage.within_95.share ?? 2) - (b.coverage.within_95.share ?? 2))
  return html`<section class="panel"><h2>${t('study_parameters')}</h2><p class="quiet">${t('study_parameters_text')}</p><${Table} tall caption=${t('study_parameters')} id=${(row) => row.expression} items=${rows} columns=${[
    { key: 'expression', head: t('expression'), class: 'wide', cell: (row) => html`<code>${row.expression}</code>` },
    { key: 'coverage', head: t('study_95'), cell: (row) => html`<${Share} of=${row.coverage.within_95} />` },
    { key: 'one', head: t('study_one'), cell: (row) => html`<${Share} of=${row.coverage.within_one} />` },
    { key: 'truth', head: t('study_truth'), number: true, cell: (row) => figure(row.truth) },
    { key: 'bias', head: t('study_bias'), number: true, cell: (row) => html`<span class=${Math.abs(row.bias) > 4 * row.bias_error ? 'apart' : ''}>${plusMinus(row.bias, row.bias_error)}</span>` },
    { key: 'spread', head: t('study_spread'), number: true, cell: (row) => figure(row.spread, 2) },
    { key: 'std', head: t('study_std'), number: true, cell: (row) => figure(row.std, 2) },
    { key: 'ratio', head: t('study_ratio'), number: true, cell: (row) => (row.spread > 0 ? figure(row.std / row.spread, 2) : '–') },
    { key: 'runs', head: t('study_runs'), number: true, cell: (row) => count(row.runs) },
  ]} /></section>`
}

function One({ id }) {
  const answer = useAnswer((signal) => call('GET', `v1/identification-studies/${encodeURIComponent(id)}`, { signal }), [id])
  const study = answer.value?.data
  useAbout(study?.robot)
  if (!study) return html`<${Refusal} error=${answer.error} /><${Loading} error=${answer.error} />`
  const { coverage } = study
  return html`
    <${Head} title=${study.label || `${study.robot} · ${t('page.identification-studies')}`} sub=${html`<a href=${link(['robots', study.robot])}>${study.robot}</a> r${study.identification_revision} · ${moment(study.created_at)} · <code>${study.id}</code> <${Tags} tags=${study.tags} />`}>
      <a class="button" href=${link(['identifications', study.identification])}>${t('study_of')}</a></${Head}>
    ${study.stale && html`<${Notice} kind="warn">${t('stale')}</${Notice}>`}
    <p class="lead">${t(verdictOf(coverage), { share: part(coverage.within_95.share) })}</p>
    ${study.warnings.length > 0 && html`<${Notice} kind="warn"><ul>${study.warnings.map((one, k) => html`<li key=${k}>${sentence(one)}</li>`)}</ul></${Notice}>`}
    <div class="tiles">${[['study_95', coverage.within_95], ['study_one', coverage.within_one]].map(([name, one]) => html`<div key=${name} class="tile"><span>${t(name)}</span><b>${part(one.share)}</b><small class="quiet">${shareText(one)}</small></div>`)}
      <${Tile} name="study_completed">${count(study.completed)}</${Tile}><${Tile} name="study_failed">${count(study.failed)}</${Tile}><${Tile} name="study_other">${count(study.other_terms)}</${Tile}></div>
    <${Parameters} study=${study} />
    <section class="panel"><h2>${t('study_noise')}</h2><${Table} caption=${t('study_noise')} id=${(row) => row.joint} items=${study.noise} columns=${[
      { key: 'joint', head: t('joint'), cell: (row) => html`<bdi>${row.joint}</bdi>` },
      { key: 'torque', head: t('study_torque_noise'), number: true, cell: (row) => `${figure(row.torque_std, 3)} N m, N` },
      { key: 'order', head: t('study_order'), number: true, cell: (row) => row.order },
      { key: 'correlation', head: t('study_correlation'), number: true, cell: (row) => figure(row.correlation_time, 3) },
      { key: 'position', head: t('study_position_noise'), number: true, cell: (row) => (row.position_std == null ? '–' : `${figure(row.position_std, 3)} rad, m`) },
    ]} /></section>
    <${Notes} path=${`v1/identification-studies/${study.id}`} document=${study} etag=${answer.value.etag} onSaved=${answer.again} />`
}

const All = () => html`<${Results} kind="identification-studies" kinds=${['evaluations', 'friction-identifications', 'identification-studies']} text=${t('study_text')} columns=${[
  { key: 'of', head: t('study_of'), class: 'tight', cell: (one) => html`<a href=${link(['identifications', one.identification])}>${one.estimator} ${shortId(one.identification)}</a>` },
  { key: '95', head: t('study_95'), sort: 'coverage.within_95', number: true, cell: (one) => part(one.metrics?.['coverage.within_95']) },
  { key: 'one', head: t('study_one'), sort: 'coverage.within_one', number: true, cell: (one) => part(one.metrics?.['coverage.within_one']) },
  { key: 'completed', head: t('study_completed'), sort: 'completed', number: true, cell: (one) => count(one.metrics?.completed) },
]}><a class="button" href=${link(['identification-studies', 'new'])}>${t('study_new')}</a></${Results}>`

export const Page = ({ path: [, id] }) => (id === 'new' ? html`<${OfRobot} title=${t('study_new')} text=${t('study_text')} form=${Form} />` : id ? html`<${One} key=${id} id=${id} />` : html`<${All} />`)
