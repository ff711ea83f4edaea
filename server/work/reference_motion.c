#include "server/work/reference_motion.h"

#include <math.h>

#include "armdyn/chirp.h"
#include "armdyn/path_timing.h"
#include "armdyn/terms.h"
#include "server/data/stored_trajectory.h"

static const double CIRCLE_TOLERANCE = 1e-7; /* m, rad */

static enum armdyn_status open_circle(const struct armdyn_robot *model, struct reference_motion *motion,
                                      const char *pointer, struct armdyn_error *error)
{
  const struct verification_reference *asked = motion->asked;
  const struct armdyn_tool_circle circle = {
    .start = motion->q,
    .center = asked->center,
    .normal = asked->normal,
    .turns = asked->turns,
    .task = motion->n < 6 ? ARMDYN_TASK_X | ARMDYN_TASK_Y | ARMDYN_TASK_Z : ARMDYN_TASK_ALL,
    .tolerance = CIRCLE_TOLERANCE,
  };
  struct armdyn_error told = { 0 };
  const enum armdyn_status status = armdyn_path_of_circle(model, &circle, &motion->path, NULL, &told);
  motion->moving = asked->duration;
  if (!status || status == ARMDYN_EMEMORY) return status;
  static const char *const own[] = { "/center", "/normal", "/turns" };
  char where[64];
  const char *below = "";
  for (size_t k = 0; k < sizeof own / sizeof *own; k++)
    if (!strcmp(told.pointer, own[k])) below = own[k];
  snprintf(where, sizeof where, "%s%s", pointer, below);
  const bool at_start = !strncmp(told.pointer, "/start", 6);
  return armdyn_refuse(error, status, at_start ? told.pointer + 6 : where, "%.200s", told.message);
}

enum armdyn_status reference_motion_open(struct work *work, const struct armdyn_robot *model,
                                         const struct verification_reference *asked, const double *q,
                                         const char *pointer, struct reference_motion *motion,
                                         struct armdyn_error *error)
{
  char where[64];
  struct store *store;
  motion->asked = asked;
  motion->n = armdyn_robot_joint_count(model);
  if (q) memcpy(motion->q, q, motion->n * sizeof *q);
  if (asked->kind == REFERENCE_CIRCLE) return open_circle(model, motion, pointer, error);
  if (asked->kind != REFERENCE_TRAJECTORY) return ARMDYN_OK;
  snprintf(where, sizeof where, "%s/trajectory", pointer);
  enum armdyn_status status = work_store(work, &store);
  if (!status) status = stored_trajectory_open(store, asked->trajectory, motion->n, where, &motion->path, error);
  if (status) return status;
  motion->moving = armdyn_trajectory_duration(&motion->path);
  armdyn_trajectory_state(&motion->path, 0, motion->q, NULL, NULL, NULL);
  return ARMDYN_OK;
}

size_t reference_sources(const struct verification_request *request, struct job_source *list)
{
  size_t count = 0;
  for (size_t k = 0; k < request->reference_count; k++) {
    const size_t more = job_source_of_motion(request->references[k].trajectory, &list[count]);
    if (more) snprintf(list[count].pointer, sizeof list[count].pointer, "/references/%zu/trajectory", k);
    count += more;
  }
  return count;
}

void reference_motion_close(struct reference_motion *motion)
{
  armdyn_trajectory_free(&motion->path);
}

/* Along the circle by s = 10 u^3 - 15 u^4 + 6 u^5, u the part of the time: from rest to rest. */
static void circle_at(const struct reference_motion *motion, double t, double *q, double *qd, double *qdd)
{
  const double T = motion->moving, u = fmin(t / T, 1), r = 1 - u;
  const double s = u * u * u * (10 - 15 * u + 6 * u * u);
  const double sd = 30 * u * u * r * r / T, sdd = 60 * u * r * (1 - 2 * u) / (T * T);
  armdyn_trajectory_state(&motion->path, fmin(s, 1), q, qd, qdd, NULL);
  for (size_t j = 0; j < motion->n; j++) {
    qdd[j] = qdd[j] * sd * sd + qd[j] * sdd;
    qd[j] *= sd;
  }
}

/* One joint after the other, each in its own part of the time. */
static void chirp_at(const struct reference_motion *motion, double t, double *q, double *qd, double *qdd)
{
  const struct verification_reference *asked = motion->asked;
  const struct armdyn_chirp chirp = { asked->frequencies[0], asked->frequencies[1], asked->duration };
  for (size_t j = 0; j < motion->n; j++) {
    q[j] = motion->q[j], qd[j] = qdd[j] = 0;
    if (asked->amplitude[j] == 0) continue;
    armdyn_chirp_at(&chirp, t, &q[j], &qd[j], &qdd[j]);
    q[j] = motion->q[j] + asked->amplitude[j] * q[j];
    qd[j] *= asked->amplitude[j], qdd[j] *= asked->amplitude[j];
    t -= asked->duration + asked->rest;
  }
}

void reference_motion_at(void *context, double t, double *q, double *qd, double *qdd)
{
  const struct reference_motion *motion = context;
  const enum verification_reference_kind kind = motion->asked->kind;
  const double *amplitude = motion->asked->amplitude, w = 2 * 3.14159265358979323846 * motion->frequency;
  if (kind == REFERENCE_CIRCLE) {
    circle_at(motion, t, q, qd, qdd);
    return;
  }
  if (kind == REFERENCE_CHIRP) {
    chirp_at(motion, t, q, qd, qdd);
    return;
  }
  if (kind == REFERENCE_TRAJECTORY) {
    armdyn_trajectory_state(&motion->path, fmin(t, motion->moving), q, qd, qdd, NULL);
    for (size_t j = 0; j < motion->n && t > motion->moving; j++) qd[j] = qdd[j] = 0;
    return;
  }
  for (size_t j = 0; j < motion->n; j++) {
    const double a = kind == REFERENCE_SINE ? amplitude[j] : 0, to = kind == REFERENCE_STEP ? amplitude[j] : 0;
    q[j] = motion->q[j] + to + a * sin(w * t);
    qd[j] = a * w * cos(w * t);
    qdd[j] = -a * w * w * sin(w * t);
  }
}

void reference_tool_off(const struct armdyn_robot *model, const double *wanted, const struct armdyn_robot *arm,
                        const double *q, struct armdyn_workspace *workspace, double off[3], double *turn)
{
  double should[16], is[16], square = 0;
  armdyn_forward_kinematics(model, wanted, workspace, should, NULL);
  armdyn_forward_kinematics(arm, q, workspace, is, NULL);
  for (int i = 0; i < 3; i++) {
    off[i] = is[4 * i + 3] - should[4 * i + 3];
    for (int k = 0; k < 3; k++) square += pow(is[4 * i + k] - should[4 * i + k], 2);
  }
  /* |R - R'|_F = 2 sqrt(2) sin(angle / 2) */
  *turn = 2 * asin(fmin(1, sqrt(square / 8)));
}
