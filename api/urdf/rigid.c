#include "api/urdf/rigid.h"

#include <math.h>

#include "armdyn/inverse_kinematics.h"

const struct rigid rigid_identity = { .r = { 1, 0, 0, 0, 1, 0, 0, 0, 1 } };

struct rigid rigid_of_pose(const struct armdyn_pose *pose)
{
  const double cr = cos(pose->rpy[0]), sr = sin(pose->rpy[0]), cp = cos(pose->rpy[1]), sp = sin(pose->rpy[1]);
  const double cy = cos(pose->rpy[2]), sy = sin(pose->rpy[2]), *t = pose->translation;
  return (struct rigid){ .r = { cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr, sy * cp,
                                sy * sp * sr + cy * cr, sy * sp * cr - cy * sr, -sp, cp * sr, cp * cr },
                         .p = { t[0], t[1], t[2] } };
}

struct armdyn_pose rigid_to_pose(const struct rigid *x)
{
  const double *r = x->r, *p = x->p;
  const double matrix[16] = { r[0], r[1], r[2], p[0], r[3], r[4], r[5], p[1], r[6], r[7], r[8], p[2], 0, 0, 0, 1 };
  struct armdyn_pose out;
  armdyn_matrix_pose(matrix, &out);
  return out;
}

struct rigid rigid_multiply(const struct rigid *a, const struct rigid *b)
{
  struct rigid out;
  for (int i = 0; i < 3; i++) {
    const double *row = a->r + 3 * i;
    for (int j = 0; j < 3; j++) out.r[3 * i + j] = row[0] * b->r[j] + row[1] * b->r[3 + j] + row[2] * b->r[6 + j];
    out.p[i] = row[0] * b->p[0] + row[1] * b->p[1] + row[2] * b->p[2] + a->p[i];
  }
  return out;
}

struct rigid rigid_turn(const double u[3], double angle)
{
  const double s = sin(angle), c = cos(angle), k = 1 - c;
  return (struct rigid){ .r = { c + k * u[0] * u[0], k * u[0] * u[1] - s * u[2], k * u[0] * u[2] + s * u[1],
                                k * u[1] * u[0] + s * u[2], c + k * u[1] * u[1], k * u[1] * u[2] - s * u[0],
                                k * u[2] * u[0] - s * u[1], k * u[2] * u[1] + s * u[0], c + k * u[2] * u[2] } };
}

struct rigid rigid_shift(const double axis[3], double length)
{
  struct rigid out = rigid_identity;
  for (int i = 0; i < 3; i++) out.p[i] = axis[i] * length;
  return out;
}

struct armdyn_body rigid_move(const struct rigid *x, const struct armdyn_body *body)
{
  const struct armdyn_inertia *I = &body->inertia;
  const double full[9] = { I->xx, I->xy, I->xz, I->xy, I->yy, I->yz, I->xz, I->yz, I->zz };
  struct armdyn_body out = { .mass = body->mass };
  double turned[9], about[9];
  for (int i = 0; i < 3; i++) {
    const double *row = x->r + 3 * i;
    out.com[i] = row[0] * body->com[0] + row[1] * body->com[1] + row[2] * body->com[2] + x->p[i];
    for (int j = 0; j < 3; j++) turned[3 * i + j] = row[0] * full[j] + row[1] * full[3 + j] + row[2] * full[6 + j];
  }
  /* R I R' */
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      about[3 * i + j] =
          turned[3 * i] * x->r[3 * j] + turned[3 * i + 1] * x->r[3 * j + 1] + turned[3 * i + 2] * x->r[3 * j + 2];
  out.inertia = (struct armdyn_inertia){ about[0], about[4], about[8], about[1], about[2], about[5] };
  return out;
}

/* I += m (d.d 1 - d d') */
static void add_steiner(struct armdyn_inertia *I, double m, const double d[3])
{
  I->xx += m * (d[1] * d[1] + d[2] * d[2]);
  I->yy += m * (d[0] * d[0] + d[2] * d[2]);
  I->zz += m * (d[0] * d[0] + d[1] * d[1]);
  I->xy -= m * d[0] * d[1];
  I->xz -= m * d[0] * d[2];
  I->yz -= m * d[1] * d[2];
}

bool body_is_nothing(const struct armdyn_body *body)
{
  const struct armdyn_inertia *I = &body->inertia;
  const double numbers[] = { body->mass, I->xx, I->yy, I->zz, I->xy, I->xz, I->yz };
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
    if (fabs(numbers[i]) > 0) return false;
  return true;
}

void body_join(struct armdyn_body *into, const struct armdyn_body *other)
{
  if (body_is_nothing(other)) return;
  if (body_is_nothing(into)) {
    *into = *other;
    return;
  }
  const double mass = into->mass + other->mass;
  double com[3], d[3];
  const struct armdyn_body parts[2] = { *into, *other };
  for (int i = 0; i < 3; i++)
    com[i] = fabs(mass) > 0 ? (into->mass * into->com[i] + other->mass * other->com[i]) / mass : into->com[i];
  *into = (struct armdyn_body){ .mass = mass, .com = { com[0], com[1], com[2] } };
  for (int k = 0; k < 2; k++) {
    const struct armdyn_inertia *I = &parts[k].inertia;
    into->inertia.xx += I->xx, into->inertia.yy += I->yy, into->inertia.zz += I->zz;
    into->inertia.xy += I->xy, into->inertia.xz += I->xz, into->inertia.yz += I->yz;
    for (int i = 0; i < 3; i++) d[i] = parts[k].com[i] - com[i];
    add_steiner(&into->inertia, parts[k].mass, d);
  }
}
