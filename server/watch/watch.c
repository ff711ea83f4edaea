#include "server/watch/watch.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "api/codec/controller.h"
#include "server/base/log.h"
#include "server/base/rehearsal.h"
#include "server/watch/following.h"

enum {
  TIDINGS_MOST = 256, /* blocks that wait; what is beyond is a gap */
  WATCHES_MOST = 256,
  LOOK_MS = 1000,
  KEEP_MS = 60000,
  STATE_MOST = MB(8)
};

/* What the gateway has told, and nobody has looked at yet. */
struct tiding {
  struct tiding *next;
  char transfer[ID_SIZE];
  struct telemetry_origin origin;
  bool ends, gateway_lost, lost; /* lost: rows that found no room */
  struct telemetry_block block;  /* none of an end, and of what was lost */
};

struct watch {
  struct following following;
  int64_t kept_ms; /* monotonic */
  bool news;       /* since then */
  size_t contacts; /* that a sighting has told of */
};

struct watches {
  struct store *store;
  struct robots *robots;
  pthread_t thread;
  bool begun, stopping;
  pthread_mutex_t queue_lock; /* tidings; waits for nothing */
  pthread_cond_t bell;
  struct tiding *first, **last;
  size_t waiting;
  bool overrun;                               /* rows were lost, which a tiding tells, since the queue was empty */
  char named[WATCHES_MOST][ARMDYN_NAME_SIZE]; /* that are watched: of others no tidings are taken */
  size_t named_count;
  pthread_mutex_t lock; /* watches; what is computed is computed under it */
  struct watch *items[WATCHES_MOST];
  size_t count;
};

/* -- under the lock -- */

static struct watch **find(struct watches *w, const char *controller)
{
  for (size_t i = 0; i < w->count; i++)
    if (!strcmp(w->items[i]->following.controller, controller)) return &w->items[i];
  return NULL;
}

/* The queue knows whom to listen for. */
static void tell_names(struct watches *w)
{
  pthread_mutex_lock(&w->queue_lock);
  w->named_count = w->count;
  for (size_t i = 0; i < w->count; i++)
    snprintf(w->named[i], sizeof w->named[i], "%s", w->items[i]->following.controller);
  pthread_mutex_unlock(&w->queue_lock);
}

static void watch_free(struct watch *watch)
{
  if (!watch) return;
  following_release(&watch->following);
  free(watch);
}

static void remove_watch(struct watches *w, struct watch **at)
{
  watch_free(*at);
  *at = w->items[--w->count];
  tell_names(w);
}

/* The controller's entry, and the revision of its robot that is promoted. */
static enum armdyn_status model_of(struct watches *w, const char *controller, double *rate,
                                   char robot[ARMDYN_NAME_SIZE], const struct robot_entry **model)
{
  struct store_controller row;
  struct controller_description *entry = malloc(sizeof *entry);
  enum armdyn_status status = store_controller_get(w->store, controller, &row);
  if (!status && !entry) status = ARMDYN_EMEMORY;
  if (!status && controller_decode(row.document, strlen(row.document), entry, NULL)) status = ARMDYN_EINTERNAL;
  if (!status) {
    snprintf(robot, ARMDYN_NAME_SIZE, "%s", entry->robot);
    *rate = entry->profile.telemetry_rate;
    status = robots_get(w->robots, entry->robot, entry->revision, true, model);
  }
  store_controller_release(&row);
  free(entry);
  return status;
}

static enum armdyn_status begin_following(struct watches *w, struct following *f, struct armdyn_error *error)
{
  const struct robot_entry *model;
  double rate;
  f->robots = w->robots;
  enum armdyn_status status = model_of(w, f->controller, &rate, f->robot, &model);
  return status ? status : following_begin(f, model, rate, error);
}

/* -- keeping -- */

static void keep(struct watches *w, struct watch *watch)
{
  struct buffer state = BUFFER(STATE_MOST);
  struct store_watch row = { .request = NULL };
  following_save(&watch->following, &state);
  snprintf(row.controller, sizeof row.controller, "%s", watch->following.controller);
  row.state = state.data;
  enum armdyn_status status = state.failure ? state.failure : store_watch_keep(w->store, &row);
  if (status && status != ARMDYN_ENOTFOUND)
    log_event(LOG_ERROR, "what a watch has learnt was not kept", "controller", row.controller, "reason",
              armdyn_status_text(status), NULL);
  watch->news = false;
  watch->kept_ms = clock_monotonic_ns() / 1000000;
  buffer_release(&state);
}

/* -- the thread -- */

static void take(struct watches *w, const struct tiding *tiding)
{
  struct watch **at = find(w, tiding->origin.controller);
  if (!at) return;
  struct following *f = &(*at)->following;
  if (tiding->ends)
    following_end(f, tiding->transfer, tiding->gateway_lost);
  else if (tiding->lost)
    following_miss(f, WATCH_GAP_OVERRUN, f->updated_at, tiding->transfer);
  else
    following_take(f, tiding->transfer, &tiding->origin, &tiding->block);
  (*at)->news = true;
}

/* Is it still the model that is promoted, and the controller there? Then what is learnt goes on. */
static void look_after(struct watches *w, struct watch **at)
{
  struct following *f = &(*at)->following;
  const struct robot_entry *model;
  char robot[ARMDYN_NAME_SIZE];
  double rate;
  enum armdyn_status status = model_of(w, f->controller, &rate, robot, &model);
  if (status == ARMDYN_ENOTFOUND) {
    remove_watch(w, at); /* its row went with the controller's */
    return;
  }
  if (status) return;
  if (model->revision == f->model->revision && !strcmp(robot, f->robot)) {
    robots_release(w->robots, model);
    return;
  }
  snprintf(f->robot, sizeof f->robot, "%s", robot);
  if (following_begin(f, model, rate, NULL)) { /* what was asked does not go with the new one */
    store_watch_delete(w->store, f->controller);
    remove_watch(w, at);
    return;
  }
  (*at)->news = true;
  keep(w, *at);
}

static void look(struct watches *w)
{
  pthread_mutex_lock(&w->lock);
  const int64_t now = clock_monotonic_ns() / 1000000;
  for (size_t i = w->count; i-- > 0;) {
    struct watch *watch = w->items[i];
    if (watch->news && now - watch->kept_ms > KEEP_MS) keep(w, watch);
    look_after(w, &w->items[i]);
  }
  pthread_mutex_unlock(&w->lock);
}

/* What waits, the eldest first; NULL: nothing does. Waits until `until`. */
static struct tiding *next_tidings(struct watches *w, const struct timespec *until, bool *more)
{
  pthread_mutex_lock(&w->queue_lock);
  while (!w->stopping && !w->first && !pthread_cond_timedwait(&w->bell, &w->queue_lock, until)) {
  }
  struct tiding *first = w->first;
  w->first = NULL;
  w->last = &w->first;
  w->waiting = 0;
  w->overrun = false;
  *more = !w->stopping;
  pthread_mutex_unlock(&w->queue_lock);
  return first;
}

static void *run(void *context)
{
  struct watches *w = context;
  struct timespec until;
  bool more = true;
  clock_gettime(CLOCK_MONOTONIC, &until);
  while (more) {
    struct tiding *tiding = next_tidings(w, &until, &more), *after;
    for (; tiding; tiding = after) {
      after = tiding->next;
      pthread_mutex_lock(&w->lock);
      take(w, tiding);
      pthread_mutex_unlock(&w->lock);
      free(tiding);
    }
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    if (now.tv_sec < until.tv_sec || (now.tv_sec == until.tv_sec && now.tv_nsec < until.tv_nsec)) continue;
    look(w);
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_sec += LOOK_MS / 1000;
  }
  return NULL;
}

/* -- the gateway's side -- */

static bool is_named(const struct watches *w, const char *controller)
{
  for (size_t i = 0; i < w->named_count; i++)
    if (!strcmp(w->named[i], controller)) return true;
  return false;
}

static void put(struct watches *w, struct tiding *tiding)
{
  pthread_mutex_lock(&w->queue_lock);
  tiding->lost = !tiding->ends && w->waiting >= TIDINGS_MOST;
  const bool taken = is_named(w, tiding->origin.controller) && !(tiding->lost && w->overrun);
  w->overrun = w->overrun || (taken && tiding->lost);
  if (taken) {
    *w->last = tiding;
    w->last = &tiding->next;
    w->waiting++;
    pthread_cond_signal(&w->bell);
  }
  pthread_mutex_unlock(&w->queue_lock);
  if (!taken) free(tiding);
}

static struct tiding *tiding_new(const char *transfer, const struct telemetry_origin *origin)
{
  struct tiding *tiding = calloc(1, sizeof *tiding);
  if (!tiding) return NULL;
  snprintf(tiding->transfer, sizeof tiding->transfer, "%s", transfer);
  tiding->origin = *origin;
  return tiding;
}

static void hear_rows(void *context, const char *transfer, const struct telemetry_origin *origin,
                      const struct telemetry_block *block)
{
  struct tiding *tiding = tiding_new(transfer, origin);
  if (!tiding) return;
  memcpy(&tiding->block, block, offsetof(struct telemetry_block, rows) + block->count * sizeof *block->rows);
  put(context, tiding);
}

static void hear_end(void *context, const char *transfer, const struct telemetry_origin *origin, bool gateway_lost)
{
  struct tiding *tiding = tiding_new(transfer, origin);
  if (!tiding) return;
  tiding->ends = true;
  tiding->gateway_lost = gateway_lost;
  put(context, tiding);
}

struct telemetry_tap watches_tap(struct watches *watches)
{
  return (struct telemetry_tap){ hear_rows, hear_end, watches };
}

/* -- start and end -- */

/* One of the store; what cannot be followed any more is left out, and told. */
static void take_up(void *context, const struct store_watch *row)
{
  struct watches *w = context;
  struct armdyn_error error = { "", "" };
  struct watch *watch = w->count < WATCHES_MOST ? calloc(1, sizeof *watch) : NULL;
  if (!watch) return;
  struct following *f = &watch->following;
  snprintf(f->controller, sizeof f->controller, "%s", row->controller);
  snprintf(f->started_at, sizeof f->started_at, "%s", row->started_at);
  const struct robot_entry *model = NULL;
  double rate = 0;
  f->robots = w->robots;
  enum armdyn_status status = model_of(w, f->controller, &rate, f->robot, &model);
  const size_t n = status ? 0 : armdyn_robot_joint_count(model->robot);
  if (!status) status = watch_request_decode(row->request, strlen(row->request), n, &f->request, NULL);
  if (status)
    robots_release(w->robots, model);
  else
    status = following_begin(f, model, rate, &error);
  if (status) {
    log_event(LOG_ERROR, "an arm is not watched any more", "controller", row->controller, "reason",
              *error.message ? error.message : armdyn_status_text(status), NULL);
    watch_free(watch);
    return;
  }
  if (row->state) following_restore(f, row->state);
  if (*f->updated_at) following_miss(f, WATCH_GAP_SERVICE_STOPPED, f->updated_at, "");
  watch->contacts = f->contacts;
  w->items[w->count++] = watch;
}

enum armdyn_status watches_start(struct store *store, struct robots *robots, struct watches **out,
                                 struct armdyn_error *error)
{
  struct watches *w = calloc(1, sizeof *w);
  pthread_condattr_t monotonic;
  if (!w) return armdyn_refuse(error, ARMDYN_EMEMORY, "", "no memory for watches");
  w->store = store;
  w->robots = robots;
  w->last = &w->first;
  pthread_mutex_init(&w->lock, NULL);
  pthread_mutex_init(&w->queue_lock, NULL);
  pthread_condattr_init(&monotonic);
  pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
  pthread_cond_init(&w->bell, &monotonic);
  pthread_condattr_destroy(&monotonic);
  *out = w;
  enum armdyn_status status = store_watch_list(store, take_up, w);
  tell_names(w);
  if (!status && pthread_create(&w->thread, NULL, run, w)) status = ARMDYN_EMEMORY;
  w->begun = !status;
  return status ? armdyn_refuse(error, status, "", "arms cannot be watched: %s", armdyn_status_text(status))
                : ARMDYN_OK;
}

void watches_stop(struct watches *w)
{
  if (!w || !w->begun) return;
  pthread_mutex_lock(&w->queue_lock);
  w->stopping = true;
  pthread_cond_signal(&w->bell);
  pthread_mutex_unlock(&w->queue_lock);
  pthread_join(w->thread, NULL);
  w->begun = false;
  for (size_t i = 0; i < w->count; i++)
    if (w->items[i]->news) keep(w, w->items[i]);
}

void watches_free(struct watches *w)
{
  if (!w) return;
  for (size_t i = 0; i < w->count; i++) watch_free(w->items[i]);
  for (struct tiding *after; w->first; w->first = after) {
    after = w->first->next;
    free(w->first);
  }
  pthread_cond_destroy(&w->bell);
  pthread_mutex_destroy(&w->queue_lock);
  pthread_mutex_destroy(&w->lock);
  free(w);
}

/* -- for callers -- */

static void describe(const struct watch *watch, struct buffer *body)
{
  const struct watch_view view = following_view(&watch->following);
  struct json_writer w = { .out = body };
  json_begin_object(&w);
  watch_encode(&view, &w);
  json_end_object(&w);
}

/* Has it been asked for with the same words? */
static bool same_request(const struct watch *watch, const struct watch_request *request)
{
  struct buffer one = BUFFER(KB(64)), other = BUFFER(KB(64));
  watch_request_encode(&watch->following.request, watch->following.n, &one);
  watch_request_encode(request, watch->following.n, &other);
  const bool same = buffer_ok(&one) && buffer_ok(&other) && !strcmp(one.data, other.data);
  buffer_release(&one);
  buffer_release(&other);
  return same;
}

static enum armdyn_status store_one(struct watches *w, const struct following *f)
{
  struct store_watch row = { .request = NULL };
  struct buffer request = BUFFER(KB(64));
  watch_request_encode(&f->request, f->n, &request);
  snprintf(row.controller, sizeof row.controller, "%s", f->controller);
  snprintf(row.started_at, sizeof row.started_at, "%s", f->started_at);
  row.request = request.data;
  enum armdyn_status status = request.failure ? request.failure : store_watch_create(w->store, &row);
  buffer_release(&request);
  return status;
}

static enum armdyn_status begin_one(struct watches *w, const char *controller, const struct watch_request *request,
                                    struct buffer *body, struct armdyn_error *error)
{
  if (w->count == WATCHES_MOST)
    return armdyn_refuse(error, ARMDYN_ELIMIT, "", "%d arms are watched already", (int)WATCHES_MOST);
  struct watch *watch = calloc(1, sizeof *watch);
  if (!watch) return ARMDYN_EMEMORY;
  struct following *f = &watch->following;
  f->request = *request;
  snprintf(f->controller, sizeof f->controller, "%s", controller);
  clock_format(clock_wall_ms(), f->started_at);
  enum armdyn_status status = begin_following(w, f, error);
  if (!status) status = store_one(w, f);
  if (!status) describe(watch, body);
  if (status || rehearsing()) {
    watch_free(watch);
    return status;
  }
  w->items[w->count++] = watch;
  tell_names(w);
  return ARMDYN_OK;
}

enum armdyn_status watches_begin(struct watches *w, const char *controller, const struct watch_request *request,
                                 struct buffer *body, struct armdyn_error *error)
{
  pthread_mutex_lock(&w->lock);
  struct watch **there = find(w, controller);
  enum armdyn_status status = ARMDYN_OK;
  if (!there)
    status = begin_one(w, controller, request, body, error);
  else if (same_request(*there, request))
    describe(*there, body);
  else
    status = ARMDYN_EEXISTS;
  pthread_mutex_unlock(&w->lock);
  return status;
}

enum armdyn_status watches_describe(struct watches *w, const char *controller, struct buffer *body)
{
  pthread_mutex_lock(&w->lock);
  struct watch **there = find(w, controller);
  if (there) describe(*there, body);
  pthread_mutex_unlock(&w->lock);
  return there ? body->failure : ARMDYN_ENOTFOUND;
}

enum armdyn_status watches_end(struct watches *w, const char *controller)
{
  pthread_mutex_lock(&w->lock);
  struct watch **there = find(w, controller);
  enum armdyn_status status = there ? store_watch_delete(w->store, controller) : ARMDYN_ENOTFOUND;
  if (!status && !rehearsing()) remove_watch(w, there);
  pthread_mutex_unlock(&w->lock);
  return status;
}

bool watches_watching(struct watches *w, const char *controller)
{
  if (!w) return false;
  pthread_mutex_lock(&w->queue_lock);
  const bool named = is_named(w, controller);
  pthread_mutex_unlock(&w->queue_lock);
  return named;
}

bool watches_sighting(struct watches *w, const char *controller, struct watch_sighting *out)
{
  *out = (struct watch_sighting){ .drifted = false };
  if (!w) return false;
  pthread_mutex_lock(&w->lock);
  struct watch **there = find(w, controller);
  if (there) {
    struct watch *watch = *there;
    const struct following *f = &watch->following;
    size_t length = 0;
    out->contact = f->contacts > watch->contacts;
    watch->contacts = f->contacts;
    for (size_t j = 0; j < f->n; j++) {
      if (!f->joints[j].drifted || length >= sizeof out->joints) continue;
      out->drifted = true;
      length += (size_t)snprintf(out->joints + length, sizeof out->joints - length, "%s%s", length ? ", " : "",
                                 armdyn_robot_description(f->model->robot)->joints[j].name);
    }
  }
  pthread_mutex_unlock(&w->lock);
  return there;
}
