/* Identifiers: ULIDs, 26 characters of Crockford base 32, sortable by the time of their making, monotonic in a process. */
#ifndef SERVER_BASE_ID_H
#define SERVER_BASE_ID_H

#include <stdbool.h>

enum { ID_SIZE = 27 };

void id_make(char id[ID_SIZE]);
bool id_valid(const char *text);

#endif
