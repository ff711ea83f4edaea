/* From an order to its trajectory: a job like any other, whose start is where the order before is planned to end. */
#include <math.h>
#include <stdlib.h>

#include "api/json/document.h"
#include "server/app.h"
#include "server/data/stored_part.h"
#include "server/data/stored_trajectory.h"
#include "server/gateway/gateway.h"
#include "server/jobs/jobs.h"
#include "server/orders/internal.h"
#include "server/robots/cache.h"
#include "server/transfers/standing.h"
#include "server/work/kinds.h"

/* -- asking for a plan -- */

bool order_controller(struct queue *q, struct controller_description *controller, struct refusal *why)
{
  struct store_controller row = { .version = 0 };
  enum armdyn_status status = store_controller_get(q->app->store, q->controller, &row);
  if (!status && controller_decode(row.document, strlen(row.document), controller, why->faults))
    status = ARMDYN_EINTERNAL;
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

/* The request for the trajectory, with the part written out. */
static enum armdyn_status write_request(struct queue *q, const struct order *o, const char *robot, const double *start,
                                        size_t joints, struct buffer *out)
{
  struct buffer plain = BUFFER(LIMIT_MODEL_BODY);
  cJSON *request = NULL;
  bool changed = false;
  order_trajectory_encode(&o->request, start, joints, &plain);
  enum armdyn_status status = plain.failure ? plain.failure : document_parse(plain.data, plain.length, NULL, &request);
  if (!status) status = stored_part_put_in(q->app->store, robot, request, &changed);
  if (!status) document_write(&(struct json_writer){ .out = out }, request);
  document_close(request);
  buffer_release(&plain);
  return status ? status : out->failure;
}

/* Submit the job for it; `job` gets its id. */
static bool submit(struct queue *q, const struct order *o, const struct robot_entry *entry, const double *start,
                   struct store_job *job, struct refusal *why)
{
  const struct armdyn_robot_description *robot = armdyn_robot_description(entry->robot);
  struct job_acceptance accepted = { .source_count = 0 };
  struct buffer request = BUFFER(LIMIT_MODEL_BODY);
  struct armdyn_error error = { "", "" };
  enum armdyn_status status = write_request(q, o, robot->name, start, robot->joint_count, &request);
  if (!status) status = job_kind_accept(&trajectory_kind, robot, request.data, request.length, &accepted, why->faults);
  if (!status) {
    snprintf(job->kind, sizeof job->kind, "%s", trajectory_kind.name);
    snprintf(job->robot, sizeof job->robot, "%s", robot->name);
    memcpy(job->owner, o->row.created_by, sizeof job->owner);
    memcpy(job->traceparent, o->row.traceparent, sizeof job->traceparent);
    job->revision = entry->revision;
    job->request = request.data;
    job->tags = accepted.tags.data;
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

/* A position at its limit, beyond it by rounding alone (of a polynomial, of a controller's float32), is at its limit. */
static void round_to_limits(const struct armdyn_robot_description *robot, double *start)
{
  static const double rounding = 1e-6; /* rad, m */
  for (size_t j = 0; j < robot->joint_count; j++) {
    const double low = robot->joints[j].limits.position[0], high = robot->joints[j].limits.position[1];
    if (start[j] < low && start[j] > low - rounding) start[j] = low;
    if (start[j] > high && start[j] < high + rounding) start[j] = high;
  }
}

static bool ask_for_plan(struct queue *q, struct order *o, const double *before, struct store_job *job,
                         struct refusal *why)
{
  struct controller_description *controller = calloc(1, sizeof *controller);
  const struct robot_entry *entry = NULL;
  double start[ARMDYN_JOINTS_MAX] = { 0 };
  if (!controller) return refusal_status(why, ARMDYN_EMEMORY);
  bool good = order_controller(q, controller, why);
  enum armdyn_status status =
      good ? robots_get(q->app->robots, controller->robot, controller->revision, true, &entry) : ARMDYN_OK;
  if (status) good = refusal_status(why, status);
  good = good && find_start(q, o, controller, before, start, armdyn_robot_joint_count(entry->robot), why);
  if (good) round_to_limits(armdyn_robot_description(entry->robot), start);
  good = good && submit(q, o, entry, start, job, why);
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

static void begin_planning(struct queue *q, struct order *o, const struct store_job *job)
{
  struct store_order changed = o->row;
  memcpy(changed.job, job->id, sizeof changed.job);
  enum armdyn_status status = order_enter(q, o, &changed, ORDER_PLANNING, "", NULL, NULL);
  if (status) order_wait(o, "that it is planned was not stored: %s", armdyn_status_text(status));
}

void order_plan(struct queue *q, struct order *o)
{
  struct refusal why = { .faults = calloc(1, sizeof *why.faults) };
  struct store_job job = { .attempt = 0 };
  double end[ARMDYN_JOINTS_MAX];
  bool follows = false;
  pthread_mutex_lock(&q->lock);
  const bool goes = why.faults && plannable(q, o, &follows, end);
  o->busy = goes;
  pthread_mutex_unlock(&q->lock);
  const bool good = goes && ask_for_plan(q, o, follows ? end : NULL, &job, &why);
  pthread_mutex_lock(&q->lock);
  o->busy = false;
  if (o->cancelled)
    order_end_cancelled(q, o);
  else if (good)
    begin_planning(q, o, &job);
  else if (goes)
    order_refuse_or_wait(q, o, &why);
  const bool in_vain = good && o->row.state == ORDER_STOPPED;
  pthread_mutex_unlock(&q->lock);
  if (in_vain) (void)jobs_cancel(q->app->jobs, job.id); /* else it is computed for nobody */
  free(why.faults);
}

/* -- hearing of it -- */

static bool read_row(struct store *store, const char *id, size_t row, size_t width, double *q, size_t joints)
{
  double values[1 + 5 * ARMDYN_JOINTS_MAX];
  if (width > sizeof values / sizeof *values || joints >= width) return false;
  if (store_series_read(store, id, SERIES_SAMPLES, row, 1, values)) return false;
  memcpy(q, values + 1, joints * sizeof *q);
  return true;
}

/* Its first and its last sample, and what the document says. */
static bool read_plan(struct queue *q, const char *id, struct order_plan *plan, double *start, double *end,
                      struct refusal *why)
{
  struct store_result result = { .version = 0 };
  struct store_series series = { .rows = 0 };
  enum armdyn_status status = store_result_get(q->app->store, trajectory_kind.name, id, &result);
  if (!status) status = store_series_info(q->app->store, id, SERIES_SAMPLES, &series);
  if (!status) {
    cJSON *document = document_open(result.document);
    plan->joints = (series.width - 1) / 5;
    plan->duration = document_number(document, "duration");
    plan->mechanical = document_number(document, "energy/total");
    plan->electrical = document_number(document, "electrical_energy/total");
    plan->bound = document_number(document, "lower_bound/total");
    if (!document_truth(document, "transferable"))
      refusal_say(why, PROBLEM_LIMIT_EXCEEDED,
                  "the motion that was found may not go to a controller: see the blockers of trajectory %s", id);
    else if (!series.rows || plan->joints > ARMDYN_JOINTS_MAX || !(plan->duration > 0))
      status = ARMDYN_EIO;
    document_close(document);
  }
  store_result_release(&result);
  if (!status && (!read_row(q->app->store, id, 0, series.width, start, plan->joints) ||
                  !read_row(q->app->store, id, series.rows - 1, series.width, end, plan->joints)))
    status = ARMDYN_EIO;
  plan->start = start, plan->end = end;
  if (status) refusal_status(why, status);
  return !status && !*why->detail;
}

static void take_plan(struct queue *q, struct order *o, const char *id)
{
  struct refusal why = { .faults = calloc(1, sizeof *why.faults) };
  struct order_plan plan = { .joints = 0 };
  struct buffer text = BUFFER(KB(16));
  double start[ARMDYN_JOINTS_MAX], end[ARMDYN_JOINTS_MAX];
  const bool good = why.faults && read_plan(q, id, &plan, start, end, &why);
  if (good) order_plan_encode(&plan, &text);
  pthread_mutex_lock(&q->lock);
  const double longest = o->request.cycle_time_max;
  if (o->row.state != ORDER_PLANNING) { /* cancelled meanwhile */
  } else if (good && plan.duration > longest * (1 + 1e-9)) {
    order_fail(q, o, PROBLEM_INFEASIBLE, NULL, "the motion takes %.4g s at least, cycle_time_max is %.4g s",
               plan.duration, longest);
  } else if (good && buffer_ok(&text)) {
    struct store_order changed = o->row;
    snprintf(changed.trajectory, sizeof changed.trajectory, "%s", id);
    size_t length;
    changed.plan = buffer_take(&text, &length);
    char *kept = changed.plan;
    enum armdyn_status status = kept ? order_enter(q, o, &changed, ORDER_QUEUED, "", NULL, NULL) : ARMDYN_EMEMORY;
    if (status) {
      free(kept);
      order_wait(o, "that it is planned was not stored: %s", armdyn_status_text(status));
    } else {
      order_take_plan(o);
    }
  } else {
    order_refuse_or_wait(q, o, &why);
  }
  pthread_mutex_unlock(&q->lock);
  buffer_release(&text);
  free(why.faults);
}

void order_take_plan(struct order *o)
{
  cJSON *plan = document_open(o->row.plan);
  o->joints = document_numbers(plan, "start", o->start, ARMDYN_JOINTS_MAX);
  if (document_numbers(plan, "end", o->end, ARMDYN_JOINTS_MAX) != o->joints) o->joints = 0;
  document_close(plan);
}

/* The job has ended without a trajectory. */
static void no_plan(struct queue *q, struct order *o, const struct store_job *job)
{
  struct store_order changed = o->row;
  if (o->row.state != ORDER_PLANNING) return;
  if (job->state == JOB_FAILED && job->problem) {
    enum armdyn_status status =
        order_enter(q, o, &changed, ORDER_FAILED, "no motion was found: see its problem", job->problem, NULL);
    if (status) order_wait(o, "its failure was not stored: %s", armdyn_status_text(status));
  } else {
    order_fail(q, o, PROBLEM_CANCELLED, NULL, "job %s, which planned it, was cancelled", job->id);
  }
}

void order_hear_of_plan(struct queue *q, struct order *o)
{
  struct job_view view;
  enum armdyn_status status = jobs_get(q->app->jobs, o->row.job, &view);
  if (!status && view.job.state == JOB_SUCCEEDED) {
    take_plan(q, o, view.job.result_id);
  } else if (status != ARMDYN_OK && status != ARMDYN_ENOTFOUND) {
    return;
  } else {
    pthread_mutex_lock(&q->lock);
    struct store_order changed = o->row;
    if (status && o->row.state == ORDER_PLANNING)
      order_enter(q, o, &changed, ORDER_ACCEPTED, "its job is gone", NULL, NULL);
    else if (!status && (view.job.state == JOB_FAILED || view.job.state == JOB_CANCELLED))
      no_plan(q, o, &view.job);
    else if (!status)
      snprintf(o->message, sizeof o->message, "job %s is %s, %.0f %%", o->row.job, job_state_name(view.job.state),
               100 * view.progress);
    pthread_mutex_unlock(&q->lock);
  }
  if (!status) job_view_release(&view);
}
