/* Small spheres, capsules and boxes around points.
 *
 * Unknown are the axes R of the body. For given ones the rest is in closed form, or nearly: the box is the extent along each
 * axis; the capsule has the smallest circle around what is seen along its axis, and its line is as short as every point allows
 * (a point at distance rho from the line and t along it needs a piece of the line within sqrt(r^2 - rho^2) of t). The volume
 * falls by a pattern search over small turns (Hooke & Jeeves 1961), over the points that are extreme in some direction only;
 * at last every point is looked at, and the body made as much larger as the one farthest out needs.
 * Smallest circle and ball: each step goes towards the farthest point, the k-th by its 1/(k + 1) (Badoiu & Clarkson 2003). */
#include "armdyn/enclose.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/geometry/cloud.h"
#include "lib/math/rotation.h"
#include "lib/math/vector.h"

enum { ROUGH = 40, FINE = 2000 }; /* steps to a smallest circle */

static const double widest_turn = 0.4, narrowest_turn = 1e-3; /* rad */

/* A body in the making: its axes, of which a capsule lies along z, and how much wider than the circle it is. */
struct trial {
  enum armdyn_shape_kind kind;
  double axes[9]; /* row-major; columns are the axes */
  double wider;   /* capsule: 1 and more */
  int steps;
};

/* -- smallest circles and balls: of `dimension` coordinates, `stride` apart -- */

static double farthest(const double *at, size_t count, size_t dimension, const double *center, size_t *which)
{
  double most = -1;
  for (size_t i = 0; i < count; i++) {
    double d = 0;
    for (size_t k = 0; k < dimension; k++) d += (at[3 * i + k] - center[k]) * (at[3 * i + k] - center[k]);
    if (d > most) most = d, *which = i;
  }
  return sqrt(fmax(most, 0));
}

static double smallest_ball(const double *at, size_t count, size_t dimension, int steps, double *center)
{
  size_t which = 0;
  for (size_t k = 0; k < dimension; k++) center[k] = at[k];
  for (int step = 1; step <= steps; step++) {
    farthest(at, count, dimension, center, &which);
    for (size_t k = 0; k < dimension; k++) center[k] += (at[3 * which + k] - center[k]) / (step + 1);
  }
  return farthest(at, count, dimension, center, &which);
}

/* -- a body of given axes -- */

/* In the axes, so that points[3 i + k] is along axis k. */
static void turn_points(const struct cloud *cloud, const double axes[9], double *out)
{
  for (size_t i = 0; i < cloud->count; i++)
    for (size_t k = 0; k < 3; k++) {
      const double *p = cloud->points + 3 * i;
      out[3 * i + k] = axes[k] * p[0] + axes[3 + k] * p[1] + axes[6 + k] * p[2];
    }
}

static void out_of_axes(const double axes[9], const double in[3], double out[3])
{
  for (int i = 0; i < 3; i++) out[i] = axes[3 * i] * in[0] + axes[3 * i + 1] * in[1] + axes[3 * i + 2] * in[2];
}

static void rpy_of_axes(const double axes[9], double rpy[3])
{
  const double cosine = hypot(axes[0], axes[3]);
  rpy[1] = atan2(-axes[6], cosine);
  rpy[0] = cosine > 1e-9 ? atan2(axes[7], axes[8]) : 0;
  rpy[2] = cosine > 1e-9 ? atan2(axes[3], axes[0]) : atan2(-axes[1], axes[4]);
}

static double box_around(const double *at, size_t count, const double axes[9], struct armdyn_shape *out)
{
  double middle[3], volume = 1;
  *out = (struct armdyn_shape){ .kind = ARMDYN_BOX };
  for (size_t k = 0; k < 3; k++) {
    double low = INFINITY, high = -INFINITY;
    for (size_t i = 0; i < count; i++) low = fmin(low, at[3 * i + k]), high = fmax(high, at[3 * i + k]);
    middle[k] = low + (high - low) / 2;
    out->size[k] = high - low;
    volume *= high - low;
  }
  out_of_axes(axes, middle, out->pose.translation);
  rpy_of_axes(axes, out->pose.rpy);
  return volume;
}

static double capsule_around(const double *at, size_t count, const struct trial *trial, struct armdyn_shape *out)
{
  double center[2], low = INFINITY, high = -INFINITY;
  const double radius = trial->wider * smallest_ball(at, count, 2, trial->steps, center);
  for (size_t i = 0; i < count; i++) {
    const double x = at[3 * i] - center[0], y = at[3 * i + 1] - center[1], t = at[3 * i + 2];
    const double reach = sqrt(fmax(0, radius * radius - x * x - y * y));
    low = fmin(low, t + reach), high = fmax(high, t - reach);
  }
  if (low > high) low = high = (low + high) / 2; /* any place between them will do: it is a ball */
  *out = (struct armdyn_shape){ .kind = ARMDYN_CAPSULE, .radius = radius };
  out_of_axes(trial->axes, (const double[]){ center[0], center[1], low }, out->from);
  out_of_axes(trial->axes, (const double[]){ center[0], center[1], high }, out->to);
  return M_PI * radius * radius * (high - low + 4 * radius / 3);
}

static double sphere_around(const double *points, size_t count, int steps, struct armdyn_shape *out)
{
  *out = (struct armdyn_shape){ .kind = ARMDYN_SPHERE };
  out->radius = smallest_ball(points, count, 3, steps, out->from);
  return 4 * M_PI / 3 * pow(out->radius, 3);
}

/* `room` holds the cloud's points. */
static double body_of(const struct cloud *cloud, const struct trial *trial, double *room, struct armdyn_shape *out)
{
  if (trial->kind == ARMDYN_SPHERE) return sphere_around(cloud->points, cloud->count, trial->steps, out);
  turn_points(cloud, trial->axes, room);
  return trial->kind == ARMDYN_BOX ? box_around(room, cloud->count, trial->axes, out)
                                   : capsule_around(room, cloud->count, trial, out);
}

/* -- the search -- */

static struct trial turned(const struct trial *trial, int axis, double angle)
{
  struct trial out = *trial;
  double phi[3] = { 0 }, turn[9];
  if (axis == 3) {
    out.wider = fmax(1, trial->wider + angle / 2);
    return out;
  }
  phi[axis] = angle;
  rotation_of_vector(phi, turn);
  for (size_t i = 0; i < 3; i++)
    for (size_t k = 0; k < 3; k++)
      out.axes[3 * i + k] =
          trial->axes[3 * i] * turn[k] + trial->axes[3 * i + 1] * turn[3 + k] + trial->axes[3 * i + 2] * turn[6 + k];
  return out;
}

/* Small turns, and of a capsule a wider radius, as long as they make it smaller. */
static double improve(const struct cloud *extremes, struct trial *trial, double *room)
{
  struct armdyn_shape shape;
  double best = body_of(extremes, trial, room, &shape);
  const int directions = trial->kind == ARMDYN_SPHERE ? 0 : trial->kind == ARMDYN_BOX ? 3 : 4;
  for (double step = widest_turn; step > narrowest_turn;) {
    bool better = false;
    for (int k = 0; k < 2 * directions; k++) {
      const struct trial other = turned(trial, k / 2, k % 2 ? -step : step);
      const double volume = body_of(extremes, &other, room, &shape);
      if (!(volume < best * (1 - 1e-9))) continue;
      best = volume, *trial = other;
      better = true;
    }
    if (!better) step /= 2;
  }
  return best;
}

/* -- the whole body -- */

/* Of every point, and as much larger as the one farthest out needs: rounding, and the points that are not extreme. */
static double finish(const struct cloud *all, const struct trial *trial, double margin, double *room,
                     struct armdyn_shape *out)
{
  struct trial last = *trial;
  last.steps = FINE;
  body_of(all, &last, room, out);
  if (out->kind == ARMDYN_BOX) { /* along the axes as the angles say them */
    rotation_of_rpy(out->pose.rpy, last.axes);
    body_of(all, &last, room, out);
  }
  double out_most = 0, scale = 0;
  for (size_t i = 0; i < all->count; i++) {
    out_most = fmax(out_most, armdyn_shape_distance(out, all->points + 3 * i));
    for (size_t k = 0; k < 3; k++) scale = fmax(scale, fabs(all->points[3 * i + k]));
  }
  const double more = margin + out_most + 1e-12 * scale + 1e-9;
  out->radius += out->kind == ARMDYN_BOX ? 0 : more;
  for (size_t k = 0; k < 3 && out->kind == ARMDYN_BOX; k++) out->size[k] += 2 * more;
  return cloud_volume(out);
}

double cloud_enclose(const struct cloud *all, const struct cloud *extremes, unsigned kinds, double margin, bool rough,
                     double *room, struct armdyn_shape *out)
{
  double best = INFINITY;
  for (int kind = ARMDYN_SPHERE; kind <= ARMDYN_BOX; kind++) {
    struct trial chosen = { .kind = (enum armdyn_shape_kind)kind };
    double least = INFINITY;
    if (!(kinds >> kind & 1)) continue;
    for (int start = 0; start < CLOUD_STARTS; start++) {
      struct trial trial = { .kind = (enum armdyn_shape_kind)kind, .wider = 1, .steps = ROUGH };
      struct armdyn_shape shape;
      cloud_start(extremes, start, trial.axes);
      const double volume = rough ? body_of(extremes, &trial, room, &shape) : improve(extremes, &trial, room);
      if (volume < least || start == 0) least = volume, chosen = trial;
    }
    struct armdyn_shape shape;
    const double volume = rough ? least : finish(all, &chosen, margin, room, &shape);
    if (!(volume < best)) continue;
    best = volume;
    if (!rough) *out = shape;
  }
  return best;
}
