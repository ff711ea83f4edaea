// A motion played in three dimensions on the browser's clock, as fast and as often as a person likes.
import { useEffect, useMemo, useState } from 'preact/hooks'
import { html } from '../html.js'
import { extend, t } from '../words.js'
import { figure } from './format.js'
import { Check, Field } from './parts.js'
import { View3D } from './view.js'

extend({
  play: ['The motion in three dimensions', '三维运动'],
  play_do: ['Play', '播放'],
  pause: ['Pause', '暂停'],
  play_speed: ['Speed', '速度'],
  play_loop: ['Again and again', '循环'],
  play_ghosts: ['Start and goal', '起点与终点'],
  play_trail: ['Way of the tool', '末端轨迹'],
  time_of: ['{time} of {all} s', '{time} / {all} s'],
})

const SPEEDS = [0.1, 0.25, 0.5, 1, 2, 4]

// Where in a rising series a time is: [index, part of the way to the next].
function placeOf(times, time) {
  let [low, high] = [0, times.length - 1]
  while (high - low > 1) {
    const middle = (low + high) >> 1
    if (times[middle] <= time) low = middle
    else high = middle
  }
  const width = times[high] - times[low]
  return [low, width > 0 ? Math.min(1, Math.max(0, (time - times[low]) / width)) : 0]
}

// time: a signal, s, that the plots of the motion share.
export function Player({ model, name, duration, samples, time }) {
  const [running, run] = useState(false)
  const [speed, setSpeed] = useState(1)
  const [loop, setLoop] = useState(false)
  const [ghosts, setGhosts] = useState(true)
  const [trail, setTrail] = useState(true)
  const { times, poseAt, motion, ends } = useMemo(() => {
    const times = samples.column('t')
    const joints = model.joints.map((_, j) => samples.column(`q${j + 1}`))
    const row = (k) => joints.map((column) => column[k])
    const motion = Array.from({ length: Math.min(200, times.length) }, (_, k, all = Math.min(200, times.length)) => row(Math.round((k * (times.length - 1)) / Math.max(1, all - 1))))
    const poseAt = (now) => {
      const [k, part] = placeOf(times, now)
      return joints.map((column) => column[k] + part * ((column[k + 1] ?? column[k]) - column[k]))
    }
    return { times, poseAt, motion, ends: [row(0), row(times.length - 1)] }
  }, [samples, model])
  useEffect(() => {
    if (!running) return
    let last = performance.now(), handle
    const step = (now) => {
      const next = (time.peek() ?? 0) + (speed * (now - last)) / 1000
      last = now
      if (next >= duration && !loop) {
        time.value = duration
        return run(false)
      }
      time.value = duration > 0 ? next % duration : 0
      handle = requestAnimationFrame(step)
    }
    handle = requestAnimationFrame(step)
    return () => cancelAnimationFrame(handle)
  }, [running, speed, loop, duration])
  const now = time.value ?? 0
  const q = useMemo(() => poseAt(now), [poseAt, now])
  const toggle = () => {
    if (!running && now >= duration) time.value = 0
    run(!running)
  }
  return html`<section class="panel"><h2>${t('play')}</h2>
    <${View3D} model=${model} q=${q} motion=${trail ? motion : undefined} ghosts=${ghosts ? ends : undefined} bodies=${false} frames=${false} label=${`${name}, ${t('play')}`} />
    <div class="row" style=${{ marginTop: '.6rem', alignItems: 'center' }}><button type="button" class="main" disabled=${!times.length} onClick=${toggle}>${running ? `❚❚ ${t('pause')}` : `▶ ${t('play_do')}`}</button>
      <input type="range" style=${{ flex: '1 1 12rem' }} min="0" max=${duration} step=${duration / 1000} value=${now} aria-label=${t('time_s')} onInput=${(e) => { run(false); time.value = Number(e.target.value) }} />
      <span class="number">${t('time_of', { time: now.toFixed(2), all: figure(duration) })}</span>
      <${Field} label=${t('play_speed')}><select value=${speed} onChange=${(e) => setSpeed(Number(e.target.value))}>${SPEEDS.map((one) => html`<option value=${one}>${one} ×</option>`)}</select></${Field}>
      <${Check} label=${t('play_loop')} checked=${loop} onChange=${(e) => setLoop(e.target.checked)} />
      <${Check} label=${t('play_ghosts')} checked=${ghosts} onChange=${(e) => setGhosts(e.target.checked)} />
      <${Check} label=${t('play_trail')} checked=${trail} onChange=${(e) => setTrail(e.target.checked)} /></div></section>`
}
