// A real browser in front of a real service: every page is watched for errors on its console, requests that leave the
// origin, and faults of accessibility.
import { chromium } from 'playwright-core'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
const CHROMIUM = process.env.CHROMIUM ?? '/usr/bin/chromium'

// SwiftShader draws what is WebGL, and only that: composing whole pages by it takes ten times the processor (Debian's default asks for it).
const DRAWING = ['--use-gl=angle', '--use-angle=swiftshader', '--enable-unsafe-swiftshader', '--disable-gpu-compositing', '--disable-gpu-rasterization']
const DRIVER = /GL Driver Message \(.*GPU stall due to ReadPixels/ // of a browser that composes without it: no page can help that

export const launch = (more = []) => chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox', '--disable-dev-shm-usage', ...DRAWING, ...more] })

// A page of its own context. faults: what it did that no page may; expected: statuses that a flow provokes on purpose.
export async function open(browser, url, { language = 'en', width = 1280, height = 800, dark = false } = {}) {
  const context = await browser.newContext({
    viewport: { width, height }, locale: language === 'zh' ? 'zh-CN' : 'en-GB', colorScheme: dark ? 'dark' : 'light', reducedMotion: 'reduce', acceptDownloads: true, bypassCSP: false,
  })
  const page = await context.newPage()
  await context.addInitScript(() => { // contexts of WebGL that this page ever made
    window.contexts = 0
    for (const { prototype } of [HTMLCanvasElement, OffscreenCanvas]) {
      const { getContext } = prototype
      prototype.getContext = function (kind, ...rest) {
        window.contexts += /webgl/.test(kind)
        return getContext.call(this, kind, ...rest)
      }
    }
  })
  page.setDefaultTimeout(Number(process.env.ARMDYN_WEB_PATIENCE ?? 180000))
  const faults = []
  const expected = new Set()
  page.on('pageerror', (error) => faults.push(`error: ${error.message}`))
  page.on('console', (message) => {
    if (!['error', 'warning'].includes(message.type()) || DRIVER.test(message.text())) return
    const status = message.text().match(/status of (\d+)/)?.[1]
    if (!status || !expected.has(Number(status))) faults.push(`console: ${message.text()}`)
  })
  page.on('request', (request) => {
    const to = request.url()
    if (!to.startsWith(url) && !to.startsWith('blob:') && !to.startsWith('data:')) faults.push(`a request left the origin: ${to}`)
  })
  page.on('dialog', (dialog) => {
    faults.push(`a script's dialog: ${dialog.message()}`)
    dialog.dismiss()
  })
  return { page, context, faults, expected }
}

// Findings of axe-core, minor ones too, in words. It is put in past the policy, as a person's tools are, once
// for what is loaded.
export async function axe(page) {
  const session = await page.context().newCDPSession(page)
  if (!(await page.evaluate(() => 'axe' in window))) await session.send('Runtime.evaluate', { expression: AXE })
  const found = await page.evaluate(() => window.axe.run(document, { resultTypes: ['violations'] }).then((result) => result.violations
    .map((one) => `${one.id}: ${one.help}: ${one.nodes.slice(0, 3).map((node) => `${node.html.slice(0, 160)} ${node.any?.[0]?.message ?? ''}`).join(' | ')}`)))
  await session.detach()
  return found
}
