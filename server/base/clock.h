/* Time: wall clock as RFC 3339 UTC, and a monotonic clock for waiting. */
#ifndef SERVER_BASE_CLOCK_H
#define SERVER_BASE_CLOCK_H

#include <stdint.h>

enum { TIME_SIZE = 25 }; /* "2026-01-31T12:00:00.000Z" and NUL */

int64_t clock_wall_ms(void);      /* since 1970, UTC */
int64_t clock_monotonic_ns(void); /* never jumps */
/* RFC 3339 with milliseconds. */
void clock_format(int64_t wall_ms, char text[TIME_SIZE]);
/* -1 when text is no RFC 3339 time ("Z" or an offset). */
int64_t clock_parse(const char *text);

#endif
