#include "server/gateway/figures.h"

void figures_read(const struct figures *figures, struct gateway_figures *out)
{
#define X(name, meaning) out->name = atomic_load_explicit(&figures->name, memory_order_relaxed);
  FIGURE_LIST(X)
#undef X
  for (int i = 0; i < FIGURE_LATENCIES; i++)
    out->latencies[i] = atomic_load_explicit(&figures->latencies[i], memory_order_relaxed);
}

void figures_add(struct gateway_figures *to, const struct gateway_figures *more)
{
#define X(name, meaning) to->name += more->name;
  FIGURE_LIST(X)
#undef X
  for (int i = 0; i < FIGURE_LATENCIES; i++) to->latencies[i] += more->latencies[i];
}

void figures_round_trip(struct figures *figures, int64_t ns)
{
  static const int64_t bounds[FIGURE_LATENCIES - 1] = FIGURE_LATENCY_BOUNDS;
  int i = 0;
  while (i < FIGURE_LATENCIES - 1 && ns > bounds[i] * 1000) i++;
  figures->latencies[i]++;
  figures->round_trips++;
  figures->latency_us += (unsigned long long)(ns / 1000);
}
