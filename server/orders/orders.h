/* Orders: each is planned, loaded, started and followed to its end, one after the other at each controller.
 *
 * Every controller that has orders has a queue with a thread. An order that has begun to be planned keeps its place; behind it
 * the others stand by priority, then age. At most one is loaded, and one more is planned, from where that one will end. What
 * could mean that the arm is not where, or not as, it was planned blocks the queue until somebody who may move the arm releases
 * it: see blocks() in states.c. Nothing is planned anew by itself, and an order has one transfer, ever. */
#ifndef SERVER_ORDERS_ORDERS_H
#define SERVER_ORDERS_ORDERS_H

#include "api/problem/refusal.h"
#include "api/wire/buffer.h"
#include "server/http/auth.h"
#include "server/orders/listeners.h"
#include "server/orders/states.h"

struct app;
struct orders;

/* Without orders; it may be looked at already. NULL: no memory. */
struct orders *orders_new(struct app *app, const struct order_listeners *listeners);
/* With those that a former run left; every queue is blocked. */
enum armdyn_status orders_start(struct orders *orders, struct armdyn_error *error);
/* Nothing is planned, loaded or started any more. Before the gateway and jobs stop. */
void orders_stop(struct orders *orders);
void orders_free(struct orders *orders);
/* For the rooms that things change in: a job or a transfer has got on. Waits for nobody. */
void orders_look(struct orders *orders);

/* What is known of an order beside what is stored. */
struct order_place {
  int position; /* from 1; 0: it has ended */
  char blocked[STORE_BLOCK_SIZE];
  char message[ORDER_MESSAGE];
};

/* Accept an order: durable when it answers true.
 *   order   in  id, controller and what is told of its maker; stays the caller's
 *   key     in  of the request; NULL = none
 * false: `why`. */
bool orders_accept(struct orders *orders, const struct store_order *order, const struct store_idempotency *key,
                   struct refusal *why);
/* The same of a rehearsal, which keeps nothing.
 *   place  out  it would have */
bool orders_rehearse(struct orders *orders, const struct store_order *order, const struct store_idempotency *key,
                     struct order_place *place, struct refusal *why);
/* What was ordered is another now, as long as nothing of it is at the controller: it is accepted anew, at its place by priority
 * and age. Of a rehearsal nothing is kept.
 *   asked   in   what it is then, and `changes` of what that was made of; stays the caller's
 *   reason  in   for its history
 *   place   out  it has then
 * false: `why`. */
bool orders_change(struct orders *orders, const struct store_order *asked, const char *reason,
                   struct order_place *place, struct refusal *why);
/* May it still be changed: does it wait, with nothing of it at the controller? */
bool order_waits(const struct store_order *row, struct refusal *why);
/* How many orders of this controller have not ended. */
size_t orders_live(struct orders *orders, const char *controller);

/* Where it is now. */
void orders_place(struct orders *orders, const char *controller, const char *id, struct order_place *place);

/* What people ask of an order. false: `why` says why not. START and RESUME move the arm: who may was asked before.
 *   key  in  of the request, kept before its effect; NULL = none */
bool orders_begin(struct orders *orders, const struct store_order *order, const struct caller *caller,
                  const struct store_idempotency *key, struct refusal *why);
bool orders_hold(struct orders *orders, const struct store_order *order, struct refusal *why);
bool orders_resume(struct orders *orders, const struct store_order *order, const struct store_idempotency *key,
                   struct refusal *why);
bool orders_cancel(struct orders *orders, const struct store_order *order, const struct caller *caller,
                   struct refusal *why);

/* Those that meet every condition. */
struct order_choice {
  const char *controller, *job_order_id; /* "": any */
  unsigned states;                       /* bits of enum order_state; 0: any */
  int64_t created_after, created_before; /* ms of Unix time; accepted then or later, before; -1: whenever */
};
/* Cancel them, those of a queue all or none.
 *   ended   out  how many have ended by it
 *   ending  out  how many end soon: they are at the controller, which is stopped, or are being planned */
bool orders_cancel_chosen(struct orders *orders, const struct order_choice *choice, const struct caller *caller,
                          size_t *ended, size_t *ending, struct refusal *why);

/* -- queues -- */
struct queue_view {
  char blocked[STORE_BLOCK_SIZE]; /* "": it goes on */
  char since[TIME_SIZE];
  size_t count;
  struct buffer ids; /* JSON list of the orders, the first one first; release it */
};
void orders_queue(struct orders *orders, const char *controller, struct queue_view *view);
bool orders_release(struct orders *orders, const char *controller, const struct store_idempotency *key,
                    struct refusal *why);

#endif
