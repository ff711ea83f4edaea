/* All links in base axes, motions and forces at the base origin, for kernels that compare links with each other. A template
 * as recursion_kernel.h, and included after it. */

#include "lib/math/vector_kernel.h"
/* which comes before what builds on it */
#include "lib/math/spatial_kernel.h"

struct NAME(link_in_base) {
  struct NAME(pose) at;              /* of the canonical frame */
  REAL axis[6];                      /* [angular; linear] motion for unit speed of the joint */
  REAL velocity[6], acceleration[6]; /* of the link; what gravity feels like is in it */
  REAL turned[6], turned_twice[6];   /* velocity before the joint x axis; its rate: see derivatives_kernel.h */
  struct NAME(distribution) body;    /* the following of the link and, after a sum, of all beyond it */
  REAL carried[9], momentum[3];      /* integral V x' dm, integral V dm */
  REAL force[6];
};

/* A number that all samples share. */
static inline REAL NAME(shared)(double x)
{
  return x - (REAL){ 0 };
}

/* out[index] = x, of every sample at hand */
static inline void NAME(store)(const struct lanes_table *out, size_t index, REAL x)
{
  double each[sizeof x / sizeof(double)];
  memcpy(each, &x, sizeof x);
  for (size_t l = 0; l < sizeof each / sizeof *each; l++) out->data[l * out->stride + index] = each[l];
}

/* out = a b */
static inline void NAME(pose_multiply_shared)(struct NAME(pose) *restrict out, const struct NAME(pose) * a,
                                              const struct pose *b)
{
  struct NAME(pose) shared;
  for (int k = 0; k < 9; k++) shared.r[k] = NAME(shared)(b->r[k]);
  for (int k = 0; k < 3; k++) shared.p[k] = NAME(shared)(b->p[k]);
  NAME(pose_multiply)(out, a, &shared);
}

/* Pose and axis z, a line through p or a direction, of a joint after the link `before`. */
static inline void NAME(link_place)(struct NAME(link_in_base) *restrict x, const struct NAME(link_in_base) * before,
                                    const struct compiled_joint *joint, const struct NAME(state) * state)
{
  const REAL c = state->cosine, s = state->sine;
  REAL *r = x->at.r, z[3];
  NAME(pose_multiply_shared)(&x->at, &before->at, &joint->parent);
  for (int k = 0; k < 3; k++) {
    z[k] = r[3 * k + 2];
    if (joint->prismatic) {
      x->at.p[k] += z[k] * state->q;
      x->axis[k] = NAME(shared)(0);
      x->axis[3 + k] = z[k];
    } else { /* P Rz(q) turns the first two columns of P into each other */
      const REAL first = r[3 * k], second = r[3 * k + 1];
      r[3 * k] = first * c + second * s;
      r[3 * k + 1] = second * c - first * s;
      x->axis[k] = z[k];
    }
  }
  if (!joint->prismatic) NAME(cross3)(x->axis + 3, x->at.p, z);
}

/* Pose, axis, velocity and acceleration of every link; the sines and cosines of the states are those of q alone. */
static void NAME(links_move)(const struct armdyn_robot *robot, const struct NAME(state) * states,
                             struct NAME(link_in_base) * links)
{
  struct NAME(link_in_base) base;
  const struct NAME(link_in_base) *before = &base;
  memset(&base, 0, sizeof base);
  for (int k = 0; k < 3; k++) {
    base.at.r[4 * k] = NAME(shared)(1);
    base.acceleration[3 + k] = NAME(shared)(-robot->gravity[k]);
  }
  for (size_t i = 0; i < robot->joint_count; i++) {
    struct NAME(link_in_base) *x = &links[i];
    const struct NAME(state) *state = &states[i];
    REAL spin[6];
    NAME(link_place)(x, before, &robot->joints[i], state);
    NAME(cross_motion)(x->turned, before->velocity, x->axis);
    NAME(cross_motion)(x->turned_twice, before->velocity, x->turned);
    NAME(cross_motion)(spin, before->acceleration, x->axis);
    for (int k = 0; k < 6; k++) {
      x->turned_twice[k] += spin[k];
      x->velocity[k] = before->velocity[k] + x->axis[k] * state->qd;
      x->acceleration[k] = before->acceleration[k] + x->axis[k] * state->qdd + x->turned[k] * state->qd;
    }
    before = x;
  }
}
