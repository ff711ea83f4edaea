// Jobs: what kinds there are, how far one is by now, and where its result is shown.
import { link } from '../route.js'
import { extend } from '../words.js'

// Kinds of jobs: where their results are, in the API and among the pages ('' where no page shows them), and their words. To add one: a row.
const KINDS = [
  ['identification', 'identifications', 'identification', '辨识'],
  ['identification_study', 'identification-studies', 'study of an identification', '辨识研究'],
  ['trajectory', 'trajectories', 'trajectory', '轨迹'],
  ['excitation', 'excitations', 'excitation', '激励轨迹'],
  ['simulation', 'simulations', 'simulation', '仿真'],
  ['friction_test', 'friction-tests', 'friction test', '摩擦测试'],
  ['evaluation', 'evaluations', 'evaluation', '评估'],
  ['collision_check', 'collision-checks', 'collision check', '碰撞检测'],
  ['verification', 'verifications', 'verification', '验证'],
  ['tuning', 'tunings', 'tuning', '增益整定'],
  ['zoning', 'zonings', 'zoning', '分区'],
  ['friction_identification', 'friction-identifications', 'friction identification', '摩擦辨识'],
]

extend(Object.fromEntries(KINDS.map(([kind, , ...words]) => [`kind.${kind}`, words])))

export const ENDED = ['succeeded', 'failed', 'cancelled']
// A result's address in the API is one of these pages where there is a page for its kind.
export const resultPage = (href) => {
  const [, , kind, id] = href.split('/').slice(-4)
  return KINDS.some(([, collection]) => collection === kind) ? link([kind, id]) : null
}

// A job as the API answered it, with how far it is by now.
export const withNews = (job, news) => job && news && { ...job, state: news.state, progress: news.progress, message: news.message, started_at: news.started_at } || job
