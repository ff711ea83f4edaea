// What the pages weigh, and what is there to read while a slow line still brings what draws an arm:
//   node weight.mjs en|zh     environment: as of person.mjs
// Each figure is a line of JSON, as of figures.mjs. Bytes are counted compressed, as they come over the network.
import { browser, flow, key, url, w } from './person.mjs'
import { open } from './browser.mjs'
import { equal, sure } from './steps.mjs'

const LINE = 400e3 / 8 // bytes a second
const say = (name, value, most, unit) => {
  console.log(JSON.stringify({ figure: name, value: Number(value.toFixed(1)), most, unit }))
  sure(value <= most, `${name}: ${value} ${unit}, at most ${most}`)
}

// Who was never here before, logged in, with Home before him; kilobytes(): of the pages' own files so far.
async function stranger() {
  const { page, context, faults, expected } = await open(browser, url)
  expected.add(401) // who is not logged in yet
  const session = await context.newCDPSession(page)
  const files = new Map()
  await session.send('Network.enable')
  session.on('Network.requestWillBeSent', ({ requestId, request }) => request.url.includes('/v1/') || files.set(requestId, 0))
  session.on('Network.dataReceived', ({ requestId, encodedDataLength }) => files.has(requestId) && files.set(requestId, files.get(requestId) + encodedDataLength))
  await context.addInitScript(() => new MutationObserver((_, watch) => {
    if (!document.querySelector('main .sliders input[type=number]')) return
    window.readable = performance.now()
    watch.disconnect()
  }).observe(document, { childList: true, subtree: true }))
  await page.goto(`${url}/`)
  await page.getByLabel(w('key')).fill(key)
  await page.keyboard.press('Enter')
  await page.locator('main h1').waitFor()
  await page.waitForFunction(() => !document.querySelector('main [aria-busy=true]'))
  await page.waitForTimeout(500) // nothing more is on its way
  return { page, context, session, faults, kilobytes: () => [...files.values()].reduce((sum, one) => sum + one) / 1000 }
}

await flow({
  async 'the first page is small'() {
    const { context, kilobytes } = await stranger()
    say('log-in and Home', kilobytes(), 30, 'kB')
    await context.close()
  },
  async 'a page with 3-D can be read before what draws it is there'() {
    for (const place of ['robots/scara', 'trajectories/new?robot=scara']) {
      const { page, context, session, faults, kilobytes } = await stranger()
      await session.send('Network.emulateNetworkConditions', { offline: false, latency: 50, downloadThroughput: LINE, uploadThroughput: LINE })
      const begun = await page.evaluate((at) => {
        location.hash = `#/${at}`
        return performance.now()
      }, place)
      await page.locator('.view3d canvas').waitFor()
      const { readable, startTime, responseEnd } = await page.evaluate(() => ({ readable: window.readable, ...performance.getEntriesByType('resource').find((one) => one.name.includes('view3d')).toJSON() }))
      console.log(JSON.stringify({ place, readable_ms: Math.round(readable - begun), drawing_came_ms: Math.round(responseEnd - begun) }))
      sure(readable <= startTime, `${place} waited for what draws the arm`)
      say(`${place}, with all that came before it`, kilobytes(), 260, 'kB')
      equal(faults, [], place)
      await context.close()
    }
  },
})
