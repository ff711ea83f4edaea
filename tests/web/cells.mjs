// What must not fail when arms move: STOP in every place and for every controller, with many tabs and uploads; a START by the service's
// clock; a service that goes and comes back.
//   node cells.mjs en|zh       environment: as of person.mjs, ARMDYN_CONTROLLER_PORTS; what is printed as {"do": "restart"} is answered on stdin by the new address
import { mkdirSync, readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { axe, launch, open } from './browser.mjs'
import { between } from './proxy.mjs'
import { caller, equal, run, sure, until } from './steps.mjs'

const { ARMDYN_KEY: key, ARMDYN_SHOTS: shots } = process.env
const ports = process.env.ARMDYN_CONTROLLER_PORTS.split(',')
const language = process.argv[2]
const WORDS = {
  key: ['API key', 'API 密钥'], remember: ['Remember on this computer', '在此计算机上记住'], arm: ['Arm', '使能'], start: ['START: the arm moves', '启动：手臂将运动'], hold: ['Hold', '暂停'],
  stopAll: ['STOP all 24', '停止全部 24'], stopOne: ['STOP one of 24 …', '停止 24 个之一……'], stop: ['STOP ', '停止 '], search: ['Controller', '控制器'],
  confirmed: ['stopped, the controller confirmed it', '已停止，控制器已确认'], not: ['NOT CONFIRMED by 1 of 24 (cell-24)', '24 个中有 1 个未确认（cell-24）'], hide: ['Hide', '隐藏'],
  uploadOpen: ['Upload a log', '上传日志'], upload: ['Upload', '上传'], waits: ['Waits for other uploads', '等待此浏览器的其他上传'], cancel: ['Cancel', '取消'],
  lost: ['The service does not answer.', '服务无响应'],
  change: ['Change …', '修改……'], remove: ['Delete …', '删除……'], del: ['Delete', '删除'], port: ['Port', '端口'], save: ['Save', '保存'], inService: ['In service: it is spoken to, and takes transfers', '投入使用：与其通信并接受传输'],
  events: ['Events …', '事件……'], blocked: ['queue blocked', '队列被阻止'], controllerLost: ['controller does not answer', '控制器无响应'],
  newHook: ['New webhook …', '新建网络钩子……'], hookName: ['Name (a-z, 0-9, -)', '名称（a-z、0-9、-）'], hookUrl: ['Address', '地址'], off: ['Switch off', '停用'], watch: ['Watch', '开始监视'], watchStop: ['Watch no more', '停止监视'], rotate: ['New secret …', '更换密钥……'], rotateDo: ['Make it', '更换'], copy: ['Copy', '复制'], kept: ['I have kept it', '我已妥善保存'],
}
const w = (name) => WORDS[name][language === 'zh' ? 1 : 0]
const dark = language === 'zh'

mkdirSync(shots, { recursive: true })
const answers = createInterface({ input: process.stdin })[Symbol.asyncIterator]()
const proxy = await between(process.env.ARMDYN_URL)
const api = caller(() => proxy.target, key)
const browser = await launch()
const { page, context, faults, expected } = await open(browser, proxy.url, { language, dark, width: 820, height: 700 })
const button = (name, on = page) => on.getByRole('button', { name: w(name), exact: true })
const look = async (name, on = page) => {
  await on.screenshot({ path: `${shots}/${language}-${name}.png` })
  equal(await axe(on), [], `accessibility of ${name}`)
  equal(faults, [], `the page ${name}`)
  sure(await on.evaluate(() => document.documentElement.scrollWidth <= innerWidth + 1), `${name} is wider than the window`)
}
const enter = async (secret, on = page, remember = false) => {
  await on.goto(`${proxy.url}/`)
  await on.getByLabel(w('key')).fill(secret)
  if (remember) await on.getByLabel(w('remember')).check()
  await on.keyboard.press('Enter')
  await on.getByRole('navigation').waitFor()
}
const administrator = async () => { // of a browser of his own
  const other = await open(browser, proxy.url, { language, dark })
  other.expected.add(401)
  await enter(key, other.page)
  return other.page
}
const keys = {} // secrets by role
const stops = () => proxy.seen.filter((one) => one.method === 'POST' && one.path.endsWith('/stop'))
const confirmed = () => page.getByRole('alert').filter({ hasText: w('confirmed') }).first().waitFor()

const STEPS = {
  async 'a cell with 24 controllers'() {
    const model = JSON.parse(readFileSync(new URL('../data/robots/scara.json', import.meta.url)))
    await api('POST', '/v1/robots?allow_unphysical=true', model)
    for (let k = 1; k <= 24; k++) {
      const [name, at] = [`cell-${String(k).padStart(2, '0')}`, k < 24 ? Number(ports[k % ports.length]) : 1] // nobody listens on port 1
      await api('POST', '/v1/controllers', { name, host: '127.0.0.1', port: at, unit: 1, robot: model.name, profile: { protocol: 'armdyn-v2', allow_start: true } })
    }
    for (const role of ['viewer', 'engineer']) keys[role] = (await api('POST', '/v1/keys', { name: role, role, motion: role === 'viewer' ? [] : ['*'] })).secret
  },
  async 'a viewer stops any of them, found by name'() {
    expected.add(401)
    // a list comes in pages: as small ones as can be
    await page.route(/\/v1\/controllers\?/, (route) => route.continue({ url: route.request().url().replace('limit=200', 'limit=7') }))
    await enter(keys.viewer)
    expected.clear()
    await button('stopOne').click()
    await page.locator('.stopmenu li').nth(23).waitFor()
    await page.locator('.stopmenu li').first().getByText(/\S/).last().waitFor()
    await look('stop-menu')
    await page.locator('.stopmenu').getByLabel(w('search')).fill('l-23')
    equal(await page.locator('.stopmenu li button').allTextContents(), [`■ ${w('stop')}cell-23`], 'what is found')
    await page.keyboard.press('Enter')
    await confirmed()
    equal(stops().map((one) => one.path), ['/v1/controllers/cell-23/stop'], 'calls')
    await page.keyboard.press('Escape') // what was typed goes
    await page.keyboard.press('Escape')
    await page.locator('.stopmenu ul').waitFor({ state: 'hidden' })
    await page.unrouteAll()
  },
  async 'stops all, and is told who did not confirm'() {
    await button('stopAll').click()
    await page.getByRole('alert').filter({ hasText: w('not') }).waitFor()
    equal(stops().at(-1).path, '/v1/controllers/stop', 'call')
    for (const [width, height] of [[820, 600], [1280, 800], [3840, 2160]]) {
      await page.setViewportSize({ width, height })
      await look(`stop-unconfirmed-${width}`)
    }
    await button('hide').click()
  },
  async 'stops from every dialog, at every width, by keyboard too'() {
    expected.add(401)
    await enter(keys.engineer, page, true)
    expected.clear()
    const pose = { q: [0, 0, 0.1, 0] }
    const job = await api('POST', '/v1/robots/scara/trajectories', { method: 'quintic', start: pose, goal: { q: [0.3, 0.2, 0.1, 0] }, duration: 30 }, { Prefer: 'wait=60' })
    const motion = job.result.href.split('/').at(-1)
    const places = [['datasets', 'uploadOpen'], ['robots', /New robot|新建机器人/], [`trajectories/${motion}`, /Send to a controller|发送到控制器/]]
    for (const [width, height] of [[820, 600], [3840, 2160]]) {
      await page.setViewportSize({ width, height })
      for (const [at, opener] of width > 1000 ? places.slice(0, 1) : places) {
        await page.goto(`${proxy.url}/#/${at}`)
        await (typeof opener === 'string' ? button(opener) : page.getByRole('button', { name: opener })).click()
        const dialog = page.locator('dialog')
        const before = stops().length
        await dialog.evaluate((at) => at.scrollTo(0, at.scrollHeight))
        await dialog.getByRole('button', { name: w('stopOne') }).click()
        await dialog.locator('.stopmenu li button').first().click()
        await dialog.getByRole('alert').filter({ hasText: w('confirmed') }).waitFor()
        await page.keyboard.press('Escape')
        // to the button by the keyboard alone
        for (let k = 0; k < 20 && !(await page.evaluate(() => document.activeElement.matches('dialog .stopbar > button:first-child'))); k++) await page.keyboard.press('Shift+Tab')
        await page.keyboard.press('Enter')
        await dialog.getByRole('alert').filter({ hasText: w('not') }).waitFor()
        equal(stops().length, before + 2, 'STOPs sent')
        await look(`stop-dialog-${at.split('/')[0]}-${width}`)
        await page.keyboard.press('Escape')
        await dialog.waitFor({ state: 'detached' })
      }
    }
    await page.setViewportSize({ width: 1280, height: 800 })
  },
  async 'a START is by the clock of the service, whatever that of the browser is'() {
    const [{ id: motion }] = (await api('GET', '/v1/trajectories')).items
    for (const off of [90, -90]) {
      const other = await context.newPage()
      await other.addInitScript((ms) => {
        const Real = Date
        window.Date = class extends Real {
          constructor(...given) {
            given.length ? super(...given) : super(Real.now() + ms)
          }
          static now() {
            return Real.now() + ms
          }
        }
      }, 1000 * off)
      const { id } = await api('POST', '/v1/controllers/cell-01/transfers', { trajectory: motion, rate: 250 }, { 'Idempotency-Key': `off ${off} ${language}` })
      await other.goto(`${proxy.url}/#/controllers/cell-01`)
      await button('arm', other).click({ timeout: 60000 })
      await button('start', other).click({ timeout: 60000 })
      await button('hold', other).waitFor()
      equal((await api('GET', `/v1/transfers/${id}`)).state, 'playing', `with a clock ${off} s off`)
      await api('POST', '/v1/controllers/cell-01/stop')
      await until(async () => (await api('GET', `/v1/transfers/${id}`)).state === 'stopped', 'the end of the transfer')
      await other.close()
    }
  },
  async 'eight tabs and six uploads leave STOP its connection'() {
    proxy.seen.length = 0
    proxy.held = (one) => one.method === 'POST' && one.path.includes('/datasets')
    const rows = Array.from({ length: 400 }, (_, k) => [k / 100, ...[0, 1, 2, 3].map((j) => Math.sin(k / 40 + j).toFixed(4)), 1, 2, 3, 4].join(','))
    const log = { mimeType: 'text/csv', buffer: Buffer.from(['t,q1,q2,q3,q4,tau1,tau2,tau3,tau4', ...rows, ''].join('\n')) }
    const tabs = [page, ...(await Promise.all(Array.from({ length: 7 }, () => context.newPage())))]
    for (const [k, tab] of tabs.entries()) {
      await tab.goto(`${proxy.url}/#/${k < 6 ? 'datasets' : 'controllers'}`)
      if (k >= 6) continue
      await button('uploadOpen', tab).click()
      await tab.locator('dialog select').first().selectOption('scara')
      await tab.locator('input[type=file]').setInputFiles({ name: `log-${k}.csv`, ...log })
      await tab.locator('dialog').getByRole('button', { name: w('upload'), exact: true }).click()
      await tab.getByRole('progressbar').waitFor()
    }
    await tabs[5].getByText(w('waits')).waitFor()
    await look('upload-waits', tabs[5])
    const uploads = () => proxy.seen.filter((one) => one.path.includes('/datasets?') && one.method === 'POST')
    await until(() => proxy.seen.filter((one) => one.open && one.path.startsWith('/v1/events')).length === 1, 'one stream for all tabs')
    equal(uploads().length, 2, 'uploads at a time')
    const late = []
    for (const tab of [tabs[7], tabs[0]]) {
      const before = stops().length
      await tab.bringToFront()
      const at = await tab.evaluate(() => {
        const [bar] = [...document.querySelectorAll('.stopbar')].slice(-1)
        bar.querySelector('button.stop').click()
        return Date.now()
      })
      await until(() => stops().length > before, 'STOP')
      late.push(stops().at(-1).at - at)
    }
    equal(uploads().length, 2, 'uploads that were let go for it')
    console.log(JSON.stringify({ figure: 'STOP leaves', value: Math.max(...late), unit: 'ms' }))
    // the first tab goes, and its upload with it; the others are told all the same
    const [going] = uploads().filter((one) => one.path.includes('log-1'))
    tabs[1].on('dialog', (question) => question.accept()) // of a page with something that is not kept yet
    await tabs[1].close({ runBeforeUnload: true })
    await until(() => !going.open, 'the end of the upload of a tab that is closed')
    proxy.held = () => false
    for (const tab of [...tabs.slice(2, 6), page]) await tab.locator('.notice.good').waitFor()
    equal((await api('GET', '/v1/datasets?sort=label&q=log-')).items.map((one) => one.label), [0, 2, 3, 4, 5].map((k) => `log-${k}.csv`), 'logs that are kept')
    for (const tab of tabs.slice(2, 7)) await tab.close()
    await tabs[7].goto(`${proxy.url}/#/jobs`)
    const { id } = await api('POST', '/v1/robots/scara/trajectories', { method: 'quintic', start: { q: [0, 0, 0.1, 0] }, goal: { q: [0.3, 0.2, 0.1, 0] }, duration: 30 })
    await tabs[7].locator(`tbody a[href$="${id}"]`).waitFor()
    await tabs[7].close()
  },
  async 'a stream that breaks is taken up again where it ended'() {
    proxy.seen.length = 0
    const asked = () => proxy.seen.filter((one) => one.path.startsWith('/v1/events')).map((one) => one.headers['last-event-id'])
    proxy.broken = (one) => (one.path.startsWith('/v1/events') && asked().length === 1 ? { status: 200, type: 'text/event-stream', body: 'retry: 2000\n\nid: 41\nevent: snapshot\ndata: {"jobs":[],"transfers":[],"orders":[],"queues":[],"controllers":[]}\n\n' } : null)
    for (let tries = 0; tries < 60 && !asked().length; tries++) { // until the worker knows that the tabs which asked for as much are closed
      await page.goto(`${proxy.url}/#/datasets`)
      await page.goto(`${proxy.url}/#/controllers`) // asks for more than before: another stream
      await page.waitForTimeout(1000)
    }
    await until(() => asked().length > 1, 'a second stream')
    equal(asked().slice(0, 2), [undefined, '41'], 'Last-Event-ID of the streams')
    proxy.broken = (one) => (one.path.startsWith('/v1/events') ? { status: 503, type: 'application/problem+json', body: '{}' } : null)
    await page.goto(`${proxy.url}/#/jobs`)
    await until(() => proxy.seen.filter((one) => one.path.startsWith('/v1/jobs?')).length > 2, 'questions while there is no stream')
    proxy.broken = () => null
  },
  async 'a browser without shared workers is told all the same'() {
    const other = await context.newPage()
    await other.addInitScript(() => delete window.SharedWorker)
    await other.goto(`${proxy.url}/#/jobs`)
    await until(() => proxy.seen.filter((one) => one.open && one.path.startsWith('/v1/events')).length === 2, 'a stream of its own')
    const { id } = await api('POST', '/v1/robots/scara/trajectories', { method: 'quintic', start: { q: [0, 0, 0.1, 0] }, goal: { q: [0.3, 0.2, 0.1, 0] }, duration: 3 })
    await other.locator(`tbody a[href$="${id}"]`).waitFor()
    await other.close()
  },
  async 'an arm is watched, and watched no more'() {
    await page.goto(`${proxy.url}/#/controllers/cell-20`)
    await button('watch').click()
    await button('watchStop').waitFor()
    equal((await api('GET', '/v1/controllers/cell-20/watch')).motions, 0, 'motions of it')
    await look('controller-watch')
    await button('watchStop').click()
    await button('watch').waitFor()
    equal((await api('GET', '/v1/controllers/cell-20/status')).watched, false, 'that it is watched')
  },
  async 'a controller is taken out of service, changed and deleted'() {
    await page.goto(`${proxy.url}/#/controllers/cell-20`)
    await button('change').waitFor()
    equal(await button('change').isDisabled(), true, 'that an engineer may not')
    await page.goto(`${proxy.url}/#/controllers`) // its page would ask for it when it is gone
    const admin = await administrator()
    await admin.goto(`${proxy.url}/#/controllers/cell-20`)
    const before = await api('GET', '/v1/controllers/cell-20')
    await button('change', admin).click()
    await admin.getByLabel(w('inService')).uncheck()
    await admin.getByLabel(w('port'), { exact: true }).fill('2')
    await look('controller-change', admin)
    await button('save', admin).click()
    await admin.locator('main .notice.warn').first().waitFor() // why it is not spoken to
    await look('controller-off', admin)
    equal(await api('GET', '/v1/controllers/cell-20'), { ...before, enabled: false, port: 2 }, 'what was changed')
    await button('change', admin).click()
    await admin.getByLabel(w('inService')).check()
    await button('save', admin).click()
    await admin.locator('main .notice.warn').waitFor({ state: 'detached' })
    await button('remove', admin).click()
    await button('del', admin).click()
    await admin.waitForURL(/#\/controllers$/)
    await admin.locator('.grid section').first().waitFor()
    equal((await api('GET', '/v1/controllers?limit=200')).items.filter((one) => one.name === 'cell-20'), [], 'what is left of it')
    await admin.context().close()
  },
  async 'webhooks are made, switched off, given another secret and deleted'() {
    const admin = await administrator()
    await admin.goto(`${proxy.url}/#/webhooks`)
    await button('newHook', admin).click()
    await admin.getByLabel(w('hookName')).fill('mes')
    await admin.getByLabel(w('hookUrl')).fill('https://mes.example/armdyn')
    await admin.getByLabel(w('blocked')).check()
    await button('save', admin).click()
    const secret = admin.locator('code.secret')
    await secret.waitFor()
    await look('webhook-new', admin)
    const first = await secret.textContent()
    sure(/^whsec_/.test(first), `${first} is a secret`)
    await button('copy', admin).click()
    await button('kept', admin).click()
    await secret.waitFor({ state: 'detached' })
    equal((await api('GET', '/v1/webhooks/mes')).events, ['queue.blocked'], 'events')
    await button('events', admin).click()
    await admin.getByLabel(w('controllerLost')).check()
    await button('save', admin).click()
    await admin.locator('dialog').waitFor({ state: 'detached' })
    equal((await api('GET', '/v1/webhooks/mes')).events, ['controller.lost', 'queue.blocked'], 'events after a change')
    await button('off', admin).click()
    await admin.locator('tbody .state.warn').waitFor()
    equal((await api('GET', '/v1/webhooks/mes')).enabled, false, 'enabled')
    await button('rotate', admin).click()
    await button('rotateDo', admin).click()
    await secret.waitFor()
    sure((await secret.textContent()) !== first, 'another secret')
    await button('copy', admin).click()
    await button('kept', admin).click()
    await look('webhooks', admin)
    await button('del', admin).click()
    await admin.locator('dialog').getByRole('button', { name: w('del'), exact: true }).click()
    await admin.locator('tbody tr').waitFor({ state: 'detached' })
    equal((await api('GET', '/v1/webhooks')).items, [], 'webhooks')
    await admin.context().close()
  },
  async 'a restart of the service is seen, and healed'() {
    expected.add(502).add(503)
    await page.goto(`${proxy.url}/#/robots`)
    await page.getByRole('link', { name: 'scara', exact: true }).waitFor()
    await proxy.down()
    const gone = Date.now()
    await page.getByText(w('lost')).first().waitFor()
    console.log(JSON.stringify({ figure: 'a service that is gone is told', value: Date.now() - gone, unit: 'ms' }))
    await page.goto(`${proxy.url}/#/datasets`) // not fetched anew: only what is behind the # is another
    await page.screenshot({ path: `${shots}/${language}-lost.png` })
    equal(await page.locator('[aria-busy=true]').count(), 0, 'what says that it loads beside an error')
    console.log(JSON.stringify({ do: 'restart' }))
    proxy.target = (await answers.next()).value
    await proxy.up()
    await page.getByText('log-0.csv').first().waitFor()
    await page.locator('.lost').waitFor({ state: 'detached' })
    await page.locator('.notice.bad').waitFor({ state: 'detached' })
    faults.splice(0, faults.length, ...faults.filter((one) => !/ERR_CONNECTION|net::/.test(one)))
    equal(faults, [], 'the page')
  },
}

await run(language, STEPS, async () => {
  await page.screenshot({ path: `${shots}/${language}-cells-failed.png` }).catch(() => {})
  return faults.join('\n')
})
await browser.close()
process.exit()
