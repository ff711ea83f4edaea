/* GET /v1/controllers/{controller}/report: what became of a shift's orders, and how long the arm moved. */
#include <math.h>
#include <stdlib.h>

#include "api/codec/carried.h"
#include "api/codec/controller.h"
#include "api/codec/shift_report.h"
#include "api/json/document.h"
#include "api/json/writer.h"
#include "server/alarms/alarms.h"
#include "server/app.h"
#include "server/base/clock.h"
#include "server/routes/alarms.h"
#include "server/routes/handlers.h"
#include "server/routes/list_ranges.h"
#include "server/routes/motion.h"
#include "server/routes/result_report.h"

enum { SHIFT_MS = 8 * 3600 * 1000, FAILURES_MOST = 1000, PARTS_MOST = 1000, ALARMS_MOST = 1000 };

/* What was done with one part. */
struct part_sum {
  char part[PART_NAME_SIZE]; /* "": none */
  int64_t done, measured;
  double mechanical, electrical; /* J, modelled; NAN: not known of all */
  /* J, of those that were measured: the work, and what the model of the drives draws for it; NAN: not known of all */
  double mechanical_measured, electrical_measured;
};

/* The joint that was farthest from its plan, and when. */
struct worst {
  char order[ID_SIZE], job_order_id[LABEL_SIZE];
  char joint[ARMDYN_NAME_SIZE], unit[4];
  double deviation, at, tolerance;
};

struct shift {
  int64_t from, to, until; /* ms; the sums go up to `until`, which is not in the future */
  int64_t born;            /* before it there was no controller */
  int64_t ended[ORDER_STATE_COUNT], open, measured;
  int64_t running_ms, held_ms;
  struct part_sum *parts;
  size_t part_count, failure_count;
  struct worst worst; /* of no order: nothing was measured */
  struct json_writer failures, alarms;
  struct app *app;
};

static int64_t least(int64_t a, int64_t b)
{
  return a < b ? a : b;
}

/* -- of one order -- */

/* What of a stretch lies in the shift. */
static int64_t clipped(const struct shift *s, int64_t since, int64_t end)
{
  const int64_t from = since > s->from ? since : s->from, to = least(end, s->until);
  return to > from ? to - from : 0;
}

static void add_times(struct shift *s, const cJSON *history)
{
  const cJSON *step;
  int64_t since = 0, *sum = NULL;
  cJSON_ArrayForEach (step, history) {
    const char *state = document_text(step, "state");
    const int64_t at = clock_parse(document_text(step, "at"));
    if (sum) *sum += clipped(s, since, at);
    since = at;
    sum = !state                                             ? NULL
          : !strcmp(state, order_state_names[ORDER_RUNNING]) ? &s->running_ms
          : !strcmp(state, order_state_names[ORDER_HELD])    ? &s->held_ms
                                                             : NULL;
  }
  if (sum) *sum += clipped(s, since, s->until);
}

/* The sums of this part; NULL: there is no memory, or there are too many. */
static struct part_sum *part_of(struct shift *s, const char *name)
{
  size_t k = 0;
  while (k < s->part_count && strcmp(s->parts[k].part, name) != 0) k++;
  if (k < s->part_count) return &s->parts[k];
  if (k == PARTS_MOST) return NULL;
  struct part_sum *more = realloc(s->parts, (k + 1) * sizeof *more);
  if (!more) return NULL;
  s->parts = more;
  s->part_count++;
  more[k] = (struct part_sum){ .done = 0 };
  snprintf(more[k].part, sizeof more[k].part, "%s", name);
  return &more[k];
}

/* Its energies, if its torques were measured. */
static void add_measured(struct part_sum *sum, const cJSON *measured)
{
  const double mechanical = document_number(measured, "mechanical_energy_measured");
  if (isnan(mechanical)) return;
  sum->measured++;
  sum->mechanical_measured += mechanical;
  sum->electrical_measured += document_number(measured, "electrical_energy_modelled_from_measured");
}

static void note_deviation(struct shift *s, const struct store_shift_order *order, const cJSON *measured)
{
  const cJSON *worst = document_at(measured, "worst_deviation");
  const double deviation = document_number(worst, "deviation");
  if (isnan(deviation)) return;
  s->measured++;
  if (*s->worst.order && fabs(deviation) <= fabs(s->worst.deviation)) return;
  s->worst = (struct worst){ .deviation = deviation,
                             .at = document_number(worst, "deviation_at"),
                             .tolerance = document_number(worst, "tolerance") };
  snprintf(s->worst.order, sizeof s->worst.order, "%s", order->id);
  snprintf(s->worst.job_order_id, sizeof s->worst.job_order_id, "%s", order->job_order_id);
  document_copy_text(worst, "joint", s->worst.joint, sizeof s->worst.joint);
  document_copy_text(worst, "unit", s->worst.unit, sizeof s->worst.unit);
}

static enum armdyn_status add_done(struct shift *s, const struct store_shift_order *order, const cJSON *measured)
{
  struct part_sum *sum = part_of(s, order->part ? order->part : "");
  if (!sum) return s->part_count == PARTS_MOST ? ARMDYN_ELIMIT : ARMDYN_EMEMORY;
  cJSON *plan = document_open(order->plan);
  sum->done++;
  sum->mechanical += document_number(plan, "mechanical_energy_modelled");
  sum->electrical += document_number(plan, "electrical_energy_modelled");
  document_close(plan);
  add_measured(sum, measured);
  return ARMDYN_OK;
}

static void add_failure(struct shift *s, const struct store_shift_order *order, const cJSON *history)
{
  if (s->failure_count++ >= FAILURES_MOST) return;
  cJSON *problem = document_open(order->problem);
  const int steps = cJSON_GetArraySize(history);
  const char *detail = document_text(problem, "detail");
  struct json_writer *w = &s->failures;
  json_begin_object(w);
  json_key(w, "order"), json_write_text(w, order->id);
  json_key(w, "job_order_id"), json_write_text(w, *order->job_order_id ? order->job_order_id : NULL);
  json_key(w, "state"), json_write_text(w, order->state);
  json_key(w, "finished_at"), json_write_text(w, order->finished_at);
  json_key(w, "reason");
  json_write_text(w, detail ? detail : steps ? document_text(cJSON_GetArrayItem(history, steps - 1), "reason") : NULL);
  json_end_object(w);
  document_close(problem);
}

static enum order_state state_of(const char *name)
{
  enum order_state state = 0;
  while (state < ORDER_STATE_COUNT && strcmp(order_state_names[state], name) != 0) state++;
  return state;
}

static enum armdyn_status add_ended(struct shift *s, const struct store_shift_order *order, enum order_state state,
                                    const cJSON *history)
{
  enum armdyn_status status = ARMDYN_OK;
  cJSON *measured = order->measured ? document_open(order->measured) : NULL;
  if (order->measured && !measured) return ARMDYN_EMEMORY;
  s->ended[state]++;
  if (measured) note_deviation(s, order, measured);
  if (state == ORDER_DONE)
    status = add_done(s, order, measured);
  else
    add_failure(s, order, history);
  document_close(measured);
  return status;
}

static enum armdyn_status add(void *context, const struct store_shift_order *order)
{
  struct shift *s = context;
  const enum order_state state = state_of(order->state);
  const int64_t ended = clock_parse(order->finished_at);
  enum armdyn_status status = ARMDYN_OK;
  cJSON *history = document_open(order->history);
  if (!history || state == ORDER_STATE_COUNT) {
    document_close(history);
    return history ? ARMDYN_EIO : ARMDYN_EMEMORY;
  }
  add_times(s, history);
  if (ended < 0 || ended >= s->to)
    s->open++;
  else
    status = add_ended(s, order, state, history);
  document_close(history);
  return status;
}

/* -- alarms -- */

static void add_alarm(void *context, const struct store_alarm *row)
{
  struct shift *s = context;
  struct store_alarm alarm = *row;
  alarms_refresh(s->app->alarms, &alarm);
  alarm_encode(&alarm, &s->alarms);
}

/* Of the controller, those that stood in the shift. */
static enum armdyn_status add_alarms(struct shift *s, const char *controller, const char *from, const char *to)
{
  struct store_query query = { .sort = "since", .ascending = true, .limit = ALARMS_MOST, .filter_count = 3 };
  query.filters[0] = (struct store_filter){ .name = "controller", .text = controller };
  query.filters[1] = (struct store_filter){ .name = "stood_until", .match = STORE_AT_LEAST, .text = from };
  query.filters[2] = (struct store_filter){ .name = "since", .match = STORE_BELOW, .text = to };
  return store_alarm_list(s->app->store, &query, add_alarm, s);
}

/* -- the whole -- */

static void write_time(struct json_writer *w, const char *name, int64_t ms)
{
  char text[TIME_SIZE];
  clock_format(ms, text);
  json_key(w, name), json_write_text(w, text);
}

static void write_worst(struct json_writer *w, const struct worst *worst)
{
  if (!*worst->order) {
    json_write_null(w);
    return;
  }
  json_begin_object(w);
  json_key(w, "order"), json_write_text(w, worst->order);
  json_key(w, "job_order_id"), json_write_text(w, *worst->job_order_id ? worst->job_order_id : NULL);
  json_key(w, "joint"), json_write_text(w, worst->joint);
  json_key(w, "unit"), json_write_text(w, worst->unit);
  json_key(w, "deviation"), json_write_number(w, worst->deviation);
  json_key(w, "deviation_at"), json_write_number(w, worst->at);
  json_key(w, "tolerance"), json_write_number(w, worst->tolerance);
  json_end_object(w);
}

static void write_parts(struct json_writer *w, const struct shift *s)
{
  json_begin_array(w);
  for (const struct part_sum *p = s->parts; p < s->parts + s->part_count; p++) {
    json_begin_object(w);
    json_key(w, "part"), json_write_text(w, *p->part ? p->part : NULL);
    json_key(w, "done"), json_write_integer(w, p->done);
    json_key(w, "mechanical_energy_modelled"), json_write_number(w, p->mechanical);
    json_key(w, "electrical_energy_modelled"), json_write_number(w, p->electrical);
    json_key(w, "measured"), json_write_integer(w, p->measured);
    json_key(w, "mechanical_energy_measured"), json_write_number(w, p->measured ? p->mechanical_measured : NAN);
    json_key(w, "electrical_energy_modelled_from_measured");
    json_write_number(w, p->measured ? p->electrical_measured : NAN);
    json_end_object(w);
  }
  json_end_array(w);
}

static void write_report(struct json_writer *w, const char *controller, struct shift *s)
{
  const int64_t begun = s->born > s->from ? s->born : s->from;
  const int64_t whole = s->until > begun ? s->until - begun : 0, busy = s->running_ms + s->held_ms;
  json_end_array(&s->failures);
  json_end_array(&s->alarms);
  json_begin_object(w);
  json_key(w, "controller"), json_write_text(w, controller);
  write_time(w, "from", s->from);
  write_time(w, "to", s->to);
  json_key(w, "orders"), json_begin_object(w);
  for (int k = ORDER_DONE; k < ORDER_STATE_COUNT; k++)
    json_key(w, order_state_names[k]), json_write_integer(w, s->ended[k]);
  json_key(w, "open"), json_write_integer(w, s->open);
  json_end_object(w);
  json_key(w, "running_time"), json_write_number(w, (double)s->running_ms * 1e-3);
  json_key(w, "held_time"), json_write_number(w, (double)s->held_ms * 1e-3);
  json_key(w, "idle_time"), json_write_number(w, (double)(whole > busy ? whole - busy : 0) * 1e-3);
  json_key(w, "measured_orders"), json_write_integer(w, s->measured);
  json_key(w, "worst_deviation"), write_worst(w, &s->worst);
  json_key(w, "parts"), write_parts(w, s);
  json_key(w, "failures"), json_write_raw(w, s->failures.out->data);
  json_key(w, "alarms"), json_write_raw(w, s->alarms.out->data);
  json_end_object(w);
}

/* Takes the report, in the form that was asked for. */
static enum armdyn_status answer(struct exchange *x, enum report_language language, struct buffer *report)
{
  static const char *const types[] = {
    [MEDIA_CSV] = "text/csv; charset=utf-8", [MEDIA_HTML] = "text/html; charset=utf-8"
  };
  const enum media media = exchange_answer_media(x);
  if (media == MEDIA_JSON) {
    answer_json(x, 200, report);
    return ARMDYN_OK;
  }
  struct buffer body = BUFFER(MB(48)); /* escapes take room */
  if (media == MEDIA_CSV)
    shift_report_write_csv(report->data, &body);
  else
    shift_report_write_page(report->data, language, &body);
  const enum armdyn_status status = body.failure;
  if (!status) answer_bytes(x, 200, types[media], &body);
  buffer_release(&body);
  return status;
}

/* The last eight hours, unless the query says otherwise. */
static bool take_range(struct exchange *x, struct shift *s)
{
  const int64_t now = clock_wall_ms();
  s->to = now;
  if (!list_time(x, "to", &s->to)) return false;
  s->from = s->to > SHIFT_MS ? s->to - SHIFT_MS : 0;
  if (!list_time(x, "from", &s->from)) return false;
  s->until = least(s->to, now);
  if (s->from < s->to) return true;
  fault_add(exchange_faults(x), FAULT_AT_PARAMETER, "from", FAULT_INCONSISTENT, "must be before 'to'");
  return false;
}

/* All that the report is made of. */
static enum armdyn_status sum_up(struct exchange *x, const char *controller, struct shift *s)
{
  struct store_controller row;
  char from[TIME_SIZE], to[TIME_SIZE];
  enum armdyn_status status = take_range(x, s) ? store_controller_get(s->app->store, controller, &row) : ARMDYN_EINPUT;
  if (status) return status;
  s->born = clock_parse(row.created_at);
  store_controller_release(&row);
  clock_format(s->from, from);
  clock_format(s->to, to);
  json_begin_array(&s->failures);
  json_begin_array(&s->alarms);
  status = store_shift(s->app->store, controller, from, to, add, s);
  return status ? status : add_alarms(s, controller, from, to);
}

enum outcome shift_report(struct exchange *x)
{
  const char *name = exchange_segment(x, "controller");
  struct controller_description controller;
  struct buffer failures = BUFFER(MB(2)), alarms = BUFFER(MB(2)), body = BUFFER(MB(6));
  struct shift s = { .app = exchange_app(x), .failures = { .out = &failures }, .alarms = { .out = &alarms } };
  enum report_language language;
  if (!report_language_asked(x, &language) || !controller_of_request(x, name, &controller, NULL)) return ANSWERED;
  enum armdyn_status status = sum_up(x, name, &s);
  if (!status) {
    write_report(&(struct json_writer){ .out = &body }, name, &s);
    status = failures.failure ? failures.failure : alarms.failure ? alarms.failure : body.failure;
  }
  if (status == ARMDYN_ELIMIT) {
    fault_add(exchange_faults(x), FAULT_AT_PARAMETER, "from", FAULT_INCONSISTENT,
              "the range has too much for one report: ask for a shorter one");
    status = ARMDYN_EINPUT;
  }
  if (!status) status = answer(x, language, &body);
  if (status) answer_status(x, status, NULL);
  free(s.parts);
  buffer_release(&failures);
  buffer_release(&alarms);
  buffer_release(&body);
  return ANSWERED;
}
