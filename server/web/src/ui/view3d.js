// An arm in three dimensions, drawn from the link frames that the service computes: sticks, joints, axes, and the ellipsoids
// of uniform density that have the links' masses and inertias.
import { useEffect, useRef } from 'preact/hooks'
import * as THREE from 'three'
import { OrbitControls } from 'three/examples/jsm/controls/OrbitControls.js'
import { html } from '../html.js'
import { dark } from '../session.js'

const matrixOf = (rows) => new THREE.Matrix4().set(...rows.flat())

// Eigenvalues and eigenvectors of a symmetric 3 × 3 matrix by Jacobi's rotations.
function principal(m) {
  const a = m.map((row) => [...row])
  const v = [[1, 0, 0], [0, 1, 0], [0, 0, 1]]
  for (let sweep = 0; sweep < 30; sweep++) {
    for (const [p, q] of [[0, 1], [0, 2], [1, 2]]) {
      if (Math.abs(a[p][q]) < 1e-14 * (Math.abs(a[p][p]) + Math.abs(a[q][q]))) continue
      const angle = 0.5 * Math.atan2(2 * a[p][q], a[q][q] - a[p][p])
      const [c, s] = [Math.cos(angle), Math.sin(angle)]
      for (let k = 0; k < 3; k++) [a[k][p], a[k][q]] = [c * a[k][p] - s * a[k][q], s * a[k][p] + c * a[k][q]]
      for (let k = 0; k < 3; k++) [a[p][k], a[q][k]] = [c * a[p][k] - s * a[q][k], s * a[p][k] + c * a[q][k]]
      for (let k = 0; k < 3; k++) [v[k][p], v[k][q]] = [c * v[k][p] - s * v[k][q], s * v[k][p] + c * v[k][q]]
    }
  }
  return { values: [a[0][0], a[1][1], a[2][2]], vectors: v }
}

// Semi-axes² of the uniform ellipsoid: 5 (I2 + I3 - I1) / (2 m). null: no such body.
function ellipsoid({ mass, com = [0, 0, 0], inertia: i = {} }) {
  if (!(mass > 0)) return null
  const { xx = 0, yy = 0, zz = 0, xy = 0, xz = 0, yz = 0 } = i
  const { values: [a, b, c], vectors } = principal([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
  const axes = [b + c - a, a + c - b, a + b - c].map((one) => Math.sqrt(Math.max(one, 0) * 2.5 / mass))
  if (!axes.some((one) => one > 0)) return null
  const [x, y, z] = [0, 1, 2].map((k) => new THREE.Vector3(vectors[0][k], vectors[1][k], vectors[2][k]).multiplyScalar(Math.max(axes[k], 1e-3)))
  return new THREE.Matrix4().makeBasis(x, y, z).setPosition(...com)
}

const between = (mesh, from, to) => {
  const along = to.clone().sub(from)
  mesh.visible = along.length() > 1e-6
  mesh.position.copy(from).addScaledVector(along, 0.5)
  mesh.scale.set(1, Math.max(along.length(), 1e-6), 1)
  if (mesh.visible) mesh.quaternion.setFromUnitVectors(new THREE.Vector3(0, 1, 0), along.normalize())
}

function build(model, size) {
  const arm = new THREE.Group()
  const material = new THREE.MeshStandardMaterial({ color: 0x4a90c2, roughness: 0.55 })
  const joints = new THREE.MeshStandardMaterial({ color: 0xd9822b, roughness: 0.5 })
  const bodies = new THREE.MeshStandardMaterial({ color: 0x8e6fc0, transparent: true, opacity: 0.28, depthWrite: false })
  const thick = size * 0.018
  const links = model.joints.map((joint) => {
    const stick = new THREE.Mesh(new THREE.CylinderGeometry(thick, thick, 1, 20), material)
    const ball = new THREE.Mesh(new THREE.SphereGeometry(thick * 1.7, 24, 16), joints)
    const frame = new THREE.AxesHelper(size * 0.09)
    const shape = ellipsoid(joint.link ?? {})
    const body = shape && new THREE.Mesh(new THREE.SphereGeometry(1, 24, 16), bodies)
    if (body) body.matrixAutoUpdate = false
    arm.add(stick, ball, frame, ...(body ? [body] : []))
    return { stick, ball, frame, shape, body }
  })
  const tool = new THREE.Mesh(new THREE.CylinderGeometry(thick * 0.7, thick * 0.7, 1, 20), joints)
  const flag = new THREE.AxesHelper(size * 0.14)
  arm.add(tool, flag)
  return {
    arm,
    pose({ links: frames, tool: end }) {
      let from = new THREE.Vector3()
      frames.forEach((rows, k) => {
        const matrix = matrixOf(rows)
        const to = new THREE.Vector3().setFromMatrixPosition(matrix)
        between(links[k].stick, from, to)
        links[k].ball.position.copy(to)
        matrix.decompose(links[k].frame.position, links[k].frame.quaternion, links[k].frame.scale)
        if (links[k].body) links[k].body.matrix.multiplyMatrices(matrix, links[k].shape)
        from = to
      })
      const matrix = matrixOf(end)
      between(tool, from, new THREE.Vector3().setFromMatrixPosition(matrix))
      matrix.decompose(flag.position, flag.quaternion, flag.scale)
    },
    bodies(shown) {
      for (const { body } of links) if (body) body.visible = shown
    },
  }
}

// How far the arm may reach: the lengths of its links, slides at their limits.
const reach = (model) => Math.max(0.2, model.joints.reduce((sum, joint) => {
  const shift = joint.frame ? Math.hypot(...(joint.frame.translation ?? [0])) : Math.hypot(joint.a ?? 0, joint.d ?? 0)
  const slide = joint.type === 'prismatic' ? Math.max(...(joint.limits?.position ?? [0, 0]).map((one) => Math.abs(one ?? 0))) : 0
  return sum + shift + slide
}, 0))

// pose: { links, tool } of forward kinematics; label: what it is, for who does not see it.
export function View3D({ model, pose, label, bodies = true }) {
  const at = useRef()
  const view = useRef()
  useEffect(() => {
    const size = reach(model)
    const renderer = new THREE.WebGLRenderer({ antialias: true })
    renderer.setPixelRatio(Math.min(devicePixelRatio, 2))
    at.current.appendChild(renderer.domElement)
    const scene = new THREE.Scene()
    const camera = new THREE.PerspectiveCamera(38, 1, size / 50, size * 50)
    camera.up.set(0, 0, 1)
    camera.position.set(size * 1.5, -size * 1.7, size * 1.2)
    const controls = new OrbitControls(camera, renderer.domElement)
    controls.target.set(0, 0, size * 0.25)
    controls.update()
    scene.add(new THREE.HemisphereLight(0xffffff, 0x667788, 2.2))
    const sun = new THREE.DirectionalLight(0xffffff, 1.6)
    sun.position.set(2, -3, 5)
    scene.add(sun)
    const grid = new THREE.GridHelper(size * 3, 12, 0x8899aa, 0x8899aa)
    grid.rotation.x = Math.PI / 2
    grid.material.transparent = true
    grid.material.opacity = 0.35
    scene.add(grid)
    const body = build(model, size)
    scene.add(body.arm)
    const draw = () => {
      scene.background = new THREE.Color(dark.value ? 0x141c25 : 0xf1f4f8)
      renderer.render(scene, camera)
    }
    controls.addEventListener('change', draw)
    const fit = () => {
      const { clientWidth: w, clientHeight: h } = at.current
      renderer.setSize(w, h, false)
      camera.aspect = w / h
      camera.updateProjectionMatrix()
      draw()
    }
    const watch = new ResizeObserver(fit)
    watch.observe(at.current)
    view.current = { body, draw }
    return () => {
      watch.disconnect()
      controls.dispose()
      scene.traverse((one) => {
        one.geometry?.dispose()
        one.material?.dispose?.()
      })
      renderer.dispose()
      renderer.domElement.remove()
      view.current = null
    }
  }, [model])
  useEffect(() => {
    if (!view.current || !pose) return
    view.current.body.pose(pose)
    view.current.body.bodies(bodies)
    view.current.draw()
  }, [model, pose, bodies, dark.value])
  return html`<div class="view3d" ref=${at} role="img" aria-label=${label}></div>`
}
