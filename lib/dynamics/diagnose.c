/* Every mistake is made on purpose, and its torques are held against those given. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "armdyn/terms.h"
#include "lib/dynamics/mistakes.h"

static const double SAME = 1e-9;   /* relative: rounding of two programs */
static const double CLEARLY = 3;   /* the next one must be worse by so much */
static const double PAIR_GAIN = 2; /* two mistakes must be better than either by so much */
static const double SMALL = 1e-6;  /* a joint's torque against the largest, below which it is nothing to divide by */

struct search {
  const struct armdyn_robot_description *model;
  const struct armdyn_samples *samples;
  size_t n, count;
  struct armdyn_workspace *workspace;
  struct armdyn_robot_description *changed;
  double *memory, *q, *qd, *qdd, *right, *tau; /* count x n each */
  double scale[ARMDYN_JOINTS_MAX];             /* rms of the torques given */
  double unit[ARMDYN_JOINTS_MAX];              /* rms of ours */
};

static const double *row(const struct armdyn_rows *rows, size_t i)
{
  return rows->data + i * rows->stride;
}

/* rms over the samples of column i of a - b; b without data: of a. */
static double column_rms(const struct search *s, struct armdyn_rows a, size_t i, struct armdyn_rows b, size_t k)
{
  double sum = 0;
  for (size_t r = 0; r < s->count; r++) {
    double x = row(&a, r)[i] - (b.data ? row(&b, r)[k] : 0);
    sum += x * x;
  }
  return sqrt(sum / (double)s->count);
}

static struct armdyn_rows table(const struct search *s, const double *data)
{
  return (struct armdyn_rows){ data, s->n };
}

/* Root mean square over the joints; joint_error may be NULL. */
static double error_of(const struct search *s, const double *tau, const struct armdyn_rows *than, const double *scale,
                       double *joint_error)
{
  double sum = 0;
  for (size_t i = 0; i < s->n; i++) {
    double error = column_rms(s, *than, i, table(s, tau), i) / scale[i];
    if (joint_error) joint_error[i] = error;
    sum += error * error;
  }
  return sqrt(sum / (double)s->n);
}

static void begin_version(const struct search *s, struct version *v)
{
  *v = (struct version){ .model = s->changed, .angle = 1, .position = 1, .friction = s->samples->frictionless ? 0 : 1 };
  *s->changed = *s->model;
  for (size_t i = 0; i < s->n; i++) {
    v->torque[i] = 1;
    v->order[i] = i;
  }
}

/* The samples as this version takes them. */
static void take_samples(struct search *s, const struct version *v)
{
  for (size_t r = 0; r < s->count; r++) {
    for (size_t i = 0; i < s->n; i++) {
      size_t at = r * s->n + (v->samples_reordered ? v->order[i] : i), joint = at - r * s->n;
      double angle = s->model->joints[joint].type == ARMDYN_REVOLUTE ? v->angle : 1;
      double position = s->model->joints[joint].type == ARMDYN_REVOLUTE ? v->position : 1;
      s->q[at] = angle * position * row(&s->samples->q, r)[i];
      s->qd[at] = angle * row(&s->samples->qd, r)[i];
      s->qdd[at] = angle * row(&s->samples->qdd, r)[i];
    }
  }
}

/* The torques that it gives. */
static void give_torques(struct search *s, const struct version *v, const struct armdyn_robot *robot, double *tau)
{
  double joints[ARMDYN_JOINTS_MAX], friction[ARMDYN_JOINTS_MAX];
  for (size_t r = 0; r < s->count; r++) {
    double *x = tau + r * s->n;
    armdyn_friction_torques(robot, s->q + r * s->n, s->qd + r * s->n, friction);
    for (size_t i = 0; i < s->n; i++) {
      const double y = x[i] + v->rotor[i] * s->qdd[r * s->n + i];
      const double of_load = armdyn_friction_of_load(robot, i, s->qd[r * s->n + i], y);
      joints[i] = v->torque[i] * (y + v->friction * (friction[i] + of_load));
    }
    for (size_t i = 0; i < s->n; i++) x[i] = joints[v->torques_reordered ? v->order[i] : i];
  }
}

static enum armdyn_status compute(struct search *s, const struct version *v, double *tau)
{
  struct armdyn_robot *robot = NULL;
  struct armdyn_error error = { "", "" };
  enum armdyn_status status = armdyn_robot_new(v->model, &robot, &error);
  if (status) return status;
  take_samples(s, v);
  const struct armdyn_samples samples = {
    .count = s->count, .q = table(s, s->q), .qd = table(s, s->qd), .qdd = table(s, s->qdd), .frictionless = true
  };
  armdyn_inverse_dynamics_batch(robot, &samples, s->workspace, tau);
  give_torques(s, v, robot, tau);
  armdyn_robot_free(robot);
  return ARMDYN_OK;
}

/* Which of our columns each column given is nearest to. False: that is no order, or the model's own. */
static bool match_torques(const struct search *s, size_t *order)
{
  bool taken[ARMDYN_JOINTS_MAX] = { false }, another = false;
  for (size_t i = 0; i < s->n; i++) {
    double least = INFINITY;
    order[i] = i;
    for (size_t k = 0; k < s->n; k++) {
      double error = column_rms(s, s->samples->tau, i, table(s, s->right), k);
      if (!(error < least)) continue;
      least = error;
      order[i] = k;
    }
    if (taken[order[i]]) return false;
    taken[order[i]] = true;
    another |= order[i] != i;
  }
  return another;
}

/* The best of what exchanges two joints, and of the joints from the tool to the base. */
static enum armdyn_status match_joints(struct search *s, struct version *v)
{
  double least = INFINITY;
  size_t best[ARMDYN_JOINTS_MAX];
  v->samples_reordered = v->torques_reordered = true;
  for (size_t a = 0; a < s->n; a++) {
    for (size_t b = a; b < s->n; b++) {
      bool backwards = a == b; /* one exchange with itself stands for it */
      if (backwards && a) continue;
      for (size_t i = 0; i < s->n; i++) v->order[i] = backwards ? s->n - 1 - i : i == a ? b : i == b ? a : i;
      enum armdyn_status status = compute(s, v, s->tau);
      if (status) return status;
      double error = error_of(s, s->tau, &s->samples->tau, s->scale, NULL);
      if (!(error < least)) continue;
      least = error;
      memcpy(best, v->order, sizeof best);
    }
  }
  if (least < INFINITY) memcpy(v->order, best, sizeof best);
  return ARMDYN_OK;
}

static enum armdyn_status find_order(struct search *s, const struct mistake *mistake, struct version *v)
{
  if (s->n < 2) return ARMDYN_OK;
  if (mistake->number != 0) return match_joints(s, v);
  v->torques_reordered = match_torques(s, v->order);
  return ARMDYN_OK;
}

/* Make the mistakes of a finding and tell what they leave.
 *   seen  out  do they change any torque? */
static enum armdyn_status try_mistakes(struct search *s, struct armdyn_finding *finding, bool *seen)
{
  struct version v;
  begin_version(s, &v);
  for (size_t k = 0; k < finding->mistake_count; k++) {
    const struct mistake *mistake = &mistakes[finding->mistakes[k]];
    enum armdyn_status status = ARMDYN_OK;
    if (mistake->make)
      mistake->make(&v, mistake->number);
    else
      status = find_order(s, mistake, &v);
    if (status) return status;
  }
  enum armdyn_status status = compute(s, &v, s->tau);
  if (status) return status;
  const struct armdyn_rows right = table(s, s->right);
  *seen = error_of(s, s->tau, &right, s->unit, NULL) > SAME;
  finding->error = error_of(s, s->tau, &s->samples->tau, s->scale, finding->joint_error);
  finding->reordered = v.torques_reordered;
  memcpy(finding->order, v.order, sizeof finding->order);
  return ARMDYN_OK;
}

/* Into the list, least error first; what does not fit falls out at its end. */
static void keep(struct armdyn_diagnosis *d, const struct armdyn_finding *finding)
{
  if (!isfinite(finding->error)) return;
  size_t at = d->finding_count;
  while (at > 0 && d->findings[at - 1].error > finding->error) at--;
  if (at == ARMDYN_FINDINGS_MAX) return;
  if (d->finding_count < ARMDYN_FINDINGS_MAX) d->finding_count++;
  memmove(&d->findings[at + 1], &d->findings[at], (d->finding_count - at - 1) * sizeof *d->findings);
  d->findings[at] = *finding;
}

/* error[i]: of mistake i alone; INFINITY when it changes nothing. */
static enum armdyn_status try_singles(struct search *s, struct armdyn_diagnosis *d, double *error)
{
  for (size_t i = 0; i < armdyn_mistake_count(); i++) {
    struct armdyn_finding finding = { .mistake_count = 1, .mistakes = { i } };
    bool seen;
    error[i] = INFINITY;
    enum armdyn_status status = try_mistakes(s, &finding, &seen);
    if (status == ARMDYN_EMEMORY) return status;
    if (!status && seen) {
      error[i] = finding.error;
      keep(d, &finding);
    } else if (mistakes[i].make) {
      d->unseen[d->unseen_count++] = i;
    }
  }
  return ARMDYN_OK;
}

/* Those that are better than both of their halves, and than what was given. */
static enum armdyn_status try_pairs(struct search *s, struct armdyn_diagnosis *d, const double *error)
{
  for (size_t i = 0; i < armdyn_mistake_count(); i++) {
    for (size_t k = i + 1; k < armdyn_mistake_count(); k++) {
      if (mistakes[i].kind == mistakes[k].kind || !mistakes[i].make || !mistakes[k].make) continue;
      if (isinf(error[i]) || isinf(error[k])) continue;
      struct armdyn_finding finding = { .mistake_count = 2, .mistakes = { i, k } };
      bool seen;
      enum armdyn_status status = try_mistakes(s, &finding, &seen);
      if (status == ARMDYN_EMEMORY) return status;
      if (!status && seen && PAIR_GAIN * finding.error < fmin(d->error, fmin(error[i], error[k]))) keep(d, &finding);
    }
  }
  return ARMDYN_OK;
}

/* Which finding explains, and which ones cannot be told apart. */
static void judge(struct armdyn_diagnosis *d, double tolerance)
{
  struct armdyn_finding *f = d->findings;
  if (!d->finding_count || !(f->error <= tolerance)) return;
  size_t rivals = 1;
  while (rivals < d->finding_count && f[rivals].error <= fmax(CLEARLY * f->error, SAME)) rivals++;
  f->explains = rivals == 1;
  for (size_t i = 0; rivals > 1 && i < rivals; i++) f[i].ambiguous = true;
}

/* What errors of joints are relative to. */
static void scales(struct search *s)
{
  const struct armdyn_rows none = { NULL, 0 };
  double largest = 0;
  for (size_t i = 0; i < s->n; i++) {
    s->scale[i] = column_rms(s, s->samples->tau, i, none, 0);
    s->unit[i] = column_rms(s, table(s, s->right), i, none, 0);
    largest = fmax(largest, fmax(s->scale[i], s->unit[i]));
  }
  const double least = largest > 0 ? SMALL * largest : 1;
  for (size_t i = 0; i < s->n; i++) {
    s->scale[i] = fmax(s->scale[i], least);
    s->unit[i] = fmax(s->unit[i], least);
  }
}

static enum armdyn_status run(struct search *s, double tolerance, struct armdyn_diagnosis *d)
{
  struct version v;
  double error[ARMDYN_MISTAKES_MAX] = { 0 };
  begin_version(s, &v);
  enum armdyn_status status = compute(s, &v, s->right);
  if (status) return status;
  scales(s);
  d->error = error_of(s, s->right, &s->samples->tau, s->scale, d->joint_error);
  d->agrees = d->error <= tolerance;
  if (d->agrees) return ARMDYN_OK;
  status = try_singles(s, d, error);
  if (!status && !(d->finding_count && d->findings[0].error <= tolerance)) status = try_pairs(s, d, error);
  if (!status) judge(d, tolerance);
  return status;
}

enum armdyn_status armdyn_diagnose(const struct armdyn_robot *robot, const struct armdyn_samples *samples,
                                   double tolerance, struct armdyn_diagnosis *diagnosis)
{
  const size_t n = armdyn_robot_joint_count(robot), numbers = samples->count * n;
  struct search s = { .model = armdyn_robot_description(robot), .samples = samples, .n = n, .count = samples->count };
  *diagnosis = (struct armdyn_diagnosis){ .agrees = false };
  s.workspace = armdyn_workspace_new(n);
  s.changed = malloc(sizeof *s.changed);
  s.memory = malloc(5 * numbers * sizeof *s.memory);
  enum armdyn_status status = ARMDYN_EMEMORY;
  if (s.workspace && s.changed && s.memory) {
    s.q = s.memory, s.qd = s.q + numbers, s.qdd = s.qd + numbers, s.right = s.qdd + numbers, s.tau = s.right + numbers;
    status = run(&s, tolerance, diagnosis);
  }
  free(s.memory);
  free(s.changed);
  armdyn_workspace_free(s.workspace);
  return status;
}
