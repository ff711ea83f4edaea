// Which base parameters of a run the data hardly tell apart: pairs whose errors go together.
import './identification.words.js'
import { html } from '../html.js'
import { extend, t } from '../words.js'
import { get } from '../api.js'
import { Loading, Refusal, useAnswer } from '../ui/parts.js'
import { Table } from '../ui/table.js'
import { figure } from '../ui/format.js'

extend({
  correlations: ['Correlations', '相关性'],
  correlations_text: ['Where two are strongly correlated the data tell their sum or difference better than each: move so that they act apart.', '两个参数强相关时，数据更能确定它们的和或差而非各自的值：应设计使其分别起作用的运动。'],
  correlations_none: ['No two are correlated by more than {least}.', '没有两个参数的相关系数超过 {least}。'],
  correlations_cut: ['{shown} of {all} pairs beyond {least}, the strongest first.', '相关系数超过 {least} 的共 {all} 对，显示最强的 {shown} 对。'],
  correlation_one: ['Parameter', '参数'],
  correlation_other: ['And', '与'],
  correlation: ['Correlation', '相关系数'],
})

const LEAST = 0.7 // of what is listed
const SHOWN = 30

// Pairs of indices by the size of their correlation.
function strongest(covariance) {
  const size = (k) => Math.sqrt(covariance[k][k])
  const pairs = covariance.flatMap((row, i) => row.slice(0, i).map((value, j) => ({ i, j, value: value / (size(i) * size(j)) })))
  return pairs.filter(({ value }) => Math.abs(value) >= LEAST).sort((a, b) => Math.abs(b.value) - Math.abs(a.value))
}

export function Correlations({ run }) {
  const answer = useAnswer((signal) => get(`v1/identifications/${encodeURIComponent(run.id)}/covariance`, {}, signal), [run.id])
  const covariance = answer.value?.covariance
  const name = (k) => html`<code>${run.parameters.base[k]?.expression}</code>`
  const pairs = covariance ? strongest(covariance) : []
  const bar = (value) => html`<svg width="120" height="10" viewBox="-60 0 120 10" aria-hidden="true"><line x1="0" x2="0" y1="0" y2="10" stroke="var(--quiet)" /><rect x=${Math.min(0, 58 * value)} width=${58 * Math.abs(value)} y="2" height="6" fill="var(--accent)" /></svg>`
  return html`<section class="panel"><h2>${t('correlations')}</h2><p class="quiet">${t('correlations_text')} ${covariance && t(pairs.length ? 'correlations_cut' : 'correlations_none', { least: LEAST, all: pairs.length, shown: Math.min(SHOWN, pairs.length) })}</p>
    <${Refusal} error=${answer.error} />${!covariance ? html`<${Loading} error=${answer.error} />` : pairs.length > 0 && html`<${Table} tall caption=${t('correlations')} id=${({ i, j }) => `${i} ${j}`} items=${pairs.slice(0, SHOWN)} columns=${[
      { key: 'one', head: t('correlation_one'), class: 'wide', cell: ({ j }) => name(j) },
      { key: 'other', head: t('correlation_other'), class: 'wide', cell: ({ i }) => name(i) },
      { key: 'bar', head: '', cell: ({ value }) => bar(value) },
      { key: 'value', head: t('correlation'), number: true, cell: ({ value }) => figure(value, 3) },
    ]} />`}</section>`
}
