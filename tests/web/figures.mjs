// What the pages are measured by, in a real browser:
//   node figures.mjs DATASET RUN RUNS      environment: ARMDYN_URL; a long data set, a run that was identified from it, and how
//                                          many runs there are
// Each figure is a line of JSON: {"name", "value", "most", "unit"}. Times are the best of several: what else the machine does is
// not the pages'.
import { launch, open } from './browser.mjs'

const { ARMDYN_URL: url } = process.env
const [dataset, run, runs] = [process.argv[2], process.argv[3], Number(process.argv[4])]
const say = (name, value, most, unit) => console.log(JSON.stringify({ name, value: Number(value.toFixed(1)), most, unit }))
const browser = await launch()

const best = async (times, measure) => {
  let least = Infinity
  for (let k = 0; k < times; k++) least = Math.min(least, await measure(k))
  return least
}

// A page that notes how often plots were drawn, and when last, and when its first heading was there.
async function fresh() {
  const { page, context } = await open(browser, url)
  await context.addInitScript(() => {
    window.drawn = window.drawings = 0
    const { clearRect } = CanvasRenderingContext2D.prototype
    CanvasRenderingContext2D.prototype.clearRect = function (...where) {
      window.drawn = performance.now()
      window.drawings++
      clearRect.apply(this, where)
    }
    new MutationObserver((_, watch) => {
      if (!document.querySelector('main h1') || !document.querySelector('main button:enabled')) return
      window.usable = performance.now()
      watch.disconnect()
    }).observe(document, { childList: true, subtree: true })
  })
  return page
}
// Do it, and wait until nothing was drawn for half a second: milliseconds from the doing to the last drawing.
const untilDrawn = (page, what, argument) => page.evaluate(async ([text, argument]) => {
  const began = performance.now()
  new Function('argument', text)(argument)
  do await new Promise((done) => setTimeout(done, 100))
  while (window.drawn < began || performance.now() - window.drawn < 500)
  return window.drawn - began
}, [what, argument])

say('first page usable', await best(5, async () => {
  const page = await fresh()
  await page.goto(`${url}/`)
  await page.waitForFunction(() => window.usable)
  const time = await page.evaluate(() => window.usable)
  await page.context().close()
  return time
}), 300, 'ms')

for (const [name, list, id] of [['data set', 'datasets', dataset], ['run', 'identifications', run]]) {
  const page = await fresh()
  await page.goto(`${url}/#/${list}`)
  await page.locator('tbody tr').first().waitFor()
  await page.evaluate((at) => (location.hash = `#/${at}`), `${list}/${id}`) // fetches what only this page needs
  await page.locator('.u-over').first().waitFor()
  say(`long ${name} opens`, await best(4, async () => {
    await page.evaluate((at) => (location.hash = `#/${at}`), list)
    await page.locator('tbody tr').first().waitFor()
    return untilDrawn(page, 'location.hash = `#/${argument}`', `${list}/${id}`)
  }), 300, 'ms')
  for (const [how, selector] of [['in', '[aria-label="Zoom in"]'], ['along', '[aria-label="To the right"]']])
    say(`long ${name} zooms ${how}`, await best(6, () => untilDrawn(page, `document.querySelector('${selector}').click()`)), 100, 'ms')
  await page.context().close()
  let drawings
  say(`long ${name} opens from its address alone, in a new browser`, await best(4, async () => {
    const page = await fresh()
    await page.goto(`${url}/#/${list}/${id}`)
    await page.waitForFunction(() => window.drawn && performance.now() - window.drawn > 500)
    const time = await page.evaluate(() => window.drawn)
    drawings = (await page.evaluate(() => window.drawings)) / (await page.locator('canvas').count())
    await page.context().close()
    return time
  }), 600, 'ms')
  say(`drawings of each plot of a long ${name} meanwhile`, drawings, 1, 'times')
}

{
  const page = await fresh()
  const times = [], asked = []
  page.on('response', async (response) => {
    if (!/\/v1\/identifications\?/.test(response.url())) return
    asked.push(response.url())
    await response.finished()
    const { requestStart, responseEnd } = response.request().timing()
    times.push(responseEnd - requestStart)
  })
  await page.goto(`${url}/#/identifications`)
  await page.locator('tbody tr').first().waitFor()
  const list = page.locator('.scroll.tall')
  while (await list.locator('p button').count()) { // there are more
    await list.evaluate((at) => at.scrollBy(0, at.clientHeight * 3))
    await page.waitForFunction(() => {
      const at = document.querySelector('.scroll.tall')
      return at.scrollHeight - at.scrollTop > at.clientHeight * 2 || !at.querySelector('p button')
    })
  }
  const whole = 100 * await list.locator('tbody').count()
  say('runs that were scrolled through', runs - whole, 99, `fewer than ${runs}`)
  say('rows in the document after that', await page.locator('tbody tr').count(), 1500, 'rows')
  times.sort((a, b) => a - b)
  say('response of a page of runs, median', times[Math.floor(times.length / 2)], 50, 'ms')
  say('response of a page of runs, 95 %', times[Math.floor(times.length * 0.95)], 50, 'ms')
  asked.length = 0
  await list.evaluate((at) => at.scrollTo(0, 0))
  await page.getByLabel('Search').fill('nowhere')
  await page.locator('.scroll p.quiet').waitFor()
  await page.getByLabel('Search').fill('')
  await page.locator('tbody tr').first().waitFor()
  await page.locator('form[role=search] select').nth(1).selectOption('wls')
  await page.waitForFunction(() => [...document.querySelectorAll('tbody tr:not([aria-hidden]) td:nth-child(4)')].every((at) => at.textContent === 'wls'))
  await page.getByRole('button', { name: 'Training error, raw' }).click()
  await page.waitForURL(/sort=training/)
  const took = []
  for (const address of [...asked]) took.push(await page.evaluate(async (address) => {
    let least = Infinity
    for (let k = 0; k < 5; k++) {
      const began = performance.now()
      await (await fetch(address)).arrayBuffer()
      least = Math.min(least, performance.now() - began)
    }
    return least
  }, address))
  say('response of a sorted, filtered or searched list, worst of them', Math.max(...took), 50, 'ms')
  await page.context().close()
}
await browser.close()
