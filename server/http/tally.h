/* What the HTTP service counts, for /metrics: requests by call and status, and how long they took. */
#ifndef SERVER_HTTP_TALLY_H
#define SERVER_HTTP_TALLY_H

#include <stddef.h>

#include "api/wire/buffer.h"
#include "server/http/route.h"

struct tally;

struct tally *tally_new(const struct route *table, size_t count); /* NULL: no memory */
void tally_free(struct tally *tally);
/* A request of this route (NULL: of none that exists) was answered; seconds < 0: its time says nothing. Any thread. */
void tally_count(struct tally *tally, const struct route *route, int status, double seconds);
/* Prometheus text; calls that nobody has made are left out. */
void tally_write(const struct tally *tally, struct buffer *out);

#endif
