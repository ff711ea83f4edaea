// Pages of strangers in a real browser, which try whatever a page can send at a service without keys:
//   node strangers.mjs       environment: ARMDYN_URL, ARMDYN_TRANSFER (it is ready; START would move the arm)
// One page is of another site, two of other ports of the service's own names, and one was led here by its name (rebinding).
// It ends with one line of JSON: how many shapes of request were tried, and what the service's own page was answered.
import { createServer } from 'node:http'
import { launch } from './browser.mjs'

const { ARMDYN_URL: url, ARMDYN_TRANSFER: transfer } = process.env
const port = new URL(url).port

// Every way is told where to send to and what, and ends when its request has.
const WAYS = {
  'fetch': (to) => fetch(to, { method: 'POST' }),
  'fetch without CORS': (to) => fetch(to, { method: 'POST', mode: 'no-cors' }),
  'fetch with cookies': (to) => fetch(to, { method: 'POST', mode: 'no-cors', credentials: 'include' }),
  'fetch of text': (to, body) => fetch(to, { method: 'POST', mode: 'no-cors', body }),
  'fetch of a form': (to, body) => fetch(to, { method: 'POST', mode: 'no-cors', body: new URLSearchParams({ body }) }),
  'fetch of a form in parts': (to, body) => { const form = new FormData(); form.append('body', body); return fetch(to, { method: 'POST', mode: 'no-cors', body: form }) },
  'fetch of JSON': (to, body) => fetch(to, { method: 'POST', headers: { 'Content-Type': 'application/json', 'Idempotency-Key': `${Math.random()}` }, body }),
  'fetch of JSON as text': (to, body) => fetch(to, { method: 'POST', mode: 'no-cors', headers: { 'Content-Type': 'text/plain' }, body }),
  'fetch without a referrer': (to) => fetch(to, { method: 'POST', mode: 'no-cors', referrerPolicy: 'no-referrer' }),
  'fetch that outlives its page': (to) => fetch(to, { method: 'POST', mode: 'no-cors', keepalive: true }),
  'PUT': (to, body) => fetch(to, { method: 'PUT', body }),
  'PATCH': (to, body) => fetch(to, { method: 'PATCH', body }),
  'DELETE': (to) => fetch(to, { method: 'DELETE' }),
  'XMLHttpRequest': (to, body) => new Promise((done) => { const x = new XMLHttpRequest(); x.onloadend = done; x.open('POST', to); x.send(body) }),
  'beacon': (to) => navigator.sendBeacon(to),
  'beacon of text': (to, body) => navigator.sendBeacon(to, body),
  ...Object.fromEntries(['application/x-www-form-urlencoded', 'multipart/form-data', 'text/plain'].map((type) => [`form, ${type}`, new Function('to', 'body', `return new Promise((done) => {
    const frame = document.createElement('iframe'), form = document.createElement('form'), field = document.createElement('input')
    frame.name = 'f' + Math.random()
    Object.assign(form, { method: 'post', action: to, target: frame.name, enctype: '${type}' })
    Object.assign(field, { name: 'body', value: body })
    form.append(field)
    document.body.append(frame, form)
    frame.onload = frame.onerror = done
    form.submit()
  })`)])),
  'sandboxed frame': (to) => new Promise((done) => {
    const frame = document.createElement('iframe')
    frame.sandbox = 'allow-scripts'
    frame.srcdoc = `<script>fetch(${JSON.stringify(to)}, { method: 'POST', mode: 'no-cors' }).catch(() => 0).then(() => parent.postMessage('done', '*'))</` + 'script>'
    addEventListener('message', done, { once: true })
    document.body.append(frame)
  }),
}
const ATTACKS = [
  [`/v1/transfers/${transfer}/arm`, ''],
  [`/v1/transfers/${transfer}/start`, JSON.stringify({ start_before: new Date(Date.now() + 50000).toISOString() })],
  ['/v1/drain', ''],
  ['/v1/keys', JSON.stringify({ name: 'mine', role: 'admin' })],
]

const home = createServer((request, response) => response.setHeader('Content-Type', 'text/html').end('<!doctype html><title>a page</title>')).listen(0, '127.0.0.1')
await new Promise((done) => home.on('listening', done))
const elsewhere = home.address().port
const PAGES = [
  [`http://evil.example:${elsewhere}/`, url],
  [`http://127.0.0.1:${elsewhere}/`, url],
  [`http://localhost:${elsewhere}/`, `http://localhost:${port}`],
  [`http://evil.example:${port}/docs`, `http://evil.example:${port}`],
]

const browser = await launch(['--host-resolver-rules=MAP evil.example 127.0.0.1'])
let tried = 0
for (const [from, to] of PAGES) {
  const page = await (await browser.newContext()).newPage()
  await page.goto(from)
  for (const [path, body] of ATTACKS)
    for (const [name, way] of Object.entries(WAYS)) {
      // an answer without content ends no frame's loading: then it is over after a second
      const source = `(async () => { try { await Promise.race([(${way})(${JSON.stringify(to + path)}, ${JSON.stringify(body)}), new Promise((done) => setTimeout(done, 1000))]) } catch {} })()`
      await page.evaluate(source).catch((error) => { throw new Error(`${from}: ${name}: ${error.message}`) })
      tried++
    }
  await page.context().close()
}

const own = []
for (const name of ['127.0.0.1', 'localhost']) {
  const page = await (await browser.newContext()).newPage()
  await page.goto(`http://${name}:${port}/`)
  own.push(await page.evaluate(async () => [(await fetch('v1/drain', { method: 'POST' })).status, (await fetch('v1/drain', { method: 'DELETE' })).status]))
  await page.context().close()
}
await browser.close()
home.close()
console.log(JSON.stringify({ tried, own }))
