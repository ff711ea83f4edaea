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
#include "server/orders/sequence.h"
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

/* The request for a trajectory, with the part written out. */
static enum armdyn_status put_part(struct queue *q, const char *robot, const struct buffer *plain, struct buffer *out)
{
  cJSON *request = NULL;
  bool changed = false;
  enum armdyn_status status =
      plain->failure ? plain->failure : document_parse(plain->data, plain->length, NULL, &request);
  if (!status) status = stored_part_put_in(q->app->store, robot, request, &changed);
  if (!status) document_write(&(struct json_writer){ .out = out }, request);
  document_close(request);
  return status ? status : out->failure;
}

static enum armdyn_status submit_with(struct queue *q, const struct order *o, const struct robot_entry *entry,
                                      struct buffer *request, const struct job_acceptance *accepted,
                                      struct store_job *job, struct armdyn_error *error)
{
  struct store_referral sources[JOB_SOURCES];
  for (size_t i = 0; i < accepted->source_count; i++) sources[i] = accepted->sources[i].referral;
  snprintf(job->kind, sizeof job->kind, "%s", trajectory_kind.name);
  snprintf(job->robot, sizeof job->robot, "%s", armdyn_robot_description(entry->robot)->name);
  memcpy(job->owner, o->row.created_by, sizeof job->owner);
  memcpy(job->created_by_name, o->row.created_by_name, sizeof job->created_by_name);
  memcpy(job->reason, o->row.reason, sizeof job->reason);
  memcpy(job->traceparent, o->row.traceparent, sizeof job->traceparent);
  job->revision = entry->revision;
  job->request = request->data;
  job->tags = o->row.tags;
  job->priority = accepted->priority;
  job->sources = sources, job->source_count = accepted->source_count;
  enum armdyn_status status = jobs_submit(q->app->jobs, job, NULL, error);
  job->request = job->tags = NULL;
  job->sources = NULL, job->source_count = 0;
  return status;
}

bool order_submit(struct queue *q, const struct order *o, const struct robot_entry *entry, const struct buffer *plain,
                  struct store_job *job, struct refusal *why)
{
  const struct armdyn_robot_description *robot = armdyn_robot_description(entry->robot);
  struct job_acceptance accepted = { .source_count = 0 };
  struct buffer request = BUFFER(LIMIT_MODEL_BODY);
  struct armdyn_error error = { "", "" };
  enum armdyn_status status = put_part(q, robot->name, plain, &request);
  if (!status) status = job_kind_accept(&trajectory_kind, robot, request.data, request.length, &accepted, why->faults);
  if (!status) status = submit_with(q, o, entry, &request, &accepted, job, &error);
  buffer_release(&accepted.tags);
  buffer_release(&request);
  if (!status) return true;
  if (status == ARMDYN_ECONFLICT && accepted.source_count)
    return refusal_say(why, PROBLEM_CONFLICT, "the trajectory of one of its moves was deleted before they were joined");
  refusal_status(why, status);
  if (status != ARMDYN_EINPUT && *error.message) snprintf(why->detail, sizeof why->detail, "%s", error.message);
  return false;
}

/* Submit the job for one motion; `job` gets its id. */
static bool submit(struct queue *q, const struct order *o, const struct order_request *asked,
                   const struct order_binding *bound, const double *start, struct store_job *job, struct refusal *why)
{
  struct buffer plain = BUFFER(LIMIT_MODEL_BODY);
  order_trajectory_encode(asked, start, armdyn_robot_joint_count(bound->entry->robot), &bound->cell, &plain);
  const bool good = order_submit(q, o, bound->entry, &plain, job, why);
  buffer_release(&plain);
  return good;
}

/* -- plans that are there already -- */

static enum armdyn_status add_motion(struct queue *q, const struct order_request *asked,
                                     const struct order_binding *bound, const double *place, struct buffer *text)
{
  const struct armdyn_robot_description *robot = armdyn_robot_description(bound->entry->robot);
  struct buffer plain = BUFFER(LIMIT_MODEL_BODY);
  order_trajectory_encode(asked, place, robot->joint_count, &bound->cell, &plain);
  enum armdyn_status status = put_part(q, robot->name, &plain, text);
  buffer_release(&plain);
  return status;
}

static void add_rest(const struct order_step *step, struct buffer *text)
{
  buffer_format(text, " dwell %.17g ", step->dwell);
  if (*step->output.name) buffer_format(text, "%s %s ", step->output.name, step->output.value);
}

/* The steps of a sequence, all said to begin where the first one does, which tells it from every other sequence. */
static enum armdyn_status add_steps(struct queue *q, const struct order_request *asked,
                                    const struct order_binding *bound, const double *place, struct buffer *text)
{
  enum armdyn_status status = ARMDYN_OK;
  for (size_t i = 0; i < asked->step_count && !status; i++) {
    struct order_request one;
    order_step_request(asked, i, &one);
    if (one.to)
      status = add_motion(q, &one, bound, place, text);
    else
      add_rest(&asked->steps[i], text);
  }
  return status ? status : text->failure;
}

enum armdyn_status order_plan_key(struct queue *q, const struct order_request *request,
                                  const struct order_binding *bound, const double *start, char key[STORE_PLAN_KEY_SIZE])
{
  const struct armdyn_robot_description *robot = armdyn_robot_description(bound->entry->robot);
  struct order_request asked = *request; /* without what changes no plan */
  struct buffer text = BUFFER(LIMIT_MODEL_BODY);
  unsigned char hash[crypto_hash_sha256_BYTES];
  double place[ARMDYN_JOINTS_MAX];
  *asked.job_order_id = *asked.work_master_id = *asked.equipment_id = '\0';
  asked.priority = 0;
  for (size_t j = 0; j < robot->joint_count; j++) place[j] = round(start[j] / rounding) * rounding + 0.0;
  buffer_format(&text, "%s %s %lld %s %lld ", armdyn_version(), robot->name, (long long)bound->entry->revision,
                q->controller, (long long)bound->version);
  enum armdyn_status status = (asked.step_count ? add_steps : add_motion)(q, &asked, bound, place, &text);
  if (!status) {
    crypto_hash_sha256(hash, (const unsigned char *)text.data, text.length);
    sodium_bin2hex(key, STORE_PLAN_KEY_SIZE, hash, sizeof hash);
  }
  buffer_release(&text);
  return status;
}

/* -- asking for a plan -- */

/* How an order gets on from `accepted`: by a job, at once by the plan of another order, or step by step. */
struct way {
  char key[STORE_PLAN_KEY_SIZE];
  struct store_job job;
  struct store_order like; /* whose plan serves; id "": none does */
  char *sequence;          /* of several steps: as it begins */
};

void order_round_to_limits(const struct armdyn_robot_description *robot, double *start)
{
  for (size_t j = 0; j < robot->joint_count; j++) {
    const double low = robot->joints[j].limits.position[0], high = robot->joints[j].limits.position[1];
    if (start[j] < low && start[j] > low - rounding) start[j] = low;
    if (start[j] > high && start[j] < high + rounding) start[j] = high;
  }
}

/* The plan of another order, or a job; of a sequence the moves are planned one by one. */
static bool find_way(struct queue *q, const struct order *o, const struct order_binding *bound, const double *start,
                     struct way *way, struct refusal *why)
{
  enum armdyn_status status = order_plan_key(q, &o->request, bound, start, way->key);
  if (!status) status = store_order_planned(q->app->store, way->key, &way->like);
  if (status != ARMDYN_ENOTFOUND) return status ? refusal_status(why, status) : true;
  if (!o->request.step_count) return submit(q, o, &o->request, bound, start, &way->job, why);
  way->sequence = sequence_begin(start, armdyn_robot_joint_count(bound->entry->robot));
  return way->sequence || refusal_status(why, ARMDYN_EMEMORY);
}

bool order_bind(struct queue *q, struct order_binding *binding, struct refusal *why)
{
  struct controller_description *controller = calloc(1, sizeof *controller);
  const struct robot_entry *entry = NULL;
  struct order_cell cell;
  int64_t version = 0;
  *binding = (struct order_binding){ .controller = NULL };
  enum armdyn_status status = controller ? ARMDYN_OK : ARMDYN_EMEMORY;
  bool good = !status && order_controller(q, controller, &version, why) && find_cell(q, controller, &cell, why);
  if (good) status = robots_get(q->app->robots, controller->robot, controller->revision, true, &entry);
  if (status) refusal_status(why, status);
  if (status || !good || !entry) {
    free(controller);
    return false;
  }
  *binding = (struct order_binding){ controller, entry, version, cell };
  return true;
}

void order_unbind(struct queue *q, struct order_binding *binding)
{
  if (binding->entry) robots_release(q->app->robots, binding->entry);
  free(binding->controller);
}

static bool ask_for_plan(struct queue *q, struct order *o, const double *before, struct way *way, struct refusal *why)
{
  struct order_binding bound;
  double start[ARMDYN_JOINTS_MAX] = { 0 };
  bool good = order_bind(q, &bound, why);
  good = good && find_start(q, o, bound.controller, before, start, armdyn_robot_joint_count(bound.entry->robot), why);
  if (good) order_round_to_limits(armdyn_robot_description(bound.entry->robot), start);
  good = good && find_way(q, o, &bound, start, way, why);
  order_unbind(q, &bound);
  return good;
}

bool order_plan_smoothly(struct queue *q, const struct order *o, const double *start, struct store_job *job,
                         struct refusal *why)
{
  struct order_binding bound;
  struct order_request asked;
  order_motion(o, &asked);
  if (asked.objective == ORDER_TIME) asked.cycle_time_max = NAN; /* the shortest of these, too */
  asked.objective = ORDER_SMOOTH;
  const bool good = order_bind(q, &bound, why) && submit(q, o, &asked, &bound, start, job, why);
  order_unbind(q, &bound);
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

static void begin_planning(struct queue *q, struct order *o, struct way *way)
{
  struct store_order changed = o->row;
  changed.sequence = way->sequence;
  memcpy(changed.job, way->job.id, sizeof changed.job);
  memcpy(changed.plan_key, way->key, sizeof changed.plan_key);
  enum armdyn_status status = order_enter(q, o, &changed, ORDER_PLANNING, "", NULL, NULL);
  if (!status) way->sequence = NULL; /* the order's */
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
  free(way.sequence);
  free(why.faults);
}
