/* Identifiers: ULIDs, 26 characters of Crockford base 32, sortable by the time of their making, monotonic in a process. */
#ifndef SERVER_BASE_ID_H
#define SERVER_BASE_ID_H

#include <stdbool.h>

enum { ID_SIZE = 27 };

/* Safe from any thread; later ones sort after earlier ones, also within a millisecond and when the clock is set back. */
void id_make(char id[ID_SIZE]);
/* Is this how an id is written (upper case)? NULL is fine. */
bool id_valid(const char *text);

#endif
