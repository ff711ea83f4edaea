// Every page there is, with something in it, as whoever may see it does: at every width, light and dark. What axe-core, the console and the
// layout have to say is told for all pages together; pictures stand in ARMDYN_SHOTS.
//   node audit.mjs en|zh       environment: as of person.mjs, ARMDYN_CONTROLLER_PORTS
import { axe, open } from './browser.mjs'
import { broken } from './layout.mjs'
import { api, browser, english, enter, expected, faults, flow, key, language, page, shots, url } from './person.mjs'
import { motion, scene } from './scene.mjs'
import { equal, sure } from './steps.mjs'

const port = Number(process.env.ARMDYN_CONTROLLER_PORTS)
const WIDTHS = [[820, 1180], [1280, 800], [3840, 2160]]
const nameOf = (place) => place.replace(/\?.*/, '').replace(/\/01[0-9A-Z]{24}/, (id) => `-${id.slice(-4)}`).replaceAll('/', '-') + (place.includes('connect=') ? `-connect-${place.split('=').at(-1)}` : '') || 'home'
let all, playing

// Everything that is wrong with the pages as `who` sees them.
async function walk(who, on, faultsHere, looks) {
  const wrong = []
  for (const place of all) {
    await playing?.()
    await on.goto(`${url}/#/${place}`)
    await on.locator('main h1').first().waitFor()
    await on.waitForFunction(() => !document.querySelector('main [aria-busy=true]'))
    for (const [theme, [width, height], axed] of looks) {
      await on.setViewportSize({ width, height })
      await on.emulateMedia({ colorScheme: theme })
      await on.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => requestAnimationFrame(done)))))
      const told = (what) => wrong.push(`${place} ${width} ${theme}: ${what}`)
      const settled = async () => (found = await broken(on)).length === 0
      let found
      for (let k = 0; k < 10 && !(await settled()); k++) await on.waitForTimeout(100) // plots follow their places
      found.forEach(told)
      if (axed) (await axe(on)).forEach(told)
      if (language === 'zh' && axed) (await english(on)).forEach((text) => told(`English: ${text}`))
      await on.screenshot({ path: `${shots}/${who}-${language}-${theme}-${width}-${nameOf(place)}.png`, fullPage: true })
    }
    faultsHere.splice(0).forEach((fault) => wrong.push(`${place}: ${fault}`))
  }
  wrong.forEach((one) => console.log(one))
  sure(wrong.length === 0, `${wrong.length} faults, of ${all.length} pages`)
}

await flow({
  async 'what is broken is seen'() {
    const put = (...all) => page.evaluate((all) => { // each in the one before: what it is, its style, its text
      let at = document.querySelector('main')
      for (const [tag, style, text] of all) {
        const one = document.createElement(tag)
        one.style.cssText = style
        one.append(text)
        one.classList.add('proof')
        at = at.appendChild(one)
      }
    }, all)
    await put(['div', 'width: 40px; overflow: hidden; white-space: nowrap', 'what has no room'])
    await put(['div', 'position: relative', 'one over another'], ['i', 'position: absolute; left: 0; top: 0', 'another below one'])
    await put(['div', 'width: 5000px', 'far'])
    await put(['button', 'width: 30px; padding: 0; white-space: nowrap', 'a button that is too long'])
    await put(['button', 'width: 30px', 'Yes No'])
    const found = (await broken(page)).map((one) => one.split(':')[0])
    equal([...new Set(found)].sort(), ['broken in lines', 'cut off', 'over each other', 'wider than its box', 'wider than the window'], 'what is found')
    await page.evaluate(() => document.querySelectorAll('.proof').forEach((one) => one.remove()))
    equal(await broken(page), [], 'of a page that is whole')
  },
  async 'something of everything is there'() {
    all = await scene(api, port)
    playing = motion(api, 'line', 'scara')
    const only = process.env.ARMDYN_PAGES
    if (only) all = all.filter((place) => new RegExp(only).test(place))
  },
  async 'every page, at every width, light and dark'() {
    expected.add(404).add(422)
    await walk('admin', page, faults, [...WIDTHS.map((size) => ['light', size, true]), ...WIDTHS.map((size) => ['dark', size, size[0] === 1280])])
  },
  async 'every page, to who may only look'() {
    const { secret } = await api('POST', '/v1/keys', { name: 'looks', role: 'viewer', motion: [] })
    const other = await open(browser, url, { language, width: 1280, height: 800 })
    ;[401, 404, 422].forEach((status) => other.expected.add(status))
    await other.page.goto(`${url}/`)
    await enter(secret, other.page)
    await walk('viewer', other.page, other.faults, [['light', WIDTHS[1], true]])
  },
})
