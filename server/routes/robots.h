/* What requests that name a robot need. */
#ifndef SERVER_ROUTES_ROBOTS_H
#define SERVER_ROUTES_ROBOTS_H

#include "api/json/writer.h"
#include "server/http/exchange.h"
#include "server/robots/cache.h"

/* The robot that the path names, in the revision that `revision` says (a number, "latest", or NULL = latest): release
 * with robots_release. false: return *outcome; 404 or 422 has been answered, or it must be read where it may block. */
bool robot_of_request(struct exchange *x, const char *revision, const struct robot_entry **entry,
                      enum outcome *outcome);
/* Is it there? false: answered. */
bool robot_is_there(struct exchange *x);
/* Members of a revision in answers, of a struct store_robot. To add a column: its row here, in store.h and store/robots.c. */
void robot_row_write(struct json_writer *w, const void *row);
/* May a revision be called so? Not like a number or "latest". */
bool alias_is_good(const char *alias);

#endif
