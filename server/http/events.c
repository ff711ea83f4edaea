/* What changes, as events: described once, kept a while, told to every stream that asked. */
#include "server/http/events.h"

#include <inttypes.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "server/base/clock.h"
#include "server/base/metric.h"
#include "server/http/events_internal.h"

enum {
  LOOK_MS = 100,   /* at streams and the clock, where nothing changes */
  SOON_MS = 20,    /* between two looks at least: what changes again meanwhile is one event */
  WAKE_US = 50,    /* or so much for each stream that may be woken, up to LOOK_MS */
  DESERTED_S = 60, /* events are kept for so long after the last stream has ended */
  FRAME = 96       /* bytes of an event around its data */
};
static const int64_t SECOND = 1000000000, MS = 1000000;
static const uint64_t WAKES = 0; /* in the epoll: numbers of streams begin at 1 */
static const size_t KEPT_BYTES = MB(8);

bool event_filter_takes(const struct event_filter *filter, enum event_topic topic, const char *name)
{
  const struct event_names *names = &filter->of[topic];
  if (!name) return names->all || names->count > 0;
  for (size_t i = 0; i < names->count; i++)
    if (!strcmp(names->names[i], name)) return true;
  return names->all;
}

/* -- what is kept; under the lock -- */

struct event **hub_place(struct hub *hub, uint64_t id)
{
  return &hub->events[id % LIMIT_EVENTS];
}

static void drop_first(struct hub *hub)
{
  struct event **first = hub_place(hub, hub->first++);
  hub->bytes -= (*first)->length;
  free(*first);
  *first = NULL;
}

void hub_begin_anew(struct hub *hub)
{
  while (hub->first < hub->end) drop_first(hub);
  hub->first = ++hub->end;
}

static void keep(struct hub *hub, struct event *event)
{
  while (hub->end - hub->first == LIMIT_EVENTS || (hub->first < hub->end && hub->bytes + event->length > KEPT_BYTES))
    drop_first(hub);
  hub->described++;
  hub->bytes += event->length;
  *hub_place(hub, hub->end++) = event;
}

bool hub_is_deserted(const struct hub *hub)
{
  return !hub->streams && clock_monotonic_ns() > hub->deserted_ns + DESERTED_S * SECOND;
}

void hub_write_metrics(struct hub *hub, struct buffer *out)
{
  pthread_mutex_lock(&hub->lock);
  size_t count = 0;
  for (const struct event_stream *s = hub->streams; s; s = s->next) count++;
  const uint64_t refused = hub->refused, described = hub->described;
  pthread_mutex_unlock(&hub->lock);
  metric_write(out, "armdyn_streams", METRIC_GAUGE, "Streams of events that are open.", (double)count);
  metric_write(out, "armdyn_streams_per_key_limit", METRIC_GAUGE, "Streams of one key; 0: no limit.",
               (double)hub->setup.app->options->streams_per_key);
  metric_write(out, "armdyn_stream_events_total", METRIC_COUNTER, "Events that were described, once for all streams.",
               (double)described);
  metric_write(out, "armdyn_streams_share_refusals_total", METRIC_COUNTER,
               "Streams that were refused because their key had as many as it may.", (double)refused);
}

/* -- changes -- */

void hub_changed(struct hub *hub, size_t kind, const char *id)
{
  pthread_mutex_lock(&hub->lock);
  size_t i = 0;
  while (i < hub->change_count && (hub->changes[i].kind != kind || strcmp(hub->changes[i].id, id) != 0)) i++;
  if (i == hub->change_count && !hub_is_deserted(hub)) {
    if (i == CHANGES_MOST) {
      hub->overflow = true;
    } else {
      hub->changes[i].kind = kind;
      snprintf(hub->changes[i].id, sizeof hub->changes[i].id, "%s", id);
      if (!hub->change_count++) eventfd_write(hub->wake_fd, 1);
    }
  }
  pthread_mutex_unlock(&hub->lock);
}

bool hub_asks(struct hub *hub, enum event_topic topic, const char *name)
{
  bool asks = false;
  pthread_mutex_lock(&hub->lock);
  for (const struct event_stream *s = hub->streams; s && !asks; s = s->next)
    asks = event_filter_takes(&s->filter, topic, name);
  pthread_mutex_unlock(&hub->lock);
  return asks;
}

static void write_text(struct event *event, const char *kind, const struct event_description *d)
{
  int head = snprintf(event->text, FRAME, "id: %" PRIu64 "\nevent: %s\ndata: ", event->id, kind);
  char *at = event->text + head;
  memcpy(at, d->json.data, d->json.length);
  memcpy(at + d->json.length, "\n\n", 2);
  event->length = (size_t)head + d->json.length + 2;
}

static struct event *make_event(const struct event_kind *kind, const struct event_description *d)
{
  struct event *event = malloc(sizeof *event + FRAME + d->json.length);
  if (!event) return NULL;
  event->topic = kind->topic;
  memcpy(event->of, d->topic, sizeof event->of);
  event->ended = d->ended;
  return event;
}

static void tell(struct hub *hub, const struct change *change)
{
  const struct event_kind *kind = &hub->setup.kinds[change->kind];
  struct event_description d = { .json = BUFFER(KB(256)) };
  enum armdyn_status status = kind->describe(hub->setup.app, change->id, &d);
  struct event *event = !status && buffer_ok(&d.json) ? make_event(kind, &d) : NULL;
  if (event) {
    pthread_mutex_lock(&hub->lock);
    event->id = hub->end;
    write_text(event, kind->name, &d);
    keep(hub, event);
    pthread_mutex_unlock(&hub->lock);
  }
  buffer_release(&d.json);
}

static void tell_changes(struct hub *hub)
{
  static const struct change none;
  struct change change = none;
  for (size_t told = 0; told < CHANGES_MOST; told++) {
    pthread_mutex_lock(&hub->lock);
    bool any = hub->change_count > 0;
    if (any) {
      change = hub->changes[0];
      memmove(hub->changes, hub->changes + 1, --hub->change_count * sizeof *hub->changes);
    }
    if (!any && hub->overflow) hub_begin_anew(hub);
    if (!any) hub->overflow = false;
    pthread_mutex_unlock(&hub->lock);
    if (!any) return;
    tell(hub, &change);
  }
}

/* -- the hub's thread -- */

/* How many there are. */
static size_t look_at_streams(struct hub *hub, bool at_rights)
{
  int64_t now = clock_monotonic_ns();
  size_t count = 0;
  pthread_mutex_lock(&hub->lock);
  for (struct event_stream *s = hub->streams; s; s = s->next, count++) {
    if (at_rights && !auth_still_good(s->auth, &s->caller, s->since_ns)) s->lost = true;
    if (!s->sleeps) continue;
    s->beats = now >= s->beat_ns;
    if (s->lost || s->beats || hub->stopping || stream_has_news(s)) stream_wake(s);
  }
  pthread_mutex_unlock(&hub->lock);
  return count;
}

static int64_t pause_ns(size_t streams)
{
  const int64_t wakes_ns = (int64_t)streams * WAKE_US * (MS / 1000);
  return wakes_ns < SOON_MS * MS ? SOON_MS * MS : wakes_ns < LOOK_MS * MS ? wakes_ns : LOOK_MS * MS;
}

/* Clients that have gone while nobody reads from them; a stream may have ended since this was noticed. */
static void see_off(struct hub *hub, const struct epoll_event *gone, int count)
{
  pthread_mutex_lock(&hub->lock);
  for (struct event_stream *s = hub->streams; s; s = s->next)
    for (int i = 0; i < count; i++)
      if (gone[i].data.u64 == s->number) s->lost = true;
  for (struct event_stream *s = hub->streams; s; s = s->next)
    if (s->lost) stream_wake(s);
  pthread_mutex_unlock(&hub->lock);
}

/* Until something has changed, but no sooner than soon_ns, or until late_ns; who leaves meanwhile is seen off. */
static void await_changes(struct hub *hub, int64_t soon_ns, int64_t late_ns)
{
  enum { GONE_MOST = 64 };
  bool changed = false;
  for (;;) {
    struct epoll_event gone[GONE_MOST];
    const int64_t left_ns = (changed ? soon_ns : late_ns) - clock_monotonic_ns();
    if (left_ns <= 0) return;
    const int count = epoll_wait(hub->epoll_fd, gone, GONE_MOST, (int)((left_ns + MS - 1) / MS));
    int left = 0;
    for (int i = 0; i < count; i++) {
      eventfd_t wakes;
      if (gone[i].data.u64 != WAKES)
        gone[left++] = gone[i];
      else if (!eventfd_read(hub->wake_fd, &wakes))
        changed = true;
    }
    if (left) see_off(hub, gone, left);
  }
}

static void *run(void *context)
{
  struct hub *hub = context;
  int64_t rights_ns = 0;
  for (;;) {
    const int64_t look_ns = clock_monotonic_ns();
    pthread_mutex_lock(&hub->lock);
    bool running = hub->running;
    pthread_mutex_unlock(&hub->lock);
    if (!running) return NULL;
    if (hub->setup.tick) hub->setup.tick(hub->setup.app);
    tell_changes(hub);
    const size_t streams = look_at_streams(hub, look_ns >= rights_ns);
    if (look_ns >= rights_ns) rights_ns = look_ns + SECOND;
    await_changes(hub, look_ns + pause_ns(streams), look_ns + LOOK_MS * MS);
  }
}

/* -- life -- */

struct hub *hub_new(const struct event_setup *setup)
{
  struct hub *hub = calloc(1, sizeof *hub);
  if (!hub) return NULL;
  hub->setup = *setup;
  hub->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
  hub->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  pthread_mutex_init(&hub->lock, NULL);
  hub->first = hub->end = (uint64_t)clock_wall_ms() * 1000; /* ids grow from run to run, too */
  hub->deserted_ns = INT64_MIN / 2;
  struct epoll_event wakes = { .events = EPOLLIN, .data.u64 = WAKES };
  if (hub->epoll_fd >= 0 && hub->wake_fd >= 0 && !epoll_ctl(hub->epoll_fd, EPOLL_CTL_ADD, hub->wake_fd, &wakes))
    return hub;
  hub_free(hub);
  return NULL;
}

enum armdyn_status hub_start(struct hub *hub)
{
  hub->running = true;
  if (!pthread_create(&hub->thread, NULL, run, hub)) return ARMDYN_OK;
  hub->running = false;
  return ARMDYN_EMEMORY;
}

void hub_quiesce(struct hub *hub)
{
  pthread_mutex_lock(&hub->lock);
  hub->stopping = true;
  for (struct event_stream *s = hub->streams; s; s = s->next) stream_wake(s);
  pthread_mutex_unlock(&hub->lock);
}

void hub_stop(struct hub *hub)
{
  if (!hub) return;
  pthread_mutex_lock(&hub->lock);
  bool running = hub->running;
  hub->running = false;
  pthread_mutex_unlock(&hub->lock);
  if (running) pthread_join(hub->thread, NULL);
}

void hub_free(struct hub *hub)
{
  if (!hub) return;
  while (hub->first < hub->end) drop_first(hub);
  if (hub->epoll_fd >= 0) close(hub->epoll_fd);
  if (hub->wake_fd >= 0) close(hub->wake_fd);
  pthread_mutex_destroy(&hub->lock);
  free(hub);
}
