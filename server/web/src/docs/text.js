// The little of Markdown that the contract's descriptions use: paragraphs, lists, **bold** and `code`.
import { html } from '../html.js'

const inline = (text) => text.split(/(\*\*[^*]+\*\*|`[^`]+`)/).map((part) =>
  part.startsWith('**') ? html`<strong>${part.slice(2, -2)}</strong>` : part.startsWith('`') ? html`<code>${part.slice(1, -1)}</code>` : part)

function Block({ text }) {
  if (!/^- /.test(text)) return html`<p>${inline(text)}</p>`
  return html`<ul>${text.split(/\n(?=- )/).map((item) => html`<li>${inline(item.slice(2))}</li>`)}</ul>`
}

export const Text = ({ text }) => (text ?? '').trim().split(/\n\s*\n/).filter(Boolean).map((block) => html`<${Block} text=${block} />`)
export const Line = ({ text }) => inline((text ?? '').trim())
