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
  bool commanded;   /* some torques are those of the profile: the controller did not tell what it measured */
  uint16_t content; /* enum torque_content: what those hold */
  struct telemetry_row rows[TELEMETRY_ROWS];
};

/* Of one motion; all zero before it. */
struct telemetry {
  int64_t due_ns, begun_ns; /* of the next poll; when it was first seen playing */
  bool over;                /* it does not tell where it is, or when: nothing is recorded any more */
  bool held;                /* it is held, or comes back to speed: nothing is recorded until it is there */
  int64_t held_ns;          /* then: since when its speed is measured; 0: not yet */
  double held_at;           /* where it was then, s */
  double last;              /* time of the last row */
  unsigned turns;           /* of the controller's clock, which wraps */
  struct telemetry_block block;
};

/* Measure once, while the controller plays. EUNAVAILABLE: the connection is lost. */
enum armdyn_status telemetry_measure(struct telemetry *t, struct client *c, const struct profile *profile,
                                     struct armdyn_error *error);
/* It is held. Its clock stands still while it does, and goes slower before and after: torques there are not those of the
 * plan. Without a clock of its own nothing can be told of what comes after. */
void telemetry_hold(struct telemetry *t, const struct client *c);
/* Rows were taken. */
static inline void telemetry_taken(struct telemetry *t)
{
  t->block.count = 0;
  t->block.commanded = false;
}

#endif
