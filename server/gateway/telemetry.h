/* What a controller measured while it played a profile: polled, turned into joints, and handed on in blocks. */
#ifndef SERVER_GATEWAY_TELEMETRY_H
#define SERVER_GATEWAY_TELEMETRY_H

#include "server/gateway/client.h"

/* One moment, in joint order: rad or m, N m or N. */
struct telemetry_row {
  double time; /* s from the profile's first sample */
  double q[LIMIT_AXES], tau[LIMIT_AXES];
};

enum { TELEMETRY_ROWS = 256 };
struct telemetry_block {
  uint32_t joints, count;
  bool commanded; /* some torques are those of the profile: the controller did not tell what it measured */
  struct telemetry_row rows[TELEMETRY_ROWS];
};

/* Of one motion; all zero before it. */
struct telemetry {
  int64_t due_ns, begun_ns; /* of the next poll; when it was first seen playing */
  bool over;                /* it was held, or does not tell where it is: nothing is recorded any more */
  double last;              /* time of the last row */
  unsigned turns;           /* of the controller's clock, which wraps */
  struct telemetry_block block;
};

/* Measure once, while the controller plays. EUNAVAILABLE: the connection is lost. */
enum armdyn_status telemetry_measure(struct telemetry *t, struct client *c, const struct profile *profile,
                                     struct armdyn_error *error);
/* Rows were taken. */
static inline void telemetry_taken(struct telemetry *t)
{
  t->block.count = 0;
  t->block.commanded = false;
}

#endif
