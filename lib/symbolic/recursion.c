/* Newton-Euler, composite bodies and momentum on an arm of expressions. The equations are those of lib/dynamics/motion.h,
 * lib/dynamics/inertia_kernel.h and lib/dynamics/joint_momentum.c; what is zero folds away. */
#include "lib/symbolic/arm.h"

/* Origin of the frame of a joint in that before. */
static void origin_of(const struct arm *arm, const struct arm_joint *joint, expr p[3])
{
  struct expr_graph *g = arm->graph;
  expr_vector(g, p, joint->before.p, 3);
  for (int k = 0; k < 3 && joint->slides; k++) {
    const expr along = expr_multiply(g, expr_number(g, joint->before.r[3 * k + 2]), joint->q);
    p[k] = expr_add(g, p[k], along);
  }
}

/* v in the frame before the joint becomes v in the joint's own, and back. */
static void unturn(const struct arm *arm, const struct arm_joint *joint, expr v[3])
{
  expr_unrotate(arm->graph, joint->before.r, v);
  expr_unturn(arm->graph, joint->cosine, joint->sine, v);
}
static void turn(const struct arm *arm, const struct arm_joint *joint, expr v[3])
{
  expr_turn(arm->graph, joint->cosine, joint->sine, v);
  expr_rotate(arm->graph, joint->before.r, v);
}

/* ---------------------------------------------------------------- outward */

struct motion_of_link {
  expr w[3], wd[3], a[3], K[9];
  expr squares[3]; /* of w */
};

/* Joints with parallel axes, seen from where the first of them begins: w and wd before all of them, the sum of their angles
 * and of their velocities. In the joint's own axes
 *   w = Rz(sum of angles)' w0 + z sum of qd,  wd = Rz(sum of angles)' wd0 + (sum of qd) w x z + z sum of qdd,
 * which turns w0 and wd0, of which much is 0, once. */
struct chain {
  expr w0[3], wd0[3], cosine, sine, speed, acceleration;
};

static void chain_take(const struct arm *arm, const struct arm_joint *joint, const struct motion_of_link *before,
                       struct chain *chain)
{
  struct expr_graph *g = arm->graph;
  if (joint->parallel && arm->chains) {
    const expr c = chain->cosine, s = chain->sine, jc = joint->cosine, js = joint->sine;
    chain->cosine = expr_cross_element(g, c, jc, s, js);
    chain->sine = expr_add(g, expr_multiply(g, s, jc), expr_multiply(g, c, js));
    return;
  }
  for (int k = 0; k < 3; k++) {
    chain->w0[k] = before->w[k];
    chain->wd0[k] = before->wd[k];
  }
  expr_unrotate(g, joint->before.r, chain->w0);
  expr_unrotate(g, joint->before.r, chain->wd0);
  chain->cosine = joint->cosine;
  chain->sine = joint->sine;
  chain->speed = chain->acceleration = 0;
}

static void motion_matrix_of(struct expr_graph *g, struct motion_of_link *x)
{
  const expr *w = x->w, *d = x->wd;
  const expr xx = expr_multiply(g, w[0], w[0]), yy = expr_multiply(g, w[1], w[1]), zz = expr_multiply(g, w[2], w[2]);
  const expr xy = expr_multiply(g, w[0], w[1]), xz = expr_multiply(g, w[0], w[2]), yz = expr_multiply(g, w[1], w[2]);
  x->K[0] = expr_negate(g, expr_add(g, yy, zz));
  x->K[1] = expr_subtract(g, xy, d[2]);
  x->K[2] = expr_add(g, xz, d[1]);
  x->K[3] = expr_add(g, xy, d[2]);
  x->K[4] = expr_negate(g, expr_add(g, xx, zz));
  x->K[5] = expr_subtract(g, yz, d[0]);
  x->K[6] = expr_subtract(g, xz, d[1]);
  x->K[7] = expr_add(g, yz, d[0]);
  x->K[8] = expr_negate(g, expr_add(g, xx, yy));
  x->squares[0] = xx;
  x->squares[1] = yy;
  x->squares[2] = zz;
}

/* x, the motion of the link before, becomes that of the link. */
static void outward(const struct arm *arm, const struct arm_joint *joint, struct arm_terms terms, struct chain *chain,
                    struct motion_of_link *x)
{
  struct expr_graph *g = arm->graph;
  const expr qd = terms.velocity ? joint->qd : 0, qdd = terms.acceleration ? joint->qdd : 0;
  expr p[3];
  origin_of(arm, joint, p);
  for (int k = 0; k < 3; k++) x->a[k] = expr_add(g, x->a[k], expr_dot(g, x->K + 3 * k, p));
  unturn(arm, joint, x->a);

  chain_take(arm, joint, x, chain);
  if (!joint->slides) {
    chain->speed = expr_add(g, chain->speed, qd);
    chain->acceleration = expr_add(g, chain->acceleration, qdd);
  }
  for (int k = 0; k < 3; k++) {
    x->w[k] = chain->w0[k];
    x->wd[k] = chain->wd0[k];
  }
  expr_unturn(g, chain->cosine, chain->sine, x->w);
  expr_unturn(g, chain->cosine, chain->sine, x->wd);
  x->wd[0] = expr_add(g, x->wd[0], expr_multiply(g, chain->speed, x->w[1]));
  x->wd[1] = expr_subtract(g, x->wd[1], expr_multiply(g, chain->speed, x->w[0]));
  x->wd[2] = expr_add(g, x->wd[2], chain->acceleration);
  x->w[2] = expr_add(g, x->w[2], chain->speed);
  if (joint->slides) { /* a += 2 w x (z qd) + z qdd */
    const expr twice = expr_multiply(g, expr_number(g, 2), qd);
    x->a[0] = expr_add(g, x->a[0], expr_multiply(g, twice, x->w[1]));
    x->a[1] = expr_subtract(g, x->a[1], expr_multiply(g, twice, x->w[0]));
    x->a[2] = expr_add(g, x->a[2], qdd);
  }
  motion_matrix_of(g, x);
}

/* [moment; force] that gives a body this motion: h x a + the axial part of K S; m a + K h. */
static void force_on(struct expr_graph *g, const struct expr_body *d, const struct motion_of_link *x, expr force[6])
{
  const expr *K = x->K, *s = d->s;
  const expr full[9] = { s[0], s[3], s[4], s[3], s[1], s[5], s[4], s[5], s[2] };
  for (int k = 0; k < 3; k++) {
    force[3 + k] = expr_add(g, expr_multiply(g, d->m, x->a[k]), expr_dot(g, K + 3 * k, d->h));
  }
  expr_cross(g, force, d->h, x->a);
  for (int k = 0; k < 3; k++) {
    const int i = (k + 1) % 3, j = (k + 2) % 3;
    const expr second = expr_cross_element(g, K[3 * j + i], full[4 * i], K[3 * i + j], full[4 * j]);
    const expr product = expr_cross_element(g, K[3 * j + k], full[3 * i + k], K[3 * i + k], full[3 * j + k]);
    const expr across = expr_subtract(g, x->squares[j], x->squares[i]); /* K_jj - K_ii */
    force[k] = expr_add(g, force[k], expr_add(g, second, product));
    force[k] = expr_add(g, force[k], expr_multiply(g, across, full[3 * i + j]));
  }
}

/* before += the force on a link, [moment; force], moved to the frame before */
static void inward(const struct arm *arm, const struct arm_joint *joint, const expr force[6], expr before[6])
{
  struct expr_graph *g = arm->graph;
  expr moved[6], p[3], moment[3];
  for (int k = 0; k < 6; k++) moved[k] = force[k];
  turn(arm, joint, moved);
  turn(arm, joint, moved + 3);
  origin_of(arm, joint, p);
  expr_cross(g, moment, p, moved + 3);
  expr_vector_add(g, moved, moment, 3);
  expr_vector_add(g, before, moved, 6);
}

void code_arm_torques(const struct arm *arm, struct arm_terms terms, expr *tau)
{
  expr force[6 * ARMDYN_JOINTS_MAX];
  struct motion_of_link x = { .w = { 0 } };
  struct chain chain = { .speed = 0 };
  for (int k = 0; k < 3 && terms.gravity; k++) x.a[k] = expr_number(arm->graph, arm->upward[k]);
  for (size_t i = 0; i < arm->n; i++) {
    outward(arm, &arm->joints[i], terms, &chain, &x);
    force_on(arm->graph, &arm->joints[i].body, &x, force + 6 * i);
  }
  for (size_t i = arm->n; i-- > 0;) {
    const struct arm_joint *joint = &arm->joints[i];
    tau[i] = force[6 * i + (joint->slides ? 5 : 2)];
    if (i > 0) inward(arm, joint, force + 6 * i, force + 6 * (i - 1));
  }
}

/* ---------------------------------------------------------------- the mass matrix */

/* before += x, the bodies beyond the joint */
static void gather(const struct arm *arm, const struct arm_joint *joint, struct expr_body x, struct expr_body *before)
{
  struct expr_graph *g = arm->graph;
  expr p[3];
  expr_body_turn(g, &x, joint->cosine, joint->sine);
  expr_body_rotate(g, &x, joint->before.r);
  origin_of(arm, joint, p);
  expr_body_shift(g, &x, p);
  before->m = expr_add(g, before->m, x.m);
  expr_vector_add(g, before->h, x.h, 3);
  expr_vector_add(g, before->s, x.s, 6);
}

/* What accelerates the bodies beyond a joint by one along it. */
static void unit_force(struct expr_graph *g, const struct expr_body *x, bool slides, expr force[6])
{
  const expr turning[6] = {
    expr_negate(g, x->s[4]), expr_negate(g, x->s[5]), expr_add(g, x->s[0], x->s[1]), expr_negate(g, x->h[1]), x->h[0], 0
  };
  const expr sliding[6] = { x->h[1], expr_negate(g, x->h[0]), 0, 0, 0, x->m };
  for (int k = 0; k < 6; k++) force[k] = slides ? sliding[k] : turning[k];
}

void code_arm_mass_matrix(const struct arm *arm, expr *M)
{
  struct expr_graph *g = arm->graph;
  const size_t n = arm->n;
  struct expr_body composite = { .m = 0 };
  for (size_t i = n; i-- > 0;) {
    const struct arm_joint *joint = &arm->joints[i];
    const struct expr_body *own = &joint->body;
    expr force[6], at[6];
    composite.m = expr_add(g, composite.m, own->m);
    expr_vector_add(g, composite.h, own->h, 3);
    expr_vector_add(g, composite.s, own->s, 6);
    unit_force(g, &composite, joint->slides, force);
    for (size_t j = i + 1; j-- > 0;) {
      M[i * n + j] = M[j * n + i] = force[arm->joints[j].slides ? 5 : 2];
      if (j == 0) break;
      for (int k = 0; k < 6; k++) at[k] = 0;
      inward(arm, &arm->joints[j], force, at);
      for (int k = 0; k < 6; k++) force[k] = at[k];
    }
    struct expr_body before = { .m = 0 };
    if (i > 0) gather(arm, joint, composite, &before);
    composite = before;
  }
  for (size_t j = 0; j < n; j++) {
    expr unit[ARMDYN_JOINTS_MAX] = { 0 }, column[ARMDYN_JOINTS_MAX] = { 0 };
    unit[j] = expr_number(g, 1);
    code_arm_rotors_add(arm, unit, column);
    for (size_t i = 0; i < n; i++) M[i * n + j] = expr_add(g, M[i * n + j], column[i]);
  }
}

/* ---------------------------------------------------------------- momentum */

struct moving_link {
  expr w[3], v[3], fall[3];
};

/* x, of the link before, becomes that of the link. */
static void move(const struct arm *arm, const struct arm_joint *joint, struct moving_link *x)
{
  struct expr_graph *g = arm->graph;
  expr p[3], swing[3];
  origin_of(arm, joint, p);
  expr_cross(g, swing, x->w, p);
  expr_vector_add(g, x->v, swing, 3);
  unturn(arm, joint, x->w);
  unturn(arm, joint, x->v);
  unturn(arm, joint, x->fall);
  expr *along = joint->slides ? &x->v[2] : &x->w[2];
  *along = expr_add(g, *along, joint->qd);
}

/* [h x v + (tr(S) 1 - S) w; m v + w x h] */
static void momentum_of(struct expr_graph *g, const struct expr_body *d, const struct moving_link *x, expr out[6])
{
  const expr *s = d->s;
  const expr full[9] = { s[0], s[3], s[4], s[3], s[1], s[5], s[4], s[5], s[2] };
  expr turned[3];
  expr_cross(g, out, d->h, x->v);
  expr_cross(g, turned, x->w, d->h);
  for (int k = 0; k < 3; k++) {
    const int i = (k + 1) % 3, j = (k + 2) % 3;
    const expr others = expr_add(g, full[4 * i], full[4 * j]);
    out[k] = expr_add(g, out[k], expr_multiply(g, others, x->w[k]));
    out[k] = expr_subtract(g, out[k], expr_multiply(g, full[3 * k + i], x->w[i]));
    out[k] = expr_subtract(g, out[k], expr_multiply(g, full[3 * k + j], x->w[j]));
    out[3 + k] = expr_add(g, expr_multiply(g, d->m, x->v[k]), turned[k]);
  }
}

/* (w x z).L + (v x z).P and the work of the weight; see lib/dynamics/joint_momentum.c */
static expr drift_of(const struct arm *arm, const struct arm_joint *joint, const struct moving_link *x, const expr *L,
                     const struct expr_body *beyond)
{
  struct expr_graph *g = arm->graph;
  const expr *w = x->w, *v = x->v, *P = L + 3, *h = beyond->h;
  if (joint->slides) {
    return expr_add(g, expr_cross_element(g, w[1], P[0], w[0], P[1]), expr_multiply(g, beyond->m, x->fall[2]));
  }
  const expr moved =
      expr_add(g, expr_cross_element(g, w[1], L[0], w[0], L[1]), expr_cross_element(g, v[1], P[0], v[0], P[1]));
  return expr_add(g, moved, expr_cross_element(g, h[0], x->fall[1], h[1], x->fall[0]));
}

void code_arm_momentum(const struct arm *arm, expr *momentum, expr *drift)
{
  struct expr_graph *g = arm->graph;
  struct moving_link moving[1 + ARMDYN_JOINTS_MAX] = { { .w = { 0 } } };
  struct expr_body beyond = { .m = 0 };
  expr link[6 * ARMDYN_JOINTS_MAX], speeds[ARMDYN_JOINTS_MAX];
  for (int k = 0; k < 3; k++) moving[0].fall[k] = expr_number(g, -arm->upward[k]);
  for (size_t i = 0; i < arm->n; i++) {
    moving[i + 1] = moving[i];
    move(arm, &arm->joints[i], &moving[i + 1]);
    momentum_of(g, &arm->joints[i].body, &moving[i + 1], link + 6 * i);
    speeds[i] = arm->joints[i].qd;
  }
  for (size_t i = arm->n; i-- > 0;) {
    const struct arm_joint *joint = &arm->joints[i];
    struct expr_body before = { .m = 0 };
    beyond.m = expr_add(g, beyond.m, joint->body.m);
    expr_vector_add(g, beyond.h, joint->body.h, 3);
    momentum[i] = link[6 * i + (joint->slides ? 5 : 2)];
    drift[i] = drift_of(arm, joint, &moving[i + 1], link + 6 * i, &beyond);
    if (i > 0) inward(arm, joint, link + 6 * i, link + 6 * (i - 1));
    gather(arm, joint, beyond, &before);
    beyond = before;
  }
  code_arm_rotors_add(arm, speeds, momentum);
}
