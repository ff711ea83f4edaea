#include "server/work/verification_accuracy.h"

#include <math.h>
#include <stdlib.h>

#include "api/json/document.h"
#include "armdyn/regressor.h"
#include "server/work/identification.h"

static const double RANK = 1e-12; /* of the largest diagonal element left: less is rounding */

/* Everything that one budget needs, so that one exit releases it. */
struct budget {
  const struct case_order *order;
  size_t n, parameters, count, rank; /* of the regressor; of the covariance */
  size_t *columns;                   /* count: of the regressor, for each base parameter */
  double *covariance, *factor;       /* count x count; C = F F', F by columns: count x rank */
  double *regressor;
  struct armdyn_workspace *workspace;
  const double *delta; /* count: a column of the factor */
  /* of the tool at each period, m: */
  size_t room, periods, at;
  double *nominal, *variance, *times; /* 3 x room, room, room */
};

static const struct armdyn_parameter_choice choice = { .rotors = ARMDYN_ROTORS_ALL, .stribeck_slopes = true };

/* ---- what is known of the parameters */

/* A base parameter's expression begins with the name of its lead. */
static size_t lead_of(const struct budget *b, const char *expression)
{
  char name[ARMDYN_PARAMETER_NAME_SIZE];
  for (size_t k = 0; k < b->parameters; k++) {
    armdyn_parameter_name(b->order->model, &choice, k, name);
    const size_t length = strlen(name);
    if (!strncmp(expression, name, length) && (!expression[length] || expression[length] == ' ')) return k;
  }
  return b->parameters;
}

static enum armdyn_status read_leads(struct budget *b, const cJSON *document, struct verification_budget *out)
{
  const cJSON *item, *list = document_at(document, "parameters/base");
  size_t k = 0;
  if ((size_t)cJSON_GetArraySize(list) != b->count) {
    snprintf(out->why, sizeof out->why, "identification %s is not one of the arm's base parameters",
             out->identification);
    return ARMDYN_OK;
  }
  cJSON_ArrayForEach (item, list) {
    const char *expression = document_text(item, "expression");
    b->columns[k] = expression ? lead_of(b, expression) : b->parameters;
    if (b->columns[k] == b->parameters) {
      snprintf(out->why, sizeof out->why, "the model has no parameter %.60s, which identification %s found",
               expression ? expression : "", out->identification);
      return ARMDYN_OK;
    }
    k++;
  }
  out->told = true;
  return ARMDYN_OK;
}

static enum armdyn_status read_covariance(struct budget *b, struct store *store, struct verification_budget *out)
{
  struct store_result result;
  struct store_series series;
  enum armdyn_status status = store_result_get(store, "identification", out->identification, &result);
  if (status) return status;
  cJSON *document = document_open(result.document);
  status = document ? store_series_info(store, out->identification, SERIES_COVARIANCE, &series) : ARMDYN_EMEMORY;
  if (status) goto out;
  b->count = series.rows;
  b->columns = calloc(b->count, sizeof *b->columns);
  b->covariance = malloc(b->count * series.width * sizeof *b->covariance);
  b->factor = calloc(b->count * b->count, sizeof *b->factor);
  status = b->columns && b->covariance && b->factor ? ARMDYN_OK : ARMDYN_EMEMORY;
  if (!status) status = store_series_read(store, out->identification, SERIES_COVARIANCE, 0, b->count, b->covariance);
  if (!status) status = read_leads(b, document, out);
out:
  document_close(document);
  store_result_release(&result);
  return status;
}

/* The identification that the revision of this job was promoted from. */
static enum armdyn_status find_identification(const struct case_order *order, struct store *store,
                                              struct verification_budget *out)
{
  struct store_job job;
  struct store_robot robot;
  enum armdyn_status status = store_job_get(store, order->work->job, &job);
  if (status) return status;
  status = store_robot_get(store, job.robot, job.revision, &robot);
  store_job_release(&job);
  if (status) return status;
  snprintf(out->identification, sizeof out->identification, "%s", robot.identification);
  store_robot_release(&robot);
  if (!*out->identification)
    snprintf(out->why, sizeof out->why,
             "the revision was not promoted from an identification, so nobody knows how sure its parameters are");
  return ARMDYN_OK;
}

/* F F' = C by columns with pivots: what is left of the covariance loses the outer product of each. */
static void factorise(struct budget *b)
{
  const size_t m = b->count;
  double most = 0;
  for (b->rank = 0; b->rank < m; b->rank++) {
    size_t pivot = 0;
    for (size_t k = 1; k < m; k++)
      if (b->covariance[k * (m + 1)] > b->covariance[pivot * (m + 1)]) pivot = k;
    const double left = b->covariance[pivot * (m + 1)];
    most = fmax(most, left);
    if (!(left > RANK * most)) return;
    double *column = b->factor + b->rank * m;
    for (size_t k = 0; k < m; k++) column[k] = b->covariance[k * m + pivot] / sqrt(left);
    for (size_t i = 0; i < m; i++)
      for (size_t k = 0; k < m; k++) b->covariance[i * m + k] -= column[i] * column[k];
  }
}

/* ---- the loop with a plant that is off */

/* -Y(wanted) delta */
static void disturb(void *context, double t, double *tau)
{
  struct budget *b = context;
  double q[ARMDYN_JOINTS_MAX], qd[ARMDYN_JOINTS_MAX], qdd[ARMDYN_JOINTS_MAX];
  reference_motion_at(b->order->motion, t, q, qd, qdd);
  armdyn_regressor(b->order->model, &choice, q, qd, qdd, b->workspace, b->regressor);
  for (size_t j = 0; j < b->n; j++) {
    tau[j] = 0;
    for (size_t k = 0; k < b->count; k++) tau[j] -= b->regressor[j * b->parameters + b->columns[k]] * b->delta[k];
  }
}

static void keep(void *context, double t, const double off[3])
{
  struct budget *b = context;
  if (b->periods == b->room) return;
  b->times[b->periods] = t;
  memcpy(b->nominal + 3 * b->periods++, off, 3 * sizeof *off);
}

static void differ(void *context, double t, const double off[3])
{
  struct budget *b = context;
  (void)t;
  if (b->at == b->periods) return;
  for (int i = 0; i < 3; i++) b->variance[b->at] += pow(off[i] - b->nominal[3 * b->at + (size_t)i], 2);
  b->at++;
}

/* OK, or EINFEASIBLE: the loop diverges. */
static enum armdyn_status run_once(struct budget *b, const struct verification_case *like, const double *delta,
                                   double begun, double part, struct armdyn_error *error)
{
  struct verification_case *c = calloc(1, sizeof *c);
  struct case_order order = *b->order;
  if (!c) return ARMDYN_EMEMORY;
  *c = (struct verification_case){ .plant = like->plant, .law = like->law, .reference = like->reference };
  b->delta = delta, b->at = 0;
  order.begun = begun, order.part = part;
  order.trace = delta ? differ : keep, order.trace_context = b;
  if (delta) order.disturbance = disturb, order.disturbance_context = b;
  enum armdyn_status status = verification_case_run(&order, c, error);
  if (!status && c->diverged) status = ARMDYN_EINFEASIBLE;
  free(c->responses);
  free(c);
  return status;
}

static enum armdyn_status run_all(struct budget *b, const struct verification_case *c, struct armdyn_error *error)
{
  const double part = b->order->part / (double)(b->rank + 1);
  enum armdyn_status status = run_once(b, c, NULL, b->order->begun, part, error);
  for (size_t k = 0; k < b->rank && !status; k++)
    status = run_once(b, c, b->factor + k * b->count, b->order->begun + part * (double)(k + 1), part, error);
  return status;
}

static void sum_up(const struct budget *b, struct verification_budget *out)
{
  for (size_t k = 0; k < b->periods; k++) {
    const double *off = b->nominal + 3 * k, deviation = 1e3 * sqrt(b->variance[k]);
    const double mm = 1e3 * sqrt(off[0] * off[0] + off[1] * off[1] + off[2] * off[2]);
    out->nominal_mm = fmax(out->nominal_mm, mm);
    out->parameters_mm = fmax(out->parameters_mm, deviation);
    if (mm + 2 * deviation <= out->together_mm) continue;
    out->together_mm = mm + 2 * deviation;
    out->worst_time = b->times[k];
  }
}

static enum armdyn_status open_budget(struct budget *b, double duration)
{
  b->n = armdyn_robot_joint_count(b->order->model);
  b->parameters = armdyn_parameter_count(b->order->model, &choice);
  b->room = (size_t)(duration / b->order->control->period) + 3;
  b->workspace = armdyn_workspace_new(b->n);
  b->regressor = calloc(b->n * b->parameters, sizeof *b->regressor);
  b->nominal = calloc(3 * b->room, sizeof *b->nominal);
  b->variance = calloc(b->room, sizeof *b->variance);
  b->times = calloc(b->room, sizeof *b->times);
  return b->workspace && b->regressor && b->nominal && b->variance && b->times ? ARMDYN_OK : ARMDYN_EMEMORY;
}

static void close_budget(struct budget *b)
{
  armdyn_workspace_free(b->workspace);
  free(b->columns), free(b->covariance), free(b->factor), free(b->regressor);
  free(b->nominal), free(b->variance), free(b->times);
}

enum armdyn_status verification_accuracy(const struct case_order *order, const struct verification_case *c,
                                         const char *identification, struct verification_budget *budget,
                                         struct armdyn_error *error)
{
  struct budget b = { .order = order };
  struct store *store;
  enum armdyn_status status = work_store(order->work, &store);
  snprintf(budget->identification, sizeof budget->identification, "%s", identification);
  budget->duration = c->duration;
  if (!status && !*identification) status = find_identification(order, store, budget);
  if (status || *budget->why) return status;
  if ((status = open_budget(&b, c->duration))) goto out;
  status = read_covariance(&b, store, budget);
  if (status == ARMDYN_ENOTFOUND) {
    snprintf(budget->why, sizeof budget->why, "identification %s is not there any more", budget->identification);
    status = ARMDYN_OK;
  }
  if (status || !budget->told) goto out;
  factorise(&b);
  budget->parameters = b.count;
  status = run_all(&b, c, error);
  if (status == ARMDYN_EINFEASIBLE) {
    budget->told = false;
    snprintf(budget->why, sizeof budget->why, "the loop diverges");
    status = ARMDYN_OK;
  } else if (!status) {
    sum_up(&b, budget);
  }
out:
  close_budget(&b);
  return status;
}
