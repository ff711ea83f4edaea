// Which stored cell a motion is to keep clear of; nothing to choose where there are none.
import { html } from '../html.js'
import { extend, t } from '../words.js'
import { get } from '../api.js'
import { Field, Refusal, useAnswer } from './parts.js'

extend({
  clear_of: ['Keep clear of the cell', '避开工作单元'],
  clear_of_none: ['none', '无'],
})

export function CellChoice({ cell, onCell }) {
  const cells = useAnswer((signal) => get('v1/cells', { limit: 200 }, signal))
  return html`${cells.value?.items.length > 0 && html`<${Field} label=${t('clear_of')}><select value=${cell} onChange=${(e) => onCell(e.target.value)}><option value="">${t('clear_of_none')}</option>${cells.value.items.map(({ name }) => html`<option key=${name} value=${name}>${name}</option>`)}</select></${Field}>`}
    <${Refusal} error=${cells.error} />`
}
