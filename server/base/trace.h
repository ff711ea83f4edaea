/* W3C trace context, level 1: the caller's trace, in which every request is a span of its own. */
#ifndef SERVER_BASE_TRACE_H
#define SERVER_BASE_TRACE_H

#include <stdint.h>

enum { TRACE_SIZE = 56, TRACE_ID_SIZE = 33 };

/* A traceparent for one request: 00-<trace>-<span>-<flags>.
 *   caller   in  the header as it came: a sound one is gone on with; NULL or anything else begins a trace
 *   seed     in  chance, of this process
 *   number   in  of the request, another one each time */
void trace_make(const char *caller, uint64_t seed, uint64_t number, char traceparent[TRACE_SIZE]);
/* Its <trace>; "" of "". */
void trace_id(const char *traceparent, char id[TRACE_ID_SIZE]);

#endif
