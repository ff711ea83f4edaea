// The example of deploy/doc/clients.md by a client whose types openapi-typescript made of the contract: what does not keep the
// contract does not compile.    node walk.js http://127.0.0.1:8080
import { readFileSync } from 'node:fs'
import createClient from 'openapi-fetch'
import type { components, paths } from './contract.js'

type Schemas = components['schemas']
const client = createClient<paths>({ baseUrl: process.argv[2] })

class Refused extends Error {
  constructor(readonly problem: Schemas['Problem']) {
    super(problem.detail ?? problem.title)
  }
}

/** The JSON of an answer; calls that answer tables too have the text of those in their type. */
function taken<Data>({ data, error }: { data?: Data; error?: Schemas['Problem'] }): Exclude<Data, string> {
  if (error !== undefined || data === undefined) throw error ? new Refused(error) : new Error('no answer')
  return data as Exclude<Data, string>
}

async function createRobot(model: Schemas['RobotInput']) {
  const { error } = await client.PUT('/v1/robots/{robot}', {
    params: { path: { robot: model.name }, header: { 'If-None-Match': '*' } }, body: model,
  })
  if (error && error.status !== 412) throw new Refused(error) // 412: it is there already
}

async function finished(job: Schemas['Job']): Promise<Schemas['Job']> {
  while (job.state === 'queued' || job.state === 'running')
    job = taken(await client.GET('/v1/jobs/{job}', { params: { path: { job: job.id } } }))
  if (job.state !== 'succeeded') throw new Error(job.problem?.detail ?? job.state)
  return job
}

const robot = { path: { robot: 'arm-1' } }
await createRobot(JSON.parse(readFileSync('arm.json', 'utf8')))
const torques = taken(await client.POST('/v1/robots/{robot}/inverse-dynamics', { params: robot, body: { q: [0, 0], qd: [0, 0], qdd: [0, 0] } }))
console.log('torques', ...torques.tau.map((tau) => Number(tau).toFixed(4)))

const motion: Schemas['TrajectoryRequest'] = JSON.parse(readFileSync('motion.json', 'utf8'))
const job = await finished(taken(await client.POST('/v1/robots/{robot}/trajectories', {
  params: { ...robot, header: { Prefer: 'wait=60', 'Idempotency-Key': 'JO-1/50' } }, body: motion,
})))
const trajectory = job.result!.href.split('/').pop()!
const { data: table } = await client.GET('/v1/trajectories/{trajectory}/samples', {
  params: { path: { trajectory }, query: { rate: 10 } }, headers: { Accept: 'text/csv' }, parseAs: 'text',
})
console.log('samples', String(table).trimEnd().split('\n').length - 1)

// @ts-expect-error the types know already that qd is missing
const { error } = await client.POST('/v1/robots/{robot}/inverse-dynamics', { params: robot, body: { q: [0, 0], qdd: [0, 0] } })
console.log('refused', error!.type, error!.errors![0].pointer)
