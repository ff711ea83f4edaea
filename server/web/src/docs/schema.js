// A schema as a tree that opens member by member, so that one which contains itself is no trouble.
import { useState } from 'preact/hooks'
import { html } from '../html.js'
import { nameOf } from './contract.js'
import { Line } from './text.js'

const kinds = (type) => [type ?? 'any'].flat().join(' or ')
const BOUNDS = [['minimum', '≥'], ['exclusiveMinimum', '>'], ['maximum', '≤'], ['exclusiveMaximum', '<'], ['minLength', 'at least', 'characters'],
  ['maxLength', 'at most', 'characters'], ['minItems', 'at least', 'items'], ['maxItems', 'at most', 'items'], ['pattern', 'like']]

function limits(schema) {
  const all = BOUNDS.filter(([name]) => schema[name] !== undefined).map(([name, words, unit = '']) => `${words} ${schema[name]} ${unit}`.trim())
  const values = schema.enum ?? schema['x-known'] ?? (schema.const !== undefined ? [schema.const] : null)
  if (values) all.unshift(values.map((one) => JSON.stringify(one)).join(' '))
  if (schema.default !== undefined) all.push(`default ${JSON.stringify(schema.default)}`)
  return all.join(', ')
}

// What is one level below: [name, schema, required] of members, elements or forms.
function below(schema) {
  const required = new Set(schema.required)
  return [
    ...Object.entries(schema.properties ?? {}).map(([name, one]) => [name, one, required.has(name)]),
    ...(schema.additionalProperties?.constructor === Object ? [['any other name', schema.additionalProperties, false]] : []),
    ...(schema.items ? [['each element', schema.items, false]] : []),
    ...['oneOf', 'anyOf', 'allOf'].flatMap((form) => (schema[form] ?? []).map((one, i) => [form === 'allOf' ? 'and' : `form ${i + 1}`, one, false])),
  ]
}

function Member({ contract, name, schema: node, required }) {
  const [open, set] = useState(false)
  const schema = contract.resolve(node)
  const inside = below(schema)
  const type = html`<span class="quiet">${node.$ref ? html`<a href=${`#schema/${nameOf(node.$ref)}`}>${nameOf(node.$ref)}</a>` : kinds(schema.type ?? (schema.oneOf && 'one of'))}
    ${required ? html` <strong>required</strong>` : ''}${schema.readOnly ? ' read only' : ''} ${limits(schema)}</span>`
  return html`<li>
    <code>${name}</code> ${type}
    ${schema.description && html`<div><${Line} text=${schema.description} /></div>`}
    ${inside.length > 0 && html`<button type="button" class="plain" aria-expanded=${open} onClick=${() => set(!open)}>${open ? '▾ less of' : '▸ inside'} ${name}</button>`}
    ${open && html`<${Members} contract=${contract} schema=${schema} />`}
  </li>`
}

function Members({ contract, schema }) {
  return html`<ul class="members">${below(schema).map(([name, one, required]) => html`<${Member} key=${name} contract=${contract} name=${name} schema=${one} required=${required} />`)}</ul>`
}

export function Schema({ contract, schema: node }) {
  const schema = contract.resolve(node)
  return html`<div>
    <p><${Line} text=${schema.description} /> ${node.$ref && html`<a href=${`#schema/${nameOf(node.$ref)}`}>${nameOf(node.$ref)}</a>`}
      <span class="quiet"> ${kinds(schema.type ?? (schema.oneOf && 'one of'))} ${limits(schema)}</span></p>
    ${below(schema).length > 0 && html`<${Members} contract=${contract} schema=${schema} />`}
  </div>`
}
