/* Read-only connections, opened when needed, shared by all threads; at most LIMIT_READERS. */
#ifndef SERVER_STORE_READERS_H
#define SERVER_STORE_READERS_H

#include "server/store/sql.h"

struct readers;

/* path must outlive the readers. */
enum armdyn_status readers_new(const char *path, struct readers **readers);
void readers_free(struct readers *readers); /* all must have been given back */
/* Waits while all are taken. */
enum armdyn_status readers_take(struct readers *readers, struct sql **sql);
void readers_give(struct readers *readers, struct sql *sql); /* NULL is fine */

#endif
