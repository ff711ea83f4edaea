/* What the routes of jobs and of their results need of each other. */
#ifndef SERVER_ROUTES_RESULTS_H
#define SERVER_ROUTES_RESULTS_H

#include "server/http/exchange.h"

/* Accept a job of this kind for the robot of the route from the body, and answer with it: at once (202), or when it has
 * ended in the time of `Prefer: wait` (200). Takes ?revision, ?include, Idempotency-Key. */
enum outcome job_create(struct exchange *x, const char *kind);

/* The document of a result as GET answers it. version (NULL = not wanted): of its ETag. ENOTFOUND. */
struct app;
enum armdyn_status trajectory_document(const struct app *app, const char *id, struct buffer *out, int64_t *version);

#endif
