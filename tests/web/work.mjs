// What a person does with many things at once, and with signals of his own making; how many steps the questions take that the pages are
// for:   node work.mjs en|zh       environment: as of person.mjs
import { readFileSync } from 'node:fs'
import { figure, lasting, measure, plusMinus } from '../../server/web/src/ui/figures.js'
import { clockOf, derivative, lowPass, readSignal, signalOf, writeSignal } from '../../server/web/src/ui/signals.js'
import { api, button, enter, expected, faults, flow, key, language, look, menu, page, url, w } from './person.mjs'
import { equal, sure, until } from './steps.mjs'

const say = (en, zh) => (language === 'zh' ? zh : en)
const text = async (download) => readFileSync(await (await download).path(), 'utf8')
const far = (got, wanted) => got.reduce((most, value, k) => Math.max(most, Math.abs(value - wanted[k])), 0)
const inside = (values, edge) => values.slice(edge, values.length - edge)
const data = { t: [0, 0.01, 0.02], q: [[0, 0, 0, 0], [0.1, 0, 0, 0], [0.2, 0, 0, 0]], tau: [[0, 0, 0, 0], [1, 0, 0, 0], [1, 0, 0, 0]] }

await flow({
  async 'signals are what their closed forms say'() {
    const rate = 1000, n = 4000, cutoff = 40
    const t = Float64Array.from({ length: n }, (_, k) => k / rate)
    const wave = (f) => t.map((at) => Math.sin(2 * Math.PI * f * at))
    // 1 / (1 + (sqrt 2 - 1) (f/fc)^4), of frequencies as the bilinear transform bends them, and no phase
    for (const f of [4, 40, 120]) {
      const ratio = Math.tan((Math.PI * f) / rate) / Math.tan((Math.PI * cutoff) / rate)
      const gain = 1 / (1 + (Math.SQRT2 - 1) * ratio ** 4)
      sure(far(inside(lowPass(wave(f), rate, cutoff), 500), inside(wave(f).map((one) => gain * one), 500)) < 1e-6, `the low-pass at ${f} Hz`)
    }
    equal([lowPass(wave(4), rate, 500), lowPass(wave(4).slice(0, 2), rate, 40), derivative([0, 1], [0, 1])], [null, null, null], 'what cannot be made')
    const uneven = t.map((at, k) => at + (k % 3 === 1 ? 2e-4 : 0))
    sure(far(derivative(uneven, uneven.map((at) => 3 + 2 * at - 5 * at * at)), uneven.map((at) => 2 - 10 * at)) < 1e-8, 'the derivative of a quadratic, on any clock')
    equal([clockOf(t).even, clockOf(uneven).even], [true, false], 'clocks')
    const table = { column: (name) => ({ t, a: wave(4), b: wave(3) })[name] ?? null }
    const one = { a: 'a', b: 'b', cutoff: 0, rate: true }
    equal(readSignal(writeSignal(one)), one, 'a signal in an address')
    sure(far(inside(signalOf(one, table), 1), inside(t.map((at) => 2 * Math.PI * (4 * Math.cos(8 * Math.PI * at) - 3 * Math.cos(6 * Math.PI * at))), 1)) < 0.01, 'the derivative of a difference')
    equal(signalOf({ ...one, a: 'c' }, table), null, 'a column that is not there')
  },
  async 'figures have the digits that their scale or deviation allows, as in reports'() {
    const [figures, estimates, lasts] = Object.values(JSON.parse(readFileSync(new URL('../support/figures.json', import.meta.url))))
    const read = (shown) => (/^\((.*) ± (.*)\)(e.*)$/.test(shown) ? shown.replace(/^\((.*) ± (.*)\)(e.*)$/, '$1$3 ± $2$3') : shown).split(' ± ').map(Number)
    equal(figures.map(([value, scale]) => Number(figure(value, 4, scale))), figures.map(([, , shown]) => Number(shown)), 'figures')
    equal(estimates.map(([value, std]) => read(plusMinus(value, std))), estimates.map(([, , value, std]) => (Number(std) ? [value, std] : [value]).map(Number)), 'estimates')
    equal(lasts.map(([seconds]) => lasting(seconds)), lasts.map(([, shown]) => shown), 'how long')
    equal([measure(1.5e-20, 'rad'), measure(1.5e-20, 'kg m²'), measure(null, 'rad')], ['0 rad', '1.500e-20 kg m²', '–'], 'with units')
  },
  async 'what the service names has a word'() {
    const source = (name) => readFileSync(new URL(`../../server/${name}`, import.meta.url), 'utf8')
    const named = (name, pattern) => [...source(name).matchAll(pattern)].map(([, one]) => one)
    const { components } = await api('GET', '/v1/openapi.json')
    const lacking = (codes, page, prefix) => codes.filter((code) => !source(`web/src/${page}`).includes(`${prefix}${code}'`))
    const said = JSON.parse(readFileSync(new URL('../../api/report/sentences.zh.json', import.meta.url)))
    const events = named('routes/event_log.c', /"([a-z]+\.[a-z]+)"/g), alarms = named('alarms/causes.h', /X\([A-Z_]+, "([a-z-]+)"/g), remarks = components.schemas.DatasetQuality.items.properties.code['x-known']
    sure(events.length > 20 && alarms.length > 10 && remarks.length > 8, `${events} ${alarms} ${remarks}`)
    equal([lacking([...new Set(events.map((type) => type.split('.')[1]))], 'pages/events.js', "'happened."), alarms.filter((code) => !(code in said.codes.alarms)), lacking(remarks, 'pages/datasets.js', "'remark.")], [[], [], []], 'what has none')
  },
  async 'label, export and delete many at once'() {
    for (const label of ['one', 'two', 'three', '=1+1']) await api('POST', `/v1/robots/scara/datasets?label=${encodeURIComponent(label)}`, data)
    await menu('datasets')
    await page.getByText(say('6 in all', '共 6 个')).waitFor()
    await look('list')
    for (const label of ['one', 'two', '=1+1']) await page.getByLabel(`${w('choose')} ${label}`).check()
    const saved = page.waitForEvent('download')
    await page.getByRole('button', { name: say('Export CSV', '导出 CSV') }).click()
    const [head, ...rows] = (await text(saved)).trim().split('\r\n').map((line) => line.split(','))
    equal([rows.length, rows.map((row) => row[head.indexOf('label')]).sort()], [3, ["'=1+1", 'one', 'two']], 'rows of those that were chosen, none a formula')
    await page.getByRole('button', { name: say('Label, tag …', '名称、标记……') }).click()
    await page.getByLabel(say('Name of a tag', '标记名')).fill('batch')
    await page.getByLabel(say('Its value; empty: take it away', '标记值；留空：移除')).fill('7')
    await look('bulk-label', false)
    await button('save').click()
    await page.getByText(say('Done: 3.', '已完成：3 个。')).waitFor()
    equal((await api('GET', '/v1/datasets?tag=batch=7')).items.map(({ label }) => label).sort(), ['=1+1', 'one', 'two'], 'what was tagged, and labelled as before')
    // one of them is what a run stands on
    const [{ id }] = (await api('GET', '/v1/datasets?label=demo:%20learn')).items
    await api('POST', '/v1/robots/scara/identifications', { datasets: [id], estimator: 'wls', validation_fraction: 0.3 }, { Prefer: 'wait=120' })
    await menu('datasets')
    for (const label of ['one', 'two', 'demo: learn']) await page.getByLabel(`${w('choose')} ${label}`).check()
    await page.getByRole('button', { name: say('Delete …', '删除……') }).click()
    await look('bulk-delete', false)
    expected.add(409)
    await page.locator('dialog').getByRole('button', { name: w('delete') }).click()
    await page.getByText(say('Refused, and as before: 1', '被拒绝、保持原样：1')).waitFor()
    await look('bulk-refused')
    expected.clear()
    equal((await api('GET', '/v1/datasets')).items.map(({ label }) => label).sort(), ['=1+1', 'demo: learn', 'demo: test', 'three'], 'what is left')
  },
  async 'keep a view under a name, and find it after a reload'() {
    await page.goto(`${url}/#/datasets?sort=label&q=demo`)
    await page.getByText(say('2 in all', '共 2 个')).waitFor()
    await page.locator('details.columns:not(.views) summary').click()
    await page.getByLabel('SHA-256').check()
    await page.locator('details.views summary').click()
    await page.getByLabel(say('Name of this view', '此视图的名称')).fill('mine')
    await page.keyboard.press('Enter')
    const view = page.locator('details.views').getByRole('link', { name: 'mine' })
    await view.waitFor()
    await look('views', false)
    await page.goto(`${url}/#/datasets`)
    await page.getByText(say('4 in all', '共 4 个')).waitFor()
    expected.add(401)
    await page.reload()
    await enter(key)
    expected.clear()
    await page.locator('details.views summary').click()
    await view.click()
    await page.getByText(say('2 in all', '共 2 个')).waitFor()
    equal([await page.getByRole('columnheader', { name: 'SHA-256' }).count(), /sort=label/.test(page.url()) && /q=demo/.test(page.url())], [1, true], 'columns and what is asked for, which others get by the address')
  },
  async 'plot a filtered difference over another column'() {
    await page.goto(`${url}/#/datasets`)
    await page.getByRole('link', { name: 'demo: learn' }).click()
    const panel = page.locator('section').filter({ has: page.getByRole('heading', { name: say('Any signals', '任意信号') }) })
    await panel.locator('form select').nth(0).selectOption('tau1')
    await panel.locator('form select').nth(1).selectOption('tau2')
    await panel.getByLabel(say('Low-pass [Hz]', '低通 [Hz]')).fill('10')
    await panel.getByRole('button', { name: say('Add', '添加'), exact: true }).click()
    await panel.locator('.u-over').waitFor()
    await look('signals')
    await panel.getByLabel(say('Over', '横轴')).selectOption('q1')
    await panel.getByRole('img', { name: /, q1: tau1/ }).waitFor()
    await look('signals-over')
    await panel.getByRole('button', { name: 'tau1 − tau2 < 10 Hz', exact: false }).first().waitFor()
  },
  async 'brush an axis: what is outside leaves every plot'() {
    const [learn] = (await api('GET', '/v1/datasets?label=demo:%20learn')).items
    for (const [estimator, friction] of [['ols', undefined], ['ridge', undefined]]) await api('POST', '/v1/robots/scara/identifications', { datasets: [learn.id], estimator, friction, validation_fraction: 0.3 }, { Prefer: 'wait=120' })
    const runs = (await api('GET', '/v1/identifications?sort=condition_number')).items
    equal(runs.length, 3, 'runs')
    await page.goto(`${url}/#/compare?ids=${runs.map(({ id }) => id).join()}`)
    await page.locator('.u-over').first().waitFor()
    const shown = () => page.locator('section').filter({ has: page.locator('polyline') }).locator('tbody tr').count()
    equal(await shown(), 3, 'rows before')
    const errors = await Promise.all(runs.map(({ id }) => api('GET', `/v1/identifications/${id}`).then((run) => run.errors.training.raw.relative_percent)))
    const [least, middle] = [...errors].sort((a, b) => a - b)
    await page.locator('details summary').filter({ hasText: say('Ranges as numbers', '以数值设定范围') }).click()
    await page.getByLabel(`${w('trained')}: ${say('at most', '上限')}`).fill(String((least + middle) / 2))
    await page.keyboard.press('Tab')
    await until(async () => (await shown()) < 3, 'fewer rows')
    const kept = errors.filter((one) => one <= (least + middle) / 2).length
    equal([await shown(), await page.locator('polyline[opacity="0.1"]').count()], [kept, 3 - kept], 'runs within')
    const legend = page.locator('section').filter({ has: page.getByRole('heading', { name: say('Torques over each other', '力矩叠加') }) }).locator('figure').first().locator('.legend li')
    equal(await legend.count(), 1 + kept, 'lines of the first joint: what was measured, and who is within')
    await look('brushed')
    await page.getByRole('button', { name: say('Take all ranges away', '清除全部范围') }).click()
    await until(async () => (await shown()) === 3, 'all of them')
    // the same with the mouse, over the upper half of the last axis that has a width
    const axis = page.locator('rect.brush').first()
    const box = await axis.boundingBox()
    await page.mouse.move(box.x + box.width / 2, box.y + 3)
    await page.mouse.down()
    await page.mouse.move(box.x + box.width / 2, box.y + box.height / 3, { steps: 4 })
    await page.mouse.up()
    await page.waitForURL(/brush=/)
    await until(async () => (await shown()) < 3, 'fewer rows by the mouse')
    equal(faults, [], 'the page')
  },
  async 'audit between two times, exported whole'() {
    await page.goto(`${url}/#/audit`)
    const every = (await api('GET', '/v1/audit?limit=200')).items
    await page.locator('tbody tr').nth(3).waitFor()
    const middle = every[Math.floor(every.length / 2)].entry.at
    await page.goto(`${url}/#/audit?at_after=${encodeURIComponent(middle)}`)
    const wanted = every.filter(({ entry }) => entry.at >= middle).length
    await until(async () => (await page.locator('tbody tr').count()) === wanted, 'the entries since then')
    await look('audit-times')
    const saved = page.waitForEvent('download')
    await page.getByRole('button', { name: say('Export JSON', '导出 JSON') }).click()
    const items = JSON.parse(await text(saved))
    equal([items.length, items.every(({ at, operation, hash }) => at >= middle && operation && hash.length === 64)], [wanted, true], 'what was exported')
  },
  async 'a part is made, changed and deleted'() {
    await page.goto(`${url}/#/parts?robot=scara`)
    await page.getByRole('button', { name: say('New part …', '新建工件……') }).click()
    await page.getByLabel(say('Name (letters, digits, . _ -)', '名称（字母、数字、. _ -）')).fill('A7')
    await page.getByLabel(say('Mass [kg]', '质量 [kg]')).fill('1.5')
    await page.getByLabel('z', { exact: true }).first().fill('0.06')
    await look('part', false)
    await button('save').click()
    await page.locator('tbody tr').first().waitFor()
    equal((({ mass, com }) => [mass, com])((await api('GET', '/v1/robots/scara/parts/A7')).payload), [1.5, [0, 0, 0.06]], 'the part')
    await look('parts')
    await page.getByRole('button', { name: say('Change …', '修改……') }).click()
    await page.getByLabel(say('Mass [kg]', '质量 [kg]')).fill('2')
    await button('save').click()
    await until(async () => (await api('GET', '/v1/robots/scara/parts/A7')).payload.mass === 2, 'the mass')
    await page.locator('dialog').waitFor({ state: 'detached' })
    await page.getByRole('button', { name: say('Delete …', '删除……') }).click()
    await page.locator('dialog').getByRole('button', { name: w('delete') }).click()
    await page.locator('tbody tr').first().waitFor({ state: 'detached' })
    equal((await api('GET', '/v1/robots/scara/parts')).items, [], 'parts')
  },
  async 'mappings are seen, changed and deleted'() {
    await api('PUT', '/v1/mappings/drive', { time: { column: 'Zeit', unit: 'ms' }, columns: { q1: { column: 'A1', unit: 'deg' } } }, { 'If-None-Match': '*' })
    await menu('datasets')
    await page.getByRole('link', { name: say('Mappings of logs', '日志映射') }).click()
    await page.getByText('q1 ← A1 [deg]').waitFor()
    await look('mappings')
    await page.getByRole('button', { name: say('Change …', '修改……') }).click()
    await page.getByLabel(`q1: ${w('unit')}`).selectOption('rad')
    await button('save').click()
    await page.getByText('q1 ← A1 [rad]').waitFor()
    await page.getByRole('button', { name: say('Delete …', '删除……') }).click()
    await page.locator('dialog').getByRole('button', { name: w('delete') }).click()
    await page.locator('tbody tr').first().waitFor({ state: 'detached' })
    equal((await api('GET', '/v1/mappings')).items, [], 'mappings')
  },
  async 'plan the rest of a motion from where the arm is'() {
    const { result } = await api('POST', '/v1/robots/scara/trajectories', { method: 'energy_optimal', start: { q: [0, 0, 0.05, 0] }, goal: { q: [0.6, 0.4, 0.05, 0] }, duration: 1 }, { Prefer: 'wait=120' })
    await page.goto(`${url}/#/${result.href.replace('/v1/', '')}`)
    const panel = page.locator('section').filter({ has: page.getByRole('heading', { name: say('The rest of it, from elsewhere', '从其他状态重新规划剩余运动') }) })
    await page.locator('input[type=range]').first().fill('0.3')
    await panel.getByText(say('From 0.3 s', '自 0.3 s')).waitFor()
    await panel.locator('fieldset input').first().fill('0.01')
    await panel.getByRole('button', { name: say('Plan the rest', '规划剩余部分') }).click()
    await panel.locator('.u-over').waitFor()
    sure(/0\.7 s/.test(await panel.locator('.tile').first().textContent()), 'it ends when the stored motion does')
    await look('replan')
  },
})
