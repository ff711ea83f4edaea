/* One step outward and one step inward of Newton-Euler on the reduced robot (lib/model/reduced.h), for numbers of type
 * REAL: a double, or a vector of them with a sample in every lane. A template, included once for each type; NAME(x) names
 * its functions.
 *
 * Outward, with R, p the pose of joint i in the frame before it and z its axis (a slide: qd, qdd along z, w and wd as before):
 *   w_i = R'w + z qd,  wd_i = R'wd + R'w x z qd + z qdd,  a_i = R'(a + K p),  a_0 = -gravity
 *   a slide: a_i = R'(a + K p) + 2 w_i x z qd + z qdd
 *   the acceleration of a point x of a link is a + K x with K = [wd]x + [w]x[w]x, as in rnea.c
 * Inward, m, h = m c and S the second moments of the link about its frame:
 *   f_i = m a + K h + R f,  n_i = h x a + axial(K S) + R n + p x R f  with R, p, f, n of the next; axial(X)_x = X_zy - X_yz
 *   tau_i = z . n_i, a slide: z . f_i
 * Source: Luh, Walker & Paul 1980; Khalil & Dombre, ch. 9.
 * What a robot does not have is not computed: every combination of twist, offset and products has its own function. */

struct NAME(motion) {
  REAL w[3], wd[3], a[3];
  REAL K[9];
};

/* Everything about joint i in the samples at hand. */
struct NAME(state) {
  REAL q, qd, qdd;
  REAL cosine, sine; /* of the whole angle of the joint; constant where it slides */
  REAL force[6];     /* [moment; force] on link i and, going inward, on all beyond it */
};

/* v = R' v */
static inline __attribute__((always_inline)) void NAME(unturn)(const struct reduced_joint *joint,
                                                               enum reduced_twist twist, REAL c, REAL s, REAL v[3])
{
  REAL y = v[1], z = v[2];
  if (twist == TWIST_RIGHT) {
    y = v[2];
    z = -v[1];
  } else if (twist == TWIST_ANY) {
    y = joint->twist_cosine * v[1] + joint->twist_sine * v[2];
    z = joint->twist_cosine * v[2] - joint->twist_sine * v[1];
  }
  v[1] = c * y - s * v[0];
  v[0] = c * v[0] + s * y;
  v[2] = z;
}

/* v = R v */
static inline __attribute__((always_inline)) void NAME(turn)(const struct reduced_joint *joint,
                                                             enum reduced_twist twist, REAL c, REAL s, REAL v[3])
{
  const REAL y = s * v[0] + c * v[1], z = v[2];
  v[0] = c * v[0] - s * v[1];
  v[1] = y;
  if (twist == TWIST_RIGHT) {
    v[1] = -z;
    v[2] = y;
  } else if (twist == TWIST_ANY) {
    v[1] = joint->twist_cosine * y - joint->twist_sine * z;
    v[2] = joint->twist_sine * y + joint->twist_cosine * z;
  }
}

static inline __attribute__((always_inline)) void NAME(motion_matrix)(const REAL w[3], const REAL wd[3], REAL K[9])
{
  const REAL x = w[0], y = w[1], z = w[2], xx = x * x, zz = z * z;
  K[0] = -(y * y) - zz;
  K[1] = x * y - wd[2];
  K[2] = x * z + wd[1];
  K[3] = x * y + wd[2];
  K[4] = -xx - zz;
  K[5] = y * z - wd[0];
  K[6] = x * z - wd[1];
  K[7] = y * z + wd[0];
  K[8] = -(y * y) - xx;
}

/* Force on a link that turns: no m, h_z, S_zz. */
static inline __attribute__((always_inline)) void NAME(turning_force)(const REAL a[3], const REAL K[9],
                                                                      const struct distribution *d, bool products,
                                                                      REAL out[6])
{
  const double *h = d->h, *S = d->s;
  /* K h; h x a + the axial part of K S */
  for (int k = 0; k < 3; k++) out[3 + k] = K[3 * k] * h[0] + K[3 * k + 1] * h[1];
  out[0] = h[1] * a[2] + K[7] * S[1];
  out[1] = -h[0] * a[2] - K[6] * S[0];
  out[2] = (h[0] * a[1] - h[1] * a[0]) + (K[3] * S[0] - K[1] * S[1]);
  if (!products) return;
  out[0] += K[6] * S[3] - K[3] * S[4] + (K[8] - K[4]) * S[5];
  out[1] += (K[0] - K[8]) * S[4] + K[1] * S[5] - K[7] * S[3];
  out[2] += (K[4] - K[0]) * S[3] + K[5] * S[4] - K[2] * S[5];
}

/* Force on a link that slides: no S. */
static inline __attribute__((always_inline)) void NAME(sliding_force)(const REAL a[3], const REAL K[9],
                                                                      const struct distribution *d, REAL out[6])
{
  const double *h = d->h;
  for (int k = 0; k < 3; k++) {
    out[3 + k] = d->m * a[k] + (K[3 * k] * h[0] + K[3 * k + 1] * h[1] + K[3 * k + 2] * h[2]);
  }
  out[0] = h[1] * a[2] - h[2] * a[1];
  out[1] = h[2] * a[0] - h[0] * a[2];
  out[2] = h[0] * a[1] - h[1] * a[0];
}

static inline __attribute__((always_inline)) void NAME(outward)(const struct reduced_joint *restrict joint,
                                                                struct NAME(state) *restrict x,
                                                                struct NAME(motion) *restrict motion,
                                                                enum reduced_twist twist, bool slides, bool offset,
                                                                bool products)
{
  REAL w[3], wd[3], a[3];
  for (int k = 0; k < 3; k++) {
    const REAL *row = motion->K + 3 * k;
    w[k] = motion->w[k];
    wd[k] = motion->wd[k];
    a[k] = motion->a[k];
    if (slides) { /* the origin is at (x, y - sine q, cosine q) */
      const REAL py = joint->y - joint->twist_sine * x->q, pz = joint->twist_cosine * x->q;
      a[k] += row[0] * joint->x + row[1] * py + row[2] * pz;
    } else if (offset) {
      a[k] += row[0] * joint->x + row[1] * joint->y;
    }
  }
  NAME(unturn)(joint, twist, x->cosine, x->sine, w);
  NAME(unturn)(joint, twist, x->cosine, x->sine, wd);
  NAME(unturn)(joint, twist, x->cosine, x->sine, a);
  if (slides) { /* a += 2 w x (z qd) + z qdd */
    a[0] += 2 * x->qd * w[1];
    a[1] -= 2 * x->qd * w[0];
    a[2] += x->qdd;
  } else { /* wd += w x (z qd) + z qdd, w += z qd */
    wd[0] += x->qd * w[1];
    wd[1] -= x->qd * w[0];
    wd[2] += x->qdd;
    w[2] += x->qd;
  }
  NAME(motion_matrix)(w, wd, motion->K);
  for (int k = 0; k < 3; k++) {
    motion->w[k] = w[k];
    motion->wd[k] = wd[k];
    motion->a[k] = a[k];
  }
  if (slides) {
    NAME(sliding_force)(a, motion->K, &joint->link, x->force);
  } else {
    NAME(turning_force)(a, motion->K, &joint->link, products, x->force);
  }
}

/* Joint 0: the base does not turn, and accelerates upwards, which is what gravity feels like. */
static void NAME(outward_first)(const struct reduced_robot *robot, struct NAME(state) *restrict x,
                                struct NAME(motion) *restrict m)
{
  const struct reduced_joint *joint = &robot->joints[0];
  const REAL zero = { 0 };
  for (int k = 0; k < 3; k++) {
    m->w[k] = m->wd[k] = zero;
    m->a[k] = zero + robot->upward[k];
  }
  if (!robot->upright) NAME(unturn)(joint, TWIST_NONE, x->cosine, x->sine, m->a);
  if (joint->slides) {
    m->a[2] += x->qdd;
    NAME(motion_matrix)(m->w, m->wd, m->K);
    NAME(sliding_force)(m->a, m->K, &joint->link, x->force);
  } else {
    m->wd[2] = x->qdd;
    m->w[2] = x->qd;
    NAME(motion_matrix)(m->w, m->wd, m->K);
    NAME(turning_force)(m->a, m->K, &joint->link, joint->products, x->force);
  }
}

/* before += force, moved to the frame before */
static inline __attribute__((always_inline)) void NAME(inward)(const struct reduced_joint *joint,
                                                               const struct NAME(state) * x, REAL before[6],
                                                               enum reduced_twist twist, bool slides, bool offset)
{
  REAL n[3] = { x->force[0], x->force[1], x->force[2] }, f[3] = { x->force[3], x->force[4], x->force[5] };
  NAME(turn)(joint, twist, x->cosine, x->sine, n);
  NAME(turn)(joint, twist, x->cosine, x->sine, f);
  if (slides) {
    const REAL py = joint->y - joint->twist_sine * x->q, pz = joint->twist_cosine * x->q;
    n[0] += py * f[2] - pz * f[1];
    n[1] += pz * f[0] - joint->x * f[2];
    n[2] += joint->x * f[1] - py * f[0];
  } else if (offset) {
    n[0] += joint->y * f[2];
    n[1] -= joint->x * f[2];
    n[2] += joint->x * f[1] - joint->y * f[0];
  }
  for (int k = 0; k < 3; k++) {
    before[k] += n[k];
    before[3 + k] += f[k];
  }
}

typedef void NAME(outward_function)(const struct reduced_joint *joint, struct NAME(state) * x,
                                    struct NAME(motion) * motion);
typedef void NAME(inward_function)(const struct reduced_joint *joint, const struct NAME(state) * x, REAL before[6]);

#define OUTWARD(name, twist, slides, offset, products)                                                                 \
  static void NAME(outward_##name)(const struct reduced_joint *joint, struct NAME(state) * x,                          \
                                   struct NAME(motion) * motion)                                                       \
  {                                                                                                                    \
    NAME(outward)(joint, x, motion, twist, slides, offset, products);                                                  \
  }
#define INWARD(name, twist, slides, offset)                                                                            \
  static void NAME(inward_##name)(const struct reduced_joint *joint, const struct NAME(state) * x, REAL before[6])     \
  {                                                                                                                    \
    NAME(inward)(joint, x, before, twist, slides, offset);                                                             \
  }
#define KINDS(name, twist)                                                                                             \
  OUTWARD(name##_slide, twist, true, true, true)                                                                       \
  OUTWARD(name, twist, false, false, false)                                                                            \
  OUTWARD(name##_offset, twist, false, true, false)                                                                    \
  OUTWARD(name##_products, twist, false, false, true)                                                                  \
  OUTWARD(name##_full, twist, false, true, true)                                                                       \
  INWARD(name##_slide, twist, true, true)                                                                              \
  INWARD(name, twist, false, false)                                                                                    \
  INWARD(name##_offset, twist, false, true)
#define OUTWARD_ROW(name)                                                                                              \
  {                                                                                                                    \
    { NAME(outward_##name), NAME(outward_##name##_products) },                                                         \
        { NAME(outward_##name##_offset), NAME(outward_##name##_full) },                                                \
    {                                                                                                                  \
      NAME(outward_##name##_slide), NAME(outward_##name##_slide)                                                       \
    }                                                                                                                  \
  }
#define INWARD_ROW(name)                                                                                               \
  {                                                                                                                    \
    NAME(inward_##name), NAME(inward_##name##_offset), NAME(inward_##name##_slide)                                     \
  }

KINDS(none, TWIST_NONE)
KINDS(right, TWIST_RIGHT)
KINDS(any, TWIST_ANY)

/* [twist][0 through the origin, 1 offset, 2 slides][products] */
static NAME(outward_function) *const
    NAME(outward_kinds)[TWIST_COUNT][3][2] = { OUTWARD_ROW(none), OUTWARD_ROW(right), OUTWARD_ROW(any) };
static NAME(inward_function) *const
    NAME(inward_kinds)[TWIST_COUNT][3] = { INWARD_ROW(none), INWARD_ROW(right), INWARD_ROW(any) };
#undef OUTWARD
#undef INWARD
#undef KINDS
#undef OUTWARD_ROW
#undef INWARD_ROW

static inline int NAME(shape)(const struct reduced_joint *joint)
{
  return joint->slides ? 2 : joint->offset;
}

static void NAME(recursion_outward)(const struct reduced_robot *robot, size_t n, struct NAME(state) * x)
{
  struct NAME(motion) motion;
  NAME(outward_first)(robot, &x[0], &motion);
  for (size_t i = 1; i < n; i++) {
    const struct reduced_joint *joint = &robot->joints[i];
    NAME(outward_kinds)[joint->twist][NAME(shape)(joint)][joint->products](joint, &x[i], &motion);
  }
}

static inline void NAME(recursion_inward)(const struct reduced_robot *robot, size_t n, struct NAME(state) * x)
{
  for (size_t i = n; i-- > 1;) {
    const struct reduced_joint *joint = &robot->joints[i];
    NAME(inward_kinds)[joint->twist][NAME(shape)(joint)](joint, &x[i], x[i - 1].force);
  }
}

/* out += the wrench on the tool, moved to the frame of the last link; the poses are those of the samples. */
static void NAME(wrench_moved)(const struct armdyn_robot *robot, const struct NAME(state) * x, bool base, REAL w[6])
{
  const struct reduced_robot *reduced = &robot->reduced;
  const double *r = robot->tool.r, *p = robot->tool.p;
  REAL t[6];
  if (base) {
    const double c = reduced->base_cosine, s = reduced->base_sine;
    for (int k = 0; k < 6; k += 3) {
      const REAL turned = c * w[k] + s * w[k + 1];
      w[k + 1] = c * w[k + 1] - s * w[k];
      w[k] = turned;
    }
    for (size_t i = 0; i < robot->joint_count; i++) {
      NAME(unturn)(&reduced->joints[i], TWIST_ANY, x[i].cosine, x[i].sine, w);
      NAME(unturn)(&reduced->joints[i], TWIST_ANY, x[i].cosine, x[i].sine, w + 3);
    }
  } else {
    for (int k = 0; k < 6; k++) {
      const int row = k % 3 * 3, at = k / 3 * 3;
      t[k] = r[row] * w[at] + r[row + 1] * w[at + 1] + r[row + 2] * w[at + 2];
    }
    memcpy(w, t, sizeof t);
  }
  w[0] += p[1] * w[5] - p[2] * w[4];
  w[1] += p[2] * w[3] - p[0] * w[5];
  w[2] += p[0] * w[4] - p[1] * w[3];
}
