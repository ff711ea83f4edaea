#include "server/transfers/summing.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

#include "api/codec/controller.h"
#include "server/app.h"
#include "server/base/log.h"
#include "server/store/store.h"
#include "server/transfers/playback.h"

enum { LOOK_MS = 500, AGAIN_MS = 10000, BATCH = 32, SUM_MOST = KB(64) };

struct summing {
  struct app *app;
  pthread_t thread;
  pthread_mutex_t lock;
  pthread_cond_t bell;
  bool stopping;
};

struct batch {
  char ids[BATCH][ID_SIZE];
  size_t count;
};

/* -- one transfer -- */

/* What its controller's entry says now of how far a joint may be from its plan; NAN: nothing. */
static double tolerance_of(struct app *app, const char *controller)
{
  struct store_controller row;
  struct controller_description *entry = calloc(1, sizeof *entry);
  double tolerance = NAN;
  if (entry && !store_controller_get(app->store, controller, &row)) {
    if (!controller_decode(row.document, strlen(row.document), entry, NULL) && entry->profile.following_error > 0)
      tolerance = entry->profile.following_error;
    store_controller_release(&row);
  }
  free(entry);
  return tolerance;
}

/* Why there is no sum and never will be; NULL: it is tried again. */
static const char *reason_of(enum armdyn_status status, const struct store_transfer *transfer)
{
  switch (status) {
  case ARMDYN_ENOTFOUND:
    return *transfer->started_at ? "no telemetry of it was kept" : "it did not move, or nothing was measured";
  case ARMDYN_EMEMORY:
  case ARMDYN_EBUSY:
  case ARMDYN_EFULL:
  case ARMDYN_EUNAVAILABLE: return NULL;
  default: return "what was measured cannot be held against the plan"; /* else it would keep all others waiting */
  }
}

static enum armdyn_status sum_up(struct app *app, const char *id)
{
  struct store_transfer transfer;
  struct buffer sum = BUFFER(SUM_MOST);
  enum armdyn_status status = store_transfer_get(app->store, id, &transfer);
  if (status) return status;
  status = playback_sum_up(app, &transfer, tolerance_of(app, transfer.controller), &sum);
  if (!status) status = sum.failure;
  const char *unmeasured = status ? reason_of(status, &transfer) : NULL;
  if (!status || unmeasured) status = store_transfer_sum_up(app->store, id, status ? NULL : sum.data, unmeasured);
  buffer_release(&sum);
  store_transfer_release(&transfer);
  return status;
}

/* -- the thread -- */

static void note(void *context, const struct store_transfer *transfer)
{
  struct batch *batch = context;
  memcpy(batch->ids[batch->count++], transfer->id, ID_SIZE);
}

static bool stopping(struct summing *s)
{
  pthread_mutex_lock(&s->lock);
  const bool is = s->stopping;
  pthread_mutex_unlock(&s->lock);
  return is;
}

/* All that wait. false: one could not be done for now, for want of room say. */
static bool catch_up(struct summing *s)
{
  struct batch batch;
  do {
    batch.count = 0;
    if (store_transfer_not_summed_up(s->app->store, BATCH, note, &batch)) return false;
    for (size_t k = 0; k < batch.count && !stopping(s); k++) {
      const enum armdyn_status status = sum_up(s->app, batch.ids[k]);
      if (!status) continue;
      log_event(LOG_WARNING, "what was measured is not summed up yet", "transfer", batch.ids[k], "reason",
                armdyn_status_text(status), NULL);
      return false;
    }
  } while (batch.count == BATCH && !stopping(s));
  return true;
}

static void rest(struct summing *s, bool caught_up)
{
  struct timespec until;
  clock_gettime(CLOCK_MONOTONIC, &until);
  const int64_t ns = until.tv_nsec + (caught_up ? LOOK_MS : AGAIN_MS) * INT64_C(1000000);
  until.tv_sec += ns / 1000000000, until.tv_nsec = ns % 1000000000;
  pthread_mutex_lock(&s->lock);
  while (!s->stopping && !pthread_cond_timedwait(&s->bell, &s->lock, &until)) {
  }
  pthread_mutex_unlock(&s->lock);
}

static void *run(void *context)
{
  struct summing *s = context;
  while (!stopping(s)) rest(s, catch_up(s));
  return NULL;
}

/* -- start and end -- */

static void release(struct summing *s)
{
  pthread_cond_destroy(&s->bell);
  pthread_mutex_destroy(&s->lock);
  free(s);
}

enum armdyn_status summing_start(struct app *app, struct summing **out, struct armdyn_error *error)
{
  struct summing *s = calloc(1, sizeof *s);
  pthread_condattr_t monotonic;
  if (!s) return armdyn_refuse(error, ARMDYN_EMEMORY, "", "no memory to sum up what is measured");
  s->app = app;
  pthread_mutex_init(&s->lock, NULL);
  pthread_condattr_init(&monotonic);
  pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
  pthread_cond_init(&s->bell, &monotonic);
  pthread_condattr_destroy(&monotonic);
  if (pthread_create(&s->thread, NULL, run, s)) {
    release(s);
    return armdyn_refuse(error, ARMDYN_EMEMORY, "", "no thread to sum up what is measured");
  }
  *out = s;
  return ARMDYN_OK;
}

void summing_stop(struct summing *s)
{
  if (!s) return;
  pthread_mutex_lock(&s->lock);
  s->stopping = true;
  pthread_cond_signal(&s->bell);
  pthread_mutex_unlock(&s->lock);
  pthread_join(s->thread, NULL);
  release(s);
}
