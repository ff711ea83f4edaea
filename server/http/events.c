#include "server/http/events.h"

#include <errno.h>
#include <inttypes.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "server/base/clock.h"
#include "server/base/log.h"
#include "server/base/metric.h"
#include "server/http/internal.h"

enum {
  CHANGES_MOST = 1024, /* things that changed between two looks; beyond it every stream begins anew */
  LOOK_MS = 100,
  BEAT_S = 15,     /* a comment at least so often */
  DESERTED_S = 60, /* events are kept for so long after the last stream has ended */
  FRAME = 96,      /* bytes of an event around its data */
  BLOCK = 64 * 1024
};
static const int64_t SECOND = 1000000000;
static const size_t KEPT_BYTES = MB(8);
static const size_t SNAPSHOT_MOST = MB(16);

struct event {
  uint64_t id;
  enum event_topic topic;
  char of[ARMDYN_NAME_SIZE];
  bool ended;
  size_t length;
  char text[]; /* as it is sent */
};

struct change {
  size_t kind;
  char id[ARMDYN_NAME_SIZE];
};

/* One answer. */
struct event_stream {
  struct event_stream *previous, *next;
  struct hub *hub;
  uint64_t number;
  struct exchange *x; /* on its event thread only */
  struct MHD_Connection *mhd;
  int fd;
  struct auth *auth; /* by whose right it is sent, and since when */
  struct caller caller;
  int64_t since_ns;
  struct event_filter filter;
  uint64_t at;       /* the next event */
  struct buffer out; /* what goes out now, and how much of it has gone */
  size_t sent;
  int64_t beat_ns;  /* when the next comment is due */
  bool sleeps;      /* suspended: only the hub resumes it */
  bool beats, ends; /* send a comment; say no more */
  bool lost;        /* break off: the client is gone, too slow, or has no right any more */
};

struct hub {
  struct event_setup setup;
  pthread_t thread;
  bool running;
  int epoll_fd; /* clients that leave while their connection is suspended */

  pthread_mutex_t lock;
  bool stopping;
  struct event_stream *streams;
  uint64_t stream_count;              /* since the start */
  uint64_t refused;                   /* streams beyond the share of their key */
  struct event *events[LIMIT_EVENTS]; /* event i at i % LIMIT_EVENTS */
  uint64_t first, end;                /* those kept are [first, end) */
  size_t bytes;
  struct change changes[CHANGES_MOST];
  size_t change_count;
  bool overflow;
  int64_t deserted_ns; /* nobody has listened since; events are kept for a while */
};

static bool takes(const struct event_filter *filter, const struct event *event)
{
  return event_filter_takes(filter, event->topic, event->of);
}

bool event_filter_takes(const struct event_filter *filter, enum event_topic topic, const char *name)
{
  const struct event_names *names = &filter->of[topic];
  if (!name) return names->all || names->count > 0;
  for (size_t i = 0; i < names->count; i++)
    if (!strcmp(names->names[i], name)) return true;
  return names->all;
}

/* -- what is kept; under the lock -- */

static struct event **place(struct hub *hub, uint64_t id)
{
  return &hub->events[id % LIMIT_EVENTS];
}

static void drop_first(struct hub *hub)
{
  struct event **first = place(hub, hub->first++);
  hub->bytes -= (*first)->length;
  free(*first);
  *first = NULL;
}

/* Who has seen everything until now has still missed something. */
static void begin_anew(struct hub *hub)
{
  while (hub->first < hub->end) drop_first(hub);
  hub->first = ++hub->end;
}

static void keep(struct hub *hub, struct event *event)
{
  while (hub->end - hub->first == LIMIT_EVENTS || (hub->first < hub->end && hub->bytes + event->length > KEPT_BYTES))
    drop_first(hub);
  hub->bytes += event->length;
  *place(hub, hub->end++) = event;
}

/* -- the streams; under the lock -- */

static void wake(struct event_stream *s)
{
  if (!s->sleeps) return;
  s->sleeps = false;
  MHD_resume_connection(s->mhd);
}

/* On the event thread, from within the reader: nobody can resume it before it is suspended, because that takes the lock. */
static long sleep_now(struct event_stream *s)
{
  s->sleeps = true;
  atomic_store_explicit(&s->x->connection->deadline, 0, memory_order_relaxed); /* all that was written has gone out */
  MHD_suspend_connection(s->mhd);
  return STREAM_SLEEPS;
}

static void write_end(struct event_stream *s)
{
  buffer_text(&s->out, "event: end\ndata: {}\n\n");
  s->ends = true;
}

/* Put what is new into s->out; nothing when there is nothing. */
static void fill(struct event_stream *s)
{
  struct hub *hub = s->hub;
  buffer_clear(&s->out);
  s->sent = 0;
  if (s->at < hub->first) s->lost = true;
  for (; !s->lost && !s->ends && s->at < hub->end && s->out.length < BLOCK; s->at++) {
    const struct event *event = *place(hub, s->at);
    if (!takes(&s->filter, event)) continue;
    buffer_append(&s->out, event->text, event->length);
    if (s->filter.one && event->ended) write_end(s);
  }
  if (!s->out.length && s->beats) buffer_text(&s->out, ": still here\n\n");
  s->beats = false;
  if (s->out.length) s->beat_ns = clock_monotonic_ns() + BEAT_S * SECOND;
  if (!buffer_ok(&s->out)) s->lost = true;
}

/* libmicrohttpd 0.9.75 may forget a connection that its reader fails while the kernel has nothing to tell of it. One that
 * cannot be written to any more is closed at once. */
static void break_off(struct event_stream *s)
{
  shutdown(s->fd, SHUT_RDWR);
  buffer_clear(&s->out);
  buffer_text(&s->out, ":\n\n");
  s->sent = 0;
}

/* For libmicrohttpd: on the event thread, whenever the client takes more. */
static long next(void *state, char *to, size_t size)
{
  struct event_stream *s = state;
  pthread_mutex_lock(&s->hub->lock);
  if (s->sent == s->out.length && !s->ends) fill(s);
  if (s->lost) break_off(s);
  size_t left = s->out.length - s->sent;
  bool over = s->ends || s->hub->stopping;
  long result = left ? (long)(left < size ? left : size) : over ? 0 : sleep_now(s);
  if (result > 0) {
    memcpy(to, s->out.data + s->sent, (size_t)result);
    s->sent += (size_t)result;
  }
  if (s->sent == s->out.length && s->out.capacity > 2 * BLOCK) { /* the snapshot is through */
    buffer_release(&s->out);
    s->sent = 0;
    exchange_hold(s->x, 0);
  }
  pthread_mutex_unlock(&s->hub->lock);
  return result;
}

/* Its exchange may have been forgotten before it; the socket is still open. */
static void forget(void *state)
{
  struct event_stream *s = state;
  struct hub *hub = s->hub;
  pthread_mutex_lock(&hub->lock);
  *(s->previous ? &s->previous->next : &hub->streams) = s->next;
  if (s->next) s->next->previous = s->previous;
  if (!hub->streams) hub->deserted_ns = clock_monotonic_ns();
  pthread_mutex_unlock(&hub->lock);
  epoll_ctl(hub->epoll_fd, EPOLL_CTL_DEL, s->fd, NULL);
  buffer_release(&s->out);
  free(s);
}

static bool deserted(const struct hub *hub)
{
  return !hub->streams && clock_monotonic_ns() > hub->deserted_ns + DESERTED_S * SECOND;
}

/* Where a client goes on that says what it saw last; false: that is not known any more. */
static bool find_place(const struct hub *hub, const char *last, uint64_t *at)
{
  if (!last || !*last || strspn(last, "0123456789") != strlen(last)) return false;
  errno = 0;
  unsigned long long seen = strtoull(last, NULL, 10);
  if (errno || seen + 1 < hub->first || seen >= hub->end || deserted(hub)) return false;
  *at = seen + 1;
  return true;
}

/* What a stalled reader leaves in the socket would stay there as long as there is little news: the kernel gives it up. */
static void limit_patience(const struct exchange *x)
{
  unsigned ms = (unsigned)(x->http->idle_timeout / 1000000);
  setsockopt(x->connection->fd, IPPROTO_TCP, TCP_USER_TIMEOUT, &ms, sizeof ms); /* control.sock has none */
}

/* Under the lock. */
static size_t streams_of(const struct hub *hub, const char *key)
{
  size_t count = 0;
  for (const struct event_stream *s = hub->streams; s; s = s->next) count += !strcmp(s->caller.id, key);
  return count;
}

/* Under the lock: false when its key has as many as it may. */
static bool take_in(struct hub *hub, struct event_stream *s, size_t most)
{
  if (most && !s->x->connection->local && streams_of(hub, s->caller.id) >= most) {
    hub->refused++;
    return false;
  }
  s->number = ++hub->stream_count;
  s->next = hub->streams;
  if (s->next) s->next->previous = s;
  hub->streams = s;
  return true;
}

static void refuse_share(struct exchange *x, size_t most)
{
  exchange_set_header(x, "Retry-After", "5");
  answer_problem(x, PROBLEM_TOO_MANY,
                 "this key has %zu streams of events open, as many as one key may have so that others find room "
                 "(--streams-per-key): close one, or follow many things by one stream, /v1/events?jobs=*&controllers=*",
                 most);
}

void hub_write_metrics(struct hub *hub, struct buffer *out)
{
  pthread_mutex_lock(&hub->lock);
  size_t count = 0;
  for (const struct event_stream *s = hub->streams; s; s = s->next) count++;
  const uint64_t refused = hub->refused;
  pthread_mutex_unlock(&hub->lock);
  metric_write(out, "armdyn_streams", METRIC_GAUGE, "Streams of events that are open.", (double)count);
  metric_write(out, "armdyn_streams_per_key_limit", METRIC_GAUGE, "Streams of one key; 0: no limit.",
               (double)hub->setup.app->options->streams_per_key);
  metric_write(out, "armdyn_streams_share_refusals_total", METRIC_COUNTER,
               "Streams that were refused because their key had as many as it may.", (double)refused);
}

bool stream_open(struct exchange *x, struct hub *hub, const struct event_filter *filter, struct event_stream **stream,
                 bool *resumes)
{
  struct event_stream *s = exchange_may_stream(x) ? calloc(1, sizeof *s) : NULL;
  if (!s) {
    exchange_set_header(x, "Retry-After", "5");
    answer_problem(x, PROBLEM_UNAVAILABLE, "too many streams are open, or the service stops");
    return false;
  }
  *s = (struct event_stream){ .hub = hub,
                              .x = x,
                              .mhd = x->mhd,
                              .fd = x->connection->fd,
                              .auth = x->http->auth,
                              .caller = x->caller,
                              .since_ns = x->started,
                              .filter = *filter };
  s->out = (struct buffer)BUFFER(SNAPSHOT_MOST);
  s->beat_ns = clock_monotonic_ns() + BEAT_S * SECOND;
  const char *last = exchange_header(x, "Last-Event-ID");
  const size_t most = (size_t)x->http->app->options->streams_per_key;
  pthread_mutex_lock(&hub->lock);
  if (deserted(hub)) begin_anew(hub);
  s->at = hub->end;
  *resumes = find_place(hub, last, &s->at);
  const bool taken = take_in(hub, s, most);
  pthread_mutex_unlock(&hub->lock);
  if (!taken) {
    free(s);
    refuse_share(x, most);
    return false;
  }
  limit_patience(x);
  *stream = s;
  return true;
}

void stream_answer(struct event_stream *s, struct buffer *snapshot)
{
  struct exchange *x = s->x;
  buffer_text(&s->out, "retry: 2000\n\n");
  if (snapshot->length) buffer_format(&s->out, "id: %" PRIu64 "\nevent: snapshot\ndata: ", s->at - 1);
  if (snapshot->length) buffer_append(&s->out, snapshot->data, snapshot->length);
  if (snapshot->length) buffer_text(&s->out, "\n\n");
  enum armdyn_status failure = snapshot->failure ? snapshot->failure : s->out.failure;
  buffer_release(snapshot);
  struct epoll_event leaves = { .events = EPOLLRDHUP | EPOLLET, .data.u64 = s->number };
  if (!failure && epoll_ctl(s->hub->epoll_fd, EPOLL_CTL_ADD, s->fd, &leaves)) failure = ARMDYN_EMEMORY;
  if (failure) {
    forget(s);
    answer_status(x, failure, NULL);
    return;
  }
  exchange_set_header(x, "Cache-Control", "no-store");
  exchange_set_header(x, "X-Accel-Buffering", "no"); /* proxies that would gather events */
  answer_stream(x, 200, media_type(MEDIA_EVENTS), next, forget, s, s->out.length);
}

/* -- changes -- */

void hub_changed(struct hub *hub, size_t kind, const char *id)
{
  pthread_mutex_lock(&hub->lock);
  size_t i = 0;
  while (i < hub->change_count && (hub->changes[i].kind != kind || strcmp(hub->changes[i].id, id) != 0)) i++;
  if (i == hub->change_count && !deserted(hub)) {
    if (i == CHANGES_MOST) {
      hub->overflow = true;
    } else {
      hub->changes[i].kind = kind;
      snprintf(hub->changes[i].id, sizeof hub->changes[i].id, "%s", id);
      hub->change_count++;
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
    if (!any && hub->overflow) begin_anew(hub);
    if (!any) hub->overflow = false;
    pthread_mutex_unlock(&hub->lock);
    if (!any) return;
    tell(hub, &change);
  }
}

/* -- the hub's thread -- */

/* Move over what a sleeping stream did not ask for. true: it has something to say. */
static bool has_news(struct event_stream *s)
{
  struct hub *hub = s->hub;
  if (s->at < hub->first) return true;
  while (s->at < hub->end && !takes(&s->filter, *place(hub, s->at))) s->at++;
  return s->at < hub->end;
}

static void look_at_streams(struct hub *hub, bool at_rights)
{
  int64_t now = clock_monotonic_ns();
  pthread_mutex_lock(&hub->lock);
  for (struct event_stream *s = hub->streams; s; s = s->next) {
    if (at_rights && !auth_still_good(s->auth, &s->caller, s->since_ns)) s->lost = true;
    if (!s->sleeps) continue;
    s->beats = now >= s->beat_ns;
    if (s->lost || s->beats || hub->stopping || has_news(s)) wake(s);
  }
  pthread_mutex_unlock(&hub->lock);
}

/* Clients that have gone while nobody reads from them; a stream may have ended since this was noticed. */
static void see_off(struct hub *hub, const struct epoll_event *gone, int count)
{
  pthread_mutex_lock(&hub->lock);
  for (struct event_stream *s = hub->streams; s; s = s->next)
    for (int i = 0; i < count; i++)
      if (gone[i].data.u64 == s->number) s->lost = true;
  for (struct event_stream *s = hub->streams; s; s = s->next)
    if (s->lost) wake(s);
  pthread_mutex_unlock(&hub->lock);
}

static void *run(void *context)
{
  enum { GONE_MOST = 64, RIGHTS_EVERY = 10 /* looks */ };
  struct hub *hub = context;
  int64_t look_ns = 0;
  for (unsigned looks = 0;;) {
    struct epoll_event gone[GONE_MOST];
    int count = epoll_wait(hub->epoll_fd, gone, GONE_MOST, LOOK_MS);
    if (count > 0) see_off(hub, gone, count);
    if (clock_monotonic_ns() < look_ns) continue;
    look_ns = clock_monotonic_ns() + LOOK_MS * (SECOND / 1000);
    pthread_mutex_lock(&hub->lock);
    bool running = hub->running;
    pthread_mutex_unlock(&hub->lock);
    if (!running) return NULL;
    if (hub->setup.tick) hub->setup.tick(hub->setup.app);
    tell_changes(hub);
    look_at_streams(hub, ++looks % RIGHTS_EVERY == 0);
  }
}

/* -- life -- */

struct hub *hub_new(const struct event_setup *setup)
{
  struct hub *hub = calloc(1, sizeof *hub);
  if (!hub) return NULL;
  hub->setup = *setup;
  hub->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
  pthread_mutex_init(&hub->lock, NULL);
  hub->first = hub->end = (uint64_t)clock_wall_ms() * 1000; /* ids grow from run to run, too */
  hub->deserted_ns = INT64_MIN / 2;
  if (hub->epoll_fd >= 0) return hub;
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
  for (struct event_stream *s = hub->streams; s; s = s->next) wake(s);
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
  pthread_mutex_destroy(&hub->lock);
  free(hub);
}
