#include "server/gateway/transfer.h"

#include <math.h>
#include <stdlib.h>

#include "server/base/clock.h"

static const double clock_known = 0.01; /* how well it must be before it is told */

void transfer_order_free(struct transfer_order *order)
{
  if (!order) return;
  guard_free(order->guard);
  profile_release(&order->profile);
  free(order);
}

enum { MEASURED_LATELY_NS = 1000000000 };

void client_observe(const struct client *c, struct observation *seen)
{
  const struct uptime *u = &c->uptime;
  double within = uptime_uncertainty(u);
  *seen = (struct observation){ .seen_ms = clock_wall_ms(),
                                .connected = link_is_open(&c->link),
                                .simulated = controller_can(&c->identity, ABILITY_SIMULATOR),
                                .state = c->state,
                                .mapped = c->address.mapped };
  seen->clock = (struct observed_clock){ .known = !c->address.mapped && within <= clock_known,
                                         .uptime_ms = u->last_ms,
                                         .offset_ms = uptime_offset_ms(u),
                                         .watched_ms = (double)(u->last_ns - u->first_ns) * 1e-6,
                                         .rate = uptime_rate(u),
                                         .uncertainty = within,
                                         .scan_ms = u->scan_ms,
                                         .round_trip_ms = u->round_trip_ms };
  memcpy(seen->signals, c->mapped.signals, sizeof seen->signals);
  const bool fresh = c->measured_ns && clock_monotonic_ns() - c->measured_ns < MEASURED_LATELY_NS;
  for (unsigned a = 0; a < PROTOCOL_AXES; a++) seen->torque[a] = fresh ? c->measured.torque[a] : NAN;
}
