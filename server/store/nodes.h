/* Nodes that stand by for the serving one; those that compute jobs for it, and the conversation with each of their
 * workers, by frames (server/ipc/channel.h) that go through tables of PostgreSQL. A worker is given jobs by one at a time,
 * who took the newest number of it, its fence: who was thought dead, frozen or cut off says and hears nothing any more under
 * an older one. */
#ifndef SERVER_STORE_NODES_H
#define SERVER_STORE_NODES_H

#include "server/store/store.h"

enum { NODE_WORKERS_MOST = 64, NODE_GONE_MS = 15000 /* not seen for so long */ };

struct store_node {
  char id[ID_SIZE], host[64], version[32], started_at[TIME_SIZE];
  int64_t process, workers, silent_ms;
  bool draining;
  char address[192]; /* HOST:PORT of one that stands by; "": it computes */
};
typedef void store_node_visit(void *context, const struct store_node *node);
/* Those of the last day, by id; none of a file. */
enum armdyn_status store_node_list(struct store *store, store_node_visit *visit, void *context);

/* A node's own connection. */
struct node_link;
/* ECONFLICT: the schema is not this program's (`older`: is a newer one). EUNAVAILABLE. */
enum armdyn_status node_link_open(const char *address, bool older, struct node_link **link, struct armdyn_error *error);
void node_link_close(struct node_link *link);
/* It is there, with its workers, and that may be said again and again. */
enum armdyn_status node_link_announce(struct node_link *link, const struct store_node *node);
/* It is not there any more. */
void node_link_leave(struct node_link *link, const char *id);

/* Leave entries of the audit trail for the node that serves. After a failure some of them may be there. */
enum armdyn_status node_link_note(struct node_link *link, const char *const *lines, size_t count);

/* Who holds the store. */
struct store_holder {
  char host[64], address[192]; /* where other nodes reach it; "" = they do not */
  int64_t epoch, process, silent_ms;
  bool free; /* nobody does, or who did was not seen for too long */
};
enum armdyn_status node_link_holder(struct node_link *link, struct store_holder *holder);

/* One end of the conversation with a worker. */
struct post;
enum post_end { POST_SERVING, POST_WORKING };
enum armdyn_status post_open(const char *address, const char *node, int worker, enum post_end end, struct post **post,
                             struct armdyn_error *error);
void post_close(struct post *post);
/* Serving, as the holder of the store by that name: the worker is ours from now on. ENOTFOUND: it is not there, or another one
 * holds the store. */
enum armdyn_status post_claim(struct post *post, const char *holder);
/* Working: ours is who took it last; *is_new: another one than before, so all begins anew. ENOTFOUND. */
enum armdyn_status post_follow(struct post *post, bool *is_new);
/* ESTALE: another one has it now. EBUSY: the other end has not read what was sent before; EUNAVAILABLE: again, the same. */
enum armdyn_status post_send(struct post *post, uint32_t type, const void *data, size_t length);
/* Up to some frames, in order; *count of them. ESYNTAX: some are lost. ESTALE: another one has
 * it now. EUNAVAILABLE. Anything else that the visit says. */
typedef enum armdyn_status post_visit(void *context, uint32_t type, const void *data, size_t length);
enum armdyn_status post_receive(struct post *post, post_visit *visit, void *context, size_t *count);
/* Until something may have been said, or the descriptor can be read (-1: none). */
void post_await(struct post *post, int fd, int ms);

#endif
