/* What a shift asks of a list beside its conditions: when rows were made and ended, and which of several states they are in.
 *   struct list_ranges ranges;
 *   bool good = list_times(&listing, &ranges), among = list_states(&listing, &ranges, JOB_STATES); */
#ifndef SERVER_ROUTES_LIST_RANGES_H
#define SERVER_ROUTES_LIST_RANGES_H

#include "server/base/clock.h"
#include "server/routes/listing.h"

/* Texts that the query refers to: they live as long as it does. */
struct list_ranges {
  char states[256];
  char times[4][TIME_SIZE];
};

/* ?name=, an RFC 3339 time with any offset, as ms in place of what `ms` is, if it is there; false: a fault. */
bool list_time(struct exchange *x, const char *name, int64_t *ms);
/* ?created_after=, created_before, finished_after, finished_before, with any offset, as conditions; false: a fault. */
bool list_times(struct listing *listing, struct list_ranges *ranges);

/* ?type=order.ready,order.done: is each of the words, with commas between, one of `names`? The parameter is given.
 * false: a fault. */
bool list_words(struct listing *listing, const char *parameter, const char *const *names, size_t count);

/* ?state=queued,running
 *   names   in   every state there is, count of them
 *   ranges  out  states: those that are asked for, with commas between; "": all. Not a condition yet
 * false: a fault. */
bool list_states(struct listing *listing, const char *const *names, size_t count, struct list_ranges *ranges);
/* Is `name` one of the words of `states`, with commas between? */
bool list_state_asked(const char *states, const char *name);
/* They become what the list shows.
 *   names  in  as of list_states, a NULL behind the last */
void list_add_states(struct listing *listing, const struct list_ranges *ranges, const char *const *names);

/* {"queued": 3, ...} into listing->totals; `out` lives as long as the listing. */
void list_totals(struct listing *listing, const char *const *names, const int64_t *totals, size_t count,
                 struct buffer *out);

#endif
