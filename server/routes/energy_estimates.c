/* POST /v1/robots/{robot}/energy-estimates: what a stored trajectory, a stored data set or a log costs in electricity. */
#include <math.h>
#include <stdlib.h>

#include "api/codec/energy.h"
#include "server/app.h"
#include "server/data/logged_energy.h"
#include "server/data/stored_dataset.h"
#include "server/data/stored_trajectory.h"
#include "server/robots/cache.h"
#include "server/routes/handlers.h"
#include "server/routes/request_names.h"
#include "server/routes/robots.h"

struct estimate {
  const struct robot_entry *entry;
  struct energy_request request;
  struct armdyn_workspace *workspace;
  double *t, *qdd, *tau; /* of a log: times, and what is not in it */
  double duration;
  struct armdyn_electrical_energy predicted, measured;
  bool has_measured;
  struct logged_energy logged; /* of a data set */
};

/* -- a log -- */

static enum armdyn_status of_log(struct estimate *e, struct armdyn_error *error)
{
  struct energy_request *r = &e->request;
  const struct armdyn_robot *robot = e->entry->robot;
  const size_t n = armdyn_robot_joint_count(robot);
  struct armdyn_samples samples = { .count = r->count, .q = r->q, .qd = r->qd, .qdd = r->qdd };
  e->t = malloc(r->count * sizeof *e->t);
  e->tau = malloc(r->count * n * sizeof *e->tau);
  e->qdd = malloc(r->count * n * sizeof *e->qdd);
  e->workspace = armdyn_workspace_new(n);
  if (!e->t || !e->tau || !e->qdd || !e->workspace) return ARMDYN_EMEMORY;
  for (size_t k = 0; k < r->count; k++) e->t[k] = r->t.data[k * r->t.stride];
  e->duration = e->t[r->count - 1] - e->t[0];
  if (!r->qdd.data) {
    armdyn_slopes(r->count, n, &r->t, &r->qd, e->qdd);
    samples.qdd = (struct armdyn_rows){ e->qdd, n };
  }
  armdyn_inverse_dynamics_batch(robot, &samples, e->workspace, e->tau);
  samples.tau = (struct armdyn_rows){ e->tau, n };
  enum armdyn_status status = armdyn_samples_electrical_energy(robot, &r->drives, e->t, &samples, &e->predicted, error);
  e->has_measured = r->tau.data || r->current.data;
  if (status || !e->has_measured) return status;
  samples.tau = r->tau;
  if (r->current.data) {
    for (size_t k = 0; k < r->count; k++)
      armdyn_joint_torques_of_currents(armdyn_robot_description(robot), r->current.data + k * r->current.stride,
                                       e->tau + k * n);
    samples.tau = (struct armdyn_rows){ e->tau, n };
  }
  return armdyn_samples_electrical_energy(robot, &r->drives, e->t, &samples, &e->measured, error);
}

/* -- a trajectory -- */

static enum armdyn_status of_trajectory(struct estimate *e, struct store *store, struct faults *faults,
                                        struct armdyn_error *error)
{
  const struct energy_request *r = &e->request;
  struct armdyn_trajectory trajectory = { 0 };
  const size_t n = armdyn_robot_joint_count(e->entry->robot);
  enum armdyn_status status = stored_trajectory_read(store, r->trajectory, n, &trajectory);
  if (status == ARMDYN_ENOTFOUND || status == ARMDYN_EIO) {
    fault_add(faults, FAULT_AT_POINTER, "/trajectory", FAULT_INCONSISTENT, "there is no trajectory %s of %zu joints",
              r->trajectory, n);
    return ARMDYN_EINPUT;
  }
  if (status) return status;
  e->duration = armdyn_trajectory_duration(&trajectory);
  status = armdyn_trajectory_electrical_energy(e->entry->robot, &r->drives, &trajectory, &e->predicted, error);
  armdyn_trajectory_free(&trajectory);
  return status;
}

/* -- a data set -- */

static enum armdyn_status of_dataset(struct estimate *e, struct store *store, struct faults *faults)
{
  const struct energy_request *r = &e->request;
  struct armdyn_error error = { "", "" };
  enum armdyn_status status = armdyn_electrical_check(e->entry->robot, &r->drives, &error);
  if (status == ARMDYN_EINPUT) { /* of the robot, not of the request */
    fault_add(faults, FAULT_AT_POINTER, "", FAULT_REQUIRED, "%s", error.message);
    return status;
  }
  if (!status)
    status = logged_energy_find(store, r->dataset, e->entry->robot, &r->drives, r->cutoff_hz, &e->logged, &error);
  if (status == ARMDYN_ENOTFOUND || status == ARMDYN_EINPUT) {
    fault_add(faults, FAULT_AT_POINTER, "/dataset", FAULT_INCONSISTENT, "data set %s %s", r->dataset, error.message);
    return ARMDYN_EINPUT;
  }
  e->duration = e->logged.duration;
  e->predicted = e->logged.predicted;
  e->measured = e->logged.measured;
  e->has_measured = e->logged.has_measured;
  return status;
}

/* -- the call -- */

static const char *query_of(const void *context, const char *name)
{
  return exchange_query(context, name);
}

/* Of a table, whose options stand in the query: how well the grid takes power back, if it does. */
static bool grid_efficiency_of_query(struct exchange *x, struct armdyn_electrical_model *drives)
{
  if (!exchange_query_number(x, "grid_efficiency", 0, 1, &drives->grid_efficiency)) return false;
  if (!exchange_query(x, "grid_efficiency") || drives->regeneration == ARMDYN_REGENERATION_GRID) return true;
  fault_add(exchange_faults(x), FAULT_AT_PARAMETER, "grid_efficiency", FAULT_INCONSISTENT,
            "belongs to the regeneration grid");
  return false;
}

/* Options stand in the query of tables, and in a JSON body itself. */
static bool options_in_place(struct exchange *x, struct armdyn_electrical_model *drives)
{
  bool good = true;
  if (exchange_query(x, "fields") && exchange_body_media(x) != MEDIA_NPY) {
    fault_add(exchange_faults(x), FAULT_AT_PARAMETER, "fields", FAULT_UNSUPPORTED,
              "names the columns of a .npy; CSV and JSON name their own");
    good = false;
  }
  if (exchange_body_media(x) != MEDIA_JSON) return grid_efficiency_of_query(x, drives) && good;
  static const char *const options[] = { "regeneration", "grid_efficiency" };
  for (size_t k = 0; k < 2; k++) {
    if (!exchange_query(x, options[k])) continue;
    fault_add(exchange_faults(x), FAULT_AT_PARAMETER, options[k], FAULT_INCONSISTENT,
              "goes into the body when that is JSON");
    good = false;
  }
  return good;
}

static void answer_estimate(struct exchange *x, const struct estimate *e)
{
  const struct energy_estimate estimate = {
    .robot = armdyn_robot_description(e->entry->robot),
    .revision = (long long)e->entry->revision,
    .carried = &e->request.carried,
    .drives = &e->request.drives,
    .duration = e->duration,
    .samples = e->request.dataset[0] ? e->logged.samples : e->request.count,
    .conditioning = e->request.dataset[0] ? &e->logged.conditioning : NULL,
    .other_conditions = e->logged.other_conditions && !carried_any(&e->request.carried),
    .predicted = &e->predicted,
    .measured = e->has_measured ? &e->measured : NULL,
  };
  struct buffer body = BUFFER(MB(1));
  energy_estimate_encode(&body, &estimate);
  exchange_set_revision(x, e->entry->revision);
  answer_json(x, 200, &body);
}

/* A data set is of the revision that it was uploaded for, unless the query names one. */
static int64_t revision_meant(struct exchange *x, const struct robot_entry *stored, const char *id)
{
  struct stored_dataset *dataset;
  int64_t revision = stored->revision;
  if (!*id || exchange_query(x, "revision")) return revision;
  if (stored_dataset_open(exchange_app(x)->store, id, &dataset)) return revision; /* of_dataset will tell */
  const struct store_dataset *row = stored_dataset_row(dataset);
  if (!strcmp(row->robot, armdyn_robot_description(stored->robot)->name)) revision = row->revision;
  stored_dataset_close(dataset);
  return revision;
}

/* The request, with what it names put in, and the model that it is for. OK, or what energy_request_decode says; false in *good:
 * answered. */
static enum armdyn_status read_request(struct exchange *x, const struct robot_entry *stored, struct estimate *e,
                                       struct buffer *named, bool *good)
{
  struct robots *robots = exchange_app(x)->robots;
  const struct armdyn_robot_description *model = armdyn_robot_description(stored->robot);
  size_t length;
  const char *body = exchange_body(x, &length);
  if (exchange_body_media(x) == MEDIA_JSON) *good = request_names_put_in(x, model->name, false, body, length, named);
  if (!*good) return ARMDYN_EINPUT;
  if (named->length) body = named->data, length = named->length;
  enum armdyn_status status = energy_request_decode(exchange_body_media(x), model->joint_count, body, length, query_of,
                                                    x, &e->request, exchange_faults(x));
  if (!status && !options_in_place(x, &e->request.drives)) status = ARMDYN_EINPUT;
  if (status) return status;
  const int64_t revision = revision_meant(x, stored, e->request.dataset);
  return robots_get_with(robots, model->name, revision, &e->request.carried.overrides, &e->entry);
}

enum outcome energy_estimate(struct exchange *x)
{
  struct app *app = exchange_app(x);
  const struct robot_entry *stored;
  enum outcome outcome;
  if (!robot_of_request(x, exchange_query(x, "revision"), &stored, &outcome)) return outcome;
  struct estimate e = { .entry = NULL };
  struct armdyn_error error = { "", "" };
  struct buffer named = BUFFER(LIMIT_MODEL_BODY + KB(64));
  bool good = true;
  enum armdyn_status status = read_request(x, stored, &e, &named, &good);
  if (!status)
    status = e.request.trajectory[0] ? of_trajectory(&e, app->store, exchange_faults(x), &error)
             : e.request.dataset[0]  ? of_dataset(&e, app->store, exchange_faults(x))
                                     : of_log(&e, &error);
  if (status == ARMDYN_EINPUT && error.message[0]) /* of the robot, not of the request */
    fault_add(exchange_faults(x), FAULT_AT_POINTER, "", FAULT_REQUIRED, "%s", error.message);
  if (good && status)
    answer_status(x, status, NULL);
  else if (good)
    answer_estimate(x, &e);
  free(e.t);
  free(e.tau);
  free(e.qdd);
  armdyn_workspace_free(e.workspace);
  energy_request_release(&e.request);
  buffer_release(&named);
  robots_release(app->robots, e.entry);
  robots_release(app->robots, stored);
  return ANSWERED;
}
