/* A transfer that is being prepared: what was asked for, what is known of it so far, and what was found against it. */
#ifndef SERVER_TRANSFERS_PREPARED_H
#define SERVER_TRANSFERS_PREPARED_H

#include "api/codec/transfer.h"
#include "api/problem/refusal.h"
#include "server/gateway/gateway.h"

struct app;

/* All zero but `app`, `why.faults`, `request`, `controller` and `acknowledges_nothing`, which the caller fills in. */
struct prepared_transfer {
  struct app *app;
  struct refusal why; /* out: what was found against it */
  struct transfer_request request;
  struct controller_description controller;
  struct store_result trajectory;
  double stored_rate;
  bool transferable;
  int64_t start_before_ms;            /* of a start: wall clock */
  const struct robot_entry *robot;    /* of the trajectory */
  const struct robot_entry *bound_to; /* of the controller */
  char held[ARMDYN_NAME_SIZE];        /* the part that the arm holds; "": none */
  struct overrides overrides;         /* of the trajectory, in place of its revision's */
  struct axis_map map;
  bool has_clearance; /* the controller has a cell */
  int64_t cell_revision;
  double clearance;             /* m, a bound with what the controller may deviate */
  struct transfer_order *order; /* without an id */
  bool acknowledges_nothing;    /* a motion of an order: a refusal does not say how to overrule it */
};

#endif
