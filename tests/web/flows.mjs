// What a person does with logs, from an empty data directory to a promoted identification:
//   node flows.mjs en|zh       environment: as of person.mjs
import { api, button, expected, faults, flow, go, key, language, look, menu, page, url, w } from './person.mjs'
import { equal, sure, until } from './steps.mjs'

const HOSTILE = '<script>alert(1)</script><img src=x onerror=alert(2)> \u202Egnp'

await flow({
  async 'upload a log by a mapping, with a hostile name'() {
    const rows = Array.from({ length: 400 }, (_, k) => [k * 5, ...[0, 1, 2, 3].map((j) => (20 * Math.sin(k / 40 + j)).toFixed(4)), 1, 2, 3, 4].join(';').replaceAll('.', ','))
    await menu('datasets')
    await button('uploadOpen').click()
    await page.locator('dialog').getByLabel(w('label'), { exact: true }).fill('given up')
    await page.keyboard.press('Escape')
    await look('discard', false)
    await button('discard').click()
    await button('uploadOpen').click()
    await page.locator('dialog select').first().selectOption('scara')
    await page.locator('input[type=file]').setInputFiles({ name: 'drive.csv', mimeType: 'text/csv', buffer: Buffer.from(['Zeit;A1;A2;A3;A4;M1;M2;M3;M4', ...rows, ''].join('\n')) })
    await button('newMapping').click()
    await page.getByLabel(w('mappingName')).fill('drive')
    for (const [target, column, unit] of [['t', 'Zeit', 'ms'], ...[1, 2, 3, 4].flatMap((j) => [[`q${j}`, `A${j}`, j === 3 ? 'mm' : 'deg'], [`tau${j}`, `M${j}`, j === 3 ? 'N' : 'N*m']])]) {
      await page.getByLabel(`${target}: ${w('logColumn')}`).fill(column)
      await page.getByLabel(`${target}: ${w('unit')}`).selectOption(unit)
    }
    await look('mapping', false)
    await button('save').click()
    await button('preview').click()
    await page.getByRole('heading', { name: w('converted') }).waitFor()
    await look('upload', false)
    await page.locator('dialog').getByLabel(w('label'), { exact: true }).fill(HOSTILE)
    await button('upload').click()
    await page.locator('.notice.good').waitFor()
    const [set] = (await api('GET', '/v1/datasets?q=script')).items
    equal([set.label, set.samples], [HOSTILE, 400], 'the data set')
    const { min, max } = (await api('GET', `/v1/datasets/${set.id}`)).columns.find((column) => column.name === 'q1')
    sure(Math.abs(max - (20 * Math.PI) / 180) < 1e-3 && min < 0, `degrees became ${min} ... ${max} rad`)
  },
  async 'upload a log without names and clock, by blanks, of the motors'() {
    const rows = Array.from({ length: 300 }, (_, k) => [...[0, 1, 2, 3].map((j) => (0.1 * Math.sin(k / 40 + j)).toFixed(5)), 1, 2, 3, 4].join('  '))
    await menu('datasets')
    await button('uploadOpen').click()
    await page.locator('dialog select').first().selectOption('scara')
    await page.locator('input[type=file]').setInputFiles({ name: 'bare.txt', mimeType: 'text/plain', buffer: Buffer.from([...rows, ''].join('\n')) })
    await button('newMapping').click()
    await page.getByLabel(w('mappingName')).fill('bare')
    await page.getByLabel(w('delimiter')).selectOption(' ')
    await page.getByLabel(w('decimal')).selectOption('.')
    await page.getByLabel(w('hasNames')).uncheck()
    await page.getByLabel(w('noClock')).fill('200')
    for (const [target, column, unit] of [1, 2, 3, 4].flatMap((j) => [[`q${j}`, j, 'rev'], [`tau${j}`, j + 4, 'N*m']])) {
      await page.getByLabel(`${target}: ${w('logColumn')}`).fill(String(column))
      await page.getByLabel(`${target}: ${w('unit')}`).selectOption(unit)
      await page.getByLabel(`${target}: ${w('loggedAt')}`).selectOption('motor')
    }
    await look('mapping of a bare log', false)
    await button('save').click()
    await button('preview').click()
    await page.getByRole('heading', { name: w('converted') }).waitFor()
    await page.locator('dialog').getByLabel(w('label'), { exact: true }).fill('bare')
    await button('upload').click()
    await page.locator('.notice.good').filter({ hasText: 'bare' }).waitFor()
    const [set] = (await api('GET', '/v1/datasets?label=bare')).items
    const { joints } = await api('GET', '/v1/robots/scara')
    const { columns, duration } = await api('GET', `/v1/datasets/${set.id}`)
    sure(Math.abs(duration - 299 / 200) < 1e-9, `a rate became ${duration} s`)
    joints.forEach((joint, j) => {
      const { min, max } = columns.find((column) => column.name === `q${j + 1}`)
      const most = 0.2 * Math.PI / Math.abs(joint.drive.gear_ratio)
      sure(Math.max(max, -min) / most < 1 + 1e-9 && Math.max(max, -min) / most > 0.999, `q${j + 1} became ${min} ... ${max}`)
    })
    await api('DELETE', `/v1/datasets/${set.id}`, undefined, { 'If-Match': '*' })
    await api('DELETE', '/v1/mappings/bare', undefined, { 'If-Match': '*' })
  },
  async 'a log whose columns are called otherwise: a mapping is proposed'() {
    const four = (name, unit) => [1, 2, 3, 4].map((j) => `${name}_A${j} [${unit}]`)
    const rows = Array.from({ length: 300 }, (_, k) => [4 * k, ...[0, 1, 2, 3].map((j) => (j === 2 ? 0.05 : 60) * Math.sin(k / 40 + j)), 91, 92, 93, 94, 1.5, 2.5, 3.5, 4.5].map((one) => one.toFixed(4).replace('.', ',')).join(';'))
    await menu('datasets')
    await button('uploadOpen').click()
    await page.locator('dialog select').first().selectOption('scara')
    await page.locator('input[type=file]').setInputFiles({ name: 'foreign.csv', mimeType: 'text/csv', buffer: Buffer.from(['# of a drive', ['Zeit [ms]', ...four('Pos', 'deg'), ...four('Soll_Moment', 'Nm'), ...four('Moment', 'Nm')].join(';'), ...rows, ''].join('\n')) })
    await button('propose').click()
    await page.getByLabel(w('mappingName')).fill('foreign')
    await until(async () => (await page.getByLabel(`tau4: ${w('logColumn')}`).inputValue()) === 'Moment_A4 [Nm]', 'what was measured, not what was wanted')
    equal([await page.getByLabel(`q1: ${w('unit')}`).inputValue(), await page.getByLabel(`q3: ${w('unit')}`).inputValue()], ['deg', 'm'], 'the unit that the name tells, and that of a joint that slides')
    await look('mapping-proposed', false)
    await button('save').click()
    await button('upload').click()
    await page.locator('dialog').waitFor({ state: 'detached' })
    const [set] = (await api('GET', '/v1/datasets?q=foreign')).items
    const { columns, duration } = await api('GET', `/v1/datasets/${set.id}`)
    const most = (name) => columns.find((column) => column.name === name).max
    sure(Math.abs(most('q1') - Math.PI / 3) < 1e-3 && Math.abs(most('q3') - 0.05) < 1e-4 && most('tau2') === 2.5 && Math.abs(duration - 299 * 0.004) < 1e-9, `the log became ${JSON.stringify(columns)}, ${duration} s`)
    await api('DELETE', `/v1/datasets/${set.id}`, undefined, { 'If-Match': '*' })
    await api('DELETE', '/v1/mappings/foreign', undefined, { 'If-Match': '*' })
  },
  async 'what is wrong with a log is told before it is kept'() {
    await menu('datasets')
    await button('uploadOpen').click()
    const rows = Array.from({ length: 50 }, (_, k) => [k === 30 ? 0.1 : k / 100, Math.sin(k / 9), 0.5, 0.1, k / 50].join(','))
    await page.locator('input[type=file]').setInputFiles({ name: 'flawed.csv', mimeType: 'text/csv', buffer: Buffer.from(['t,q1,q2,q3,q4', ...rows, ''].join('\n')) })
    await page.locator('dialog .notice.warn li').nth(2).waitFor()
    const told = await page.locator('dialog .notice.warn li').allTextContents()
    sure(/\b31\b/.test(told[0]) && told[1].startsWith('q2, q3') && told.length === 3, `what is told: ${told}`)
    await look('flawed', false)
    await button('cancelUpload').click()
    await button('throwAway').click() // the file that was chosen
    await page.locator('dialog').waitFor({ state: 'detached' })
  },
  async 'drop a log in degrees anywhere: it is seen, and converted'() {
    await menu('datasets')
    const rows = Array.from({ length: 300 }, (_, k) => [k / 100, ...[0, 1, 2, 3].map((j) => (j === 2 ? 0.05 : (j === 3 ? 0.5 : 90) * Math.sin(k / 40 + j)).toFixed(4)), 1, 2, 3, 4].join(','))
    const text = ['t,q1,q2,q3,q4,tau1,tau2,tau3,tau4', ...rows, ''].join('\n')
    await page.locator('main').evaluate((place, log) => {
      const dataTransfer = new DataTransfer()
      dataTransfer.items.add(new File([log], 'degrees.csv'))
      place.dispatchEvent(new DragEvent('drop', { dataTransfer, bubbles: true, cancelable: true }))
    }, text)
    await page.locator('dialog .u-over').first().waitFor() // what it looks like
    await until(async () => (await page.locator('dialog select').first().inputValue()) === 'scara', 'the robot with as many joints')
    await page.locator('dialog').getByText('q1, q2').waitFor()
    equal((await page.locator('dialog .notice.warn li').allTextContents()).map((text) => text.slice(0, 3)), [language === 'zh' ? 'q3：' : 'q3:'], 'what else is told: that one stands')
    await look('degrees', false)
    await button('convert').click()
    await page.locator('dialog .notice.good').waitFor()
    await button('upload').click()
    const kept = async () => (await api('GET', '/v1/datasets?q=degrees')).items
    await until(async () => (await kept()).length, 'the data set')
    await page.locator('dialog').waitFor({ state: 'detached' })
    const [set] = await kept()
    const most = (name) => api('GET', `/v1/datasets/${set.id}`).then(({ columns }) => columns.find((column) => column.name === name).max)
    sure(Math.abs((await most('q1')) - Math.PI / 2) < 1e-3 && Math.abs((await most('q3')) - 0.05) < 1e-9 && Math.abs((await most('q4')) - Math.PI / 360) < 1e-4, 'degrees became rad, of a joint that hardly moves too, and metres stayed')
    await api('DELETE', `/v1/datasets/${set.id}`, undefined, { 'If-Match': '*' })
    await api('DELETE', '/v1/mappings/scara-degrees', undefined, { 'If-Match': '*' })
    equal(faults, [], 'the page')
  },
  async 'say what a loop and a load tell, as the service takes it'() {
    const said = async (fill) => {
      await menu('datasets')
      for (const log of ['learn', 'test']) await page.getByLabel(`${w('choose')} demo: ${log}`).check()
      await button('identifyOpen').click()
      const dialog = page.locator('dialog')
      await fill(dialog)
      const asked = page.waitForRequest((one) => one.method() === 'POST' && one.url().endsWith('/identifications'))
      await button('identify').click()
      const json = (await asked).postDataJSON()
      equal((await api('POST', '/v1/robots/scara/identifications?dry_run=true', json)).errors ?? [], [], 'what the service says of it')
      await page.locator('dialog .notice.bad').waitFor()
      await page.keyboard.press('Escape')
      await button('discard').click()
      await page.locator('dialog').waitFor({ state: 'detached' })
      return json
    }
    await page.route('**/identifications', (route) => (route.request().method() === 'POST' ? route.fulfill({ status: 422, contentType: 'application/problem+json', body: '{"status": 422}' }) : route.continue()))
    expected.add(422)
    const looped = await said(async (dialog) => {
      await dialog.locator('select').first().selectOption('didim')
      for (const [name, gain] of [['kp', '900'], ['kd', '30']]) {
        const fields = dialog.getByRole('group', { name, exact: true }).locator('input')
        await fields.nth(3).waitFor()
        for (const field of await fields.all()) await field.fill(gain)
      }
      await dialog.getByLabel(w('wantedOf')).selectOption({ index: 1 })
      await look('identify-loop', false)
    })
    equal([looped.loop.kp, looped.loop.kd, looped.loop.reference.length], [[900, 900, 900, 900], [30, 30, 30, 30], 1], 'the loop')
    const loaded = await said(async (dialog) => {
      await dialog.getByLabel(w('ofPayload')).check()
      await dialog.getByRole('radio', { name: `demo: test: ${w('withoutLoad')}` }).check()
      await look('identify-load', false)
    })
    equal([loaded.identify, loaded.unloaded.length, loaded.friction], ['payload', 1, undefined], 'the payload')
    await page.unroute('**/identifications')
    expected.clear()
  },
  async 'identify twice, and see it get on by a stream of events'() {
    let polls = 0
    page.on('request', (request) => (polls += /\/v1\/jobs\/\w+$/.test(request.url())))
    for (const estimator of ['wls', 'consistent']) {
      await menu('datasets')
      for (const log of ['learn', 'test']) await page.getByLabel(`${w('choose')} demo: ${log}`).check()
      await button('identifyOpen').click()
      await page.locator('dialog select').first().selectOption(estimator)
      if (estimator === 'wls') { // with friction of three terms, look at all delays, a filter of its own, but for what is left out
        for (const term of ['ofItself', 'termOffset', 'termCoulomb', 'termViscous']) await page.locator('dialog').getByLabel(w(term), { exact: true }).click()
        for (const summary of await page.locator('dialog summary').all()) await summary.click()
        await page.locator('dialog').getByLabel(w('lateTorques')).selectOption('all')
        await page.locator('dialog').getByLabel(w('positionCutoff')).fill('9')
        await button('leaveOut').click()
        await page.locator('dialog').getByLabel(w('leaveFrom')).fill('1')
        await page.locator('dialog').getByLabel(w('leaveTo')).fill('1.5')
        await look('identify', false)
      }
      const asked = page.waitForRequest((one) => one.method() === 'POST' && one.url().endsWith('/identifications'))
      await button('identify').click()
      const { exclude } = (await asked).postDataJSON()
      equal(exclude?.map(({ from, to }) => [from, to]), estimator === 'wls' ? [[1, 1.5]] : undefined, 'what is left out')
      await page.getByRole('link', { name: w('result') }).waitFor({ timeout: 180000 })
    }
    // one answer when the page is opened and when the stream begins, and one for each state
    sure(polls <= 2 * 8, `the job was asked for ${polls} times`)
    await look('job')
    await page.getByRole('link', { name: w('result') }).click()
    await page.locator('.u-over').first().waitFor()
    await look('run')
    // the first one tells the delay of every joint
    const [{ id }] = (await api('GET', '/v1/identifications?estimator=wls')).items
    const { torque_delays: delays, conditioning, request } = await api('GET', `/v1/identifications/${id}`)
    equal(conditioning.position_cutoff_hz, 9, 'the filter')
    equal(delays.length, 4, 'delays of all joints')
    equal(request.friction, ['offset', 'coulomb', 'viscous'], 'the terms that were asked for')
    await page.goto(`${url}/#/identifications/${id}`)
    const told = await page.locator('dt').filter({ hasText: w('delaysFound') }).locator('xpath=following-sibling::dd[1]').textContent()
    equal(told.split(' · ').length, 4, `delays on the page: ${told}`)
    await page.goBack() // to the second one
  },
  async 'scroll a table that is too wide, and still see whose rows they are'() {
    const [size, place] = [page.viewportSize(), page.url()]
    await page.setViewportSize({ width: 820, height: 900 })
    await page.goto(`${url}/#/identifications`)
    await page.locator('.scroll.wide.more tbody tr').nth(1).waitFor()
    const left = () => page.locator('.scroll.wide').evaluate((frame) => ['th:nth-child(2)', 'td:nth-child(2)', 'td:last-child'].map((cell) => Math.round(frame.querySelector(cell).getBoundingClientRect().left - frame.getBoundingClientRect().left)))
    const before = await left()
    await page.locator('.scroll.wide').evaluate((frame) => frame.scrollTo(frame.scrollWidth, 0))
    await page.locator('.scroll.wide:not(.more)').waitFor()
    const after = await left()
    sure(Math.abs(after[0] - before[0]) <= 2 && Math.abs(after[1] - before[1]) <= 2 && after[2] < before[2] - 20, `columns from ${before} to ${after}`)
    await look('runs-narrow')
    await page.setViewportSize(size)
    await page.goto(place)
  },
  async 'see which joint of a run is worst, and why'() {
    const [{ id }] = (await api('GET', '/v1/identifications?estimator=consistent')).items
    const run = await api('GET', `/v1/identifications/${id}`)
    const errors = run.errors.validation.raw.joints.map((one) => one.relative_percent)
    const worst = `j${errors.indexOf(Math.max(...errors)) + 1}`
    const heading = (joint) => page.getByRole('heading', { name: language === 'zh' ? `关节 ${joint}` : `Joint ${joint}`, exact: true })
    await heading(worst).waitFor() // without being asked for
    sure((await page.locator('.lead').textContent()).includes(`${errors[errors.indexOf(Math.max(...errors))].toFixed(2)} %`), 'the summary tells how bad it is')
    equal((await page.locator('table.heat td:nth-child(2)').allTextContents()).map((text) => /[▲]/.test(text)), errors.map((one) => one === Math.max(...errors)), 'the worst is marked')
    // residuals over position are of as many samples as were compared
    const over = page.locator('figure').filter({ hasText: w('overPosition') })
    await over.locator('.u-over').waitFor()
    equal(await over.locator('.legend bdi').allTextContents(), [w('ofTraining'), w('ofValidation')], 'points of both')
    // any of its signals: what the torques of the worst joint differ by
    await page.goto(`${url}/#/identifications/${id}?signal=measured${worst.slice(1)}~predicted${worst.slice(1)}`)
    await page.locator('figure').filter({ hasText: `measured${worst.slice(1)} − predicted${worst.slice(1)}` }).locator('.u-over').waitFor()
    // parameters that the data hardly tell apart, by the covariance
    await page.getByText(w('runAll'), { exact: true }).click()
    const { covariance } = await api('GET', `/v1/identifications/${id}/covariance`)
    const strongest = covariance.flatMap((row, i) => row.slice(0, i).map((value, j) => value / Math.sqrt(covariance[i][i] * covariance[j][j]))).sort((a, b) => Math.abs(b) - Math.abs(a))[0]
    const shown = Number(await page.getByRole('table', { name: w('correlations') }).locator('tbody tr').first().locator('td').last().textContent())
    sure(Math.abs(shown - strongest) < 5e-3 && Math.abs(strongest) <= 1, `the strongest correlation ${shown}, by the covariance ${strongest}`)
    await look('run-all')
    // another joint; a band that can be seen is filled
    await page.route(`**/v1/identifications/${id}`, (route) => route.fulfill({ json: { ...run, parameters: { ...run.parameters, friction: run.parameters.friction.map((one) => ({ ...one, curve: { ...one.curve, std: one.curve.torque.map(() => 0.4 * Math.max(...one.curve.torque)) } })) } } }))
    await page.goto(`${url}/#/identifications`)
    await page.locator('tbody tr').first().waitFor() // the run is asked for anew
    await page.goto(`${url}/#/identifications/${id}`)
    await page.locator('table.heat').getByRole('button', { name: 'j1', exact: true }).click()
    await page.waitForURL(/joint=j1/)
    await heading('j1').waitFor()
    const friction = page.locator('figure').filter({ hasText: w('friction') }).locator('canvas')
    const filled = () => friction.evaluate((canvas) => {
      if (!canvas.width) return 0
      const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height)
      return data.filter((alpha, k) => k % 4 === 3 && alpha > 60 && alpha < 80).length / (canvas.width * canvas.height)
    })
    await until(async () => await filled() > 0.1, 'the band of friction')
    await page.unrouteAll()
    await look('run-joint')
    await page.goto(`${url}/#/identifications`)
    await page.locator('tbody tr').first().waitFor()
    await page.goto(`${url}/#/identifications/${id}`)
    await page.locator('.lead').waitFor()
  },
  async 'write on the run; a hostile name stays text'() {
    await page.getByLabel(w('label'), { exact: true }).fill(HOSTILE)
    await page.locator('textarea').last().fill('n'.repeat(65536))
    // who goes elsewhere now is asked, and what was written is still there
    await go('datasets')
    await look('leave', false)
    await button('stay').click()
    await page.waitForURL(/identifications\/\w+/)
    equal(await page.getByLabel(w('label'), { exact: true }).inputValue(), HOSTILE, 'what was written')
    await button('save').click()
    await page.getByText(w('saved')).waitFor()
    await page.getByRole('heading', { level: 1, name: HOSTILE }).waitFor()
    const [run] = (await api('GET', '/v1/identifications?q=script')).items
    equal((await api('GET', `/v1/identifications/${run.id}`)).notes.length, 65536, 'length of the notes')
  },
  async 'find it again: sort, filter, columns, and the address that holds the whole view'() {
    await menu('runs')
    const rows = page.locator('tbody tr')
    await rows.nth(1).waitFor()
    await page.getByRole('button', { name: w('trained') }).click()
    await page.waitForURL(/sort=training\.raw/)
    const errors = (await api('GET', '/v1/identifications?sort=training.raw.relative_percent')).items.map((one) => one.estimator)
    await page.waitForFunction((first) => document.querySelector('tbody tr td:nth-child(4)')?.textContent === first, errors[0])
    await look('runs')
    const estimator = page.locator('form[role=search] select').nth(1)
    await estimator.selectOption('wls')
    await page.waitForFunction(() => document.querySelectorAll('tbody tr').length === 1)
    await page.locator('details.columns:not(.views) summary').click()
    await page.locator('details.columns:not(.views) input').nth(7).check()
    const heads = await page.locator('thead th').allTextContents()
    expected.add(401)
    await page.reload()
    await page.getByLabel(w('key')).fill(key) // in memory only: a reload forgets it
    await page.keyboard.press('Enter')
    await page.waitForFunction(() => document.querySelectorAll('tbody tr').length === 1)
    equal(await page.locator('thead th').allTextContents(), heads, 'columns after a reload')
    expected.clear()
    await estimator.selectOption('')
    await rows.nth(1).waitFor()
  },
  async 'compare two runs'() {
    for (const box of await page.locator('tbody input[type=checkbox]').all()) await box.check()
    await button('compare').click()
    await page.locator('.u-over').first().waitFor()
    const faded = () => page.locator('polyline').evaluateAll((lines) => lines.map((line) => Number(getComputedStyle(line).opacity) < 1))
    await page.locator('section').filter({ has: page.locator('polyline') }).locator('tbody tr').nth(1).hover()
    equal(await faded(), [true, false], 'lines that step back when a row is pointed at')
    await page.locator('polyline').nth(1).waitFor()
    await look('compare')
    await page.locator('.u-over').first().scrollIntoViewIfNeeded()
    const plot = await page.locator('.u-over').first().boundingBox()
    await page.mouse.move(plot.x + plot.width * 0.3, plot.y + 40)
    await page.mouse.down()
    await page.mouse.move(plot.x + plot.width * 0.4, plot.y + 40, { steps: 4 })
    await page.mouse.up()
    await page.waitForURL(/from=.*to=/)
    const { from, to } = Object.fromEntries(new URLSearchParams(page.url().split('?')[1]))
    sure(to > from && to - from < 5, `zoomed to ${from} ... ${to}`)
  },
  async 'promote after a preview'() {
    const [run] = (await api('GET', '/v1/identifications?estimator=consistent')).items
    await page.goto(`${url}/#/identifications/${run.id}`)
    await button('promote').click()
    await page.locator('dialog tbody tr').first().waitFor()
    const shown = await page.locator('dialog tbody tr').count()
    const preview = await api('POST', `/v1/identifications/${run.id}/promote`, { base_revision: 1, dry_run: true })
    equal(shown, preview.changes.length, 'changes shown')
    await look('promote', false)
    for (const box of await page.locator('dialog form > label.check input').all()) await box.check()
    await page.getByLabel(w('reason')).fill('first log')
    await button('make').click()
    await page.locator('.notice.good').waitFor()
    const [mass] = (await api('GET', '/v1/robots/scara')).joints.map((joint) => joint.link.mass)
    equal((await api('GET', '/v1/robots/scara')).revision, 2, 'revision')
    sure(Math.abs(mass - preview.changes.find((one) => one.pointer === '/joints/0/link/mass').new) < 1e-9, 'the mass that was previewed')
  },
  async 'see a robot, move it, change its model'() {
    await menu('robots')
    await look('robots')
    await page.getByRole('link', { name: 'scara', exact: true }).click()
    await page.locator('.view3d canvas').waitFor()
    await page.locator('.sliders input[type=number]').nth(2).fill('0.05')
    await page.keyboard.press('Tab')
    await page.waitForFunction(() => /N$/.test(document.querySelectorAll('.sliders .number')[2]?.textContent ?? ''))
    const q = await page.locator('.sliders input[type=number]').evaluateAll((inputs) => inputs.map((one) => Number(one.value)))
    const { gravity_torque: torque } = await api('POST', '/v1/robots/scara/gravity', { q })
    const text = Number((await page.locator('.sliders .number').nth(2).textContent()).split(' ')[0])
    sure(Math.abs(text - torque[2]) <= 0.01 * Math.abs(torque[2]), `torque shown ${text}, computed ${torque[2]}`)
    const load = page.locator('section').filter({ hasText: w('gravityLoad') })
    const constant = await load.locator('p[role=status]').textContent() // a slide carries its weight wherever the arm is
    sure(constant.includes('j3') && constant.includes(`${Number(torque[2].toPrecision(4))} N`), `the load of the slide: ${constant}`)
    await look('robot')
    expected.add(422)
    await page.locator('details summary').filter({ hasText: 'j2' }).click()
    const mass = page.locator('details[open] label').filter({ hasText: /^link mass/ }).locator('input')
    await mass.fill('-1')
    await page.keyboard.press('Tab')
    await button('editModel', false).click()
    await page.locator('label.remarked[class] input[aria-invalid=true]').first().waitFor()
    await look('robot-fault')
    expected.clear()
    await mass.fill('5')
    await page.keyboard.press('Tab')
    await button('editModel', false).click()
    await page.getByRole('heading', { level: 1, name: 'scara r3' }).waitFor()
    equal((await api('GET', '/v1/robots/scara')).joints[1].link.mass, 5, 'mass')
  },
  async 'hostile names stay text on every page'() {
    const model = await api('GET', '/v1/robots/scara')
    const hostile = { ...model, name: 'odd', description: HOSTILE }
    for (const field of ['revision', 'created_at', 'unphysical', 'warnings', 'identification']) delete hostile[field]
    hostile.joints[0].name = '<img src=x onerror=alert(3)>'
    hostile.joints[1].name = '\u202Eeno'
    await api('POST', '/v1/robots?allow_unphysical=true', hostile)
    const [run] = (await api('GET', '/v1/identifications?q=script')).items
    const { etag } = await api('GET', `/v1/identifications/${run.id}`, undefined, {}, true)
    await api('PATCH', `/v1/identifications/${run.id}`, { tags: { '<b>bold</b>': HOSTILE } }, { 'Content-Type': 'application/merge-patch+json', 'If-Match': etag })
    for (const at of ['robots', 'robots/odd', 'trajectories/new?robot=odd', 'friction-tests/new?robot=odd', 'identifications', `identifications/${run.id}`, 'datasets']) {
      await page.goto(`${url}/#/${at}`)
      await page.getByText(/onerror=alert/).first().waitFor()
      equal([await page.locator('main img, main script, main b:has-text("bold")').count(), faults], [0, []], `markup on ${at}`)
    }
    await api('DELETE', '/v1/robots/odd', undefined, { 'If-Match': '*' })
  },
  async 'plan motions for identification'() {
    for (const [kind, fields] of [['excitations', { durationOf: 8, harmonics: 2, population: 6, generations: 2 }], ['tests', { speeds: 12, cruise: 0.5 }]]) {
      await menu('trajectories')
      await page.getByRole('link', { name: w(kind), exact: true }).click()
      await page.getByRole('heading', { level: 1, name: w(kind) }).waitFor()
      await page.locator('.head a.button').click()
      await page.locator('.head a.button').waitFor({ state: 'detached' }) // the list has a choice of robots, too
      await page.locator('.head select').selectOption('scara')
      for (const [name, value] of Object.entries(fields)) await page.getByLabel(w(name), { exact: true }).fill(String(value))
      await look(`plan-${kind}`)
      await button('planIt').click()
      await page.getByRole('link', { name: w('result') }).click({ timeout: 120000 })
      await page.locator('.u-over').first().waitFor()
      await look(kind)
    }
    const [{ metrics }] = (await api('GET', '/v1/excitations')).items
    sure(Math.abs(metrics.duration - 8) < 1e-9, `an excitation of ${metrics.duration} s`)
    const [test] = (await api('GET', '/v1/friction-tests')).items
    equal((await api('GET', `/v1/friction-tests/${test.id}`)).runs.length, 12 * 4 * 2, 'runs')
  },
  async 'find friction in the log of a friction test'() {
    const [test] = (await api('GET', '/v1/friction-tests')).items
    const { friction } = (await api('GET', `/v1/robots/scara/revisions/${test.revision}`)).joints[0]
    const { t, q, tau } = await api('GET', `/v1/friction-tests/${test.id}/samples?fields=t,q,tau`)
    await api('POST', '/v1/robots/scara/datasets?label=friction', { t, q, tau })
    await menu('datasets')
    await page.getByLabel(`${w('choose')} friction`).check()
    await button('identifyOpen').click()
    await page.getByLabel(w('frictionAlone')).check()
    await button('identify').click()
    await page.getByRole('link', { name: w('result') }).click({ timeout: 120000 })
    await page.locator('.u-over').first().waitFor()
    const shown = await page.locator('tbody tr').first().textContent()
    const coulomb = Number(shown.match(/coulomb\s*([-\d.e]+)/)?.[1])
    sure(Math.abs(coulomb - friction.coulomb) < 0.02 * friction.coulomb, `friction of ${coulomb}, not ${friction.coulomb}: ${shown}`)
    await look('friction')
    const [found] = (await api('GET', '/v1/friction-identifications')).items
    const { changes } = await api('POST', `/v1/friction-identifications/${found.id}/promote`, { base_revision: (await api('GET', '/v1/robots/scara')).revision, dry_run: true, acknowledge: ['too_few_runs'] })
    await button('promote').click()
    await page.locator('dialog tbody tr').first().waitFor()
    equal(await page.locator('dialog tbody tr').count(), changes.length, 'numbers that its promotion would change')
    await look('friction-promote', false)
    await page.keyboard.press('Escape')
  },
  async 'delete a data set, but none that a run stands on'() {
    await api('POST', '/v1/robots/scara/datasets?label=unused', { t: [0, 0.01, 0.02], q: [[0, 0, 0, 0], [0.1, 0, 0, 0], [0.2, 0, 0, 0]], tau: [[0, 0, 0, 0], [1, 0, 0, 0], [1, 0, 0, 0]] })
    expected.add(409)
    for (const label of ['unused', 'friction']) {
      await menu('datasets')
      await page.getByRole('link', { name: label, exact: true }).click()
      await button('delete').click()
      await page.locator('dialog').getByRole('button', { name: w('delete') }).click()
      if (label === 'unused') await page.getByLabel(`${w('choose')} friction`).waitFor() // the list again
      else await page.locator('dialog .notice.bad').waitFor()
      equal((await api('GET', '/v1/datasets')).items.some((set) => set.label === label), label === 'friction', `${label} is there`)
      await page.keyboard.press('Escape')
    }
    expected.clear()
  },
  async 'hold models against a log'() {
    await menu('datasets')
    await page.getByLabel(`${w('choose')} demo: learn`).check()
    await button('evaluateOpen').click()
    const boxes = page.locator('dialog fieldset input')
    await boxes.nth(4).waitFor()
    for (const k of [0, 2, 4]) await boxes.nth(k).check() // revisions 3 and 1, and a run
    await button('evaluate').click()
    await page.getByRole('link', { name: w('result') }).click({ timeout: 120000 })
    await page.locator('tbody tr').nth(2).waitFor()
    await page.getByText(w('learnt')).first().waitFor()
    const [{ id }] = (await api('GET', '/v1/evaluations')).items
    const errors = (await api('GET', `/v1/evaluations/${id}`)).evaluations.map((one) => one.errors.raw.relative_percent)
    const shown = await page.locator('section.panel').first().locator('tbody tr td:nth-child(3)').allTextContents()
    sure(shown.every((text, k) => Math.abs(parseFloat(text) - errors[k]) <= 0.06), `errors ${shown}, not ${errors}`)
    await look('evaluation')
  },
  async 'see in the audit trail who did it'() {
    await menu('audit')
    await page.getByText('promoteIdentification').first().waitFor()
    await look('audit')
    await menu('datasets')
    await page.getByText(HOSTILE.slice(0, 20)).first().waitFor()
    await look('datasets')
    await page.getByRole('link', { name: 'demo: learn' }).click()
    await page.locator('.u-over').first().waitFor()
    await look('dataset')
  },
  async 'go everywhere by keyboard'() {
    await page.goto(`${url}/#/identifications`)
    await page.locator('tbody tr').first().waitFor()
    await page.evaluate(() => document.activeElement.blur())
    const seen = []
    for (let k = 0; k < 25; k++) {
      await page.keyboard.press('Tab')
      seen.push(await page.evaluate(() => {
        const at = document.activeElement
        return [at.tagName, getComputedStyle(at).outlineStyle !== 'none']
      }))
    }
    sure(seen.every(([tag, visible]) => tag === 'BODY' || visible), `focus is not seen: ${JSON.stringify(seen)}`)
    sure(seen.filter(([tag]) => ['A', 'BUTTON', 'INPUT', 'SELECT'].includes(tag)).length > 15, 'the keyboard does not reach the controls')
  },
  async 'a viewer may look and not change'() {
    const rest = { q: [0, 0, 0, 0] }
    const { result } = await api('POST', '/v1/robots/scara/trajectories', { method: 'quintic', start: rest, goal: { q: [0.3, 0.2, 0, 0] }, duration: 1 }, { Prefer: 'wait=60' })
    await menu('keys')
    await button('newKey').click()
    await page.getByLabel(w('keyName')).fill('guest')
    await look('key', false)
    await button('save').click()
    await page.getByText(w('secretOf')).waitFor()
    const secret = await page.locator('code.secret').textContent()
    await look('keys')
    await button('leave').click()
    await page.getByLabel(w('key')).fill(secret)
    await page.keyboard.press('Enter')
    await page.locator('main .notice.warn').waitFor() // the keys are for administrators, and are not even asked for
    const [run] = (await api('GET', '/v1/identifications')).items
    await page.goto(`${url}/#/identifications/${run.id}`)
    await button('promote').waitFor()
    sure(await button('promote').isDisabled(), 'a viewer may promote')
    equal(await page.getByRole('link', { name: w('audit') }).count(), 0, 'links to the audit trail')
    // arms are to be looked at, without a call that a viewer may not make
    for (const at of ['robots/scara', result.href.replace('/v1/', '')]) {
      await page.goto(`${url}/#/${at}`)
      await page.locator('.view3d canvas').waitFor()
      await page.waitForFunction(() => !document.querySelector('[aria-busy=true]'))
      equal(await page.locator('.notice.bad').count(), 0, `what is refused at ${at}`)
    }
    equal(faults, [], 'the page')
  },
})
