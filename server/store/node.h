/* The name of a node at a database that others know, too. */
#ifndef SERVER_STORE_NODE_H
#define SERVER_STORE_NODE_H

#include "armdyn/status.h"
#include "server/base/id.h"

/* It stands in DIR/node, made once, so that a node that was killed is known again at its next start. */
enum armdyn_status store_node(const char *dir, char node[ID_SIZE], struct armdyn_error *error);
/* Make the directory if it is not there, and hold its lock until *lock is closed. EBUSY: another armdyn does. */
enum armdyn_status store_hold_directory(const char *dir, int *lock, struct armdyn_error *error);

#endif
