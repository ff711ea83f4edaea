/* What people ask of an order: start, hold, resume, cancel. */
#include "api/codec/cancel.h"
#include "server/app.h"
#include "server/http/idempotency.h"
#include "server/orders/orders.h"
#include "server/routes/handlers.h"
#include "server/routes/motion.h"
#include "server/routes/orders.h"

/* After a command. */
static void answer_commanded(struct exchange *x, const char *id, bool good, const struct refusal *why)
{
  if (good)
    order_answer(x, 202, id);
  else
    answer_refusal(x, why);
}

static bool startable(struct exchange *x, const struct store_order *row)
{
  struct controller_description controller;
  return controller_of_request(x, row->controller, &controller, NULL) && may_start(x, &controller);
}

/* What moves the arm is asked for once: a repeat, however late, answers the order as it is then. */
typedef bool moving_command(struct exchange *x, const struct store_order *row, const struct store_idempotency *key,
                            struct refusal *why);
static bool begin(struct exchange *x, const struct store_order *row, const struct store_idempotency *key,
                  struct refusal *why)
{
  return orders_begin(exchange_app(x)->orders, row, exchange_caller(x), key, why);
}

static bool resume(struct exchange *x, const struct store_order *row, const struct store_idempotency *key,
                   struct refusal *why)
{
  return orders_resume(exchange_app(x)->orders, row, key, why);
}

struct moving {
  moving_command *command;
};

static void replay_command(struct exchange *x, const char *href)
{
  order_answer(x, 202, strrchr(href, '/') + 1);
}

static void move(struct exchange *x, const struct idempotency *once, void *context)
{
  const struct moving *moving = context;
  struct refusal why = { .faults = exchange_faults(x) };
  struct store_order row;
  if (!order_find(x, exchange_segment(x, "order"), &row)) return;
  if (startable(x, &row)) answer_commanded(x, row.id, moving->command(x, &row, idempotency_key(once), &why), &why);
  store_order_release(&row);
}

enum outcome order_start(struct exchange *x)
{
  idempotency_run(x, true, replay_command, move, &(struct moving){ begin });
  return ANSWERED;
}

enum outcome order_resume(struct exchange *x)
{
  idempotency_run(x, true, replay_command, move, &(struct moving){ resume });
  return ANSWERED;
}

enum outcome order_hold(struct exchange *x)
{
  struct refusal why = { .faults = exchange_faults(x) };
  struct store_order row;
  if (!order_find(x, exchange_segment(x, "order"), &row)) return ANSWERED;
  answer_commanded(x, row.id, orders_hold(exchange_app(x)->orders, &row, &why), &why);
  store_order_release(&row);
  return ANSWERED;
}

enum outcome order_cancel(struct exchange *x)
{
  struct refusal why = { .faults = exchange_faults(x) };
  struct store_order row;
  if (!order_find(x, exchange_segment(x, "order"), &row)) return ANSWERED;
  answer_commanded(x, row.id, orders_cancel(exchange_app(x)->orders, &row, exchange_caller(x), &why), &why);
  store_order_release(&row);
  return ANSWERED;
}

/* -- of many -- */

/* -1: none was given. Before 1970 there is nothing, and nothing is before that. */
static int64_t moment(const char *text)
{
  if (!*text) return -1;
  const int64_t ms = clock_parse(text);
  return ms < 0 ? 0 : ms;
}

static void cancel_chosen(struct exchange *x, const struct order_cancel *asked)
{
  const struct order_choice choice = { .controller = asked->controller,
                                       .job_order_id = asked->job_order_id,
                                       .states = asked->states,
                                       .created_after = moment(asked->created_after),
                                       .created_before = moment(asked->created_before) };
  struct refusal why = { .faults = exchange_faults(x) };
  struct buffer body = BUFFER(KB(1));
  struct json_writer w = { .out = &body };
  size_t ended, ending;
  if (!orders_cancel_chosen(exchange_app(x)->orders, &choice, exchange_caller(x), &ended, &ending, &why)) {
    answer_refusal(x, &why);
    return;
  }
  json_begin_object(&w);
  json_member_count(&w, "cancelled", ended);
  json_member_count(&w, "ending", ending);
  json_end_object(&w);
  answer_json(x, 200, &body);
}

enum outcome order_cancel_many(struct exchange *x)
{
  struct order_cancel asked;
  size_t length;
  const char *text = exchange_body(x, &length);
  enum armdyn_status status = order_cancel_decode(text, length, &asked, exchange_faults(x));
  if (status)
    answer_status(x, status, NULL);
  else
    exchange_is_about_order(x, asked.job_order_id), cancel_chosen(x, &asked);
  return ANSWERED;
}
