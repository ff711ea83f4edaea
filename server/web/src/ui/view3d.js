// An arm in three dimensions, drawn from the link frames that the service computes: the meshes of its links where they were
// uploaded, else sticks; joints, axes, and the ellipsoids of uniform density that have the links' masses and inertias.
import { useEffect, useRef } from 'preact/hooks'
import * as THREE from 'three'
import { OrbitControls } from 'three/examples/jsm/controls/OrbitControls.js'
import { html } from '../html.js'
import { dark } from '../session.js'
import { useShapes } from './meshes.js'

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

// The binary STL that the service answers, whatever was uploaded: 84 bytes, then 50 for each triangle (normal, three corners).
function geometryOf(bytes) {
  const view = new DataView(bytes)
  const count = view.getUint32(80, true)
  const [corners, normals] = [new Float32Array(9 * count), new Float32Array(9 * count)]
  for (let i = 0; i < count; i++) {
    for (let k = 0; k < 9; k++) {
      normals[9 * i + k] = view.getFloat32(84 + 50 * i + 4 * (k % 3), true)
      corners[9 * i + k] = view.getFloat32(84 + 50 * i + 4 * (3 + k), true)
    }
  }
  return new THREE.BufferGeometry().setAttribute('position', new THREE.BufferAttribute(corners, 3)).setAttribute('normal', new THREE.BufferAttribute(normals, 3))
}

// Where a mesh is in the frame of its link: rpy about fixed axes as in URDF, R = Rz Ry Rx.
function placeOf({ frame: { translation = [0, 0, 0], rpy = [0, 0, 0] } = {}, scale = [1, 1, 1] }) {
  return new THREE.Matrix4().compose(new THREE.Vector3(...translation), new THREE.Quaternion().setFromEuler(new THREE.Euler(...rpy, 'ZYX')), new THREE.Vector3(...scale))
}

function clothOf({ color: [red, green, blue, opacity] = [0.72, 0.76, 0.8, 1] }) {
  const color = new THREE.Color().setRGB(red, green, blue, THREE.SRGBColorSpace)
  return new THREE.MeshStandardMaterial({ color, opacity, transparent: opacity < 1, roughness: 0.6, side: THREE.DoubleSide })
}

const between = (mesh, from, to) => {
  const along = to.clone().sub(from)
  mesh.visible = along.length() > 1e-6
  mesh.position.copy(from).addScaledVector(along, 0.5)
  mesh.scale.set(1, Math.max(along.length(), 1e-6), 1)
  if (mesh.visible) mesh.quaternion.setFromUnitVectors(new THREE.Vector3(0, 1, 0), along.normalize())
}

const discard = (group) => group.traverse((one) => {
  one.geometry?.dispose()
  one.material?.dispose?.()
})

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
  const cloth = new THREE.Group()
  arm.add(cloth)
  const visuals = model.visuals ?? []
  return {
    arm,
    cloth,
    // shapes: the files of the meshes that are there, by name
    dress(shapes) {
      const geometries = new Map([...shapes].map(([name, bytes]) => [name, geometryOf(bytes)]))
      discard(cloth)
      cloth.clear()
      for (const visual of visuals.filter((one) => geometries.has(one.mesh))) {
        const mesh = new THREE.Mesh(geometries.get(visual.mesh), clothOf(visual))
        mesh.matrixAutoUpdate = false
        mesh.userData = { link: model.joints.findIndex((joint) => joint.name === visual.joint), place: placeOf(visual) }
        cloth.add(mesh)
      }
    },
    // Sticks stand in where meshes are not wanted, or not all there.
    show({ bodies, meshes }) {
      const whole = meshes && visuals.length > 0 && cloth.children.length === visuals.length
      cloth.visible = meshes
      for (const { body, stick, ball } of links) {
        if (body) body.visible = bodies
        for (const one of [stick, ball]) one.material.visible = !whole
      }
      tool.material.visible = !whole
    },
    pose({ links: frames, tool: end }) {
      for (const { userData: { link, place }, matrix } of cloth.children) link < 0 ? matrix.copy(place) : matrix.multiplyMatrices(matrixOf(frames[link]), place)
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
  }
}

// How far the arm may reach: the lengths of its links, slides at their limits.
const reach = (model) => Math.max(0.2, model.joints.reduce((sum, joint) => {
  const shift = joint.frame ? Math.hypot(...(joint.frame.translation ?? [0])) : Math.hypot(joint.a ?? 0, joint.d ?? 0)
  const slide = joint.type === 'prismatic' ? Math.max(...(joint.limits?.position ?? [0, 0]).map((one) => Math.abs(one ?? 0))) : 0
  return sum + shift + slide
}, 0))

// pose: { links, tool } of forward kinematics; label: what it is, for who does not see it; uploads: another number for other
// meshes.
export function View3D({ model, pose, label, bodies = true, meshes = true, uploads = 0 }) {
  const at = useRef()
  const view = useRef()
  const shapes = useShapes(model, uploads)
  useEffect(() => {
    const size = reach(model)
    const renderer = new THREE.WebGLRenderer({ antialias: true })
    renderer.setPixelRatio(Math.min(devicePixelRatio, 2))
    at.current.appendChild(renderer.domElement)
    const scene = new THREE.Scene()
    const camera = new THREE.PerspectiveCamera(38, 1, size / 50, size * 50)
    camera.up.set(0, 0, 1)
    camera.position.set(size * 1.6, -size * 1.8, size * 1.35)
    const controls = new OrbitControls(camera, renderer.domElement)
    controls.target.set(0, 0, size * 0.42)
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
    at.current.shownBox = () => new THREE.Box3().setFromObject(body.cloth, true) // of the meshes, m in the base frame: for tests
    return () => {
      watch.disconnect()
      controls.dispose()
      discard(scene)
      renderer.dispose()
      renderer.domElement.remove()
      view.current = null
    }
  }, [model])
  useEffect(() => view.current?.body.dress(shapes), [model, shapes])
  useEffect(() => {
    if (!view.current || !pose) return
    view.current.body.pose(pose)
    view.current.body.show({ bodies, meshes })
    view.current.draw()
  }, [model, shapes, pose, bodies, meshes, dark.value])
  return html`<div class="view3d" ref=${at} role="img" aria-label=${label}></div>`
}
