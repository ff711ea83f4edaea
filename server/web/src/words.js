// The texts of the frame, of the first page and of what every page uses, in English and Chinese; each part of the program that is
// fetched later brings its own (extend), and what several of them share is in words.more.js. To add one: a row.
import { signal } from '@preact/signals'
import { language } from './session.js'

const WORDS = {
  // shell
  skip: ['Skip to content', '跳到正文'],
  menu: ['Pages', '页面'],
  api: ['API reference', 'API 文档'],
  language: ['Language', '语言'],
  theme: ['Appearance', '外观'],
  'theme.auto': ['System', '跟随系统'],
  'theme.light': ['Light', '浅色'],
  'theme.dark': ['Dark', '深色'],
  leave: ['Log out', '退出'],
  'place.start': ['Home', '首页'],
  'place.robots': ['Robots', '机器人'],
  'place.runs': ['Runs', '辨识与评估'],
  'place.production': ['Production', '生产'],
  'place.jobs': ['Jobs', '任务'],
  'place.admin': ['Administration', '管理'],
  'page.start': ['Home', '首页'],
  'role.viewer': ['viewer', '查看者'],
  'role.operator': ['operator', '操作员'],
  'role.engineer': ['engineer', '工程师'],
  'role.admin': ['admin', '管理员'],
  needs_role: ['Needs the role {role}', '需要“{role}”角色'],
  no_page: ['There is no such page.', '没有这个页面。'],
  // common
  loading: ['Loading …', '加载中……'],
  nothing: ['Nothing here.', '暂无内容。'],
  refused: ['Refused', '被拒绝'],
  offline: ['The service does not answer.', '服务无响应。'],
  lost: ['The service does not answer. What is shown may be old; it is asked again and again.', '服务无响应，显示内容可能已过时；正在不断重试。'],
  upgraded: ['This part of the pages could not be fetched; the service may have been upgraded.', '无法获取此页面部分；服务可能已升级。'],
  reload: ['Load the pages anew', '重新加载页面'],
  open: ['Open', '打开'],
  'state.queued': ['queued', '排队中'],
  'state.failed': ['failed', '失败'],
  'state.empty': ['empty', '空'],
  'state.connecting': ['connecting', '连接中'],
  'state.loading': ['loading', '加载中'],
  'state.ready': ['ready', '就绪'],
  'state.armed': ['armed', '已使能'],
  'state.playing': ['playing', '播放中'],
  'state.holding': ['holding', '保持'],
  'state.done': ['done', '完成'],
  'state.stopped': ['stopped', '已停止'],
  'state.interrupted': ['interrupted: look at the arm', '中断：请查看手臂'],
  'state.fault': ['fault', '故障'],
  'state.running': ['running', '运行中'],
  'state.succeeded': ['succeeded', '成功'],
  'state.cancelled': ['cancelled', '已取消'],
}

const parts = signal(0) // that brought their own: what was said without them is said anew

export function t(key, values) {
  const row = parts.value >= 0 && WORDS[key]
  if (!row) return key.includes('.') ? key.slice(key.indexOf('.') + 1) : key
  const text = row[language.value === 'zh' ? 1 : 0]
  return values ? text.replace(/\{(\w+)\}/g, (whole, name) => values[name] ?? whole) : text
}

export function extend(more) {
  Object.assign(WORDS, more)
  parts.value++
}
