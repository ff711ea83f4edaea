/* A rehearsal: a thread goes through a change as if it were meant, and nothing of it stays (a dry run of a request). The store
 * undoes what was written; whoever tells others of a change, or remembers it beside the store, asks here first. */
#ifndef SERVER_BASE_REHEARSAL_H
#define SERVER_BASE_REHEARSAL_H

#include <stdbool.h>

bool rehearsing(void); /* this thread */
/* Between store_rehearse and store_rehearsal_end, which call it. */
void rehearsal_set(bool on);

#endif
