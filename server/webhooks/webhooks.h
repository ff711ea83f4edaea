/* Webhooks: ends of jobs and transfers, and what becomes of orders, are POSTed to whom their requests name, as Standard
 * Webhooks says (standardwebhooks.com).
 *
 * The outbox is a table of the store; a row comes into it with what is to be told. One thread sends what is
 * due, at most one message to each webhook at a time: a peer that is slow or silent delays nobody but itself. A message
 * that is not taken is sent again after a pause that doubles; a service that stops or dies in between sends it after its
 * next start. So a message may come twice, under the same webhook-id. */
#ifndef SERVER_WEBHOOKS_WEBHOOKS_H
#define SERVER_WEBHOOKS_WEBHOOKS_H

#include <stdbool.h>

#include "api/wire/buffer.h"
#include "server/base/trace.h"
#include "server/store/store.h"

struct app;
struct options;
struct webhooks;

struct webhooks_setup {
  struct store *store;
  const struct options *options;
  struct app *app;
  /* The message of a delivery, and the trace that it belongs to. Anything but OK: it cannot be told
   * now. */
  enum armdyn_status (*write)(struct app *app, const struct store_delivery *delivery, struct buffer *message,
                              char traceparent[TRACE_SIZE]);
};
/* EINPUT: an option is wrong. */
enum armdyn_status webhooks_start(const struct webhooks_setup *setup, struct webhooks **webhooks,
                                  struct armdyn_error *error);
void webhooks_stop(struct webhooks *webhooks); /* what is under way is broken off, and sent again later; NULL is fine */

void webhooks_write_metrics(struct webhooks *webhooks, struct buffer *out);

/* May messages be sent there? false: `why` says what is wrong with it. Names are looked up, and held against
 * --webhook-networks, only when a message is sent. */
bool webhooks_take_url(const struct webhooks *webhooks, const char *url, char why[160]);
/* A new secret, "whsec_..." */
void webhooks_make_secret(char secret[STORE_SECRET_SIZE]);

#endif
