/* SCARA arms in closed form. All axes are parallel, so motion across them and along them have nothing to do with each
 * other. Across: three bodies with the absolute angular velocities w1 = qd1, w2 = w1 + qd2, w3 = w2 + qd4 (signs apart).
 * With A the vector from axis 1 to axis 2, B from axis 2 to the wrist's, and the first moments X2 = h2 + m3 B, h3, the
 * kinetic energy is N(angles) w.w / 2 with
 *
 *   N11 = I1 + (m2 + m3) A.A   N22 = I2 + m3 B.B   N33 = I3   N12 = A.X2   N13 = A.h3   N23 = B.h3
 *
 * and a term N = u.v with u fixed in body i, v in body j has the torques
 *
 *   on i: (u.v) dw_j - (u x v) w_j^2      on j: (u.v) dw_i + (u x v) w_i^2
 *
 * The torque of a joint is the sum over the bodies that it carries. Nothing is left out; deploy/doc/dynamics.md compares
 * with the textbook form, which takes the wrist as N33 alone. Source: Lagrange's equations, written out. */
#include "lib/dynamics/scara.h"

#include <math.h>

#include "armdyn/methods.h"

static enum armdyn_status refuse_joint(const struct armdyn_robot *robot, size_t i, const char *what,
                                       struct armdyn_error *error)
{
  char pointer[32];
  snprintf(pointer, sizeof pointer, "/joints/%zu", i);
  return armdyn_refuse(error, ARMDYN_EINPUT, pointer, "no SCARA structure: joint \"%s\" %s",
                       robot->description.joints[i].name, what);
}

static enum armdyn_status check_structure(const struct armdyn_robot *robot, struct armdyn_error *error)
{
  if (robot->joint_count != 4) {
    return armdyn_refuse(error, ARMDYN_EINPUT, "/joints", "no SCARA structure: it has 4 joints, this arm has %zu",
                         robot->joint_count);
  }
  for (size_t i = 0; i < 4; i++) {
    const double *r = robot->joints[i].parent.r;
    if (i < 2 && robot->joints[i].prismatic) return refuse_joint(robot, i, "is prismatic, the first two turn", error);
    if (i == 3 && robot->joints[2].prismatic == robot->joints[3].prismatic) {
      return refuse_joint(robot, i, "and the one before are of one type; a slide and a wrist are needed", error);
    }
    if (i > 0 && hypot(r[2], r[5]) > 1e-10) {
      return refuse_joint(robot, i, "has an axis that is not parallel to the one before", error);
    }
  }
  return ARMDYN_OK;
}

/* Second moment across the axes, about the origin. */
static double polar(const struct distribution *d)
{
  return d->s[0] + d->s[1];
}

enum armdyn_status scara_compile(const struct armdyn_robot *robot, struct scara *arm, struct armdyn_error *error)
{
  const enum armdyn_status rc = check_structure(robot, error);
  if (rc) return rc;
  *arm = (struct scara){ .slide = robot->joints[2].prismatic ? 2 : 3, .base = robot->joints[0].parent };
  struct pose at = { .r = { 1, 0, 0, 0, 1, 0, 0, 0, 1 } }; /* in the first joint's frame, all joints at 0 */
  double axis[2] = { 0 };                                  /* of the body at hand */
  struct scara_body *body = arm->bodies;                   /* the first joint turns: check_structure */
  for (size_t i = 0; i < 4; i++) {
    const struct pose before = at;
    if (i > 0) pose_multiply(&at, &before, &robot->joints[i].parent);
    if (!robot->joints[i].prismatic) {
      for (int k = 0; i > 0 && k < 2; k++) body->next[k] = at.p[k] - axis[k];
      if (i > 0) body++;
      *body = (struct scara_body){ .joint = i, .sense = at.r[8] };
      memcpy(axis, at.p, sizeof axis);
    } else {
      arm->slide_sense = at.r[8];
    }
    if (i >= arm->slide) arm->slide_mass += robot->joints[i].link.m;
    const struct pose across = { .p = { at.p[0] - axis[0], at.p[1] - axis[1], 0 },
                                 .r = { at.r[0], at.r[1], at.r[2], at.r[3], at.r[4], at.r[5], at.r[6], at.r[7],
                                        at.r[8] } };
    struct distribution moved = { 0 };
    distribution_add(&moved, &across, &robot->joints[i].link);
    body->m += moved.m;
    body->inertia += polar(&moved);
    for (int k = 0; k < 2; k++) body->h[k] += moved.h[k];
  }
  struct pose tool;
  pose_multiply(&tool, &at, &robot->tool);
  for (int k = 0; k < 2; k++) body->next[k] = tool.p[k] - axis[k];
  memcpy(arm->tool, tool.r, sizeof arm->tool);
  return ARMDYN_OK;
}

bool armdyn_is_scara(const struct armdyn_robot *robot, struct armdyn_error *error)
{
  return check_structure(robot, error) == ARMDYN_OK;
}

static void turn2(double out[2], double angle, const double v[2])
{
  const double c = cos(angle), s = sin(angle);
  out[0] = c * v[0] - s * v[1];
  out[1] = s * v[0] + c * v[1];
}

static double cross2(const double a[2], const double b[2])
{
  return a[0] * b[1] - a[1] * b[0];
}

/* A body's angle, its rates, and its vectors turned by the angle. */
struct turned {
  double angle, w, dw;
  double h[2], next[2];
};

/* The torques of N = u.v, u fixed in body i, v in body j. */
static void couple(double *on_i, double *on_j, const struct turned *i, const struct turned *j, const double u[2],
                   const double v[2])
{
  const double along = u[0] * v[0] + u[1] * v[1], across = cross2(u, v);
  *on_i += along * j->dw - across * j->w * j->w;
  *on_j += along * i->dw + across * i->w * i->w;
}

/* The wrench in the axes of the first joint's frame. */
static void wrench_across(const struct scara *arm, const struct armdyn_load *load, double angle, double out[6])
{
  if (load->wrench_frame == ARMDYN_WRENCH_BASE) {
    unrotate3(out, arm->base.r, load->wrench);
    unrotate3(out + 3, arm->base.r, load->wrench + 3);
    return;
  }
  for (int k = 0; k < 6; k += 3) {
    double at_zero[3];
    rotate3(at_zero, arm->tool, load->wrench + k);
    turn2(out + k, angle, at_zero);
    out[k + 2] = at_zero[2];
  }
}

void scara_torques(const struct armdyn_robot *robot, const struct scara *arm, const double *q, const double *qd,
                   const double *qdd, const struct armdyn_load *load, double *tau)
{
  const struct scara_body *body = arm->bodies;
  struct turned x[3] = { 0 };
  double g[3], X2[2], X1[2], wrench[6] = { 0 }, Q[3];
  unrotate3(g, arm->base.r, robot->gravity);
  for (int i = 0; i < 3; i++) {
    const size_t joint = body[i].joint;
    x[i].angle = body[i].sense * q[joint] + (i > 0 ? x[i - 1].angle : 0);
    x[i].w = body[i].sense * qd[joint] + (i > 0 ? x[i - 1].w : 0);
    x[i].dw = body[i].sense * qdd[joint] + (i > 0 ? x[i - 1].dw : 0);
    turn2(x[i].h, x[i].angle, body[i].h);
    turn2(x[i].next, x[i].angle, body[i].next);
  }
  if (load && load->wrench) wrench_across(arm, load, x[2].angle, wrench);
  const double *A = x[0].next, *B = x[1].next, *h3 = x[2].h, *force = wrench + 3;
  for (int k = 0; k < 2; k++) {
    X1[k] = x[0].h[k] + (body[1].m + body[2].m) * A[k];
    X2[k] = x[1].h[k] + body[2].m * B[k];
  }

  /* N11, N22, N33, weight and wrench */
  Q[0] = (body[0].inertia + (body[1].m + body[2].m) * (A[0] * A[0] + A[1] * A[1])) * x[0].dw - cross2(X1, g) -
         cross2(A, force);
  Q[1] = (body[1].inertia + body[2].m * (B[0] * B[0] + B[1] * B[1])) * x[1].dw - cross2(X2, g) - cross2(B, force);
  Q[2] = body[2].inertia * x[2].dw - cross2(h3, g) - cross2(x[2].next, force) - wrench[2];

  /* N12, N13, N23 */
  couple(&Q[0], &Q[1], &x[0], &x[1], A, X2);
  couple(&Q[0], &Q[2], &x[0], &x[2], A, h3);
  couple(&Q[1], &Q[2], &x[1], &x[2], B, h3);

  tau[body[2].joint] = body[2].sense * Q[2];
  tau[body[1].joint] = body[1].sense * (Q[1] + Q[2]);
  tau[body[0].joint] = body[0].sense * (Q[0] + Q[1] + Q[2]);
  tau[arm->slide] = arm->slide_mass * (qdd[arm->slide] - arm->slide_sense * g[2]) - arm->slide_sense * force[2];
}
