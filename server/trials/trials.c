#include "server/trials/trials.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "api/limits.h"
#include "server/base/clock.h"
#include "server/ipc/child.h"
#include "server/trials/messages.h"

enum { AT_ONCE = 4, REMEMBERED = 256, LISTEN_MS = 200, CHECKS_MOST = KB(256), TEXT_MOST = KB(8), DETAIL_SIZE = 256 };

struct trial {
  struct trials *of;
  pthread_t thread;
  struct controller_description controller;
  struct controller_test_request request;
  atomic_bool cancelled;

  /* under the lock of `of` */
  enum controller_test_state state;
  char begun_at[TIME_SIZE], ended_at[TIME_SIZE], detail[DETAIL_SIZE];
  size_t expected, counts[CHECK_RESULTS];
  struct buffer identity, checks, figures;
  struct trial *next; /* begun before */
};

struct trials {
  pthread_mutex_t lock;
  struct trial *newest;
};

/* -- the thread of a test -- */

static bool keep(struct buffer *to, const struct frame *frame)
{
  buffer_append(to, frame->data, frame->length);
  return buffer_ok(to);
}

/* false: that is nothing that a test tells. */
static bool take(struct trial *trial, const struct frame *frame)
{
  switch (frame->type) {
  case TRIAL_BEGUN: trial->expected = strtoul(frame->data, NULL, 10); return true;
  case TRIAL_IDENTITY: return keep(&trial->identity, frame);
  case TRIAL_FIGURES: return keep(&trial->figures, frame);
  default: break;
  }
  if (frame->type < TRIAL_CHECK || frame->type >= TRIAL_CHECK + CHECK_RESULTS) return false;
  if (trial->checks.length) buffer_text(&trial->checks, ",");
  trial->counts[frame->type - TRIAL_CHECK]++;
  return keep(&trial->checks, frame);
}

/* Until the child ends, says nonsense, or is not wanted any more. */
static void listen_to(struct trial *trial, struct child *child)
{
  while (!atomic_load(&trial->cancelled)) {
    struct frame frame;
    enum armdyn_status status = channel_receive(&child->channel, &frame, LISTEN_MS);
    if (status == ARMDYN_EUNAVAILABLE) continue;
    if (status) return;
    pthread_mutex_lock(&trial->of->lock);
    const bool good = take(trial, &frame);
    pthread_mutex_unlock(&trial->of->lock);
    if (!good) return;
  }
}

static void finish(struct trial *trial, enum controller_test_state state, const char *detail)
{
  pthread_mutex_lock(&trial->of->lock);
  clock_format(clock_wall_ms(), trial->ended_at);
  snprintf(trial->detail, sizeof trial->detail, "%s", detail);
  trial->state = state;
  pthread_mutex_unlock(&trial->of->lock);
}

static void *thread_run(void *context)
{
  struct trial *trial = context;
  const struct controller_description *c = &trial->controller;
  char port[8], unit[8], base[8], reason[CHILD_REASON_SIZE];
  snprintf(port, sizeof port, "%d", c->port);
  snprintf(unit, sizeof unit, "%d", c->unit);
  snprintf(base, sizeof base, "%d", c->profile.base);
  const char *const arguments[] = {
    "controller-trial",  c->host, port, unit, base, trial->request.allow_motion ? "motion" : "still",
    trial->request.only, NULL
  };
  struct child child = { 0 };
  struct armdyn_error error = { "", "" };
  if (child_start(&child, arguments, true, &error)) {
    finish(trial, TEST_FAILED, error.message);
    return NULL;
  }
  listen_to(trial, &child);
  const bool cancelled = atomic_load(&trial->cancelled);
  child_end(&child, cancelled, reason);
  if (cancelled)
    finish(trial, TEST_CANCELLED, "");
  else if (child.exit == 0)
    finish(trial, TEST_DONE, "");
  else
    finish(trial, TEST_FAILED, reason);
  return NULL;
}

/* -- those that there are -- */

static struct trial *find(struct trials *trials, const char *controller)
{
  struct trial *trial = trials->newest;
  while (trial && strcmp(trial->controller.name, controller)) trial = trial->next;
  return trial;
}

/* Its thread has ended, or does so at once. */
static void trial_free(struct trial *trial)
{
  pthread_join(trial->thread, NULL);
  buffer_release(&trial->identity);
  buffer_release(&trial->checks);
  buffer_release(&trial->figures);
  free(trial);
}

struct trials *trials_new(void)
{
  struct trials *trials = calloc(1, sizeof *trials);
  if (trials) pthread_mutex_init(&trials->lock, NULL);
  return trials;
}

void trials_free(struct trials *trials)
{
  if (!trials) return;
  for (struct trial *trial = trials->newest; trial; trial = trial->next) atomic_store(&trial->cancelled, true);
  for (struct trial *trial = trials->newest, *next; trial; trial = next) {
    next = trial->next;
    trial_free(trial);
  }
  pthread_mutex_destroy(&trials->lock);
  free(trials);
}

/* Is there room for one of this controller? Under the lock. */
static enum armdyn_status admit(struct trials *trials, const struct controller_description *controller)
{
  size_t running = 0;
  for (struct trial *trial = trials->newest; trial; trial = trial->next) {
    if (trial->state != TEST_RUNNING) continue;
    const bool same = !strcmp(trial->controller.name, controller->name) ||
                      (!strcmp(trial->controller.host, controller->host) && trial->controller.port == controller->port);
    if (same) return ARMDYN_EEXISTS;
    running++;
  }
  return running < AT_ONCE ? ARMDYN_OK : ARMDYN_EBUSY;
}

/* Forget the one before of this controller, and the oldest where there are too many. Under the lock. */
static void forget(struct trials *trials, const char *controller)
{
  size_t count = 0;
  for (struct trial **at = &trials->newest; *at;) {
    struct trial *trial = *at;
    const bool old = !strcmp(trial->controller.name, controller) || count >= REMEMBERED;
    if (!old || trial->state == TEST_RUNNING) {
      count++;
      at = &trial->next;
      continue;
    }
    *at = trial->next;
    trial_free(trial);
  }
}

enum armdyn_status trials_begin(struct trials *trials, const struct controller_description *controller,
                                const struct controller_test_request *request, struct armdyn_error *error)
{
  struct trial *trial = calloc(1, sizeof *trial);
  if (!trial) return ARMDYN_EMEMORY;
  trial->of = trials;
  trial->controller = *controller;
  trial->request = *request;
  trial->identity = trial->figures = (struct buffer)BUFFER(TEXT_MOST);
  trial->checks = (struct buffer)BUFFER(CHECKS_MOST);
  clock_format(clock_wall_ms(), trial->begun_at);

  pthread_mutex_lock(&trials->lock);
  enum armdyn_status status = admit(trials, controller);
  if (!status) {
    forget(trials, controller->name);
    if (pthread_create(&trial->thread, NULL, thread_run, trial))
      status = armdyn_refuse(error, ARMDYN_EIO, "", "there is no thread for it");
  }
  if (!status) {
    trial->next = trials->newest;
    trials->newest = trial;
  }
  pthread_mutex_unlock(&trials->lock);
  if (status) free(trial);
  return status;
}

enum armdyn_status trials_describe(struct trials *trials, const char *controller, struct buffer *body)
{
  pthread_mutex_lock(&trials->lock);
  const struct trial *trial = find(trials, controller);
  if (trial) {
    struct controller_test_view view = { .controller = trial->controller.name,
                                         .state = trial->state,
                                         .request = &trial->request,
                                         .begun_at = trial->begun_at,
                                         .ended_at = trial->ended_at,
                                         .expected = trial->expected,
                                         .identity = trial->identity.data,
                                         .checks = trial->checks.data,
                                         .figures = trial->figures.data,
                                         .detail = trial->detail };
    memcpy(view.counts, trial->counts, sizeof view.counts);
    controller_test_encode(&view, body);
  }
  pthread_mutex_unlock(&trials->lock);
  return !trial ? ARMDYN_ENOTFOUND : body->failure;
}

enum armdyn_status trials_cancel(struct trials *trials, const char *controller)
{
  pthread_mutex_lock(&trials->lock);
  struct trial *trial = find(trials, controller);
  if (trial) atomic_store(&trial->cancelled, true);
  pthread_mutex_unlock(&trials->lock);
  return trial ? ARMDYN_OK : ARMDYN_ENOTFOUND;
}

bool trials_running(struct trials *trials, const char *controller)
{
  pthread_mutex_lock(&trials->lock);
  const struct trial *trial = find(trials, controller);
  const bool running = trial && trial->state == TEST_RUNNING;
  pthread_mutex_unlock(&trials->lock);
  return running;
}
