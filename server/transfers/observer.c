#include "server/transfers/observer.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "api/json/writer.h"
#include "server/app.h"
#include "server/base/clock.h"
#include "server/config/options.h"
#include "server/gateway/gateway.h"
#include "server/http/events.h"
#include "server/transfers/controller_view.h"

enum {
  WATCHED_MOST = 256, /* controllers; further ones are not looked at */
  LOOK_MS = 1000,     /* how often */
  PLAYING_MS = 250,   /* with a transfer: what its gateway has seen anyway */
  TICK_MS = 250,
  UNREACHABLE_MS = 5000 /* so that nobody else has to wait for attempts to connect */
};
static const size_t STATUS_MOST = KB(64);

struct watched {
  char name[ARMDYN_NAME_SIZE];
  struct observer *observer;
  int64_t next_ns;                                             /* when it is looked at again */
  bool pending;                                                /* the gateway was asked */
  bool wanted;                                                 /* in the last list, and somebody asks for it */
  bool answered;                                               /* it was looked at, and the entry is enabled */
  bool barred;                                                 /* it is not enabled */
  bool restarted;                                              /* since that was asked last */
  enum sight { SIGHT_UNKNOWN, SIGHT_THERE, SIGHT_LOST } sight; /* what the log of events was told last */
  struct observation seen;
  char *told; /* the last description, from where the times are over; NULL: none */
};

struct observer {
  struct app *app;
  struct announce changes;
  pthread_mutex_t lock; /* what was seen and told; the table changes on the hub's thread only */
  int64_t tick_ns;      /* when the list is gone through again */
  bool log_asks;        /* all are looked at, for the log */
  _Atomic bool kept_looking;
  struct watched *watched[WATCHED_MOST];
  size_t count;
};

struct observer *observer_new(struct app *app, const struct announce *changes)
{
  struct observer *o = calloc(1, sizeof *o);
  if (!o) return NULL;
  o->app = app;
  o->changes = *changes;
  pthread_mutex_init(&o->lock, NULL);
  return o;
}

static void watched_free(struct watched *w)
{
  free(w->told);
  free(w);
}

void observer_free(struct observer *o)
{
  if (!o) return;
  for (size_t i = 0; i < o->count; i++) watched_free(o->watched[i]);
  pthread_mutex_destroy(&o->lock);
  free(o);
}

/* Under the lock. */
static struct watched *find(const struct observer *o, const char *name)
{
  for (size_t i = 0; i < o->count; i++)
    if (!strcmp(o->watched[i]->name, name)) return o->watched[i];
  return NULL;
}

static struct watched *find_or_add(struct observer *o, const char *name)
{
  pthread_mutex_lock(&o->lock);
  struct watched *w = find(o, name);
  if (!w && o->count < WATCHED_MOST && (w = calloc(1, sizeof *w))) {
    snprintf(w->name, sizeof w->name, "%s", name);
    w->observer = o;
    o->watched[o->count++] = w;
  }
  pthread_mutex_unlock(&o->lock);
  return w;
}

/* -- looking -- */

/* From the gateway's thread. */
static void seen_answered(void *context, enum armdyn_status status, const char *text, const struct observation *seen)
{
  (void)status;
  struct watched *w = context;
  struct observer *o = w->observer;
  char holder[ID_SIZE];
  int64_t pause_ms = gateway_lease(o->app->gateway, w->name, holder) ? PLAYING_MS
                     : seen->connected                               ? LOOK_MS
                                                                     : UNREACHABLE_MS;
  pthread_mutex_lock(&o->lock);
  bool known = seen->seen_ms || !w->seen.seen_ms; /* an answer that never came tells only that there is no connection */
  if (known && w->seen.seen_ms && seen->connected && seen->state.instance != w->seen.state.instance)
    w->restarted = true;
  if (known) w->seen = *seen;
  w->seen.connected = seen->connected;
  w->barred = text == gateway_barred;
  w->answered = !w->barred;
  w->pending = false;
  w->next_ns = clock_monotonic_ns() + pause_ms * 1000000;
  pthread_mutex_unlock(&o->lock);
  announce_change(&o->changes, w->name);
}

static void look(void *context, const struct store_controller *row)
{
  struct observer *o = context;
  const bool asked = o->log_asks || hub_asks(o->app->events, TOPIC_CONTROLLERS, row->name);
  struct watched *w = asked ? find_or_add(o, row->name) : NULL;
  if (!w) return;
  pthread_mutex_lock(&o->lock);
  w->wanted = true;
  bool due = !w->pending && clock_monotonic_ns() >= w->next_ns;
  if (due) w->pending = true;
  pthread_mutex_unlock(&o->lock);
  if (due) gateway_command(o->app->gateway, w->name, "", ASK_LOOK, 0, seen_answered, w);
}

/* Controllers that are deleted, or that nobody asks for any more, make room; not while the gateway may still answer. */
static void forget_unwanted(struct observer *o)
{
  pthread_mutex_lock(&o->lock);
  for (size_t i = o->count; i-- > 0;) {
    struct watched *w = o->watched[i];
    if (w->wanted || w->pending) {
      w->wanted = false;
      continue;
    }
    watched_free(w);
    o->watched[i] = o->watched[--o->count];
  }
  pthread_mutex_unlock(&o->lock);
}

/* What is seen of one that answered before, or was lost; a busy store is told at the next tick. */
static void log_sight(struct observer *o, struct watched *w)
{
  pthread_mutex_lock(&o->lock);
  const enum sight sight = !w->answered ? w->sight : w->seen.connected ? SIGHT_THERE : SIGHT_LOST;
  pthread_mutex_unlock(&o->lock);
  if (sight == w->sight) return;
  if (!store_event_sight(o->app->store, w->name, sight == SIGHT_LOST, NULL)) w->sight = sight;
}

static bool log_asks(const struct observer *o)
{
  const struct app *app = o->app;
  bool told = false;
  if (app->mqtt || atomic_load(&o->kept_looking) || !strcmp(app->options->watch_controllers, "on")) return true;
  return !store_webhook_hears(app->store, "controller.lost,controller.back,alarm.raised,alarm.cleared", &told) && told;
}

void observer_keep_looking(struct observer *o, bool wanted)
{
  atomic_store(&o->kept_looking, wanted);
}

void observer_tick(struct observer *o)
{
  if (clock_monotonic_ns() < o->tick_ns) return;
  o->tick_ns = clock_monotonic_ns() + (int64_t)TICK_MS * 1000000;
  o->log_asks = log_asks(o);
  if (!o->log_asks && !hub_asks(o->app->events, TOPIC_CONTROLLERS, NULL)) return;
  for (size_t i = 0; i < o->count; i++) log_sight(o, o->watched[i]);
  if (!store_controller_list(o->app->store, STORE_ALL_BY_NAME, look, o))
    forget_unwanted(o); /* a busy store is asked at the next tick */
}

/* -- telling -- */

bool observer_sighting(struct observer *o, const char *controller, struct sighting *out)
{
  pthread_mutex_lock(&o->lock);
  struct watched *w = find(o, controller);
  const bool known = w && (w->answered || w->barred);
  *out = (struct sighting){ .lost = false };
  if (known && w->answered) {
    const struct controller_state *state = &w->seen.state;
    out->lost = !w->seen.connected;
    out->fault = w->seen.connected && state->phase == PHASE_FAULT;
    out->error = state->own_error ? state->own_error : state->error;
    out->restarted = w->restarted;
    w->restarted = false;
  }
  pthread_mutex_unlock(&o->lock);
  return known;
}

static enum armdyn_status make_view(struct app *app, const char *name, struct controller_view *view)
{
  struct store_controller row;
  enum armdyn_status status = store_controller_get(app->store, name, &row);
  if (status) return status;
  struct faults *faults = calloc(1, sizeof *faults);
  struct controller_description *controller = malloc(sizeof *controller);
  status = ARMDYN_EMEMORY;
  if (faults && controller) status = controller_decode(row.document, strlen(row.document), controller, faults);
  if (!status) status = controller_view_make(app, controller, view, faults);
  free(controller);
  free(faults);
  store_controller_release(&row);
  return status;
}

/* Is this other than what was told last? observed_at and age come before "stale", and are always other. */
static bool is_news(struct watched *w, const struct buffer *text)
{
  const char *from = strstr(text->data, "\"stale\"");
  if (!from) from = text->data;
  if (w->told && !strcmp(w->told, from)) return false;
  free(w->told);
  w->told = strdup(from);
  return true;
}

enum armdyn_status observer_describe(struct observer *o, const char *controller, bool only_news, struct buffer *out)
{
  struct controller_view view;
  enum armdyn_status status = make_view(o->app, controller, &view);
  if (status) return status;
  struct observation seen = { 0 };
  pthread_mutex_lock(&o->lock);
  struct watched *w = find(o, controller);
  if (w) seen = w->seen;
  pthread_mutex_unlock(&o->lock);

  struct buffer text = BUFFER(STATUS_MOST);
  struct json_writer writer = { .out = out };
  controller_view_encode(o->app, &view, &seen, &text);
  if (!buffer_ok(&text)) status = text.failure;
  pthread_mutex_lock(&o->lock);
  if (!status && only_news && w && !is_news(w, &text)) status = ARMDYN_ENOTFOUND;
  pthread_mutex_unlock(&o->lock);
  if (!status) {
    json_begin_object(&writer);
    json_key(&writer, "name"), json_write_text(&writer, controller);
    json_key(&writer, "status"), json_write_raw_n(&writer, text.data, text.length);
    json_end_object(&writer);
  }
  buffer_release(&text);
  return status;
}
