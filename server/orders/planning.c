/* From an order to the plan of its motion: a job like any other, whose start is where the order before is planned to end. A
 * motion that was planned before, from there, for the same and with the same model, is not planned again. */
#include <math.h>
#include <sodium.h>
#include <stdlib.h>

#include "api/json/document.h"
#include "armdyn/armdyn.h"
#include "server/app.h"
#include "server/data/stored_part.h"
#include "server/gateway/gateway.h"
#include "server/jobs/jobs.h"
#include "server/orders/internal.h"
#include "server/robots/cache.h"
#include "server/transfers/standing.h"
#include "server/work/kinds.h"

static const double rounding = 1e-6; /* rad, m: positions that are no farther apart are the same */

/* -- what it is planned for -- */

bool order_controller(struct queue *q, struct controller_description *controller, int64_t *version, struct refusal *why)
{
  struct store_controller row = { .version = 0 };
  enum armdyn_status status = store_controller_get(q->app->store, q->controller, &row);
  if (!status && controller_decode(row.document, strlen(row.document), controller, why->faults))
    status = ARMDYN_EINTERNAL;
  if (version) *version = row.version;
  store_controller_release(&row);
  if (status == ARMDYN_ENOTFOUND) return refusal_say(why, PROBLEM_CONFLICT, "controller '%s' is gone", q->controller);
  return status ? refusal_status(why, status) : true;
}

/* "from": {"q": [...]} as it was accepted. */
static bool given_start(const struct order *o, double *start, size_t joints, struct refusal *why)
{
  cJSON *from = document_open(o->request.from);
  const size_t count = document_numbers(from, "q", start, joints);
  document_close(from);
  return count == joints ||
         refusal_say(why, PROBLEM_CONFLICT, "from.q has %zu numbers, the arm has %zu joints", count, joints);
}

/* Where the motion begins. `before`: the end of the order before, NULL: it is the first. */
static bool find_start(struct queue *q, const struct order *o, const struct controller_description *controller,
                       const double *before, double *start, size_t joints, struct refusal *why)
{
  struct standing standing;
  if (o->request.from) return given_start(o, start, joints, why);
  if (before) {
    memcpy(start, before, joints * sizeof *start);
    return true;
  }
  if (!standing_measure(q->app, controller, &standing, why)) return false;
  pthread_mutex_lock(&q->lock);
  q->instance = standing.seen.state.instance;
  q->instance_known = true;
  pthread_mutex_unlock(&q->lock);
  memcpy(start, standing.q, joints * sizeof *start);
  return true;
}

/* The cell in which the controller stands, in its newest revision (none: its name is ""), and how exactly it plays there. */
static bool find_cell(struct queue *q, const struct controller_description *controller, struct order_cell *cell,
                      struct refusal *why)
{
  struct store_cell stored;
  *cell = (struct order_cell){ .around = { .cell = "" } };
  if (!*controller->cell) return true;
  const enum armdyn_status status = store_cell_get(q->app->store, controller->cell, 0, &stored);
  if (status == ARMDYN_ENOTFOUND)
    return refusal_say(why, PROBLEM_CONFLICT, "the controller's cell '%s' is gone", controller->cell);
  if (status) return refusal_status(why, status);
  memcpy(cell->around.cell, controller->cell, sizeof cell->around.cell);
  cell->around.cell_revision = stored.version;
  cell->deviation = controller->profile.start_tolerance + controller->profile.following_error;
  store_cell_release(&stored);
  return true;
}

/* The request for the trajectory, with the part written out. */
static enum armdyn_status write_request(struct queue *q, const struct order_request *asked, const char *robot,
                                        const double *start, size_t joints, const struct order_cell *cell,
                                        struct buffer *out)
{
  struct buffer plain = BUFFER(LIMIT_MODEL_BODY);
  cJSON *request = NULL;
  bool changed = false;
  order_trajectory_encode(asked, start, joints, cell, &plain);
  enum armdyn_status status = plain.failure ? plain.failure : document_parse(plain.data, plain.length, NULL, &request);
  if (!status) status = stored_part_put_in(q->app->store, robot, request, &changed);
  if (!status) document_write(&(struct json_writer){ .out = out }, request);
  document_close(request);
  buffer_release(&plain);
  return status ? status : out->failure;
}

/* Submit the job for it; `job` gets its id. */
static bool submit(struct queue *q, const struct order *o, const struct order_request *asked,
                   const struct robot_entry *entry, const double *start, const struct order_cell *cell,
                   struct store_job *job, struct refusal *why)
{
  const struct armdyn_robot_description *robot = armdyn_robot_description(entry->robot);
  struct job_acceptance accepted = { .source_count = 0 };
  struct buffer request = BUFFER(LIMIT_MODEL_BODY);
  struct armdyn_error error = { "", "" };
  enum armdyn_status status = write_request(q, asked, robot->name, start, robot->joint_count, cell, &request);
  if (!status) status = job_kind_accept(&trajectory_kind, robot, request.data, request.length, &accepted, why->faults);
  if (!status) {
    snprintf(job->kind, sizeof job->kind, "%s", trajectory_kind.name);
    snprintf(job->robot, sizeof job->robot, "%s", robot->name);
    memcpy(job->owner, o->row.created_by, sizeof job->owner);
    memcpy(job->created_by_name, o->row.created_by_name, sizeof job->created_by_name);
    memcpy(job->reason, o->row.reason, sizeof job->reason);
    memcpy(job->traceparent, o->row.traceparent, sizeof job->traceparent);
    job->revision = entry->revision;
    job->request = request.data;
    job->tags = o->row.tags;
    job->priority = accepted.priority;
    status = jobs_submit(q->app->jobs, job, NULL, &error);
    job->request = job->tags = NULL;
  }
  buffer_release(&accepted.tags);
  buffer_release(&request);
  if (!status) return true;
  refusal_status(why, status);
  if (status != ARMDYN_EINPUT && *error.message) snprintf(why->detail, sizeof why->detail, "%s", error.message);
  return false;
}

/* -- plans that are there already -- */

/* A hash of all that the plan and its check depend on: the program, the model, the controller's entry, the cell, start, goal,
 * time, part, objective. Starts that rounding alone tells apart are the same. */
static enum armdyn_status make_key(struct queue *q, const struct order *o, const struct robot_entry *entry,
                                   const double *start, const struct order_cell *cell, int64_t controller_version,
                                   char key[STORE_PLAN_KEY_SIZE])
{
  const struct armdyn_robot_description *robot = armdyn_robot_description(entry->robot);
  struct order_request asked = o->request; /* without what changes no plan */
  struct buffer text = BUFFER(LIMIT_MODEL_BODY);
  unsigned char hash[crypto_hash_sha256_BYTES];
  double place[ARMDYN_JOINTS_MAX];
  *asked.job_order_id = *asked.work_master_id = *asked.equipment_id = '\0';
  asked.priority = 0;
  for (size_t j = 0; j < robot->joint_count; j++) place[j] = round(start[j] / rounding) * rounding + 0.0;
  buffer_format(&text, "%s %s %lld %s %lld ", armdyn_version(), robot->name, (long long)entry->revision, q->controller,
                (long long)controller_version);
  enum armdyn_status status = write_request(q, &asked, robot->name, place, robot->joint_count, cell, &text);
  if (!status) {
    crypto_hash_sha256(hash, (const unsigned char *)text.data, text.length);
    sodium_bin2hex(key, STORE_PLAN_KEY_SIZE, hash, sizeof hash);
  }
  buffer_release(&text);
  return status;
}

/* -- asking for a plan -- */

/* How an order gets on from `accepted`: by a job, or at once by the plan of another order. */
struct way {
  char key[STORE_PLAN_KEY_SIZE];
  struct store_job job;
  struct store_order like; /* whose plan serves; id "": none does */
};

/* A position at its limit, beyond it by rounding alone (of a polynomial, of a controller's float32), is at its limit. */
static void round_to_limits(const struct armdyn_robot_description *robot, double *start)
{
  for (size_t j = 0; j < robot->joint_count; j++) {
    const double low = robot->joints[j].limits.position[0], high = robot->joints[j].limits.position[1];
    if (start[j] < low && start[j] > low - rounding) start[j] = low;
    if (start[j] > high && start[j] < high + rounding) start[j] = high;
  }
}

/* The plan of another order, or a job. */
static bool find_way(struct queue *q, const struct order *o, const struct robot_entry *entry, const double *start,
                     const struct order_cell *cell, int64_t controller_version, struct way *way, struct refusal *why)
{
  enum armdyn_status status = make_key(q, o, entry, start, cell, controller_version, way->key);
  if (!status) status = store_order_planned(q->app->store, way->key, &way->like);
  if (status == ARMDYN_ENOTFOUND) return submit(q, o, &o->request, entry, start, cell, &way->job, why);
  return status ? refusal_status(why, status) : true;
}

static bool ask_for_plan(struct queue *q, struct order *o, const double *before, struct way *way, struct refusal *why)
{
  struct controller_description *controller = calloc(1, sizeof *controller);
  const struct robot_entry *entry = NULL;
  struct order_cell cell;
  double start[ARMDYN_JOINTS_MAX] = { 0 };
  int64_t version = 0;
  if (!controller) return refusal_status(why, ARMDYN_EMEMORY);
  bool good = order_controller(q, controller, &version, why) && find_cell(q, controller, &cell, why);
  enum armdyn_status status =
      good ? robots_get(q->app->robots, controller->robot, controller->revision, true, &entry) : ARMDYN_OK;
  if (status) good = refusal_status(why, status);
  good = good && find_start(q, o, controller, before, start, armdyn_robot_joint_count(entry->robot), why);
  if (good) round_to_limits(armdyn_robot_description(entry->robot), start);
  good = good && find_way(q, o, entry, start, &cell, version, way, why);
  if (entry) robots_release(q->app->robots, entry);
  free(controller);
  return good;
}

bool order_plan_smoothly(struct queue *q, const struct order *o, const double *start, struct store_job *job,
                         struct refusal *why)
{
  struct controller_description *controller = calloc(1, sizeof *controller);
  const struct robot_entry *entry = NULL;
  struct order_cell cell;
  struct order_request asked = o->request;
  if (!controller) return refusal_status(why, ARMDYN_EMEMORY);
  if (asked.objective == ORDER_TIME) asked.cycle_time_max = NAN; /* the shortest of these, too */
  asked.objective = ORDER_SMOOTH;
  bool good = order_controller(q, controller, NULL, why) && find_cell(q, controller, &cell, why);
  enum armdyn_status status =
      good ? robots_get(q->app->robots, controller->robot, controller->revision, true, &entry) : ARMDYN_OK;
  if (status) good = refusal_status(why, status);
  good = good && submit(q, o, &asked, entry, start, &cell, job, why);
  if (entry) robots_release(q->app->robots, entry);
  free(controller);
  return good;
}

/* The one before it, which is at the controller; NULL: none is. */
static const struct order *order_before(const struct queue *q, const struct order *o)
{
  const struct order *before = NULL;
  for (const struct order *other = q->first; other && other != o; other = other->next)
    if (!order_state_final(other->row.state)) before = other;
  return before;
}

/* Under the lock: may it be planned now? *follows: from where the order before ends, `end`. */
static bool plannable(struct queue *q, struct order *o, bool *follows, double *end)
{
  const struct order *before = order_before(q, o);
  if (o->row.state != ORDER_ACCEPTED) return false;
  if (queue_blocked(q)) {
    snprintf(o->message, sizeof o->message, "the queue is blocked: it is not planned before that is released");
    return false;
  }
  *follows = before != NULL;
  if (before && (!order_is_loaded(before->row.state) || !before->joints)) return false;
  if (before) memcpy(end, before->end, sizeof before->end);
  return true;
}

static void begin_planning(struct queue *q, struct order *o, const struct way *way)
{
  struct store_order changed = o->row;
  memcpy(changed.job, way->job.id, sizeof changed.job);
  memcpy(changed.plan_key, way->key, sizeof changed.plan_key);
  enum armdyn_status status = order_enter(q, o, &changed, ORDER_PLANNING, "", NULL, NULL);
  if (status) order_wait(o, "that it is planned was not stored: %s", armdyn_status_text(status));
}

/* It is planned already. */
static void plan_alike(struct queue *q, struct order *o, const struct way *way)
{
  struct store_order changed = o->row;
  char reason[ORDER_MESSAGE];
  memcpy(changed.plan_key, way->key, sizeof changed.plan_key);
  memcpy(changed.trajectory, way->like.trajectory, sizeof changed.trajectory);
  changed.plan = strdup(way->like.plan);
  snprintf(reason, sizeof reason, "the plan of order %s serves again", way->like.id);
  char *kept = changed.plan;
  enum armdyn_status status = kept ? order_enter(q, o, &changed, ORDER_QUEUED, reason, NULL, NULL) : ARMDYN_EMEMORY;
  if (!status) {
    order_take_plan(o);
    return;
  }
  free(kept);
  order_wait(o, "that it is planned was not stored: %s", armdyn_status_text(status));
}

void order_plan(struct queue *q, struct order *o)
{
  struct refusal why = { .faults = calloc(1, sizeof *why.faults) };
  struct way way = { .key = "" };
  double end[ARMDYN_JOINTS_MAX];
  bool follows = false;
  pthread_mutex_lock(&q->lock);
  const bool goes = why.faults && plannable(q, o, &follows, end);
  o->busy = goes;
  pthread_mutex_unlock(&q->lock);
  const bool good = goes && ask_for_plan(q, o, follows ? end : NULL, &way, &why);
  pthread_mutex_lock(&q->lock);
  o->busy = false;
  if (o->cancelled)
    order_end_cancelled(q, o);
  else if (good && *way.like.id)
    plan_alike(q, o, &way);
  else if (good)
    begin_planning(q, o, &way);
  else if (goes)
    order_refuse_or_wait(q, o, &why);
  const bool in_vain = good && *way.job.id && o->row.state == ORDER_STOPPED;
  pthread_mutex_unlock(&q->lock);
  if (in_vain) (void)jobs_cancel(q->app->jobs, way.job.id); /* else it is computed for nobody */
  store_order_release(&way.like);
  free(why.faults);
}
