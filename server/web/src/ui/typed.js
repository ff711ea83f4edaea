// What a person types, a number if nothing else is said: it stays as it is typed, whatever is drawn meanwhile, until it is entered.
import { useEffect, useRef, useState } from 'preact/hooks'
import { html } from '../html.js'

const PAUSE_MS = 40 // between two letters: only keys that are held down are faster

// live: what is typed counts letter by letter, not when it is entered.
export function Typed({ value, onValue, live, ...rest }) {
  const [text, setText] = useState(null) // null: nothing is being typed
  const told = useRef(value) // by this field
  const timer = useRef()
  const tell = (text) => {
    clearTimeout(timer.current)
    told.current = text
    onValue(text)
  }
  const type = (event) => {
    setText(event.target.value)
    clearTimeout(timer.current)
    if (live) timer.current = setTimeout(tell, PAUSE_MS, event.target.value)
  }
  const enter = (event) => {
    setText(null)
    tell(event.target.value)
  }
  useEffect(() => {
    if (live && value !== told.current) setText(null) // somebody else changed it
  }, [value])
  useEffect(() => () => clearTimeout(timer.current), [])
  return html`<input type="number" step="any" ...${rest} value=${text ?? value} onInput=${type} onChange=${enter} onBlur=${() => setText(null)} />`
}
