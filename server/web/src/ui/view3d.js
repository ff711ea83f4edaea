// An arm in three dimensions, which a person turns by mouse or keyboard.
import { useEffect, useRef } from 'preact/hooks'
import * as THREE from 'three'
import { OrbitControls } from 'three/examples/jsm/controls/OrbitControls.js'
import { TransformControls } from 'three/examples/jsm/controls/TransformControls.js'
import { html } from '../html.js'
import { dark } from '../session.js'
import { extend, t } from '../words.js'
import { armOf, ballOf, discard, ghostOf, reach, trailOf } from './arm.js'
import { ballAround, cellOf, gapOf, handleOf, movedBy, solidsOf } from './cell.js'
import { forwardKinematics } from './kinematics.js'
import { useShapes } from './meshes.js'
import { matrixOf } from './shapes.js'
import { stage } from './stage.js'

extend({
  view_keys: ['Arrows turn it, + and − zoom, 0 shows all, 1 to 4 look from there; the wheel zooms once it was clicked.', '方向键旋转，+ 和 − 缩放，0 显示全部，1 至 4 切换视角；点击后可用滚轮缩放。'],
  grip_move: ['Move the tool', '移动末端'],
  grip_turn: ['Turn the tool', '旋转末端'],
  hold_move: ['Move the body', '移动物体'],
  hold_turn: ['Turn the body', '旋转物体'],
  view_all: ['Show all', '显示全部'],
  'view.slant': ['Slanting', '斜视'],
  'view.front': ['Front', '前视'],
  'view.side': ['Side', '侧视'],
  'view.top': ['Top', '俯视'],
})

// Directions from which the camera looks: azimuth and elevation, rad.
const PLACES = { slant: [-0.85, 0.5], front: [0, 0.02], side: [-Math.PI / 2, 0.02], top: [-Math.PI / 2, 1.55] }
const TURN = Math.PI / 36 // by one key
const FIELD = 38 // degrees
const STEPS = 200 // poses of a motion that its trail is made of

const thinned = (motion) => (motion.length <= STEPS ? motion : Array.from({ length: STEPS }, (_, k) => motion[Math.round((k * (motion.length - 1)) / (STEPS - 1))]))

// The camera, and what a person does with it.
function looking(canvas, draw) {
  const camera = new THREE.PerspectiveCamera(FIELD, 1, 0.01, 100)
  camera.up.set(0, 0, 1)
  const controls = new OrbitControls(camera, canvas)
  controls.enableZoom = false // the wheel is the page's until the view has the focus
  let ball = new THREE.Sphere(new THREE.Vector3(), 1)
  let moved = false
  const where = () => {
    const offset = camera.position.clone().sub(controls.target)
    const distance = offset.length() || 1
    return { azimuth: Math.atan2(offset.y, offset.x), elevation: Math.asin(offset.z / distance), distance }
  }
  const put = ({ azimuth, elevation, distance }) => {
    const up = Math.max(-1.55, Math.min(1.55, elevation))
    camera.position.copy(controls.target).add(new THREE.Vector3(Math.cos(up) * Math.cos(azimuth), Math.cos(up) * Math.sin(azimuth), Math.sin(up)).multiplyScalar(distance))
    controls.update()
    draw()
  }
  const enough = () => { // how far away all of the ball is in sight, in the narrower direction
    const half = (FIELD * Math.PI) / 360
    return (1.08 * ball.radius) / Math.sin(Math.min(half, Math.atan(Math.tan(half) * camera.aspect)))
  }
  const from = (azimuth, elevation) => {
    moved = false
    controls.target.copy(ball.center)
    put({ azimuth, elevation, distance: enough() })
  }
  const fit = () => {
    const { azimuth, elevation } = where()
    from(azimuth, elevation)
  }
  const turn = (dAzimuth, dElevation, scale = 1) => {
    const { azimuth, elevation, distance } = where()
    moved = true
    put({ azimuth: azimuth + dAzimuth, elevation: elevation + dElevation, distance: distance * scale })
  }
  const KEYS = { ArrowLeft: () => turn(-TURN, 0), ArrowRight: () => turn(TURN, 0), ArrowUp: () => turn(0, TURN), ArrowDown: () => turn(0, -TURN), '+': () => turn(0, 0, 0.9), '=': () => turn(0, 0, 0.9), '-': () => turn(0, 0, 1 / 0.9), 0: fit }
  Object.values(PLACES).forEach((place, k) => (KEYS[k + 1] = () => from(...place)))
  controls.addEventListener('start', () => (moved = true))
  controls.addEventListener('change', draw)
  canvas.style.touchAction = 'pan-y'
  canvas.addEventListener('focus', () => (controls.enableZoom = true))
  canvas.addEventListener('blur', () => (controls.enableZoom = false))
  canvas.addEventListener('keydown', (event) => {
    if (!KEYS[event.key] || event.ctrlKey || event.altKey || event.metaKey) return
    event.preventDefault()
    KEYS[event.key]()
  })
  camera.position.set(1, -1, 1)
  return {
    camera, fit, from, orbit: controls,
    resize(aspect) {
      camera.aspect = aspect
      camera.updateProjectionMatrix()
      if (!moved) fit()
    },
    cover(next) { // this ball is to be seen, unless the person has chosen what is
      ball = next
      camera.near = ball.radius / 100
      camera.far = ball.radius * 100
      camera.updateProjectionMatrix()
      if (!moved) fit()
    },
    done: () => controls.dispose(),
  }
}

// A handle at the tool, or at a body: told(rows, begun) while it is dragged from where it begun, put(rows) where that is by now.
function handle(canvas, { camera, orbit }, scene, draw, told) {
  const target = new THREE.Object3D()
  const grip = new TransformControls(camera, canvas)
  let last // where the tool is
  let begun
  const rows = () => {
    target.updateMatrix()
    const m = target.matrix.elements
    return [0, 1, 2, 3].map((row) => [0, 1, 2, 3].map((column) => m[4 * column + row]))
  }
  const rest = () => last && matrixOf(last).decompose(target.position, target.quaternion, target.scale)
  grip.setSpace('local')
  grip.setSize(0.75)
  grip.addEventListener('change', draw)
  grip.addEventListener('dragging-changed', ({ value }) => {
    orbit.enabled = !value
    if (value) begun = rows()
    else rest() // not where nothing reaches
    draw()
  })
  grip.addEventListener('objectChange', () => told(rows(), begun))
  const helper = grip.getHelper()
  scene.add(target, helper)
  grip.attach(target)
  return {
    put(rows) {
      last = rows
      if (!grip.dragging) rest()
    },
    mode: (name) => grip.setMode(name),
    place: () => {
      const { x, y } = target.position.clone().project(camera)
      const { left, top, width, height } = canvas.getBoundingClientRect()
      return { x: left + ((x + 1) / 2) * width, y: top + ((1 - y) / 2) * height }
    },
    done: () => {
      scene.remove(target, helper)
      grip.dispose()
    },
  }
}

// told(number) of the body of the cell that was clicked on, where the pointer was not dragged.
function picking(canvas, camera, extras, told) {
  let down
  const begin = ({ clientX, clientY }) => (down = [clientX, clientY])
  const pick = ({ clientX, clientY }) => {
    if (!down || Math.hypot(clientX - down[0], clientY - down[1]) > 4) return
    const { left, top, width, height } = canvas.getBoundingClientRect()
    const ray = new THREE.Raycaster()
    ray.setFromCamera(new THREE.Vector2((2 * (clientX - left)) / width - 1, 1 - (2 * (clientY - top)) / height), camera)
    const [hit] = ray.intersectObjects(extras.children, true).filter(({ object: { userData } }) => userData.number !== undefined && !userData.endless)
    if (hit) told(hit.object.userData.number)
  }
  canvas.addEventListener('pointerdown', begin)
  canvas.addEventListener('click', pick)
  return () => {
    canvas.removeEventListener('pointerdown', begin)
    canvas.removeEventListener('click', pick)
  }
}

function lit(size) {
  const scene = new THREE.Scene()
  scene.add(new THREE.HemisphereLight(0xffffff, 0x667788, 2.2))
  const sun = new THREE.DirectionalLight(0xffffff, 1.6)
  sun.position.set(2, -3, 5)
  const grid = new THREE.GridHelper(size * 3, 12, 0x8899aa, 0x8899aa)
  grid.rotation.x = Math.PI / 2
  grid.material.transparent = true
  grid.material.opacity = 0.35
  scene.add(sun, grid)
  return scene
}

// q: the pose; motion: poses that it goes through, for a trail and to have all of them in sight; ghosts: poses that are shown as glass;
// cell: what stands around; solids: what the arm's parts take up is shown; held: { number, told(moved, begun) } of a body of the cell with a handle: moved(cell, body) is the body as it was dragged since it was begun; pick(number):
// hears which one is clicked on; gap: two points and a line between them; label: what it is, for who does not see it; uploads: another number for other meshes; grip(rows): hears where the tool is dragged to.
export function Page({ model, q, motion, ghosts, cell, solids = false, held, pick, gap, label, bodies = true, meshes = true, frames = true, uploads = 0, grip }) {
  const at = useRef()
  const canvas = useRef()
  const view = useRef()
  const shapes = useShapes(model, uploads)
  const told = useRef(grip)
  told.current = grip
  const dragged = useRef()
  dragged.current = { held, pick }
  useEffect(() => {
    const size = reach(model)
    const scene = lit(size)
    const arm = armOf(model, size)
    const extras = new THREE.Group()
    scene.add(arm.group, extras)
    let shown // when all is set up
    const eye = looking(canvas.current, () => shown?.draw())
    eye.from(...PLACES.slant)
    shown = stage(canvas.current, scene, eye.camera)
    const watch = new ResizeObserver(() => {
      const { clientWidth: w, clientHeight: h } = at.current
      const ratio = Math.min(devicePixelRatio, 2)
      Object.assign(canvas.current, { width: Math.round(w * ratio), height: Math.round(h * ratio) })
      eye.resize(w / h || 1)
      shown.draw()
    })
    watch.observe(at.current)
    const held = grip && handle(canvas.current, eye, scene, shown.draw, (rows) => told.current(rows))
    const unpick = picking(canvas.current, eye.camera, extras, (number) => dragged.current.pick?.(number))
    view.current = { size, scene, arm, extras, eye, held, draw: shown.draw }
    at.current.shownBox = () => new THREE.Box3().setFromObject(arm.cloth, true) // of the meshes, m in the base frame: for tests
    at.current.gripAt = () => held.place() // where on the screen the tool's handle is: for tests
    return () => {
      watch.disconnect()
      unpick()
      held?.done()
      eye.done()
      shown.done()
      discard(scene)
      view.current = null
    }
  }, [model])
  useEffect(() => {
    if (!held) return
    const { eye, scene, draw } = view.current
    const handled = handle(canvas.current, eye, scene, draw, (rows, begun) => dragged.current.held?.told((around, body) => movedBy(around, body, begun, rows), begun))
    view.current.handled = handled
    at.current.heldAt = handled.place // where on the screen the body's handle is: for tests
    return () => {
      handled.done()
      if (view.current) view.current.handled = null
      draw()
    }
  }, [model, held?.number])
  useEffect(() => {
    if (held) view.current.handled?.put(handleOf(cell, cell.bodies[held.number]))
    view.current.draw()
  }, [model, held])
  useEffect(() => view.current.arm.dress(shapes), [model, shapes])
  useEffect(() => {
    const { size, extras, eye, draw } = view.current
    discard(extras)
    extras.clear()
    const way = motion?.length ? thinned(motion) : []
    if (way.length) extras.add(trailOf(model, way))
    for (const [k, pose] of (ghosts ?? []).entries()) extras.add(ghostOf(model, size, pose, k === 0 ? 0x2a9d5c : k === ghosts.length - 1 ? 0xd1495b : 0x8899aa))
    const around = cell && cellOf(cell, size, held?.number)
    if (around) extras.add(around)
    if (solids && q) extras.add(solidsOf(model, forwardKinematics(model, q)))
    if (gap) extras.add(gapOf(gap))
    const ball = ballOf(model, [...way, ...(ghosts ?? []), ...(way.length || !q ? [] : [q])], size)
    const beside = around && ballAround(around)
    eye.cover(beside ? ball.union(beside) : ball)
    draw()
  }, [model, motion, ghosts, cell, gap, held?.number, solids && q])
  useEffect(() => {
    const { arm, draw, held, scene } = view.current
    scene.background = new THREE.Color(dark.value ? 0x141c25 : 0xf1f4f8)
    arm.show({ bodies, meshes, frames })
    if (q) arm.pose(q)
    if (q) held?.put(forwardKinematics(model, q).tool)
    draw()
  }, [model, shapes, q, bodies, meshes, frames, dark.value])
  return html`<div class="view3d" ref=${at}>
    <canvas ref=${canvas} tabindex="0" role="img" aria-label=${`${label}. ${t('view_keys')}`} title=${t('view_keys')}></canvas>
    <div class="places"><button type="button" onClick=${() => view.current.eye.fit()}>${t('view_all')}</button>${Object.entries(PLACES).map(([name, place]) => html`<button key=${name} type="button" onClick=${() => view.current.eye.from(...place)}>${t(`view.${name}`)}</button>`)}${(grip || held) && ['translate', 'rotate'].map((mode) => html`<button key=${mode} type="button" onClick=${() => (view.current.handled ?? view.current.held).mode(mode)}>${t(`${held ? 'hold' : 'grip'}_${mode === 'rotate' ? 'turn' : 'move'}`)}</button>`)}</div>
  </div>`
}
