// How many steps (clicks, choices, things typed) a person takes from Home to the answer of the questions that the pages are for; what is
// counted may not grow.   node questions.mjs en|zh     environment: as of person.mjs, and ARMDYN_CONTROLLER_PORTS
import { api, button, faults, flow, language, look, page, url, w } from './person.mjs'
import { equal, sure, until } from './steps.mjs'

const say = (en, zh) => (language === 'zh' ? zh : en)
const [port] = process.env.ARMDYN_CONTROLLER_PORTS.split(',')

let steps = 0
const click = async (where) => (steps++, await where.click())
const fill = async (where, text) => (steps++, await where.fill(text))
const choose = async (where, option) => (steps++, await where.selectOption(option))
const home = async () => {
  await page.goto(`${url}/#/`)
  await page.getByRole('heading', { level: 1 }).waitFor()
  steps = 0
}
const counted = (question, most) => {
  console.log(JSON.stringify({ question, steps }))
  sure(steps <= most, `${question} ${steps} steps, at most ${most}`)
}
const menu = (name) => page.getByRole('navigation', { name: w('pages'), exact: true }).getByRole('link', { name: w(name), exact: true })

await flow({
  async 'why is joint 3 bad?'() {
    const [learn, test] = await Promise.all(['learn', 'test'].map((label) => api('GET', `/v1/datasets?label=demo:%20${label}`).then(({ items }) => items[0].id)))
    for (const estimator of ['wls', 'ols', 'ridge', 'irls', 'consistent']) await api('POST', '/v1/robots/scara/identifications', { datasets: [learn], validation: [test], estimator }, { Prefer: 'wait=120' })
    await home()
    await click(page.locator('main .doing a[href*="/identifications/"]').first()) // among what ended last
    await click(page.locator('table.heat').getByRole('button', { name: 'j3', exact: true }))
    await page.getByRole('heading', { name: say('Joint j3', '关节 j3'), exact: true }).waitFor()
    await page.locator('figure').filter({ hasText: w('overPosition') }).locator('.u-over').waitFor()
    await look('question-joint', false)
    counted('why is joint 3 bad?', 2)
  },
  async 'which of these five runs do I promote?'() {
    await home()
    await click(menu('places'))
    await click(page.getByRole('button', { name: say('Choose all that are shown', '选择已显示的全部') }))
    await click(page.getByRole('button', { name: say('Compare 5', '比较 5 个') }))
    const table = page.locator('section').filter({ has: page.locator('polyline') }).locator('tbody')
    await table.locator('tr').nth(4).waitFor()
    const runs = (await api('GET', '/v1/identifications?sort=validation.raw.relative_percent')).items
    await look('question-runs', false)
    await click(table.locator(`a[href$="${runs[0].id}"]`))
    await click(button('promote'))
    await page.locator('dialog tbody tr').first().waitFor() // every number that changes
    counted('which of these five runs do I promote?', 5)
    await page.keyboard.press('Escape')
  },
  async 'plan a motion to this pose under 2 s with least electricity'() {
    const { data: scara, etag } = await api('GET', '/v1/robots/scara', undefined, {}, true) // whose drives tell what electricity they take
    for (const field of ['revision', 'created_at', 'unphysical', 'warnings', 'identification']) delete scara[field]
    for (const { drive } of scara.joints) Object.assign(drive, { resistance: 0.5, torque_constant: 0.1, efficiency: 0.9 })
    await api('PUT', '/v1/robots/scara', scara, { 'If-Match': etag })
    await home()
    await click(page.getByRole('link', { name: w('next') }))
    await page.locator('.head select').waitFor()
    steps++ // the robot
    await page.locator('.head select').selectOption('scara')
    await page.getByRole('heading', { level: 1 }).waitFor()
    const joints = page.locator('.sliders input[type=number]')
    await until(async () => (await joints.count()) === 4, 'the joints of the arm')
    for (const [k, value] of ['0.6', '0.4', '0.05', '0.2'].entries()) await fill(joints.nth(k), value)
    await page.keyboard.press('Tab')
    await fill(page.getByLabel(say('Duration [s]', '时长 [s]')).first(), '1.9')
    await choose(page.getByLabel(say('Make least', '优化目标')), 'electrical')
    await click(button('plan'))
    await click(page.getByRole('link', { name: w('result') }))
    await page.locator('.u-over').first().waitFor()
    const [motion] = (await api('GET', '/v1/trajectories')).items
    const whole = await api('GET', `/v1/trajectories/${motion.id}`)
    equal([whole.duration < 2, whole.cost.model, whole.goal?.q ?? whole.request.goal.q], [true, 'electrical', [0.6, 0.4, 0.05, 0.2]], 'the motion')
    await look('question-motion', false)
    counted('plan a motion to this pose under 2 s with least electricity', 10)
  },
  async 'connect this PLC'() {
    await home()
    await click(page.getByRole('link', { name: say('Connect a controller', '连接控制器') }))
    const dialog = page.locator('dialog')
    await fill(dialog.getByLabel(w('mappingName'), { exact: true }), 'cell')
    await fill(dialog.getByLabel(w('host'), { exact: true }), '127.0.0.1')
    await fill(dialog.getByLabel(w('portNumber'), { exact: true }), port)
    await choose(dialog.locator('select'), 'scara')
    await click(button('save'))
    await page.getByRole('heading', { name: 'cell', exact: true }).waitFor()
    await page.getByText(say('empty', '空'), { exact: true }).first().waitFor() // it answers: nothing is loaded
    await look('question-plc', false)
    counted('connect this PLC', 6)
    equal(faults, [], 'the page')
  },
})
