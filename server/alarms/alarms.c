#include "server/alarms/alarms.h"

#include <pthread.h>
#include <stdlib.h>
#include <time.h>

#include "server/alarms/causes.h"
#include "server/app.h"
#include "server/base/log.h"
#include "server/base/rehearsal.h"
#include "server/transfers/observer.h"

enum {
  ALARMS_MOST = 1024, /* that stand, or wait for the store; beyond that no more are raised */
  BATCH = 64,         /* of one write */
  LOOK_MS = 500
};

struct alarm {
  struct store_alarm row;
  const struct alarm_kind *kind; /* NULL: of another version of the program */
  bool seen;                     /* in this look */
  bool stored;                   /* the store has something of it */
  unsigned changes, kept;        /* how often it changed, and how many of these the store has */
};

struct alarms {
  struct app *app;
  pthread_t thread, watch;
  struct causes causes; /* the thread's */
  pthread_mutex_t lock; /* what follows; never held while anything is waited for */
  pthread_cond_t bell;
  bool rung, stopping, begun, watched;
  struct alarm items[ALARMS_MOST]; /* the oldest first */
  size_t count;
};

/* -- under the lock -- */

static struct alarm *find(struct alarms *a, const char *id)
{
  for (size_t i = 0; i < a->count; i++)
    if (!strcmp(a->items[i].row.id, id)) return &a->items[i];
  return NULL;
}

static struct alarm *find_standing(struct alarms *a, const struct alarm_kind *kind, const char *controller)
{
  for (size_t i = 0; i < a->count; i++) {
    struct alarm *one = &a->items[i];
    if (one->kind == kind && !*one->row.until && !strcmp(one->row.controller, controller)) return one;
  }
  return NULL;
}

static void settle(struct store_alarm *row)
{
  row->state = *row->until ? ALARM_CLEARED : *row->acknowledged_at ? ALARM_ACKNOWLEDGED : ALARM_ACTIVE;
}

static void change(struct alarm *one)
{
  settle(&one->row);
  one->changes++;
}

static void log_alarm(const char *what, const struct store_alarm *row)
{
  log_event(LOG_WARNING, what, "alarm", row->id, "code", row->code, "controller",
            *row->controller ? row->controller : NULL, "text", row->text, NULL);
}

static void raise_alarm(struct alarms *a, const struct alarm_kind *kind, const struct cause *cause)
{
  if (a->count == ALARMS_MOST) return; /* it is seen again at the next look */
  struct alarm *one = &a->items[a->count++];
  *one = (struct alarm){ .kind = kind, .seen = true };
  struct store_alarm *row = &one->row;
  id_make(row->id);
  clock_format(clock_wall_ms(), row->since);
  snprintf(row->code, sizeof row->code, "%s", kind->name);
  snprintf(row->source, sizeof row->source, "%s", kind->source);
  snprintf(row->controller, sizeof row->controller, "%s", cause->controller);
  snprintf(row->text, sizeof row->text, "%s", cause->text);
  change(one);
  log_alarm("an alarm was raised", row);
}

/* -- the thread -- */

static void note(void *context, const struct cause *cause)
{
  struct alarms *a = context;
  const struct alarm_kind *kind = &alarm_kinds[cause->code];
  pthread_mutex_lock(&a->lock);
  struct alarm *one = find_standing(a, kind, cause->controller);
  if (!one && cause->known) raise_alarm(a, kind, cause);
  if (one) one->seen = true;
  if (one && cause->known && strcmp(one->row.text, cause->text) != 0) {
    snprintf(one->row.text, sizeof one->row.text, "%s", cause->text);
    change(one);
  }
  pthread_mutex_unlock(&a->lock);
}

/* Has what raised it gone? */
static bool is_over(const struct alarm *one)
{
  if (*one->row.until || one->seen) return false;
  return !one->kind || !one->kind->latched || *one->row.acknowledged_at;
}

/* Whether it stands is known of controllers that are looked at only. */
static bool is_seen_by_looking(const struct alarm_kind *kind)
{
  return kind == &alarm_kinds[ALARM_CONTROLLER_LOST] || kind == &alarm_kinds[ALARM_CONTROLLER_FAULT];
}

static void look(struct alarms *a)
{
  causes_look(a->app, &a->causes, note, a);
  bool watch = false;
  pthread_mutex_lock(&a->lock);
  for (struct alarm *one = a->items; one < a->items + a->count; one++) {
    if (is_over(one)) {
      clock_format(clock_wall_ms(), one->row.until);
      change(one);
      log_alarm("an alarm was cleared", &one->row);
    }
    one->seen = false;
    watch = watch || (!*one->row.until && is_seen_by_looking(one->kind));
  }
  pthread_mutex_unlock(&a->lock);
  observer_keep_looking(a->app->observer, watch); /* else its end would not be seen */
}

/* Under the lock: what changed, the oldest first. */
static size_t take_changed(const struct alarms *a, struct store_alarm rows[BATCH], unsigned changes[BATCH])
{
  size_t count = 0;
  for (size_t i = 0; i < a->count && count < BATCH; i++)
    if (a->items[i].changes != a->items[i].kept) {
      rows[count] = a->items[i].row;
      changes[count++] = a->items[i].changes;
    }
  return count;
}

/* Under the lock: the store has them; what is over is forgotten here. */
static void note_kept(struct alarms *a, const struct store_alarm *rows, const unsigned *changes, size_t count)
{
  size_t left = 0;
  for (size_t k = 0; k < count; k++) {
    struct alarm *one = find(a, rows[k].id);
    if (!one) continue;
    one->stored = true;
    one->kept = changes[k];
  }
  for (size_t i = 0; i < a->count; i++) {
    const struct alarm one = a->items[i];
    if (!*one.row.until || one.changes != one.kept) a->items[left++] = one;
  }
  a->count = left;
}

static void keep(struct alarms *a)
{
  struct store_alarm rows[BATCH];
  unsigned changes[BATCH];
  pthread_mutex_lock(&a->lock);
  const size_t count = take_changed(a, rows, changes);
  pthread_mutex_unlock(&a->lock);
  if (!count || store_alarms_keep(a->app->store, rows, count)) return;
  pthread_mutex_lock(&a->lock);
  note_kept(a, rows, changes, count);
  pthread_mutex_unlock(&a->lock);
}

/* Until the next look is due, or the bell is rung for it. false: there is none any more. */
static bool rest(struct alarms *a, bool *rung)
{
  struct timespec until;
  clock_gettime(CLOCK_MONOTONIC, &until);
  until.tv_nsec += LOOK_MS * 1000000L;
  until.tv_sec += until.tv_nsec / 1000000000, until.tv_nsec %= 1000000000;
  pthread_mutex_lock(&a->lock);
  while (!a->stopping && !*rung && !pthread_cond_timedwait(&a->bell, &a->lock, &until)) {
  }
  *rung = false;
  const bool more = !a->stopping;
  pthread_mutex_unlock(&a->lock);
  return more;
}

static void *run(void *context)
{
  struct alarms *a = context;
  do {
    look(a);
    keep(a);
  } while (rest(a, &a->rung));
  return NULL;
}

/* A disk that hangs keeps the other thread, too: this one looks at nothing else, and asks nothing of the store. */
static void *watch(void *context)
{
  struct alarms *a = context;
  bool never = false;
  do causes_look_at_writing(a->app, note, a);
  while (rest(a, &never));
  return NULL;
}

/* -- start and end -- */

static void take_up(void *context, const struct store_alarm *row)
{
  struct alarms *a = context;
  if (a->count == ALARMS_MOST) return;
  struct alarm *one = &a->items[a->count++];
  *one = (struct alarm){ .row = *row, .stored = true };
  for (size_t k = 0; k < ALARM_CODES; k++)
    if (!strcmp(alarm_kinds[k].name, row->code)) one->kind = &alarm_kinds[k];
}

enum armdyn_status alarms_start(struct app *app, struct alarms **out, struct armdyn_error *error)
{
  struct alarms *a = calloc(1, sizeof *a);
  pthread_condattr_t monotonic;
  if (!a) return armdyn_refuse(error, ARMDYN_EMEMORY, "", "no memory for alarms");
  a->app = app;
  pthread_mutex_init(&a->lock, NULL);
  pthread_condattr_init(&monotonic);
  pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
  pthread_cond_init(&a->bell, &monotonic);
  pthread_condattr_destroy(&monotonic);
  enum armdyn_status status = store_alarms_standing(app->store, take_up, a);
  if (!status && pthread_create(&a->thread, NULL, run, a)) status = ARMDYN_EMEMORY;
  a->begun = !status;
  if (!status && pthread_create(&a->watch, NULL, watch, a)) status = ARMDYN_EMEMORY;
  a->watched = !status;
  *out = a;
  return status ? armdyn_refuse(error, status, "", "alarms cannot be kept: %s", armdyn_status_text(status)) : ARMDYN_OK;
}

static void ring(struct alarms *a, bool stopping)
{
  pthread_mutex_lock(&a->lock);
  a->rung = true;
  a->stopping = a->stopping || stopping;
  pthread_cond_broadcast(&a->bell);
  pthread_mutex_unlock(&a->lock);
}

void alarms_stop(struct alarms *a)
{
  if (!a || !a->begun) return;
  ring(a, true);
  pthread_join(a->thread, NULL);
  if (a->watched) pthread_join(a->watch, NULL);
  a->begun = false;
}

void alarms_free(struct alarms *a)
{
  if (!a) return;
  pthread_cond_destroy(&a->bell);
  pthread_mutex_destroy(&a->lock);
  free(a);
}

/* -- for people -- */

void alarms_refresh(struct alarms *a, struct store_alarm *row)
{
  pthread_mutex_lock(&a->lock);
  const struct alarm *one = find(a, row->id);
  if (one && one->changes != one->kept) *row = one->row;
  pthread_mutex_unlock(&a->lock);
}

enum armdyn_status alarms_get(struct alarms *a, const char *id, struct store_alarm *out)
{
  pthread_mutex_lock(&a->lock);
  const struct alarm *one = find(a, id);
  if (one) *out = one->row;
  pthread_mutex_unlock(&a->lock);
  return one ? ARMDYN_OK : store_alarm_get(a->app->store, id, out);
}

static void acknowledge(struct store_alarm *row, const char *by)
{
  if (*row->acknowledged_at) return;
  clock_format(clock_wall_ms(), row->acknowledged_at);
  snprintf(row->acknowledged_by, sizeof row->acknowledged_by, "%s", by);
}

/* Of one that is only here. */
static bool acknowledge_unstored(struct alarms *a, const char *id, const char *by)
{
  pthread_mutex_lock(&a->lock);
  struct alarm *one = find(a, id);
  const bool here = one && !one->stored;
  if (here && !*one->row.acknowledged_at) {
    acknowledge(&one->row, by);
    change(one);
  }
  pthread_mutex_unlock(&a->lock);
  return here;
}

/* What it would be then. */
static enum armdyn_status rehearse_acknowledging(struct alarms *a, const char *id, const char *by,
                                                 struct store_alarm *out)
{
  enum armdyn_status status = alarms_get(a, id, out);
  if (status) return status;
  acknowledge(out, by);
  settle(out);
  return ARMDYN_OK;
}

enum armdyn_status alarms_acknowledge(struct alarms *a, const char *id, const char *by, struct store_alarm *out)
{
  struct store_alarm stored;
  if (rehearsing()) return rehearse_acknowledging(a, id, by, out);
  if (!acknowledge_unstored(a, id, by)) {
    enum armdyn_status status = store_alarm_acknowledge(a->app->store, id, by, &stored);
    if (status) return status;
    pthread_mutex_lock(&a->lock);
    struct alarm *one = find(a, id);
    if (one && !*one->row.acknowledged_at) {
      memcpy(one->row.acknowledged_at, stored.acknowledged_at, sizeof one->row.acknowledged_at);
      memcpy(one->row.acknowledged_by, stored.acknowledged_by, sizeof one->row.acknowledged_by);
      change(one);
    }
    pthread_mutex_unlock(&a->lock);
  }
  ring(a, false); /* a latched one is over now */
  return alarms_get(a, id, out);
}

void alarms_unstored(struct alarms *a, store_alarm_visit *visit, void *context)
{
  pthread_mutex_lock(&a->lock);
  for (size_t i = a->count; i-- > 0;)
    if (!a->items[i].stored) visit(context, &a->items[i].row);
  pthread_mutex_unlock(&a->lock);
}
