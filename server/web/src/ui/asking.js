// Forms that ask for a job: fields of numbers, what it was refused for, and the way to the job.
import { useState } from 'preact/hooks'
import { html } from '../html.js'
import { go, useUnsaved } from '../route.js'
import { t } from '../words.js'
import { once, post } from '../api.js'
import { Further, withFurther } from './further.js'
import { Act, Field, Refusal } from './parts.js'

// { error, busy, send }: send(path, request) makes the job and goes there.
function useAsking() {
  const [error, setError] = useState(null)
  const [busy, setBusy] = useState(false)
  const send = async (path, request) => {
    setError(null)
    setBusy(true)
    try {
      go(['jobs', (await post(path, request, { headers: once() })).id])
    } catch (refusal) {
      setError(refusal)
      setBusy(false)
    }
  }
  return { error, busy, send }
}

// request: of the job at `path`; changed: was anything entered?
export function AskForm({ path, request, changed, does, disabled, children }) {
  const { error, busy, send } = useAsking()
  const [rows, setRows] = useState([])
  useUnsaved((changed || rows.length > 0) && !busy)
  return html`<form class="panel stack" onSubmit=${(e) => { e.preventDefault(); send(path, withFurther(request, rows)) }}>${children}
    <${Further} path=${path} rows=${rows} onRows=${setRows} />
    <${Refusal} error=${error} />
    <div class="row end"><${Act} type="submit" class="main" role="operator" disabled=${disabled} busy=${busy}>${does}</${Act}></div></form>`
}

export const Num = ({ label, hint, value, onValue, width = '9rem', ...rest }) => html`<${Field} label=${label} hint=${hint}><input type="number" step="any" style=${{ width }} ...${rest} value=${value} onInput=${(e) => onValue(e.target.value)} /></${Field}>`
// What was typed, as a number; undefined where nothing was.
export const numberOf = (text) => (text === '' || text == null ? undefined : Number(text))

// A number for each joint; null where none was typed.
export const PerJoint = ({ model, legend, values, onValues, unit }) => html`<fieldset><legend>${legend}</legend><div class="row">${model.joints.map((joint, j) => html`<${Num} key=${joint.name} width="7rem" label=${html`<bdi>${joint.name}</bdi> [${unit(joint)}]`} value=${values[j]} onValue=${(text) => onValues(values.map((old, k) => (k === j ? text : old)))} />`)}</div></fieldset>`
