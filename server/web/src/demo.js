// What the first-start page stores: models, and logs of an arm that differs from its model as a real one does.
import puma560 from '../../../tests/data/robots/puma560.json'
import scara from '../../../tests/data/robots/scara.json'
import ur10 from '../../../tests/data/robots/ur10.json'
import { call, get, post, once } from './api.js'
import { upload } from './uploads.js'

const RATE = 200 // Hz
const LOGS = [{ label: 'demo: learn', seconds: 16, seed: 1 }, { label: 'demo: test', seconds: 10, seed: 2 }]

// Numbers that are the same on every machine (mulberry32), and normal ones of them (Box and Muller).
function random(seed) {
  let state = seed >>> 0
  const even = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let n = Math.imul(state ^ (state >>> 15), 1 | state)
    n = (n + Math.imul(n ^ (n >>> 7), 61 | n)) ^ n
    return ((n ^ (n >>> 14)) >>> 0) / 4294967296
  }
  return { even, normal: () => Math.sqrt(-2 * Math.log(1 - even())) * Math.cos(2 * Math.PI * even()) }
}

// A sum of sines for each joint, about the middle of its range and well within its limits.
function motion(model, seconds, seed) {
  const { even } = random(seed)
  const joints = model.joints.map(({ limits }) => {
    const [low, high] = limits?.position ?? [-1.5, 1.5]
    const waves = [1, 2, 3, 4, 5].map((k) => ({ w: 2 * Math.PI * (0.1 * k + 0.03 * even()), a: (1 / k) * (0.6 + 0.4 * even()), p: 2 * Math.PI * even() }))
    const peak = (power) => waves.reduce((sum, { w, a }) => sum + a * w ** power, 0)
    const scale = Math.min((0.4 * (high - low)) / peak(0), (0.7 * (limits?.velocity ?? 3)) / peak(1), (0.7 * (limits?.acceleration ?? 20)) / peak(2))
    return { middle: (low + high) / 2, waves, scale }
  })
  const q = [], qd = [], qdd = []
  for (let k = 0; k < seconds * RATE; k++) {
    const t = k / RATE
    const sum = (part) => joints.map((j) => j.waves.reduce((s, wave) => s + j.scale * part(wave, wave.w * t + wave.p), 0))
    q.push(sum(({ a }, x) => a * Math.sin(x)).map((value, j) => value + joints[j].middle))
    qd.push(sum(({ a, w }, x) => a * w * Math.cos(x)))
    qdd.push(sum(({ a, w }, x) => -a * w * w * Math.sin(x)))
  }
  return { q, qd, qdd }
}

// The arm that was "measured": friction is half as much again, and a part hangs on the tool that the model does not know.
const PART = { mass: 0.6, com: [0, 0, 0.02], inertia: { xx: 0.0004, yy: 0.0004, zz: 0.0005, xy: 0, xz: 0, yz: 0 } }

async function log(name, model, { label, seconds, seed }) {
  const samples = motion(model, seconds, seed)
  const path = `v1/robots/${name}/inverse-dynamics`
  const { data } = await call('POST', path, { json: { ...samples, payload: PART, decompose: true } })
  const { normal } = random(100 + seed)
  const torque = data.tau.map((row, k) => row.map((value, j) => value + 0.5 * data.friction[k][j]))
  const rms = torque[0].map((_, j) => Math.sqrt(torque.reduce((sum, row) => sum + row[j] ** 2, 0) / torque.length))
  const n = model.joints.length
  const names = (field) => Array.from({ length: n }, (_, j) => `${field}${j + 1}`)
  const lines = samples.q.map((q, k) => [(k / RATE).toFixed(4), ...q.map((v) => v.toFixed(7)), ...torque[k].map((v, j) => (v + 0.02 * rms[j] * normal()).toFixed(6))].join(','))
  return upload(`v1/robots/${name}/datasets`, { label }, [['t', ...names('q'), ...names('tau')].join(','), ...lines, ''].join('\n'), 'text/csv', () => {})
}

// tell(done, total, what) before each step. What is there already stays as it is.
export async function loadDemo(tell) {
  const models = [puma560, scara, ur10]
  const total = models.length + LOGS.length
  const there = new Set((await get('v1/robots', { limit: 200 })).items.map((robot) => robot.name))
  for (const [k, model] of models.entries()) {
    tell(k + 1, total, model.name)
    if (!there.has(model.name)) await post('v1/robots', model, { query: { allow_unphysical: true }, headers: once() })
  }
  const labels = new Set((await get('v1/datasets', { robot: scara.name, limit: 200 })).items.map((set) => set.label))
  for (const [k, one] of LOGS.entries()) {
    tell(models.length + k + 1, total, one.label)
    if (!labels.has(one.label)) await log(scara.name, scara, one)
  }
}
