// What a newcomer sees first: what is there, and a demo in one click.
import { useState } from 'preact/hooks'
import { html } from '../html.js'
import { link } from '../route.js'
import { t } from '../words.js'
import { get } from '../api.js'
import { Act, Bar, Head, Notice, Refusal, useAnswer } from '../ui/parts.js'
import { count } from '../ui/format.js'
import licences from 'virtual:licences'

const KINDS = ['robots', 'datasets', 'identifications', 'trajectories', 'jobs', 'controllers']

export function Start() {
  const there = useAnswer(async (signal) => Object.fromEntries(await Promise.all(KINDS.map(async (kind) => {
    const page = await get(`v1/${kind}`, { limit: 200 }, signal)
    return [kind, { count: page.items.length, more: !!page.next_cursor }]
  }))))
  const [step, setStep] = useState(null)
  const [error, setError] = useState(null)
  const [done, setDone] = useState(false)
  const load = async () => {
    setError(null)
    try {
      const { loadDemo } = await import('../demo.js')
      await loadDemo((at, total, what) => setStep({ at, total, what }))
      setDone(true)
    } catch (refusal) {
      setError(refusal)
    }
    setStep(null)
    there.again()
  }
  const empty = there.value && there.value.robots.count === 0
  return html`
    <${Head} title=${t('welcome')} sub=${t('start_text')} />
    <${Refusal} error=${error ?? there.error} />
    ${done && html`<${Notice} kind="good">${t('start_done')} <a href=${link(['datasets'])}>${t('page.datasets')}</a></${Notice}>`}
    <div class="tiles">${KINDS.map((kind) => html`<a key=${kind} class="tile" href=${link([kind])}><span>${t(`page.${kind}`)}</span><b>${there.value ? count(there.value[kind].count) + (there.value[kind].more ? '+' : '') : '…'}</b></a>`)}</div>
    <section class="panel">
      <h2>${empty ? t('start_empty') : t('start_demo')}</h2>
      <p>${t('start_demo_text')}</p>
      ${step && html`<p role="status">${t('start_step', { done: step.at, total: step.total, what: step.what })}</p><${Bar} value=${step.at / step.total} label=${t('start_demo')} />`}
      <${Act} class=${empty ? 'main' : ''} role="engineer" busy=${!!step} onClick=${load}>${t('start_demo')}</${Act}>
    </section>
    <p class="quiet"><a href=${licences}>${t('licences')}</a></p>`
}
