// A form for one robot, which is chosen first: `form` gets its newest model.
import { html } from '../html.js'
import { adjust, link, route } from '../route.js'
import { extend, t } from '../words.js'
import { get } from '../api.js'
import { Field, Head, Notice, Refusal, useAnswer } from './parts.js'

extend({
  no_robots: ['There is no robot yet.', '还没有机器人。'],
})

export function OfRobot({ title, text, form }) {
  const robots = useAnswer((signal) => get('v1/robots', { limit: 200 }, signal))
  const name = route.value.query.get('robot') || robots.value?.items[0]?.name
  const model = useAnswer(async (signal) => (name ? get(`v1/robots/${encodeURIComponent(name)}`, {}, signal) : null), [name])
  if (robots.value && !robots.value.items.length) return html`<${Head} title=${title} /><${Notice}>${t('no_robots')} <a href=${link([])}>${t('page.start')}</a></${Notice}>`
  return html`<${Head} title=${title} sub=${text}>
      <${Field} label=${t('robot')}><select value=${name} onChange=${(e) => adjust({ robot: e.target.value })}>${(robots.value?.items ?? []).map((one) => html`<option key=${one.name} value=${one.name}>${one.name}</option>`)}</select></${Field}></${Head}>
    <${Refusal} error=${robots.error ?? model.error} />
    ${model.value && model.value.name === name && html`<${form} key=${name} model=${model.value} />`}`
}
