/* Are the filters of an identification right? The test of armdyn/filter_test.h on its training data. */
#ifndef SERVER_WORK_FILTER_TEST_H
#define SERVER_WORK_FILTER_TEST_H

#include "armdyn/closed_loop.h"
#include "armdyn/gears.h"
#include "armdyn/loads.h"
#include "server/data/opened_logs.h"

/* What was identified from: the first `count` of the logs, without what the request excludes. */
struct filter_test_order {
  const struct identification_request *request;
  const struct armdyn_robot *robot; /* with the friction that is identified */
  const struct armdyn_unknowns *unknowns;
  const struct armdyn_known_loop *loop;  /* that they were logged in; NULL: not known */
  const struct armdyn_estimate *in_loop; /* of an arm that can move in it */
  struct armdyn_known_friction *known;   /* friction that is held, taken off the torques; NULL: none */
  struct armdyn_loads *loads;            /* the same of what the logs carried */
  struct armdyn_gears *gears;            /* whose outputs the unknowns are of; NULL: joints */
  const struct armdyn_conditioning *conditioning;
  struct opened_logs *logs;
  size_t count;
};
/* Instruments are of the simulated loop, or follow the measured path through a filter of their own.
 *   out  out
 * OK, EINPUT, EIO, EMEMORY. */
enum armdyn_status filter_test_compute(const struct filter_test_order *order, struct identification_filter_test *out,
                                       struct armdyn_error *error);

#endif
