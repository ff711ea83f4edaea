#include "server/base/metric.h"

void metric_head(struct buffer *out, const char *name, enum metric_type type, const char *help)
{
  buffer_format(out, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, type == METRIC_GAUGE ? "gauge" : "counter");
}

void metric_write(struct buffer *out, const char *name, enum metric_type type, const char *help, double value)
{
  metric_head(out, name, type, help);
  buffer_format(out, "%s %.15g\n", name, value);
}
