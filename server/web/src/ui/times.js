// A moment that a person chooses, in his own time zone; calls get it as ISO 8601.
import { html } from '../html.js'
import { Field } from './parts.js'

const local = (text) => {
  const at = new Date(text ?? '')
  return Number.isNaN(at.getTime()) ? '' : new Date(at.getTime() - 60000 * at.getTimezoneOffset()).toISOString().slice(0, 16)
}

export const Moment = ({ label, value, onValue }) => html`<${Field} label=${label}>
  <input type="datetime-local" value=${local(value)} onChange=${(e) => onValue(e.target.value ? new Date(e.target.value).toISOString() : null)} /></${Field}>`
