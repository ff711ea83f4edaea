// What stands around an arm, as glass, in the arm's base frame.
import * as THREE from 'three'
import { anglesOf, placed } from './kinematics.js'
import { kindOf } from './kind.js'
import { matrixOf, posed, SHAPES, vector } from './shapes.js'

// A body in the axes that it is described in; null: it cannot be drawn.
function glassOf(body, size, color, opacity) {
  const made = kindOf(body) && SHAPES[kindOf(body)](body[kindOf(body)], size)
  if (!made) return null
  const mesh = new THREE.Mesh(made[0], new THREE.MeshStandardMaterial({ color, transparent: true, opacity, side: THREE.DoubleSide, depthWrite: false }))
  mesh.applyMatrix4(made[1])
  return mesh
}

// held: the number of the body that stands out.
export function cellOf({ base, bodies }, size, held) {
  const group = new THREE.Group()
  for (const [k, body] of bodies.entries()) {
    const mesh = glassOf(body, size, k === held ? 0xd9822b : 0x7d8f6b, body.half_space ? 0.18 : 0.45)
    if (!mesh) continue
    mesh.userData = { endless: !!body.half_space, number: k }
    group.add(mesh)
  }
  group.applyMatrix4(matrixOf(placed(base)).invert())
  return group
}

// What the parts of an arm take up, in a pose: { links, tool } of rows.
export function solidsOf(model, pose) {
  const group = new THREE.Group()
  const parts = [[model.base, placed()], ...model.joints.map(({ link }, k) => [link, pose.links[k]]), [model.tool, pose.tool], [model.payload, pose.tool]]
  for (const [part, rows] of parts) {
    for (const body of part?.bodies ?? []) {
      const mesh = glassOf(body, 1, 0x2a7fb8, 0.3)
      if (!mesh) continue
      mesh.applyMatrix4(matrixOf(rows))
      group.add(mesh)
    }
  }
  return group
}

// -- bodies that are dragged: where a handle stands in the arm's base frame, and the body moved as the handle was --
const AXES = {
  sphere: ({ center = [0, 0, 0] }) => new THREE.Matrix4().setPosition(...center),
  box: posed,
  cylinder: posed,
  capsule: (one) => SHAPES.capsule(one)[1],
  half_space: (one) => SHAPES.half_space(one, 1)[1],
  convex: ({ points }) => new THREE.Matrix4().setPosition(points.reduce((sum, point) => sum.addScaledVector(vector(point), 1 / points.length), new THREE.Vector3())),
}
const rowsOf = ({ elements: m }) => [0, 1, 2, 3].map((row) => [0, 1, 2, 3].map((column) => m[4 * column + row]))
const rounded = (values) => values.map((value) => Number(value.toFixed(6))) // to a micrometre
const at = (point, move) => rounded(vector(point).applyMatrix4(move).toArray())
const turnedBy = (one, move) => {
  const rows = rowsOf(move.clone().multiply(posed(one)))
  return { ...one, translation: rounded([0, 1, 2].map((k) => rows[k][3])), rpy: anglesOf(rows) }
}
const MOVED = {
  sphere: (one, move) => ({ ...one, center: at(one.center ?? [0, 0, 0], move) }),
  box: turnedBy,
  cylinder: turnedBy,
  capsule: (one, move) => ({ ...one, from: at(one.from, move), to: at(one.to, move) }),
  half_space: ({ normal, offset, ...rest }, move) => {
    const out = vector(normal).normalize()
    const on = out.clone().multiplyScalar(offset).applyMatrix4(move)
    const next = out.transformDirection(move)
    return { ...rest, normal: next.toArray(), offset: Number(next.dot(on).toFixed(6)) }
  },
  convex: ({ points }, move) => ({ points: points.map((point) => at(point, move)) }),
}
export const handleOf = ({ base }, body) => rowsOf(matrixOf(placed(base)).invert().multiply(AXES[kindOf(body)](body[kindOf(body)])))
// from, to: rows of the handle before and after.
export function movedBy({ base }, body, from, to) {
  const stands = matrixOf(placed(base))
  const move = stands.clone().multiply(matrixOf(to)).multiply(matrixOf(from).invert()).multiply(stands.clone().invert())
  return { ...body, [kindOf(body)]: MOVED[kindOf(body)](body[kindOf(body)], move) }
}

// The line between the nearest points.
export const gapOf = (points) => new THREE.Line(new THREE.BufferGeometry().setFromPoints(points.map(vector)), new THREE.LineBasicMaterial({ color: 0xd1495b, depthTest: false }))

// A ball around the bodies that have an end; null: there are none.
export function ballAround(group) {
  const box = new THREE.Box3()
  group.updateMatrixWorld(true)
  for (const mesh of group.children) if (!mesh.userData.endless) box.expandByObject(mesh)
  return box.isEmpty() ? null : box.getBoundingSphere(new THREE.Sphere())
}
