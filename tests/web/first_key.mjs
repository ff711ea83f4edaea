// The first key, made on the page of a service without keys:
//   node first_key.mjs       environment: ARMDYN_URL
// Its maker is logged in with it, and the secret stands above every page until it was copied. The last line says "done".
import { launch, open } from './browser.mjs'

const { ARMDYN_URL: url } = process.env
const browser = await launch()
const { page, faults, expected } = await open(browser, url)
const button = (name) => page.getByRole('button', { name, exact: true })
const sure = (holds, what) => {
  if (!holds) throw new Error(`${what}\n${faults.join('\n')}`)
}
expected.add(401) // of what was asked before the key was there

await page.goto(`${url}/#/keys`)
await button('New key …').click()
await page.getByLabel('Whose it is (a-z, 0-9, -)').fill('chief')
await button('Save').click()
const secret = await page.locator('code.secret').textContent()
sure(secret.startsWith('armdyn_'), `a secret of ${secret}`)
await page.getByText('From now on every call needs a key').waitFor()
await page.getByText('chief · ').waitFor()
sure(await button('I have kept it').isDisabled(), 'the secret goes away before it was copied')

await page.getByRole('link', { name: 'Jobs', exact: true }).click() // another page: it stays, and calls are answered
await page.getByRole('heading', { name: 'Jobs' }).waitFor()
sure(await page.locator('code.secret').textContent() === secret, 'the secret went away with its page')
await button('Copy').click()
await button('I have kept it').click()
await page.locator('code.secret').waitFor({ state: 'detached' })

await page.getByRole('link', { name: 'Administration', exact: true }).click() // whose first page are the keys
await button('New key …').click()
await page.getByLabel('Whose it is (a-z, 0-9, -)').fill('guest')
await button('Save').click()
await page.getByText('The secret of guest').waitFor()
sure(await page.getByText('From now on every call needs a key').count() === 0, 'the second key is told to be the first')

await page.reload() // nothing was kept: the secret that was copied opens the door
await page.getByLabel('API key').fill(secret)
await page.keyboard.press('Enter')
await page.getByText('chief · ').waitFor()
sure(faults.length === 0, 'faults:')
await browser.close()
console.log('done')
