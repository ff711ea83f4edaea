/* What no motion between given points in a given time can go below in electricity.
 *
 * Theorem. With p_j = tau_j qd_j the mechanical power of joint j, drives of efficiencies eta_j <= eta <= 1, and phi the law
 * of the supply, phi(x) = max(0, x) (none, shared bus) or max(x, e x) (grid):
 *   E >= phi(C + psi(B)),  psi(x) = max(x, x / eta),
 *   B = dV + W + sum_j D_j + sum_j V_j.
 * Proof. phi and psi are convex, homogeneous and do not fall.
 *   Supply: a motion costs the integral of phi(sum P_j), and more where each drive is alone: sum max(0, P_j) >=
 *     max(0, sum P_j). By Jensen's inequality and homogeneity that is >= phi(integral of sum P_j).
 *   Drives: P_j = copper_j + p_j / eta_j where the motor drives, copper_j + p_j eta_j where it is driven, and so
 *     P_j >= copper_j + psi(p_j); again by Jensen, sum over drives and time of psi(p) >= psi(integral of sum p_j). What a
 *     transmission couples does not change the sum of the powers.
 *   Work: from rest to rest the integral of sum p_j is dV + the work against friction, of which offsets and lines over the
 *     motor angle depend on the ends alone (W).
 *   Dry friction: with c the smaller of Coulomb friction and stiction in the cheaper direction and eps the velocity_scale,
 *     its power is >= c eps g(|v| / eps), g(x) = x tanh x. G, which is g up to where its slope is 1 (x0 = 0.6392) and
 *     x - 0.2785 beyond, is convex and below g; so D_j = c eps T G(s_j / (eps T)), s_j the shortest travel.
 *     By directions: x tanh x >= x - 0.2785, so also D_j = c+ s+ + c- s- - 0.2785 eps T max(c+, c-). The larger one counts.
 *   Viscous: by Cauchy and Schwarz V_j = (sqrt(f+) s+ + sqrt(f-) s-)^2 / T, f the coefficient less what a negative
 *     high-speed term takes off at the velocity limit; a positive one adds T h(s_j / T), h(v) = fa v^3 tanh(v / eps), convex.
 *   Copper: a slide whose direction no joint before it turns exerts in the mean what its weight and friction ask for,
 *     because its momentum is 0 at both ends: C = sum of r (eta_j / (k N))^2 (mean torque)^2 T over such joints.
 * For a free duration T each term is convex in T, as is their sum with a price on it: the least is found by golden section.
 * Source: Boyd & Vandenberghe 2004, 3.1.8 (Jensen) and 3.2.6 (perspective); the bound itself is this project's. */
#include <math.h>

#include "armdyn/electrical.h"
#include "lib/model/compiled.h"
#include "lib/model/friction.h"
#include "lib/trajectory/energy.h"

enum { N = ARMDYN_JOINTS_MAX, GOLDEN_STEPS = 200 };

static const double KNEE = 0.63923227138053626; /* tanh x + x / cosh^2 x = 1, */
static const double LOST = 0.27846454276107379; /* and x - x tanh x there, its most */

static const double FASTEST = 1 + 1e-3; /* of the velocity limit: planned motions may exceed it by so much */

struct travel {
  double forth, back; /* >= 0, along the shortest way through the points */
};

struct lower_bound {
  const struct armdyn_robot *robot;
  const struct armdyn_electrical_model *model;
  const struct armdyn_energy_bound_request *request;
  struct armdyn_limits limits[N];
  struct travel travel[N];
  double gravity, offset; /* J, whatever the duration */
  double weight[N];       /* N that a slide holds in every position; NAN: it depends on the position */
};

static double shortest(const struct travel *s)
{
  return s->forth + s->back;
}

/* -- friction -- */

/* Work of offset and lines, a potential: integral of offset + sum A sin(order p + phase), p = gear_ratio q. */
static double offset_work(const struct armdyn_joint *joint, double from, double to)
{
  const struct armdyn_friction *f = &joint->friction;
  double work = f->offset * (to - from);
  for (size_t k = 0; k < f->ripple_count; k++) {
    const struct armdyn_ripple *r = &f->ripples[k];
    const double rate = r->order * joint->drive.gear_ratio;
    work += r->amplitude / rate * (cos(rate * from + r->phase) - cos(rate * to + r->phase));
  }
  return work;
}

/* Least Coulomb friction of a direction at any speed. */
static double dry_least(const struct armdyn_friction *f, double coulomb)
{
  return isnan(f->stiction) ? coulomb : fmin(coulomb, f->stiction);
}

/* D_j */
static double dry_work(const struct armdyn_joint *joint, const struct travel *s, double T)
{
  const struct armdyn_friction *f = &joint->friction;
  const double forth = dry_least(f, f->coulomb.positive), back = dry_least(f, f->coulomb.negative);
  const double width = joint->velocity_scale * T, x = shortest(s) / width;
  const double G = x < KNEE ? x * tanh(x) : x - LOST;
  const double by_directions = forth * s->forth + back * s->back - LOST * width * fmax(forth, back);
  return fmax(fmin(forth, back) * width * G, by_directions);
}

/* Terms that are bounded here; the load's brakes, but by a load that is not known. Of others nothing is said. */
enum {
  KNOWN = 1 << ARMDYN_FRICTION_OFFSET | 1 << ARMDYN_FRICTION_COULOMB | 1 << ARMDYN_FRICTION_STRIBECK |
          1 << ARMDYN_FRICTION_VISCOUS | 1 << ARMDYN_FRICTION_HIGH_SPEED | 1 << ARMDYN_FRICTION_SUBLINEAR |
          1 << ARMDYN_FRICTION_POSITION
};

/* V_j; -INFINITY: friction falls with the speed, and nothing limits that */
static double viscous_work(const struct armdyn_joint *joint, const struct armdyn_limits *limits, const struct travel *s,
                           double T)
{
  const struct armdyn_friction *f = &joint->friction;
  if (friction_mask(f) & ~(unsigned)(KNOWN | 1 << ARMDYN_FRICTION_LOAD)) return -INFINITY;
  const double falls = f->high_speed < 0 ? f->high_speed * FASTEST * limits->velocity : 0;
  const double forth = f->viscous.positive + falls, back = f->viscous.negative + falls, mean = shortest(s) / T;
  if (fmin(forth, back) < 0) return fmin(forth, back) * pow(FASTEST * limits->velocity, 2) * T;
  const double even = sqrt(forth) * s->forth + sqrt(back) * s->back;
  const double rises = fmax(0, f->high_speed) * pow(mean, 3) * tanh(mean / joint->velocity_scale);
  return even * even / T + rises * T;
}

/* -- copper -- */

/* How far the mean of a joint's friction may be from that of its offset, at most. */
static double friction_spread(const struct armdyn_joint *joint, const struct armdyn_limits *limits)
{
  const struct armdyn_friction *f = &joint->friction;
  if (friction_mask(f) & ~(unsigned)KNOWN) return INFINITY;
  double most = fmax(fmax(f->coulomb.positive, f->coulomb.negative), isnan(f->stiction) ? 0 : f->stiction);
  for (size_t k = 0; k < f->ripple_count; k++) most += fabs(f->ripples[k].amplitude);
  if (f->high_speed != 0) most += fabs(f->high_speed) * pow(FASTEST * limits->velocity, 2);
  if (f->sublinear != 0) most += f->sublinear * cbrt(FASTEST * limits->velocity);
  if (f->viscous.positive != f->viscous.negative)
    most += fabs(f->viscous.positive - f->viscous.negative) * FASTEST * limits->velocity;
  return most;
}

static double copper_of(const struct lower_bound *b, size_t j, double T)
{
  const struct armdyn_joint *joint = &b->robot->description.joints[j];
  const struct armdyn_drive *drive = &joint->drive;
  if (isnan(b->weight[j])) return 0;
  /* where the two directions differ the smaller coefficient acts on the whole way, the rest is in the spread */
  const double viscous = fmin(joint->friction.viscous.positive, joint->friction.viscous.negative);
  const double way = b->travel[j].forth - b->travel[j].back;
  const double mean = b->weight[j] + joint->friction.offset + viscous * way / T;
  const double least = fmax(0, fabs(mean) - friction_spread(joint, &b->limits[j]));
  const double current = drive->efficiency * least / (drive->gear_ratio * drive->torque_constant);
  return drive->resistance * current * current * T;
}

/* Does no joint before a slide turn its direction? They turn about axes that are parallel to it, or slide. */
static bool keeps_its_direction(const struct armdyn_robot *robot, size_t slide)
{
  double axis[N][3];
  struct pose at = { .r = { 1, 0, 0, 0, 1, 0, 0, 0, 1 } };
  for (size_t i = 0; i <= slide; i++) {
    struct pose next;
    pose_multiply(&next, &at, &robot->joints[i].parent);
    at = next;
    for (int k = 0; k < 3; k++) axis[i][k] = at.r[3 * k + 2];
  }
  for (size_t i = 0; i < slide; i++) {
    double across[3];
    cross3(across, axis[i], axis[slide]);
    if (!robot->joints[i].prismatic && dot3(across, across) > 1e-24) return false;
  }
  return true;
}

/* The force that holds such slides in any position. */
static void weights_of(const struct armdyn_robot *robot, struct armdyn_workspace *workspace, double *weight)
{
  const double zero[N] = { 0 };
  double tau[N];
  armdyn_inverse_dynamics(robot, zero, zero, zero, NULL, workspace, tau);
  for (size_t j = 0; j < robot->joint_count; j++) {
    const bool known = !robot->coupled && robot->joints[j].prismatic && keeps_its_direction(robot, j);
    weight[j] = known ? tau[j] - armdyn_friction_torque(robot, j, 0, 0) : NAN;
  }
}

/* -- the sum -- */

static void bound_at(const struct lower_bound *b, double T, struct armdyn_energy_bound *out)
{
  const struct armdyn_robot_description *d = &b->robot->description;
  double eta = 0;
  *out = (struct armdyn_energy_bound){ .duration = T, .gravity = b->gravity, .offset = b->offset };
  for (size_t j = 0; j < d->joint_count; j++) {
    out->dry += dry_work(&d->joints[j], &b->travel[j], T);
    out->viscous += viscous_work(&d->joints[j], &b->limits[j], &b->travel[j], T);
    out->copper += copper_of(b, j, T);
    eta = fmax(eta, d->joints[j].drive.efficiency);
  }
  const double B = out->gravity + out->offset + out->dry + out->viscous;
  out->gear = B > 0 ? B / eta - B : 0;
  const double sum = B + out->gear + out->copper;
  const double back = b->model->regeneration == ARMDYN_REGENERATION_GRID ? b->model->grid_efficiency : 0;
  out->total = sum > 0 ? sum : back > 0 ? back * sum : 0;
  out->burnt = out->total - sum;
}

static double priced(const struct lower_bound *b, double T, struct armdyn_energy_bound *out)
{
  bound_at(b, T, out);
  return out->total + b->request->time_price * T;
}

/* The least of a convex function between the shortest and the longest duration. */
static void least_over_durations(const struct lower_bound *b, struct armdyn_energy_bound *out)
{
  static const double golden = 0.6180339887498949;
  double low = b->request->duration_min, high = b->request->duration_max;
  struct armdyn_energy_bound left, right;
  for (int k = 0; k < GOLDEN_STEPS && high - low > 1e-12 * high; k++) {
    const double x = high - golden * (high - low), y = low + golden * (high - low);
    if (priced(b, x, &left) <= priced(b, y, &right))
      high = y;
    else
      low = x;
  }
  const double ends[] = { b->request->duration_min, low, b->request->duration_max };
  double least = priced(b, high, out);
  for (size_t k = 0; k < sizeof ends / sizeof *ends; k++) {
    const double sum = priced(b, ends[k], &left);
    if (!(sum < least)) continue;
    least = sum;
    *out = left;
  }
}

static enum armdyn_status judge(const struct armdyn_energy_bound_request *r, size_t n, struct armdyn_error *error)
{
  if (r->point_count < 2)
    return armdyn_refuse(error, ARMDYN_EINPUT, "/waypoints", "start and goal are needed, got %zu points",
                         r->point_count);
  for (size_t i = 0; i < r->point_count * n; i++)
    if (!isfinite(r->points[i]))
      return armdyn_refuse(error, ARMDYN_EINPUT, "/waypoints", "point %zu, joint %zu is %g", i / n + 1, i % n + 1,
                           r->points[i]);
  if (!(r->duration_min > 0 && r->duration_max >= r->duration_min && isfinite(r->duration_max)))
    return armdyn_refuse(error, ARMDYN_EINPUT, "/duration", "must be > 0 and finite, got %g to %g s", r->duration_min,
                         r->duration_max);
  if (!(r->time_price >= 0 && isfinite(r->time_price)))
    return armdyn_refuse(error, ARMDYN_EINPUT, "/time_price", "must be >= 0, got %g", r->time_price);
  return ARMDYN_OK;
}

enum armdyn_status armdyn_electrical_lower_bound(const struct armdyn_robot *robot,
                                                 const struct armdyn_electrical_model *model,
                                                 const struct armdyn_energy_bound_request *request,
                                                 struct armdyn_energy_bound *bound, struct armdyn_error *error)
{
  const size_t n = armdyn_robot_joint_count(robot);
  struct lower_bound b = { .robot = robot, .model = model, .request = request };
  enum armdyn_status rc = armdyn_electrical_check(robot, model, error);
  if (!rc) rc = judge(request, n, error);
  if (rc) return rc;
  struct armdyn_workspace *workspace = armdyn_workspace_new(n);
  if (!workspace) return armdyn_refuse(error, ARMDYN_EMEMORY, "", "no memory for a workspace");
  const double rest[N] = { 0 }, *from = request->points, *to = request->points + (request->point_count - 1) * n;
  double kinetic;
  energy_of_ends(robot, (const double *[2]){ from, to }, (const double *[2]){ rest, rest }, workspace, &kinetic,
                 &b.gravity);
  weights_of(robot, workspace, b.weight);
  armdyn_workspace_free(workspace);
  for (size_t j = 0; j < n; j++) {
    const struct armdyn_joint *joint = &robot->description.joints[j];
    b.limits[j] = request->limits ? request->limits[j] : joint->limits;
    b.offset += offset_work(joint, from[j], to[j]);
    for (size_t k = 1; k < request->point_count; k++) {
      const double step = request->points[k * n + j] - request->points[(k - 1) * n + j];
      b.travel[j].forth += fmax(step, 0);
      b.travel[j].back += fmax(-step, 0);
    }
  }
  least_over_durations(&b, bound);
  return ARMDYN_OK;
}
