/* Time: wall clock as RFC 3339 UTC, and a monotonic clock for waiting. */
#ifndef SERVER_BASE_CLOCK_H
#define SERVER_BASE_CLOCK_H

#include <stdint.h>

enum { TIME_SIZE = 25 };                      /* "2026-01-31T12:00:00.000Z" and NUL */
#define CLOCK_MS_MAX INT64_C(253402300799999) /* the end of the year 9999 */

int64_t clock_wall_ms(void);      /* since 1970, UTC */
int64_t clock_monotonic_ns(void); /* never jumps */
int64_t clock_thread_ns(void);    /* of the processor that this thread has taken */
/* RFC 3339 with milliseconds; what is before 1970 or after 9999 becomes that limit. */
void clock_format(int64_t wall_ms, char text[TIME_SIZE]);
/* ms since 1970; -1 when text (NULL is fine) is no RFC 3339 time ("Z" or an offset) or is before 1970. */
int64_t clock_parse(const char *text);

#endif
