// The tasks of the pages without a mouse: whatever is reached by Tab is seen to have the focus, stands in the window and under nothing, comes
// in the order in which it is read, and holds nobody fast.
//   node keyboard.mjs en|zh       environment: as of person.mjs, ARMDYN_CONTROLLER_PORTS: two controllers of four axes
import { api, faults, flow, language, look, page, url, w } from './person.mjs'
import { equal, sure, until } from './steps.mjs'

const MOST = 120 // presses of Tab to anything
const ports = process.env.ARMDYN_CONTROLLER_PORTS.split(',').map(Number)
const say = (en, zh) => (language === 'zh' ? zh : en)
const wrong = new Set()
let pressed = 0

// What has the focus now, and what is wrong with it.
const focus = () => page.evaluate(() => {
  const at = document.activeElement
  if (!at || at === document.body) return { nothing: true, wrong: [] }
  const wrong = [], box = at.getBoundingClientRect(), style = getComputedStyle(at)
  const name = `${at.tagName.toLowerCase()} "${(at.getAttribute('aria-label') ?? at.labels?.[0]?.textContent ?? at.textContent).trim().replace(/\s+/g, ' ').slice(0, 50)}"`
  if (at.id !== 'main') {
    const ring = (one) => one.outlineStyle !== 'none' && parseFloat(one.outlineWidth) >= 2
    if (!ring(style) && !(at.parentElement && ring(getComputedStyle(at.parentElement)))) wrong.push(`${name}: the focus is not to be seen`)
    const x = Math.min(Math.max(box.left + box.width / 2, 0), innerWidth - 1), y = Math.min(Math.max(box.top + box.height / 2, 0), innerHeight - 1)
    const top = document.elementFromPoint(x, y)
    if (box.bottom < 1 || box.top > innerHeight - 1 || box.right < 1 || box.left > innerWidth - 1) wrong.push(`${name}: out of the window`)
    else if (box.width > 2 && top && !at.contains(top) && !top.contains(at) && !(at.labels && [...at.labels].some((label) => label.contains(top)))) wrong.push(`${name}: under ${top.tagName.toLowerCase()}.${top.className}`)
  }
  if (at.tabIndex > 0) wrong.push(`${name}: tabindex ${at.tabIndex}`)
  const number = (window.visited ??= new WeakMap())
  if (!number.has(at)) number.set(at, (window.visits = (window.visits ?? 0) + 1))
  return { id: number.get(at), name, wrong, main: !!at.closest('main') || !!at.closest('dialog'), top: box.top + scrollY, bottom: box.bottom + scrollY, left: box.left, right: box.right }
})

// Tab on (or back) until `wanted`, a locator, has the focus.
async function reach(wanted, key = 'Tab') {
  await wanted.first().waitFor()
  const mine = () => wanted.evaluateAll((all) => all.includes(document.activeElement))
  if (await mine()) return
  let before = await focus(), still = 0
  for (let k = 0; k < MOST; k++) {
    await page.keyboard.press(key)
    pressed++
    const now = await focus()
    now.wrong.forEach((one) => wrong.add(`${page.url().split('#')[1]} ${one}`))
    still = !now.nothing && now.id === before.id ? still + 1 : 0
    sure(still < 3, `${now.name} holds the focus fast`) // a field of a date has parts
    if (key === 'Tab' && before.main && now.main && now.bottom < before.top - 90 && now.left <= before.right) wrong.add(`${page.url().split('#')[1]} ${before.name} is followed by ${now.name}, which stands above it`)
    if (await mine()) return
    before = now
  }
  throw new Error(`${await wanted.first().evaluate((at) => at.outerHTML.slice(0, 200))} was not reached by ${MOST} presses of ${key}`)
}
const push = async (wanted, key = 'Enter') => {
  await reach(wanted)
  await page.keyboard.press(key)
}
const type = async (wanted, text) => {
  await reach(wanted)
  await page.keyboard.press('Control+A')
  await page.keyboard.type(text)
}
const choose = async (wanted, value) => { // of a list, by its arrows
  await reach(wanted)
  await page.keyboard.press('Home')
  for (let k = 0; k < 30 && (await wanted.inputValue()) !== value; k++) await page.keyboard.press('ArrowDown')
  equal(await wanted.inputValue(), value, 'what was chosen')
}
const button = (en, zh, on = page) => on.getByRole('button', { name: say(en, zh), exact: true })
const link = (en, zh, on = page.locator('main')) => on.getByRole('link', { name: say(en, zh), exact: true })
const field = (en, zh, on = page.locator('main')) => on.locator('label').filter({ has: page.getByText(say(en, zh), { exact: true }) }).locator('input, select, textarea')
const dialog = page.locator('dialog')
const steps = (what) => {
  console.log(JSON.stringify({ figure: `presses of Tab to ${what}`, value: pressed, unit: '' }))
  pressed = 0
}
const clean = (what) => {
  steps(what)
  equal([...wrong], [], `the way to ${what}`)
  equal(faults, [], 'the page')
}
const place = async (at) => {
  await page.goto(`${url}/#/${at}`)
  await page.locator('main h1').first().waitFor()
  await page.waitForFunction(() => !document.querySelector('main [aria-busy=true]'))
}

await flow({
  async 'past the menu, and by the menu to the data sets'() {
    await place('')
    await page.evaluate(() => document.activeElement.blur())
    await push(page.locator('a.skip'))
    equal(await page.evaluate(() => document.activeElement.id), 'main', 'what has the focus')
    const nav = page.getByRole('navigation', { name: w('pages'), exact: true })
    await reach(nav.getByRole('link', { name: w('robots'), exact: true }), 'Shift+Tab')
    await page.keyboard.press('Enter')
    await push(nav.getByRole('link', { name: w('datasets'), exact: true }))
    await page.getByRole('heading', { level: 1, name: w('datasets') }).waitFor()
    clean('the data sets')
  },
  async 'identify twice, and compare'() {
    for (const estimator of ['wls', 'consistent']) {
      await place('datasets')
      for (const log of ['learn', 'test']) await push(page.getByLabel(`${w('choose')} demo: ${log}`), 'Space')
      await reach(button(...['Identify …', '辨识……']), 'Shift+Tab')
      await page.keyboard.press('Enter')
      await choose(dialog.locator('select').first(), estimator)
      await push(button('Identify', '开始辨识', dialog))
      await page.getByRole('link', { name: w('result') }).waitFor()
      await push(page.getByRole('link', { name: w('result') }))
      await page.locator('.lead').waitFor()
    }
    await place('identifications')
    await page.locator('tbody tr').nth(1).waitFor()
    for (const k of [0, 1]) await push(page.locator('tbody input[type=checkbox]').nth(k), 'Space')
    await reach(button('Compare 2', '比较 2 个'), 'Shift+Tab')
    await page.keyboard.press('Enter')
    await page.locator('.u-over').first().waitFor()
    for (let k = 0; k < 60; k++) { // and through the whole page
      await page.keyboard.press('Tab')
      const now = await focus()
      now.wrong.forEach((one) => wrong.add(`compare ${one}`))
    }
    clean('two runs side by side')
  },
  async 'promote a run'() {
    const [run] = (await api('GET', '/v1/identifications?estimator=consistent')).items
    await place(`identifications/${run.id}`)
    await push(button('Promote …', '采用为模型……'))
    await dialog.locator('tbody tr').first().waitFor()
    for (const box of await dialog.locator('form > label.check input').all()) await push(box, 'Space')
    await type(field('Reason', '理由', dialog), 'by the keyboard')
    await push(button('Make revision 2', '生成版本 2', dialog))
    await page.locator('.notice.good').waitFor()
    equal((await api('GET', '/v1/robots/scara')).revision, 2, 'revision')
    clean('a promoted model')
  },
  async 'plan a motion, and play it'() {
    await place('trajectories/new?robot=scara')
    await choose(field('Method', '方法'), 'quintic')
    await push(button('Goal', '终点'))
    await type(page.locator('.sliders input[type=number]').first(), '0.4')
    await push(button('Plan it', '开始规划'))
    await push(page.getByRole('link', { name: w('result') }))
    await page.locator('.u-over').first().waitFor()
    await push(page.getByRole('button', { name: w('play') }))
    const at = page.locator('.view3d-place ~ .row input[type=range]')
    await page.waitForFunction(() => Number(document.querySelector('.view3d-place ~ .row input[type=range]').value) > 0.2)
    await page.getByRole('button', { name: w('play') }).waitFor() // it has ended
    await reach(at)
    await page.keyboard.press('Home')
    await until(async () => Number(await at.inputValue()) < 0.1, 'the beginning of the motion')
    clean('a motion that plays')
  },
  async 'connect a controller, test it, put it in service'() {
    await place('controllers')
    await push(link('Connect a controller …', '连接控制器……'))
    await type(page.getByLabel(w('mappingName')), 'line')
    await type(field('Host', '主机'), '127.0.0.1')
    await type(field('Port', '端口'), String(ports[0]))
    await choose(field('Robot', '机器人'), 'scara')
    await push(button('Keep it, out of service', '保存（不投入使用）'))
    await push(button('Keep the axes', '保存轴对应'))
    await page.getByText(say('Kept.', '已保存。')).waitFor()
    await push(button('Test everything', '全面测试'))
    await page.getByText(say('Nothing is wrong.', '未发现错误。')).waitFor()
    await push(button('Put it in service', '投入使用'))
    await page.waitForURL(/#\/controllers\/line$/)
    await until(async () => (await api('GET', '/v1/controllers/line/status')).connected, 'a connection')
    faults.splice(0, faults.length, ...faults.filter((one) => !/404/.test(one))) // no test was made yet
    clean('a controller in service')
  },
  async 'order a motion, START it, see it done'() {
    await place('orders')
    await push(button('New order …', '新建订单……'))
    await type(field('Job order', '作业订单', dialog), '4711')
    await choose(field('Wanted is', '期望', dialog), 'smooth')
    await choose(field('Time', '时间', dialog), 'duration')
    await type(field('Seconds', '秒数', dialog), '1')
    await type(dialog.locator('.sliders input[type=number]').first(), '0.1')
    await push(button('Order', '下达订单', dialog))
    await push(page.getByRole('button', { name: w('start') }))
    await page.locator('.head .state').filter({ hasText: w('done') }).waitFor()
    clean('an order that is done')
  },
  async 'STOP from wherever one is, in dialogs too'() {
    await api('POST', '/v1/controllers', { name: 'other', host: '127.0.0.1', port: ports[1], unit: 1, robot: 'scara', profile: { protocol: 'armdyn-v2', allow_start: true } })
    const menu = page.locator('.stopmenu')
    for (const [at, opener] of [['identifications', null], ['datasets', button('Upload a log', '上传日志')], ['orders', button('New order …', '新建订单……')]]) {
      await place(at)
      await page.locator('.top .stopbar button').nth(1).waitFor()
      if (opener) await push(opener)
      const on = opener ? dialog : page.locator('.top')
      await reach(on.locator('.stopbar > button').first(), 'Shift+Tab')
      await page.keyboard.press('Enter')
      await on.getByRole('alert').filter({ hasText: w('confirmed') }).or(on.getByRole('alert').filter({ hasText: say('each controller confirmed it', '控制器均已确认') })).first().waitFor()
      await push(on.locator('.stopbar > button').nth(1))
      await menu.locator('visible=true').getByRole('searchbox').waitFor()
      await page.keyboard.type('other')
      await page.keyboard.press('Enter')
      await on.getByRole('alert').filter({ hasText: 'other' }).waitFor()
      const open = () => page.evaluate(() => document.querySelectorAll('dialog[open], .stopmenu:popover-open').length)
      for (let k = 0; k < 3 && (await open()); k++) await page.keyboard.press('Escape') // what was typed, the menu, the dialog
      equal(await open(), 0, 'what Escape leaves open')
      if (opener) equal(await opener.evaluate((one) => one === document.activeElement), true, 'that the focus is where it was before the dialog')
    }
    await look('keyboard-stop', false)
    clean('STOP')
  },
})
