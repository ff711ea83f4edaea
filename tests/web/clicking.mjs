// A long look at every page, again and again: what a browser holds must not grow.
//   node clicking.mjs en|zh MINUTES     environment: as of person.mjs, ARMDYN_CONTROLLER_PORTS
// Each figure is a line of JSON, as of figures.mjs.
import { api, expected, faults, flow, page, url } from './person.mjs'
import { motion, scene } from './scene.mjs'
import { sure } from './steps.mjs'

const minutes = Number(process.argv[3] ?? 2)
const WARM = 2 // rounds until everything that is fetched once was
const say = (name, value, most, unit) => {
  console.log(JSON.stringify({ figure: name, value: Number(value.toFixed(2)), most, unit }))
  sure(value <= most, `${name}: ${value} ${unit}, at most ${most}`)
}

await flow({
  async 'look at every page, again and again'() {
    const all = await scene(api, Number(process.env.ARMDYN_CONTROLLER_PORTS))
    const playing = motion(api, 'line', 'scara')
    expected.add(404).add(422) // of pages that say so
    const session = await page.context().newCDPSession(page)
    await session.send('Performance.enable')
    const held = async () => {
      await page.locator('main h1').click() // a browser keeps what was clicked last, and all that hung together with it
      for (let k = 0; k < 3; k++) await session.send('HeapProfiler.collectGarbage')
      const { metrics } = await session.send('Performance.getMetrics')
      const of = (name) => metrics.find((one) => one.name === name).value
      return { heap: of('JSHeapUsedSize') / 1e6, listeners: of('JSEventListeners'), nodes: of('Nodes') }
    }
    const begun = Date.now()
    let first, rounds = 0
    for (; rounds <= WARM || Date.now() - begun < 60000 * minutes; rounds++) {
      for (const place of all) {
        await playing()
        await page.goto(`${url}/#/${place}`)
        await page.locator('main h1').first().waitFor()
        await page.waitForFunction(() => !document.querySelector('main [aria-busy=true]'))
        for (const details of await page.locator('main details:not([open]) > summary').all()) await details.click({ timeout: 2000 }).catch(() => {}) // one that another closed, or that is out of sight
      }
      await page.goto(`${url}/#/`)
      await page.locator('main h1').first().waitFor()
      if (rounds === WARM - 1) first = await held()
    }
    const last = await held()
    console.log(JSON.stringify({ rounds, pages: rounds * all.length, seconds: Math.round((Date.now() - begun) / 1000), first, last }))
    say('heap after it, as part of the heap before', last.heap / first.heap, 1.1, '')
    say('listeners that came', last.listeners - first.listeners, 10, '')
    say('contexts of WebGL', await page.evaluate(() => window.contexts), 1, '')
    sure(faults.length === 0, faults.join('\\n'))
  },
})
