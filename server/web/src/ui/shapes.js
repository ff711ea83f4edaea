// Shapes as bodies of a cell, an arm's parts and its visuals have them.
import * as THREE from 'three'
import { ConvexGeometry } from 'three/examples/jsm/geometries/ConvexGeometry.js'
import { placed } from './kinematics.js'

export const matrixOf = (rows) => new THREE.Matrix4().set(...rows.flat())
export const UP = new THREE.Vector3(0, 1, 0) // along which three.js makes cylinders
export const vector = (values) => new THREE.Vector3(...values)
const alongZ = (geometry) => geometry.rotateX(Math.PI / 2)
export const posed = ({ translation, rpy }) => matrixOf(placed({ translation, rpy }))

// Each kind of body: its geometry and where it stands in the cell's axes. `size`: how far what has no end is drawn. To add one: a row.
export const SHAPES = {
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
