/* The name of a node at a database that others know, too. */
#ifndef SERVER_STORE_NODE_H
#define SERVER_STORE_NODE_H

#include "armdyn/status.h"
#include "server/base/id.h"

/* It stands in DIR/node, made once, so that a node that was killed is known again at its next start. */
enum armdyn_status store_node(const char *dir, char node[ID_SIZE], struct armdyn_error *error);

#endif
