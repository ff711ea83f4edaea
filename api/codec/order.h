/* Orders: from a job order to the motion, in JSON. */
#ifndef API_CODEC_ORDER_H
#define API_CODEC_ORDER_H

#include "api/codec/carried.h"
#include "api/codec/register_map.h"
#include "api/codec/result.h"
#include "api/codec/surroundings.h"
#include "api/json/fields.h"

/* What of the motions that would do is wanted: the rows of the table in order.c. */
enum order_objective { ORDER_ENERGY, ORDER_TIME, ORDER_SMOOTH, ORDER_OBJECTIVES };

/* Whom it is told that the order has come to which states, or is measured. */
struct order_callback {
  char webhook[ARMDYN_NAME_SIZE]; /* "": nobody */
  unsigned events;                /* bit i: those of the i-th word of order_events in order.c */
};

/* One after the other in one motion: a move, or rest where the arm stands. */
struct order_step {
  char *to;                        /* as of an order; NULL: it rests */
  double dwell;                    /* s, of a rest; NAN: it moves */
  double cycle_time_max, duration; /* as of an order */
  enum order_objective objective;
  bool has_objective;
  char part[PART_NAME_SIZE];    /* "", or the order's */
  struct output_setting output; /* of a rest: what the controller is to set meanwhile; name "": nothing */
};

struct order_request {
  char controller[ARMDYN_NAME_SIZE];
  char *to; /* JSON as of a trajectory's goal; NULL: the steps say */
  size_t step_count;
  struct order_step *steps;
  char *from;                      /* JSON: {"q": [...]}; NULL: where the order before ends, or the arm stands */
  char part[PART_NAME_SIZE];       /* "" = none */
  double cycle_time_max, duration; /* s; NAN = not given */
  enum order_objective objective;
  bool has_objective;
  bool joined; /* in: it is a step of a motion, and begins and ends without acceleration; no member of the request */
  int start;   /* ORDER_ON_REQUEST, ORDER_AUTOMATIC */
  double start_within, expires_within; /* s; NAN = not given */
  int priority;
  struct json_map tags;
  char job_order_id[LIMIT_TAG + 1], work_master_id[LIMIT_TAG + 1], equipment_id[LIMIT_TAG + 1];
  struct order_callback callback;
};
enum { ORDER_ON_REQUEST, ORDER_AUTOMATIC };
/* s: START goes out so long after the order is ready, or not at all; and after its acceptance, if it starts by itself. */
#define ORDER_START_WITHIN   30.0
#define ORDER_EXPIRES_WITHIN 300.0
/*   out  out  release with order_request_release unless refused
 * OK, ESYNTAX, EINPUT, EMEMORY. */
enum armdyn_status order_request_decode(const char *text, size_t length, struct order_request *out,
                                        struct faults *faults);
void order_request_release(struct order_request *request);
/* As the store keeps it. */
void order_request_encode(const struct order_request *request, struct buffer *out);
/* The request for its trajectory, from these joint positions on.
 *   cell  in  what stands around the arm; NULL: nothing is known of it */
struct order_cell {
  struct surroundings around;
  double deviation; /* rad, m: how far the joints may be from a motion */
};
void order_trajectory_encode(const struct order_request *request, const double *start, size_t joints,
                             const struct order_cell *cell, struct buffer *out);
/* One of its moves as an order of its own; what it points to stays the whole's. */
void order_step_request(const struct order_request *whole, size_t step, struct order_request *out);
/* The request for the trajectory of all steps.
 *   moves  in  ids of the trajectories of its moves */
void order_sequence_encode(const struct order_request *request, const char *const *moves, const struct order_cell *cell,
                           struct buffer *out);
/* The member of an order's request that such a place of its trajectory's is: "/goal/q/0" is "/to/q/0". */
void order_pointer_of(const char *pointer, char *out, size_t size);

/* What is kept of the plan. */
struct order_plan_step {
  const char *trajectory;              /* id; NULL: the arm rests */
  const double *end;                   /* joint order */
  double begins_at, duration;          /* s */
  const struct output_setting *output; /* NULL: none */
};
struct order_plan {
  const double *start, *end; /* joint order */
  size_t joints;
  double duration;               /* s */
  double mechanical, electrical; /* J, as modelled; NAN = not known */
  bool smoothed;                 /* what was asked for could not be loaded */
  double bound;                  /* J, as modelled: what no motion in its place could draw less than; NAN = not known */
  size_t step_count;             /* 0: it has none */
  const struct order_plan_step *steps;
};
/*   asked  in  what it was planned for: times that look like milliseconds are among its warnings */
void order_plan_encode(const struct order_plan *plan, const struct order_request *asked, struct buffer *out);

/* What GET answers. Texts are "" or NULL where they are null; JSON where they are documents. */
struct order_resource {
  const char *id, *controller, *state, *start;
  const char *created_by, *reason, *changed_by, *changed_at, *started_by;
  int priority;
  int position;        /* in its queue, from 1; 0: it is in none any more */
  const char *blocked; /* why the queue does not go on; NULL or "": it does */
  const char *message; /* what it waits for */
  double progress;     /* of the motion, 0..1, by the clock; NAN: it does not move yet */
  const char *created_at, *expires_at, *ready_at, *started_at, *finished_at;
  const char *eta; /* when the motion is expected to end */
  const char *job, *trajectory, *transfer;
  const char *plan, *measured, *unmeasured, *history, *problem, *request, *tags;
  const char *job_order_id, *work_master_id, *equipment_id;
  const char *traceparent;
  bool summary; /* in lists: without history, problem, request and trace */
};
void order_resource_encode(const struct order_resource *order, struct json_writer *w);

#endif
