// What stands around an arm, as glass, in the arm's base frame.
import * as THREE from 'three'
import { ConvexGeometry } from 'three/examples/jsm/geometries/ConvexGeometry.js'
import { placed } from './kinematics.js'
import { matrixOf } from './arm.js'

const UP = new THREE.Vector3(0, 1, 0) // along which three.js makes cylinders
const vector = (values) => new THREE.Vector3(...values)
const alongZ = (geometry) => geometry.rotateX(Math.PI / 2)
const posed = ({ translation, rpy }) => matrixOf(placed({ translation, rpy }))

// Each kind of body: its geometry and where it stands in the cell's axes. `size`: how far what has no end is drawn. To add one: a row.
const SHAPES = {
  sphere: ({ center = [0, 0, 0], radius }) => [new THREE.SphereGeometry(radius, 24, 16), new THREE.Matrix4().setPosition(...center)],
  box: (box) => [new THREE.BoxGeometry(...box.size), posed(box)],
  cylinder: (one) => [alongZ(new THREE.CylinderGeometry(one.radius, one.radius, one.length, 32)), posed(one)],
  capsule: ({ from, to, radius }) => {
    const along = vector(to).sub(vector(from))
    const turn = along.length() > 0 ? new THREE.Quaternion().setFromUnitVectors(UP, along.clone().normalize()) : new THREE.Quaternion()
    return [new THREE.CapsuleGeometry(radius, along.length(), 8, 24), new THREE.Matrix4().compose(vector(from).addScaledVector(along, 0.5), turn, new THREE.Vector3(1, 1, 1))]
  },
  half_space: ({ normal, offset }, size) => {
    const out = vector(normal).normalize()
    const turn = new THREE.Quaternion().setFromUnitVectors(new THREE.Vector3(0, 0, 1), out)
    return [new THREE.PlaneGeometry(4 * size, 4 * size), new THREE.Matrix4().compose(out.multiplyScalar(offset), turn, new THREE.Vector3(1, 1, 1))]
  },
  convex: ({ points }) => (points.length > 3 ? [new ConvexGeometry(points.map(vector)), new THREE.Matrix4()] : null),
}
export const kindOf = (body) => Object.keys(SHAPES).find((kind) => body[kind])

export function cellOf({ base, bodies }, size) {
  const group = new THREE.Group()
  for (const body of bodies) {
    const made = kindOf(body) && SHAPES[kindOf(body)](body[kindOf(body)], size)
    if (!made) continue
    const mesh = new THREE.Mesh(made[0], new THREE.MeshStandardMaterial({ color: 0x7d8f6b, transparent: true, opacity: body.half_space ? 0.18 : 0.45, side: THREE.DoubleSide, depthWrite: false }))
    mesh.applyMatrix4(made[1])
    mesh.userData.endless = !!body.half_space
    group.add(mesh)
  }
  group.applyMatrix4(matrixOf(placed(base)).invert())
  return group
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
