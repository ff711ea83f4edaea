// Who has a controller, what its arm holds, what a webhook was told, what would be written to registers of its own, and many jobs
// cancelled at once: as a person asks and answers it, at a controller "fresh" of an arm that nothing moves.
import { equal, sure, until } from './steps.mjs'

const WORDS = {
  take: ['Take it away …', '收回占用……'], takeDo: ['Stop that transfer, and take it away', '停止该传输并收回'], taken: ['the controller confirmed that its arm stands', '控制器已确认手臂静止'], free: ['nobody: whoever comes first gets it', '无：先到者占用'],
  mine: ['this key may move its arm', '此密钥可驱动其手臂'], say: ['Say what it holds …', '声明所持工件……'], sayDo: ['It holds this', '确认所持'], part: ['Part', '工件'],
  again: ['Tell it again', '重新通知'], unknown: ['Could not resolve host', '无法解析主机名'],
  connect: ['Connect a controller …', '连接控制器……'], name: ['Name (a-z, 0-9, -)', '名称（a-z、0-9、-）'], host: ['Host', '主机'], robot: ['Robot', '机器人'], keep: ['Keep it, out of service', '保存（不投入使用）'], speaks: ['It speaks', '通信方式'],
  map: ['Its register map (JSON)', '寄存器映射（JSON）'], writes: ['What a transfer would write', '传输将写入的内容'], show: ['Show them', '显示'], hex: ['hexadecimal', '十六进制'], rate: ['Points a second [Hz]', '每秒点数 [Hz]'],
  cancelThese: ['Cancel these …', '取消这些……'], cancelAll: ['Cancel all of them', '全部取消'], two: ['2 now.', '目前 2 个。'], cancelled: ['2 cancelled.', '已取消 2 个。'],
}

// A table of positions and torques of four axes from register 100 on.
const MAP = {
  fields: [{ name: 'count', address: 2, type: 'uint16', access: 'read_write' }, { name: 'period', address: 3, type: 'uint32', scale: 1e-6, access: 'read_write' }],
  points: { address: 100, count: 400, stride: 16, verify: 'readback', count_field: 'count', period_field: 'period',
    columns: [1, 2, 3, 4].flatMap((axis) => ['position', 'torque'].map((quantity, k) => ({ axis, quantity, at: 4 * (axis - 1) + 2 * k, type: 'float32', word_order: 'ABCD' }))) },
}

export function holdingSteps({ page, api, url, look, language, robot, expected }) {
  const w = (name) => WORDS[name][language === 'zh' ? 1 : 0]
  const button = (name, on = page) => on.getByRole('button', { name: w(name), exact: true })
  const dialog = page.locator('dialog')
  const tall = async (name) => { // in one language where it is narrow
    if (language === 'zh') await page.setViewportSize({ width: 820, height: 700 })
    await look(name)
    if (language === 'zh') await page.setViewportSize({ width: 1024, height: 768 })
  }
  const motion = async (duration) => (await api('POST', `/v1/robots/${robot}/trajectories`, { method: 'quintic', start: { q: [0, 0, 0.1, 0] }, goal: { q: [0.3, 0.2, 0.1, 0] }, duration }, { Prefer: 'wait=60' })).result.href.split('/').at(-1)
  return {
    async 'an administrator takes a controller away, and sees what was told of it'() {
      await api('POST', '/v1/webhooks', { name: 'hook', url: 'http://receiver.invalid/' }) // a name that nobody knows
      await api('POST', `/v1/robots/${robot}/parts`, { name: 'A7', payload: { mass: 0.2 } })
      const { id } = await api('POST', '/v1/controllers/fresh/transfers', { trajectory: await motion(5), callback: { webhook: 'hook' } }, { 'Idempotency-Key': `held ${language}` })
      await until(async () => (await api('GET', `/v1/transfers/${id}`)).state === 'ready', 'the motion at the controller')
      await page.goto(`${url}/#/controllers/fresh`)
      await page.getByText(w('mine')).waitFor()
      await page.locator('dl.facts dd').filter({ hasText: id.slice(-8) }).filter({ hasText: 'admin' }).waitFor() // whose it is
      await tall('held')
      await button('take').click()
      await look('held-take', false)
      await button('takeDo', dialog).click()
      await page.getByText(w('taken')).waitFor()
      await page.getByText(w('free')).waitFor()
      equal([(await api('GET', `/v1/transfers/${id}`)).state, (await api('GET', '/v1/controllers/fresh/status')).lease], ['stopped', null], 'the transfer and the lease')
      const told = page.locator('section section').filter({ has: button('again') })
      await told.locator('tbody').getByText(w('unknown')).waitFor()
      const before = (await api('GET', `/v1/transfers/${id}/deliveries`)).items[0]
      await button('again').click()
      await until(async () => (await api('GET', `/v1/transfers/${id}/deliveries`)).items[0].last_at !== before.last_at, 'another attempt')
      equal(await told.locator('tbody tr').count(), 1, 'messages')
      await tall('deliveries')
    },
    async 'the part that an arm holds is said'() {
      await button('say').click()
      await dialog.getByLabel(w('part')).selectOption('A7')
      await look('held-part', false)
      await button('sayDo', dialog).click()
      await page.locator('dl.facts dd').getByText('A7', { exact: true }).waitFor()
      equal((await api('GET', '/v1/controllers/fresh/part')).part, 'A7', 'the part')
      await api('PUT', '/v1/controllers/fresh/part', { part: null })
    },
    async 'a controller with registers of its own: what a motion would write, before it is in service'() {
      const trajectory = await motion(1)
      await page.goto(`${url}/#/controllers`)
      await page.getByRole('link', { name: w('connect'), exact: true }).click()
      await page.getByLabel(w('name')).fill('own')
      await page.getByLabel(w('host')).fill('127.0.0.1')
      await page.getByLabel(w('robot')).selectOption(robot)
      await page.getByLabel(w('speaks')).selectOption('own')
      const text = page.getByLabel(w('map'))
      await text.fill('{"fields": [')
      await button('keep').click()
      sure(!(await text.evaluate((at) => at.checkValidity())), 'what is no JSON is told at its field')
      await text.fill(JSON.stringify({ ...MAP, points: { ...MAP.points, stride: 3 } }))
      expected.add(422)
      await button('keep').click()
      await page.locator('main [role=alert] code').filter({ hasText: '/profile/map/points' }).first().waitFor()
      await look('connect-map-wrong')
      expected.delete(422)
      await text.fill(JSON.stringify(MAP))
      await button('keep').click()
      await page.getByRole('heading', { name: w('writes') }).waitFor()
      await page.locator('main select').filter({ has: page.locator(`option[value="trajectory ${trajectory}"]`) }).selectOption(`trajectory ${trajectory}`)
      await page.getByLabel(w('rate')).fill('100')
      await page.keyboard.press('Enter')
      const table = page.getByRole('table', { name: w('writes') })
      await table.waitFor()
      const plan = await api('POST', '/v1/controllers/own/dry-run', { trajectory, rate: 100 })
      equal([await table.locator('tbody tr').count(), plan.samples], [plan.requests, 101], 'writes that are shown')
      const last = plan.writes.findLast(({ words }) => words.length > 1)
      equal(await table.locator('tbody tr').nth(plan.writes.indexOf(last)).locator('code').last().textContent(), last.words.join(' '), 'words of the last points')
      await button('hex').click()
      equal(await table.locator('tbody tr').nth(plan.writes.indexOf(last)).locator('code').last().textContent(), last.words.map((word) => word.toString(16).toUpperCase().padStart(4, '0')).join(' '), 'the same in hexadecimal')
      await tall('connect-map')
      const { etag } = await api('GET', '/v1/controllers/own', undefined, {}, true)
      equal((await api('GET', '/v1/controllers/own')).enabled, false, 'in service')
      await api('DELETE', '/v1/controllers/own', undefined, { 'If-Match': etag })
    },
    async 'jobs of a robot are cancelled together'() {
      const long = { duration: 20, population: 1000, generations: 1000, callback: { webhook: 'hook' } }
      const jobs = [await api('POST', `/v1/robots/${robot}/excitations`, long), await api('POST', `/v1/robots/${robot}/excitations`, { ...long, seed: 2 })]
      await page.goto(`${url}/#/jobs`)
      equal(await button('cancelThese').isDisabled(), true, 'that without a condition all are cancelled')
      await page.locator('.head').getByLabel(w('robot')).selectOption(robot)
      await button('cancelThese').click()
      await dialog.getByText(w('two')).waitFor()
      await look('jobs-cancel', false)
      await button('cancelAll', dialog).click()
      await page.getByText(w('cancelled')).waitFor()
      for (const { id } of jobs) await until(async () => (await api('GET', `/v1/jobs/${id}`)).state === 'cancelled', `the end of job ${id}`)
      await page.goto(`${url}/#/jobs/${jobs[0].id}`) // whose end was told
      await page.getByRole('table', { name: /hook/ }).locator('tbody').getByText(w('unknown')).waitFor()
      equal((await api('GET', `/v1/jobs/${jobs[0].id}/deliveries`)).items.length, 1, 'messages of the job')
      await look('job-told', false)
    },
  }
}
