/* What came of planning an order: it is read, and held against what the controller takes before anything is loaded. */
#include <math.h>
#include <stdlib.h>

#include "api/json/document.h"
#include "server/app.h"
#include "server/data/stored_trajectory.h"
#include "server/jobs/jobs.h"
#include "server/orders/internal.h"
#include "server/orders/sequence.h"
#include "server/transfers/prepare.h"
#include "server/work/kinds.h"

static bool read_row(struct store *store, const char *id, size_t row, size_t width, double *q, size_t joints)
{
  double values[1 + 5 * ARMDYN_JOINTS_MAX];
  if (width > sizeof values / sizeof *values || joints >= width) return false;
  if (store_series_read(store, id, SERIES_SAMPLES, row, 1, values)) return false;
  memcpy(q, values + 1, joints * sizeof *q);
  return true;
}

/* Its first and its last sample, and what the document says. */
static bool read_plan(struct queue *q, const struct order_request *asked, const char *id, struct order_plan *plan,
                      double *start, double *end, struct refusal *why)
{
  struct store_result result = { .version = 0 };
  struct store_series series = { .rows = 0 };
  enum armdyn_status status = store_result_get(q->app->store, trajectory_kind.name, id, &result);
  if (!status) status = store_series_info(q->app->store, id, SERIES_SAMPLES, &series);
  if (!status) {
    cJSON *document = document_open(result.document);
    const char *method = document_text(document, "method");
    plan->smoothed = asked->objective != ORDER_SMOOTH && method && !strcmp(method, "quintic");
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

/* Would the controller be given this motion? What it holds, and where it stands, is asked when it is loaded. */
static bool is_loadable(struct queue *q, const struct order *o, const char *trajectory, struct refusal *why)
{
  struct prepared_transfer *p = order_prepared(q, o, trajectory, why);
  bool good = p && order_controller(q, &p->controller, NULL, why);
  if (good && !transfer_prepare(p) && p->why.problem == PROBLEM_LIMIT_EXCEEDED && !p->why.status) {
    *why = p->why;
    good = false;
  }
  if (p) prepared_transfer_free(p);
  return good;
}

static void keep_plan(struct queue *q, struct order *o, const char *id, const struct order_plan *plan)
{
  struct buffer text = BUFFER(KB(64));
  struct store_order changed = o->row;
  struct order_plan whole = *plan;
  struct sequence *sequence = o->request.step_count ? order_sequence(o) : NULL;
  size_t length;
  if (sequence) sequence_tell(o, sequence, &whole);
  order_plan_encode(&whole, &o->request, &text);
  free(sequence);
  snprintf(changed.trajectory, sizeof changed.trajectory, "%s", id);
  char *kept = changed.plan = buffer_take(&text, &length);
  enum armdyn_status status = kept ? order_enter(q, o, &changed, ORDER_QUEUED, "", NULL, NULL) : ARMDYN_EMEMORY;
  buffer_release(&text);
  if (!status) {
    order_take_plan(o);
    return;
  }
  free(kept);
  order_wait(o, "that it is planned was not stored: %s", armdyn_status_text(status));
}

/* The motion that was found cannot be loaded: the same, smoothly. */
static void smooth(struct queue *q, struct order *o, const double *start, const struct refusal *unloadable)
{
  struct refusal why = { .faults = calloc(1, sizeof *why.faults) };
  struct store_job job = { .attempt = 0 };
  char reason[ORDER_MESSAGE];
  snprintf(reason, sizeof reason, "the motion that was found cannot be loaded (%.150s): it is planned smoothly",
           unloadable->faults->count ? unloadable->faults->items[0].detail : unloadable->detail);
  const bool good = why.faults && order_plan_smoothly(q, o, start, &job, &why);
  pthread_mutex_lock(&q->lock);
  if (o->row.state != ORDER_PLANNING) { /* cancelled meanwhile */
  } else if (good) {
    struct store_order changed = o->row;
    memcpy(changed.job, job.id, sizeof changed.job);
    enum armdyn_status status = order_enter(q, o, &changed, ORDER_PLANNING, reason, NULL, NULL);
    if (status) order_wait(o, "that it is planned smoothly was not stored: %s", armdyn_status_text(status));
  } else if (why.faults) {
    order_refuse_or_wait(q, o, &why);
  }
  const bool in_vain = good && strcmp(o->row.job, job.id) != 0;
  pthread_mutex_unlock(&q->lock);
  if (in_vain) (void)jobs_cancel(q->app->jobs, job.id);
  free(why.faults);
}

void order_take_trajectory(struct queue *q, struct order *o, const char *id)
{
  struct order_request asked;
  struct refusal why = { .faults = calloc(1, sizeof *why.faults) };
  struct order_plan plan = { .joints = 0 };
  double start[ARMDYN_JOINTS_MAX], end[ARMDYN_JOINTS_MAX];
  if (!why.faults) return;
  order_motion(o, &asked);
  const bool good = read_plan(q, &asked, id, &plan, start, end, &why);
  const bool loadable = good && is_loadable(q, o, id, &why);
  if (good && !loadable && why.problem == PROBLEM_LIMIT_EXCEEDED && asked.objective != ORDER_SMOOTH && !plan.smoothed) {
    smooth(q, o, start, &why);
    free(why.faults);
    return;
  }
  pthread_mutex_lock(&q->lock);
  const bool slow = loadable && plan.duration > asked.cycle_time_max * (1 + 1e-9);
  if (slow)
    refusal_say(&why, PROBLEM_INFEASIBLE, "the motion takes %.4g s at least, cycle_time_max is %.4g s", plan.duration,
                asked.cycle_time_max);
  if (o->row.state != ORDER_PLANNING) { /* cancelled meanwhile */
  } else if (loadable && !slow) {
    order_is_at_move(o) ? order_keep_move(q, o, id, &plan) : keep_plan(q, o, id, &plan);
  } else {
    order_name_step(o, &why);
    order_refuse_or_wait(q, o, &why);
  }
  pthread_mutex_unlock(&q->lock);
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
    char *problem = order_problem_of_plan(o, job->problem);
    enum armdyn_status status =
        problem ? order_enter(q, o, &changed, ORDER_FAILED, "no motion was found: see its problem", problem, NULL)
                : ARMDYN_EMEMORY;
    free(problem);
    if (status) order_wait(o, "its failure was not stored: %s", armdyn_status_text(status));
  } else {
    order_fail(q, o, PROBLEM_CANCELLED, NULL, "job %s, which planned it, was cancelled", job->id);
  }
}

void order_hear_of_plan(struct queue *q, struct order *o)
{
  struct job_view view;
  if (!*o->row.job) {
    order_plan_step(q, o);
    return;
  }
  enum armdyn_status status = jobs_get(q->app->jobs, o->row.job, &view);
  if (!status && view.job.state == JOB_SUCCEEDED) {
    order_take_trajectory(q, o, view.job.result_id);
  } else if (status != ARMDYN_OK && status != ARMDYN_ENOTFOUND) {
    return;
  } else {
    pthread_mutex_lock(&q->lock);
    struct store_order changed = o->row;
    changed.job[0] = '\0';
    if (status && o->row.state == ORDER_PLANNING)
      order_enter(q, o, &changed, o->row.sequence ? ORDER_PLANNING : ORDER_ACCEPTED, "its job is gone", NULL, NULL);
    else if (!status && (view.job.state == JOB_FAILED || view.job.state == JOB_CANCELLED))
      no_plan(q, o, &view.job);
    else if (!status)
      snprintf(o->message, sizeof o->message, "job %s is %s, %.0f %%", o->row.job, job_state_name(view.job.state),
               100 * view.progress);
    pthread_mutex_unlock(&q->lock);
  }
  if (!status) job_view_release(&view);
}
