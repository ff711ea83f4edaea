/* `armdyn serve` while another node holds the store (server/nodes/standing.h): it passes on who connects, and stops arms by
 * itself while that one is silent. */
#ifndef SERVER_CMD_STAND_BY_H
#define SERVER_CMD_STAND_BY_H

#include <signal.h>

#include "armdyn/status.h"

struct auth;
struct options;
struct tls;

struct stand_by_setup {
  const struct options *options; /* settled */
  struct tls *tls;               /* NULL: plain HTTP */
  int listen_fd;                 /* stays the caller's */
  void (*ready)(void *context);  /* it answers; may be told again */
  /* Nobody holds the store: take it. EBUSY, EUNAVAILABLE: it could not be had, and this node stands by as before. */
  enum armdyn_status (*take)(void *context, struct armdyn_error *error);
  void (*reload)(void *context, struct auth *auth); /* by SIGHUP */
  void *context;
};
/* Until it has the store: OK; ECANCELLED: it was asked to stop; else why it cannot. */
enum armdyn_status stand_by(const struct stand_by_setup *setup, struct armdyn_error *error);

/* What a service is told by signals; they are blocked everywhere and waited for. */
void signals_of_service(sigset_t *signals);

#endif
