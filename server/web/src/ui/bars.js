import { html } from '../html.js'
import { t } from '../words.js'
import { figure } from './format.js'
import { Legend, colour } from './plot.js'

// Horizontal bars: rows of { label, bars: [{ value, index }] }; what is negative is drawn pale.
export function Bars({ title, rows, unit, legend }) {
  const most = Math.max(1e-300, ...rows.flatMap((row) => row.bars.map((bar) => Math.abs(bar?.value ?? 0))))
  return html`<figure><figcaption>${title}</figcaption>${legend && html`<${Legend} series=${legend.map((label, index) => ({ label, index, solid: true }))} />`}
    <table><thead class="hidden-text"><tr><th>${t('joint')}</th><th>${title}</th></tr></thead><tbody>${rows.map((row) => html`<tr key=${row.label}>
      <th scope="row" class="tight"><bdi>${row.label}</bdi></th>
      <td style=${{ width: '100%' }}><div class="bars">${row.bars.map((bar, k) => html`<div key=${k} style=${{ display: 'grid', gridTemplateColumns: 'minmax(0,1fr) 6rem', gap: '.5rem', alignItems: 'center' }}>
        <svg width="100%" height="12" aria-hidden="true"><rect x="0" y="2" height="8" rx="2" width=${`${(100 * Math.abs(bar?.value ?? 0)) / most}%`} fill-opacity=${bar?.value < 0 ? 0.4 : 1} fill=${colour(bar?.index ?? k)} /></svg>
        <span class="number">${bar?.value == null ? '–' : `${figure(bar.value, 3)} ${unit ?? ''}`}</span></div>`)}</div></td></tr>`)}
    </tbody></table></figure>`
}
