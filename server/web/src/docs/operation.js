// One call: who may make it, what goes in, what comes out, and a command to try it with.
import { html } from '../html.js'
import { Line, Text } from './text.js'
import { Schema } from './schema.js'

export const Method = ({ name }) => html`<span class=${`method ${name}`}>${name.toUpperCase()}</span>`

export const Code = ({ label, text }) => html`<pre class="scroll" tabindex="0" role="region" aria-label=${label}><code>${text}</code></pre>`

// In single quotes, as a shell takes them; the lists of numbers on one line each.
const quoted = (text) => `'${text.replaceAll("'", "'\\''")}'`
export const compact = (value) => JSON.stringify(value, null, 2).replace(/\[\s+([^[\]{}]*?)\s+\]/g, (_, inner) => `[${inner.replace(/\s+/g, ' ')}]`)

function command({ method, path }, type, text) {
  const address = new URL('.', document.baseURI.split('#')[0]).href.replace(/\/$/, '') + path.replace(/\{(\w+)\}/g, (_, name) => name.toUpperCase())
  return ['curl', ...(method === 'post' ? [] : ['-X', method.toUpperCase()]), quoted(address), '-H', quoted(`Content-Type: ${type}`), '-d', quoted(text)].join(' ')
}

function Parameters({ contract, parameters }) {
  if (!parameters.length) return null
  return html`<h2>Parameters</h2><div class="scroll" tabindex="0" role="region" aria-label="Parameters"><table>
    <thead><tr><th scope="col">name</th><th scope="col">in</th><th scope="col">meaning</th></tr></thead>
    <tbody>${parameters.map((one) => {
      const schema = contract.resolve(one.schema)
      const values = schema.enum?.join(', ')
      return html`<tr><th scope="row"><code>${one.name}</code>${one.required ? html` <strong class="quiet">required</strong>` : ''}</th><td>${one.in}</td>
        <td class="wide"><${Line} text=${one.description} /> <span class="quiet">${values ?? schema.type ?? ''}${schema.default !== undefined ? `, default ${schema.default}` : ''}</span></td></tr>`
    })}</tbody></table></div>`
}

function Body({ contract, operation }) {
  if (!operation.requestBody) return null
  return html`<h2>Body</h2>${Object.entries(operation.requestBody.content).map(([type, { schema, examples = {} }]) => html`
    <section class="panel"><h3><code>${type}</code></h3>
      <${Schema} contract=${contract} schema=${schema} />
      ${Object.entries(examples).map(([name, { summary, value }]) => html`
        <h4>${summary ?? name}</h4><${Code} label=${`Example ${name}`} text=${command(operation, type, typeof value === 'string' ? value : compact(value))} />`)}
    </section>`)}`
}

// Those of the answer itself, or else those of its schema.
const examplesOf = (contract, { schema, examples }) => examples
  ? Object.entries(examples).map(([name, { value }]) => [name, value])
  : (contract.resolve(schema).examples ?? []).map((value, i) => [i + 1, value])

function Answer({ contract, status, response }) {
  const contents = status < '300' ? Object.entries(response.content ?? {}) : []
  const headers = Object.entries(response.headers ?? {})
  return html`<section class="panel"><h3><span class=${`state ${status < '400' ? 'good' : 'warn'}`}>${status}</span> <${Line} text=${response.description} /></h3>
    ${status < '300' && headers.length > 0 && html`<dl class="facts">${headers.map(([name, header]) => html`<dt><code>${name}</code></dt><dd><${Line} text=${contract.resolve(header).description} /></dd>`)}</dl>`}
    ${contents.map(([type, content]) => html`<h4><code>${type}</code></h4><${Schema} contract=${contract} schema=${content.schema} />
      ${examplesOf(contract, content).map(([name, value]) => html`<${Code} label=${`Answer ${name}`} text=${compact(value)} />`)}`)}
  </section>`
}

// Refusals are all of one form, so a line each is enough.
export function Operation({ contract, operation }) {
  const answers = Object.entries(operation.responses).map(([status, node]) => [status, contract.resolve(node)])
  const refusals = answers.filter(([status]) => status >= '400')
  return html`
    <div class="head"><div><h1>${operation.summary}</h1><p><${Method} name=${operation.method} /> <code>${operation.path}</code></p></div>
      <span class="quiet">${operation['x-role'] === 'anyone' ? 'needs no key' : html`role <strong>${operation['x-role']}</strong>`} · ${operation.operationId}</span></div>
    <${Text} text=${operation.description} />
    <${Parameters} contract=${contract} parameters=${operation.parameters} />
    <${Body} contract=${contract} operation=${operation} />
    <h2>Answers</h2>
    ${answers.filter(([status]) => status < '400').map(([status, response]) => html`<${Answer} contract=${contract} status=${status} response=${response} />`)}
    <section class="panel"><h3>Refusals, each <a href="#schema/Problem">a problem</a></h3>
      <dl class="facts">${refusals.map(([status, response]) => html`<dt>${status}</dt><dd><${Line} text=${response.description} /></dd>`)}</dl></section>`
}
