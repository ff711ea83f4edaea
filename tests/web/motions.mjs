// What a person does with arms and motions, from an empty data directory to motions that were planned, sent and ordered:
//   node motions.mjs en|zh     environment: as of person.mjs, and ARMDYN_CONTROLLER_PORTS
import { readFileSync } from 'node:fs'
import { axe, open } from './browser.mjs'
import { orderSteps } from './order_steps.mjs'
import { api, browser, button, enter, expected, faults, flow, go, key, language, look, menu, page, shots, url, w } from './person.mjs'
import { equal, sure, until } from './steps.mjs'
import { forwardKinematics } from '../../server/web/src/ui/kinematics.js'

const [port] = process.env.ARMDYN_CONTROLLER_PORTS.split(',')

// Twelve triangles as a binary STL, eight corners and six faces as an OBJ.
const cornersOf = (size, center = [0, 0, 0]) => Array.from({ length: 8 }, (_, i) => size.map((one, axis) => center[axis] + (one / 2) * ((i >> axis) & 1 ? 1 : -1)))
const SIDES = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]]
// The same in centimetres, upright by its z axis, and moved by its scene; with a picture that is nowhere.
const daeOfBox = (size) => `<?xml version="1.0"?><COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1"><asset><unit name="centimeter" meter="0.01"/><up_axis>Z_UP</up_axis></asset>
<library_effects><effect id="e"><profile_COMMON><technique sid="t"><lambert><diffuse><texture texture="nowhere" texcoord="UV"/></diffuse></lambert></technique></profile_COMMON></effect></library_effects>
<library_materials><material id="m"><instance_effect url="#e"/></material></library_materials>
<library_geometries><geometry id="g"><mesh><source id="p"><float_array id="pa" count="24">${cornersOf(size).flatMap(([x, y, z]) => [100 * x, 100 * y - 7, 100 * z]).join(' ')}</float_array><technique_common><accessor source="#pa" count="8" stride="3"><param name="X" type="float"/><param name="Y" type="float"/><param name="Z" type="float"/></accessor></technique_common></source>
<vertices id="v"><input semantic="POSITION" source="#p"/></vertices><polylist material="cloth" count="6"><input semantic="VERTEX" source="#v" offset="0"/><vcount>4 4 4 4 4 4</vcount><p>${SIDES.flat().join(' ')}</p></polylist></mesh></geometry></library_geometries>
<library_visual_scenes><visual_scene id="s"><node id="n"><translate>0 7 0</translate><instance_geometry url="#g"><bind_material><technique_common><instance_material symbol="cloth" target="#m"/></technique_common></bind_material></instance_geometry></node></visual_scene></library_visual_scenes><scene><instance_visual_scene url="#s"/></scene></COLLADA>`
const objOfBox = (size, center) => Buffer.from([...cornersOf(size, center).map((corner) => `v ${corner.join(' ')}`), ...SIDES.map((side) => `f ${side.map((one) => one + 1).join(' ')}`), ''].join('\n'))
function stlOfBox(size) {
  const [file, corners] = [Buffer.alloc(84 + 50 * 12), cornersOf(size)]
  file.writeUInt32LE(12, 80)
  SIDES.flatMap(([a, b, c, d]) => [[a, b, c], [a, c, d]]).forEach((triangle, i) => triangle.forEach((one, k) => corners[one].forEach((x, axis) => file.writeFloatLE(x, 84 + 50 * i + 12 + 12 * k + 4 * axis))))
  return file
}

// The box around what shows the arm, m in the base frame: once it is this, and with the joints at a right angle one after the other.
async function settled(wanted, what) {
  const shown = () => page.evaluate(() => {
    const box = document.querySelector('.view3d')?.shownBox?.() // when it is set up
    return [box?.min, box?.max].map((one) => [one?.x, one?.y, one?.z])
  })
  const near = (got) => got.flat().every((one, k) => Math.abs(one - wanted.flat()[k]) < 1e-6)
  const end = Date.now() + 60000
  while (!near(await shown())) sure(Date.now() < end, `${what}: ${JSON.stringify(await shown())}, not ${JSON.stringify(wanted)}`)
}

async function turned(boxes) {
  for (const [j, box] of boxes.entries()) {
    await page.locator('.sliders input[type=number]').nth(j).fill(String(Math.PI / 2))
    await page.keyboard.press('Tab')
    await settled(box, `after joint ${j}`)
  }
}

// A URDF of the tests becomes a robot, whose page is shown.
async function bring(name) {
  await menu('robots')
  await button('newRobot').click()
  await page.locator('dialog input[type=file]').setInputFiles(new URL(`../data/urdf/${name}.urdf`, import.meta.url).pathname)
  await page.waitForFunction((text) => document.querySelector('dialog textarea').value.includes(text), `name="${name}"`)
  await button('save').click()
}

await flow({
  async 'see what gravity asks of an arm, over the joints that matter'() {
    await page.goto(`${url}/#/robots/puma560`)
    const map = page.locator('section').filter({ hasText: w('gravityLoad') }).locator('canvas')
    const label = await map.getAttribute('aria-label')
    const { joints } = await api('GET', '/v1/robots/puma560')
    const q = joints.map(({ limits }) => (limits.position[0] + limits.position[1]) / 2)
    const { gravity_torque: surfaces } = await api('POST', '/v1/robots/puma560/gravity-map', { joints: ['j2', 'j3'], q, points: [61, 61] })
    const [low, high] = [Math.min(...surfaces[0].flat()), Math.max(...surfaces[0].flat())].map((value) => String(Number(value.toPrecision(3))))
    sure(label.includes('j2') && label.includes(low) && label.includes(high), `the map of gravity: ${label}, not of j2 from ${low} to ${high}`)
    await look('gravity')
  },
  async 'have the equations of an arm as a program'() {
    await page.goto(`${url}/#/robots/puma560`)
    await page.getByRole('link', { name: w('equations'), exact: true }).click()
    const [asked] = await Promise.all([page.waitForResponse((one) => one.url().includes('/code') && one.request().method() === 'POST'), button('writeProgram').click()])
    const { files } = await asked.json()
    const shown = page.locator('pre.code')
    await shown.nth(1).waitFor()
    equal(await shown.evaluateAll((all) => all.map((one) => one.textContent)), files.map((one) => one.source), 'the texts')
    sure(files[0].source.includes('FUNCTION_BLOCK FB_puma560_gravity'), 'no function block')
    await button('copyIt').first().click()
    await page.getByText(w('copied')).waitFor()
    const [download] = await Promise.all([page.waitForEvent('download'), button('downloadIt').first().click()])
    equal([download.suggestedFilename(), readFileSync(await download.path(), 'utf8')], [files[0].name, files[0].source], 'the download')
    await look('code')
    await page.locator('form select').first().selectOption('inverse_dynamics')
    await page.getByLabel(w('mayBeOff')).fill('1, 1, 1, 0.5, 0.5, 0.5')
    const [short] = await Promise.all([page.waitForResponse((one) => one.url().includes('/code') && one.request().method() === 'POST'), button('writeProgram').click()])
    const [program] = (await short.json()).programs
    await page.getByText(`${program.operations.multiplications} `).first().waitFor()
    sure(program.left_out.terms > 50 && program.operations.multiplications < 180, 'nothing is left out')
    await page.locator('table td').filter({ hasText: new RegExp(`^${program.left_out.terms}$`) }).waitFor() // among the proofs that were kept
    expected.add(422)
    await page.getByLabel(w('mayBeOff')).fill('1, 1')
    await button('writeProgram').click()
    await page.locator('.notice.bad').waitFor()
    await look('code-refused')
    expected.clear()
  },
  async 'see the boxes, cylinders and spheres of a URDF in their colours, where its joints put them'() {
    await bring('shapes')
    await settled([[-0.15, -0.15, 0], [0.16, 0.15, 0.66]], 'the shapes at rest')
    // from below: the blue foot, the green arm, the red hand
    const heights = () => page.locator('.view3d canvas').evaluate((canvas) => {
      const { data, width } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height)
      const found = [[], [], []]
      for (let i = 0; i < data.length; i += 4) for (let k = 0; k < 3; k++) if (data[i + k] > 1.8 * Math.max(data[i + (k + 1) % 3], data[i + (k + 2) % 3])) found[k].push(Math.floor(i / 4 / width))
      return found.map((rows) => (rows.length < 200 ? NaN : rows.reduce((sum, row) => sum + row) / rows.length))
    })
    await page.waitForFunction(() => !document.querySelector('main [aria-busy=true]'))
    const [red, green, blue] = await heights()
    sure(red < green && green < blue, `red, green, blue are at ${[red, green, blue]}`)
    equal(await page.locator('.meshes').count(), 0, 'asked for files of shapes')
    await turned([[[-0.15, -0.15, 0], [0.15, 0.16, 0.66]], [[-0.15, -0.15, 0], [0.15, 0.26, 0.56]]])
    await look('robot-shapes')
  },
  async 'see the meshes of a URDF where its joints put them'() {
    await bring('boxes')
    await page.getByText(w('missing')).waitFor()
    await look('robot-meshes-missing', false)
    // dropped together, matched by name; one that nobody knows
    const files = [['base.dae', Buffer.from(daeOfBox([0.3, 0.3, 0.1]))], ['UPPER ARM.STL', stlOfBox([40, 100, 400])], ['other.stl', stlOfBox([1, 1, 1])]]
    await page.locator('.drop').evaluate((place, dropped) => {
      const dataTransfer = new DataTransfer()
      for (const [name, data] of dropped) dataTransfer.items.add(new File([Uint8Array.from(atob(data), (c) => c.charCodeAt(0))], name))
      place.dispatchEvent(new DragEvent('drop', { dataTransfer, bubbles: true, cancelable: true }))
    }, files.map(([name, data]) => [name, data.toString('base64')]))
    await page.getByText(w('unmatched')).waitFor()
    // what is not read says what to do
    await page.locator('.meshes input[type=file]').setInputFiles({ name: 'hand.dae', mimeType: '', buffer: Buffer.from('<?xml version="1.0"?><COLLADA version="1.4.1"/>') })
    await page.getByText(/assimp export/).waitFor()
    // and a file of another name and format for the third, by the keyboard
    const chooser = page.waitForEvent('filechooser')
    await button('handFile').focus()
    await page.keyboard.press('Enter')
    await (await chooser).setFiles({ name: 'gripper.obj', mimeType: '', buffer: objOfBox([0.06, 0.02, 0.3], [0, 0, 0.15]) })
    await page.getByText(w('complete')).waitFor()
    // at rest, then each joint at a right angle, by hand from the URDF
    await settled([[-0.15, -0.3, 0], [0.15, 0.15, 0.56]], 'the meshes at rest')
    await turned([[[-0.15, -0.15, 0], [0.3, 0.15, 0.56]], [[-0.15, -0.15, 0], [0.3, 0.16, 0.53]]])
    await look('robot-meshes')
    await page.getByRole('checkbox', { name: w('meshes'), exact: true }).uncheck()
    await look('robot-meshes-hidden', false)
    await page.goto(`${url}/#/trajectories/new?robot=boxes`)
    await button('startPoint').click()
    await settled([[-0.15, -0.3, 0], [0.15, 0.15, 0.56]], 'the meshes of a plan')
    await api('DELETE', '/v1/robots/boxes', undefined, { 'If-Match': '*' })
  },
  async 'plan a motion and look at it'() {
    await page.goto(`${url}/#/trajectories/new?robot=scara`)
    await page.getByLabel(w('method')).selectOption('quintic')
    await button('goalPoint').click()
    await page.locator('.view3d canvas').waitFor()
    await look('plan')
    // a joint in degrees, kept within its limits
    await page.getByLabel(w('anglesIn')).selectOption('deg')
    const joint = page.getByLabel('j1, °')
    await joint.fill('20')
    await page.keyboard.press('Tab')
    const { limits } = (await api('GET', '/v1/robots/scara')).joints[1]
    await page.getByLabel('j2, °').fill('9999')
    await page.keyboard.press('Tab')
    sure(Math.abs(Number(await page.getByLabel('j2, °').inputValue()) - (limits.position[1] * 180) / Math.PI) < 1e-2, 'a joint beyond its limit')
    await page.getByLabel('j2, °').fill('30')
    await page.keyboard.press('Tab')
    // the tool 30 mm further, by inverse kinematics; then where no arm reaches
    const x = page.getByLabel('x [m]')
    const [before_, y] = [Number(await x.inputValue()), await page.getByLabel('y [m]').inputValue()]
    await x.fill(String(before_ - 0.03))
    await page.keyboard.press('Tab')
    await page.waitForFunction((old) => document.querySelector('.sliders input[type=number]').value !== old, '20')
    equal([Math.abs(Number(await x.inputValue()) - before_ + 0.03) < 2e-4, await page.getByLabel('y [m]').inputValue()], [true, y], 'where the tool is')
    await x.fill('9')
    await page.keyboard.press('Tab')
    await page.getByText(w('far')).waitFor()
    await page.getByLabel('j1, °').fill('20')
    await page.keyboard.press('Tab')
    await page.getByLabel(w('anglesIn')).selectOption('rad')
    // the tool dragged by its handle
    await page.locator('.view3d canvas').scrollIntoViewIfNeeded()
    const [first] = await page.locator('.sliders input[type=number]').evaluateAll((all) => all.map((one) => one.value))
    const { place } = await page.evaluate(() => ({ place: document.querySelector('.view3d').gripAt() }))
    await page.mouse.move(place.x, place.y)
    await page.mouse.down()
    await page.mouse.move(place.x + 25, place.y + 10, { steps: 5 })
    await page.mouse.up()
    await page.waitForFunction((old) => document.querySelector('.sliders input[type=number]').value !== old, first)
    await look('plan-goal')
    await button('plan').click()
    await page.getByRole('link', { name: w('result') }).waitFor({ timeout: 120000 })
    await page.getByRole('link', { name: w('result') }).click()
    await page.locator('.u-over').first().waitFor()
    await button('play', false).click()
    await page.waitForFunction(() => Number(document.querySelector('.view3d-place ~ .row input[type=range]').value) > 0.2)
    await look('motion')
    await button('play', false).waitFor() // it has ended
    // one time for the plots and the arm, and the values that stand there
    const id = page.url().split('/').at(-1)
    const plot = page.locator('figure').filter({ hasText: w('position') }).first()
    await plot.locator('.u-over').scrollIntoViewIfNeeded()
    const { width } = await plot.locator('.u-over').boundingBox()
    await plot.locator('.u-over').click({ position: { x: width * 0.6, y: 50 } })
    const time = Number(await page.locator('.view3d-place ~ .row input[type=range]').inputValue())
    sure(time > 1.1 && time < 1.3, `a click at 0.6 of 2 s became ${time} s`)
    const { q } = await api('GET', `/v1/trajectories/${id}/samples?from=${time - 0.02}&to=${time + 0.02}&fields=q`)
    const told = Number(await plot.locator('output').first().textContent())
    sure(q.some((row) => Math.abs(row[0] - told) < 1e-3), `the value at the cursor is ${told}, the motion there ${q.map((row) => row[0])}`)
    // as a picture, before and after a zoom and without a line
    const file = async (kind) => {
      if (!(await plot.locator('details[open]').count())) await plot.locator('summary').click()
      const download = page.waitForEvent('download')
      await plot.getByRole('button', { name: kind, exact: true }).click()
      return readFileSync(await (await download).path())
    }
    const lines = (svg) => [svg.match(/<path /g).length, svg.match(/text-anchor="end">[^<]*/g).join()]
    const before = lines(String(await file('SVG')))
    await plot.getByRole('button', { name: w('taller') }).click()
    await plot.locator('.legend button').first().click()
    const after = lines(String(await file('SVG')))
    equal([before[0], after[0], before[1] !== after[1]], [4, 3, true], `lines of the picture, and other ticks (${before[1]}; ${after[1]})`)
    sure((await file('PNG')).subarray(1, 4).toString() === 'PNG', 'the picture is a PNG')
    await look('plot-menu', false)
  },
  async 'an arm in the browser stands where the service says; one context of WebGL for all pages'() {
    expected.add(401)
    const puma = await api('GET', '/v1/robots/puma560')
    for (const field of ['revision', 'created_at', 'unphysical', 'warnings']) delete puma[field]
    const modified = { ...puma, name: 'modified', convention: 'mdh', tool: { translation: [0.1, 0.2, 0.3], rpy: [0.1, 0.4, -0.3] } }
    await api('POST', '/v1/robots?allow_unphysical=true', modified)
    const urdf = await fetch(`${url}/v1/robots?name=boxes`, { method: 'POST', headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/xml' }, body: readFileSync(new URL('../data/urdf/boxes.urdf', import.meta.url)) })
    sure(urdf.status === 201, 'the URDF')
    for (const name of ['puma560', 'scara', 'ur10', 'modified', 'boxes']) {
      const model = await api('GET', `/v1/robots/${name}`)
      const q = model.joints.map((_, j) => 0.4 * Math.sin(2 * j + 1) + 0.05)
      const [own, wanted] = [forwardKinematics(model, q), await api('POST', `/v1/robots/${name}/forward-kinematics`, { q })].map(({ links, tool }) => [links, tool].flat(3))
      sure(own.every((value, k) => Math.abs(value - wanted[k]) < 1e-12), `${name}: ${own}, not ${wanted}`)
    }
    for (const name of ['modified', 'boxes']) await api('DELETE', `/v1/robots/${name}`, undefined, { 'If-Match': '*' })
    await page.reload()
    await enter(key)
    expected.clear()
    const drawn = () => page.waitForFunction(() => {
      const canvas = document.querySelector('.view3d canvas')
      if (!canvas?.width) return false
      const copy = new OffscreenCanvas(canvas.width, canvas.height).getContext('2d', { willReadFrequently: true })
      copy.drawImage(canvas, 0, 0)
      const { data } = copy.getImageData(0, 0, canvas.width, canvas.height)
      return new Set(new Uint32Array(data.buffer)).size > 50
    })
    for (let k = 0; k < 12; k++) {
      await page.goto(`${url}/#/${['robots/puma560', 'trajectories/new?robot=scara', 'robots/ur10'][k % 3]}`)
      await drawn()
    }
    equal(await page.evaluate(() => window.contexts), 1, 'contexts')
    // the wheel is the page's, until the arm has the focus; keys turn it
    const arm = page.locator('.view3d canvas')
    const picture = () => arm.evaluate((canvas) => canvas.toDataURL())
    await page.evaluate(() => scrollTo(0, 0))
    await arm.hover()
    await page.mouse.wheel(0, 300)
    await page.waitForFunction(() => scrollY > 100)
    await page.evaluate(() => scrollTo(0, 0))
    await arm.focus()
    const first = await picture()
    await page.keyboard.press('ArrowLeft')
    await until(async () => (await picture()) !== first, 'another picture')
    await page.keyboard.press('4')
    await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))))
    await look('arm-from-above', false)
  },
  async 'choose a duration from what others would cost'() {
    await page.goto(`${url}/#/trajectories/new?robot=scara`)
    await page.getByLabel(w('durations')).fill('3, 2.5 0.01')
    await button('plan').click()
    await page.getByRole('link', { name: w('result') }).click({ timeout: 120000 })
    const front = page.locator('section').filter({ has: page.getByRole('heading', { name: w('otherDurations') }) })
    await front.locator('.u-over').nth(1).waitFor()
    const [{ id }] = (await api('GET', '/v1/trajectories?sort=-created_at')).items
    const motion = await api('GET', `/v1/trajectories/${id}`)
    equal(motion.pareto.map((one) => one.duration), [3, 2.5, 0.01], 'durations compared')
    equal([motion.pareto[0].energy > 0, motion.pareto[2].energy], [true, null], 'what 3 s and 0.01 s ask')
    const others = [...motion.pareto].sort((a, b) => a.duration - b.duration)
    const [none, own, ...cells] = await front.locator('tbody tr').evaluateAll((rows) => rows.map((row) => [0, 2].map((at) => parseFloat(row.cells[at].textContent))))
    equal([none, own[0], ...cells.map(([duration]) => duration)], [[0.01, null], 2, 2.5, 3], 'rows by duration')
    const shown = [own, ...cells].map(([, energy]) => energy), energies = [motion.energy.total, others[1].energy, others[2].energy]
    sure(energies.every((value, k) => (value == null ? Number.isNaN(shown[k]) : Math.abs(shown[k] - value) <= 1e-3 * value)), `energies ${shown}, not ${energies}`)
    await look('durations')
    await button('planThis').first().click()
    await page.getByRole('link', { name: w('result') }).click({ timeout: 120000 })
    await page.getByRole('heading', { level: 1 }).waitFor()
    await page.locator('.u-over').first().waitFor()
    equal((await api('GET', '/v1/trajectories?sort=-created_at')).items[0].metrics.duration, others.find((one) => one.energy != null).duration, 'duration of the motion planned from the table')
  },
  async 'send it to a controller, arm, start, and see it done'() {
    await menu('controllers')
    await button('newController').click()
    const field = (name) => page.locator('dialog').getByLabel(w(name), { exact: true })
    await field('mappingName').fill('cell')
    await field('host').fill('127.0.0.1')
    await field('portNumber').fill(port)
    await page.locator('dialog select').selectOption('scara')
    await field('mayStart').check()
    await button('save').click()
    await page.getByRole('heading', { name: 'cell', exact: true }).waitFor()
    const [motion] = (await api('GET', '/v1/trajectories')).items
    await page.goto(`${url}/#/trajectories/${motion.id}`)
    await button('send', false).click()
    await button('sendDo').click()
    await button('arm').click({ timeout: 60000 })
    await button('start').click({ timeout: 60000 })
    await page.locator('h2 .state').filter({ hasText: w('done') }).waitFor({ timeout: 120000 })
    const [transfer] = (await api('GET', '/v1/transfers')).items
    equal(transfer.state, 'done', 'the transfer')
    await page.getByRole('heading', { name: w('played') }).waitFor()
    const { joints } = await api('GET', `/v1/transfers/${transfer.id}/comparison`)
    const rows = await page.getByRole('region', { name: w('played') }).locator('tbody tr').allTextContents()
    equal(rows.length, joints.length, 'joints that were played')
    sure(rows.every((text, k) => text.includes(joints[k].joint) && text.includes(`${+joints[k].position.worst_at.toPrecision(3)}`)), `played: ${rows}`)
    await look('controller')
  },
  async 'stop is at hand on every page'() {
    await menu('jobs')
    await page.getByRole('button', { name: w('stop') }).click()
    await page.getByText(w('confirmed')).waitFor()
    await look('jobs')
  },
  ...orderSteps({ page, api, url, look, language, go, expected }),
  async 'read the reference of the API, which needs no key'() {
    const { page: docs, faults: here } = await open(browser, url, { language, dark: language === 'zh' })
    const see = async (name) => {
      await docs.screenshot({ path: `${shots}/${language}-${name}.png` })
      equal(await axe(docs), [], `accessibility of ${name}`)
      equal(here, [], `the page ${name}`)
    }
    const contract = await (await fetch(`${url}/v1/openapi.json`)).json()
    const operations = Object.values(contract.paths).flatMap((item) => Object.values(item).filter((one) => one.operationId).map((one) => one.operationId))
    await docs.goto(await page.getByRole('link', { name: w('api') }).evaluate((one) => one.href))
    await docs.getByRole('heading', { level: 1 }).filter({ hasText: 'armdyn API' }).waitFor()
    const links = await docs.locator('nav a[href^="#"]').evaluateAll((all) => all.map((one) => one.getAttribute('href').slice(1)))
    equal(operations.filter((id) => !links.includes(id)), [], 'calls without a link')
    await see('docs')
    await docs.getByLabel('Search').fill('inverse torque')
    await docs.locator('nav a[href="#inverseDynamics"]').click()
    await docs.getByRole('heading', { level: 1 }).filter({ hasText: contract.paths['/v1/robots/{robot}/inverse-dynamics'].post.summary }).waitFor()
    await docs.getByRole('button', { name: 'inside payload' }).click()
    await docs.locator('.members .members code').filter({ hasText: /^form 1$/ }).waitFor()
    sure((await docs.locator('pre').first().textContent()).includes(`curl '${url}/v1/robots/ROBOT/inverse-dynamics'`), 'no command to copy')
    await see('docs-call')
    const gaps = await docs.evaluate(async (all) => {
      const missing = []
      for (const at of all) {
        location.hash = at
        while (document.querySelector('main').dataset.at !== at) await new Promise((done) => setTimeout(done))
        if (document.querySelector('h1').textContent === 'Not there') missing.push(at)
      }
      return missing
    }, language === 'en' ? [...operations, ...Object.keys(contract.components.schemas).map((name) => `schema/${name}`)] : ['schema/Robot']) // the contract is English in both
    equal(gaps, [], 'what is named and not there')
    await see('docs-schema')
    await docs.context().close()
  },
})
