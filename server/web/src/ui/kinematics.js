// Where the links of an arm are. The service computes the same (POST .../forward-kinematics); here it is done for every picture that is
// drawn, and for those who may only look. Poses are rows of 4 × 4 matrices in the base frame, m.
const product = (a, b) => a.map((row) => [0, 1, 2, 3].map((k) => row[0] * b[0][k] + row[1] * b[1][k] + row[2] * b[2][k] + row[3] * b[3][k]))

// About and along one axis: Rz Tz, Rx Tx.
const screwZ = (angle, along) => [[Math.cos(angle), -Math.sin(angle), 0, 0], [Math.sin(angle), Math.cos(angle), 0, 0], [0, 0, 1, along], [0, 0, 0, 1]]
const screwX = (angle, along) => [[1, 0, 0, along], [0, Math.cos(angle), -Math.sin(angle), 0], [0, Math.sin(angle), Math.cos(angle), 0], [0, 0, 0, 1]]

// Fixed axes as in URDF: R = Rz(yaw) Ry(pitch) Rx(roll).
export function placed({ translation: [x, y, z] = [0, 0, 0], rpy: [roll, pitch, yaw] = [0, 0, 0] } = {}) {
  const [cr, sr, cp, sp, cy, sy] = [Math.cos(roll), Math.sin(roll), Math.cos(pitch), Math.sin(pitch), Math.cos(yaw), Math.sin(yaw)]
  return [[cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr, x], [sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr, y], [-sp, cp * sr, cp * cr, z], [0, 0, 0, 1]]
}

// roll, pitch and yaw of a pose; where they are not unique, yaw is 0.
export function anglesOf(rows) {
  const pitch = Math.atan2(-rows[2][0], Math.hypot(rows[2][1], rows[2][2]))
  if (Math.hypot(rows[2][1], rows[2][2]) < 1e-9) return [Math.atan2(-rows[1][2], rows[1][1]), pitch, 0]
  return [Math.atan2(rows[2][1], rows[2][2]), pitch, Math.atan2(rows[1][0], rows[0][0])]
}

// Rodrigues' formula; the axis has length 1.
function turned([x, y, z], angle) {
  const [c, s, v] = [Math.cos(angle), Math.sin(angle), 1 - Math.cos(angle)]
  return [[c + x * x * v, x * y * v - z * s, x * z * v + y * s, 0], [y * x * v + z * s, c + y * y * v, y * z * v - x * s, 0], [z * x * v - y * s, z * y * v + x * s, c + z * z * v, 0], [0, 0, 0, 1]]
}

// From the frame of the link before to that of this joint's link.
const STEPS = {
  dh: (joint, turn, slide) => product(screwZ((joint.theta ?? 0) + turn, (joint.d ?? 0) + slide), screwX(joint.alpha ?? 0, joint.a ?? 0)),
  mdh: (joint, turn, slide) => product(screwX(joint.alpha ?? 0, joint.a ?? 0), screwZ((joint.theta ?? 0) + turn, (joint.d ?? 0) + slide)),
  frames: (joint, turn, slide) => {
    const axis = joint.axis ?? [0, 0, 1]
    const moved = turned(axis, turn)
    moved.forEach((row, k) => k < 3 && (row[3] = slide * axis[k]))
    return product(placed(joint.frame), moved)
  },
}

export function forwardKinematics({ convention, joints, tool }, q) {
  let at = placed()
  const links = joints.map((joint, j) => {
    const value = q[j] + (joint.offset ?? 0)
    const slides = joint.type === 'prismatic'
    return (at = product(at, STEPS[convention](joint, slides ? 0 : value, slides ? value : 0)))
  })
  return { links, tool: product(at, placed(tool)) }
}

// Where each joint's axis is, of a pose: { origin, direction }.
export function axesOf({ convention, joints }, { links }) {
  return joints.map((joint, j) => {
    const frame = convention === 'dh' ? links[j - 1] ?? placed() : links[j] // of standard DH: the z axis before it
    const local = convention === 'frames' ? joint.axis ?? [0, 0, 1] : [0, 0, 1]
    return { origin: [0, 1, 2].map((k) => frame[k][3]), direction: [0, 1, 2].map((k) => frame[k][0] * local[0] + frame[k][1] * local[1] + frame[k][2] * local[2]) }
  })
}
