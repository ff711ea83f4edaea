/* What the gateway counts, since it was started. */
#ifndef SERVER_GATEWAY_FIGURES_H
#define SERVER_GATEWAY_FIGURES_H

#include <stdatomic.h>
#include <stdint.h>

/* To add a figure: a row. name, what it counts */
#define FIGURE_LIST(X)                                                                                                 \
  X(round_trips, "requests that were answered")                                                                        \
  X(round_trip_failures, "requests without an answer, or with a bad one; each costs the connection")                   \
  X(exceptions, "requests answered by \"not now\" (exceptions 4, 6, 11), and repeated")                                \
  X(connections, "connections made")                                                                                   \
  X(connection_failures, "attempts to connect that failed")                                                            \
  X(reconnections, "connections made again within a transfer")                                                         \
  X(refusals, "commands that a controller refused")                                                                    \
  X(underruns, "streams that ran dry")                                                                                 \
  X(windows, "windows of samples sent")                                                                                \
  X(latency_us, "time of all answered requests together, in microseconds")

/* Upper bounds of the histogram of round trips, in microseconds; one more for everything above. */
#define FIGURE_LATENCY_BOUNDS                                                                                          \
  {                                                                                                                    \
    100, 250, 500, 1000, 2500, 5000, 10000, 25000, 50000, 100000, 250000, 500000                                       \
  }
enum { FIGURE_LATENCIES = 13 };

/* Counted by any thread of the gateway process. */
struct figures {
#define X(name, meaning) atomic_ullong name;
  FIGURE_LIST(X)
#undef X
  atomic_ullong latencies[FIGURE_LATENCIES]; /* of answered requests, by FIGURE_LATENCY_BOUNDS, not cumulated */
};

/* The same as one sees them at one time. */
struct gateway_figures {
#define X(name, meaning) uint64_t name;
  FIGURE_LIST(X)
#undef X
  uint64_t latencies[FIGURE_LATENCIES];
};

void figures_read(const struct figures *figures, struct gateway_figures *out);
/* to += more */
void figures_add(struct gateway_figures *to, const struct gateway_figures *more);
/* A request was answered after so long. */
void figures_round_trip(struct figures *figures, int64_t ns);

#endif
