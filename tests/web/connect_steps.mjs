// A controller that nobody has spoken to yet: connected, tested and put in service, as a person does it; and what he sees of a motion
// while it plays.
import { equal, sure, until } from './steps.mjs'

const WORDS = {
  connect: ['Connect a controller …', '连接控制器……'], name: ['Name (a-z, 0-9, -)', '名称（a-z、0-9、-）'], host: ['Host', '主机'], port: ['Port', '端口'], robot: ['Robot', '机器人'], keep: ['Keep it, out of service', '保存（不投入使用）'],
  probe: ['Who is there?', '探测'], whole: ['Test everything', '全面测试'], end: ['End the test', '结束测试'], axes: ['Keep the axes', '保存轴对应'], kept: ['Kept.', '已保存。'], good: ['Nothing is wrong.', '未发现错误。'], serve: ['Put it in service', '投入使用'],
  untested: ['It was not tested as a whole yet.', '尚未进行全面测试。'], all: ['All checks', '全部检查'], cancelled: ['ended before it was through', '未完成即被结束'], axis: ['Axis', '轴号'],
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
      await button('keep').click()
      await page.getByText(w('untested')).waitFor()
      equal((await api('GET', '/v1/controllers/fresh')).enabled, false, 'in service')
      // nobody listens there: it says so, and what to mend
      await button('probe').click()
      await page.locator('.notice.bad dl').waitFor()
      await look('connect-nobody')
      const { data, etag } = await api('GET', '/v1/controllers/fresh', undefined, {}, true)
      await api('PUT', '/v1/controllers/fresh', { ...data, port }, { 'If-Match': etag })
      await page.goto(`${url}/#/controllers`)
      await page.getByRole('heading', { level: 1 }).waitFor()
      await page.goto(`${url}/#/controllers?connect=fresh`)
      await page.getByLabel(`${w('axis')} j1`).fill('1')
      await button('axes').click()
      await page.getByText(w('kept')).waitFor()
      equal((await api('GET', '/v1/controllers/fresh')).profile.axes.map(({ axis }) => axis), [1, 2, 3, 4], 'axes')
      await button('probe').click()
      await page.locator('.notice.bad dl').waitFor({ state: 'detached' })
      await page.locator('main dl.facts dt').first().waitFor()
      equal((await api('GET', '/v1/controllers/fresh/test')).identity.axes, 4, 'axes that it moves')
      // a test that is ended, and one to its end
      await button('whole').click()
      await button('end').click()
      await page.getByText(w('cancelled')).waitFor()
      await button('whole').click()
      await page.getByRole('progressbar').waitFor()
      await look('connect-testing')
      await page.getByText(w('good')).waitFor()
      const test = await api('GET', '/v1/controllers/fresh/test')
      equal([test.state, test.wrong, test.allow_motion], ['done', 0, false], 'the test')
      await page.locator('summary').filter({ hasText: w('all') }).click()
      equal(await page.locator('main details tbody tr').count(), test.checks.length, 'checks that are listed')
      await look('connect-tested')
      await button('serve').click()
      await page.waitForURL(/#\/controllers\/fresh$/)
      equal((await api('GET', '/v1/controllers/fresh')).enabled, true, 'in service')
      await until(async () => (await api('GET', '/v1/controllers/fresh/status')).connected, 'a connection')
      expected.delete(404)
      await look('connect-served')
    },
  }
}
