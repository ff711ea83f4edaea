#include "lib/identify/constant_speed.h"

#include <math.h>

enum { N = ARMDYN_JOINTS_MAX, BINS_A_TURN = 32, BINS_MOST = 16384, SAMPLES_LEAST = 16, SAMPLES_MOST = 1 << 20 };
static const double two_pi = 6.28318530717958647693;
static const double SECONDS_LEAST = 0.2;
/* A joint rests below a part of the scale of its speeds, below a part of its limit, and below some deviations of their
 * noise. That scale is the fastest it goes, and not less than a part of the fastest that any joint of its type goes; the
 * noise is what the speed changes by in a moment, in the median. It moves evenly while its speed changes by no more, and a
 * part of itself. What counts of an even stretch is its plateau, less a part at either end, where filters bring the ramps
 * in; and it is most of the stretch, which the peak of a move from rest to rest is not. */
static const double EVEN = 0.1, STILL = 2e-3, OF_LIMIT = 1e-3, SHARE = 0.2, PLATEAU = 0.01, TRIMMED = 0.1, MOST = 0.5;
static const double MOMENT = 0.025, NOISE = 5,
                    MEDIAN_TO_DEVIATION = 0.95; /* s; for a difference of two normal numbers */

/* A coarse encoder counts few steps in a moment, and its velocity ripples: how fast a joint is is told by its mean velocity
 * over so many seconds. */
static const double MEAN = 0.08;

/* Sizes of numbers, in classes of 2^(1/4). */
enum { CLASSES = 256, CLASS_OF_ONE = 160 };

struct run_finder {
  const struct armdyn_robot *robot;
  size_t n;
  struct armdyn_workspace *workspace;
  double fastest[N], still[N];
  size_t changes[N][CLASSES];
  size_t joint; /* that moves; n: none */
  double speed; /* at the beginning of the run */
  double rate;
  size_t count, room;
  double *speeds, *angle, *residual; /* of the run's samples */
  struct joint_runs joints[N];
};

/* Over the range of a joint. False: out of memory. */
static bool angle_profile_open(const struct armdyn_joint *joint, struct angle_profile *profile)
{
  const double *range = joint->limits.position, ratio = fabs(joint->drive.gear_ratio);
  const bool bounded = isfinite(range[0]) && isfinite(range[1]);
  const double low = bounded ? range[0] : -two_pi, high = bounded ? range[1] : two_pi;
  const double span = ratio * (high - low) * 1.02, middle = joint->drive.gear_ratio * (low + high) / 2;
  profile->width = fmax(two_pi / BINS_A_TURN, span / BINS_MOST);
  profile->bins = (size_t)ceil(span / profile->width);
  profile->first = middle - (double)profile->bins * profile->width / 2;
  double *memory = calloc(4 * profile->bins, sizeof *memory);
  for (size_t half = 0; memory && half < 2; half++) {
    profile->sum[half] = memory + 2 * half * profile->bins;
    profile->weight[half] = memory + (2 * half + 1) * profile->bins;
  }
  return memory != NULL;
}

static void angle_profile_close(struct angle_profile *profile)
{
  free(profile->sum[0]);
}

/* Beyond the range nothing is kept. */
static void angle_profile_add(struct angle_profile *profile, int half, double angle, double weight, double residual)
{
  const double at = (angle - profile->first) / profile->width;
  if (!(at >= 0 && at < (double)profile->bins)) return;
  profile->sum[half][(size_t)at] += weight * residual;
  profile->weight[half][(size_t)at] += weight;
}

struct run_finder *run_finder_new(const struct armdyn_robot *robot)
{
  struct run_finder *f = calloc(1, sizeof *f);
  if (!f) return NULL;
  f->robot = robot;
  f->n = f->joint = armdyn_robot_joint_count(robot);
  f->workspace = armdyn_workspace_new(f->n);
  bool complete = f->workspace != NULL;
  for (size_t j = 0; j < f->n && complete; j++) {
    complete = angle_profile_open(&armdyn_robot_description(robot)->joints[j], &f->joints[j].profile);
  }
  if (complete) return f;
  run_finder_free(f);
  return NULL;
}

void run_finder_free(struct run_finder *finder)
{
  if (!finder) return;
  for (size_t j = 0; j < finder->n; j++) {
    angle_profile_close(&finder->joints[j].profile);
    free(finder->joints[j].list);
  }
  armdyn_workspace_free(finder->workspace);
  free(finder->speeds);
  free(finder->angle);
  free(finder->residual);
  free(finder);
}

static void count_change(struct run_finder *f, size_t joint, double change)
{
  const double at = change > 0 ? floor(4 * log2(change)) + CLASS_OF_ONE : 0;
  f->changes[joint][at < 0 ? 0 : at >= CLASSES ? CLASSES - 1 : (size_t)at]++;
}

/* Upper end of the class that holds the median. */
static double median_change(const struct run_finder *f, size_t joint)
{
  size_t all = 0, sum = 0, at = 0;
  for (size_t k = 0; k < CLASSES; k++) all += f->changes[joint][k];
  for (; at + 1 < CLASSES; at++) {
    sum += f->changes[joint][at];
    if (2 * sum >= all) break;
  }
  return at > 0 ? exp2(((double)at + 1 - CLASS_OF_ONE) / 4) : 0;
}

/* Mean velocities about sample k, as far as the motion goes. */
static void mean_velocities(size_t n, const struct armdyn_motion *motion, size_t k, double *mean)
{
  const size_t half = (size_t)fmax(1, MEAN / 2 * motion->rate), before = k + motion->before;
  const size_t after = motion->count - 1 - k + motion->after, shorter = before < after ? before : after;
  const size_t reach = half < shorter ? half : shorter;
  const double *ahead = motion->q + (k + reach) * n, *behind = motion->q + k * n - reach * n;
  for (size_t j = 0; j < n; j++)
    mean[j] = reach > 0 ? (ahead[j] - behind[j]) * motion->rate / (double)(2 * reach) : motion->qd[k * n + j];
}

void run_finder_look(struct run_finder *finder, const struct armdyn_motion *motion)
{
  struct run_finder *f = finder;
  const size_t n = f->n, lag = (size_t)fmax(1, round(MOMENT * motion->rate));
  for (size_t k = 0; k < motion->count; k++) {
    double mean[N], earlier[N] = { 0 };
    mean_velocities(n, motion, k, mean);
    if (k >= lag) mean_velocities(n, motion, k - lag, earlier);
    for (size_t j = 0; j < n; j++) {
      f->fastest[j] = fmax(f->fastest[j], fabs(mean[j]));
      if (k >= lag) count_change(f, j, fabs(mean[j] - earlier[j]));
    }
  }
  for (size_t j = 0; j < n; j++) {
    const struct armdyn_joint *joints = armdyn_robot_description(f->robot)->joints;
    double scale = f->fastest[j];
    for (size_t i = 0; i < n; i++) {
      if (joints[i].type == joints[j].type) scale = fmax(scale, SHARE * f->fastest[i]);
    }
    const double limit = joints[j].limits.velocity, least = isfinite(limit) ? OF_LIMIT * limit : 0;
    f->still[j] = fmax(fmax(STILL * scale, least), NOISE / MEDIAN_TO_DEVIATION * median_change(f, j));
  }
}

static double mean_of(const double *x, size_t first, size_t end)
{
  double sum = 0;
  for (size_t k = first; k < end; k++) sum += x[k];
  return sum / (double)(end - first);
}

/* The samples around the middle whose speed is that of the middle half. */
static void plateau(const struct run_finder *f, size_t *first, size_t *end)
{
  const size_t quarter = f->count / 4;
  const double speed = mean_of(f->speeds, quarter, f->count - quarter);
  const double most = PLATEAU * fabs(speed) + f->still[f->joint];
  *first = *end = f->count / 2;
  while (*first > 0 && fabs(f->speeds[*first - 1] - speed) <= most) --*first;
  while (*end < f->count && fabs(f->speeds[*end] - speed) <= most) ++*end;
  const size_t length = *end - *first, trim = (size_t)(TRIMMED * (double)length);
  *first += trim;
  *end -= (double)length < MOST * (double)f->count ? length - trim : trim; /* empty */
}

/* Samples of a run, whose mean is known now, over the motor angle. Each counts by the way to the next one, and by the square
 * of the way of the run: the mean of a short one has something of the lines in it. */
static void add_to_profile(const struct run_finder *f, struct angle_profile *profile, size_t first, size_t end,
                           double mean, int half)
{
  const double way = fabs(f->angle[end - 1] - f->angle[first]) / profile->width;
  const double weight = way * way * way / (double)(end - first - 1);
  for (size_t k = first; k < end; k++) angle_profile_add(profile, half, f->angle[k], weight, f->residual[k] - mean);
}

static enum armdyn_status end_run(struct run_finder *f)
{
  struct joint_runs *runs = &f->joints[f->joint < f->n ? f->joint : 0];
  const bool any = f->joint < f->n && f->count >= SAMPLES_LEAST;
  size_t first = 0, end = 0;
  if (any) plateau(f, &first, &end);
  f->joint = f->n;
  if (!any || end < first + SAMPLES_LEAST || (double)(end - first) < SECONDS_LEAST * f->rate) return ARMDYN_OK;
  if (runs->count == runs->room) {
    const size_t room = 2 * runs->room + 64;
    struct constant_run *list = realloc(runs->list, room * sizeof *list);
    if (!list) return ARMDYN_EMEMORY;
    runs->list = list;
    runs->room = room;
  }
  /* a speed there and back belongs to one half, the next one to the other */
  const int half = (int)(runs->count / 2 % 2);
  const struct constant_run run = { .speed = mean_of(f->speeds, first, end),
                                    .torque = mean_of(f->residual, first, end),
                                    .seconds = (double)(end - first) / f->rate,
                                    .from = f->angle[first],
                                    .to = f->angle[end - 1],
                                    .half = half };
  runs->list[runs->count++] = run;
  add_to_profile(f, &runs->profile, first, end, run.torque, half);
  return ARMDYN_OK;
}

/* The joint that moves alone; n: none. */
static size_t moving_joint(const struct run_finder *f, const double *mean)
{
  size_t moving = f->n;
  for (size_t j = 0; j < f->n; j++) {
    if (fabs(mean[j]) <= f->still[j]) continue;
    if (moving != f->n) return f->n;
    moving = j;
  }
  return moving;
}

static bool make_room(struct run_finder *f)
{
  if (f->count < f->room) return true;
  const size_t room = 2 * f->room + 4096;
  double **const arrays[] = { &f->speeds, &f->angle, &f->residual };
  for (int k = 0; k < 3; k++) {
    double *grown = realloc(*arrays[k], room * sizeof *grown);
    if (!grown) return false;
    *arrays[k] = grown;
  }
  f->room = room;
  return true;
}

static enum armdyn_status take_sample(struct run_finder *f, const double *q, const double *mean, const double *measured)
{
  static const double rest[N];
  static const struct armdyn_load load = { .frictionless = true };
  const size_t joint = moving_joint(f, mean);
  const double speed = joint == f->n ? 0 : mean[joint];
  const bool goes_on = joint == f->joint && joint < f->n && f->count < SAMPLES_MOST &&
                       fabs(speed - f->speed) <= EVEN * fabs(f->speed) + f->still[joint];
  if (!goes_on) {
    const enum armdyn_status status = end_run(f);
    if (status) return status;
    f->joint = joint;
    f->count = 0;
    f->speed = speed;
  }
  if (joint == f->n) return ARMDYN_OK;
  if (!make_room(f)) return ARMDYN_EMEMORY;
  double tau[N];
  armdyn_inverse_dynamics(f->robot, q, mean, rest, &load, f->workspace, tau);
  f->angle[f->count] = armdyn_robot_description(f->robot)->joints[joint].drive.gear_ratio * q[joint];
  f->speeds[f->count] = speed;
  f->residual[f->count++] = measured[joint] - tau[joint];
  return ARMDYN_OK;
}

enum armdyn_status run_finder_add(struct run_finder *finder, const struct armdyn_motion *motion)
{
  enum armdyn_status status = ARMDYN_OK;
  double mean[N];
  finder->rate = motion->rate;
  for (size_t k = 0; k < motion->count && !status; k++) {
    const size_t at = k * finder->n;
    mean_velocities(finder->n, motion, k, mean);
    status = take_sample(finder, motion->q + at, mean, motion->tau_raw + at);
  }
  return status;
}

enum armdyn_status run_finder_end(struct run_finder *finder)
{
  return end_run(finder);
}

const struct joint_runs *run_finder_joint(const struct run_finder *finder, size_t joint)
{
  return &finder->joints[joint];
}
