/* Lines of the Prometheus text format 0.0.4. */
#ifndef SERVER_BASE_METRIC_H
#define SERVER_BASE_METRIC_H

#include "api/wire/buffer.h"

enum metric_type { METRIC_GAUGE, METRIC_COUNTER };

/* HELP and TYPE, before the samples of a metric. The name of a counter ends in _total. */
void metric_head(struct buffer *out, const char *name, enum metric_type type, const char *help);
/* HELP, TYPE and the one sample. */
void metric_write(struct buffer *out, const char *name, enum metric_type type, const char *help, double value);

#endif
