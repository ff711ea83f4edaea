// A service with something of everything, as its pages have it after a week of work: what is made by calls beside the demo, and every
// address that a person comes to.
import { readFileSync } from 'node:fs'
import { sure, until } from './steps.mjs'

const REST = [0.2, 0.3, 0.05, 0.1]
const last = (href) => href.split('/').at(-1)

// A motion that goes on while pages are looked at: begun again whenever the one before has ended.
export function motion(api, controller, robot, seconds = 120) {
  let transfer, away = 0.5
  return async () => {
    if (transfer && !['done', 'stopped', 'failed', 'interrupted'].includes((await api('GET', `/v1/transfers/${transfer}`)).state)) return
    const { position } = await api('GET', `/v1/controllers/${controller}/status`)
    const goal = position.map((q, j) => (j === 2 ? q : q + away))
    const job = await api('POST', `/v1/robots/${robot}/trajectories`, { method: 'quintic', start: { q: position }, goal: { q: goal }, duration: seconds }, { Prefer: 'wait=60' })
    away = -away
    transfer = (await api('POST', `/v1/controllers/${controller}/transfers`, { trajectory: last(job.result.href), rate: 250 }, { 'Idempotency-Key': `motion ${job.id}` })).id
    const state = async (wanted) => until(async () => (await api('GET', `/v1/transfers/${transfer}`)).state === wanted, wanted)
    await state('ready')
    await api('POST', `/v1/transfers/${transfer}/arm`)
    await state('armed')
    await api('POST', `/v1/transfers/${transfer}/start`, { start_within: 50 }, { 'Idempotency-Key': `start ${job.id}` })
    await state('playing')
  }
}

async function models(api) {
  const driven = JSON.parse(readFileSync(new URL('../data/robots/scara.json', import.meta.url)))
  driven.name = 'driven'
  for (const joint of driven.joints) Object.assign(joint.drive, { resistance: 0.5, torque_constant: 0.1, efficiency: 0.9 })
  driven.joints[1].link.bodies = [{ sphere: { radius: 0.1 } }]
  await api('POST', '/v1/robots?allow_unphysical=true', driven)
  await api('POST', '/v1/robots/scara/parts', { name: 'casting', payload: { mass: 2.4, com: [0, 0, 0.06] } })
  await api('PUT', '/v1/robots/scara/aliases/production', { revision: 1 }, { 'If-None-Match': '*' })
  await api('PUT', '/v1/mappings/drive', { delimiter: ';', decimal: ',', time: { column: 'Zeit', unit: 'ms' }, columns: { q1: { column: 'A1', unit: 'deg' } } }, { 'If-None-Match': '*' })
  await api('POST', '/v1/cells', { name: 'bench', bodies: [{ name: 'floor', half_space: { normal: [0, 0, 1], offset: -1 } }, { name: 'post', box: { size: [0.2, 0.2, 0.2], translation: [2, 0, 0] } }] })
}

// Jobs of every kind, and those that failed; their results by kind, in the order in which they were asked for.
async function results(api) {
  const [learn, test] = await Promise.all(['learn', 'test'].map(async (label) => (await api('GET', `/v1/datasets?label=demo:%20${label}`)).items[0].id))
  const found = { datasets: [learn, test] }
  const ask = async (kind, request, robot = 'scara') => {
    const { id } = await api('POST', `/v1/robots/${robot}/${kind}`, request)
    let job
    await until(async () => ['succeeded', 'failed'].includes((job = await api('GET', `/v1/jobs/${id}`)).state), `the end of ${kind}`)
    sure(job.state === 'succeeded', `${kind}: ${JSON.stringify(job.error)}`)
    ;(found[kind] ??= []).push(last(job.result.href))
    found.job = id
    return last(job.result.href)
  }
  const goal = [1, -0.8, 0.05, 0.5]
  const quintic = await ask('trajectories', { method: 'quintic', start: { q: [0, 0, 0.1, 0] }, goal: { q: goal }, duration: 1 })
  const [wls] = [await ask('identifications', { datasets: [learn], validation: [test], estimator: 'wls', friction: ['coulomb', 'viscous'] }), await ask('identifications', { datasets: [learn], estimator: 'consistent', validation_fraction: 0.3 })]
  await Promise.all([
    ask('trajectories', { start: { q: [0, 0, 0.1, 0] }, goal: { q: goal }, duration: 2, durations: [1.5, 3] }),
    ask('trajectories', { method: 'quintic', start: { q: [0, 0, 0.1, 0] }, goal: { q: goal }, duration: 1, cell: 'bench' }, 'driven'),
    ask('excitations', { duration: 10, harmonics: 2, base_frequency_hz: 0.2, population: 10, generations: 3, friction: ['viscous'] }),
    ask('friction-tests', { joints: ['j1'], speeds: 8, cruise: 0.5, sample_rate: 200 }),
    ask('simulations', { q: [0.3, 0.5, 0, 0, 0, 0], duration: 0.5, friction: false, sample_rate: 100 }, 'puma560'),
    ask('simulations', { q: REST, duration: 0.5, bandwidth_hz: 5, control: { law: 'pid_gravity', rate_hz: 500 }, plant: { payload: { mass: 1 } } }),
    ask('collision-checks', { datasets: [test], reference: [learn] }),
    ask('collision-checks', { trajectory: quintic, collision: { time: 0.5, wrench: [0, 40, 0, 0, 0, 0], wrench_frame: 'base' }, thresholds: [2, 2, 5, 0.5] }),
    ask('evaluations', { models: ['latest', `identification:${wls}`], datasets: [test] }),
    ask('identification-studies', { identification: wls, repetitions: 20 }),
    ask('verifications', { q: [0.3, 1.4, 0.05, 0.2], limit: { position_mm: 0.02 }, references: [{ kind: 'hold', duration: 0.3 }, { kind: 'circle', center: [0.25, 0.36, 0], duration: 1 }], laws: [{ bandwidth_hz: 10, without_model: true, control: { law: 'feedforward' } }], plants: [{ name: 'as modelled', plant: { friction: false } }, { name: '1 kg more', plant: { payload: { mass: 1 }, friction: false } }] }),
    ask('tunings', { q: REST, references: [{ kind: 'step', amplitude: [0.02, 0.02, 0.001, 0.02], duration: 0.3 }], control: { law: 'computed_torque', rate_hz: 500, delay_periods: 2 }, margins: { gain_db: 6, phase_deg: 45 }, evaluations: 5, plants: [{ name: 'as modelled', plant: { friction: false } }] }),
    ask('zonings', { about: 'gains', low: [-1.5, -1.5, 0, -1], high: [1.5, 1.5, 0.1, 1], inertia_error: 0.2, law: 'pid_gravity', bandwidth_hz: 5, zones_max: 40 }),
  ])
  const { t, q, tau } = await api('GET', `/v1/friction-tests/${found['friction-tests'][0]}/samples?fields=t,q,tau`)
  await ask('friction-identifications', { datasets: [(await api('POST', '/v1/robots/scara/datasets?label=friction', { t, q, tau })).id] })
  const { id } = await api('POST', '/v1/robots/driven/trajectories', { method: 'quintic', start: { q: [0, 0, 0.1, 0] }, goal: { q: goal }, duration: 0.001 })
  await until(async () => ['succeeded', 'failed'].includes((await api('GET', `/v1/jobs/${id}`)).state), 'what cannot be')
  found.failed = id
  return found
}

// One controller that answers, at `port`, with a motion that plays and orders behind it, one that nobody is at, one that is not in service.
async function production(api, port) {
  const make = (name, more) => api('POST', '/v1/controllers', { name, host: '127.0.0.1', port: 1, unit: 1, robot: 'scara', profile: { protocol: 'armdyn-v2', allow_start: true }, ...more })
  await make('line', { port })
  await make('nobody')
  await make('kept', { enabled: false })
  await api('POST', '/v1/webhooks', { name: 'mes', url: 'https://mes.example/armdyn' })
  await until(async () => (await api('GET', '/v1/controllers/line/status')).connected, 'a connection')
  const { position } = await api('GET', '/v1/controllers/line/status')
  const order = (job_order_id, off, more) => api('POST', '/v1/orders', { controller: 'line', job_order_id, to: { q: position.map((q, j) => (j ? q : q + off)) }, duration: 1, objective: 'smooth', ...more })
  const done = await order('4711', 0.1, { start: 'automatic' })
  await until(async () => ['done', 'failed'].includes((await api('GET', `/v1/orders/${done.id}`)).state), 'the end of an order')
  const waits = await order('4712', 0, { start: 'on_request' })
  await until(async () => (await api('GET', `/v1/orders/${waits.id}`)).state === 'ready', 'an order that waits')
  await api('POST', '/v1/controllers/line/stop')
  await until(async () => (await api('GET', `/v1/orders/${waits.id}`)).state === 'stopped', 'an order that was stopped')
  await order('4713', 0.2, { start: 'on_request' })
  await api('POST', '/v1/controllers/line/watch', {})
  return { orders: [done.id, waits.id] }
}

// Addresses of every page; those of a single thing by what it is.
export async function scene(api, port) {
  await models(api)
  const found = { ...(await results(api)), ...(port ? await production(api, port) : {}) }
  const lists = ['', 'robots', 'datasets', 'mappings', 'parts?robot=scara', 'trajectories', 'excitations', 'friction-tests', 'simulations', 'verifications', 'tunings', 'zonings', 'collision-checks', 'identifications', 'evaluations', 'friction-identifications', 'identification-studies', 'controllers', 'orders', 'alarms', 'events', 'cells', 'jobs', 'keys', 'webhooks', 'audit', 'storage']
  const forms = ['trajectories', 'excitations', 'friction-tests', 'simulations', 'verifications', 'tunings', 'zonings', 'collision-checks'].map((kind) => `${kind}/new?robot=scara`)
  const asked = ['torque-shares', 'energy-estimates', 'vibrations', 'modes', 'fitted-bodies', 'numbers', 'diagnose', 'pendulum-tests'].map((kind) => `analyses/${kind}?robot=driven`)
  asked.push(`analyses/vibrations?robot=scara&dataset=${found.datasets[0]}`)
  const cell = port ? ['controllers?connect=new', 'controllers?connect=kept', 'controllers/line', 'controllers/nobody', 'controllers/kept', 'shifts/line'] : ['controllers?connect=new']
  const robot = ['robots/scara', 'robots/puma560', 'robots/scara/history', 'code/scara', 'cells/bench', `identification-studies/new?identification=${found.identifications[0]}`, `compare?ids=${found.identifications}`, `datasets/${found.datasets[0]}?signal=tau1~tau2~10~1`, `jobs/${found.job}`, `jobs/${found.failed}`]
  const kinds = ['trajectories', 'excitations', 'friction-tests', 'simulations', 'verifications', 'tunings', 'zonings', 'collision-checks', 'identifications', 'evaluations', 'friction-identifications', 'identification-studies', 'orders']
  return [...lists, ...forms, ...asked, ...cell, ...robot, ...kinds.flatMap((kind) => (found[kind] ?? []).map((id) => `${kind}/${id}`)), 'nowhere', 'robots/nobody']
}
