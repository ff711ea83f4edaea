/* Minimise |e(q)|^2 / 2 within the position limits, e = [p - p*; log(R*' R)], joints at a limit that they pull against held. */
#include "armdyn/inverse_kinematics.h"

#include <math.h>
#include <stdint.h>

#include "armdyn/terms.h"
#include "lib/base/random.h"
#include "lib/math/linear.h"
#include "lib/math/rotation.h"
#include "lib/math/triangle.h"
#include "lib/math/vector.h"

enum { N = ARMDYN_JOINTS_MAX, COMPONENTS = 6, STEPS_MOST = 200, STARTS_MOST = 1000 };

static const double REACHED = 1e-9;  /* m, rad */
static const double STEP_MOST = 0.6; /* rad, m: longer steps lead to other branches */
static const double SAME = 1e-5;     /* rad, m: branches that are one */
static const double RANK_LEAST = 1e-6;

struct search {
  const struct armdyn_robot *robot;
  struct armdyn_workspace *workspace;
  size_t n;
  double goal[9], place[3]; /* rotation and position asked for */
  unsigned task;
  double lower[N], upper[N];
};

void armdyn_pose_matrix(const struct armdyn_pose *pose, double tool[16])
{
  double R[9];
  rotation_of_rpy(pose->rpy, R);
  for (int i = 0; i < 3; i++) {
    memcpy(tool + 4 * i, R + 3 * i, 3 * sizeof *tool);
    tool[4 * i + 3] = pose->translation[i];
  }
  for (int i = 12; i < 16; i++) tool[i] = i == 15;
}

void armdyn_matrix_pose(const double tool[16], struct armdyn_pose *pose)
{
  const double yaw = atan2(tool[4], tool[0]) + 0.0, c = cos(yaw), s = sin(yaw); /* + 0.0: no -0 */
  for (int i = 0; i < 3; i++) pose->translation[i] = tool[4 * i + 3];
  /* Rz(-yaw) R = Ry(pitch) Rx(roll): where yaw is ill-determined, roll makes up for it */
  pose->rpy[2] = yaw;
  pose->rpy[1] = atan2(-tool[8], c * tool[0] + s * tool[4]) + 0.0;
  pose->rpy[0] = atan2(s * tool[2] - c * tool[6], c * tool[5] - s * tool[1]) + 0.0;
}

/* Where a search stands. */
struct stand {
  double q[N], e[COMPONENTS], cost;
};

/* The components of the error that count; the others are 0. */
static void errors_at(const struct search *x, struct stand *at)
{
  double tool[16], R[9], turned[9], goal_back[9];
  armdyn_forward_kinematics(x->robot, at->q, x->workspace, tool, NULL);
  for (int i = 0; i < 9; i++) R[i] = tool[4 * (i / 3) + i % 3], goal_back[i] = x->goal[3 * (i % 3) + i / 3];
  multiply3(turned, goal_back, R);
  rotation_vector(turned, at->e + 3);
  at->cost = 0;
  for (int i = 0; i < 3; i++) at->e[i] = tool[4 * i + 3] - x->place[i];
  for (int i = 0; i < COMPONENTS; i++) {
    if (!(x->task >> i & 1)) at->e[i] = 0;
    at->cost += at->e[i] * at->e[i] / 2;
  }
}

/* de/dq, COMPONENTS x n */
static void slopes_at(const struct search *x, const double *q, double *J)
{
  const size_t n = x->n;
  double geometric[COMPONENTS * N], tool[16], R[9], turned[9], goal_back[9], phi[3], rate[9];
  armdyn_jacobian(x->robot, q, ARMDYN_JACOBIAN_BASE, x->workspace, geometric); /* angular rows first */
  armdyn_forward_kinematics(x->robot, q, x->workspace, tool, NULL);
  for (int i = 0; i < 9; i++) R[i] = tool[4 * (i / 3) + i % 3], goal_back[i] = x->goal[3 * (i % 3) + i / 3];
  multiply3(turned, goal_back, R);
  rotation_vector(turned, phi);
  rotation_vector_rate(phi, rate);
  multiply3(turned, rate, goal_back); /* of angular velocity in base axes */
  for (size_t j = 0; j < n; j++) {
    const double w[3] = { geometric[j], geometric[n + j], geometric[2 * n + j] };
    double turn[3];
    rotate3(turn, turned, w);
    for (size_t i = 0; i < 3; i++) {
      J[i * n + j] = x->task >> i & 1 ? geometric[(3 + i) * n + j] : 0;
      J[(3 + i) * n + j] = x->task >> (3 + i) & 1 ? turn[i] : 0;
    }
  }
}

/* Joints that a step may move, and the gradient's largest element of these. */
static size_t free_joints(const struct search *x, const double *q, const double *gradient, size_t *joints,
                          double *largest)
{
  size_t count = 0;
  *largest = 0;
  for (size_t j = 0; j < x->n; j++) {
    if ((q[j] <= x->lower[j] && gradient[j] > 0) || (q[j] >= x->upper[j] && gradient[j] < 0)) continue;
    joints[count++] = j;
    *largest = fmax(*largest, fabs(gradient[j]));
  }
  return count;
}

static bool is_reached(const struct stand *at)
{
  return sqrt(dot3(at->e, at->e)) <= REACHED && sqrt(dot3(at->e + 3, at->e + 3)) <= REACHED;
}

/* step = -(J'J + damping)^-1 J'e over the free joints; 0 elsewhere */
static bool step_of(const struct search *x, const double *J, const double *gradient, const size_t *joints, size_t count,
                    double damping, double *step)
{
  double H[N * N], d[N], longest = 0;
  for (size_t a = 0; a < count; a++) {
    d[a] = -gradient[joints[a]];
    for (size_t b = 0; b <= a; b++) {
      double sum = a == b ? damping : 0;
      for (size_t i = 0; i < COMPONENTS; i++) sum += J[i * x->n + joints[a]] * J[i * x->n + joints[b]];
      H[a * count + b] = sum;
    }
  }
  if (!cholesky_factor(count, H)) return false;
  cholesky_solve(count, H, d);
  memset(step, 0, x->n * sizeof *step);
  for (size_t a = 0; a < count; a++) longest = fmax(longest, fabs(d[a]));
  for (size_t a = 0; a < count; a++) step[joints[a]] = d[a] * (longest > STEP_MOST ? STEP_MOST / longest : 1);
  return true;
}

/* Iterate until the pose is reached, and as far beyond as rounding allows, or nothing gets better. */
static void descend(const struct search *x, struct stand *at)
{
  double J[COMPONENTS * N], factor = 1e-3;
  errors_at(x, at);
  for (int k = 0; k < STEPS_MOST; k++) {
    double gradient[N] = { 0 }, step[N], largest;
    size_t joints[N], count;
    slopes_at(x, at->q, J);
    for (size_t i = 0; i < COMPONENTS; i++)
      for (size_t j = 0; j < x->n; j++) gradient[j] += J[i * x->n + j] * at->e[i];
    count = free_joints(x, at->q, gradient, joints, &largest);
    if (count == 0 || largest <= 1e-15) return;
    bool better = false;
    for (int trial = 0; trial < 20 && !better; trial++) {
      struct stand next = *at;
      if (step_of(x, J, gradient, joints, count, factor * 2 * at->cost + 1e-15, step)) {
        for (size_t j = 0; j < x->n; j++) next.q[j] = fmin(fmax(at->q[j] + step[j], x->lower[j]), x->upper[j]);
        errors_at(x, &next);
        better = next.cost < at->cost;
      }
      factor = fmin(fmax(better ? factor / 4 : factor * 8, 1e-6), 1e12);
      if (!better) continue;
      const bool slow = next.cost > at->cost * (1 - 1e-12);
      *at = next;
      if (slow) return;
    }
    if (!better) return;
  }
}

/* Whole turns that bring a joint nearer to the seed, within its limits. */
static void unwind(const struct search *x, const double *seed, double *q)
{
  const double turn = 2 * M_PI;
  for (size_t j = 0; j < x->n; j++) {
    if (armdyn_robot_description(x->robot)->joints[j].type != ARMDYN_REVOLUTE) continue;
    double turns = round((seed[j] - q[j]) / turn);
    while (turns > 0 && q[j] + turn * turns > x->upper[j]) turns--;
    while (turns < 0 && q[j] + turn * turns < x->lower[j]) turns++;
    q[j] += turn * turns;
  }
}

static double distance(const struct search *x, const double *seed, const double *q)
{
  double sum = 0;
  for (size_t j = 0; j < x->n; j++) sum += (q[j] - seed[j]) * (q[j] - seed[j]);
  return sum;
}

static bool is_same(const struct search *x, const double *a, const double *b)
{
  for (size_t j = 0; j < x->n; j++) {
    const double apart = a[j] - b[j];
    const bool turns = armdyn_robot_description(x->robot)->joints[j].type == ARMDYN_REVOLUTE;
    if (fabs(turns ? remainder(apart, 2 * M_PI) : apart) > SAME) return false;
  }
  return true;
}

/* Keep a branch in order of its distance from the seed, unless it is known; the farthest gives way. */
static void branch_add(const struct search *x, const double *seed, const struct stand *at,
                       struct armdyn_inverse_kinematics_result *result)
{
  struct armdyn_branch new = { .position = sqrt(dot3(at->e, at->e)), .orientation = sqrt(dot3(at->e + 3, at->e + 3)) };
  memcpy(new.q, at->q, x->n * sizeof *new.q);
  unwind(x, seed, new.q);
  for (size_t k = 0; k < result->branch_count; k++)
    if (is_same(x, result->branches[k].q, new.q)) return;
  size_t place = result->branch_count;
  while (place > 0 && distance(x, seed, result->branches[place - 1].q) > distance(x, seed, new.q)) place--;
  if (place == ARMDYN_BRANCHES_MAX) return;
  if (result->branch_count < ARMDYN_BRANCHES_MAX) result->branch_count++;
  memmove(result->branches + place + 1, result->branches + place,
          (result->branch_count - 1 - place) * sizeof *result->branches);
  result->branches[place] = new;
}

/* Joints beyond the rank of the task. */
static size_t freedom_at(const struct search *x, const double *q)
{
  double J[COMPONENTS * N], transposed[COMPONENTS * N], values[COMPONENTS], largest = 0;
  size_t rank = 0;
  slopes_at(x, q, J);
  for (size_t i = 0; i < COMPONENTS; i++)
    for (size_t j = 0; j < x->n; j++) transposed[j * COMPONENTS + i] = J[i * x->n + j];
  singular_values(x->n, COMPONENTS, transposed, values);
  for (int i = 0; i < COMPONENTS; i++) largest = fmax(largest, values[i]);
  for (int i = 0; i < COMPONENTS; i++) rank += values[i] > RANK_LEAST * largest;
  return x->n - rank;
}

/* -- what is asked -- */

static enum armdyn_status pose_check(const double *tool, struct armdyn_error *error)
{
  double off = 0;
  for (int i = 0; i < 16; i++)
    if (!(fabs(tool[i]) <= 1e6))
      return armdyn_refuse(error, ARMDYN_EINPUT, "/tool", "must be of finite numbers within 1e6, got %g in row %d",
                           tool[i], i / 4 + 1);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j <= i; j++) {
      double product = 0;
      for (int k = 0; k < 3; k++) product += tool[4 * i + k] * tool[4 * j + k];
      off = fmax(off, fabs(product - (i == j)));
    }
  const double *a = tool, *b = tool + 4, *c = tool + 8;
  double normal[3];
  cross3(normal, a, b);
  if (off > 1e-6 || dot3(normal, c) < 0)
    return armdyn_refuse(error, ARMDYN_EINPUT, "/tool",
                         "must begin with a rotation: rows of length 1, at right angles, "
                         "right-handed; they are off by %.3g",
                         off > 1e-6 ? off : 2.0);
  if (tool[12] != 0 || tool[13] != 0 || tool[14] != 0 || tool[15] != 1)
    return armdyn_refuse(error, ARMDYN_EINPUT, "/tool/3", "must be [0, 0, 0, 1], got [%g, %g, %g, %g]", tool[12],
                         tool[13], tool[14], tool[15]);
  return ARMDYN_OK;
}

static enum armdyn_status judge(const struct search *x, const struct armdyn_inverse_kinematics_request *r,
                                struct armdyn_error *error)
{
  char where[32];
  if (r->task > ARMDYN_TASK_ALL)
    return armdyn_refuse(error, ARMDYN_EINPUT, "/task", "has unknown components: %u", r->task);
  if (r->starts > STARTS_MOST)
    return armdyn_refuse(error, ARMDYN_EINPUT, "/starts", "must be <= %d, got %zu", STARTS_MOST, r->starts);
  for (size_t j = 0; j < x->n; j++) {
    if (fabs(r->seed[j]) <= 1e6) continue;
    snprintf(where, sizeof where, "/q/%zu", j);
    return armdyn_refuse(error, ARMDYN_EINPUT, where, "must be a finite number within 1e6, got %g", r->seed[j]);
  }
  return pose_check(r->tool, error);
}

/* Somewhere within the limits; where one is missing within half a turn, or a metre, of the seed. */
static void random_position(const struct search *x, const double *seed, uint64_t *state, double *q)
{
  for (size_t j = 0; j < x->n; j++) {
    const double reach = armdyn_robot_description(x->robot)->joints[j].type == ARMDYN_REVOLUTE ? M_PI : 1;
    const double near = fmin(fmax(seed[j], x->lower[j]), x->upper[j]);
    const bool bounded = isfinite(x->lower[j]) && isfinite(x->upper[j]);
    const double low = bounded ? x->lower[j] : fmax(x->lower[j], near - reach);
    const double high = bounded ? x->upper[j] : fmin(x->upper[j], near + reach);
    q[j] = low + (high - low) * random_unit(state);
  }
}

/* From the seed, then from random positions. */
static void explore(const struct search *x, const struct armdyn_inverse_kinematics_request *request,
                    struct armdyn_inverse_kinematics_result *result)
{
  uint64_t random = random_from_seed(request->random_seed);
  struct stand at, best = { .cost = INFINITY };
  for (size_t k = 0; k <= request->starts; k++) {
    if (k > 0) random_position(x, request->seed, &random, at.q);
    for (size_t j = 0; k == 0 && j < x->n; j++) at.q[j] = fmin(fmax(request->seed[j], x->lower[j]), x->upper[j]);
    descend(x, &at);
    if (at.cost < best.cost) best = at;
    if (!is_reached(&at)) continue;
    if (!result->reached) result->freedom = freedom_at(x, at.q);
    result->reached = true;
    branch_add(x, request->seed, &at, result);
    if (result->freedom > 0) return;
  }
  if (result->reached) return;
  result->freedom = freedom_at(x, best.q);
  branch_add(x, request->seed, &best, result);
}

enum armdyn_status armdyn_inverse_kinematics(const struct armdyn_robot *robot,
                                             const struct armdyn_inverse_kinematics_request *request,
                                             struct armdyn_workspace *workspace,
                                             struct armdyn_inverse_kinematics_result *result,
                                             struct armdyn_error *error)
{
  struct search x = { .robot = robot, .workspace = workspace, .n = armdyn_robot_joint_count(robot) };
  const enum armdyn_status rc = judge(&x, request, error);
  if (rc) return rc;
  x.task = request->task ? request->task : ARMDYN_TASK_ALL;
  for (size_t j = 0; j < x.n; j++) {
    x.lower[j] = armdyn_robot_description(robot)->joints[j].limits.position[0];
    x.upper[j] = armdyn_robot_description(robot)->joints[j].limits.position[1];
  }
  for (int i = 0; i < 9; i++) x.goal[i] = request->tool[4 * (i / 3) + i % 3];
  for (int i = 0; i < 3; i++) x.place[i] = request->tool[4 * i + 3];
  *result = (struct armdyn_inverse_kinematics_result){ 0 };
  explore(&x, request, result);
  return ARMDYN_OK;
}
