// A controller that nobody has spoken to yet: connected, tested and put in service, as a person does it; and what he sees of a motion
// while it plays.
import { equal, sure, until } from './steps.mjs'

const WORDS = {
  connect: ['Connect a controller …', '连接控制器……'], name: ['Name (a-z, 0-9, -)', '名称（a-z、0-9、-）'], host: ['Host', '主机'], port: ['Port', '端口'], robot: ['Robot', '机器人'], keep: ['Keep it, out of service', '保存（不投入使用）'],
  probe: ['Who is there?', '探测'], whole: ['Test everything', '全面测试'], end: ['End the test', '结束测试'], axes: ['Keep the axes', '保存轴对应'], kept: ['Kept.', '已保存。'], good: ['Nothing is wrong.', '未发现错误。'], serve: ['Put it in service', '投入使用'],
  untested: ['It was not tested as a whole yet.', '尚未进行全面测试。'], all: ['All checks', '全部检查'], cancelled: ['ended before it was through', '未完成即被结束'], axis: ['Axis', '轴号'], arm: ['Arm', '使能'], start: ['START: the arm moves', '启动：手臂将运动'], hold: ['Hold', '暂停'], resume: ['Resume', '继续'], progress: ['Played', '播放进度'], less: ['Measured less planned', '实测减计划'],
}

// port: where a simulated controller of as many axes as `robot` listens, that no entry names; gone: one where nobody does
export function connectSteps({ page, api, url, look, language, port, robot, expected }) {
  const w = (name) => WORDS[name][language === 'zh' ? 1 : 0]
  const button = (name) => page.getByRole('button', { name: w(name), exact: true })

  return {
    async 'a controller is connected for the first time, tested, and put in service'() {
      await page.goto(`${url}/#/controllers`)
      await page.getByRole('link', { name: w('connect'), exact: true }).click()
      await page.getByLabel(w('name')).fill('fresh')
      await page.getByLabel(w('host')).fill('127.0.0.1')
      await page.getByLabel(w('port'), { exact: true }).fill('1')
      await page.getByLabel(w('robot')).selectOption(robot)
      await look('connect-where')
      expected.add(404) // no test was made yet
      await page.getByLabel(w('port'), { exact: true }).press('Enter') // all of it by the keyboard
      await page.getByText(w('untested')).waitFor()
      equal((await api('GET', '/v1/controllers/fresh')).enabled, false, 'in service')
      // nobody listens there: it says so, and what to mend
      await button('probe').press('Enter')
      await page.locator('.notice.bad dl').waitFor()
      await look('connect-nobody')
      const { data, etag } = await api('GET', '/v1/controllers/fresh', undefined, {}, true)
      await api('PUT', '/v1/controllers/fresh', { ...data, port }, { 'If-Match': etag })
      await page.goto(`${url}/#/controllers`)
      await page.getByRole('heading', { level: 1 }).waitFor()
      await page.goto(`${url}/#/controllers?connect=fresh`)
      await page.getByLabel(`${w('axis')} j1`).fill('1')
      await page.getByLabel(`${w('axis')} j1`).press('Enter')
      await page.getByText(w('kept')).waitFor()
      equal((await api('GET', '/v1/controllers/fresh')).profile.axes.map(({ axis }) => axis), [1, 2, 3, 4], 'axes')
      await button('probe').press('Space')
      await page.locator('.notice.bad dl').waitFor({ state: 'detached' })
      await page.locator('main dl.facts dt').first().waitFor()
      equal((await api('GET', '/v1/controllers/fresh/test')).identity.axes, 4, 'axes that it moves')
      // a test that is ended, and one to its end
      await button('whole').press('Enter')
      await button('end').press('Enter')
      await page.getByText(w('cancelled')).waitFor()
      await button('whole').press('Enter')
      await page.getByRole('progressbar').waitFor()
      await look('connect-testing')
      await page.getByText(w('good')).waitFor()
      const test = await api('GET', '/v1/controllers/fresh/test')
      equal([test.state, test.wrong, test.allow_motion], ['done', 0, false], 'the test')
      await page.locator('summary').filter({ hasText: w('all') }).click()
      equal(await page.locator('main details tbody tr').count(), test.checks.length, 'checks that are listed')
      await look('connect-tested')
      await button('serve').press('Enter')
      await page.waitForURL(/#\/controllers\/fresh$/)
      equal((await api('GET', '/v1/controllers/fresh')).enabled, true, 'in service')
      await until(async () => (await api('GET', '/v1/controllers/fresh/status')).connected, 'a connection')
      expected.delete(404)
      await look('connect-served')
    },
    async 'a motion is watched while it plays, and held against its plan afterwards'() {
      const seconds = 120 // so that a loaded machine has enough of them left; it is not waited for their end
      const start = (await api('GET', '/v1/controllers/fresh/status')).position
      const job = await api('POST', `/v1/robots/${robot}/trajectories`, { method: 'quintic', start: { q: start }, goal: { q: [start[0] + 0.6, start[1] - 0.4, start[2], start[3]] }, duration: seconds }, { Prefer: 'wait=60' })
      const { id } = await api('POST', '/v1/controllers/fresh/transfers', { trajectory: job.result.href.split('/').at(-1), rate: 250 }, { 'Idempotency-Key': `live ${language}` })
      await button('arm').click({ timeout: 60000 })
      const plots = page.locator('.plot')
      await plots.nth(1).waitFor()
      await button('start').click()
      const played = async () => Number(await page.getByRole('progressbar', { name: w('progress') }).getAttribute('aria-valuenow'))
      await until(async () => (await played()) > 8, 'a part of the motion')
      const [now, { position, torque, play_index }] = [await played(), await api('GET', '/v1/controllers/fresh/status')]
      const s = play_index / 250 / seconds
      sure(Math.abs(now - 100 * s) < 15, `${now} % of the motion, where ${100 * s} % were played`)
      const planned = start[0] + 0.6 * s ** 3 * (10 + s * (6 * s - 15)) // of a quintic from rest to rest
      sure(Math.abs(position[0] - planned) < 0.05 && torque.length === 4, `joint 1 at ${position[0]}, planned ${planned}; torques ${torque}`)
      await button('hold').click()
      await button('resume').waitFor()
      await look('playing')
      await button('resume').click()
      await until(async () => (await api('GET', `/v1/transfers/${id}`)).state === 'playing', 'the rest of the motion')
      await api('POST', '/v1/controllers/fresh/stop')
      await until(async () => (await api('GET', `/v1/transfers/${id}`)).state === 'stopped', 'the end of the motion')
      await page.getByText(w('less')).first().waitFor()
      await until(async () => (await plots.count()) === 4, 'plan and measurement, and their difference')
      await look('played')
    },
  }
}
