// The terms of a motion's torques, joint by joint, and what a model may leave out on it.
import { useState } from 'preact/hooks'
import { html } from '../html.js'
import { extend, t } from '../words.js'
import { post } from '../api.js'
import { Check, Field, Loading, Refusal, useAnswer } from '../ui/parts.js'
import { Source, useSource } from '../ui/source.js'
import { Typed } from '../ui/typed.js'
import { count, figure, percent } from '../ui/format.js'
import { unitOf } from '../ui/joints.js'

extend({
  shares_error: ['May be off by [% of the peak]', '允许误差 [峰值的 %]'],
  shares_friction: ['With the friction of the joints', '考虑关节摩擦'],
  shares_heat: ['Share of each term', '各项占比'],
  shares_heat_text: ['Mean magnitude of a term over that of all terms of its joint; what may be left out is crossed.', '某项平均大小占该关节所有项之和的比例；可略去的项以删除线标出。'],
  shares_peak: ['Peak', '峰值'],
  shares_left: ['Then off by', '略去后误差'],
  shares_all: ['Left out in every joint: {terms}; off by {error} at most.', '所有关节均略去：{terms}；最大误差 {error}。'],
  shares_none: ['No term can be left out of every joint.', '没有哪一项可以在所有关节中略去。'],
  shares_samples: ['{samples} samples, revision {revision}', '{samples} 个样本，版本 {revision}'],
  'term.inertia': ['inertia', '惯性'],
  'term.coupling': ['coupling', '耦合'],
  'term.centrifugal': ['centrifugal', '离心力'],
  'term.coriolis': ['Coriolis', '科氏力'],
  'term.gravity': ['gravity', '重力'],
  'term.friction': ['friction', '摩擦'],
  'term.rotors': ['rotors', '转子'],
})

const shade = (share) => ({ background: `color-mix(in srgb, var(--accent) ${Math.round(45 * (share ?? 0))}%, transparent)` })

function Shares({ model, shares }) {
  const terms = Object.keys(shares.joints[0].terms)
  return html`<section class="panel"><h2>${t('shares_heat')}</h2><p class="quiet">${t('shares_heat_text')} ${t('shares_samples', { samples: count(shares.samples), revision: shares.revision })}</p>
    <div class="scroll" tabindex="0" role="region" aria-label=${t('shares_heat')}><table class="heat"><caption class="hidden-text">${t('shares_heat')}</caption>
      <thead><tr><th scope="col">${t('joint')}</th>${terms.map((term) => html`<th key=${term} scope="col" class="number">${t(`term.${term}`)}</th>`)}<th scope="col" class="number">RMS</th><th scope="col" class="number">${t('shares_peak')}</th><th scope="col" class="number">${t('shares_left')}</th></tr></thead>
      <tbody>${shares.joints.map((one, j) => html`<tr key=${one.joint}><th scope="row"><bdi>${one.joint}</bdi></th>
        ${terms.map((term) => {
          const { share, rms, peak } = one.terms[term]
          const text = share == null ? '–' : percent(100 * share)
          const unit = unitOf(model.joints[j], 'torque')
          return html`<td key=${term} class="number" style=${shade(share)} title=${`RMS ${figure(rms, 3)} ${unit}, ${t('shares_peak')} ${figure(peak, 3)} ${unit}`}>${one.left_out.includes(term) ? html`<s>${text}</s>` : text}</td>`
        })}
        <td class="number">${figure(one.rms, 3)} ${unitOf(model.joints[j], 'torque')}</td><td class="number">${figure(one.peak, 3)} ${unitOf(model.joints[j], 'torque')}</td><td class="number">${percent(one.error_percent)}</td></tr>`)}</tbody></table></div>
    <p role="status">${shares.left_out.length ? t('shares_all', { terms: shares.left_out.map((term) => t(`term.${term}`)).join(', '), error: percent(shares.error_percent) }) : t('shares_none')}</p></section>`
}

export function TorqueShares({ model }) {
  const source = useSource(model, ['trajectories', 'excitations', 'friction-tests', 'datasets'])
  const [form, set] = useState({ error: '1', friction: true })
  const request = source.chosen && { ...source.chosen, error_percent: Number(form.error), friction: form.friction }
  const answer = useAnswer(async (signal) => request && post(`v1/robots/${encodeURIComponent(model.name)}/torque-shares`, request, { signal }), [model.name, JSON.stringify(request)])
  return html`<section class="panel row begin"><${Source} source=${source} />
      <${Field} label=${t('shares_error')}><${Typed} min="0" max="100" value=${form.error} onValue=${(error) => error !== '' && set({ ...form, error })} /></${Field}>
      <${Check} label=${t('shares_friction')} checked=${form.friction} onChange=${(e) => set({ ...form, friction: e.target.checked })} /></section>
    <${Refusal} error=${answer.error} />
    ${request && !answer.error && (answer.value ? html`<${Shares} model=${model} shares=${answer.value} />` : html`<${Loading} />`)}`
}
