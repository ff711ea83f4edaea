// Orders as a person makes, follows and cancels them, at a controller "cell" of an arm "scara" whose queue a STOP has blocked.
import { readFileSync } from 'node:fs'
import { equal, sure, until } from './steps.mjs'

const WORDS = {
  orders: ['Orders', '订单'], newOrder: ['New order …', '新建订单……'], jobOrder: ['Job order', '作业订单'], wanted: ['Wanted is', '期望'], time: ['Time', '时间'], seconds: ['Seconds', '秒数'], order: ['Order', '下达订单'], angles: ['Angles in', '角度单位'],
  blocked: ['The queue is blocked: STOP was sent to the controller', '队列被阻止：已向控制器发送 STOP'], toQueue: ['To the queue', '前往队列'], release: ['Release the queue …', '解除队列阻止……'], releaseDo: ['Release: the arm may move', '解除：手臂可能运动'],
  start: ['START: the arm moves', '启动：手臂将运动'], done: ['done', '完成'], played: ['Measured less planned', '实测减计划'], measured: ['What was measured', '实测'], cancelThese: ['Cancel these …', '取消这些……'], cancelAll: ['Cancel all of them', '全部取消'], cancelled: ['cancelled;', '已取消'],
  addMove: ['+ This goal as a move', '+ 以当前目标为一步'], addRest: ['+ A rest', '+ 停留'], stepRest: ['rests 0.5 s', '停留 0.5 s'], planned: ['What is planned', '计划'], cancelOrder: ['Cancel the order', '取消订单'], change: ['Change …', '更改……'], changeDo: ['Change it', '更改'], drop: ['Take out …', '移出……'], dropDo: ['Take it out', '移出队列'], priority: ['Priority', '优先级'], changedBy: ['Changed by', '更改者'], discard: ['Throw away', '放弃'],
  shift: ['Shift report', '班次报告'], csv: ['As CSV', '导出 CSV'], report: ['HTML report', 'HTML 报告'], alarms: ['Alarms', '报警'], acknowledge: ['Acknowledge', '确认'],
}

export function orderSteps({ page, api, url, look, language, go, expected }) {
  const w = (name) => WORDS[name][language === 'zh' ? 1 : 0]
  const button = (name, on = page) => on.getByRole('button', { name: w(name), exact: true })
  const dialog = page.locator('dialog')
  const field = (name) => dialog.locator('label').filter({ has: page.getByText(w(name), { exact: true }) }).locator('input, select')
  const newest = async () => (await api('GET', '/v1/orders?limit=1')).items[0]
  const released = (key) => api('POST', '/v1/controllers/cell/queue/release', {}, { 'Idempotency-Key': key }) // a STOP at the controller blocks it
  return {
    async 'order a motion, release the queue, start it, and see it done'() {
      await go('orders')
      await button('newOrder').click()
      await field('jobOrder').fill('4711')
      await field('wanted').selectOption('smooth')
      await field('time').selectOption('duration')
      await field('seconds').fill('1')
      await field('angles').selectOption('deg')
      const joint = dialog.locator('.sliders input[type=number]').first()
      const goal = Number(await joint.inputValue()) + 6
      const beyond = () => dialog.locator('.sliders input:out-of-range').count()
      await joint.fill('999') // is told to be beyond its limit while it is typed, and kept within
      equal(await beyond(), 1, 'what is told to be beyond')
      await joint.press('Tab')
      equal([await beyond(), Number(await joint.inputValue()) < 180], [0, true], 'what was kept within')
      await joint.fill(String(goal))
      await joint.press('Tab')
      await look('order-form', false)
      await button('order', dialog).click()
      await page.getByText(w('blocked')).waitFor()
      await look('order-blocked')
      const asked = await newest()
      equal([asked.job_order_id, asked.state], ['4711', 'accepted'], 'what was ordered')
      sure(Math.abs(((await api('GET', `/v1/orders/${asked.id}`)).request.to.q[0] * 180) / Math.PI - goal) < 1e-3, 'the goal is not the one that was typed')
      await page.getByRole('link', { name: w('toQueue') }).click()
      await button('release').click()
      await look('queue', false)
      await button('releaseDo', dialog).click()
      await button('release').waitFor({ state: 'detached' })
      await page.locator(`a[href$="orders/${asked.id}"]`).click()
      await button('start').click()
      await page.locator('.head .state').filter({ hasText: w('done') }).waitFor()
      await page.getByRole('heading', { name: w('played') }).waitFor()
      await look('order')
      const { state, started_by, plan } = await api('GET', `/v1/orders/${asked.id}`)
      equal([state, started_by !== null], ['done', true], 'the order')
      await page.getByText(`${+plan.mechanical_energy_modelled.toPrecision(4)} J`).first().waitFor()
      const panel = page.locator('.panel').filter({ has: page.getByRole('heading', { name: w('measured'), exact: true }) })
      await panel.locator('dd').first().waitFor() // it is summed up moments after the end
      const { measured } = await api('GET', `/v1/orders/${asked.id}`)
      const energy = measured.mechanical_energy_measured // without friction what is left of it may be next to nothing
      await panel.getByText(`${Math.abs(energy) < 1e-4 ? energy.toExponential(3) : +energy.toPrecision(4)} J`).waitFor()
      await panel.getByText(measured.worst_deviation.joint).waitFor()
    },
    async 'order two moves with a rest between them'() {
      await go('orders')
      await button('newOrder').click()
      await field('jobOrder').fill('two-moves')
      await field('wanted').selectOption('smooth')
      await field('time').selectOption('duration')
      await field('seconds').fill('1')
      const joint = dialog.locator('.sliders input[type=number]').first()
      const first = Number(await joint.inputValue())
      await joint.fill(String(first + 6))
      await joint.press('Tab')
      await button('addMove', dialog).click()
      await button('addRest', dialog).click()
      await dialog.locator('ol li').filter({ hasText: w('stepRest') }).waitFor()
      await joint.fill(String(first))
      await joint.press('Tab')
      await button('addMove', dialog).click()
      await dialog.locator('ol li').nth(2).waitFor()
      await look('order-steps-form', false)
      await button('order', dialog).click()
      await page.getByRole('heading', { name: w('planned'), exact: true }).waitFor()
      const asked = await newest()
      await until(async () => (await api('GET', `/v1/orders/${asked.id}`)).plan?.steps, 'the plan')
      const { plan, request } = await api('GET', `/v1/orders/${asked.id}`)
      equal([request.to ?? null, request.steps.map((step) => step.dwell ?? step.duration)], [null, [1, 0.5, 1]], 'what was ordered')
      equal(plan.steps.map((step) => step.trajectory !== null), [true, false, true], 'moves and rests')
      sure(Math.abs(plan.duration - 2.5) < 0.01, `it takes ${plan.duration} s`)
      await page.locator('.panel ol li').nth(2).waitFor()
      await look('order-steps')
      await button('cancelOrder').click()
      await until(async () => ['stopped', 'failed'].includes((await api('GET', `/v1/orders/${asked.id}`)).state), 'its end')
      await released(asked.id)
    },
    async 'change an order that waits, and cancel it, in the queue'() {
      const { position } = await api('GET', '/v1/controllers/cell/status')
      const order = (off, more) => api('POST', '/v1/orders', { controller: 'cell', to: { q: position.map((value, j) => value + (j ? 0 : off)) }, duration: 1, objective: 'smooth', start: 'on_request', ...more })
      const state = (one, is) => until(async () => (await api('GET', `/v1/orders/${one.id}`)).state === is, `an order that is ${is}`)
      const first = await order(0.05)
      await state(first, 'ready')
      const waiting = await order(0.1, { job_order_id: 'waits', tags: { line: 'a' } })
      await state(waiting, 'queued')
      await page.goto(`${url}/#/controllers/cell`)
      const rows = page.locator('tbody tr'), row = rows.filter({ hasText: 'waits' })
      await button('change', row).waitFor()
      equal(await button('change', rows.filter({ has: page.locator(`a[href$="orders/${first.id}"]`) })).count(), 0, 'what is at the controller is offered to be changed')
      await look('queue-waiting')
      await button('change', row).click()
      await field('seconds').fill('2')
      await field('priority').fill('3')
      await look('order-change', false)
      await button('changeDo', dialog).click()
      await dialog.waitFor({ state: 'detached' })
      const told = await api('GET', `/v1/orders/${waiting.id}`)
      equal(told.request, { ...waiting.request, duration: 2, priority: 3 }, 'what is ordered now')
      await page.goto(`${url}/#/orders/${waiting.id}`)
      await page.getByText(w('changedBy'), { exact: true }).waitFor()
      await look('order-changed')
      await button('change').click() // and meanwhile it comes to the controller
      await field('seconds').fill('3')
      await api('POST', `/v1/orders/${first.id}/start`, {}, { 'Idempotency-Key': first.id })
      await state(waiting, 'ready')
      expected.add(409)
      await button('changeDo', dialog).click()
      await dialog.locator('.notice.bad').waitFor()
      await look('order-change-late', false)
      expected.clear()
      await page.keyboard.press('Escape')
      await button('discard').click()
      const last = await order(0.15, { job_order_id: 'dropped' })
      await state(last, 'queued')
      await page.goto(`${url}/#/controllers/cell`)
      await button('drop', rows.filter({ hasText: 'dropped' })).click()
      await look('order-drop', false)
      await button('dropDo', dialog).click()
      await state(last, 'stopped')
      await api('POST', `/v1/orders/${waiting.id}/cancel`)
      await state(waiting, 'stopped')
      await released(last.id)
    },
    async 'orders are listed, and those of a job order cancelled together'() {
      const { position } = await api('GET', '/v1/controllers/cell/status')
      for (const off of [0.1, 0]) {
        const q = position.map((value, j) => value + (j ? 0 : off))
        await api('POST', '/v1/orders', { controller: 'cell', job_order_id: 'lot-1', to: { q }, duration: 1, objective: 'smooth', start: 'on_request' })
      }
      await page.goto(`${url}/#/orders`)
      await page.locator('tbody tr').nth(2).waitFor()
      equal(await button('cancelThese').isDisabled(), true, 'that without a condition all are cancelled')
      await page.getByLabel(w('jobOrder')).fill('lot-1')
      await page.locator('tbody tr').nth(2).waitFor({ state: 'detached' })
      await look('orders')
      await button('cancelThese').click()
      await look('orders-cancel', false)
      await button('cancelAll', dialog).click()
      await page.getByText(w('cancelled')).waitFor()
      await until(async () => (await api('GET', '/v1/orders?job_order_id=lot-1')).items.every((one) => one.state === 'stopped'), 'the end of both')
      await page.locator('tbody .state.warn').nth(1).waitFor()
    },
    async 'a shift is accounted for'() {
      await page.goto(`${url}/#/controllers/cell`)
      await page.getByRole('link', { name: w('shift'), exact: true }).click()
      await page.locator('.tile b').nth(7).waitFor()
      const { orders, failures } = await api('GET', '/v1/controllers/cell/report')
      await page.locator('section').nth(1).locator('tbody tr').nth(failures.length - 1).waitFor()
      equal((await page.locator('.tile b').allTextContents()).slice(0, 5).map(Number), ['done', 'stopped', 'failed', 'interrupted', 'open'].map((one) => orders[one]), 'orders of the shift')
      sure(orders.done > 0 && orders.stopped > 1 && failures.length > 1, `orders ${JSON.stringify(orders)}`)
      await look('shift')
      const [file] = await Promise.all([page.waitForEvent('download'), button('csv').click()])
      equal(file.suggestedFilename(), 'cell-shift.csv', 'the file of a spreadsheet')
      const [report] = await Promise.all([page.waitForEvent('download'), button('report').click()])
      const text = readFileSync(await report.path(), 'utf8')
      sure(report.suggestedFilename() === 'cell-shift.html' && failures.every(({ order }) => text.includes(order.slice(-8))), 'the report does not name what was not done')
    },
    async 'an alarm of a blocked queue is acknowledged'() {
      await go('alarms')
      await page.goto(`${url}/#/alarms?state=all&controller=cell`)
      const { items: all } = await api('GET', '/v1/alarms?code=queue-blocked&controller=cell&sort=since')
      const rows = page.locator('tbody tr').filter({ hasText: 'queue-blocked' }), row = rows.last(), [blocked] = all
      await rows.nth(all.length - 1).waitFor() // those that stand were shown before
      await button('acknowledge', row).click()
      await button('acknowledge', row).waitFor({ state: 'detached' })
      const known = await api('GET', `/v1/alarms/${blocked.id}`)
      sure(known.acknowledged_by && known.acknowledged_at, `nobody has acknowledged ${JSON.stringify(known)}`)
      await look('alarms')
    },
  }
}
