// Sentences of the service, which speaks English, in the language of the pages: by their type or code, with their numbers.
import { signal } from '@preact/signals'
import { html } from '../html.js'
import { language } from '../session.js'

const chinese = signal(null) // fetched with the first sentence that has to be said in it
let fetching

function translate(text, code) {
  fetching ??= import('./sentences.zh.js').then((module) => (chinese.value = module.chinese), () => (fetching = undefined))
  return chinese.value ? chinese.value(text, code) : ''
}

// text: as the service says it; code: of a warning or fault, or a problem's type.
export const said = (text, code) => (language.value !== 'zh' || !text ? text : translate(text, code))

// Something with a code: a warning, a remark.
export const sentence = ({ code, joint, detail }) => html`<code>${code}</code> ${joint ? html`<bdi>${joint}</bdi>: ` : ''}${said(detail, code)}`
