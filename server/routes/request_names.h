/* What a request names is put into it before it is decoded, so that what is kept of it can be computed again when the names
 * mean something else: a part's payload, where a controller's arm stands, what a motion was planned with. */
#ifndef SERVER_ROUTES_REQUEST_NAMES_H
#define SERVER_ROUTES_REQUEST_NAMES_H

#include "server/http/exchange.h"

/* The same JSON with
 *   "part": "A7"                        as the part that robot `robot` has under this name
 *   "start": {"controller": "cell-4"}   with the position that is measured there now, as `q`
 *   "cell": "name"                      with its `cell_revision`, the newest, where the kind of job takes cells
 *   "trajectory": id                    with the payload, tool and gravity of that motion, if the request says nothing of them
 * What names nothing, or cannot be read, stays: decoding tells. May block.
 *   out  out  empty: nothing was named, the body stays
 * false: answered. */
bool request_names_put_in(struct exchange *x, const char *robot, bool in_cell, const char *body, size_t length,
                          struct buffer *out);

#endif
