/* A node that stands by: another one holds the store. It says in the store that it is there, passes on whoever connects to the
 * one that serves, and sees when the store is free. */
#ifndef SERVER_NODES_STANDING_H
#define SERVER_NODES_STANDING_H

#include <sys/socket.h>

#include "server/store/nodes.h"

struct standing_setup {
  const char *store, *data;
  const char *address; /* HOST:PORT where other nodes reach this one */
  int listen_fd;       /* stays the caller's */
  bool encrypted;      /* clients speak TLS with the node that serves */
};
struct standing;
/* ECONFLICT: the node that holds the store takes nobody's connections, or has this one's address. EBUSY: another process
 * has the directory. */
enum armdyn_status standing_start(const struct standing_setup *setup, struct standing **standing,
                                  struct armdyn_error *error);
/* Look who holds the store, and follow him. May wait for the database. True: nobody does any more. */
bool standing_look(struct standing *standing);
/* Its name. */
const char *standing_node(const struct standing *standing);
/* Where this node's own service is, which answers while the one that serves is silent. */
void standing_offer(struct standing *standing, const struct sockaddr_storage *own, socklen_t size);
/* For how long that one has not answered, ms; 0: it does. From any thread. */
int64_t standing_silent_ms(struct standing *standing);
/* A STOP was carried out in its place: it is told once it answers. From any thread; does not wait. */
void standing_stopped(struct standing *standing, const char *path, const char *authorization);
/* Its directory's lock, for whoever takes the store in its place within this process; and back, when that did not get it.
 * EBUSY: another process has it now. */
void standing_let_go(struct standing *standing);
enum armdyn_status standing_take_back(struct standing *standing, struct armdyn_error *error);
/* Everybody who was passed on is let go. NULL is fine. */
void standing_stop(struct standing *standing);

#endif
