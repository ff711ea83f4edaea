// Motions: listed, and asked for by a form.
import './trajectories.words.js'
import { html } from '../html.js'
import { link } from '../route.js'
import { t } from '../words.js'
import { figure } from '../ui/format.js'
import { OfRobot } from '../ui/of_robot.js'
import { Results } from '../ui/results.js'
import { PlanForm } from './plan.js'
import { NewExcitation, NewFrictionTest } from './excite.js'

// Motions of these kinds are listed and asked for alike; to add one: a row, and its form.
const KINDS = {
  trajectories: { text: 'trajectories_text', made: 'trajectory_new', make: 'trajectory_new_text', form: PlanForm, columns: ['method', 'duration', 'energy'] },
  excitations: { text: 'excitation_text', made: 'excitation_new', make: 'excitation_text', form: NewExcitation, columns: ['duration', 'condition'] },
  'friction-tests': { text: 'friction-test_text', made: 'friction_test_new', make: 'friction-test_text', form: NewFrictionTest, columns: ['duration', 'runs'] },
}
const COLUMNS = {
  method: { class: 'tight', cell: (one) => t(`method.${one.method}`) },
  duration: { sort: 'duration', number: true, cell: (one) => `${figure(one.metrics?.duration)} s` },
  energy: { sort: 'energy', number: true, cell: (one) => `${figure(one.metrics?.energy)} J` },
  condition: { sort: 'condition_number', number: true, cell: (one) => figure(one.metrics?.condition_number, 3) },
  runs: { sort: 'run_count', number: true, cell: (one) => one.metrics?.run_count ?? '–' },
}

const All = ({ kind }) => html`<${Results} key=${kind} kind=${kind} kinds=${Object.keys(KINDS)} text=${t(KINDS[kind].text)} columns=${KINDS[kind].columns.map((key) => ({ key, head: t(key), ...COLUMNS[key] }))}>
  <a class="button" href=${link([kind, 'new'])}>${t(KINDS[kind].made)}</a></${Results}>`

export const Page = ({ path: [kind, id] }) => (id === 'new' ? html`<${OfRobot} key=${kind} title=${t(KINDS[kind].made)} text=${t(KINDS[kind].make)} form=${KINDS[kind].form} />` : html`<${All} kind=${kind} />`)
