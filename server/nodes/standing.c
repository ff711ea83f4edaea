#include "server/nodes/standing.h"

#include <netdb.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "armdyn/armdyn.h"
#include "server/base/clock.h"
#include "server/base/log.h"
#include "server/nodes/liveness.h"
#include "server/nodes/passing.h"
#include "server/store/node.h"

static const int64_t SEEN_NS = 2000000000; /* how often it says that it is there */

struct standing {
  struct standing_setup setup;
  int lock; /* DIR/lock */
  struct store_node self;
  struct node_link *link;
  struct passing *passing;
  struct liveness *liveness;  /* of the holder */
  struct store_holder holder; /* that is followed */
  bool found;                 /* its host is known */
  bool away;                  /* the database is */
  int64_t seen_ns;
};

/* -- whom it follows -- */

static bool find_host(const char *address, struct sockaddr_storage *to, socklen_t *size)
{
  char host[sizeof((struct store_holder *)0)->address];
  const char *colon = strrchr(address, ':');
  if (!colon) return false;
  const bool brackets = *address == '[' && colon > address && colon[-1] == ']';
  snprintf(host, sizeof host, "%.*s", (int)(colon - address) - 2 * brackets, address + brackets);
  const struct addrinfo hints = { .ai_socktype = SOCK_STREAM };
  struct addrinfo *found = NULL;
  if (getaddrinfo(host, colon + 1, &hints, &found)) return false;
  memcpy(to, found->ai_addr, found->ai_addrlen);
  *size = found->ai_addrlen;
  freeaddrinfo(found);
  return true;
}

/* Of a holder that was started anew, the connections have ended anyway. */
static void follow(struct standing *s, const struct store_holder *holder)
{
  struct sockaddr_storage to = { 0 };
  socklen_t size = 0;
  const bool anew = holder->epoch != s->holder.epoch || strcmp(holder->address, s->holder.address) != 0;
  if (s->found && !anew) return;
  s->holder = *holder;
  s->found = find_host(holder->address, &to, &size);
  passing_lead(s->passing, &to, size);
  if (anew) liveness_follow(s->liveness, holder->address);
  if (anew || s->found)
    log_event(s->found ? LOG_INFO : LOG_WARNING,
              s->found ? "standing by for the node that holds the store"
                       : "the host of the node that serves is unknown",
              "host", holder->host, "address", holder->address, NULL);
}

static enum armdyn_status check_holder(const struct standing *s, struct armdyn_error *error)
{
  struct store_holder holder;
  const enum armdyn_status status = node_link_holder(s->link, &holder);
  if (status)
    return armdyn_refuse(error, ARMDYN_ECONFLICT, "",
                         "another armdyn holds the store, and it does not say where it is: upgrade it first");
  if (!holder.free && !*holder.address)
    return armdyn_refuse(
        error, ARMDYN_ECONFLICT, "",
        "the store is held by the armdyn on %.60s (process %lld), which has no --node-address: this node "
        "cannot pass on to it what it is asked",
        holder.host, (long long)holder.process);
  if (!holder.free && !strcmp(holder.address, s->setup.address))
    return armdyn_refuse(error, ARMDYN_ECONFLICT, "",
                         "--node-address: '%.128s' is that of the armdyn on %.60s (process %lld), too, which holds the "
                         "store",
                         holder.address, holder.host, (long long)holder.process);
  return ARMDYN_OK;
}

/* -- for the command -- */

static void silence_changed(void *context, bool silent)
{
  const struct standing *s = context;
  passing_silent(s->passing, silent);
}

static void introduce(struct standing *s)
{
  s->self.process = getpid();
  gethostname(s->self.host, sizeof s->self.host - 1);
  snprintf(s->self.version, sizeof s->self.version, "%s", armdyn_version());
  snprintf(s->self.address, sizeof s->self.address, "%s", s->setup.address);
  clock_format(clock_wall_ms(), s->self.started_at);
}

enum armdyn_status standing_start(const struct standing_setup *setup, struct standing **out, struct armdyn_error *error)
{
  struct standing *s = calloc(1, sizeof *s);
  if (!s) return armdyn_refuse(error, ARMDYN_EMEMORY, "", "no memory to stand by");
  s->setup = *setup;
  s->lock = -1;
  introduce(s);
  enum armdyn_status status = store_hold_directory(setup->data, &s->lock, error);
  if (!status) status = store_node(setup->data, s->self.id, error);
  if (!status) status = node_link_open(setup->store, true, &s->link, error);
  if (!status) status = check_holder(s, error);
  if (!status) status = passing_start(setup->listen_fd, setup->encrypted, &s->passing, error);
  const struct liveness_setup liveness = { setup->encrypted, silence_changed, s };
  if (!status) status = liveness_start(&liveness, &s->liveness, error);
  if (status)
    standing_stop(s);
  else
    *out = s;
  return status;
}

/* While the database is away nobody is known to have stopped serving. */
bool standing_look(struct standing *s)
{
  struct store_holder holder;
  const int64_t now = clock_monotonic_ns();
  enum armdyn_status status = node_link_holder(s->link, &holder);
  if (!status && holder.free) return true;
  if (!status) follow(s, &holder);
  if (!status && now - s->seen_ns > SEEN_NS) {
    status = node_link_announce(s->link, &s->self);
    s->seen_ns = now;
  }
  if ((status != ARMDYN_OK) != s->away)
    log_event(LOG_WARNING, status ? "the database is away" : "the database is back", NULL);
  s->away = status != ARMDYN_OK;
  return false;
}

const char *standing_node(const struct standing *s)
{
  return s->self.id;
}

void standing_offer(struct standing *s, const struct sockaddr_storage *own, socklen_t size)
{
  passing_own(s->passing, own, size);
}

int64_t standing_silent_ms(struct standing *s)
{
  return liveness_silent_ms(s->liveness);
}

void standing_stopped(struct standing *s, const char *path, const char *authorization)
{
  liveness_tell(s->liveness, path, authorization);
}

void standing_let_go(struct standing *s)
{
  close(s->lock);
  s->lock = -1;
}

enum armdyn_status standing_take_back(struct standing *s, struct armdyn_error *error)
{
  return store_hold_directory(s->setup.data, &s->lock, error);
}

void standing_stop(struct standing *s)
{
  if (!s) return;
  liveness_stop(s->liveness);
  passing_stop(s->passing);
  if (s->link) node_link_leave(s->link, s->self.id);
  node_link_close(s->link);
  if (s->lock >= 0) close(s->lock);
  free(s);
}
