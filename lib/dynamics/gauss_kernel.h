/* Gauss's principle, recursive, on the reduced robot (lib/model/reduced.h), for numbers of type REAL as in recursion_kernel.h.
 * Included after links_kernel.h and inertia_kernel.h, of which it has vectors and hinges. Axes are those of joint 0
 * where its angle is 0, z along the joint; all motions and forces are about the origin of the last link: far from it a joint
 * moves much, so that nobody's inertia is a small difference of large numbers, as about the base's origin, from which a slide
 * may have gone far.
 *
 * With accelerations a_i = a_(i-1) + s_i x_i beside those at qdd = 0, x = qdd and s the axes, the true x make
 *   Z = sum_i [a_i.I_i a_i / 2 + f_i.a_i] + sum_i [r_i x_i^2 / 2 - tau_i x_i]
 * least: I is the inertia of link i, f the force that it needs at qdd = 0, r a rotor, tau what is left of a torque by
 * friction. From the tip inward, what is beyond a joint is least for every motion a of the link before it where
 *   dZ_i/dx_i = s.A (a + s x) + s.f + r x - tau = 0,   x = (u - U.a) / D,   U = A s, D = s.U + r, u = tau - s.f
 * and what is left of it, A - U U'/D and f + U u/D, is added to the link before: all about one point, nothing has to be turned
 * or moved for that. Outward, the base standing still, every x follows.
 * Source: Gauss 1829; Popov, Vereshchagin & Zenkevich 1978 for the recursion; Featherstone 2008, 7.3. */

/* A link: its pose, axis and body, and the force that it and all beyond it need where they follow freely. */
struct NAME(reluctant) {
  struct NAME(pose) at;
  REAL axis[6], force[6];
  struct NAME(distribution) body;
};

/* From the frame of the link before to that of the link; joint 0 turns about or slides along the z axis. */
static inline void NAME(follow)(struct NAME(pose) *restrict at, const struct reduced_joint *joint, bool first,
                                const struct NAME(state) * state)
{
  const REAL c = state->cosine, s = state->sine;
  for (int k = 0; k < 3; k++) {
    REAL *r = at->r + 3 * k, y = r[1], z = r[2];
    if (!first && joint->offset) at->p[k] += joint->x * r[0] + joint->y * y;
    if (!first && joint->twist == TWIST_RIGHT) {
      y = r[2], z = -r[1];
    } else if (!first && joint->twist == TWIST_ANY) {
      y = joint->twist_cosine * r[1] + joint->twist_sine * r[2];
      z = joint->twist_cosine * r[2] - joint->twist_sine * r[1];
    }
    if (joint->slides) at->p[k] += z * state->q;
    r[1] = c * y - s * r[0];
    r[0] = c * r[0] + s * y;
    r[2] = z;
  }
}

/* s += R S R', S of a link that turns: no zz; its products are taken from both sides. */
static inline void NAME(turned_moments)(REAL s[6], const REAL r[9], const double *S, bool products)
{
  static const int row[6] = { 0, 1, 2, 0, 0, 1 }, column[6] = { 0, 1, 2, 1, 2, 2 };
  REAL first[3], second[3];
  for (int k = 0; k < 3; k++) first[k] = S[0] * r[3 * k], second[k] = S[1] * r[3 * k + 1];
  for (int k = 0; k < 6; k++) s[k] += first[row[k]] * r[3 * column[k]] + second[row[k]] * r[3 * column[k] + 1];
  if (!products) return;
  for (int k = 0; k < 3; k++) {
    const REAL *x = r + 3 * k;
    first[k] = S[3] * x[1] + S[4] * x[2], second[k] = S[5] * x[2];
  }
  for (int k = 0; k < 6; k++) {
    const REAL *x = r + 3 * row[k], *y = r + 3 * column[k];
    s[k] += first[row[k]] * y[0] + x[0] * first[column[k]] + second[row[k]] * y[1] + x[1] * second[column[k]];
  }
}

/* The body of a link, its axes turned and its origin moved; what turns has no m, h_z and S_zz, what slides no S. */
static inline void NAME(body_at)(struct NAME(distribution) *restrict out, const struct NAME(pose) * at,
                                 const struct reduced_joint *joint)
{
  static const int row[6] = { 0, 1, 2, 0, 0, 1 }, column[6] = { 0, 1, 2, 1, 2, 2 };
  const double *h = joint->link.h, m = joint->link.m;
  const REAL *r = at->r, *p = at->p;
  REAL arm[3];
  for (int k = 0; k < 3; k++) arm[k] = h[0] * r[3 * k] + h[1] * r[3 * k + 1];
  for (int k = 0; k < 3; k++) out->h[k] = arm[k];
  out->m = NAME(shared)(m);
  if (joint->slides) {
    for (int k = 0; k < 3; k++) {
      arm[k] += h[2] * r[3 * k + 2];
      out->h[k] = arm[k] + m * p[k];
      arm[k] += 0.5 * m * p[k]; /* p h' + h p' + m p p' */
    }
  }
  for (int k = 0; k < 6; k++) out->s[k] = p[row[k]] * arm[column[k]] + arm[row[k]] * p[column[k]];
  if (!joint->slides) NAME(turned_moments)(out->s, r, joint->link.s, joint->products);
}

/* I a + v x* I v */
static inline void NAME(force_of_body)(REAL *restrict force, const struct NAME(distribution) * body,
                                       const REAL velocity[6], const REAL acceleration[6])
{
  REAL momentum[6], turned[6];
  NAME(body_times)(momentum, body, velocity);
  NAME(body_times)(force, body, acceleration);
  NAME(cross_force)(turned, velocity, momentum);
  for (int k = 0; k < 6; k++) force[k] += turned[k];
}

/* A += I, as [A B; B' C] */
static inline void NAME(add_body)(struct NAME(articulated) *restrict x, const struct NAME(distribution) * body)
{
  const REAL *h = body->h, *s = body->s;
  x->A[0] += s[1] + s[2], x->A[1] += s[0] + s[2], x->A[2] += s[0] + s[1];
  for (int k = 0; k < 3; k++) x->A[3 + k] -= s[3 + k], x->C[k] += body->m;
  x->B[1] -= h[2], x->B[2] += h[1], x->B[3] += h[2];
  x->B[5] -= h[0], x->B[6] -= h[1], x->B[7] += h[0];
}

static inline REAL NAME(row_symmetric)(const REAL *x, int row, const REAL *v)
{
  static const int place[3][3] = { { 0, 3, 4 }, { 3, 1, 5 }, { 4, 5, 2 } };
  return x[place[row][0]] * v[0] + x[place[row][1]] * v[1] + x[place[row][2]] * v[2];
}

/* U = A s, of a slide from the linear half of s alone. */
static inline void NAME(inertia_times)(REAL *restrict U, const struct NAME(articulated) * x, const REAL *s, bool slides)
{
  for (int k = 0; k < 3; k++) {
    U[k] = x->B[3 * k] * s[3] + x->B[3 * k + 1] * s[4] + x->B[3 * k + 2] * s[5];
    U[3 + k] = NAME(row_symmetric)(x->C, k, s + 3);
    if (slides) continue;
    U[k] += NAME(row_symmetric)(x->A, k, s);
    U[3 + k] += x->B[k] * s[0] + x->B[3 + k] * s[1] + x->B[6 + k] * s[2];
  }
}

/* A -= U U'/D */
static inline void NAME(yield)(struct NAME(articulated) *restrict x, const struct NAME(hinge) * hinge)
{
  static const int row[6] = { 0, 1, 2, 0, 0, 1 }, column[6] = { 0, 1, 2, 1, 2, 2 };
  const REAL *U = hinge->column;
  REAL share[6];
  for (int k = 0; k < 6; k++) share[k] = U[k] * hinge->inverse;
  for (int k = 0; k < 6; k++) {
    x->A[k] -= share[row[k]] * U[column[k]];
    x->C[k] -= share[3 + row[k]] * U[3 + column[k]];
  }
  for (int k = 0; k < 9; k++) x->B[k] -= share[k / 3] * U[3 + k % 3];
}

/* Poses of all links. */
static inline void NAME(places)(const struct armdyn_robot *robot, const struct NAME(state) * x,
                                struct NAME(reluctant) *restrict links)
{
  struct NAME(pose) at;
  memset(&at, 0, sizeof at);
  for (int k = 0; k < 3; k++) at.r[4 * k] = NAME(shared)(1);
  for (size_t i = 0; i < robot->joint_count; i++) {
    NAME(follow)(&at, &robot->reduced.joints[i], i == 0, &x[i]);
    links[i].at = at;
  }
}

/* Axes, bodies and forces of all links at qdd = 0, from then on about the origin of the last. */
static inline void NAME(reluctances)(const struct armdyn_robot *robot, const struct NAME(state) * x,
                                     struct NAME(reluctant) *restrict links)
{
  const struct reduced_robot *reduced = &robot->reduced;
  const REAL *tip = links[robot->joint_count - 1].at.p, last[3] = { tip[0], tip[1], tip[2] };
  REAL velocity[6], acceleration[6], turned[6];
  for (int k = 0; k < 3; k++) {
    velocity[k] = velocity[3 + k] = acceleration[k] = NAME(shared)(0);
    acceleration[3 + k] = NAME(shared)(reduced->upward[k]);
  }
  for (size_t i = 0; i < robot->joint_count; i++) {
    const bool slides = reduced->joints[i].slides;
    struct NAME(pose) *at = &links[i].at;
    REAL *axis = links[i].axis;
    const REAL z[3] = { at->r[2], at->r[5], at->r[8] };
    for (int k = 0; k < 3; k++) at->p[k] -= last[k];
    for (int k = 0; k < 3; k++) axis[k] = slides ? NAME(shared)(0) : z[k], axis[3 + k] = z[k];
    if (!slides) NAME(cross3)(axis + 3, at->p, z);
    if (i > 0) NAME(cross_motion)(turned, velocity, axis);
    for (int k = 0; k < 6; k++) velocity[k] += axis[k] * x[i].qd;
    for (int k = 0; k < 6 && i > 0; k++) acceleration[k] += turned[k] * x[i].qd;
    NAME(body_at)(&links[i].body, at, &reduced->joints[i]);
    NAME(force_of_body)(links[i].force, &links[i].body, velocity, acceleration);
  }
}

/* Accelerations of all joints into the states, whose sines and cosines are those of the whole angles.
 *   torque  in      friction taken off
 *   wrench  in/out  on the tool; NULL: none
 *   hinges  out     U, 1/D and u of every joint */
static void NAME(least_constraint)(const struct armdyn_robot *robot, struct NAME(state) * x, const REAL *torque,
                                   REAL *wrench, bool base_frame, struct NAME(hinge) * hinges)
{
  const size_t n = robot->joint_count;
  struct NAME(reluctant) links[ARMDYN_JOINTS_MAX];
  struct NAME(articulated) beyond;
  REAL a[6];
  NAME(places)(robot, x, links);
  NAME(reluctances)(robot, x, links);
  if (wrench) {
    REAL pushed[6];
    NAME(wrench_moved)(robot, x, base_frame, wrench);
    NAME(rotate3)(pushed, links[n - 1].at.r, wrench);
    NAME(rotate3)(pushed + 3, links[n - 1].at.r, wrench + 3);
    for (int k = 0; k < 6; k++) links[n - 1].force[k] -= pushed[k];
  }
  memset(&beyond, 0, sizeof beyond);
  for (size_t i = n; i-- > 0;) {
    struct NAME(hinge) *hinge = &hinges[i];
    NAME(add_body)(&beyond, &links[i].body);
    NAME(inertia_times)(hinge->column, &beyond, links[i].axis, robot->reduced.joints[i].slides);
    hinge->inverse = 1.0 / (NAME(dot6)(links[i].axis, hinge->column) + robot->rotor_inertia[i]);
    hinge->torque = torque[i] - NAME(dot6)(links[i].axis, links[i].force);
    x[i].qdd = hinge->torque * hinge->inverse; /* if all before it stood still, as the base does */
    if (i == 0) break;
    for (int k = 0; k < 6; k++) links[i - 1].force[k] += links[i].force[k] + hinge->column[k] * x[i].qdd;
    NAME(yield)(&beyond, hinge);
  }
  for (int k = 0; k < 6; k++) a[k] = links[0].axis[k] * x[0].qdd;
  for (size_t i = 1; i < n; i++) {
    x[i].qdd = (hinges[i].torque - NAME(dot6)(hinges[i].column, a)) * hinges[i].inverse;
    for (int k = 0; k < 6; k++) a[k] += links[i].axis[k] * x[i].qdd;
  }
}
