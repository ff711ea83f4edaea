/* What a node that stands by needs to stop arms itself: who may (the keys), where they are (the controllers), and a way to them
 * (a gateway process), all as they were when the store was last read, so that neither the node that serves nor the database is
 * asked. Its HTTP service is the one of every node, with a face that takes stops alone (http/stand_in.h), on a port of
 * loopback that connections are led to. */
#include "server/cmd/stand_by.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

#include "server/app.h"
#include "server/base/clock.h"
#include "server/base/log.h"
#include "server/config/options.h"
#include "server/gateway/gateway.h"
#include "server/http/address.h"
#include "server/http/auth.h"
#include "server/http/server.h"
#include "server/http/stand_in.h"
#include "server/nodes/standing.h"
#include "server/routes/handlers.h"
#include "server/trials/trials.h"

enum { LOOK_MS = 500, LEARN_MS = 1000, LAST_MS = 2000 };

struct stand_in_service {
  const struct stand_by_setup *setup;
  struct standing *standing;
  struct options options;
  struct app app;
  struct stand_in face;
  struct http *http;
  int door_fd;
  struct store *store;     /* to read; NULL: it was not there yet */
  struct node_link *notes; /* of the thread that keeps entries */
  char path[STORE_PATH_SIZE];
  int64_t learn_ns; /* when it is read again */
  bool learned, offered;
};

/* -- the face -- */

static void refuse(void *context, char *detail, size_t size)
{
  struct stand_in_service *s = context;
  const int64_t silent_ms = standing_silent_ms(s->standing);
  snprintf(
      detail, size,
      "this node stands by, and the node that serves has not answered for %.1f s: until it does, or this node takes "
      "its "
      "place, nothing but STOP is taken here. What was on its way to it may have been carried out: repeat it with its "
      "Idempotency-Key",
      (double)silent_ms / 1000);
}

static void stopped(void *context, const char *path, const char *authorization)
{
  struct stand_in_service *s = context;
  log_event(LOG_WARNING, "STOP, in place of the node that serves", "path", path, NULL);
  standing_stopped(s->standing, path, authorization);
}

static enum armdyn_status keep(void *context, const char *const *lines, size_t count)
{
  struct stand_in_service *s = context;
  struct armdyn_error error = { "", "" };
  enum armdyn_status status = s->notes ? ARMDYN_OK : node_link_open(s->setup->options->store, true, &s->notes, &error);
  return status ? status : node_link_note(s->notes, lines, count);
}

/* -- what it knows -- */

static enum armdyn_status read_store(struct stand_in_service *s)
{
  struct armdyn_error error = { "", "" };
  enum armdyn_status status = s->store ? ARMDYN_OK : store_open_reader(s->options.store, &s->store, &error);
  if (!status) status = auth_learn(s->app.auth, s->store);
  return status ? status : gateway_learn(s->app.gateway, s->store);
}

/* Keys and controllers as they are now, at most a second old; while the database is away, as they were. */
static void learn(struct stand_in_service *s)
{
  const int64_t now = clock_monotonic_ns();
  if (now < s->learn_ns) return;
  const enum armdyn_status status = read_store(s);
  s->learn_ns = clock_monotonic_ns() + LEARN_MS * INT64_C(1000000);
  if (!status != s->learned && !s->offered)
    log_event(LOG_WARNING,
              status ? "STOP cannot be sent from here: keys and controllers cannot be read"
                     : "STOP can be sent from here",
              "reason", status ? armdyn_status_text(status) : NULL, NULL);
  s->learned = s->learned || !status;
}

static void offer(struct stand_in_service *s)
{
  struct sockaddr_storage own = { 0 };
  socklen_t size = sizeof own;
  if (s->offered || !s->learned || !gateway_ready(s->app.gateway, NULL)) return;
  if (getsockname(s->door_fd, (struct sockaddr *)&own, &size)) return;
  standing_offer(s->standing, &own, size);
  s->offered = true;
}

/* -- its service -- */

static enum armdyn_status open_door(struct stand_in_service *s, struct armdyn_error *error)
{
  char name[192];
  enum armdyn_status status = address_listen("127.0.0.1:0", "http", &s->door_fd, name, error);
  const struct http_setup setup = { &s->app, s->app.auth, routes, route_count, s->door_fd, s->setup->tls, -1 };
  if (!status) status = http_start(&setup, &s->http, error);
  return status;
}

static enum armdyn_status start(struct stand_in_service *s, struct armdyn_error *error)
{
  s->options = *s->setup->options;
  s->options.http_threads = s->options.upload_threads = 1;
  s->face = (struct stand_in){ .node = standing_node(s->standing),
                               .path = s->path,
                               .stops = "sent by this node, which stands by, for the node that serves does not answer",
                               .refuse = refuse,
                               .stopped = stopped,
                               .keep = keep,
                               .context = s };
  s->app = (struct app){ .options = &s->options, .stand_in = &s->face, .trials = trials_new() };
  if (!s->app.trials) return armdyn_refuse(error, ARMDYN_EMEMORY, "", "no memory to stand by");
  enum armdyn_status status = store_file(s->options.data, s->path, error);
  if (!status) status = auth_new(s->options.admin_key_file, NULL, &s->app.auth, error);
  if (!status) status = gateway_start(NULL, NULL, &s->options, NULL, NULL, &s->app.gateway, error);
  return status ? status : open_door(s, error);
}

static void stop(struct stand_in_service *s)
{
  const int64_t last_ns = clock_monotonic_ns() + LAST_MS * INT64_C(1000000);
  if (s->http) http_quiesce(s->http);
  if (s->http) http_drain(s->http, last_ns);
  gateway_stop(s->app.gateway, last_ns); /* STOPs that are on their way are answered */
  if (s->http)
    http_stop(s->http);
  else if (s->door_fd >= 0)
    close(s->door_fd);
  auth_free(s->app.auth);
  trials_free(s->app.trials);
  node_link_close(s->notes);
  store_close(s->store);
}

/* -- for serve -- */

void signals_of_service(sigset_t *signals)
{
  sigemptyset(signals);
  sigaddset(signals, SIGTERM);
  sigaddset(signals, SIGINT);
  sigaddset(signals, SIGHUP);
}

/* Others may have seen as soon that it is free, and the database may be away again: then all is as before. STOP is taken
 * meanwhile. */
static enum armdyn_status take_store(struct stand_in_service *s, struct armdyn_error *error)
{
  struct armdyn_error why = { "", "" };
  standing_let_go(s->standing);
  const enum armdyn_status status = s->setup->take(s->setup->context, &why);
  if (status != ARMDYN_EBUSY && status != ARMDYN_EUNAVAILABLE) {
    *error = why;
    return status;
  }
  log_event(LOG_WARNING, "the store could not be taken: this node goes on standing by", "reason", why.message, NULL);
  return standing_take_back(s->standing, error) ? ARMDYN_ECONFLICT : status;
}

/* OK: it has the store. */
static enum armdyn_status wait_for_store(struct stand_in_service *s, struct armdyn_error *error)
{
  const struct timespec pause = { .tv_nsec = LOOK_MS * 1000000L };
  sigset_t signals;
  signals_of_service(&signals);
  for (;;) {
    if (standing_look(s->standing)) {
      const enum armdyn_status status = take_store(s, error);
      if (status != ARMDYN_EBUSY && status != ARMDYN_EUNAVAILABLE) return status;
    }
    learn(s);
    offer(s);
    s->setup->ready(s->setup->context);
    const int signal = sigtimedwait(&signals, NULL, &pause);
    if (signal == SIGHUP) s->setup->reload(s->setup->context, s->app.auth);
    if (signal != SIGTERM && signal != SIGINT) continue;
    log_event(LOG_INFO, "stopping", "signal", strsignal(signal), NULL);
    return ARMDYN_ECANCELLED;
  }
}

enum armdyn_status stand_by(const struct stand_by_setup *setup, struct armdyn_error *error)
{
  const struct options *options = setup->options;
  const struct standing_setup standing = { options->store, options->data, options->node_address, setup->listen_fd,
                                           setup->tls != NULL };
  struct stand_in_service s = { .setup = setup, .door_fd = -1 };
  enum armdyn_status status = standing_start(&standing, &s.standing, error);
  if (!status) status = start(&s, error);
  if (!status) status = wait_for_store(&s, error);
  if (s.standing) standing_offer(s.standing, NULL, 0);
  stop(&s);
  standing_stop(s.standing);
  return status;
}
