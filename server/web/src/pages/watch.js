// An arm that is watched: what has drifted, what pushes it, and the beginning and end of the watch.
import { useState } from 'preact/hooks'
import { html } from '../html.js'
import { extend, t } from '../words.js'
import { call, get, post } from '../api.js'
import { newsOf, unlessLive, useLive } from '../live.js'
import { Act, Notice, Refusal, useAnswer } from '../ui/parts.js'
import { Table } from '../ui/table.js'
import { figure, moment } from '../ui/format.js'

extend({
  watch: ['Watch', '监视'],
  watch_none: ['The parameters of this arm are not followed.', '未跟踪该手臂的参数。'],
  watch_start: ['Watch', '开始监视'],
  watch_stop: ['Watch no more', '停止监视'],
  watch_text: ['Friction against revision {revision}; motions: {motions} ({seconds} s), gaps: {gaps}; last taken in {at}.', '与修订版 {revision} 比较的摩擦，来自 {motions} 个运动（{seconds} s），{gaps} 个间断；最近更新 {at}。'],
  watch_drifted: ['Since {since} the arm is no longer as its model says.', '自 {since} 起手臂与其模型不再一致。'],
  watch_torque: ['Drift, N m (N)', '漂移 N m (N)'],
  watch_threshold: ['Threshold', '阈值'],
  watch_noise: ['Noise', '噪声'],
  watch_residual: ['External torque', '外部力矩'],
})

export function Watch({ controller }) {
  const of = `v1/controllers/${encodeURIComponent(controller)}`, place = `${of}/watch`
  useLive(controller)
  const seen = useAnswer((signal) => get(`${of}/status`, {}, signal), [controller], unlessLive(2000))
  const status = newsOf('controllers', controller)?.status ?? seen.value
  const [former, setFormer] = useState(null) // what was known when it was stopped is true no more
  const watched = status !== former && status?.watched
  const answer = useAnswer(async (signal) => (watched ? get(place, {}, signal) : null), [controller, watched], watched ? 2000 : 0)
  const [error, setError] = useState(null)
  const watch = answer.value
  const ask = (what, ends) => () => what().then(() => { setError(null); setFormer(ends ? status : null); seen.again() }, setError)
  return html`<section class="panel"><div class="head"><div><h2>${t('watch')}</h2><p class="quiet">${watch
    ? t('watch_text', { revision: watch.revision, motions: watch.motions, seconds: figure(watch.seconds, 3), gaps: watch.gaps.count, at: watch.updated_at ? moment(watch.updated_at) : '–' })
    : t('watch_none')}</p></div>
      ${watch ? html`<${Act} role="engineer" onClick=${ask(() => call('DELETE', place), true)}>${t('watch_stop')}</${Act}>` : html`<${Act} role="engineer" onClick=${ask(() => post(place, {}))}>${t('watch_start')}</${Act}>`}</div>
    <${Refusal} error=${error ?? answer.error} />
    ${watch?.drifted_at && html`<${Notice} kind="warn">${t('watch_drifted', { since: moment(watch.drifted_at) })}</${Notice}>`}
    ${watch?.motions > 0 && html`<${Table} caption=${t('watch')} items=${watch.joints} columns=${[
      { key: 'joint', head: t('joint'), cell: (one) => one.joint },
      { key: 'torque', head: t('watch_torque'), number: true, cell: (one) => html`${one.drifted ? html`<strong class="state warn">${figure(one.drift_torque, 3)}</strong>` : figure(one.drift_torque, 3)}` },
      { key: 'threshold', head: t('watch_threshold'), number: true, cell: (one) => figure(one.threshold, 3) },
      { key: 'noise', head: t('watch_noise'), number: true, cell: (one) => figure(one.noise, 3) },
      { key: 'residual', head: t('watch_residual'), number: true, cell: (one) => one.collision_residual == null ? '–' : figure(one.collision_residual, 3) },
    ]} />`}</section>`
}
