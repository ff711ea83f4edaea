// What is asked of a model, a motion or a log and answered at once; nothing is kept of it.
import './trajectories.words.js'
import { html } from '../html.js'
import { link } from '../route.js'
import { session } from '../session.js'
import { extend, t } from '../words.js'
import { Notice } from '../ui/parts.js'
import { OfRobot } from '../ui/of_robot.js'
import { FittedBodies } from './analysis_bodies.js'
import { EnergyEstimate } from './analysis_energy.js'
import { TorqueShares } from './analysis_shares.js'
import { Vibrations } from './analysis_vibrations.js'

extend({
  analyses_role: ['This is computed for operators.', '此项计算需要操作员角色。'],
  'analysis.torque-shares': ['Torque shares', '力矩构成'],
  'analysis.torque-shares_text': ['What the torques of a motion are made of, and which terms a model may leave out on it.', '运动力矩由哪些项构成，以及模型在该运动上可以略去哪些项。'],
  'analysis.energy-estimates': ['Energy', '能耗估算'],
  'analysis.energy-estimates_text': ['The electrical energy of one cycle, as the model predicts it and as it was measured.', '一个循环的电能：模型预测值与实测值。'],
  'analysis.vibrations': ['Vibrations', '残余振动'],
  'analysis.vibrations_text': ['What dies out after a stop, and the shaper and notch against it.', '停止后衰减的振动，以及对应的整形器和陷波器。'],
  'analysis.fitted-bodies': ['Fitted bodies', '拟合碰撞体'],
  'analysis.fitted-bodies_text': ['Bodies for clearances, around meshes or along lengths; look at them before they are kept.', '依据网格或尺寸生成用于间距计算的碰撞体；保存前请先查看。'],
})

// To add one: a row, its words, and its operation.
const ANALYSES = { 'torque-shares': TorqueShares, 'energy-estimates': EnergyEstimate, vibrations: Vibrations, 'fitted-bodies': FittedBodies }

function Analysis({ kind, model }) {
  const others = Object.keys(ANALYSES).map((one) => html`<a key=${one} class="button" aria-current=${one === kind ? 'page' : undefined} href=${link(['analyses', one], { robot: model.name })}>${t(`analysis.${one}`)}</a>`)
  return html`<p class="row">${others}</p>${session.may('operator') ? html`<${ANALYSES[kind]} model=${model} />` : html`<${Notice}>${t('analyses_role')}</${Notice}>`}`
}
const FORMS = Object.fromEntries(Object.keys(ANALYSES).map((kind) => [kind, ({ model }) => html`<${Analysis} kind=${kind} model=${model} />`]))

export function Page({ path: [, asked] }) {
  const kind = ANALYSES[asked] ? asked : 'torque-shares'
  return html`<${OfRobot} key=${kind} title=${t(`analysis.${kind}`)} text=${t(`analysis.${kind}_text`)} form=${FORMS[kind]} />`
}
