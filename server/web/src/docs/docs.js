// The reference of the API at /docs, made in the browser of the contract that the service itself serves. What is shown stands
// behind the # of the address: an operationId, or schema/<name>.
import { render } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { html } from '../html.js'
import '../session.js' // light or dark, as chosen in the pages
import { fetchContract } from './contract.js'
import { Code, Method, Operation, compact } from './operation.js'
import { Schema } from './schema.js'
import { Text } from './text.js'

const shown = () => decodeURIComponent(location.hash.slice(1))

function useShown() {
  const [at, set] = useState(shown())
  useEffect(() => {
    const changed = () => set(shown())
    addEventListener('hashchange', changed)
    changed() // what came before anybody listened
    return () => removeEventListener('hashchange', changed)
  }, [])
  return at
}

function Menu({ contract, at }) {
  const [words, search] = useState('')
  const schemas = Object.keys(contract.document.components.schemas).filter((name) => name.toLowerCase().includes(words.toLowerCase()))
  const item = (hash, content) => html`<li key=${hash}><a href=${`#${hash}`} aria-current=${at === hash ? 'page' : undefined}>${content}</a></li>`
  return html`<nav aria-label="Calls">
    <label><span>Search</span><input type="search" value=${words} onInput=${(e) => search(e.target.value)} /></label>
    <ul>${item('', 'Overview')}</ul>
    ${contract.groups(words).map(({ name, operations }) => html`<h2 key=${name}>${name}</h2>
      <ul>${operations.map((one) => item(one.operationId, html`<${Method} name=${one.method} /> ${one.summary}`))}</ul>`)}
    <details open=${words !== '' && schemas.length > 0}><summary>Schemas (${schemas.length})</summary><ul>${schemas.map((name) => item(`schema/${name}`, name))}</ul></details>
  </nav>`
}

function Overview({ contract }) {
  const { info, tags } = contract.document
  return html`<h1>${info.title} API, version ${info.version}</h1><p>${info.summary}</p><${Text} text=${info.description} />
    <h2>Calls</h2><dl class="facts">${tags.map(({ name, description }) => html`<dt>${name}</dt><dd><${Text} text=${description} /></dd>`)}</dl>
    <p><a href="./v1/openapi.json">The document itself</a> (OpenAPI ${contract.document.openapi}), to generate a client from.</p>`
}

function SchemaPage({ contract, name }) {
  const schema = contract.schema(name)
  return html`<h1>${name}</h1><section class="panel"><${Schema} contract=${contract} schema=${schema} /></section>
    ${(schema.examples ?? []).map((value, i) => html`<h2>Example</h2><${Code} label=${`Example ${i + 1}`} text=${compact(value)} />`)}`
}

function Content({ contract, at }) {
  const operation = contract.operation(at)
  const name = at.startsWith('schema/') && at.slice('schema/'.length)
  if (operation) return html`<${Operation} contract=${contract} operation=${operation} />`
  if (name && contract.schema(name)) return html`<${SchemaPage} contract=${contract} name=${name} />`
  if (at) return html`<h1>Not there</h1><p>The contract has nothing called <code>${at}</code>.</p>`
  return html`<${Overview} contract=${contract} />`
}

function Docs() {
  const [contract, set] = useState(null)
  const [failure, fail] = useState(null)
  const at = useShown()
  const main = useRef()
  useEffect(() => {
    fetchContract().then(set, fail)
  }, [])
  useEffect(() => {
    document.title = `${contract?.operation(at)?.summary ?? (at || 'Overview')} · armdyn API`
    scrollTo(0, 0)
    if (document.activeElement !== document.body) main.current?.focus({ preventScroll: true })
  }, [at, contract])
  if (failure) return html`<main><h1>armdyn API</h1><p role="alert" class="notice bad">The contract cannot be fetched: ${failure.message}</p></main>`
  if (!contract) return html`<main><p class="quiet" aria-busy="true">…</p></main>`
  return html`<div class="shell docs">
      <header class="top"><a class="skip" href="#main" onClick=${(e) => { e.preventDefault(); main.current.focus() }}>Skip to content</a><a class="brand" href="./">armdyn</a><span>API</span></header>
      <div class="side"><${Menu} contract=${contract} at=${at} /></div>
      <main id="main" tabindex="-1" ref=${main} data-at=${at}><${Content} key=${at} contract=${contract} at=${at} /></main>
    </div>`
}

document.documentElement.lang = 'en' // the contract speaks no other language
render(html`<${Docs} />`, document.getElementById('app'))
