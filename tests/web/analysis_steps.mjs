// What is asked of a motion, a log or a model and answered at once, and the log of events, as a person asks for it.
import { readFileSync } from 'node:fs'
import { equal, sure, until } from './steps.mjs'

const WORDS = {
  analyse: ['Analyse', '分析'], energy: ['Energy', '能耗估算'], vibrations: ['Vibrations', '残余振动'], bodies: ['Fitted bodies', '拟合碰撞体'], regeneration: ['What becomes of braking power', '制动能量去向'], predicted: ['Predicted', '预测'],
  modes: ['Modes', '模态'], fitted: ['Fitted to', '依据'], radius: ['Radius of the links [m]', '连杆半径 [m]'], propose: ['Propose', '生成'], keep: ['Keep as a new revision', '保存为新版本'],
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
      await page.getByRole('button', { name: w('keep'), exact: true }).click()
      await page.waitForURL(/#\/robots\/driven$/)
      const kept = await api('GET', '/v1/robots/driven')
      equal([kept.revision, kept.joints.map(({ link }) => link.bodies?.length ?? 0)], [2, kept.joints.map(({ name }) => parts.find(({ part }) => part === name)?.bodies.length ?? 0)], 'what was kept')
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
