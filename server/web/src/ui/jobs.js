// Jobs: what kinds there are, how far one is by now, and where its result is shown.
import { link } from '../route.js'
import { extend } from '../words.js'

extend({
  'kind.identification': ['identification', '辨识'],
  'kind.identification_study': ['study of an identification', '辨识研究'],
  'kind.trajectory': ['trajectory', '轨迹'],
  'kind.excitation': ['excitation', '激励轨迹'],
  'kind.simulation': ['simulation', '仿真'],
  'kind.friction_test': ['friction test', '摩擦测试'],
  'kind.evaluation': ['evaluation', '评估'],
  'kind.collision_check': ['collision check', '碰撞检测'],
  'kind.verification': ['verification', '验证'],
  'kind.tuning': ['tuning', '增益整定'],
  'kind.zoning': ['zoning', '分区'],
  'kind.friction_identification': ['friction identification', '摩擦辨识'],
})

export const ENDED = ['succeeded', 'failed', 'cancelled']
const RESULTS = ['identifications', 'trajectories', 'excitations', 'friction-tests', 'evaluations', 'friction-identifications', 'simulations', 'collision-checks', 'verifications', 'tunings', 'zonings', 'identification-studies']
// A result's address in the API is one of these pages where there is a page for its kind.
export const resultPage = (href) => {
  const [, , kind, id] = href.split('/').slice(-4)
  return RESULTS.includes(kind) ? link([kind, id]) : null
}

// A job as the API answered it, with how far it is by now.
export const withNews = (job, news) => job && news && { ...job, state: news.state, progress: news.progress, message: news.message, started_at: news.started_at } || job
