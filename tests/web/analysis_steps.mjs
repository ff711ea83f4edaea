// What is asked of a motion, a log or a model and answered at once, and the log of events, as a person asks for it.
import { readFileSync } from 'node:fs'
import { equal, sure, until } from './steps.mjs'

const WORDS = {
  analyse: ['Analyse', '分析'], energy: ['Energy', '能耗估算'], vibrations: ['Vibrations', '残余振动'], bodies: ['Fitted bodies', '拟合碰撞体'], regeneration: ['What becomes of braking power', '制动能量去向'], predicted: ['Predicted', '预测'],
  modes: ['Modes', '模态'], fitted: ['Fitted to', '依据'], radius: ['Radius of the links [m]', '连杆半径 [m]'], propose: ['Propose', '生成'], keep: ['Keep as a new revision', '保存为新版本'],
  solids: ['Bodies for clearances', '间距计算用的碰撞体'], state: ['State', '状态'], quantity: ['Quantity', '量'], torques: ['Torques, by cause', '力矩及其构成'], numpy: ['For NumPy', '导出 NumPy'], samples: ['Samples: ', '样本：'], find: ['Which mistake is it?', '查找错误'], findings: ['Findings', '可能的错误'],
  signs: ['sign of all torques', '全部力矩符号相反'], massOf: ['Mass of the body [kg]', '物体质量 [kg]'], distance: ['From the axis to the centre of mass [m]', '转轴到质心的距离 [m]'], first: ['Amplitude of the first swing [rad]', '首次摆动幅值 [rad]'], last: ['Amplitude of the last one [rad]', '末次摆动幅值 [rad]'],
  deviation: ['± deviation', '± 标准差'], times: ['Times that so many swings took [s]', '各次计时 [s]'], reduce: ['What it tells', '计算惯量'], about: ['Inertia about the axis [kg m²]', '绕转轴的惯量 [kg m²]'], shareOf: ['What the deviation comes from', '标准差的来源'],
  stopped: ['Stopped at [s]', '停止时刻 [s]'], fitGears: ['Fit the gears', '拟合传动刚度'], stiffness: ['Stiffness of the gears', '传动刚度'], chirps: ['Chirps were played', '播放了扫频'], began: ['Began at [s]', '开始时刻 [s]'], to: ['To [Hz]', '终止频率 [Hz]'],
  keepGears: ['Put into the model as a new revision', '写入模型并保存为新版本'],
  events: ['Events', '事件'], what: ['What', '事件'], operators: ['computed for operators', '需要操作员角色'], shares: ['Share of each term', '各项占比'],
}
const HZ = 7, DAMPING = 0.04, STOP = 1 // of a log that rings after its stop

// A log of four joints: the first stops at STOP and rings at HZ with DAMPING, the others stand.
function ringing() {
  const omega = 2 * Math.PI * HZ, damped = omega * Math.sqrt(1 - DAMPING ** 2)
  const noise = (k) => 1e-6 * Math.sin(12.9898 * k * k) // of a resolver
  const rows = Array.from({ length: 800 }, (_, k) => {
    const t = k / 200, since = t - STOP
    const q = since < 0 ? 0.3 * t : 0.3 * STOP + 0.01 * Math.exp(-DAMPING * omega * since) * Math.sin(damped * since)
    return [t, q + noise(k), noise(k + 1), 0.1 + noise(k + 2), noise(k + 3), 0, 0, 0, 0].map((one) => one.toPrecision(9)).join(',')
  })
  return ['t,q1,q2,q3,q4,tau1,tau2,tau3,tau4', ...rows, ''].join('\n')
}

export function analysisSteps({ page, api, url, key, look, language, go, enter, expected }) {
  const w = (name) => WORDS[name][language === 'zh' ? 1 : 0]
  const digits = (value, count) => String(Number(value.toPrecision(count)))
  const choice = (name) => page.locator('main label').filter({ has: page.getByText(w(name), { exact: true }) }).locator('select, input')
  const tile = (name) => page.locator('.tile').filter({ has: page.getByText(w(name), { exact: true }) }).locator('b')
  const open = (what) => page.locator('main').getByRole('link', { name: w(what), exact: true }).click()
  const motionOf = async (robot) => (await api('POST', `/v1/robots/${robot}/trajectories`, { method: 'quintic', start: { q: [0, 0, 0.1, 0] }, goal: { q: [1, -0.8, 0.05, 0.5] }, duration: 1 }, { Prefer: 'wait=120' })).result.href.split('/').at(-1)
  return {
    async 'see what the torques of a motion are made of'() {
      const trajectory = await motionOf('scara')
      await page.goto(`${url}/#/robots/scara`)
      await page.getByRole('navigation').getByRole('link', { name: w('analyse'), exact: true }).click()
      const rows = page.getByRole('table', { name: w('shares') }).locator('tbody tr')
      await rows.first().waitFor()
      const got = await api('POST', '/v1/robots/scara/torque-shares', { trajectory, error_percent: 1 })
      equal(await rows.locator('th').allTextContents(), got.joints.map(({ joint }) => joint), 'joints')
      for (const [j, { terms, left_out }] of got.joints.entries()) {
        const cells = await rows.nth(j).locator('td').allTextContents()
        const shares = cells.slice(0, 7).map((text) => parseFloat(text))
        sure(Math.abs(shares.reduce((a, b) => a + b) - 100) < 0.2, `shares of joint ${j + 1} are all of its torque: ${shares}`)
        equal(await rows.nth(j).locator('s').count(), left_out.length, 'terms that may be left out')
        if (j !== 2) equal(shares[Object.keys(terms).indexOf('gravity')], 0, 'weight on a vertical axis')
      }
      await look('torque-shares')
    },
    async 'see where the electrical energy of a motion goes'() {
      const model = JSON.parse(readFileSync(new URL('../data/robots/scara.json', import.meta.url)))
      model.name = 'driven'
      for (const joint of model.joints) Object.assign(joint.drive, { resistance: 0.5, torque_constant: 0.1, efficiency: 0.9 })
      await api('POST', '/v1/robots?allow_unphysical=true', model)
      const trajectory = await motionOf('driven')
      await page.goto(`${url}/#/analyses/energy-estimates?robot=driven`)
      await tile('predicted').waitFor()
      const burnt = parseFloat(await tile('predicted').textContent())
      const got = await api('POST', '/v1/robots/driven/energy-estimates', { trajectory })
      equal(String(burnt), digits(got.predicted.electrical_energy.total, 4), 'its sum')
      const causes = await page.locator('figure tbody tr .number').allTextContents()
      const sum = causes.map((text) => parseFloat(text)).reduce((a, b) => a + b)
      sure(Math.abs(sum - burnt) < 0.02 * burnt, `the causes (${causes}) are all of ${burnt} J`)
      await choice('regeneration').selectOption('shared_bus')
      await until(async () => parseFloat(await tile('predicted').textContent()) < burnt, 'less where drives use what others brake')
      await look('energy-estimate')
      expected.add(422)
      await page.goto(`${url}/#/analyses/energy-estimates?robot=scara`) // whose drives have no data
      await page.locator('.notice.bad').waitFor()
      await look('energy-no-drives')
      expected.clear()
    },
    async 'see what rings after a stop'() {
      const answer = await fetch(`${url}/v1/robots/scara/datasets?label=ringing`, { method: 'POST', headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'text/csv' }, body: ringing() })
      equal(answer.status, 201, 'the upload')
      const { id } = await answer.json()
      await page.goto(`${url}/#/analyses/vibrations?robot=scara&dataset=${id}`)
      await page.locator('.plot canvas').waitFor()
      equal(await page.getByRole('table', { name: w('modes') }).count(), 0, 'answers before a stretch was chosen')
      const { left, top, width, height } = await page.locator('.plot .u-over').evaluate((at) => { // the page's clock ends at 3.995 s
        at.scrollIntoView({ block: 'center' })
        const { left, top, width, height } = at.getBoundingClientRect()
        return { left, top, width, height }
      })
      await page.mouse.move(left + 0.3 * width, top + height / 2)
      await page.mouse.down()
      await page.mouse.move(left + 0.9 * width, top + height / 2, { steps: 5 })
      await page.mouse.up()
      const row = page.getByRole('table', { name: w('modes') }).locator('tbody tr').first()
      await row.waitFor()
      const [frequency, damping] = (await row.locator('td').allTextContents()).map((text) => parseFloat(text))
      sure(Math.abs(frequency / HZ - 1) < 0.01 && Math.abs(damping / DAMPING - 1) < 0.1, `${frequency} Hz, ${damping} were ${HZ} Hz, ${DAMPING}`)
      await look('vibrations')
    },
    async 'find how a gear gives, and put it into the model'() {
      const answer = await fetch(`${url}/v1/robots/driven/datasets?label=stopped`, { method: 'POST', headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'text/csv' }, body: ringing() })
      const { id } = await answer.json()
      await page.goto(`${url}/#/analyses/modes?robot=driven`)
      await page.getByRole('checkbox', { name: /^stopped/ }).check()
      await page.getByRole('checkbox', { name: w('chirps') }).check()
      await choice('began').waitFor()
      await choice('to').fill('30')
      await look('modes-chirps')
      expected.add(422)
      await page.getByRole('button', { name: w('fitGears'), exact: true }).click() // a stop is no chirp of 20 s
      await page.locator('.notice.bad').waitFor()
      await page.getByRole('checkbox', { name: w('chirps') }).uncheck()
      expected.clear()
      await choice('stopped').fill(String(STOP))
      const model = await api('GET', '/v1/robots/driven')
      for (const { name } of model.joints.slice(1)) await page.getByRole('checkbox', { name, exact: true }).uncheck()
      await page.getByRole('button', { name: w('fitGears'), exact: true }).click()
      const row = page.getByRole('table', { name: w('stiffness') }).locator('tbody tr')
      await row.waitFor()
      const got = await api('POST', '/v1/robots/driven/mode-fits', { joints: [model.joints[0].name], logs: [{ dataset: id, begin: STOP }] })
      const [shown] = (await row.locator('.number').allTextContents()).map((text) => parseFloat(text))
      sure(Math.abs(shown / got.stiffness[0].value - 1) < 1e-2, `${shown} was ${got.stiffness[0].value}`)
      sure(Math.abs(got.observations[0].seen_hz[0] / HZ - 1) < 0.01, `seen at ${got.observations[0].seen_hz} Hz`)
      await page.locator('.plot canvas').waitFor()
      await look('modes')
      await page.getByRole('button', { name: w('keepGears') }).click()
      await until(async () => (await api('GET', '/v1/robots/driven')).joints[0].elasticity?.stiffness === got.stiffness[0].value, 'the model knows it')
    },
    async 'have bodies fitted, look at them, keep them'() {
      await page.goto(`${url}/#/analyses/fitted-bodies?robot=driven`)
      await choice('fitted').selectOption('lengths')
      await choice('radius').fill('0.03')
      await page.getByRole('button', { name: w('propose'), exact: true }).click()
      await page.getByRole('button', { name: w('keep'), exact: true }).waitFor()
      await page.locator('main canvas').waitFor()
      await page.setViewportSize({ width: 820, height: 700 })
      await look('fitted-bodies-820')
      await page.setViewportSize({ width: 3840, height: 2160 })
      await look('fitted-bodies-3840', false)
      await page.setViewportSize({ width: 1280, height: 800 })
      const { parts } = await api('POST', '/v1/robots/driven/fitted-bodies', { from: 'lengths', radius: 0.03, margin: 0.01 })
      equal(await page.locator('main table tbody tr').count(), parts.length, 'parts that got bodies')
      const before = await api('GET', '/v1/robots/driven')
      await page.getByRole('button', { name: w('keep'), exact: true }).click()
      await page.waitForURL(/#\/robots\/driven$/)
      await page.getByLabel(w('solids'), { exact: true }).check() // and they are seen there, too
      const kept = await api('GET', '/v1/robots/driven')
      equal([kept.revision, kept.joints.map(({ link }) => link.bodies?.length ?? 0)], [before.revision + 1, kept.joints.map(({ name }) => parts.find(({ part }) => part === name)?.bodies.length ?? 0)], 'what was kept')
    },
    async 'read the log of events, and follow one to what it is of'() {
      await go('events')
      const rows = page.locator('main tbody tr')
      await rows.first().waitFor()
      const { items } = await api('GET', '/v1/events/log?sort=-number&limit=100')
      equal(await rows.count(), items.length, 'events')
      await look('events')
      await choice('what').fill('job.failed')
      await page.keyboard.press('Tab')
      await until(async () => (await rows.count()) === items.filter(({ type }) => type === 'job.failed').length, 'those of one type')
      await choice('what').fill('')
      await page.keyboard.press('Tab')
      await page.locator('main tbody a').first().click()
      await page.waitForURL(new RegExp(`#/jobs/${items.find(({ type }) => type.startsWith('job.')).job}$`))
    },
    async 'see every number of the dynamics at a state'() {
      await page.goto(`${url}/#/analyses/numbers?robot=scara&q=0.3,-0.4,0.1,0.2&qd=1,-2,0.1,0.5`)
      const table = (name) => page.getByRole('table', { name, exact: true })
      if (language === 'zh') await page.setViewportSize({ width: 820, height: 700 }) // as the two that follow
      const cells = async (name) => (await table(name).locator('tbody tr').evaluateAll((rows) => rows.map((row) => [...row.querySelectorAll('td')].map((one) => Number(one.title || one.textContent)))))
      await table('mass_matrix').waitFor()
      const mass = await cells('mass_matrix'), qd = [1, -2, 0.1, 0.5]
      const kinetic = mass.reduce((sum, row, i) => sum + row.reduce((part, m, j) => part + 0.5 * qd[i] * m * qd[j], 0), 0)
      await look('numbers')
      await choice('quantity').selectOption('energy')
      const told = page.locator('main p').filter({ hasText: 'kinetic' })
      await told.waitFor()
      const shown = Number((await told.textContent()).split('=')[1])
      sure(Math.abs(shown / kinetic - 1) < 1e-6, `kinetic energy ${shown}, by the mass matrix ${kinetic}`)
      await choice('quantity').selectOption('jacobian')
      await table('jacobian').waitFor()
      equal(await table('jacobian').locator('tbody th').allTextContents(), ['vx', 'vy', 'vz', 'wx', 'wy', 'wz'], 'rows of the Jacobian')
      // with an acceleration, and the torque that it needs, forward dynamics gives it back
      await page.getByLabel('qdd j2 [rad/s²]').fill('3.5')
      await page.keyboard.press('Tab')
      await choice('quantity').selectOption('forward-dynamics')
      await until(async () => Math.abs((await cells('qdd'))[0]?.[1] - 3.5) < 1e-6, 'the acceleration that was typed')
      for (const what of ['linearize', 'base-parameters', 'forward-kinematics', 'regressor']) {
        await choice('quantity').selectOption(what)
        await page.locator('main table code, main figure table').last().waitFor()
        await until(async () => (await page.locator('main [aria-busy=true]').count()) === 0, what)
      }
      await look('numbers-regressor')
      const [file] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: w('numpy'), exact: true }).click()])
      sure(/^regressor = np\.array\(\[\[/m.test(readFileSync(await file.path(), 'utf8')), 'the file for NumPy')
    },
    async 'have the torques of another program checked'() {
      const [q, qd, qdd] = [1, 2, 3].map((phase) => Array.from({ length: 30 }, (_, k) => [0.7, 0.9, 1.1, 1.3].map((rate, j) => Number(((j === 2 ? 0.05 : 1) * Math.sin(rate * k + phase) + (j === 2 && phase === 1 ? 0.1 : 0)).toFixed(6)))))
      const { tau } = await api('POST', '/v1/robots/scara/inverse-dynamics', { q, qd, qdd })
      const text = ['q,qd,qdd,tau', ...q.map((row, k) => [...row, ...qd[k], ...qdd[k], ...tau[k].map((one) => -one)].join(','))].join('\n')
      await page.goto(`${url}/#/analyses/diagnose?robot=scara`)
      const area = page.getByLabel(w('samples'))
      await area.fill(`${text}\n1,2,3`)
      await page.getByRole('button', { name: w('find'), exact: true }).click()
      equal(await area.evaluate((at) => [at.checkValidity(), /32/.test(at.validationMessage)]), [false, true], 'the line that is too short')
      await area.fill(text)
      await page.getByRole('button', { name: w('find'), exact: true }).click()
      await page.getByRole('table', { name: w('findings') }).locator('tbody tr').first().getByText(w('signs')).waitFor()
      await look('diagnose')
    },
    async 'reduce a pendulum test'() {
      await page.goto(`${url}/#/analyses/pendulum-tests?robot=scara`)
      const enter = async (name, value, deviation) => {
        await page.getByLabel(w(name), { exact: true }).fill(String(value))
        await page.getByLabel(`${w(name)}, ${w('deviation')}`).fill(String(deviation))
      }
      const [mass, distance, amplitude, seconds] = [4, 0.15, 0.2, 18.5]
      await enter('massOf', mass, 0.002)
      await enter('distance', distance, 0.0005)
      await enter('first', amplitude, 0.01)
      await enter('last', amplitude, 0.01)
      await page.getByLabel(w('times')).fill('18.5 quick')
      await page.getByRole('button', { name: w('reduce'), exact: true }).click()
      sure(!(await page.getByLabel(w('times')).evaluate((at) => at.checkValidity())), 'what is no time is told at its field')
      await page.getByLabel(w('times')).fill(`${seconds - 0.02} ${seconds} ${seconds + 0.02}`)
      await page.keyboard.press('Enter')
      const value = page.locator('dt').filter({ hasText: w('about') }).locator('xpath=following-sibling::dd[1]')
      let [a, b] = [1, Math.cos(amplitude / 2)]
      for (let k = 0; k < 6; k++) [a, b] = [(a + b) / 2, Math.sqrt(a * b)]
      const inertia = mass * 9.81 * distance * ((seconds / 20) * a / (2 * Math.PI)) ** 2 // without damping: amplitudes do not fall
      const shown = parseFloat(await value.textContent())
      sure(Math.abs(shown / inertia - 1) < 1e-3, `inertia ${shown}, by the elliptic integral ${inertia}`)
      await page.locator('figure').filter({ hasText: w('shareOf') }).waitFor()
      await look('pendulum-test')
      if (language === 'zh') await page.setViewportSize({ width: 1024, height: 768 })
    },
    async 'a viewer is told who may ask'() {
      const { secret } = await api('POST', '/v1/keys', { name: 'looks', role: 'viewer', motion: [] })
      expected.add(401) // who asks without a key
      await page.reload()
      await enter(secret)
      await page.goto(`${url}/#/analyses/torque-shares?robot=scara`)
      await page.getByText(w('operators')).waitFor()
      await look('analyses-viewer')
      await page.reload()
      await enter(key)
      expected.clear()
    },
  }
}
