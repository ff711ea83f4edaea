/* Read-only connections, shared by all threads; at most LIMIT_READERS. They are used in turn, so that what each keeps is soon
 * all that it will: memory does not grow for hours because one of them is seldom needed. */
#ifndef SERVER_STORE_READERS_H
#define SERVER_STORE_READERS_H

#include "server/store/sql.h"

struct readers;

/* address must outlive the readers.
 *   all  open every one now: as many as may be needed at once are not known before; else when they are needed */
enum armdyn_status readers_new(const char *address, bool all, struct readers **readers);
void readers_free(struct readers *readers); /* all must have been given back */
/* Waits while all are taken. */
enum armdyn_status readers_take(struct readers *readers, struct sql **sql);
void readers_give(struct readers *readers, struct sql *sql); /* NULL is fine */

#endif
