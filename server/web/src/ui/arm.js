// The bodies of an arm: the shapes of its links and their meshes where they were uploaded, else bodies made up from where its joints are; the axes of
// its frames, and the ellipsoids of uniform density that have the links' masses and inertias.
import * as THREE from 'three'
import { axesOf, forwardKinematics } from './kinematics.js'
import { kindOf } from './kind.js'
import { matrixOf, SHAPES, UP } from './shapes.js'

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

function between(mesh, from, to) {
  const along = to.clone().sub(from)
  mesh.visible = along.length() > 1e-6
  mesh.position.copy(from).addScaledVector(along, 0.5)
  mesh.scale.set(1, Math.max(along.length(), 1e-6), 1)
  if (mesh.visible) mesh.quaternion.setFromUnitVectors(UP, along.normalize())
}

export const discard = (group) => group.traverse((one) => {
  one.geometry?.dispose()
  one.material?.dispose?.()
})

// How far the arm may reach: the lengths of its links, slides at their limits.
export const reach = (model) => Math.max(0.2, model.joints.reduce((sum, joint) => {
  const shift = joint.frame ? Math.hypot(...(joint.frame.translation ?? [0])) : Math.hypot(joint.a ?? 0, joint.d ?? 0)
  const slide = joint.type === 'prismatic' ? Math.max(...(joint.limits?.position ?? [0, 0]).map((one) => Math.abs(one ?? 0))) : 0
  return sum + shift + slide
}, 0))

// A body for each link, thinner towards the tool, and for each joint: a cylinder about the axis that it turns about, a box that slides.
function madeUp(model, size, material, accent) {
  const thick = (j) => size * (0.04 - (0.022 * j) / model.joints.length)
  const group = new THREE.Group()
  const add = (geometry, of) => {
    const mesh = new THREE.Mesh(geometry, of)
    group.add(mesh)
    return mesh
  }
  const foot = add(new THREE.CylinderGeometry(thick(0) * 1.9, thick(0) * 2.3, thick(0) * 0.8, 40), material)
  foot.rotation.x = Math.PI / 2
  const links = model.joints.map((_, j) => ({ bar: add(new THREE.CylinderGeometry(thick(j), thick(j), 1, 28), material), knee: add(new THREE.SphereGeometry(thick(j), 24, 16), material) }))
  const joints = model.joints.map(({ type }, j) => add(type === 'prismatic' ? new THREE.BoxGeometry(2.4 * thick(j), 3.2 * thick(j), 2.4 * thick(j)) : new THREE.CylinderGeometry(1.35 * thick(j), 1.35 * thick(j), 3 * thick(j), 28), accent))
  const tool = { bar: add(new THREE.CylinderGeometry(thick(model.joints.length), thick(model.joints.length), 1, 20), accent), knee: add(new THREE.SphereGeometry(thick(model.joints.length) * 1.2, 20, 14), accent) }
  return {
    group,
    pose(pose) {
      let from = new THREE.Vector3()
      for (const [k, { bar, knee }] of [...links, tool].entries()) {
        const to = new THREE.Vector3().setFromMatrixPosition(matrixOf(pose.links[k] ?? pose.tool))
        between(bar, from, to)
        knee.position.copy(to)
        from = to
      }
      for (const [k, { origin, direction }] of axesOf(model, pose).entries()) {
        joints[k].position.set(...origin)
        joints[k].quaternion.setFromUnitVectors(UP, new THREE.Vector3(...direction).normalize())
      }
    },
  }
}

// An arm that can be posed: { group, cloth, dress, show, pose(q) }.
export function armOf(model, size) {
  const group = new THREE.Group()
  const made = madeUp(model, size, new THREE.MeshStandardMaterial({ color: 0x4a90c2, roughness: 0.55 }), new THREE.MeshStandardMaterial({ color: 0xd9822b, roughness: 0.5 }))
  const glass = new THREE.MeshStandardMaterial({ color: 0x8e6fc0, transparent: true, opacity: 0.28, depthWrite: false })
  const links = model.joints.map((joint) => {
    const frame = new THREE.AxesHelper(size * 0.09)
    const shape = ellipsoid(joint.link ?? {})
    const body = shape && new THREE.Mesh(new THREE.SphereGeometry(1, 24, 16), glass)
    if (body) body.matrixAutoUpdate = false
    group.add(frame, ...(body ? [body] : []))
    return { frame, shape, body }
  })
  const flag = new THREE.AxesHelper(size * 0.14)
  const cloth = new THREE.Group()
  const visuals = (model.visuals ?? []).filter((one) => !one.collision)
  group.add(made.group, flag, cloth)
  return {
    group, cloth,
    // shapes: the files of the meshes that are there, by name
    dress(shapes) {
      const geometries = new Map([...shapes].map(([name, bytes]) => [name, geometryOf(bytes)]))
      discard(cloth)
      cloth.clear()
      for (const visual of visuals.filter((one) => !one.mesh || geometries.has(one.mesh))) {
        const [geometry, place] = visual.mesh ? [geometries.get(visual.mesh), placeOf(visual)] : SHAPES[kindOf(visual)](visual[kindOf(visual)])
        const mesh = new THREE.Mesh(geometry, clothOf(visual))
        mesh.matrixAutoUpdate = false
        mesh.userData = { link: model.joints.findIndex((joint) => joint.name === visual.joint), place }
        cloth.add(mesh)
      }
    },
    // Bodies that are made up stand in where meshes are not wanted, or not all there.
    show({ bodies, meshes, frames }) {
      cloth.visible = meshes
      made.group.visible = !(meshes && visuals.length > 0 && cloth.children.length === visuals.length)
      for (const { body, frame } of links) {
        if (body) body.visible = bodies
        frame.visible = frames
      }
    },
    pose(q) {
      const pose = forwardKinematics(model, q)
      for (const { userData: { link, place }, matrix } of cloth.children) link < 0 ? matrix.copy(place) : matrix.multiplyMatrices(matrixOf(pose.links[link]), place)
      made.pose(pose)
      pose.links.forEach((rows, k) => {
        const matrix = matrixOf(rows)
        matrix.decompose(links[k].frame.position, links[k].frame.quaternion, links[k].frame.scale)
        if (links[k].body) links[k].body.matrix.multiplyMatrices(matrix, links[k].shape)
      })
      matrixOf(pose.tool).decompose(flag.position, flag.quaternion, flag.scale)
    },
  }
}

// The arm in another pose, to be seen through.
export function ghostOf(model, size, q, color) {
  const material = new THREE.MeshStandardMaterial({ color, transparent: true, opacity: 0.22, depthWrite: false })
  const made = madeUp(model, size, material, material)
  made.pose(forwardKinematics(model, q))
  return made.group
}

// The way of the tool through these poses.
export function trailOf(model, motion) {
  const points = motion.map((q) => new THREE.Vector3().setFromMatrixPosition(matrixOf(forwardKinematics(model, q).tool)))
  return new THREE.Line(new THREE.BufferGeometry().setFromPoints(points), new THREE.LineBasicMaterial({ color: 0xd1495b }))
}

// The ball around all that these poses reach.
export function ballOf(model, poses, size) {
  const box = new THREE.Box3().expandByPoint(new THREE.Vector3())
  for (const q of poses) {
    const { links, tool } = forwardKinematics(model, q)
    for (const rows of [...links, tool]) box.expandByPoint(new THREE.Vector3().setFromMatrixPosition(matrixOf(rows)))
  }
  return box.expandByScalar(size * 0.05).getBoundingSphere(new THREE.Sphere())
}
