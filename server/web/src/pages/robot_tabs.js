// Above every page that is about one robot: what there is of it, and what can be done with it.
import { html } from '../html.js'
import { link } from '../route.js'
import { extend, t } from '../words.js'

extend({
  robot_tabs: ['Pages of {robot}', '{robot} 的页面'],
  'tab.model': ['Model', '模型'],
  'tab.parts': ['Parts', '工件'],
  'tab.data': ['Data', '数据'],
  'tab.identify': ['Identify', '辨识'],
  'tab.motions': ['Motions', '运动'],
  'tab.simulate': ['Simulate', '仿真'],
  'tab.analyse': ['Analyse', '分析'],
  'tab.verify': ['Verify', '验证'],
  'tab.history': ['History', '历史'],
})

// To add a tab: a row. `pages`: those that belong to it; the first is where it leads.
const TABS = [
  { name: 'model', pages: ['robots', 'code'], to: (robot) => link(['robots', robot]) },
  { name: 'parts', pages: ['parts'] },
  { name: 'data', pages: ['datasets', 'mappings'] },
  { name: 'identify', pages: ['identifications', 'compare', 'evaluations', 'friction-identifications', 'identification-studies'] },
  { name: 'motions', pages: ['trajectories', 'excitations', 'friction-tests'] },
  { name: 'simulate', pages: ['simulations', 'collision-checks'] },
  { name: 'analyse', pages: ['analyses'] },
  { name: 'verify', pages: ['verifications', 'tunings', 'zonings'] },
  { name: 'history', pages: [], to: (robot) => link(['robots', robot, 'history']) },
]

const tabOf = ([page, , part]) => (part === 'history' ? 'history' : TABS.find((tab) => tab.pages.includes(page))?.name)

export const Page = ({ robot, at }) => html`<nav class="tabs" aria-label=${t('robot_tabs', { robot })}><strong><bdi>${robot}</bdi></strong>
  ${TABS.map((tab) => html`<a key=${tab.name} href=${tab.to?.(robot) ?? link([tab.pages[0]], { robot })} aria-current=${tabOf(at) === tab.name ? 'true' : undefined}>${t(`tab.${tab.name}`)}</a>`)}</nav>`
