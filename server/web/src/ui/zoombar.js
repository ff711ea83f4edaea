import { html } from '../html.js'
import { t } from '../words.js'
import { figure } from './format.js'

// Zoom shared by the plots of a page, with buttons for who has no mouse.
export const ZoomBar = ({ range, whole, onRange }) => {
  const [from, to] = range ?? whole
  const width = to - from
  const set = (a, b) => onRange(Math.max(whole[0], a), Math.min(whole[1], b))
  return html`<div class="row" style=${{ marginBottom: '.5rem' }}>
    <button type="button" onClick=${() => set(from + width / 4, to - width / 4)} aria-label=${t('zoom_in')} title=${t('zoom_in')}>+</button>
    <button type="button" onClick=${() => set(from - width / 2, to + width / 2)} aria-label=${t('zoom_out')} title=${t('zoom_out')}>−</button>
    <button type="button" onClick=${() => set(from - width / 4, to - width / 4)} aria-label=${t('pan_left')} title=${t('pan_left')}>◀</button>
    <button type="button" onClick=${() => set(from + width / 4, to + width / 4)} aria-label=${t('pan_right')} title=${t('pan_right')}>▶</button>
    <button type="button" onClick=${() => onRange(null)} disabled=${!range}>${t('reset_zoom')}</button>
    <span class="quiet">${figure(from, 5)} … ${figure(to, 5)} s · ${t('zoom_hint')}</span>
  </div>`
}
