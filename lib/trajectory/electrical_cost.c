/* Electrical power as a cost that a solver can differentiate. For every drive, with u and v the ideal torque and the velocity
 * of its motor, p = u v and eta^-tanh(p / rounding) in place of the efficiency's step g(p),
 *   P = r / k_t^2 u^2 g^2 + p g,
 * and max(0, P) becomes m(P) = (P + sqrt(P^2 + rounding^2)) / 2: alone sum m(P_j), on a link m(sum P_j), with the grid
 * (1 - e) m(sum P_j) + e sum P_j, because max(0, -P) = max(0, P) - P.
 * Newton's method on m itself sees its bend only within the rounding, and goes to and fro beside it. So w = P / root,
 * root = sqrt(P^2 + rounding^2), the side of the kink, is an unknown of its own, and w root = P is what is linearised:
 *   m' = (1 + w) / 2,  m'' = (1 - w P / root) / (2 root),  dw = (1 - w P / root) / root dP - (w - P / root),
 * w eliminated from the step and followed beside it; the gradient stays m's own, m'' >= 0 as |w| <= 1.
 * Source: Chan, Golub & Mulet, A nonlinear primal-dual method for total variation-based image restoration (1999). */
#include "lib/trajectory/electrical_cost.h"

#include <math.h>

#include "lib/model/motor.h"

enum { N = ARMDYN_JOINTS_MAX };
static const double SIDE_MOST = 0.9999, SATURATED = 20;

/* One drive, with its first and second derivatives by u and v. */
struct drive {
  double P, u, v, uu, uv, vv;
};

/* A function with its first and second derivative. */
struct bent {
  double value, slope, bend;
};

/* m; with a side as its own unknown, its slope and bend in Newton's equations */
static struct bent rounded_positive(double P, double rounding, const double *side)
{
  if (!(rounding > 0)) return (struct bent){ fmax(0, P), P > 0 ? 1 : 0, 0 };
  const double root = sqrt(P * P + rounding * rounding);
  if (side) return (struct bent){ (P + root) / 2, (1 + *side) / 2, (1 - *side * P / root) / (2 * root) };
  return (struct bent){ (P + root) / 2, (1 + P / root) / 2, rounding * rounding / (2 * root * root * root) };
}

/* g = eta^-tanh(p / rounding); beyond SATURATED roundings the tangent is one to the last digit. */
static struct bent rounded_gear(double p, double efficiency, double rounding)
{
  if (efficiency == 1) return (struct bent){ 1, 0, 0 };
  if (!(fabs(p) < SATURATED * rounding)) return (struct bent){ p > 0 ? 1 / efficiency : p < 0 ? efficiency : 1, 0, 0 };
  const double L = log(efficiency), t = tanh(p / rounding), s = (1 - t * t) / rounding, g = exp(-L * t);
  return (struct bent){ g, -L * s * g, g * (L * s * L * s + 2 * L * s * t / rounding) };
}

static double windings(const struct armdyn_drive *data)
{
  return data->resistance / (data->torque_constant * data->torque_constant);
}

static double power_at(const struct armdyn_drive *data, double u, double v, double rounding)
{
  const double p = u * v, g = rounded_gear(p, data->efficiency, rounding).value;
  return windings(data) * u * u * g * g + p * g;
}

static struct drive drive_at(const struct armdyn_drive *data, double u, double v, double rounding)
{
  const double p = u * v, c = windings(data);
  const struct bent g = rounded_gear(p, data->efficiency, rounding);
  const struct bent G = { g.value * g.value, 2 * g.value * g.slope, 2 * (g.slope * g.slope + g.value * g.bend) };
  const double f1 = g.value + p * g.slope, f2 = 2 * g.slope + p * g.bend; /* of p g */
  return (struct drive){
    .P = c * u * u * G.value + p * g.value,
    .u = 2 * c * u * G.value + c * u * u * v * G.slope + f1 * v,
    .v = c * u * u * u * G.slope + f1 * u,
    .uu = 2 * c * G.value + 4 * c * p * G.slope + c * p * p * G.bend + f2 * v * v,
    .uv = 3 * c * u * u * G.slope + c * u * u * p * G.bend + f2 * p + f1,
    .vv = c * u * u * u * u * G.bend + f2 * u * u,
  };
}

/* All drives at one instant, and how the density bends with each power. */
struct drives {
  struct drive drive[N];
  struct bent of[N]; /* the density by P_j; on a link by the sum, the same for all */
  struct bent link;  /* of the density by the sum; nothing where each drive is alone */
};

static bool is_alone(const struct armdyn_cost_term *term)
{
  return !term->electrical || term->electrical->regeneration == ARMDYN_REGENERATION_NONE;
}

/* What goes back from a link into the grid is worth */
static double back_of(const struct armdyn_cost_term *term)
{
  return term->electrical->regeneration == ARMDYN_REGENERATION_GRID ? term->electrical->grid_efficiency : 0;
}

static void drives_at(const struct armdyn_cost_term *term, const struct cost_state *x, size_t n, struct drives *out)
{
  const struct armdyn_robot_description *d = armdyn_robot_description(x->robot);
  const bool alone = is_alone(term);
  double u[N], v[N], sum = 0;
  motor_torques(x->robot, x->tau, u);
  motor_velocities(x->robot, x->qd, v);
  out->link = (struct bent){ 0 };
  for (size_t j = 0; j < n; j++) {
    out->drive[j] = drive_at(&d->joints[j].drive, u[j], v[j], x->rounding);
    if (alone) out->of[j] = rounded_positive(out->drive[j].P, x->rounding, x->sides ? x->sides + j : NULL);
    sum += out->drive[j].P;
  }
  if (alone) return;
  const double back = back_of(term);
  const struct bent m = rounded_positive(sum, x->rounding, x->sides);
  out->link = (struct bent){ back * sum + (1 - back) * m.value, back + (1 - back) * m.slope, (1 - back) * m.bend };
  for (size_t j = 0; j < n; j++) out->of[j] = out->link;
}

size_t electrical_kinks(const struct armdyn_cost_term *term, const struct cost_state *x, double *power)
{
  const struct armdyn_robot_description *d = armdyn_robot_description(x->robot);
  const size_t n = d->joint_count;
  double u[N], v[N], sum = 0;
  motor_torques(x->robot, x->tau, u);
  motor_velocities(x->robot, x->qd, v);
  for (size_t j = 0; j < n; j++) {
    power[j] = power_at(&d->joints[j].drive, u[j], v[j], x->rounding);
    sum += power[j];
  }
  if (is_alone(term)) return n;
  power[0] = sum;
  return 1;
}

double electrical_side(double power, double rounding)
{
  return rounding > 0 ? power / sqrt(power * power + rounding * rounding) : power > 0 ? 1 : -1;
}

double electrical_side_moved(double side, double before, double after, double length, double rounding)
{
  if (!(rounding > 0)) return electrical_side(after, rounding);
  const double root = sqrt(before * before + rounding * rounding), primal = before / root;
  const double moved = side + (1 - side * primal) * (after - before) / root - length * (side - primal);
  return fmin(fmax(moved, -SIDE_MOST), SIDE_MOST);
}

/* slopes += by_u du + by_v dv of drive j, as changes of tau and qd */
static void add_direction(const struct armdyn_robot *robot, size_t j, double by_u, double by_v, double *tau, double *qd)
{
  const size_t n = robot->joint_count;
  if (!robot->coupled) {
    const double gear = robot->description.joints[j].drive.gear_ratio;
    tau[j] += by_u / gear;
    qd[j] += by_v * gear;
    return;
  }
  for (size_t i = 0; i < n; i++) {
    tau[i] += by_u * robot->motor_from_joint[j * n + i];
    qd[i] += by_v * robot->description.transmission[j * n + i];
  }
}

enum armdyn_status electrical_judge(const struct armdyn_robot *robot, const struct armdyn_cost_term *term,
                                    struct armdyn_error *error)
{
  static const struct armdyn_electrical_model alone = { ARMDYN_REGENERATION_NONE, 0 };
  return armdyn_electrical_check(robot, term->electrical ? term->electrical : &alone, error);
}

double electrical_density(const struct armdyn_cost_term *term, const struct cost_state *x)
{
  double power[N], sum = 0;
  const size_t count = electrical_kinks(term, x, power);
  for (size_t k = 0; k < count; k++) sum += rounded_positive(power[k], x->rounding, NULL).value;
  if (is_alone(term)) return sum;
  const double back = back_of(term);
  return back * power[0] + (1 - back) * sum;
}

void electrical_slopes(const struct armdyn_cost_term *term, const struct cost_state *x, double by,
                       struct cost_slopes *out)
{
  const size_t n = armdyn_robot_joint_count(x->robot);
  struct drives drives;
  drives_at(term, x, n, &drives);
  for (size_t j = 0; j < n; j++) {
    const double weight = by * drives.of[j].slope;
    add_direction(x->robot, j, weight * drives.drive[j].u, weight * drives.drive[j].v, out->tau, out->qd);
  }
}

/* A square of changes of u and v of drive j */
static void add_square(const struct armdyn_robot *robot, size_t j, double weight, double by_u, double by_v,
                       struct cost_bend *out)
{
  struct cost_square *square = &out->squares[out->count++];
  square->weight = weight;
  square->first = robot->coupled ? 0 : j;
  square->last = robot->coupled ? robot->joint_count : j + 1;
  for (size_t i = square->first; i < square->last; i++) square->a.q[i] = square->a.qd[i] = square->a.tau[i] = 0;
  add_direction(robot, j, by_u, by_v, square->a.tau, square->a.qd);
}

/* The part of the symmetric [uu uv; uv vv] with this sign, times `by`, by its eigenvectors. */
static void add_part(const struct armdyn_robot *robot, size_t j, double sign, double by, double uu, double uv,
                     double vv, struct cost_bend *out)
{
  const double mean = (uu + vv) / 2, half = (uu - vv) / 2, radius = sqrt(half * half + uv * uv);
  const double x = half > 0 ? radius + half : uv, y = half > 0 ? uv : radius - half, size = sqrt(x * x + y * y);
  const double c = size > 0 ? x / size : 1, s = size > 0 ? y / size : 0;
  if (sign * (mean + radius) > 0) add_square(robot, j, by * (mean + radius), c, s, out);
  if (sign * (mean - radius) > 0) add_square(robot, j, by * (mean - radius), -s, c, out);
}

/* Drive by drive; on a link without what the sum of all powers bends by. */
static void add_parts(const struct armdyn_cost_term *term, const struct cost_state *x, size_t n,
                      const struct drives *drives, double sign, double by, struct cost_bend *out)
{
  for (size_t j = 0; j < n; j++) {
    const struct drive *d = &drives->drive[j];
    const double slope = drives->of[j].slope, bend = is_alone(term) ? drives->of[j].bend : 0;
    add_part(x->robot, j, sign, by, slope * d->uu + bend * d->u * d->u, slope * d->uv + bend * d->u * d->v,
             slope * d->vv + bend * d->v * d->v, out);
  }
}

void electrical_bend(const struct armdyn_cost_term *term, const struct cost_state *x, double by, struct cost_bend *out)
{
  const size_t n = armdyn_robot_joint_count(x->robot);
  struct drives drives;
  drives_at(term, x, n, &drives);
  add_parts(term, x, n, &drives, 1, by, out);
  if (is_alone(term)) return;
  struct cost_square *square = &out->squares[out->count++]; /* of the sum of all powers */
  *square = (struct cost_square){ by * drives.link.bend, 0, n, { { 0 }, { 0 }, { 0 } } };
  for (size_t j = 0; j < n; j++)
    add_direction(x->robot, j, drives.drive[j].u, drives.drive[j].v, square->a.tau, square->a.qd);
}

void electrical_dent(const struct armdyn_cost_term *term, const struct cost_state *x, double by, struct cost_bend *out)
{
  const size_t n = armdyn_robot_joint_count(x->robot);
  struct drives drives;
  drives_at(term, x, n, &drives);
  add_parts(term, x, n, &drives, -1, by, out);
}
