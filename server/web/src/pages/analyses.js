// What is asked of a model, a motion or a log and answered at once; nothing is kept of it.
import './trajectories.words.js'
import { html } from '../html.js'
import { link } from '../route.js'
import { session } from '../session.js'
import { extend, t } from '../words.js'
import { Notice } from '../ui/parts.js'
import { OfRobot } from '../ui/of_robot.js'
import { FittedBodies } from './analysis_bodies.js'
import { Diagnose } from './analysis_diagnose.js'
import { EnergyEstimate } from './analysis_energy.js'
import { Modes } from './analysis_modes.js'
import { Numbers } from './analysis_numbers.js'
import { PendulumTest } from './analysis_pendulum.js'
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
  'analysis.modes': ['Modes', '固有模态'],
  'analysis.modes_text': ['How the gears give, from what swings after stops in several postures and with several loads.', '由多个位姿与负载下停止后的振动得到传动刚度。'],
  'analysis.fitted-bodies': ['Fitted bodies', '拟合碰撞体'],
  'analysis.fitted-bodies_text': ['Bodies for clearances, around meshes or along lengths; look at them before they are kept.', '依据网格或尺寸生成用于间距计算的碰撞体；保存前请先查看。'],
  'analysis.numbers': ['Numbers', '数值'],
  'analysis.numbers_text': ['Torques, matrices and poses at one state, to hold against another program.', '某一状态下的力矩、矩阵与位姿，可与其他程序核对。'],
  'analysis.diagnose': ['Check my code', '检查程序'],
  'analysis.diagnose_text': ['Which usual mistake explains that the torques of another program differ from ours.', '哪种常见错误可以解释其他程序的力矩与此处不同。'],
  'analysis.pendulum-tests': ['Pendulum test', '摆动试验'],
  'analysis.pendulum-tests_text': ["A link's inertia from how it swings on an edge or a bearing.", '由连杆在刀口或轴承上的摆动得到其惯量。'],
})

// To add one: a row, its words, and its operation.
const ANALYSES = { 'torque-shares': TorqueShares, 'energy-estimates': EnergyEstimate, vibrations: Vibrations, modes: Modes, 'fitted-bodies': FittedBodies, numbers: Numbers, diagnose: Diagnose, 'pendulum-tests': PendulumTest }

function Analysis({ kind, model }) {
  const others = Object.keys(ANALYSES).map((one) => html`<a key=${one} class="button" aria-current=${one === kind ? 'page' : undefined} href=${link(['analyses', one], { robot: model.name })}>${t(`analysis.${one}`)}</a>`)
  return html`<p class="row">${others}</p>${session.may('operator') ? html`<${ANALYSES[kind]} model=${model} />` : html`<${Notice}>${t('analyses_role')}</${Notice}>`}`
}
const FORMS = Object.fromEntries(Object.keys(ANALYSES).map((kind) => [kind, ({ model }) => html`<${Analysis} kind=${kind} model=${model} />`]))

export function Page({ path: [, asked] }) {
  const kind = ANALYSES[asked] ? asked : 'torque-shares'
  return html`<${OfRobot} key=${kind} title=${t(`analysis.${kind}`)} text=${t(`analysis.${kind}_text`)} form=${FORMS[kind]} />`
}
