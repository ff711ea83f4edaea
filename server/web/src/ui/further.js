// Members of a request that its form has no field for: by their pointers, as refusals name them, with values as JSON.
import { useId, useState } from 'preact/hooks'
import { html } from '../html.js'
import { extend, t } from '../words.js'
import { get } from '../api.js'
import { Contract } from '../docs/contract.js'
import { Field, Refusal, useAnswer } from './parts.js'

extend({
  further: ['Further members of the request', '请求的其他成员'],
  further_text: ['Whatever the contract takes and this form does not ask for; it stands in place of what the form says.', '契约接受而本表单未列出的内容；它会取代表单中的相应值。'],
  further_reference: ['Reference', '接口参考'],
  further_name: ['Member', '成员'],
  further_value: ['Value (JSON)', '值（JSON）'],
  further_add: ['Add a member', '添加成员'],
  further_drop: ['Drop it', '移除'],
  further_broken: ['This is no JSON.', '这不是有效的 JSON。'],
})

const DEEP = 3 // levels of members that are offered; deeper ones can be typed

// Pointers to what an object of a schema may have: "/control/law".
function pointers(contract, schema, at = '', deep = DEEP) {
  const node = contract.resolve(schema)
  const parts = ['allOf', 'oneOf', 'anyOf'].flatMap((name) => node[name] ?? [])
  const own = Object.entries(node.properties ?? {}).flatMap(([name, inner]) => [`${at}/${name}`, ...(deep > 1 ? pointers(contract, inner, `${at}/${name}`, deep - 1) : [])])
  return [...new Set([...own, ...parts.flatMap((part) => pointers(contract, part, at, deep)), ...(node.items ? pointers(contract, node.items, `${at}/0`, deep - 1) : [])])].sort()
}

// What a person typed: JSON, or a word without its quotes; undefined where it began as JSON and is none.
export function valueOf(text) {
  try {
    return JSON.parse(text)
  } catch {
    return /^\s*[[{"]/.test(text) ? undefined : text.trim()
  }
}

// The request with what the rows { name, text } say.
export function withFurther(request, rows) {
  const whole = structuredClone(request)
  for (const { name, text } of rows) {
    const steps = name.split('/').slice(1).map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'))
    let at = whole
    for (const [k, step] of steps.slice(0, -1).entries()) {
      if (!Object.hasOwn(at, step) || at[step] === null || typeof at[step] !== 'object') at[step] = /^\d+$/.test(steps[k + 1]) ? [] : {}
      at = at[step]
    }
    at[steps.at(-1)] = valueOf(text)
  }
  return whole
}

function Names({ path, id }) {
  const names = useAnswer(async (signal) => {
    const contract = new Contract(await get('v1/openapi.json', {}, signal))
    const like = path.split('/')
    const { requestBody } = contract.operations.find((one) => one.method === 'post' && one.path.slice(1).split('/').length === like.length && one.path.slice(1).split('/').every((part, k) => part[0] === '{' || part === like[k]))
    return pointers(contract, requestBody.content['application/json'].schema)
  }, [path])
  return html`<${Refusal} error=${names.error} /><datalist id=${id}>${(names.value ?? []).map((name) => html`<option key=${name} value=${name} />`)}</datalist>`
}

// path: where the request goes; rows: [{ name, text }].
export function Further({ path, rows, onRows }) {
  const id = useId()
  const [open, setOpen] = useState(false)
  const change = (k, more) => onRows(rows.map((one, at) => (at === k ? { ...one, ...more } : one)))
  const value = (k) => (event) => {
    event.target.setCustomValidity(valueOf(event.target.value) === undefined ? t('further_broken') : '')
    change(k, { text: event.target.value })
  }
  return html`<details onToggle=${(e) => setOpen(e.target.open)}><summary>${t('further')}</summary>${open && html`<div class="stack">
    <p class="quiet">${t('further_text')} <a href="./docs" target="_blank" rel="noopener">${t('further_reference')}</a></p><${Names} path=${path} id=${id} />
    ${rows.map((row, k) => html`<div key=${k} class="row"><${Field} label=${t('further_name')}><input required pattern="/.+" list=${id} placeholder="/time_limit" style=${{ width: '20rem' }} value=${row.name} onInput=${(e) => change(k, { name: e.target.value })} /></${Field}>
      <${Field} label=${t('further_value')}><input required class="code" style=${{ width: '16rem' }} value=${row.text} onInput=${value(k)} /></${Field}>
      <button type="button" onClick=${() => onRows(rows.filter((_, at) => at !== k))}>${t('further_drop')}</button></div>`)}
    <p><button type="button" onClick=${() => onRows([...rows, { name: '', text: '' }])}>${t('further_add')}</button></p></div>`}</details>`
}
