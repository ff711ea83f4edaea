/* One client's stream of events: what it is sent, when it sleeps, how it ends. */
#include <errno.h>
#include <inttypes.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/socket.h>

#include "server/base/clock.h"
#include "server/http/events.h"
#include "server/http/events_internal.h"

enum { BEAT_S = 15 /* a comment at least so often */, BLOCK = 64 * 1024 };
static const int64_t SECOND = 1000000000;
static const size_t SNAPSHOT_MOST = MB(16);

static bool takes(const struct event_filter *filter, const struct event *event)
{
  return event_filter_takes(filter, event->topic, event->of);
}

/* -- under the lock -- */

void stream_wake(struct event_stream *s)
{
  if (!s->sleeps) return;
  s->sleeps = false;
  MHD_resume_connection(s->mhd);
}

bool stream_has_news(struct event_stream *s)
{
  struct hub *hub = s->hub;
  if (s->at < hub->first) return true;
  while (s->at < hub->end && !takes(&s->filter, *hub_place(hub, s->at))) s->at++;
  return s->at < hub->end;
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
    const struct event *event = *hub_place(hub, s->at);
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

/* -- sending -- */

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

/* -- opening -- */

/* Where a client goes on that says what it saw last; false: that is not known any more. */
static bool find_place(const struct hub *hub, const char *last, uint64_t *at)
{
  if (!last || !*last || strspn(last, "0123456789") != strlen(last)) return false;
  errno = 0;
  unsigned long long seen = strtoull(last, NULL, 10);
  if (errno || seen + 1 < hub->first || seen >= hub->end || hub_is_deserted(hub)) return false;
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
  if (hub_is_deserted(hub)) hub_begin_anew(hub);
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
