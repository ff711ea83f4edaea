// What a run says in a few sentences, how it was made, and its joints against the figures that tell which of them is bad.
import './identification.words.js'
import { html } from '../html.js'
import { link } from '../route.js'
import { extend, t } from '../words.js'
import { figure, percent, shortId } from '../ui/format.js'
import { jointsOf, worstOf } from '../ui/run.js'
import { sentence } from '../ui/sentences.js'
import { ARMDYN_FRICTION_TERM_LIST } from 'virtual:lists'

extend({
  run_summary: ['Summary', '概要'],
  run_explains: ['On data that it had not seen it leaves {error} of the torque unexplained; on its own {training}.', '在未见过的数据上，{error} 的力矩未被解释；在训练数据上为 {training}。'],
  run_unseen_none: ['It was not validated: {training} of the torque of its own data is left unexplained, and nobody knows how much of other data.', '未经验证：训练数据中 {training} 的力矩未被解释，对其他数据的误差未知。'],
  run_worst: ['Worst joint: {joint}, with {error}.', '误差最大的关节：{joint}，为 {error}。'],
  run_told: ['The data tell {rank} of {all} base parameters; {poor} of them are known no better than to 30 %.', '数据可辨识 {all} 个基参数中的 {rank} 个；其中 {poor} 个的相对标准差超过 30 %。'],
  run_overfit: ['It is {times} times as far off on unseen data as on its own: it may have learnt what is special to them.', '未见数据上的误差是训练数据的 {times} 倍：可能存在过拟合。'],
  run_settings: ['Settings', '设置'],
  set_model: ['Starting from', '初始模型'],
  set_learnt: ['Learnt from', '训练数据'],
  set_validated: ['Validated with', '验证数据'],
  set_fraction: ['the last {percent} % of each', '各数据集最后 {percent} %'],
  set_friction: ['Friction terms', '摩擦项'],
  set_rotors: ['Rotor inertias', '转子惯量'],
  set_prior: ['Drawn to the model', '模型先验'],
  set_prior_chosen: ['strength {strength}, by cross-validation among {count}: the strongest within one standard error of the best', '强度 {strength}，由 {count} 个候选经交叉验证选出'],
  set_prior_asked: ['strength {strength}, as asked', '强度 {strength}（按请求）'],
  set_instruments: ['Instruments', '工具变量'],
  set_in_loop: ['simulated loop', '仿真闭环'],
  set_along_path: ['measured path, {cutoff} Hz', '实测轨迹，{cutoff} Hz'],
  set_filter_test: ['Test of the filters', '滤波检验'],
  set_filters_wrong: ['not sound', '不可靠'],
  set_filters_right: ['nothing against them', '未见异常'],
  set_cutoffs: ['Cut-offs tried', '所试截止频率'],
  set_cutoffs_value: ['{count} pairs; the chosen one leaves {error} times the error of the first on held-out parts', '{count} 组；所选者在留出数据上的误差为首组的 {error} 倍'],
  set_delays: ['Delays of torques', '力矩延迟'],
  set_delay: ['{joint} {delay} ± {std} ms', '{joint} {delay} ± {std} ms'],
  set_delay_kept: ['{joint} {delay} ± {std} ms, not taken out', '{joint} {delay} ± {std} ms，未消除'],
  set_delay_unknown: ['{joint} not told by the data', '{joint} 数据无法判断'],
  set_gains: ['Gains of drives', '驱动增益'],
  set_gain: ['{joint} {gain} ± {std}', '{joint} {gain} ± {std}'],
  set_gain_kept: ['{joint} {gain} ± {std}, not applied', '{joint} {gain} ± {std}，未采用'],
  set_gain_unknown: ['{joint} not told by the data', '{joint} 数据无法判断'],
  set_velocities: ['Logged velocities', '记录的速度'],
  set_velocities_used: ['used in {used} of {count} joints', '{count} 个关节中 {used} 个采用'],
  verdict_rests: ['at rest', '静止'],
  verdict_unlike: ['not that of the positions', '与位置不符'],
  verdict_gain: ['gain {gain}', '增益 {gain}'],
  verdict_offset: ['offset {offset}', '偏移 {offset}'],
  verdict_late: ['late by {delay} ms', '滞后 {delay} ms'],
  verdict_noisy: ['noise {noise} times', '噪声 {noise} 倍'],
  set_low_pass: ['Low-pass', '低通滤波'],
  set_low_pass_value: ['positions {position} Hz, torques {torque} Hz', '位置 {position} Hz，力矩 {torque} Hz'],
  set_clock: ['Clock', '采样时钟'],
  set_clock_value: ['{rate} Hz, {trim} s cut off both ends', '{rate} Hz，两端各截去 {trim} s'],
  set_chosen: ['chosen from the data', '根据数据选择'],
  set_asked: ['as asked', '按请求'],
  set_by_model: ['as the model has them', '按模型'],
  yes: ['yes', '是'],
  no: ['no', '否'],
  heat: ['Joints and figures', '关节与指标'],
  heat_text: ['Darker is worse among the joints; the worst of each column is marked. Choose a joint to see why.', '颜色越深表示该关节越差，每列最差者已标出。选择关节查看原因。'],
  heat_validation: ['Validation, raw [%]', '验证（原始）[%]'],
  heat_training: ['Training, raw [%]', '训练（原始）[%]'],
  heat_rms: ['Residual RMS', '残差均方根'],
  heat_max: ['Largest residual', '最大残差'],
  heat_r2: ['1 − R²', '1 − R²'],
  heat_velocity: ['Lack of fit over velocity, F', '速度失拟 F'],
  heat_position: ['Lack of fit over position, F', '位置失拟 F'],
  heat_friction: ['Least known friction term [%]', '最不确定的摩擦项 [%]'],
  heat_worst: ['worst', '最差'],
})

const TERMS = ARMDYN_FRICTION_TERM_LIST.map((term) => (term === 'stribeck' ? 'stiction' : term)) // as parameters are named
const termsOf = (run) => TERMS.filter((term) => run.parameters.friction.some((one) => Object.keys(one).some((name) => name === term || name.startsWith(`${term}.`))))
const poorest = (one) => Math.max(...Object.entries(one?.std ?? {}).map(([name, std]) => (std > 0 && one[name] ? (100 * std) / Math.abs(one[name]) : 0)), 0)
const fitOf = (run, j) => (run.errors.validation ?? run.errors.training)?.raw.joints[j]

// To add a figure: a row; the greater the worse.
const FIGURES = [
  { head: 'heat_validation', of: (run, j) => run.errors.validation?.raw.joints[j].relative_percent, show: percent },
  { head: 'heat_training', of: (run, j) => run.errors.training?.raw.joints[j].relative_percent, show: percent },
  { head: 'heat_rms', of: (run, j) => fitOf(run, j)?.rms, own: true }, // joints are of different size: each for itself
  { head: 'heat_max', of: (run, j) => fitOf(run, j)?.max, own: true },
  { head: 'heat_r2', of: (run, j) => fitOf(run, j)?.r2 == null ? null : 1 - fitOf(run, j).r2 },
  { head: 'heat_velocity', of: (run, j) => run.lack_of_fit?.[j]?.velocity?.f },
  { head: 'heat_position', of: (run, j) => run.lack_of_fit?.[j]?.position?.f },
  { head: 'heat_friction', of: (run, j) => poorest(run.parameters.friction[j]) || null, show: (value) => figure(value, 2) },
]

export function Summary({ run }) {
  const [validation, training] = [run.errors.validation?.raw, run.errors.training?.raw]
  const joints = (validation ?? training)?.joints ?? []
  const worst = worstOf(run)
  const poor = run.parameters.base.filter((one) => one.relative_std_percent > 30).length
  const times = validation && training && validation.relative_percent / training.relative_percent
  return html`<section class="panel"><h2>${t('run_summary')}</h2>
    <p class="lead">${validation ? t('run_explains', { error: percent(validation.relative_percent), training: percent(training?.relative_percent) }) : t('run_unseen_none', { training: percent(training?.relative_percent) })}
      ${' '}${joints.length > 0 && t('run_worst', { joint: jointsOf(run)[worst], error: percent(joints[worst].relative_percent) })}</p>
    ${times > 2 && html`<p><span class="state warn">${t('run_overfit', { times: figure(times, 2) })}</span></p>`}
    <p>${t('run_told', { rank: run.rank, all: run.base_parameter_count, poor })} <span class=${`state ${run.physically_consistent ? 'good' : 'bad'}`}>${t(run.physically_consistent ? 'consistent_yes' : 'consistent_no')}</span></p>
    ${run.warnings.length > 0 && html`<div class="notice warn" role="status"><strong>${t('warnings')}</strong><ul>${run.warnings.map((one, k) => html`<li key=${k}>${sentence(one)}</li>`)}</ul></div>`}
  </section>`
}

const setsOf = (run, role) => run.provenance.datasets.filter((set) => set.role === role)
const links = (run, role) => setsOf(run, role).map((set) => html`<a key=${set.id + role} href=${link(['datasets', set.id])}><bdi>${set.label || shortId(set.id)}</bdi></a> `)
const names = (run, role) => setsOf(run, role).map((set) => `${set.label || shortId(set.id)} ${set.sha256?.slice(0, 6) ?? ''}`).join(', ')
const fractionOf = ({ request }) => (request?.validation_fraction ? t('set_fraction', { percent: figure(100 * request.validation_fraction, 3) }) : '')
const auto = ({ request }) => request?.friction?.includes('auto')
const why = (given) => html`<span class="quiet">(${t(given == null ? 'set_chosen' : 'set_asked')})</span>`
const whyOf = (run, name) => why(run.request?.conditioning?.[name])

// Where instruments come from, as a text.
const along = (from, cutoff) => (!from ? '' : from === 'simulated_loop' ? t('set_in_loop') : t('set_along_path', { cutoff: figure(cutoff, 3) }))

// How many joints' logged velocities were used, and what speaks against the others.
const velocitiesOf = (sets) => (sets ?? []).map(({ joints }) => [
  t('set_velocities_used', { used: joints.filter(({ used }) => used).length, count: joints.length }),
  ...joints.filter(({ used, verdict }) => !used && verdict !== 'agrees').map((one) =>
    `${one.joint}: ${t(`verdict_${one.verdict}`, { gain: figure(one.gain, 4), offset: figure(one.offset, 3), delay: figure(1000 * one.delay, 3), noise: figure(one.noise, 3) })}`),
].join(' · ')).join('; ')

// By joint: a number that was found, with its deviation, whether it was used, or that nothing is known of it.
const foundOf = (list, name, used, say) => (list ?? []).map((one) => t(one[name] == null ? `set_${name}_unknown` : one[used] ? `set_${name}` : `set_${name}_kept`, say(one))).join(' · ')
const delayOf = ({ joint, delay, std }) => ({ joint, delay: figure(1000 * delay, 3), std: figure(1000 * std, 2) })
const gainOf = ({ joint, gain, std }) => ({ joint, gain: figure(gain, 4), std: figure(std, 2) })

// What a run was asked for, and what was chosen for it, as a text; `cell` where its own page shows more. To add one: a row.
export const SETTINGS = [
  { head: 'set_model', of: (run) => `${run.robot} r${run.revision}` },
  { head: 'estimator', of: (run) => run.estimator },
  { head: 'set_learnt', of: (run) => names(run, 'training'), cell: (run) => links(run, 'training') },
  { head: 'set_validated', of: (run) => `${names(run, 'validation')} ${fractionOf(run)}`, cell: (run) => html`${links(run, 'validation')} ${fractionOf(run)}` },
  { head: 'set_friction', of: (run) => termsOf(run).join(', '), cell: (run) => html`${termsOf(run).map((term) => html`<code key=${term}>${term}</code> `)} ${auto(run) && why(null)}` },
  { head: 'set_rotors', of: (run) => (run.request?.rotor_inertia ? t('yes') : t('set_by_model')) },
  { head: 'set_prior', of: ({ prior }) => (!prior?.strength ? t('no') : prior.cross_validation?.length ? t('set_prior_chosen', { strength: figure(prior.strength, 3), count: prior.cross_validation.length }) : t('set_prior_asked', { strength: figure(prior.strength, 3) })) },
  { head: 'set_low_pass', of: ({ conditioning: one = {} }) => `${one.method} · ${t('set_low_pass_value', { position: figure(one.position_cutoff_hz, 3), torque: figure(one.torque_cutoff_hz, 3) })}`, why: 'position_cutoff_hz' },
  { head: 'set_cutoffs', of: ({ cutoffs }) => (cutoffs ? t('set_cutoffs_value', { count: cutoffs.length, error: figure(cutoffs.find(({ chosen }) => chosen).error, 3) }) : '') },
  { head: 'set_velocities', of: ({ velocities: sets }) => velocitiesOf(sets) },
  { head: 'set_delays', of: ({ torque_delays: list }) => foundOf(list, 'delay', 'compensated', delayOf) },
  { head: 'set_gains', of: ({ drive_gains: list }) => foundOf(list, 'gain', 'applied', gainOf) },
  { head: 'set_instruments', of: ({ instruments: one }) => along(one?.from, one?.cutoff_hz) },
  { head: 'set_filter_test', of: ({ filter_test: one }) => (one ? `${along(one.instruments, one.instrument_cutoff_hz)} · p = ${figure(one.p, 3)}: ${t(one.rejected ? 'set_filters_wrong' : 'set_filters_right')}` : '') },
  { head: 'set_clock', of: ({ conditioning: one = {} }) => t('set_clock_value', { rate: figure(one.rate), trim: figure(one.trim, 3) }), why: 'trim' },
]

export const Settings = ({ run }) => html`<section class="panel"><h2>${t('run_settings')}</h2><dl class="facts two">
  ${SETTINGS.filter((one) => one.of(run) !== '').map((one) => html`<dt key=${one.head}>${t(one.head)}</dt><dd>${one.cell?.(run) ?? one.of(run)} ${one.why && whyOf(run, one.why)}</dd>`)}</dl></section>`

// Joints by figures. How dark a cell is tells how bad the joint is in this figure, beside the other joints.
export function Heat({ run, chosen, onChoose }) {
  const joints = jointsOf(run)
  const columns = FIGURES.map((one) => {
    const values = joints.map((_, j) => one.of(run, j) ?? null)
    const known = values.filter((value) => value != null)
    const most = Math.max(...known)
    return { ...one, values, most, least: Math.min(...known), worst: known.length > 1 && !one.own ? values.indexOf(most) : -1 }
  }).filter((one) => one.values.some((value) => value != null))
  const part = ({ own, values, most, least }, j) => (own || values[j] == null || !(most > least) ? 0 : (values[j] - least) / (most - least))
  return html`<section class="panel"><h2>${t('heat')}</h2><p class="quiet">${t('heat_text')}</p>
    <div class="scroll" tabindex="0" role="region" aria-label=${t('heat')}><table class="heat"><caption class="hidden-text">${t('heat')}</caption>
      <thead><tr><th scope="col">${t('joint')}</th>${columns.map((one) => html`<th key=${one.head} scope="col" class="number">${t(one.head)}</th>`)}</tr></thead>
      <tbody>${joints.map((joint, j) => html`<tr key=${joint} aria-selected=${String(joint === chosen)}>
        <th scope="row"><button type="button" aria-pressed=${joint === chosen} onClick=${() => onChoose(joint)}><bdi>${joint}</bdi></button></th>
        ${columns.map((one) => html`<td key=${one.head} class="number" style=${{ background: `color-mix(in srgb, var(--warn-soft) ${Math.round(100 * part(one, j))}%, var(--paper))` }}>${one.worst === j && html`<span class="worst" title=${t('heat_worst')}>▲<span class="hidden-text">${t('heat_worst')}</span></span>`} ${(one.show ?? ((value) => figure(value, 3)))(one.values[j])}</td>`)}</tr>`)}</tbody></table></div>
  </section>`
}
