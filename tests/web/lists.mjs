// Long lists on the screen: from the click or the key until the rows that were asked for are in the document and painted.
//   node lists.mjs RUNS      environment: ARMDYN_URL, of a service with so many runs and jobs (tests/support/crowd.py)
// Each figure is a line of JSON, as of figures.mjs: the median of several times; beside it the best, and what the page's own thread
// was busy with, which another load of the machine hardly changes.
import { launch, open } from './browser.mjs'
import { sure } from './steps.mjs'

const { ARMDYN_URL: url } = process.env
const runs = Number(process.argv[2])
const MOST = 150 // ms
const TIMES = 7

const browser = await launch()
const { page, context, faults } = await open(browser, url)
page.setDefaultTimeout(20000)
// Notes when the person did something, what list was answered last, and when its rows, and no others, had been painted.
await context.addInitScript(() => {
  const mine = (window.screen_of_rows = { began: 0, done: 0, answer: null })
  const shown = () => {
    const table = document.querySelector('main table')
    if (!mine.answer || !table || document.querySelector('main [aria-busy=true]')) return false
    const wanted = mine.answer.items.map(({ id }) => id)
    const rows = [...table.querySelectorAll('tbody > tr')].map((row) => row.querySelector('a[href]')?.getAttribute('href').split('/').at(-1))
    return rows.length === wanted.length && rows.every((id, k) => id === wanted[k])
  }
  const look = () => {
    if (mine.done || !shown()) return
    mine.done = -1
    requestAnimationFrame(() => {
      const channel = new MessageChannel() // the first task after the frame was painted
      channel.port1.onmessage = () => (mine.done = performance.now())
      channel.port2.postMessage(0)
    })
  }
  const { json } = Response.prototype
  Response.prototype.json = async function () {
    const data = await json.call(this)
    if (/\/v1\/(identifications|jobs)\?/.test(this.url) && performance.now() > mine.began) {
      mine.answer = data
      setTimeout(look)
    }
    return data
  }
  new MutationObserver(look).observe(document, { childList: true, subtree: true, characterData: true, attributes: true })
  for (const event of ['input', 'click', 'hashchange']) addEventListener(event, ({ timeStamp }) => Object.assign(mine, { began: timeStamp, done: 0, answer: null }), true)
})
const session = await context.newCDPSession(page)
await session.send('Performance.enable', { timeDomain: 'threadTicks' })
const busy = async () => (await session.send('Performance.getMetrics')).metrics.find(({ name }) => name === 'TaskDuration').value * 1000
const painted = async () => {
  await page.waitForFunction(() => window.screen_of_rows.done > 0)
  return page.evaluate(() => window.screen_of_rows.done - window.screen_of_rows.began)
}
const middle = (times) => [...times].sort((a, b) => a - b)[times.length >> 1]

// Do it again and again, what leads back in between.
const figures = []
async function measure(name, act, back) {
  const times = [], worked = []
  for (let k = 0; k < TIMES; k++) {
    const before = await busy()
    await act(k)
    times.push(await painted())
    worked.push((await busy()) - before)
    await back?.(k)
    if (back) await painted()
  }
  const figure = { name, value: middle(times), most: MOST, unit: 'ms', best: Math.min(...times), busy: middle(worked) }
  for (const of of ['value', 'best', 'busy']) figure[of] = Number(figure[of].toFixed(1))
  figures.push(figure)
  console.log(JSON.stringify(figure))
}

const to = (place) => page.evaluate((place) => (location.hash = place), place)
const within = page.locator('main')
const sorting = (name) => within.getByRole('columnheader', { name, exact: false }).getByRole('button').click()
const choosing = (label, to) => page.getByRole('combobox', { name: label, exact: true }).and(within.locator('select')).selectOption(to)
const typing = async (label, text) => { // its last letter is what is measured
  const field = within.getByLabel(label, { exact: true })
  await field.fill(text.slice(0, -1))
  await page.waitForTimeout(400)
  await field.press(text.at(-1))
}
const emptying = (label) => within.getByLabel(label, { exact: true }).fill('')

await page.goto(`${url}/#/identifications`)
await page.locator('tbody tr').first().waitFor()
await to('#/jobs')
await page.locator('tbody tr').first().waitFor()
await to('#/')
await page.locator('.tiles').waitFor()

await measure('runs open', () => to('#/identifications'), () => to('#/jobs'))
await measure('jobs open', () => to('#/jobs'), () => to('#/identifications'))
await to('#/identifications')
for (const column of ['Label', 'Robot', 'Validation error, raw', 'Training error, raw', 'Condition number', 'Created']) await measure(`runs sorted by ${column.toLowerCase()}`, () => sorting(column))
await to('#/identifications')
await painted()
for (const [label, choice] of [['Estimator', 'wls'], ['Estimator', 'irls'], ['Robot', 'no-runs'], ['Robot', 'arm']])
  await measure(`runs of ${choice}`, () => choosing(label, choice), () => choosing(label, ''))
for (const [label, text] of [['Search', 'A57'], ['Search', 'nowhere'], ['Search', 'zz'], ['Search', 'a note'], ['Tag (name=value)', 'part=A5'], ['Validation error below [%]', '50']])
  await measure(`runs, ${label.toLowerCase()} ${text}`, () => typing(label, text), () => emptying(label))
await to('#/jobs')
for (const [label, choice] of [['State', 'succeeded'], ['State', 'failed'], ['Robot', 'no-runs'], ['Robot', 'arm']])
  await measure(`jobs: ${choice}`, () => choosing(label, choice), () => choosing(label, ''))

sure(faults.length === 0, faults.join('\n'))
sure(figures.length > 20 && runs > 0, `${figures.length} figures`)
await browser.close()
