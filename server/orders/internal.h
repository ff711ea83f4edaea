/* The queues from inside: orders.c keeps the list of them and speaks to the routes, queue.c is one of them and its thread,
 * planning.c, planned.c, loading.c and following.c are what the thread does for an order; places.c is where they stand. */
#ifndef SERVER_ORDERS_INTERNAL_H
#define SERVER_ORDERS_INTERNAL_H

#include <pthread.h>

#include "api/codec/controller.h"
#include "api/codec/order.h"
#include "api/problem/refusal.h"
#include "server/http/auth.h"
#include "server/orders/listeners.h"
#include "server/orders/states.h"

/* An order that has not ended. Only the thread of its queue frees it. */
struct order {
  struct order *next;
  struct store_order row; /* as stored */
  struct order_request request;
  size_t joints; /* of the plan; 0: there is none yet */
  double start[ARMDYN_JOINTS_MAX], end[ARMDYN_JOINTS_MAX];
  bool busy;      /* its thread works for it without the lock: nobody else changes its state */
  bool cancelled; /* by somebody, while it was busy or loaded */
  char canceller[ARMDYN_NAME_SIZE];
  struct caller mover;     /* in whose right START is sent; id "": nobody's yet */
  int64_t since_ns;        /* monotonic: when that one was last known to be good */
  int64_t start_before_ms; /* wall clock; 0: none yet */
  bool start_asked;        /* START was asked of the gateway, once */
  size_t heard;            /* entries of its transfer's history that were looked at for outputs */
  bool ending;             /* STOP was sent, to end it as follows */
  int64_t ending_ns;       /* when last */
  enum problem ending_problem;
  char ending_detail[ORDER_MESSAGE];
  int64_t again_ns;            /* not before (monotonic): what could not be done just now */
  char message[ORDER_MESSAGE]; /* what it waits for */
};

struct queue {
  struct queue *next;
  struct app *app;
  const struct order_listeners *listeners;
  char controller[ARMDYN_NAME_SIZE];
  pthread_t thread;
  bool begun; /* it is there */

  pthread_mutex_t bell_lock; /* never held while anything is waited for: whoever rings may be anywhere */
  pthread_cond_t bell;
  bool rung, stopping;

  pthread_mutex_t
      lock; /* what follows; held during writes to the store, never while a controller, the gateway process or a job is waited for */
  struct order *first;            /* as they stand: see queue_sort */
  struct store_order_queue block; /* reason "": it goes on */
  bool block_unkept;              /* the store has it not yet */
  uint64_t stopped;               /* gateway_stopped, and ... */
  unsigned generation;            /* gateway_generation, as they were when that was last looked at */
  bool instance_known;
  unsigned instance; /* of the controller when it was last measured */
};

/* orders.c */
struct orders {
  struct app *app;
  struct order_listeners listeners;
  pthread_mutex_t lock; /* the list, which only grows */
  struct queue *queues;
  bool stopping;
};

/* NULL: the controller has none. */
struct queue *orders_queue_of(struct orders *orders, const char *controller);

/* -- places.c -- */
/* With texts of its own. NULL: no memory. */
struct order *order_new(const struct store_order *row);
/* All of these under the lock. */
void queue_insert(struct queue *q, struct order *o);
/* NULL: it has ended, or is swept already. */
struct order *queue_live(const struct queue *q, const char *id);
size_t queue_count(const struct queue *q); /* that have not ended */
/* Where an order would stand, instead of the one with its id if that is there. */
struct order_place;
void queue_place(const struct queue *q, const struct order *asked, struct order_place *place);

/* -- queue.c -- */
void order_free(struct order *o);
void *queue_main(void *queue);
void queue_ring(struct queue *q);
bool queue_stopping(struct queue *q);
/* What happened at the controller since the last look? Asks nobody who could wait. Without the lock. */
void queue_notice(struct queue *q);
/* Has what is at the controller ended? Then so does its order, before the thread looks again. Without the lock. */
void queue_hear_end(struct queue *q);
/* All of these under the lock. */
/* Do not go on until somebody releases it. The first reason stays. */
void queue_block(struct queue *q, const char *format, ...) __attribute__((format(printf, 2, 3)));
static inline bool queue_blocked(const struct queue *q)
{
  return *q->block.reason;
}
/* Its next state, durably, with what that means for the queue. `row` members that change with it are set in `row` before, of
 * which `changed` is a copy that becomes the order's when it is stored.
 *   reason   in  for the history; "" = none
 *   problem  in  JSON; NULL = none
 * OK; what the store says: the order stays as it is, and this is to be tried again. */
enum armdyn_status order_enter(struct queue *q, struct order *o, struct store_order *changed, enum order_state to,
                               const char *reason, const char *problem, const struct store_idempotency *key);
/* Several end as stopped at once, all or none. */
enum armdyn_status orders_stop_all(struct queue *q, struct order *const *all, size_t count, const char *reason);
/* It fails, with this problem. */
void order_fail(struct queue *q, struct order *o, enum problem problem, const struct faults *faults, const char *format,
                ...) __attribute__((format(printf, 5, 6)));
void order_refuse(struct queue *q, struct order *o, const struct refusal *why);
/* The same, but what passes by itself (a full disk, a busy store) is tried again. */
void order_refuse_or_wait(struct queue *q, struct order *o, const struct refusal *why);
/* Somebody cancelled it while it could not be ended: do so now, unless it is at the controller. */
void order_end_cancelled(struct queue *q, struct order *o);
/* Try again in a second, and say why. */
void order_wait(struct order *o, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* -- what the thread does for an order in each state; without the lock -- */
void order_plan(struct queue *q, struct order *o);         /* accepted */
void order_hear_of_plan(struct queue *q, struct order *o); /* planning */
void order_load(struct queue *q, struct order *o);         /* queued */
void order_follow(struct queue *q, struct order *o);       /* all with a transfer */
/* Planning, with no job at work for it: the next move of a sequence, or all of them as one motion. */
void order_plan_step(struct queue *q, struct order *o);
/* What is stored of its plan, into o->start and so on. */
void order_take_plan(struct order *o);

/* The controller's entry as it is now, and its version (NULL: not wanted). */
bool order_controller(struct queue *q, struct controller_description *controller, int64_t *version,
                      struct refusal *why);
struct robot_entry;
/* A job that computes a trajectory by this request (the part is written out); `job` gets its id. */
bool order_submit(struct queue *q, const struct order *o, const struct robot_entry *entry, const struct buffer *plain,
                  struct store_job *job, struct refusal *why);
/* The controller's entry, the robot that it moves and what stands around it; release them with order_unbind, whatever came of
 * it. */
struct order_binding {
  struct controller_description *controller;
  const struct robot_entry *entry;
  int64_t version; /* of the controller's entry */
  struct order_cell cell;
};
bool order_bind(struct queue *q, struct order_binding *binding, struct refusal *why);
void order_unbind(struct queue *q, struct order_binding *binding);
/* A hash of all that a plan and its check depend on: the program, the model, the controller's entry, the cell, start, goals,
 * times, part, objectives. Starts that rounding alone tells apart are the same. */
enum armdyn_status order_plan_key(struct queue *q, const struct order_request *asked,
                                  const struct order_binding *binding, const double *start,
                                  char key[STORE_PLAN_KEY_SIZE]);
/* A position at its limit, beyond it by rounding alone (of a polynomial, of a controller's float32), is at its limit. */
void order_round_to_limits(const struct armdyn_robot_description *robot, double *start);
/* A plan was found: its job's, or one that serves again. */
void order_take_trajectory(struct queue *q, struct order *o, const char *id);

/* A job that plans its motion as a quintic from these joint positions on, whatever its objective; `job` gets its id. */
bool order_plan_smoothly(struct queue *q, const struct order *o, const double *start, struct store_job *job,
                         struct refusal *why);
/* What a transfer of it begins with (server/transfers/prepare.h), of this trajectory; without the controller. NULL: `why`. */
struct prepared_transfer;
struct prepared_transfer *order_prepared(struct queue *q, const struct order *o, const char *trajectory,
                                         struct refusal *why);

#endif
