/* What the tool meets. Every contact is a point and a direction in which the tool is free: of a depth p > 0 the normal force is
 * N = max(0, stiffness p + damping dp/dt), and sliding with v is held by -mu N tanh(|v| / slip) v / |v|. It takes
 * -(force . velocity), of which stiffness p dp/dt goes into the spring stiffness p^2 / 2 and the rest is dissipated; that
 * rest is never below 0: where N is cut off it is -stiffness p dp/dt with dp/dt < 0.
 *
 * A damper that is met at a speed would jump; so damping grows over the first FULL_DEPTH, and a force is continuous.
 * Depths in a body that is convex are the least distance to a face, so that the energy stored is a continuous function of
 * position. */
#include <math.h>
#include <string.h>

#include "armdyn/plant.h"
#include "lib/math/vector.h"

enum { POINTS = 32 };                  /* around a rim or an edge */
static const double FULL_DEPTH = 1e-8; /* m */
/* The way from one to the next. */
static const double STEP_COSINE = 0.98078528040323044913, STEP_SINE = 0.19509032201612826785;

struct tool {
  const double *pose;  /* 4 x 4 */
  const double *twist; /* 6 */
  double origin[3];
  double *wrench; /* 6, is added to */
};

/* The tool touches at `at`, `depth` deep, and is free along `out`; `share` of the surface's stiffness and damping. */
static void touch(const struct tool *tool, const struct armdyn_surface *surface, double share, const double *at,
                  double depth, const double *out, struct armdyn_element_energy *energy)
{
  const double stiffness = share * surface->stiffness;
  double arm[3], v[3], force[3], moment[3];
  if (!(depth > 0)) return;
  for (int i = 0; i < 3; i++) arm[i] = at[i] - tool->origin[i];
  cross3(v, tool->twist, arm);
  for (int i = 0; i < 3; i++) v[i] += tool->twist[3 + i];
  const double damping = share * surface->damping * fmin(1, depth / FULL_DEPTH);
  const double leaving = dot3(v, out), normal = fmax(0, stiffness * depth - damping * leaving);
  double slip = 0;
  for (int i = 0; i < 3; i++) v[i] -= leaving * out[i], slip += v[i] * v[i];
  slip = sqrt(slip);
  const double held =
      surface->friction * normal * (slip > 0 ? tanh(slip / surface->slip_velocity) / slip : 1 / surface->slip_velocity);
  for (int i = 0; i < 3; i++) force[i] = normal * out[i] - held * v[i];
  cross3(moment, arm, force);
  for (int i = 0; i < 3; i++) tool->wrench[i] += moment[i], tool->wrench[3 + i] += force[i];
  energy->stored += stiffness * depth * depth / 2;
  energy->taken += -normal * leaving + held * slip * slip;
  energy->dissipated += (stiffness * depth - normal) * leaving + held * slip * slip;
}

static void touch_wall(const struct tool *tool, const struct armdyn_wall *wall, struct armdyn_element_energy *energy)
{
  double depth = 0;
  for (int i = 0; i < 3; i++) depth += (wall->point[i] - tool->origin[i]) * wall->normal[i];
  touch(tool, &wall->surface, 1, tool->origin, depth, wall->normal, energy);
}

/* -- a hole -- */

/* A point as (distance from an axis, height along it), and the unit vector from the axis to it. */
struct cylindrical {
  double radius, height, outward[3];
};

static struct cylindrical about(const double *origin, const double *axis, const double *point)
{
  struct cylindrical c = { 0 };
  double way[3], square = 0;
  for (int i = 0; i < 3; i++) way[i] = point[i] - origin[i];
  c.height = dot3(way, axis);
  for (int i = 0; i < 3; i++) c.outward[i] = way[i] - c.height * axis[i], square += c.outward[i] * c.outward[i];
  c.radius = sqrt(square);
  for (int i = 0; i < 3 && c.radius > 0; i++) c.outward[i] /= c.radius;
  return c;
}

/* A point of the peg in what the hole is cut into: below the face, outside of chamfer and bore; or below the bottom. */
static void touch_block(const struct tool *tool, const struct armdyn_hole *hole, const double *point,
                        struct armdyn_element_energy *energy)
{
  const struct cylindrical c = about(hole->center, hole->axis, point);
  const double R = hole->diameter / 2, below = -c.height;
  const double depths[] = { below, c.radius - R, (below + c.radius - R - hole->chamfer) / sqrt(2) };
  /* how the tool gets out: along the axis, towards it, between the two */
  static const double ways[][2] = { { 1, 0 }, { 0, -1 }, { 0.70710678118654752440, -0.70710678118654752440 } };
  double out[3];
  int least = 0;
  for (int k = 1; k < 3; k++)
    if (depths[k] < depths[least]) least = k;
  if (depths[least] > 0) {
    for (int i = 0; i < 3; i++) out[i] = ways[least][0] * hole->axis[i] + ways[least][1] * c.outward[i];
    touch(tool, &hole->surface, 1.0 / POINTS, point, depths[least], out, energy);
  }
  if (c.radius <= R) touch(tool, &hole->surface, 1.0 / POINTS, point, below - hole->depth, hole->axis, energy);
}

/* A point of the hole's edge in the peg. */
static void touch_peg(const struct tool *tool, const struct armdyn_hole *hole, const double *axis, const double *point,
                      struct armdyn_element_energy *energy)
{
  const struct cylindrical c = about(tool->origin, axis, point);
  const double side = hole->peg_diameter / 2 - c.radius, tip = -c.height, end = hole->peg_length - tip;
  const double depth = fmin(side, fmin(tip, end));
  double out[3];
  if (!(depth > 0)) return;
  for (int i = 0; i < 3; i++) out[i] = depth == side ? -c.outward[i] : depth == tip ? -axis[i] : axis[i];
  touch(tool, &hole->surface, 1.0 / POINTS, point, depth, out, energy);
}

/* Two unit vectors across a third. */
static void across(const double *axis, double *x, double *y)
{
  const int least =
      fabs(axis[0]) < fabs(axis[1]) ? (fabs(axis[0]) < fabs(axis[2]) ? 0 : 2) : (fabs(axis[1]) < fabs(axis[2]) ? 1 : 2);
  double other[3] = { 0 }, length = 0;
  other[least] = 1;
  cross3(x, axis, other);
  for (int i = 0; i < 3; i++) length += x[i] * x[i];
  for (int i = 0; i < 3; i++) x[i] /= sqrt(length);
  cross3(y, axis, x);
}

/* Points around a circle: its centre, two axes as long as its radius, and where it is between them. */
struct circle {
  double center[3], x[3], y[3], cosine, sine;
};

static struct circle circle_around(const double *center, const double *x, const double *y, double radius)
{
  struct circle c = { .cosine = 1 };
  for (int i = 0; i < 3; i++) c.center[i] = center[i], c.x[i] = radius * x[i], c.y[i] = radius * y[i];
  return c;
}

static void circle_next(struct circle *c, double *point)
{
  const double cosine = c->cosine;
  for (int i = 0; i < 3; i++) point[i] = c->center[i] + cosine * c->x[i] + c->sine * c->y[i];
  c->cosine = cosine * STEP_COSINE - c->sine * STEP_SINE;
  c->sine = cosine * STEP_SINE + c->sine * STEP_COSINE;
}

static void touch_hole(const struct tool *tool, const struct armdyn_hole *hole, struct armdyn_element_energy *energy)
{
  const double axis[3] = { tool->pose[2], tool->pose[6], tool->pose[10] };
  const double peg_radius = hole->peg_diameter / 2, radius = hole->diameter / 2;
  double x[3], y[3], point[3], edge[3];
  if (about(hole->center, hole->axis, tool->origin).height > peg_radius)
    return; /* no tilt reaches the face from there */
  for (int i = 0; i < 3; i++) x[i] = tool->pose[4 * i], y[i] = tool->pose[4 * i + 1];
  struct circle rim = circle_around(tool->origin, x, y, peg_radius);
  across(hole->axis, x, y);
  for (int i = 0; i < 3; i++) edge[i] = hole->center[i] - hole->chamfer * hole->axis[i];
  struct circle bore = circle_around(edge, x, y, radius);
  struct circle mouth = circle_around(hole->center, x, y, radius + hole->chamfer);
  for (int k = 0; k < POINTS; k++) {
    circle_next(&rim, point);
    touch_block(tool, hole, point, energy);
    circle_next(&bore, point);
    touch_peg(tool, hole, axis, point, energy);
    circle_next(&mouth, point);
    if (hole->chamfer > 0) touch_peg(tool, hole, axis, point, energy);
  }
}

void armdyn_contact(const struct armdyn_elements *elements, const double *pose, const double *twist, double wrench[6],
                    struct armdyn_element_energy energies[ARMDYN_ELEMENTS])
{
  struct armdyn_element_energy unwanted[ARMDYN_ELEMENTS], *all = energies ? energies : unwanted;
  const struct tool tool = { pose, twist, { pose[3], pose[7], pose[11] }, wrench };
  memset(wrench, 0, 6 * sizeof *wrench);
  all[ARMDYN_ELEMENT_WALLS] = all[ARMDYN_ELEMENT_HOLE] = (struct armdyn_element_energy){ 0 };
  for (size_t k = 0; k < elements->wall_count; k++) touch_wall(&tool, &elements->walls[k], &all[ARMDYN_ELEMENT_WALLS]);
  if (elements->has_hole) touch_hole(&tool, &elements->hole, &all[ARMDYN_ELEMENT_HOLE]);
}
