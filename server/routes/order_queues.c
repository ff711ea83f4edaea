/* The queues that orders stand in. */
#include "api/json/writer.h"
#include "server/app.h"
#include "server/http/idempotency.h"
#include "server/orders/orders.h"
#include "server/routes/handlers.h"
#include "server/routes/motion.h"
#include "server/routes/orders.h"

enum { ANSWER_MOST = KB(128) };

enum armdyn_status queue_encode(struct app *app, const char *controller, struct buffer *out)
{
  struct queue_view view;
  struct json_writer w = { .out = out };
  orders_queue(app->orders, controller, &view);
  json_begin_object(&w);
  json_key(&w, "controller"), json_write_text(&w, controller);
  json_key(&w, "blocked"), json_write_text(&w, *view.blocked ? view.blocked : NULL);
  json_key(&w, "since"), json_write_text(&w, *view.since ? view.since : NULL);
  json_key(&w, "count"), json_write_integer(&w, (long long)view.count);
  json_key(&w, "orders"), json_write_raw(&w, buffer_ok(&view.ids) ? view.ids.data : NULL);
  json_end_object(&w);
  buffer_release(&view.ids);
  return out->failure;
}

static void answer_queue(struct exchange *x, const char *controller)
{
  struct buffer body = BUFFER(ANSWER_MOST);
  (void)queue_encode(exchange_app(x), controller, &body); /* a failed body fails the answer */
  answer_json(x, 200, &body);
}

enum outcome queue_get(struct exchange *x)
{
  const char *name = exchange_segment(x, "controller");
  struct controller_description controller;
  if (controller_of_request(x, name, &controller, NULL)) answer_queue(x, name);
  return ANSWERED;
}

static void replay_release(struct exchange *x, const char *href)
{
  answer_queue(x, strrchr(href, '/') + 1);
}

static void release(struct exchange *x, const struct idempotency *once, void *unused)
{
  const char *name = exchange_segment(x, "controller");
  struct refusal why = { .faults = exchange_faults(x) };
  struct controller_description controller;
  (void)unused;
  if (!controller_of_request(x, name, &controller, NULL) || !exchange_may_move(x, name)) return;
  if (orders_release(exchange_app(x)->orders, name, idempotency_key(once), &why))
    answer_queue(x, name);
  else
    answer_refusal(x, &why);
}

enum outcome queue_release(struct exchange *x)
{
  idempotency_run(x, true, replay_release, release, NULL);
  return ANSWERED;
}
