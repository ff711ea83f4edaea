/* A node that computes jobs for the one that serves at the same database, and does nothing else. */
#ifndef SERVER_NODES_WORKER_NODE_H
#define SERVER_NODES_WORKER_NODE_H

#include "server/store/nodes.h"

struct worker_node_setup {
  const char *address, *data;
  int workers;
  const char *memory_mib, *cpu_s; /* of each, as arguments of `armdyn worker` */
};
struct worker_node;
enum armdyn_status worker_node_start(const struct worker_node_setup *setup, struct worker_node **node,
                                     struct armdyn_error *error);
/* Take no more jobs, let those that run end until the deadline (monotonic ns), end. NULL is fine. */
void worker_node_stop(struct worker_node *node, int64_t deadline_ns);

#endif
