// What a person types, a number if nothing else is said: it stays as it is typed until it is entered, whatever is drawn meanwhile.
import { useState } from 'preact/hooks'
import { html } from '../html.js'

export function Typed({ value, onValue, ...rest }) {
  const [text, setText] = useState(null) // null: nothing is being typed
  const enter = (event) => {
    setText(null)
    onValue(event.target.value)
  }
  return html`<input type="number" step="any" ...${rest} value=${text ?? value} onInput=${(e) => setText(e.target.value)} onChange=${enter} onBlur=${() => setText(null)} />`
}
