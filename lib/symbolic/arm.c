#include "lib/symbolic/arm.h"

#include <math.h>

#include "lib/model/parameters.h"

/* Sines of right angles, and what comes of them, are rounding: 0 and +-1 are meant. */
static const double ROUNDING = 1e-15;

static double snapped(double x)
{
  return fabs(x) < ROUNDING ? 0 : fabs(fabs(x) - 1) < ROUNDING ? copysign(1, x) : x;
}

struct pose code_arm_constant_pose(const struct arm *arm, const struct pose *x)
{
  struct pose out;
  for (int k = 0; k < 9; k++) out.r[k] = snapped(x->r[k]);
  for (int k = 0; k < 3; k++) out.p[k] = fabs(x->p[k]) < ROUNDING * arm->length ? 0 : x->p[k];
  return out;
}

/* To the nearest right angle, if it is one. */
static double snapped_angle(double angle)
{
  const double right = angle / (M_PI / 2), whole = nearbyint(right);
  return fabs(right - whole) < ROUNDING * (1 + fabs(right)) ? whole * (M_PI / 2) : angle;
}

static double longest(const struct armdyn_robot *robot)
{
  double most = 0;
  for (size_t i = 0; i < robot->joint_count; i++) {
    const struct compiled_joint *joint = &robot->joints[i];
    for (int k = 0; k < 3; k++) most = fmax(most, fmax(fabs(joint->parent.p[k]), fabs(joint->frame.p[k])));
  }
  return most;
}

static const struct distribution *link_of(const struct armdyn_robot *robot, enum arm_frames frames, size_t i)
{
  return frames == ARM_REDUCED ? &robot->reduced.joints[i].link : &robot->joints[i].link;
}

/* The largest first and second moments of the links. What is rounding beside them came of moving them from link to link. */
static void find_scale(struct arm *arm, enum arm_frames frames)
{
  for (size_t i = 0; i < arm->n; i++) {
    const struct distribution *d = link_of(arm->robot, frames, i);
    for (int k = 0; k < 3; k++) arm->first_moment = fmax(arm->first_moment, fabs(d->h[k]));
    for (int k = 0; k < 6; k++) arm->second_moment = fmax(arm->second_moment, fabs(d->s[k]));
  }
}

static struct expr_body body_of(const struct arm *arm, const struct distribution *d)
{
  struct expr_graph *g = arm->graph;
  const double h = ROUNDING * arm->first_moment, s = ROUNDING * arm->second_moment;
  struct expr_body out = { .m = expr_number(g, d->m) };
  for (int k = 0; k < 3; k++) out.h[k] = expr_number(g, fabs(d->h[k]) < h ? 0 : d->h[k]);
  for (int k = 0; k < 6; k++) out.s[k] = expr_number(g, fabs(d->s[k]) < s ? 0 : d->s[k]);
  return out;
}

/* ---------------------------------------------------------------- frames */

static void reduced_joint_of(struct arm_joint *joint, const struct reduced_joint *r, bool first)
{
  const double c = r->twist_cosine, s = r->twist_sine;
  joint->before = (struct pose){ .r = { 1, 0, 0, 0, c, -s, 0, s, c }, .p = { r->x, r->y, 0 } };
  joint->angle = atan2(r->angle_sine, r->angle_cosine);
  if (!first) return; /* what is before joint 0 does not move, and gravity is known after its twist */
  joint->before = (struct pose){ .r = { 1, 0, 0, 0, 1, 0, 0, 0, 1 } };
}

/* Rx(twist) Rz(angle) has a 0 here: then the turn about z is a part of the joint's angle. */
static void take_turn_out(struct arm_joint *joint)
{
  double *r = joint->before.r;
  if (r[2] != 0) return;
  joint->angle = atan2(-r[1], r[0]);
  const double twist[9] = { 1, 0, 0, 0, r[8], r[5], 0, -r[5], r[8] };
  memcpy(r, twist, sizeof twist);
}

static bool is_identity(const double r[9])
{
  return r[0] == 1 && r[4] == 1 && r[8] == 1;
}

static void place_joint(struct arm *arm, size_t i, enum arm_frames frames, const expr *states)
{
  struct expr_graph *g = arm->graph;
  struct arm_joint *joint = &arm->joints[i];
  const struct compiled_joint *compiled = &arm->robot->joints[i];
  const struct reduced_joint *reduced = &arm->robot->reduced.joints[i];
  joint->slides = compiled->prismatic;
  if (frames == ARM_REDUCED) {
    reduced_joint_of(joint, reduced, i == 0);
    joint->before = code_arm_constant_pose(arm, &joint->before);
  } else {
    joint->before = code_arm_constant_pose(arm, &compiled->parent);
    take_turn_out(joint);
  }
  joint->angle = snapped_angle(joint->angle);
  joint->parallel = i > 0 && is_identity(joint->before.r);
  joint->q = states[i];
  joint->qd = states[arm->n + i];
  joint->qdd = states[2 * arm->n + i];
  if (joint->slides) {
    joint->cosine = expr_number(g, snapped(cos(joint->angle)));
    joint->sine = expr_number(g, snapped(sin(joint->angle)));
    return;
  }
  /* quarters of a turn change sines and cosines with each other */
  const double quarters = joint->angle / (M_PI / 2);
  const bool whole = quarters == nearbyint(quarters);
  const expr angle = whole ? joint->q : expr_add(g, joint->q, expr_number(g, joint->angle));
  const expr c = expr_cosine(g, angle), s = expr_sine(g, angle);
  const int quarter = whole ? ((int)quarters % 4 + 4) % 4 : 0;
  const expr cosines[4] = { c, expr_negate(g, s), expr_negate(g, c), s };
  const expr sines[4] = { s, c, expr_negate(g, s), expr_negate(g, c) };
  joint->cosine = cosines[quarter];
  joint->sine = sines[quarter];
}

/* ---------------------------------------------------------------- parameters */

void code_arm_second_moments(struct expr_graph *g, const expr inertia[6], expr s[6])
{
  static const int diagonal[3] = { 0, 2, 5 };
  const expr xx = inertia[diagonal[0]], yy = inertia[diagonal[1]], zz = inertia[diagonal[2]];
  const expr half = expr_number(g, 0.5);
  s[0] = expr_multiply(g, half, expr_subtract(g, expr_add(g, yy, zz), xx));
  s[1] = expr_multiply(g, half, expr_subtract(g, expr_add(g, xx, zz), yy));
  s[2] = expr_multiply(g, half, expr_subtract(g, expr_add(g, xx, yy), zz));
  s[3] = expr_negate(g, inertia[1]);
  s[4] = expr_negate(g, inertia[3]);
  s[5] = expr_negate(g, inertia[4]);
}

/* A link of parameters in its frame of the convention, seen from the canonical frame. */
static struct expr_body body_of_parameters(const struct arm *arm, const expr *parameters, const struct pose *frame)
{
  struct expr_graph *g = arm->graph;
  const struct pose at = code_arm_constant_pose(arm, frame);
  struct expr_body out = { .m = parameters[0], .h = { parameters[1], parameters[2], parameters[3] } };
  expr p[3];
  code_arm_second_moments(g, parameters + 4, out.s);
  expr_vector(g, p, at.p, 3);
  expr_body_rotate(g, &out, at.r);
  expr_body_shift(g, &out, p);
  return out;
}

void code_arm_take_drives(struct arm *arm, const expr *parameters)
{
  const size_t links = ARMDYN_LINK_PARAMETERS * arm->n, count = armdyn_parameter_count(arm->robot, NULL);
  for (size_t k = links; k < count; k++) {
    const struct armdyn_parameter_id id = armdyn_parameter_at(arm->robot, NULL, k);
    const expr value = parameters[k - links];
    if (id.group == ARMDYN_PARAMETER_ROTOR) {
      arm->rotor[id.joint] = value;
    } else {
      arm->friction[id.joint].number[id.index][id.line] = value;
    }
  }
}

/* The drives' own numbers. */
static void fold_drives(struct arm *arm)
{
  const struct armdyn_robot *robot = arm->robot;
  const size_t n = arm->n, count = armdyn_parameter_count(robot, NULL);
  double values[ARMDYN_JOINTS_MAX * (10 + 1 + FRICTION_ROW_MAX)];
  expr numbers[ARMDYN_JOINTS_MAX * (1 + FRICTION_ROW_MAX)];
  armdyn_parameters(robot, NULL, values);
  expr_vector(arm->graph, numbers, values + 10 * n, count - 10 * n);
  code_arm_take_drives(arm, numbers);
}

void code_arm_init(struct arm *arm, struct expr_graph *graph, const struct armdyn_robot *robot, enum arm_frames frames,
                   const expr *parameters, const expr *states)
{
  *arm = (struct arm){ .graph = graph, .robot = robot, .n = robot->joint_count, .length = longest(robot) };
  find_scale(arm, frames);
  for (size_t i = 0; i < arm->n; i++) {
    struct arm_joint *joint = &arm->joints[i];
    place_joint(arm, i, frames, states);
    if (parameters) {
      joint->body = body_of_parameters(arm, parameters + 10 * i, &robot->joints[i].frame);
    } else {
      joint->body = body_of(arm, link_of(robot, frames, i));
    }
  }
  const double g = sqrt(dot3(robot->gravity, robot->gravity));
  for (int k = 0; k < 3; k++) {
    const double up = frames == ARM_REDUCED ? robot->reduced.upward[k] : -robot->gravity[k];
    arm->upward[k] = fabs(up) < ROUNDING * g ? 0 : up;
  }
  if (parameters) {
    code_arm_take_drives(arm, parameters + 10 * arm->n);
  } else {
    fold_drives(arm);
  }
}

/* ---------------------------------------------------------------- drives */

void code_arm_rotors_add(const struct arm *arm, const expr *x, expr *tau)
{
  struct expr_graph *g = arm->graph;
  const struct armdyn_robot_description *d = &arm->robot->description;
  for (size_t i = 0; i < arm->n; i++) {
    for (size_t j = 0; j < arm->n; j++) {
      expr inertia = 0; /* element i, j of T' Jm T */
      for (size_t k = 0; k < arm->n; k++) {
        const double ratio = d->joints[k].drive.gear_ratio, *row = d->transmission + k * arm->n;
        const double square = arm->robot->coupled ? row[i] * row[j] : i == k && j == k ? ratio * ratio : 0;
        inertia = expr_add(g, inertia, expr_multiply(g, expr_number(g, square), arm->rotor[k]));
      }
      tau[i] = expr_add(g, tau[i], expr_multiply(g, inertia, x[j]));
    }
  }
}
