/* Every state that a resource was in: [{"state", "at", "reason"}, ...]. */
#ifndef API_CODEC_HISTORY_H
#define API_CODEC_HISTORY_H

#include <stdbool.h>

/* The list with one more.
 *   history  in  allocated, taken; NULL: an empty one
 *   reason   in  "": null
 *   last     in  it is the last one: kept however long the list is; a resource that changes often keeps its first states and
 *                its last
 * The list, allocated; the former one when there is no room or memory. */
char *history_with(char *history, const char *state, const char *at, const char *reason, bool last);

#endif
