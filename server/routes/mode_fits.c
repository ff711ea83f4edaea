/* POST /v1/robots/{robot}/mode-fits: the stiffness of gears from frequencies seen in several postures and with several
 * loads, or looked for in logs, and the frequencies of others. Nothing is kept. */
#include <stdlib.h>
#include <string.h>

#include "api/codec/mode_fit.h"
#include "server/app.h"
#include "server/data/logged_vibration.h"
#include "server/robots/cache.h"
#include "server/routes/handlers.h"
#include "server/routes/robots.h"

enum { N = ARMDYN_JOINTS_MAX, POSTURES = MODE_FIT_POSTURES };

struct fitting {
  struct mode_fit_request request;
  double matrices[2 * POSTURES][N * N];
  double observed[POSTURES * N], predicted[POSTURES * N];
  struct armdyn_sight sights[POSTURES];
  struct armdyn_stiffness_fit fit;
  double ratios[POSTURES][ARMDYN_SIGHT_MODES], damping[N];
  size_t modes;
};

/* Each log as one more observation, with what was carried. */
static enum armdyn_status observe_logs(struct mode_fit_request *request, const struct armdyn_robot_description *robot,
                                       struct store *store, struct armdyn_error *error)
{
  enum armdyn_status status = ARMDYN_OK;
  for (size_t i = 0; i < request->log_count && !status; i++) {
    struct mode_log *log = &request->logs[i];
    log->look.elastic = request->elastic;
    log->look.payload = log->has_payload ? &log->payload : NULL;
    struct mode_posture *seen = &request->observations[request->observation_count];
    struct logged_vibration found;
    struct armdyn_error told = { "", "" };
    char where[64];
    status = logged_vibration_find(store, robot, &log->look, &found, &told);
    const bool of_log = !status || !strcmp(told.pointer, "/q"); /* its samples, which are no field here */
    snprintf(where, sizeof where, "/logs/%zu%.36s", i, of_log ? "/dataset" : told.pointer);
    if (!status && !found.vibration.mode_count)
      status = armdyn_refuse(&told, ARMDYN_EINPUT, "", "data set %s shows nothing that dies out and is more than noise",
                             log->look.dataset);
    if (status) return told.message[0] ? armdyn_refuse(error, status, where, "%.200s", told.message) : status;
    mode_fit_observe(&found.vibration, robot->joint_count, seen);
    snprintf(seen->dataset, sizeof seen->dataset, "%s", log->look.dataset);
    seen->has_payload = log->has_payload || found.other_payload;
    seen->payload = log->has_payload ? log->payload : found.payload;
    request->observation_count++;
  }
  return status;
}

static enum armdyn_status fit(struct fitting *f, const struct armdyn_robot_description *robot,
                              struct armdyn_error *error)
{
  const size_t n = robot->joint_count, seen = f->request.observation_count;
  enum armdyn_status status = ARMDYN_OK;
  for (size_t i = 0; i < seen + f->request.prediction_count && !status; i++) {
    const struct mode_posture *posture = i < seen ? &f->request.observations[i] : &f->request.predictions[i - seen];
    status =
        armdyn_links_matrix(robot, posture->has_payload ? &posture->payload : NULL, posture->q, f->matrices[i], NULL);
    for (size_t j = 0; j < n && !status; j++)
      if (f->request.elastic[j] && !(f->matrices[i][j * (n + 1)] > 0))
        status = armdyn_refuse(error, ARMDYN_EINPUT, "/joints", "joint '%s' moves nothing that has inertia",
                               robot->joints[j].name);
    if (i >= seen || status) continue;
    f->sights[i] = (struct armdyn_sight){ .mass_matrix = f->matrices[i],
                                          .count = posture->frequency_count,
                                          .deviation = posture->deviation_percent / 100 };
    memcpy(f->sights[i].frequency, posture->frequencies, sizeof posture->frequencies);
    memcpy(f->ratios[i], posture->dampings, sizeof posture->dampings);
  }
  if (!status) status = armdyn_fit_stiffness(n, f->sights, seen, f->request.elastic, &f->fit, error);
  if (!status) armdyn_fit_damping(n, f->sights, seen, f->ratios[0], f->fit.stiffness, f->damping);
  for (size_t i = 0; i < seen + f->request.prediction_count && !status; i++)
    f->modes = armdyn_posture_modes(n, f->matrices[i], f->fit.stiffness,
                                    i < seen ? f->observed + i * n : f->predicted + (i - seen) * n, NULL);
  return status;
}

static void answer(struct exchange *x, const struct fitting *f, const struct robot_entry *stored)
{
  struct buffer out = BUFFER(MB(1));
  const struct mode_fit_answer found = { .robot = armdyn_robot_description(stored->robot),
                                         .revision = stored->revision,
                                         .request = &f->request,
                                         .fit = &f->fit,
                                         .damping = f->damping,
                                         .modes = f->modes,
                                         .observed = f->observed,
                                         .predicted = f->predicted };
  mode_fit_encode(&out, &found);
  answer_json(x, 200, &out);
}

enum outcome mode_fit(struct exchange *x)
{
  const struct robot_entry *stored;
  enum outcome outcome;
  size_t length;
  if (!robot_of_request(x, exchange_query(x, "revision"), &stored, &outcome)) return outcome;
  const struct armdyn_robot_description *robot = armdyn_robot_description(stored->robot);
  const char *body = exchange_body(x, &length);
  struct armdyn_error error = { "", "" };
  struct fitting *f = calloc(1, sizeof *f);
  enum armdyn_status status =
      f ? mode_fit_decode(robot, body, length, &f->request, exchange_faults(x)) : ARMDYN_EMEMORY;
  if (!status) status = observe_logs(&f->request, robot, exchange_app(x)->store, &error);
  if (!status) status = fit(f, robot, &error);
  if (error.message[0])
    fault_add(exchange_faults(x), FAULT_AT_POINTER, error.pointer, FAULT_INCONSISTENT, "%s", error.message);
  if (status)
    answer_status(x, status == ARMDYN_ESINGULAR ? ARMDYN_EINPUT : status, NULL);
  else
    answer(x, f, stored);
  free(f);
  robots_release(exchange_app(x)->robots, stored);
  return ANSWERED;
}
