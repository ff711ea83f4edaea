// Which shape a body or a visual is.
const KINDS = ['sphere', 'box', 'cylinder', 'capsule', 'half_space', 'convex']

export const kindOf = (body) => KINDS.find((kind) => body[kind])
