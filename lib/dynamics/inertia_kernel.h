/* Inertia on the reduced robot (lib/model/reduced.h), for numbers of type REAL as in recursion_kernel.h, which comes first:
 * composite bodies for the mass matrix, articulated bodies for forward dynamics. Symmetric matrices are xx yy zz xy xz yz.
 *
 * Sources: Featherstone 2008, tables 6.2 and 7.1. An articulated body is [A B; B' C]: [moment; force] for [angular
 * acceleration; acceleration]. Since the forces of the outward recursion at qdd = 0 already hold all that comes from
 * velocities and gravity, what is left is linear. */

struct NAME(composite) {
  REAL m, h[3], S[6];
};

struct NAME(articulated) {
  REAL A[6], B[9], C[6];
};

/* A joint between articulated bodies: its column of the inertia, 1/its own inertia, the torque left for it. */
struct NAME(hinge) {
  REAL column[6], inverse, torque;
};

/* s = R s R' */
static inline __attribute__((always_inline)) void NAME(turn_symmetric)(const struct reduced_joint *joint,
                                                                       enum reduced_twist twist, REAL c, REAL s,
                                                                       REAL x[6])
{
  /* about z, then about x */
  const REAL sc = s * c, xy = sc * (x[0] - x[1]) + (c * c - s * s) * x[3];
  const REAL shift = s * s * (x[1] - x[0]) - 2 * (sc * x[3]);
  const REAL xz = c * x[4] - s * x[5], yz = s * x[4] + c * x[5], yy = x[1] - shift, zz = x[2];
  x[0] += shift;
  if (twist == TWIST_RIGHT) {
    x[1] = zz;
    x[2] = yy;
    x[3] = -xz;
    x[4] = xy;
    x[5] = -yz;
  } else if (twist == TWIST_ANY) {
    const double tc = joint->twist_cosine, ts = joint->twist_sine;
    const REAL lift = ts * ts * (zz - yy) - 2 * (tc * ts) * yz;
    x[1] = yy + lift;
    x[2] = zz - lift;
    x[3] = tc * xy - ts * xz;
    x[4] = ts * xy + tc * xz;
    x[5] = tc * ts * (yy - zz) + (tc * tc - ts * ts) * yz;
  } else {
    x[1] = yy;
    x[3] = xy;
    x[4] = xz;
    x[5] = yz;
  }
}

/* The origin of the joint's frame in that before. */
static inline __attribute__((always_inline)) void NAME(origin)(const struct reduced_joint *joint, bool slides, REAL q,
                                                               REAL p[3])
{
  const REAL zero = { 0 };
  p[0] = zero + joint->x;
  p[1] = zero + joint->y;
  p[2] = zero;
  if (slides) {
    p[1] -= joint->twist_sine * q;
    p[2] += joint->twist_cosine * q;
  }
}

static inline __attribute__((always_inline)) void NAME(cross)(const REAL a[3], const REAL b[3], REAL out[3])
{
  out[0] = a[1] * b[2] - a[2] * b[1];
  out[1] = a[2] * b[0] - a[0] * b[2];
  out[2] = a[0] * b[1] - a[1] * b[0];
}

/* -- composite bodies -- */

/* before += x seen from the frame before: m, h + m p, S + p h' + h p' + m p p' of the turned body. */
static inline __attribute__((always_inline)) void NAME(gather)(const struct reduced_joint *joint,
                                                               const struct NAME(state) * state,
                                                               struct NAME(composite) * before,
                                                               const struct NAME(composite) * x,
                                                               enum reduced_twist twist, bool slides, bool offset)
{
  static const int row[6] = { 0, 1, 2, 0, 0, 1 }, column[6] = { 0, 1, 2, 1, 2, 2 };
  REAL h[3] = { x->h[0], x->h[1], x->h[2] }, S[6], p[3], k[3];
  for (int e = 0; e < 6; e++) S[e] = x->S[e];
  NAME(turn)(joint, twist, state->cosine, state->sine, h);
  NAME(turn_symmetric)(joint, twist, state->cosine, state->sine, S);
  if (slides || offset) {
    NAME(origin)(joint, slides, state->q, p);
    for (int e = 0; e < 3; e++) k[e] = h[e] + x->m * p[e];
    for (int e = 0; e < 6; e++) S[e] += p[row[e]] * k[column[e]] + h[row[e]] * p[column[e]];
  } else {
    for (int e = 0; e < 3; e++) k[e] = h[e];
  }
  before->m += x->m;
  for (int e = 0; e < 3; e++) before->h[e] += k[e];
  for (int e = 0; e < 6; e++) before->S[e] += S[e];
}

/* -- articulated bodies -- */

static inline __attribute__((always_inline)) void NAME(articulated_link)(const struct reduced_joint *joint,
                                                                         struct NAME(articulated) * x)
{
  const double *h = joint->link.h, *S = joint->link.s, m = joint->link.m;
  const double A[6] = { S[1] + S[2], S[0] + S[2], S[0] + S[1], -S[3], -S[4], -S[5] };
  const double B[9] = { 0, -h[2], h[1], h[2], 0, -h[0], -h[1], h[0], 0 }, C[6] = { m, m, m, 0, 0, 0 };
  const REAL zero = { 0 };
  for (int k = 0; k < 6; k++) x->A[k] = zero + A[k];
  for (int k = 0; k < 9; k++) x->B[k] = zero + B[k];
  for (int k = 0; k < 6; k++) x->C[k] = zero + C[k];
}

/* The joint's column and inertia; `rotor` is reflected. */
static inline __attribute__((always_inline)) void NAME(hinge_of)(struct NAME(hinge) * hinge,
                                                                 const struct NAME(articulated) * x, bool slides,
                                                                 double rotor)
{
  REAL *U = hinge->column;
  for (int k = 0; k < 3; k++) {
    U[k] = slides ? x->B[3 * k + 2] : x->A[k == 2 ? 2 : 4 + k];
    U[3 + k] = slides ? x->C[k == 2 ? 2 : 4 + k] : x->B[6 + k];
  }
  hinge->inverse = 1.0 / (U[slides ? 5 : 2] + rotor);
}

/* before += what is felt of x through a joint that gives way, x - U U'/D, seen from the frame before:
 * mass C, coupling B + [p]x C, angular A + [p]x B' + (B + [p]x C) [p]x' of the turned body. */
static inline __attribute__((always_inline)) void NAME(articulate)(const struct reduced_joint *joint,
                                                                   const struct NAME(state) * state,
                                                                   const struct NAME(hinge) * hinge,
                                                                   struct NAME(articulated) * before,
                                                                   const struct NAME(articulated) * x,
                                                                   enum reduced_twist twist, bool slides, bool offset)
{
  static const int row[6] = { 0, 1, 2, 0, 0, 1 }, column[6] = { 0, 1, 2, 1, 2, 2 };
  static const int full[9] = { 0, 3, 4, 3, 1, 5, 4, 5, 2 };
  const REAL *U = hinge->column, c = state->cosine, s = state->sine;
  REAL V[6], A[6], B[9], C[6], p[3], X[3];
  for (int k = 0; k < 6; k++) V[k] = U[k] * hinge->inverse;
  for (int k = 0; k < 6; k++) {
    A[k] = x->A[k] - U[row[k]] * V[column[k]];
    C[k] = x->C[k] - U[3 + row[k]] * V[3 + column[k]];
  }
  NAME(turn_symmetric)(joint, twist, c, s, A);
  NAME(turn_symmetric)(joint, twist, c, s, C);
  for (int j = 0; j < 3; j++) { /* columns of B, then rows */
    REAL b[3];
    for (int i = 0; i < 3; i++) b[i] = x->B[3 * i + j] - U[i] * V[3 + j];
    NAME(turn)(joint, twist, c, s, b);
    for (int i = 0; i < 3; i++) B[3 * i + j] = b[i];
  }
  for (int i = 0; i < 3; i++) NAME(turn)(joint, twist, c, s, B + 3 * i);
  if (slides || offset) {
    REAL moved[9], arm[3][3];
    NAME(origin)(joint, slides, state->q, p);
    for (int j = 0; j < 3; j++) {
      NAME(cross)(p, B + 3 * j, arm[j]); /* column j of [p]x B' */
      const REAL mass[3] = { C[full[j]], C[full[3 + j]], C[full[6 + j]] };
      NAME(cross)(p, mass, X);
      for (int i = 0; i < 3; i++) moved[3 * i + j] = B[3 * i + j] + X[i];
    }
    for (int i = 0; i < 3; i++) {
      NAME(cross)(p, moved + 3 * i, X); /* row i of (B + [p]x C) [p]x' */
      for (int k = 0; k < 6; k++) {
        if (row[k] == i) A[k] += arm[column[k]][i] + X[column[k]];
      }
    }
    for (int k = 0; k < 9; k++) B[k] = moved[k];
  }
  for (int k = 0; k < 6; k++) before->A[k] += A[k];
  for (int k = 0; k < 9; k++) before->B[k] += B[k];
  for (int k = 0; k < 6; k++) before->C[k] += C[k];
}

/* Acceleration of the joint, and turn and shift of its link, from those of the link before. */
static inline __attribute__((always_inline)) void NAME(accelerate)(const struct reduced_joint *joint,
                                                                   struct NAME(state) * state,
                                                                   const struct NAME(hinge) * hinge, REAL turn[3],
                                                                   REAL shift[3], enum reduced_twist twist, bool slides,
                                                                   bool offset)
{
  REAL p[3], swing[3], felt;
  if (slides || offset) {
    NAME(origin)(joint, slides, state->q, p);
    NAME(cross)(turn, p, swing);
    for (int k = 0; k < 3; k++) shift[k] += swing[k];
  }
  NAME(unturn)(joint, twist, state->cosine, state->sine, turn);
  NAME(unturn)(joint, twist, state->cosine, state->sine, shift);
  felt = hinge->column[0] * turn[0] + hinge->column[3] * shift[0];
  for (int k = 1; k < 3; k++) felt += hinge->column[k] * turn[k] + hinge->column[3 + k] * shift[k];
  state->qdd = (hinge->torque - felt) * hinge->inverse;
  (slides ? shift : turn)[2] += state->qdd;
}

/* -- every kind of joint -- */

#define INERTIA_KIND(name, twist, slides, offset)                                                                      \
  static void NAME(gather_##name)(const struct reduced_joint *joint, const struct NAME(state) * state,                 \
                                  struct NAME(composite) * before, const struct NAME(composite) * x)                   \
  {                                                                                                                    \
    NAME(gather)(joint, state, before, x, twist, slides, offset);                                                      \
  }                                                                                                                    \
  static void NAME(articulate_##name)(const struct reduced_joint *joint, const struct NAME(state) * state,             \
                                      const struct NAME(hinge) * hinge, struct NAME(articulated) * before,             \
                                      const struct NAME(articulated) * x)                                              \
  {                                                                                                                    \
    NAME(articulate)(joint, state, hinge, before, x, twist, slides, offset);                                           \
  }                                                                                                                    \
  static void NAME(accelerate_##name)(const struct reduced_joint *joint, struct NAME(state) * state,                   \
                                      const struct NAME(hinge) * hinge, REAL turn[3], REAL shift[3])                   \
  {                                                                                                                    \
    NAME(accelerate)(joint, state, hinge, turn, shift, twist, slides, offset);                                         \
  }
#define INERTIA_KINDS(name, twist)                                                                                     \
  INERTIA_KIND(name, twist, false, false)                                                                              \
  INERTIA_KIND(name##_offset, twist, false, true)                                                                      \
  INERTIA_KIND(name##_slide, twist, true, true)
#define INERTIA_ROW(name)                                                                                              \
  {                                                                                                                    \
    { NAME(gather_##name), NAME(articulate_##name), NAME(accelerate_##name) },                                         \
        { NAME(gather_##name##_offset), NAME(articulate_##name##_offset), NAME(accelerate_##name##_offset) },          \
    {                                                                                                                  \
      NAME(gather_##name##_slide), NAME(articulate_##name##_slide), NAME(accelerate_##name##_slide)                    \
    }                                                                                                                  \
  }

INERTIA_KINDS(none, TWIST_NONE)
INERTIA_KINDS(right, TWIST_RIGHT)
INERTIA_KINDS(any, TWIST_ANY)

/* [twist][0 through the origin, 1 offset, 2 slides] */
static const struct {
  void (*gather)(const struct reduced_joint *, const struct NAME(state) *, struct NAME(composite) *,
                 const struct NAME(composite) *);
  void (*articulate)(const struct reduced_joint *, const struct NAME(state) *, const struct NAME(hinge) *,
                     struct NAME(articulated) *, const struct NAME(articulated) *);
  void (*accelerate)(const struct reduced_joint *, struct NAME(state) *, const struct NAME(hinge) *, REAL *, REAL *);
} NAME(inertia_kinds)[TWIST_COUNT][3] = { INERTIA_ROW(none), INERTIA_ROW(right), INERTIA_ROW(any) };
#undef INERTIA_KIND
#undef INERTIA_KINDS
#undef INERTIA_ROW

/* Lower triangle of the mass matrix of the links, n x n. Uses and overwrites the forces of the states. */
static void NAME(links_mass_matrix)(const struct reduced_robot *robot, size_t n, struct NAME(state) * x, REAL *M)
{
  struct NAME(composite) composite[ARMDYN_JOINTS_MAX];
  const REAL zero = { 0 };
  for (size_t i = 0; i < n; i++) {
    const struct distribution *link = &robot->joints[i].link;
    composite[i].m = zero + link->m;
    for (int k = 0; k < 3; k++) composite[i].h[k] = zero + link->h[k];
    for (int k = 0; k < 6; k++) composite[i].S[k] = zero + link->s[k];
  }
  for (size_t i = n; i-- > 0;) {
    const struct reduced_joint *joint = &robot->joints[i];
    const struct NAME(composite) *body = &composite[i];
    const REAL *h = body->h, *S = body->S;
    const REAL slide[6] = { h[1], -h[0], zero, zero, zero, body->m };
    const REAL turn[6] = { -S[4], -S[5], S[0] + S[1], -h[1], h[0], zero };
    if (i > 0) {
      NAME(inertia_kinds)[joint->twist][NAME(shape)(joint)].gather(joint, &x[i], &composite[i - 1], body);
    }
    for (int k = 0; k < 6; k++) x[i].force[k] = joint->slides ? slide[k] : turn[k];
    for (size_t j = i + 1; j-- > 0;) {
      const struct reduced_joint *at = &robot->joints[j];
      M[i * n + j] = x[j].force[at->slides ? 5 : 2];
      if (j == 0) break;
      for (int k = 0; k < 6; k++) x[j - 1].force[k] = zero;
      NAME(inward_kinds)[at->twist][NAME(shape)(at)](at, &x[j], x[j - 1].force);
    }
  }
}

/* Hinges of all joints from the forces at qdd = 0; `torque` is what the drives give, friction taken off. */
static void NAME(hinges_inward)(const struct armdyn_robot *robot, struct NAME(state) * x, const REAL *torque,
                                struct NAME(hinge) * hinges)
{
  const size_t n = robot->joint_count;
  struct NAME(articulated) bodies[2]; /* of links i and i - 1, by turns */
  NAME(articulated_link)(&robot->reduced.joints[n - 1], &bodies[(n - 1) % 2]);
  for (size_t i = n; i-- > 0;) {
    const struct reduced_joint *joint = &robot->reduced.joints[i];
    const int shape = NAME(shape)(joint);
    NAME(hinge_of)(&hinges[i], &bodies[i % 2], joint->slides, robot->rotor_inertia[i]);
    hinges[i].torque = torque[i] - x[i].force[joint->slides ? 5 : 2];
    if (i == 0) break;
    const REAL rate = hinges[i].torque * hinges[i].inverse;
    for (int k = 0; k < 6; k++) x[i].force[k] += hinges[i].column[k] * rate;
    NAME(inward_kinds)[joint->twist][shape](joint, &x[i], x[i - 1].force);
    NAME(articulated_link)(joint - 1, &bodies[(i - 1) % 2]);
    NAME(inertia_kinds)[joint->twist][shape].articulate(joint, &x[i], &hinges[i], &bodies[(i - 1) % 2], &bodies[i % 2]);
  }
}

/* What the joints have at most of inertia, over what those beyond leave of it; all joints together. */
static REAL NAME(thinness)(const struct armdyn_robot *robot, const struct NAME(state) * x,
                           const struct NAME(hinge) * hinges)
{
  const REAL zero = { 0 };
  REAL slid = zero, sum = zero;
  for (size_t i = robot->joint_count; i-- > 0;) {
    const struct inertia_bound *bound = &robot->bounds[i];
    sum += (bound->still + bound->slid * slid) * hinges[i].inverse;
    if (robot->reduced.joints[i].slides) slid += x[i].q * x[i].q;
  }
  return sum;
}

/* Accelerations of all joints into the states. */
static void NAME(accelerations_outward)(const struct reduced_robot *robot, size_t n, struct NAME(state) * x,
                                        const struct NAME(hinge) * hinges)
{
  const REAL zero = { 0 };
  REAL turn[3] = { zero, zero, zero }, shift[3] = { zero, zero, zero };
  for (size_t i = 0; i < n; i++) {
    const struct reduced_joint *joint = &robot->joints[i];
    if (i == 0) { /* the base stands still, wherever the joint is */
      x[0].qdd = hinges[0].torque * hinges[0].inverse;
      (joint->slides ? shift : turn)[2] = x[0].qdd;
      continue;
    }
    NAME(inertia_kinds)[joint->twist][NAME(shape)(joint)].accelerate(joint, &x[i], &hinges[i], turn, shift);
  }
}
