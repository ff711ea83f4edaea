// What a person does, from an empty data directory to a promoted identification and a played motion:
//   node flows.mjs en|zh       environment: ARMDYN_URL, ARMDYN_KEY, ARMDYN_CONTROLLER_PORTS, ARMDYN_SHOTS
import { mkdirSync, readFileSync } from 'node:fs'
import { axe, launch, open } from './browser.mjs'
import { orderSteps } from './order_steps.mjs'
import { caller, equal, run, sure, until } from './steps.mjs'
import { forwardKinematics } from '../../server/web/src/ui/kinematics.js'

const { ARMDYN_URL: url, ARMDYN_KEY: key, ARMDYN_CONTROLLER_PORTS: ports, ARMDYN_SHOTS: shots } = process.env
const [port] = ports.split(',')
const language = process.argv[2]
const HOSTILE = '<script>alert(1)</script><img src=x onerror=alert(2)> \u202Egnp'

// The words that are clicked, as a person who reads this language knows them.
const WORDS = {
  key: ['API key', 'API 密钥'], login: ['Log in', '登录'], leave: ['Log out', '退出'], wrong: ['does not take this key', '不接受此密钥'],
  demo: ['Load demo robots and logs', '加载示例机器人和日志'], datasets: ['Data sets', '数据集'], uploadOpen: ['Upload a log', '上传日志'],
  upload: ['Upload', '上传'], preview: ['Preview', '预览'], converted: ['As kept: SI, joint side', '转换后：SI 单位，关节侧'], newMapping: ['New or changed mapping …', '新建或修改映射……'],
  mappingName: ['Name (a-z, 0-9, -)', '名称（a-z、0-9、-）'], logColumn: ['Column of the log', '日志中的列'], unit: ['Unit', '单位'], save: ['Save', '保存'],
  identifyOpen: ['Identify …', '辨识……'], identify: ['Identify', '开始辨识'], result: ['Open the result', '打开结果'], label: ['Label', '名称'], saved: ['Saved.', '已保存。'],
  runs: ['Identification results', '辨识结果'], trained: ['Training error, raw', '训练误差（原始）'], compare: ['Compare 2', '比较 2 个'],
  promote: ['Promote …', '采用为模型……'], reason: ['Reason', '理由'], make: ['Make revision 2', '生成版本 2'], robots: ['Robots', '机器人'], choose: ['Choose', '选择'],
  editModel: ['Save as a new revision', '保存为新版本'], plan: ['Plan it', '开始规划'], method: ['Method', '方法'], play: ['Play', '播放'], pause: ['Pause', '暂停'], send: ['Send to a controller', '发送到控制器'], sendDo: ['Send', '发送'],
  controllers: ['Controllers', '控制器'], newController: ['New controller …', '新建控制器……'], host: ['Host', '主机'], portNumber: ['Port', '端口'], mayStart: ['This service may start motions', '允许本服务启动运动'],
  played: ['Measured less planned', '实测减计划'], arm: ['Arm', '使能'], start: ['START: the arm moves', '启动：手臂将运动'], ready: ['ready', '就绪'], armed: ['armed', '已使能'], done: ['done', '完成'], stop: ['STOP cell', '停止 cell'], confirmed: ['controller confirmed it', '控制器已确认'],
  frictionAlone: ['friction alone, from runs at constant speed', '仅摩擦（匀速运行）'], keys: ['Keys', '密钥'], newKey: ['New key …', '新建密钥……'], keyName: ['Whose it is (a-z, 0-9, -)', '使用者（a-z、0-9、-）'], evaluateOpen: ['Evaluate …', '评估……'], evaluate: ['Evaluate', '开始评估'], excitations: ['Excitations', '激励轨迹'],
  tests: ['Friction tests', '摩擦测试'], planIt: ['Plan it', '开始规划'], harmonics: ['Harmonics', '谐波数'], population: ['Population', '种群规模'], generations: ['Generations', '代数'], durationOf: ['Duration [s]', '时长 [s]'],
  speeds: ['Speeds of each joint', '每关节速度数'], cruise: ['Longest run [s]', '最长匀速时间 [s]'], trajectories: ['Trajectories', '轨迹'], secretOf: ['The secret of guest', 'guest 的密钥'], learnt: ['learnt from this', '由此训练'],
  gravityLoad: ['Gravity load', '重力负载图'], durations: ['Compare durations [s]', '比较时长 [s]'], otherDurations: ['The same way in other durations', '相同路径、不同时长'], planThis: ['Plan this one', '规划此时长'],
  api: ['API reference', 'API 文档'], audit: ['Audit trail', '审计记录'], jobs: ['Jobs', '任务'], goalPoint: ['Goal', '终点'], startPoint: ['Start', '起点'], anglesIn: ['Angles in', '角度单位'], same: ['Start and goal are the same.', '起点与终点相同。'], far: ['This cannot be reached', '无法到达'],
  newRobot: ['New robot …', '新建机器人……'], meshes: ['Meshes', '网格模型'], missing: ['3 of 3 are missing.', '共 3 个，缺少 3 个。'], complete: ['0 of 3 are missing.', '共 3 个，缺少 0 个。'], unmatched: ['is called like other.stl', '没有与 other.stl 同名'],
  equations: ['Equations as code', '方程代码'], writeProgram: ['Write the program', '生成程序'], copyIt: ['Copy', '复制'], copied: ['Copied.', '已复制。'], downloadIt: ['Download', '下载'], mayBeOff: ['May be off by', '允许误差'],
  delete: ['Delete', '删除'], convert: ['Convert degrees to rad', '将度转换为弧度'], stay: ['Stay', '留下'], overPosition: ['Residual over position', '残差（位置）'], friction: ['± 1 standard deviation', '± 1 标准差'], position: ['Position', '位置'], taller: ['Zoom in vertically', '纵向放大'], discard: ['Throw away', '放弃'], handFile: ['File for hand', 'hand 的文件'],
}
const w = (name) => WORDS[name][language === 'zh' ? 1 : 0]
const api = caller(() => url, key)

// Twelve triangles as a binary STL, eight corners and six faces as an OBJ.
const cornersOf = (size, center = [0, 0, 0]) => Array.from({ length: 8 }, (_, i) => size.map((one, axis) => center[axis] + (one / 2) * ((i >> axis) & 1 ? 1 : -1)))
const SIDES = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]]
const objOfBox = (size, center) => Buffer.from([...cornersOf(size, center).map((corner) => `v ${corner.join(' ')}`), ...SIDES.map((side) => `f ${side.map((one) => one + 1).join(' ')}`), ''].join('\n'))
function stlOfBox(size) {
  const [file, corners] = [Buffer.alloc(84 + 50 * 12), cornersOf(size)]
  file.writeUInt32LE(12, 80)
  SIDES.flatMap(([a, b, c, d]) => [[a, b, c], [a, c, d]]).forEach((triangle, i) => triangle.forEach((one, k) => corners[one].forEach((x, axis) => file.writeFloatLE(x, 84 + 50 * i + 12 + 12 * k + 4 * axis))))
  return file
}

mkdirSync(shots, { recursive: true })
const browser = await launch()
const { page, faults, expected } = await open(browser, url, language === 'zh' ? { language, dark: true, width: 1024, height: 768 } : { language })
const button = (name, exact = true) => page.getByRole('button', { name: w(name), exact })
const menu = async (name) => {
  await page.getByRole('navigation').getByRole('link', { name: w(name), exact: true }).click()
  await page.getByRole('heading', { level: 1, name: w(name) }).waitFor()
}
// A picture of the page, and what axe-core and the watch over the page have to say.
const look = async (name, fullPage = true) => {
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))))
  await page.screenshot({ path: `${shots}/${language}-${name}.png`, fullPage })
  equal(await axe(page), [], `accessibility of ${name}`)
  equal(faults, [], `the page ${name}`)
  sure(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth + 1), `${name} is wider than the window`)
}

const enter = async (secret) => { // after a reload: the key is in memory only
  await page.getByLabel(w('key')).fill(secret)
  await page.keyboard.press('Enter')
  await page.getByRole('navigation').waitFor()
}

const STEPS = {
  async 'log in with a key, which is kept in memory only'() {
    expected.add(401)
    await page.goto(`${url}/`)
    await page.getByLabel(w('key')).fill('not-the-key-of-anybody')
    await button('login').click()
    await page.getByText(w('wrong')).waitFor()
    const sent = await page.evaluate(() => performance.getEntriesByType('resource').concat(performance.getEntriesByType('navigation')).filter((one) => !one.name.includes('/v1/')).reduce((sum, one) => sum + one.encodedBodySize, 0))
    sure(sent > 10000 && sent <= 30000, `the first page is ${sent} bytes`)
    await look('login')
    await page.getByLabel(w('key')).fill(key)
    await page.keyboard.press('Enter')
    await button('demo').waitFor()
    expected.clear()
    sure(!(await page.evaluate(() => JSON.stringify({ ...localStorage, ...sessionStorage }))).includes(key), 'the key was stored')
  },
  async 'load the demo in one click'() {
    await look('start-empty')
    const licences = await (await fetch(await page.locator('main a[href$=".txt"]').evaluate((at) => at.href))).text()
    const carried = JSON.parse(readFileSync(new URL('../../server/web/package.json', import.meta.url))).dependencies
    for (const [name, version] of Object.entries(carried)) sure(licences.includes(`${name} ${version} (`), `the licences name ${name} ${version}`)
    sure(/Permission is hereby granted/.test(licences), 'the licences have their texts')
    await button('demo').click()
    await page.locator('.notice.good').waitFor()
    await look('start')
    equal((await api('GET', '/v1/robots')).items.map((one) => one.name), ['puma560', 'scara', 'ur10'], 'robots')
  },
  async 'upload a log by a mapping, with a hostile name'() {
    const rows = Array.from({ length: 400 }, (_, k) => [k * 5, ...[0, 1, 2, 3].map((j) => (20 * Math.sin(k / 40 + j)).toFixed(4)), 1, 2, 3, 4].join(';').replaceAll('.', ','))
    await menu('datasets')
    await button('uploadOpen').click()
    await page.locator('dialog').getByLabel(w('label'), { exact: true }).fill('given up')
    await page.keyboard.press('Escape')
    await look('discard', false)
    await button('discard').click()
    await button('uploadOpen').click()
    await page.locator('dialog select').first().selectOption('scara')
    await page.locator('input[type=file]').setInputFiles({ name: 'drive.csv', mimeType: 'text/csv', buffer: Buffer.from(['Zeit;A1;A2;A3;A4;M1;M2;M3;M4', ...rows, ''].join('\n')) })
    await button('newMapping').click()
    await page.getByLabel(w('mappingName')).fill('drive')
    for (const [target, column, unit] of [['t', 'Zeit', 'ms'], ...[1, 2, 3, 4].flatMap((j) => [[`q${j}`, `A${j}`, j === 3 ? 'mm' : 'deg'], [`tau${j}`, `M${j}`, j === 3 ? 'N' : 'N*m']])]) {
      await page.getByLabel(`${target}: ${w('logColumn')}`).fill(column)
      await page.getByLabel(`${target}: ${w('unit')}`).selectOption(unit)
    }
    await look('mapping', false)
    await button('save').click()
    await button('preview').click()
    await page.getByRole('heading', { name: w('converted') }).waitFor()
    await look('upload', false)
    await page.locator('dialog').getByLabel(w('label'), { exact: true }).fill(HOSTILE)
    await button('upload').click()
    await page.locator('.notice.good').waitFor()
    const [set] = (await api('GET', '/v1/datasets?q=script')).items
    equal([set.label, set.samples], [HOSTILE, 400], 'the data set')
    const { min, max } = (await api('GET', `/v1/datasets/${set.id}`)).columns.find((column) => column.name === 'q1')
    sure(Math.abs(max - (20 * Math.PI) / 180) < 1e-3 && min < 0, `degrees became ${min} ... ${max} rad`)
  },
  async 'drop a log in degrees anywhere: it is seen, and converted'() {
    await menu('datasets')
    const rows = Array.from({ length: 300 }, (_, k) => [k / 100, ...[0, 1, 2, 3].map((j) => (j === 2 ? 0.05 : (j === 3 ? 0.5 : 90) * Math.sin(k / 40 + j)).toFixed(4)), 1, 2, 3, 4].join(','))
    const text = ['t,q1,q2,q3,q4,tau1,tau2,tau3,tau4', ...rows, ''].join('\n')
    await page.locator('main').evaluate((place, log) => {
      const dataTransfer = new DataTransfer()
      dataTransfer.items.add(new File([log], 'degrees.csv'))
      place.dispatchEvent(new DragEvent('drop', { dataTransfer, bubbles: true, cancelable: true }))
    }, text)
    await page.locator('dialog .u-over').first().waitFor() // what it looks like
    equal(await page.locator('dialog select').first().inputValue(), 'scara', 'the robot with as many joints')
    await page.locator('dialog').getByText('q1, q2').waitFor()
    await look('degrees', false)
    await button('convert').click()
    await page.locator('dialog .notice.good').waitFor()
    await button('upload').click()
    const kept = async () => (await api('GET', '/v1/datasets?q=degrees')).items
    await until(async () => (await kept()).length, 'the data set')
    await page.locator('dialog').waitFor({ state: 'detached' })
    const [set] = await kept()
    const most = (name) => api('GET', `/v1/datasets/${set.id}`).then(({ columns }) => columns.find((column) => column.name === name).max)
    sure(Math.abs((await most('q1')) - Math.PI / 2) < 1e-3 && Math.abs((await most('q3')) - 0.05) < 1e-9 && Math.abs((await most('q4')) - Math.PI / 360) < 1e-4, 'degrees became rad, of a joint that hardly moves too, and metres stayed')
    await api('DELETE', `/v1/datasets/${set.id}`, undefined, { 'If-Match': '*' })
    await api('DELETE', '/v1/mappings/scara-degrees', undefined, { 'If-Match': '*' })
    equal(faults, [], 'the page')
  },
  async 'identify twice, and see it get on by a stream of events'() {
    let polls = 0
    page.on('request', (request) => (polls += /\/v1\/jobs\/\w+$/.test(request.url())))
    for (const estimator of ['wls', 'consistent']) {
      await menu('datasets')
      for (const log of ['learn', 'test']) await page.getByLabel(`${w('choose')} demo: ${log}`).check()
      await button('identifyOpen').click()
      await page.locator('dialog select').first().selectOption(estimator)
      await button('identify').click()
      await page.getByRole('link', { name: w('result') }).waitFor({ timeout: 180000 })
    }
    // one answer when the page is opened and when the stream begins, and one for each state
    sure(polls <= 2 * 8, `the job was asked for ${polls} times`)
    await look('job')
    await page.getByRole('link', { name: w('result') }).click()
    await page.locator('.u-over').first().waitFor()
    await look('run')
  },
  async 'see which joint of a run is worst, and why'() {
    const [{ id }] = (await api('GET', '/v1/identifications?estimator=consistent')).items
    const run = await api('GET', `/v1/identifications/${id}`)
    const errors = run.errors.validation.raw.joints.map((one) => one.relative_percent)
    const worst = `j${errors.indexOf(Math.max(...errors)) + 1}`
    const heading = (joint) => page.getByRole('heading', { name: language === 'zh' ? `关节 ${joint}` : `Joint ${joint}`, exact: true })
    await heading(worst).waitFor() // without being asked for
    sure((await page.locator('.lead').textContent()).includes(`${errors[errors.indexOf(Math.max(...errors))].toFixed(2)} %`), 'the summary tells how bad it is')
    equal((await page.locator('table.heat td:nth-child(2)').allTextContents()).map((text) => /[▲]/.test(text)), errors.map((one) => one === Math.max(...errors)), 'the worst is marked')
    // residuals over position are of as many samples as were compared
    const over = page.locator('figure').filter({ hasText: w('overPosition') })
    await over.locator('.u-over').waitFor()
    // another joint; a band that can be seen is filled
    await page.route(`**/v1/identifications/${id}`, (route) => route.fulfill({ json: { ...run, parameters: { ...run.parameters, friction: run.parameters.friction.map((one) => ({ ...one, curve: { ...one.curve, std: one.curve.torque.map(() => 0.4 * Math.max(...one.curve.torque)) } })) } } }))
    await page.goto(`${url}/#/identifications`)
    await page.locator('tbody tr').first().waitFor() // the run is asked for anew
    await page.goto(`${url}/#/identifications/${id}`)
    await page.locator('table.heat').getByRole('button', { name: 'j1', exact: true }).click()
    await page.waitForURL(/joint=j1/)
    await heading('j1').waitFor()
    const friction = page.locator('figure').filter({ hasText: w('friction') }).locator('canvas')
    const filled = () => friction.evaluate((canvas) => {
      if (!canvas.width) return 0
      const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height)
      return data.filter((alpha, k) => k % 4 === 3 && alpha > 60 && alpha < 80).length / (canvas.width * canvas.height)
    })
    await until(async () => await filled() > 0.1, 'the band of friction')
    await page.unrouteAll()
    await look('run-joint')
    await page.goto(`${url}/#/identifications`)
    await page.locator('tbody tr').first().waitFor()
    await page.goto(`${url}/#/identifications/${id}`)
    await page.locator('.lead').waitFor()
  },
  async 'write on the run; a hostile name stays text'() {
    await page.getByLabel(w('label'), { exact: true }).fill(HOSTILE)
    await page.locator('textarea').last().fill('n'.repeat(65536))
    // who goes elsewhere now is asked, and what was written is still there
    await page.getByRole('navigation').getByRole('link', { name: w('datasets'), exact: true }).click()
    await look('leave', false)
    await button('stay').click()
    await page.waitForURL(/identifications\/\w+/)
    equal(await page.getByLabel(w('label'), { exact: true }).inputValue(), HOSTILE, 'what was written')
    await button('save').click()
    await page.getByText(w('saved')).waitFor()
    await page.getByRole('heading', { level: 1, name: HOSTILE }).waitFor()
    const [run] = (await api('GET', '/v1/identifications?q=script')).items
    equal((await api('GET', `/v1/identifications/${run.id}`)).notes.length, 65536, 'length of the notes')
  },
  async 'find it again: sort, filter, columns, and the address that holds the whole view'() {
    await menu('runs')
    const rows = page.locator('tbody tr')
    await rows.nth(1).waitFor()
    await page.getByRole('button', { name: w('trained') }).click()
    await page.waitForURL(/sort=training\.raw/)
    const errors = (await api('GET', '/v1/identifications?sort=training.raw.relative_percent')).items.map((one) => one.estimator)
    await page.waitForFunction((first) => document.querySelector('tbody tr td:nth-child(4)')?.textContent === first, errors[0])
    await look('runs')
    const estimator = page.locator('form[role=search] select').nth(1)
    await estimator.selectOption('wls')
    await page.waitForFunction(() => document.querySelectorAll('tbody tr').length === 1)
    await page.locator('details summary').click()
    await page.locator('details input').nth(7).check()
    const heads = await page.locator('thead th').allTextContents()
    expected.add(401)
    await page.reload()
    await page.getByLabel(w('key')).fill(key) // in memory only: a reload forgets it
    await page.keyboard.press('Enter')
    await page.waitForFunction(() => document.querySelectorAll('tbody tr').length === 1)
    equal(await page.locator('thead th').allTextContents(), heads, 'columns after a reload')
    expected.clear()
    await estimator.selectOption('')
    await rows.nth(1).waitFor()
  },
  async 'compare two runs'() {
    for (const box of await page.locator('tbody input[type=checkbox]').all()) await box.check()
    await button('compare').click()
    await page.locator('.u-over').first().waitFor()
    const faded = () => page.locator('polyline').evaluateAll((lines) => lines.map((line) => Number(getComputedStyle(line).opacity) < 1))
    await page.locator('section').first().locator('tbody tr').nth(1).hover()
    equal(await faded(), [true, false], 'lines that step back when a row is pointed at')
    await page.locator('polyline').nth(1).waitFor()
    await look('compare')
    await page.locator('.u-over').first().scrollIntoViewIfNeeded()
    const plot = await page.locator('.u-over').first().boundingBox()
    await page.mouse.move(plot.x + plot.width * 0.3, plot.y + 40)
    await page.mouse.down()
    await page.mouse.move(plot.x + plot.width * 0.4, plot.y + 40, { steps: 4 })
    await page.mouse.up()
    await page.waitForURL(/from=.*to=/)
    const { from, to } = Object.fromEntries(new URLSearchParams(page.url().split('?')[1]))
    sure(to > from && to - from < 5, `zoomed to ${from} ... ${to}`)
  },
  async 'promote after a preview'() {
    const [run] = (await api('GET', '/v1/identifications?estimator=consistent')).items
    await page.goto(`${url}/#/identifications/${run.id}`)
    await button('promote').click()
    await page.locator('dialog tbody tr').first().waitFor()
    const shown = await page.locator('dialog tbody tr').count()
    const preview = await api('POST', `/v1/identifications/${run.id}/promote`, { base_revision: 1, dry_run: true })
    equal(shown, preview.changes.length, 'changes shown')
    await look('promote', false)
    for (const box of await page.locator('dialog form > label.check input').all()) await box.check()
    await page.getByLabel(w('reason')).fill('first log')
    await button('make').click()
    await page.locator('.notice.good').waitFor()
    const [mass] = (await api('GET', '/v1/robots/scara')).joints.map((joint) => joint.link.mass)
    equal((await api('GET', '/v1/robots/scara')).revision, 2, 'revision')
    sure(Math.abs(mass - preview.changes.find((one) => one.pointer === '/joints/0/link/mass').new) < 1e-9, 'the mass that was previewed')
  },
  async 'see a robot, move it, change its model'() {
    await menu('robots')
    await look('robots')
    await page.getByRole('link', { name: 'scara', exact: true }).click()
    await page.locator('.view3d canvas').waitFor()
    await page.locator('.sliders input[type=number]').nth(2).fill('0.05')
    await page.keyboard.press('Tab')
    await page.waitForFunction(() => /N$/.test(document.querySelectorAll('.sliders .number')[2]?.textContent ?? ''))
    const q = await page.locator('.sliders input[type=number]').evaluateAll((inputs) => inputs.map((one) => Number(one.value)))
    const { gravity_torque: torque } = await api('POST', '/v1/robots/scara/gravity', { q })
    const text = Number((await page.locator('.sliders .number').nth(2).textContent()).split(' ')[0])
    sure(Math.abs(text - torque[2]) <= 0.01 * Math.abs(torque[2]), `torque shown ${text}, computed ${torque[2]}`)
    const load = page.locator('section').filter({ hasText: w('gravityLoad') })
    const constant = await load.locator('p[role=status]').textContent() // a slide carries its weight wherever the arm is
    sure(constant.includes('j3') && constant.includes(`${Number(torque[2].toPrecision(4))} N`), `the load of the slide: ${constant}`)
    await look('robot')
    expected.add(422)
    await page.locator('details summary').filter({ hasText: 'j2' }).click()
    const mass = page.locator('details[open] label').filter({ hasText: /^link mass/ }).locator('input')
    await mass.fill('-1')
    await page.keyboard.press('Tab')
    await button('editModel', false).click()
    await page.locator('label.remarked[class] input[aria-invalid=true]').first().waitFor()
    await look('robot-fault')
    expected.clear()
    await mass.fill('5')
    await page.keyboard.press('Tab')
    await button('editModel', false).click()
    await page.getByRole('heading', { level: 1, name: 'scara r3' }).waitFor()
    equal((await api('GET', '/v1/robots/scara')).joints[1].link.mass, 5, 'mass')
  },
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
  async 'see the meshes of a URDF where its joints put them'() {
    const shown = () => page.evaluate(() => {
      const box = document.querySelector('.view3d')?.shownBox?.() // when it is set up
      return [box?.min, box?.max].map((one) => [one?.x, one?.y, one?.z])
    })
    const near = (got, wanted) => got.flat().every((one, k) => Math.abs(one - wanted.flat()[k]) < 1e-6)
    const settled = async (wanted, what) => {
      const end = Date.now() + 60000
      while (!near(await shown(), wanted)) sure(Date.now() < end, `${what}: ${JSON.stringify(await shown())}, not ${JSON.stringify(wanted)}`)
    }
    await menu('robots')
    await button('newRobot').click()
    await page.locator('dialog input[type=file]').setInputFiles(new URL('../data/urdf/boxes.urdf', import.meta.url).pathname)
    await page.waitForFunction(() => document.querySelector('dialog textarea').value.includes('boxes'))
    await button('save').click()
    await page.getByText(w('missing')).waitFor()
    await look('robot-meshes-missing', false)
    // dropped together, matched by name; one that nobody knows
    const files = [['base.stl', stlOfBox([0.3, 0.3, 0.1])], ['UPPER ARM.STL', stlOfBox([40, 100, 400])], ['other.stl', stlOfBox([1, 1, 1])]]
    await page.locator('.drop').evaluate((place, dropped) => {
      const dataTransfer = new DataTransfer()
      for (const [name, data] of dropped) dataTransfer.items.add(new File([Uint8Array.from(atob(data), (c) => c.charCodeAt(0))], name))
      place.dispatchEvent(new DragEvent('drop', { dataTransfer, bubbles: true, cancelable: true }))
    }, files.map(([name, data]) => [name, data.toString('base64')]))
    await page.getByText(w('unmatched')).waitFor()
    // what is not read says what to do
    expected.add(422)
    await page.locator('.meshes input[type=file]').setInputFiles({ name: 'hand.dae', mimeType: '', buffer: Buffer.from('<?xml version="1.0"?><COLLADA version="1.4.1"/>') })
    await page.getByText(/assimp export/).waitFor()
    expected.clear()
    // and a file of another name and format for the third, by the keyboard
    const chooser = page.waitForEvent('filechooser')
    await button('handFile').focus()
    await page.keyboard.press('Enter')
    await (await chooser).setFiles({ name: 'gripper.obj', mimeType: '', buffer: objOfBox([0.06, 0.02, 0.3], [0, 0, 0.15]) })
    await page.getByText(w('complete')).waitFor()
    // at rest, then each joint at a right angle, by hand from the URDF
    await settled([[-0.15, -0.3, 0], [0.15, 0.15, 0.56]], 'the meshes at rest')
    for (const [j, box] of [[[-0.15, -0.15, 0], [0.3, 0.15, 0.56]], [[-0.15, -0.15, 0], [0.3, 0.16, 0.53]]].entries()) {
      await page.locator('.sliders input[type=number]').nth(j).fill(String(Math.PI / 2))
      await page.keyboard.press('Tab')
      await settled(box, `the meshes after joint ${j}`)
    }
    await look('robot-meshes')
    await page.getByRole('checkbox', { name: w('meshes'), exact: true }).uncheck()
    await look('robot-meshes-hidden', false)
    await page.goto(`${url}/#/trajectories/new?robot=boxes`)
    await button('startPoint').click()
    await settled([[-0.15, -0.3, 0], [0.15, 0.15, 0.56]], 'the meshes of a plan')
    await api('DELETE', '/v1/robots/boxes', undefined, { 'If-Match': '*' })
  },
  async 'hostile names stay text on every page'() {
    const model = await api('GET', '/v1/robots/scara')
    const hostile = { ...model, name: 'odd', description: HOSTILE }
    for (const field of ['revision', 'created_at', 'unphysical', 'warnings', 'identification']) delete hostile[field]
    hostile.joints[0].name = '<img src=x onerror=alert(3)>'
    hostile.joints[1].name = '\u202Eeno'
    await api('POST', '/v1/robots?allow_unphysical=true', hostile)
    const [run] = (await api('GET', '/v1/identifications?q=script')).items
    const { etag } = await api('GET', `/v1/identifications/${run.id}`, undefined, {}, true)
    await api('PATCH', `/v1/identifications/${run.id}`, { tags: { '<b>bold</b>': HOSTILE } }, { 'Content-Type': 'application/merge-patch+json', 'If-Match': etag })
    for (const at of ['robots', 'robots/odd', 'trajectories/new?robot=odd', 'friction-tests/new?robot=odd', 'identifications', `identifications/${run.id}`, 'datasets']) {
      await page.goto(`${url}/#/${at}`)
      await page.getByText(/onerror=alert/).first().waitFor()
      equal([await page.locator('main img, main script, main b:has-text("bold")').count(), faults], [0, []], `markup on ${at}`)
    }
    await api('DELETE', '/v1/robots/odd', undefined, { 'If-Match': '*' })
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
    await page.waitForFunction(() => Number(document.querySelector('.view3d ~ .row input[type=range]').value) > 0.2)
    await look('motion')
    await button('play', false).waitFor() // it has ended
    // one time for the plots and the arm, and the values that stand there
    const id = page.url().split('/').at(-1)
    const plot = page.locator('figure').filter({ hasText: w('position') }).first()
    await plot.locator('.u-over').scrollIntoViewIfNeeded()
    const { width } = await plot.locator('.u-over').boundingBox()
    await plot.locator('.u-over').click({ position: { x: width * 0.6, y: 50 } })
    const time = Number(await page.locator('.view3d ~ .row input[type=range]').inputValue())
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
  async 'plan motions for identification'() {
    for (const [kind, fields] of [['excitations', { durationOf: 8, harmonics: 2, population: 6, generations: 2 }], ['tests', { speeds: 12, cruise: 0.5 }]]) {
      await menu('trajectories')
      await page.getByRole('link', { name: w(kind), exact: true }).click()
      await page.getByRole('heading', { level: 1, name: w(kind) }).waitFor()
      await page.locator('.head a.button').click()
      await page.locator('.head select').selectOption('scara')
      for (const [name, value] of Object.entries(fields)) await page.getByLabel(w(name), { exact: true }).fill(String(value))
      await look(`plan-${kind}`)
      await button('planIt').click()
      await page.getByRole('link', { name: w('result') }).click({ timeout: 120000 })
      await page.locator('.u-over').first().waitFor()
      await look(kind)
    }
    const [{ metrics }] = (await api('GET', '/v1/excitations')).items
    sure(Math.abs(metrics.duration - 8) < 1e-9, `an excitation of ${metrics.duration} s`)
    const [test] = (await api('GET', '/v1/friction-tests')).items
    equal((await api('GET', `/v1/friction-tests/${test.id}`)).runs.length, 12 * 4 * 2, 'runs')
  },
  async 'find friction in the log of a friction test'() {
    const [test] = (await api('GET', '/v1/friction-tests')).items
    const { friction } = (await api('GET', `/v1/robots/scara/revisions/${test.revision}`)).joints[0]
    const { t, q, tau } = await api('GET', `/v1/friction-tests/${test.id}/samples?fields=t,q,tau`)
    await api('POST', '/v1/robots/scara/datasets?label=friction', { t, q, tau })
    await menu('datasets')
    await page.getByLabel(`${w('choose')} friction`).check()
    await button('identifyOpen').click()
    await page.getByLabel(w('frictionAlone')).check()
    await button('identify').click()
    await page.getByRole('link', { name: w('result') }).click({ timeout: 120000 })
    await page.locator('.u-over').first().waitFor()
    const shown = await page.locator('tbody tr').first().textContent()
    const coulomb = Number(shown.match(/coulomb\s*([-\d.e]+)/)?.[1])
    sure(Math.abs(coulomb - friction.coulomb) < 0.02 * friction.coulomb, `friction of ${coulomb}, not ${friction.coulomb}: ${shown}`)
    await look('friction')
  },
  async 'delete a data set, but none that a run stands on'() {
    await api('POST', '/v1/robots/scara/datasets?label=unused', { t: [0, 0.01, 0.02], q: [[0, 0, 0, 0], [0.1, 0, 0, 0], [0.2, 0, 0, 0]], tau: [[0, 0, 0, 0], [1, 0, 0, 0], [1, 0, 0, 0]] })
    expected.add(409)
    for (const label of ['unused', 'friction']) {
      await menu('datasets')
      await page.getByRole('link', { name: label, exact: true }).click()
      await button('delete').click()
      await page.locator('dialog').getByRole('button', { name: w('delete') }).click()
      if (label === 'unused') await page.getByLabel(`${w('choose')} friction`).waitFor() // the list again
      else await page.locator('dialog .notice.bad').waitFor()
      equal((await api('GET', '/v1/datasets')).items.some((set) => set.label === label), label === 'friction', `${label} is there`)
      await page.keyboard.press('Escape')
    }
    expected.clear()
  },
  async 'hold models against a log'() {
    await menu('datasets')
    await page.getByLabel(`${w('choose')} demo: learn`).check()
    await button('evaluateOpen').click()
    const boxes = page.locator('dialog fieldset input')
    await boxes.nth(4).waitFor()
    for (const k of [0, 2, 4]) await boxes.nth(k).check() // revisions 3 and 1, and a run
    await button('evaluate').click()
    await page.getByRole('link', { name: w('result') }).click({ timeout: 120000 })
    await page.locator('tbody tr').nth(2).waitFor()
    await page.getByText(w('learnt')).first().waitFor()
    const [{ id }] = (await api('GET', '/v1/evaluations')).items
    const errors = (await api('GET', `/v1/evaluations/${id}`)).evaluations.map((one) => one.errors.raw.relative_percent)
    const shown = await page.locator('section.panel').first().locator('tbody tr td:nth-child(3)').allTextContents()
    sure(shown.every((text, k) => Math.abs(parseFloat(text) - errors[k]) <= 0.06), `errors ${shown}, not ${errors}`)
    await look('evaluation')
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
  ...orderSteps({ page, api, url, look, language }),
  async 'see in the audit trail who did it'() {
    await menu('audit')
    await page.getByText('promoteIdentification').first().waitFor()
    await look('audit')
    await menu('datasets')
    await page.getByText(HOSTILE.slice(0, 20)).first().waitFor()
    await look('datasets')
    await page.getByRole('link', { name: 'demo: learn' }).click()
    await page.locator('.u-over').first().waitFor()
    await look('dataset')
  },
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
    }, [...operations, ...Object.keys(contract.components.schemas).map((name) => `schema/${name}`)])
    equal(gaps, [], 'what is named and not there')
    await see('docs-schema')
    await docs.context().close()
  },
  async 'go everywhere by keyboard'() {
    await page.goto(`${url}/#/identifications`)
    await page.locator('tbody tr').first().waitFor()
    await page.evaluate(() => document.activeElement.blur())
    const seen = []
    for (let k = 0; k < 25; k++) {
      await page.keyboard.press('Tab')
      seen.push(await page.evaluate(() => {
        const at = document.activeElement
        return [at.tagName, getComputedStyle(at).outlineStyle !== 'none']
      }))
    }
    sure(seen.every(([tag, visible]) => tag === 'BODY' || visible), `focus is not seen: ${JSON.stringify(seen)}`)
    sure(seen.filter(([tag]) => ['A', 'BUTTON', 'INPUT', 'SELECT'].includes(tag)).length > 15, 'the keyboard does not reach the controls')
  },
  async 'a viewer may look and not change'() {
    await menu('keys')
    await button('newKey').click()
    await page.getByLabel(w('keyName')).fill('guest')
    await look('key', false)
    await button('save').click()
    await page.getByText(w('secretOf')).waitFor()
    const secret = await page.locator('code.secret').textContent()
    await look('keys')
    await button('leave').click()
    await page.getByLabel(w('key')).fill(secret)
    await page.keyboard.press('Enter')
    await page.locator('main .notice.warn').waitFor() // the keys are for administrators, and are not even asked for
    const [run] = (await api('GET', '/v1/identifications')).items
    await page.goto(`${url}/#/identifications/${run.id}`)
    await button('promote').waitFor()
    sure(await button('promote').isDisabled(), 'a viewer may promote')
    equal(await page.getByRole('link', { name: w('audit') }).count(), 0, 'links to the audit trail')
    // arms are to be looked at, without a call that a viewer may not make
    for (const at of ['robots/scara', `trajectories/${(await api('GET', '/v1/trajectories')).items[0].id}`]) {
      await page.goto(`${url}/#/${at}`)
      await page.locator('.view3d canvas').waitFor()
      await page.waitForFunction(() => !document.querySelector('[aria-busy=true]'))
      equal(await page.locator('.notice.bad').count(), 0, `what is refused at ${at}`)
    }
    equal(faults, [], 'the page')
  },
}

await run(language, STEPS, async () => {
  await page.screenshot({ path: `${shots}/${language}-failed.png`, fullPage: true }).catch(() => {})
  return faults.join('\n')
})
await browser.close()
