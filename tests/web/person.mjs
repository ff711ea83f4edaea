// A person in front of the pages, for programs of steps: what is clicked in both languages, a browser, and how he begins.
//   environment: ARMDYN_URL, ARMDYN_KEY, ARMDYN_SHOTS, and further ARMDYN_CHROMIUM_FLAGS; the first argument of the program: en or zh
import { mkdirSync, readFileSync } from 'node:fs'
import { axe, launch, open } from './browser.mjs'
import { caller, equal, run, sure } from './steps.mjs'

export const { ARMDYN_URL: url, ARMDYN_KEY: key, ARMDYN_SHOTS: shots } = process.env
export const language = process.argv[2]

// The words that are clicked, as a person who reads this language knows them.
const WORDS = {
  key: ['API key', 'API 密钥'], login: ['Log in', '登录'], leave: ['Log out', '退出'], wrong: ['does not take this key', '不接受此密钥'],
  demo: ['Load demo robots and logs', '加载示例机器人和日志'], datasets: ['Data sets', '数据集'], uploadOpen: ['Upload a log', '上传日志'],
  upload: ['Upload', '上传'], preview: ['Preview', '预览'], converted: ['As kept: SI, joint side', '转换后：SI 单位，关节侧'], newMapping: ['New or changed mapping …', '新建或修改映射……'],
  mappingName: ['Name (a-z, 0-9, -)', '名称（a-z、0-9、-）'], delimiter: ['Delimiter', '分隔符'], decimal: ['Decimal mark', '小数点'],
  hasNames: ['A line names the columns', '含列名行'], noClock: ['Rate, if there is no clock [Hz]', '采样率（无时间列时）[Hz]'], loggedAt: ['Logged at', '记录位置'],
  logColumn: ['Column of the log', '日志中的列'], unit: ['Unit', '单位'], save: ['Save', '保存'],
  identifyOpen: ['Identify …', '辨识……'], identify: ['Identify', '开始辨识'], lateTorques: ['Torques that are late', '力矩延迟'], positionCutoff: ['Cut-off of positions [Hz]', '位置截止频率 [Hz]'], further: ['Further members of the request', '请求的其他成员'], furtherAdd: ['Add a member', '添加成员'], furtherName: ['Member', '成员'], furtherValue: ['Value (JSON)', '值（JSON）'], wantedOf: ['Wanted positions of demo: learn', 'demo: learn 的期望位置'], ofPayload: ['what it carries', '所携负载'], ofItself: ['choose joint by joint', '逐关节自动选择'], termOffset: ['offset', '偏置'], termCoulomb: ['Coulomb', '库仑'], termViscous: ['viscous', '粘性'], withoutLoad: ['Without the load', '空载运行'], leaveOut: ['Leave out a part', '剔除一段'], leaveFrom: ['From [s]', '自 [s]'], leaveTo: ['To [s]', '至 [s]'], delaysFound: ['Delays of torques', '力矩延迟'], result: ['Open the result', '打开结果'], label: ['Label', '名称'], saved: ['Saved.', '已保存。'],
  runs: ['Identification results', '辨识结果'], trained: ['Training error, raw', '训练误差（原始）'], compare: ['Compare 2', '比较 2 个'],
  promote: ['Promote …', '采用为模型……'], reason: ['Reason', '理由'], make: ['Make revision 2', '生成版本 2'], robots: ['Robots', '机器人'], choose: ['Choose', '选择'],
  editModel: ['Save as a new revision', '保存为新版本'], plan: ['Plan it', '开始规划'], method: ['Method', '方法'], play: ['Play', '播放'], pause: ['Pause', '暂停'], send: ['Send to a controller', '发送到控制器'], sendDo: ['Send', '发送'],
  controllers: ['Controllers', '控制器'], newController: ['New controller …', '新建控制器……'], host: ['Host', '主机'], portNumber: ['Port', '端口'], mayStart: ['This service may start motions', '允许本服务启动运动'],
  played: ['Measured less planned', '实测减计划'], arm: ['Arm', '使能'], start: ['START: the arm moves', '启动：手臂将运动'], ready: ['ready', '就绪'], armed: ['armed', '已使能'], done: ['done', '完成'], stop: ['STOP cell', '停止 cell'], confirmed: ['controller confirmed it', '控制器已确认'],
  frictionAlone: ['friction alone, from runs at constant speed', '仅摩擦（匀速运行）'], keys: ['Keys', '密钥'], newKey: ['New key …', '新建密钥……'], keyName: ['Whose it is (a-z, 0-9, -)', '使用者（a-z、0-9、-）'], evaluateOpen: ['Evaluate …', '评估……'], evaluate: ['Evaluate', '开始评估'], excitations: ['Excitations', '激励轨迹'],
  tests: ['Friction tests', '摩擦测试'], planIt: ['Plan it', '开始规划'], harmonics: ['Harmonics', '谐波数'], population: ['Population', '种群规模'], generations: ['Generations', '代数'], durationOf: ['Duration [s]', '时长 [s]'],
  speeds: ['Speeds of each joint', '每关节速度数'], cruise: ['Longest run [s]', '最长匀速时间 [s]'], trajectories: ['Trajectories', '轨迹'], secretOf: ['The secret of guest', 'guest 的密钥'], learnt: ['learnt from this', '由此训练'],
  gravityLoad: ['Gravity load', '重力负载图'], durations: ['Compare durations [s]', '比较时长 [s]'], otherDurations: ['The same way in other durations', '相同路径、不同时长'], planThis: ['Plan this one', '规划此时长'],
  pages: ['Pages', '页面'], places: ['Runs', '辨识与评估'], production: ['Production', '生产'], administration: ['Administration', '管理'], storage: ['Storage and maintenance', '存储与维护'], orders: ['Orders', '订单'], alarms: ['Alarms', '报警'], events: ['Events', '事件'],
  next: ['Plan a motion', '规划运动'], tabHistory: ['History', '历史'], tabData: ['Data', '数据'], tabMotions: ['Motions', '运动'], newAlias: ['New name …', '新建别名……'], aliasName: ['Name (a-z, 0-9, -)', '名称（a-z、0-9、-）'], aliasChange: ['Let it stand for another …', '改指其他版本……'], beginDrain: ['Take no more work', '停止接受工作'], endDrain: ['Take work again', '恢复接受工作'],
  api: ['API reference', 'API 文档'], audit: ['Audit trail', '审计记录'], jobs: ['Jobs', '任务'], goalPoint: ['Goal', '终点'], startPoint: ['Start', '起点'], anglesIn: ['Angles in', '角度单位'], same: ['Start and goal are the same.', '起点与终点相同。'], far: ['This cannot be reached', '无法到达'],
  newRobot: ['New robot …', '新建机器人……'], meshes: ['Meshes', '网格模型'], missing: ['3 of 3 are missing.', '共 3 个，缺少 3 个。'], complete: ['0 of 3 are missing.', '共 3 个，缺少 0 个。'], unmatched: ['is called like other.stl', '没有与 other.stl 同名'],
  equations: ['Equations as code', '方程代码'], writeProgram: ['Write the program', '生成程序'], copyIt: ['Copy', '复制'], copied: ['Copied.', '已复制。'], downloadIt: ['Download', '下载'], mayBeOff: ['May be off by', '允许误差'],
  simulations: ['Simulations', '仿真'], newSimulation: ['New simulation', '新建仿真'], simulate: ['Simulate', '开始仿真'], jointFriction: ['With the friction of the joints', '考虑关节摩擦'], toolSpeed: ['Fastest of the tool', '末端最大速度'],
  whatMoves: ['What moves it', '运动方式'], law: ['Law', '控制律'], carries: ['It carries [kg]', '负载质量 [kg]'], tracking: ['How near it was to where it should be', '跟踪误差'],
  positionsOf: ['Data set with the positions', '含位置的数据集'], madeOf: ['Made of', '来源'], typedRows: ['Positions: a row for each sample', '位置：每个样本一行'], typedRate: ['Samples a second [Hz]', '采样频率 [Hz]'], rowBad: ['Row 2 has 3 numbers, not 4.', '第 2 行有 3 个数，应为 4 个。'], swinging: ['Where the arm swings', '手臂摆动处'], toleranceOf: ['Tolerance [rad, m]', '容差 [rad, m]'], farthestOff: ['Farthest off its samples', '与样本的最大偏差'],
  checks: ['Collision checks', '碰撞检测'], newCheck: ['New collision check', '新建碰撞检测'], whereToLook: ['Where to look', '检测对象'], thresholds: ['Thresholds (all, or none: from the reference)', '阈值（全部填写；留空则由参考日志确定）'], check: ['Check', '开始检测'], noticedAfter: ['Noticed after', '检测延迟'], alarmsOf: ['Alarms', '报警'],
  logsToCheck: ['Logs to look through', '待检测的日志'], referenceLogs: ['Logs without collisions, which tell the thresholds', '无碰撞的参考日志（用于确定阈值）'], falseAlarms: ['False alarms an hour, at most', '每小时误报上限'],
  cells: ['Cells', '工作单元'], newCell: ['New cell …', '新建工作单元……'], noBodies: ["This robot's links have no bodies", '该机器人的连杆没有碰撞体'], addBox: ['+ box', '+ 长方体'], saveCell: ['Save the cell', '保存工作单元'], clearance: ['Clearance from the cell', '与工作单元的间距'], atMost: ['must be <= 100000, got 1000000', '必须不大于 100000，当前为 1000000'], invalid: ['The content is not valid', '内容无效'], noSuch: ['There is no such resource', '没有该资源'], leavePage: ['Leave', '离开'], keepClear: ['Keep clear of the cell', '避开工作单元'], importCell: ['Import …', '导入……'], cellFile: ['File', '文件'], storedMotion: ['A stored motion', '已存储的运动'], turnBody: ['Turn the body', '旋转物体'],
  positionLimit: ['Position [mm]', '位置 [mm]'], addMotion: ['+ stored motion', '+ 已存运动'], playedIn: ['Played and measured in', '实测数据集'], measuredFarthest: ['Measured, farthest', '实测最大误差'], apartFrom: ['Apart from what was measured', '与实测的差距'], addCircle: ['+ circle of the tool', '+ 末端圆'], circle: ['circle of the tool', '末端圆'], centre: ['Centre {axis} [m]', '圆心 {axis} [m]'], verify: ['Verify', '开始验证'], farOff: ['How far the tool is off [mm]', '末端误差 [mm]'], withAndWithout: ['With and without the model', '有模型与无模型'], farthestOff2: ['Farthest off', '最差误差'], frictionless: ['Without friction', '无摩擦'], toolFarthest: ['Tool, farthest', '末端最大误差'],
  simulateGains: ['Simulate with these gains', '用这些增益仿真'], gainsOf: ['Gains', '增益'], gainsInForce: ['Gains in force', '生效的增益'], gainsEntry: ['Entry #', '第 # 项'], gainsFrom: [/^From/, /^起点/], addEntry: ['+ entry', '+ 项'], removeEntry: ['Take entry 3 away', '移除第 3 项'],
  frictionCurves: ['Friction', '摩擦'], frictionBands: ['Each with one standard deviation to both sides.', '阴影为正负一个标准差。'],
  zonesAtMost: ['Zones, at most', '分区数上限'], divide: ['Divide', '开始划分'], zoneMap: ['Map', '分区图'], pageReport: ['HTML report', 'HTML 报告'], zoneReport: ['keeps the bound, the darker the nearer', '满足界限，颜色越深越接近'], zoneList: ['Zones', '分区'],
  gainsTried: ['Gains tried, at most', '最多尝试次数'], findGains: ['Find the gains', '开始整定'], gains: ['Gains', '增益'], marginsLeast: ['Margins, the least first', '裕度（由小到大）'],
  tryDeviations: ['Try its deviations …', '检验标准差……'], simulatedRuns: ['Simulated runs', '仿真次数'], study: ['Begin the study', '开始研究'], within95: ['Within 95 % intervals', '落入 95 % 区间'], leastCovered: ['Parameters, the least covered first', '参数（覆盖率由低到高）'],
  settingsApart: ['Settings that differ', '不同的设置'], estimator: ['Estimator', '估计方法'], addRun: ['Add a run', '添加辨识'], makeBaseline: ['Hold the others against', '以'], takeAway: ['Take', '移除'], lowPass: ['Low-pass', '低通滤波'], evaluations: ['Evaluations', '评估'],
  cancelUpload: ['Cancel', '取消'], throwAway: ['Throw away', '放弃'], propose: ['Propose a mapping …', '提出列映射……'], ofTraining: ['Training', '训练'], ofValidation: ['Validation', '验证'], runAll: ['All joints, all parameters', '全部关节与参数'], correlations: ['Correlations', '相关性'], whatIsLeft: ['What is left (measured − predicted)', '残差（实测 − 预测）'], leftOf: ['What is left of j1', 'j1 的残差'],
  delete: ['Delete', '删除'], convert: ['Convert degrees to rad', '将度转换为弧度'], stay: ['Stay', '留下'], overPosition: ['Residual over position', '残差（位置）'], friction: ['± 1 standard deviation', '± 1 标准差'], position: ['Position', '位置'], taller: ['Zoom in vertically', '纵向放大'], discard: ['Throw away', '放弃'], handFile: ['File for hand', 'hand 的文件'],
}
export const w = (name) => WORDS[name][language === 'zh' ? 1 : 0]
export const api = caller(() => url, key)

mkdirSync(shots, { recursive: true })
export const browser = await launch((process.env.ARMDYN_CHROMIUM_FLAGS ?? '').split(' ').filter(Boolean))
export const { page, faults, expected } = await open(browser, url, language === 'zh' ? { language, dark: true, width: 1024, height: 768 } : { language })
export const button = (name, exact = true) => page.getByRole('button', { name: w(name), exact })
// The pages of each place of the menu but the one that it is called after.
const PLACES = { robots: ['datasets', 'trajectories', 'simulations', 'checks'], places: ['runs', 'evaluations'], production: ['controllers', 'orders', 'alarms', 'events', 'cells'], administration: ['keys', 'audit', 'storage'] }
export const go = async (name) => {
  const to = (word) => page.getByRole('navigation', { name: w('pages'), exact: true }).getByRole('link', { name: w(word), exact: true })
  const place = Object.keys(PLACES).find((one) => PLACES[one].includes(name))
  if (place && !(await to(name).isVisible())) await to(place).click()
  await to(name).click()
}
export const menu = async (name) => {
  await go(name)
  await page.getByRole('heading', { level: 1, name: w(name) }).waitFor()
}
// What is no Chinese and should be, in what is no code and nobody's own text: four words of English in a row, a name of a program's, a
// state in English, a sentence of the service that has no translation.
export const english = (on = page) => on.evaluate(() => {
  const found = []
  const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
  while (walk.nextNode()) {
    const { textContent, parentElement } = walk.currentNode
    if (parentElement.closest('code, pre, bdi, textarea, noscript, script, style, .code, .uplot, option') || !parentElement.checkVisibility()) continue
    const state = parentElement.closest('.state') && /\b[a-z]{4,}/.test(textContent) && !/\p{Script=Han}/u.test(textContent)
    if (state || /\b[A-Za-z]{2,}( [A-Za-z]+){3,}|\b[a-z]+_[a-z]|服务信息/.test(textContent)) found.push(textContent.trim().slice(0, 200))
  }
  return found
})

// A picture of the page, and what axe-core and the watch over the page have to say.
export const look = async (name, fullPage = true) => {
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))))
  await page.screenshot({ path: `${shots}/${language}-${name}.png`, fullPage })
  equal(await axe(page), [], `accessibility of ${name}`)
  if (language === 'zh') equal(await english(), [], `English sentences of ${name}`)
  equal(faults, [], `the page ${name}`)
  sure(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth + 1), `${name} is wider than the window`)
}

export const enter = async (secret, on = page) => { // after a reload: the key is in memory only
  await on.getByLabel(w('key')).fill(secret)
  await on.keyboard.press('Enter')
  await on.getByRole('navigation', { name: w('pages'), exact: true }).waitFor()
}

// Bytes of the pages, compressed, that were fetched so far.
const sent = () => page.evaluate(() => performance.getEntriesByType('resource').concat(performance.getEntriesByType('navigation')).filter((one) => !one.name.includes('/v1/')).reduce((sum, one) => sum + one.encodedBodySize, 0))

// An empty data directory, and what both programs begin with.
const BEGIN = {
  async 'log in with a key, which is kept in memory only'() {
    expected.add(401)
    await page.goto(`${url}/`)
    await page.getByLabel(w('key')).fill('not-the-key-of-anybody')
    await button('login').click()
    await page.getByText(w('wrong')).waitFor()
    sure((await sent()) > 10000, 'the first page has a size')
    await look('login')
    await page.getByLabel(w('key')).fill(key)
    await page.keyboard.press('Enter')
    await button('demo').waitFor()
    sure((await sent()) <= 31000, `what there is to log in, and Home, are ${await sent()} bytes`) // the log-in alone: 1 kB
    expected.clear()
    sure(!(await page.evaluate(() => JSON.stringify({ ...localStorage, ...sessionStorage }))).includes(key), 'the key was stored')
  },
  async 'load the demo in one click'() {
    await look('start-empty')
    const licences = await (await fetch(await page.locator('main a[href$=".txt"]').evaluate((at) => at.href))).text()
    const carried = JSON.parse(readFileSync(new URL('../../server/web/package.json', import.meta.url))).dependencies
    for (const [name, version] of Object.entries(carried)) sure(licences.includes(`${name} ${version} (`), `the licences name ${name} ${version}`)
    sure(/Permission is hereby granted/.test(licences), 'the licences have their texts')
    await button('demo').click()
    await page.locator('.notice.good').waitFor()
    await look('start')
    equal((await api('GET', '/v1/robots')).items.map((one) => one.name), ['puma560', 'scara', 'ur10'], 'robots')
  },
}

// Begin, and run the steps of an object.
export async function flow(steps) {
  await run(language, { ...BEGIN, ...steps }, async () => {
    await page.screenshot({ path: `${shots}/${language}-failed.png`, fullPage: true }).catch(() => {})
    return faults.join('\n')
  })
  await browser.close()
}
