// What is asked of a model and its logs beside identification, in pages: simulations, collision checks, cells, evaluations, motions
// of one's own samples; and what differs between runs.
//   node results.mjs en|zh       environment: as of person.mjs
import { readFileSync } from 'node:fs'
import { analysisSteps } from './analysis_steps.mjs'
import { connectSteps } from './connect_steps.mjs'
import { controlSteps } from './control_steps.mjs'
import { holdingSteps } from './holding_steps.mjs'
import { api, button, enter, expected, faults, flow, go, key, language, look, menu, page, shots, url, w } from './person.mjs'
import { equal, sure, until } from './steps.mjs'

const digits = (value, count = 4) => String(Number(value.toPrecision(count)))
const tile = (name) => page.locator('.tile').filter({ hasText: w(name) }).locator('b')
const number = async (place) => parseFloat(await place.textContent())
const choice = (name, on = page) => on.locator('label').filter({ hasText: new RegExp(`^${w(name)}`) }).locator('select').first() // a label holds the texts of its options, too
const inForce = () => page.getByRole('region', { name: w('gainsInForce') }).locator('tbody tr')
// Points of a plot that are painted, but not wholly: those of bands.
const bandsOf = (canvas) => canvas.evaluate((one) => {
  const { data } = one.getContext('2d').getImageData(0, 0, one.width, one.height)
  let count = 0
  for (let k = 3; k < data.length; k += 4) count += data[k] === 0x44
  return count
})
const made = async () => { // the job is done, and its result is opened
  await page.getByRole('link', { name: w('result') }).click({ timeout: 120000 })
  await page.getByRole('heading', { level: 1 }).waitFor()
}
const newest = async (kind) => api('GET', `/v1/${kind}/${(await api('GET', `/v1/${kind}?sort=-created_at&limit=1`)).items[0].id}`)
const done = async (path, request) => {
  const { id } = await api('POST', path, request)
  let job
  await until(async () => ['succeeded', 'failed', 'cancelled'].includes((job = await api('GET', `/v1/jobs/${id}`)).state), 'the end of the job')
  equal(job.state, 'succeeded', 'the job')
  return api('GET', job.result.href)
}

await flow({
  async 'from home to what comes next, and to all that is about a robot'() {
    await page.locator('a.tile').filter({ hasText: w('next') }).click()
    await page.waitForURL(/#\/trajectories\/new$/)
    await page.goto(`${url}/#/robots/scara`)
    const tabs = page.getByRole('navigation').filter({ hasText: 'scara' })
    for (const [tab, at] of [['tabData', /#\/datasets\?robot=scara$/], ['tabMotions', /#\/trajectories\?robot=scara$/], ['tabHistory', /#\/robots\/scara\/history$/]]) {
      await tabs.getByRole('link', { name: w(tab), exact: true }).click()
      await page.waitForURL(at)
      await page.getByRole('heading', { level: 1 }).waitFor()
      await until(async () => (await tabs.locator('[aria-current]').allTextContents()).join() === w(tab), 'the tab')
    }
    // a name for its revision, which then stands for a newer one
    await button('newAlias').click()
    await page.locator('dialog').getByLabel(w('aliasName')).fill('production')
    await look('alias', false)
    await button('save').click()
    await page.getByRole('cell', { name: 'production', exact: true }).first().waitFor()
    equal((await api('GET', '/v1/robots/scara/aliases')).items.map(({ alias, revision }) => [alias, revision]), [['production', 1]], 'the name')
    const { data: model, etag } = await api('GET', '/v1/robots/scara', undefined, {}, true)
    for (const field of ['revision', 'created_at', 'unphysical', 'warnings']) delete model[field]
    const mass = model.joints[0].link.mass
    model.joints[0].link.mass = mass + 1
    await api('PUT', '/v1/robots/scara', model, { 'If-Match': etag })
    await page.goto(`${url}/#/robots/scara`)
    await tabs.getByRole('link', { name: w('tabHistory'), exact: true }).click()
    const changes = page.locator('section').filter({ has: page.getByText('/joints/0/link/mass', { exact: true }) }).locator('tbody tr')
    await changes.first().waitFor()
    equal((await changes.first().locator('td').allTextContents()), ['/joints/0/link/mass', digits(mass, 5), digits(mass + 1, 5)], 'what differs')
    equal(await changes.count(), 1, 'nothing else differs')
    await button('aliasChange').click()
    await page.locator('dialog select').selectOption('2')
    await button('save').click()
    await until(async () => (await api('GET', '/v1/robots/scara/aliases/production')).revision === 2, 'the newer revision')
    await look('history')
    await api('PUT', '/v1/robots/scara', { ...model, joints: model.joints.map((joint, j) => (j ? joint : { ...joint, link: { ...joint.link, mass } })) }, { 'If-Match': (await api('GET', '/v1/robots/scara', undefined, {}, true)).etag })
  },
  async 'what is stored, and the service takes no work for a while'() {
    await menu('storage')
    const [node] = (await api('GET', '/v1/nodes')).items
    const nodes = page.locator('.nodes tbody tr')
    await nodes.first().waitFor()
    equal((await nodes.allTextContents()).map((text) => text.includes(node.host) && text.includes(node.version)), [true], 'nodes')
    const rows = page.locator('.grid').getByRole('table').locator('tbody tr')
    await rows.first().waitFor()
    const { kinds } = await api('GET', '/v1/storage')
    equal(await rows.count(), kinds.length, 'kinds')
    equal(await rows.nth(kinds.findIndex((one) => one.kind === 'dataset')).locator('td').nth(1).textContent(), '2', 'data sets')
    sure((await rows.allTextContents()).every((text) => !/[a-z]+_[a-z]+/.test(text)), 'a kind without a word')
    await button('beginDrain').click()
    await button('endDrain').waitFor()
    equal((await api('GET', '/v1/drain')).draining, true, 'the service is drained')
    await look('storage')
    await button('endDrain').click()
    await button('beginDrain').waitFor()
    equal((await api('GET', '/v1/drain')).draining, false, 'and takes work again')
  },
  async 'let an arm go, and see what becomes of its energy'() {
    await menu('simulations')
    await look('simulations-none')
    await page.getByRole('link', { name: w('newSimulation') }).click()
    await page.getByRole('heading', { level: 1, name: w('newSimulation'), exact: true }).waitFor() // the list had a choice of robots, too
    await page.locator('select').filter({ has: page.locator('option[value=puma560]') }).last().selectOption('puma560')
    await page.getByLabel(w('durationOf'), { exact: true }).fill('0.5')
    await page.getByLabel(w('jointFriction')).uncheck()
    await look('simulation-form')
    await button('simulate').click()
    await made()
    await page.locator('.u-over').nth(3).waitFor()
    const simulation = await newest('simulations')
    equal([simulation.robot, simulation.duration, simulation.energy.dissipated], ['puma560', 0.5, null], 'what was simulated')
    equal(await tile('toolSpeed').textContent().then((text) => parseFloat(text)), Number(digits(simulation.tool_speed.max, 3)), 'how fast the tool was')
    equal(await page.locator('.uplot').count(), 4, 'plots of position, velocity, torque and energy')
    // what is let go keeps its energy: the sum at the end is that of the start
    const sum = ({ kinetic, potential }) => kinetic + potential
    sure(Math.abs(sum(simulation.end) - sum(simulation.start)) < 1e-6 * (1 + Math.abs(simulation.energy.peak_kinetic)), 'the energy')
    await look('simulation')
    await page.goto(`${url}/#/simulations`)
    await page.locator('tbody tr').first().waitFor()
    await look('simulations')
  },
  async 'hold an arm that carries more than its model knows'() {
    await page.goto(`${url}/#/simulations/new?robot=scara`)
    await page.getByLabel(w('whatMoves')).selectOption('hold')
    const laws = await page.getByLabel(w('law')).locator('option').evaluateAll((all) => all.map((one) => [one.value, one.textContent]))
    const contract = (await api('GET', '/v1/openapi.json')).components.schemas.SampledController.properties.law.enum
    equal(laws.map(([law]) => law).sort(), [...contract].sort(), 'the laws that there are')
    equal(laws.filter(([, said]) => said.startsWith('law.')), [], 'laws without a word')
    await page.getByLabel(w('law')).selectOption('pid_gravity')
    await page.getByLabel(w('carries')).fill('1')
    await page.getByLabel(w('durationOf'), { exact: true }).fill('0.5')
    await page.getByText(w('further'), { exact: true }).click() // what the form has no field for
    await button('furtherAdd').click()
    await page.getByLabel(w('furtherName')).fill('/control/encoder_resolution')
    await page.getByLabel(w('furtherValue')).fill('[1e-5, 1e-5, 1e-6, 1e-5]')
    await page.locator('datalist option[value="/control/encoder_resolution"]').waitFor({ state: 'attached' })
    await look('simulation-further')
    await button('simulate').click()
    await made()
    const table = page.getByRole('region', { name: w('tracking') })
    await table.locator('tbody tr').nth(3).waitFor()
    const { tracking, control, request } = await newest('simulations')
    equal([control.law, request.plant.payload.mass, request.control.encoder_resolution], ['pid_gravity', 1, [1e-5, 1e-5, 1e-6, 1e-5]], 'the controller, the load and what there is no field for')
    const shown = await table.locator('tbody tr').evaluateAll((rows) => rows.map((row) => parseFloat(row.cells[2].textContent)))
    const rounding = 1e-12 * Math.max(...tracking.max) // what the arithmetic leaves of joints that stand
    equal(shown, tracking.max.map((value) => (value > rounding ? Number(digits(value, 3)) : 0)), 'the farthest that joints were off')
    await look('simulation-held')
  },
  async 'plan a motion through the positions of a log'() {
    await page.goto(`${url}/#/trajectories/new?robot=scara`)
    await page.getByLabel(w('method')).selectOption('samples')
    await page.getByLabel(w('positionsOf')).selectOption({ label: 'demo: learn' })
    await page.getByLabel(w('toleranceOf')).fill('0.001')
    await look('own-samples')
    await button('plan').click()
    await made()
    await page.locator('.u-over').first().waitFor()
    const motion = await newest('trajectories')
    equal(motion.method, 'samples', 'how it was planned')
    sure(motion.fit.deviation <= 0.001 * (1 + 1e-9), `it is ${motion.fit.deviation} off the samples`)
    equal(await number(tile('farthestOff')), Number(digits(motion.fit.deviation, 3)), 'how far it is off')
    await look('own-motion')
  },
  async 'gains by the speed of a joint, as a table'() {
    await page.goto(`${url}/#/simulations/new?robot=scara`)
    await page.getByLabel(w('whatMoves')).selectOption('trajectory')
    await choice('law').selectOption('pid_gravity')
    await choice('gainsOf').selectOption('entries')
    const entry = (k) => page.getByRole('group', { name: w('gainsEntry').replace('#', k), exact: true })
    await button('addEntry').click()
    equal(await entry(3).count(), 1, 'a third entry')
    await page.getByRole('button', { name: w('removeEntry') }).click()
    await entry(2).getByLabel(w('gainsFrom')).fill('0.2')
    await choice('law', entry(2)).selectOption('feedforward')
    await look('simulation-form-table')
    await button('simulate').click()
    await made()
    const { control, tracking, request } = await newest('simulations')
    const { entries } = request.control.schedule
    equal([request.control.schedule.over, request.control.schedule.joint, entries.map((one) => [one.from, one.law, one.bandwidth_hz])], ['speed', 'j1', [[undefined, undefined, 5], [0.2, 'feedforward', 10]]], 'what was asked')
    equal(control.schedule.entries.map((one) => one.law), ['pid_gravity', 'feedforward'], 'laws of the entries')
    sure(control.schedule.entries[1].kp[0] > 3.9 * control.schedule.entries[0].kp[0], 'twice the bandwidth is four times the gain') // 3 w² m
    await inForce().nth(1).waitFor()
    equal(await inForce().evaluateAll((all) => all.map((row) => parseFloat(row.cells[2].textContent))), tracking.scheduled.map((share) => Number((100 * share).toFixed(share < 0.1 ? 2 : 1))), 'how long each was in force')
    sure(tracking.scheduled.every((share) => share > 0) && tracking.schedule_changes > 0, 'both were in force')
    await look('simulation-table')
  },
  async 'a reference of verifications, and positions that are typed, become motions'() {
    await page.goto(`${url}/#/trajectories/new?robot=scara`)
    await page.getByLabel(w('method')).selectOption('samples')
    await page.getByLabel(w('madeOf')).selectOption('step')
    await page.getByLabel(w('madeOf')).selectOption('circle') // its centre stands 50 mm beside the tool
    await look('own-circle')
    await button('plan').click()
    await made()
    const round = await newest('trajectories'), { center, duration, rest } = round.request.samples.reference
    equal([round.method, duration, rest], ['samples', 2, 0.2], 'what was asked')
    const { tool_position: places } = await api('GET', `${round.samples}?rate=50&fields=tool_position`)
    const radii = places.map(([x, y]) => Math.hypot(x - center[0], y - center[1]))
    sure(Math.max(...radii.map((radius) => Math.abs(radius - 0.05))) < 2e-4, `the tool goes round: ${Math.min(...radii)} to ${Math.max(...radii)}`)
    sure(Math.min(...places.map(([x]) => x)) < center[0] - 0.0499, 'and on the other side')
    await page.goto(`${url}/#/trajectories/new?robot=scara`)
    await page.getByLabel(w('method')).selectOption('samples')
    await page.getByLabel(w('madeOf')).selectOption('typed')
    const rows = Array.from({ length: 51 }, (_, k) => [0.3 * (k / 50) ** 3 * (10 - 15 * (k / 50) + 6 * (k / 50) ** 2), 0.5, 0.05, 0])
    await page.getByLabel(w('typedRows')).fill(`${rows[0].join(', ')}\n0.1, 0.5, 0.05`)
    await page.getByText(w('rowBad')).waitFor()
    await look('own-typed')
    await page.getByLabel(w('typedRows')).fill(rows.map((row) => row.join(', ')).join('\n'))
    await page.getByLabel(w('typedRate')).fill('25')
    await button('plan').click()
    await made()
    const own = await newest('trajectories')
    equal([own.duration, own.fit.samples, own.transferable], [2, 51, true], 'the motion of the rows')
    const { q } = await api('GET', `${own.samples}?rate=25&fields=q`)
    sure(q.every((row, k) => row.every((value, j) => Math.abs(value - rows[k][j]) <= 1e-4 * (1 + 1e-9))), 'it passes the rows')
  },
  async 'a motion is shaped for the modes that the model has'() {
    const link = (name, mass, inertia, stiffness, damping) => ({ name, type: 'revolute', a: 0.3, alpha: 0, d: 0, limits: { position: [-2, 2], velocity: 10, acceleration: 200 }, drive: { rotor_inertia: 0.001, gear_ratio: 80 }, elasticity: { stiffness, damping },
      link: { mass, com: [-0.18, 0, 0], inertia: { xx: 0.01, yy: inertia, zz: inertia } } })
    await api('POST', '/v1/robots', { name: 'swinging', convention: 'dh', joints: [link('shoulder', 6, 0.2, 9000, 12), link('elbow', 4, 0.1, 4000, 3)] })
    await page.goto(`${url}/#/trajectories/new?robot=scara`)
    await page.getByLabel(w('method')).selectOption('quintic')
    equal(await page.getByLabel(w('swinging')).count(), 0, 'an arm without modes has no field for them')
    await page.goto(`${url}/#/trajectories/new?robot=swinging`)
    await page.getByLabel(w('method')).selectOption('quintic')
    await page.getByLabel(w('swinging')).selectOption('auto')
    await look('plan-shaped')
    await button('plan').click()
    await made()
    const motion = await newest('trajectories')
    const goal = motion.request.goal.q, c = Math.cos(goal[1]), outer = 0.1 + 4 * 0.12 ** 2, cross = 4 * 0.12 * 0.3 * c
    const [a, b, d] = [0.2 + 6 * 0.12 ** 2 + 4 * 0.09 + outer + 2 * cross, outer + cross, outer] // det(K - w2 M) = 0
    const [A, B, C] = [a * d - b * b, -(9000 * d + 4000 * a), 9000 * 4000], root = Math.sqrt(B * B - 4 * A * C)
    const wanted = [(-B - root) / (2 * A), (-B + root) / (2 * A)].map((w2) => Math.sqrt(w2) / (2 * Math.PI))
    equal(motion.request.shaper, 'auto', 'what was asked')
    const modes = motion.shaper.modes.map((mode) => mode.frequency_hz ?? mode.frequency).sort((x, y) => x - y)
    sure(modes.length === 2 && modes.every((mode, k) => Math.abs(mode / wanted[k] - 1) < 1e-6), `modes ${modes}, not ${wanted}`)
  },
  async 'find a simulated collision, with thresholds from a log without one'() {
    await api('POST', '/v1/robots/scara/trajectories', { method: 'quintic', start: { q: [0, 0, 0, 0] }, goal: { q: [0.6, 0.4, 0.02, 0.3] }, duration: 1.5 })
    await until(async () => (await api('GET', '/v1/trajectories?robot=scara')).items.some((one) => one.method === 'quintic'), 'the motion')
    await menu('checks')
    await page.getByRole('link', { name: w('newCheck') }).click()
    await page.getByRole('heading', { level: 1, name: w('newCheck'), exact: true }).waitFor() // the list had a choice of robots, too
    await page.locator('select').filter({ has: page.locator('option[value=puma560]') }).last().selectOption('scara')
    await page.getByLabel(w('whereToLook')).selectOption('simulated')
    for (const [joint, threshold] of ['2', '2', '5', '0.5'].entries()) await page.getByRole('group', { name: w('thresholds') }).locator('input').nth(joint).fill(threshold)
    await look('check-form')
    await button('check').click()
    await made()
    await page.locator('.u-over').first().waitFor()
    const check = await newest('collision-checks')
    equal(check.thresholds, [2, 2, 5, 0.5], 'thresholds')
    equal(check.collision.detected, true, 'it was noticed')
    equal(await number(tile('noticedAfter')), Number(digits(1000 * check.collision.delay, 3)), 'ms until it was')
    const rows = page.getByRole('region', { name: w('alarmsOf') }).locator('tbody tr')
    equal(await rows.count(), check.events.length, 'alarms')
    await look('check')
  },
  async 'look for collisions in a log'() {
    const sets = (await api('GET', '/v1/datasets?robot=scara')).items
    const [learn, test] = ['demo: learn', 'demo: test'].map((label) => sets.find((set) => set.label === label).id)
    await page.goto(`${url}/#/collision-checks/new?robot=scara`)
    const group = (name) => page.getByRole('group', { name: w(name) })
    await group('logsToCheck').getByLabel('demo: test').check()
    equal(await group('referenceLogs').getByLabel('demo: test').count(), 0, 'what is checked cannot be the reference')
    await group('referenceLogs').getByLabel('demo: learn').check()
    await button('check').click()
    await made()
    await page.locator('.u-over').first().waitFor()
    const check = await newest('collision-checks')
    equal([check.datasets, check.reference.logs.map((one) => one.dataset)], [[test], [learn]], 'logs')
    equal(await number(tile('falseAlarms')), Number(digits(check.reference.false_alarms_per_hour_at_most, 3)), 'false alarms an hour')
    await look('check-logs')
    await page.goto(`${url}/#/collision-checks`)
    await page.locator('tbody tr').nth(1).waitFor()
    await look('checks')
  },
  async 'build a cell, and see how near an arm comes to it'() {
    const { data: scara, etag } = await api('GET', '/v1/robots/scara', undefined, {}, true)
    for (const field of ['revision', 'created_at', 'unphysical', 'warnings']) delete scara[field]
    scara.joints[1].link.bodies = [{ sphere: { radius: 0.1 } }]
    await api('PUT', '/v1/robots/scara', scara, { 'If-Match': etag })
    await menu('cells')
    await button('newCell').click()
    await page.locator('dialog').getByLabel(w('mappingName')).fill('bench')
    await button('save').click()
    await page.getByRole('heading', { level: 1, name: /^bench r1/ }).waitFor()
    const near = page.locator('p[role=status] b')
    const shown = page.locator('select').filter({ has: page.locator('option[value=puma560]') }).last()
    await shown.selectOption('puma560')
    await page.locator('.view3d canvas').waitFor()
    await page.getByText(w('noBodies')).waitFor()
    await shown.selectOption('scara')
    await near.waitFor()
    await button('addBox').click()
    await page.getByLabel(/^box-\d /).first().waitFor()
    for (const [k, value] of ['0.2', '0.2', '0.2'].entries()) await page.getByRole('group', { name: /box/ }).locator('input[type=number]').nth(k).fill(value)
    await page.getByRole('group', { name: /box/ }).locator('input[type=number]').nth(8).fill('90')
    await button('saveCell').click()
    await page.getByRole('heading', { level: 1, name: /^bench r2/ }).waitFor()
    const cell = await api('GET', '/v1/cells/bench')
    equal(cell.bodies.map((body) => Object.keys(body).find((name) => name !== 'name')), ['half_space', 'box'], 'bodies')
    equal(cell.bodies[1].box.size, [0.2, 0.2, 0.2], 'edges of the box')
    sure(Math.abs(cell.bodies[1].box.rpy[2] - Math.PI / 2) < 1e-12, 'a quarter of a turn')
    // as the service says for the pose of the sliders
    const q = await page.locator('.sliders input[type=range]').evaluateAll((all) => all.map((one) => Number(one.value)))
    const { clearance } = await api('POST', '/v1/robots/scara/clearance', { q, cell: 'bench' })
    await until(async () => Math.abs((await number(near)) - clearance) < 2e-3, 'the clearance of the stored cell')
    await look('cell')
    await page.goto(`${url}/#/cells`)
    await page.locator('tbody tr').first().waitFor()
    await look('cells')
  },
  async 'plan a motion that keeps clear of the cell'() {
    await page.goto(`${url}/#/trajectories/new?robot=scara`)
    await page.getByLabel(w('keepClear')).selectOption('bench')
    await page.getByLabel(w('method')).selectOption('quintic')
    await look('plan-cell')
    await button('plan').click()
    await made()
    const motion = await newest('trajectories')
    equal(motion.clearance.cell, 'bench', 'the cell')
    await until(async () => (await number(tile('clearance'))) === Number(digits(motion.clearance.clearance)), 'how near it comes')
    equal(await number(tile('toolSpeed')), Number(digits(motion.tool_speed.max, 3)), 'how fast the tool is')
  },
  async 'drag a body, see when a motion is nearest, and take the cell out and in'() {
    await page.goto(`${url}/#/cells/bench`)
    await page.locator('select').filter({ has: page.locator('option[value=puma560]') }).last().selectOption('scara')
    await page.getByRole('group', { name: /box/ }).getByRole('button').first().click() // a handle at it
    await page.waitForFunction(() => document.querySelector('.view3d')?.heldAt)
    await page.locator('.view3d canvas').scrollIntoViewIfNeeded()
    const middle = () => page.getByRole('group', { name: /box/ }).locator('input[type=number]').evaluateAll((all) => all.slice(3, 6).map((one) => Number(one.value)))
    const before = await middle()
    const place = await page.evaluate(() => document.querySelector('.view3d').heldAt())
    await page.mouse.move(place.x, place.y)
    await page.mouse.down()
    await page.mouse.move(place.x + 40, place.y + 15, { steps: 5 })
    await page.mouse.up()
    await until(async () => (await middle()).some((value, k) => Math.abs(value - before[k]) > 1e-3), 'the box where it was dragged to')
    await button('turnBody').click()
    await look('cell-dragged')
    const dragged = await middle()
    await button('saveCell').click()
    await page.getByRole('heading', { level: 1, name: /^bench r3/ }).waitFor()
    const cell = await api('GET', '/v1/cells/bench')
    equal(cell.bodies[1].box.translation, dragged, 'the middle of the box, as it was dragged')
    // when a stored motion is nearest to what, as the service says
    const motion = page.getByLabel(w('storedMotion'))
    await motion.selectOption({ index: 1 })
    const near = await api('POST', '/v1/robots/scara/clearance', { trajectory: await motion.inputValue(), cell: 'bench' })
    await page.locator('p.tight').waitFor()
    const told = (await page.locator('p.tight').textContent()).match(/-?\d+(\.\d+)?(e-?\d+)?/g).map(Number)
    sure(told.some((value) => Math.abs(value - near.clearance) < 2e-3) && told.some((value) => Math.abs(value - near.time) < 2e-2), `${told}, not ${near.clearance} m at ${near.time} s`)
    await look('cell-tight')
    const [file] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'SDF', exact: true }).click()])
    await page.goto(`${url}/#/cells`)
    await button('importCell').click()
    await page.locator('dialog').getByLabel(w('cellFile')).setInputFiles({ name: file.suggestedFilename(), mimeType: 'application/xml', buffer: readFileSync(await file.path()) })
    await page.locator('dialog').getByLabel(w('mappingName')).fill('bench-2')
    await look('cell-import', false)
    await button('save').click()
    await page.getByRole('heading', { level: 1, name: /^bench-2 r1/ }).waitFor()
    const back = await api('GET', '/v1/cells/bench-2')
    equal(back.bodies.map((body) => body.name), cell.bodies.map((body) => body.name), 'the bodies that came back')
    sure(back.bodies[1].box.translation.every((value, k) => Math.abs(value - dragged[k]) < 1e-9), 'where the box came back')
  },
  async 'compare runs: what was set differently comes first'() {
    const sets = (await api('GET', '/v1/datasets?robot=scara')).items
    const id = (label) => sets.find((set) => set.label === label).id
    const common = { datasets: [id('demo: learn')], validation: [id('demo: test')] }
    const runs = []
    for (const request of [{ estimator: 'wls' }, { estimator: 'consistent' }, { estimator: 'wls', conditioning: { position_cutoff_hz: 12 } }]) runs.push(await done('/v1/robots/scara/identifications', { ...common, ...request }))
    await page.goto(`${url}/#/compare?ids=${runs[0].id},${runs[1].id}`)
    const apart = page.getByRole('region', { name: w('settingsApart') })
    await apart.waitFor()
    equal(await page.locator('main h2').first().textContent(), w('settingsApart'), 'what comes first')
    const settings = async () => (await apart.locator('tbody tr').evaluateAll((rows) => rows.map((row) => row.cells[0].textContent)))
    sure((await settings()).includes(w('estimator')), `settings that differ: ${await settings()}`)
    // a third one is added; it becomes the baseline, and the second goes
    await page.getByLabel(w('addRun')).selectOption(runs[2].id)
    await page.waitForURL((at) => at.hash.split(/,|%2C/).length === 3)
    await page.locator('main a').filter({ hasText: runs[2].id.slice(-8) }).first().waitFor()
    await page.getByRole('button', { name: new RegExp(`${w('makeBaseline')}.*${runs[2].id.slice(-8)}`) }).click()
    await page.waitForURL((at) => at.hash.includes(`ids=${runs[2].id}`))
    await page.getByRole('button', { name: new RegExp(`${w('takeAway')}.*${runs[1].id.slice(-8)}`) }).click()
    await page.waitForURL((at) => at.hash.split(/,|%2C/).length === 2)
    await until(async () => JSON.stringify(await settings()) === JSON.stringify([w('lowPass')]), 'the one setting that differs')
    await page.locator('.u-over').first().waitFor()
    // friction of both, each within its band, and one line of the legend for each
    const friction = page.locator('section').filter({ has: page.getByRole('heading', { name: w('frictionCurves'), exact: true }) })
    await friction.getByText(w('frictionBands')).waitFor()
    equal(await friction.locator('figure').first().locator('.legend li').count(), 2, 'a line of the legend for each run')
    sure(await bandsOf(friction.locator('canvas').first()) > 0, 'bands are filled')
    await friction.screenshot({ path: `${shots}/${language}-compare-friction.png` })
    await page.getByLabel(w('whatIsLeft')).check()
    await page.locator('figure').filter({ hasText: w('leftOf') }).locator('.u-over').waitFor()
    await look('compare-settings')
    equal(faults, [], 'the page')
  },
  ...controlSteps({ tile, number, choice, inForce, made, newest, digits, done }),
  async 'try whether the deviations of an identification hold'() {
    const [learn] = (await api('GET', '/v1/datasets?robot=scara&label=demo%3A%20learn')).items
    const run = await done('/v1/robots/scara/identifications', { datasets: [learn.id], estimator: 'wls', friction: ['coulomb', 'viscous'] })
    await page.goto(`${url}/#/identifications/${run.id}`)
    await page.getByRole('link', { name: w('tryDeviations') }).click()
    await page.getByLabel(w('simulatedRuns')).fill('20')
    await look('study-form')
    await button('study').click()
    await made()
    const study = await newest('identification-studies')
    equal([study.identification, study.completed], [run.id, 20], 'what was studied')
    const share = (value) => (100 * value < 10 ? (100 * value).toFixed(2) : (100 * value).toFixed(1))
    equal(await tile('within95').textContent(), `${share(study.coverage.within_95.share)} %`, 'how many lie within')
    const shares = await page.getByRole('region', { name: w('leastCovered') }).locator('tbody tr').evaluateAll((all) => all.map((row) => row.cells[1].textContent.trim()))
    equal(shares, study.parameters.map((one) => one.coverage.within_95.share).sort((a, b) => a - b).map((one) => `${share(one)} %`), 'the least covered first')
    await look('study')
    await page.goto(`${url}/#/identification-studies`)
    await page.locator('tbody tr').first().waitFor()
    await look('studies')
  },
  async 'every kind of job has a page for its results'() {
    const { paths } = await api('GET', '/v1/openapi.json')
    const kinds = Object.entries(paths).filter(([path, { post }]) => /^\/v1\/robots\/{robot}\/[a-z-]+$/.test(path) && post?.responses['202']).map(([path]) => path.split('/').pop())
    sure(kinds.length >= 10, `kinds of jobs: ${kinds}`)
    for (const kind of kinds) {
      await page.goto(`${url}/#/${kind}`)
      await page.getByRole('heading', { level: 1 }).waitFor()
      sure(!(await page.title()).startsWith('404'), `there is no page for ${kind}`)
    }
  },
  async 'evaluations and frictions are listed; a table to cite'() {
    const [learn] = (await api('GET', '/v1/datasets?robot=scara&label=demo%3A%20test')).items
    const evaluation = await done('/v1/robots/scara/evaluations', { models: ['latest', 'revision:1'], datasets: [learn.id] })
    await menu('evaluations')
    await page.locator('tbody tr a').first().click()
    const save = page.waitForEvent('download')
    await page.getByRole('button', { name: 'LaTeX', exact: true }).click()
    equal((await save).suggestedFilename(), `evaluation-${evaluation.id}.tex`, 'the table')
    await look('evaluation-table')
    await page.goto(`${url}/#/friction-identifications`)
    await page.getByRole('heading', { level: 1 }).waitFor()
    await look('frictions', false)
    sure(language === 'en' || !(await page.locator('main').textContent()).includes('{'), 'no word is missing')
  },
  async 'what the service refuses is said in the language of the page'() {
    await page.goto(`${url}/#/simulations/new?robot=scara`)
    await page.getByLabel(w('durationOf'), { exact: true }).fill('1000000')
    expected.add(422).add(404)
    await button('simulate').click()
    const told = page.locator('main [role=alert]')
    await told.filter({ hasText: '/duration' }).filter({ hasText: w('atMost') }).waitFor()
    await told.filter({ hasText: w('invalid') }).waitFor()
    await look('refused', false)
    await page.goto(`${url}/#/robots/nobody`)
    await button('leavePage').click()
    await told.filter({ hasText: w('noSuch') }).filter({ hasText: 'nobody' }).waitFor()
    equal(await page.locator('main [aria-busy=true]').count(), 0, 'what says that it loads beside an error')
    await look('not-there', false)
    expected.clear()
  },
  ...connectSteps({ page, api, url, look, language, expected, robot: 'scara', port: Number(process.env.ARMDYN_CONTROLLER_PORTS) }),
  ...holdingSteps({ page, api, url, look, language, expected, robot: 'scara' }),
  ...analysisSteps({ page, api, url, key, look, language, go, enter, expected }),
})
