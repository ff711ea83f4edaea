#include "server/http/audit.h"

#include "api/json/writer.h"
#include "api/wire/utf8.h"
#include "server/base/clock.h"
#include "server/base/log.h"
#include "server/base/rehearsal.h"
#include "server/http/address.h"
#include "server/http/audit_shelf.h"
#include "server/http/internal.h"
#include "server/http/stand_in.h"
#include "server/store/store.h"

enum { WAITING_MOST = 4096, AT_ONCE_MOST = 256, LINE_MOST = KB(128), AGAIN_MS = 1000 };

struct auditor {
  struct store *store;           /* NULL: it stands in */
  const struct stand_in *stands; /* NULL: it serves */
  pthread_t thread;
  pthread_mutex_t lock;
  pthread_cond_t changed, tried;
  struct audit_shelf *shelf; /* its thread's alone */
  char *waiting[WAITING_MOST];
  size_t count, shelved;      /* the first ones are on the shelf, too */
  enum armdyn_status refusal; /* what the store said last */
  bool hurry;                 /* somebody waits for what it says now */
  bool stopping;
};

/* -- what an entry says -- */

static bool is_utf8(const char *text)
{
  const char *end = text + strlen(text);
  while (text < end) {
    const size_t length = utf8_length(text, end);
    if (!length) return false;
    text += length;
  }
  return true;
}

static bool may_change_anything(const struct exchange *x)
{
  return x->route && x->route->method != HTTP_GET && x->route->where >= ON_POOL && !x->keeps_nothing;
}

bool audit_takes_reason(struct exchange *x)
{
  const char *why = may_change_anything(x) && x->route->where != AT_ONCE ? exchange_header(x, "X-Reason") : NULL;
  if (!why || (strlen(why) < STORE_REASON_SIZE && is_utf8(why))) return true;
  fault_add(&x->faults, FAULT_AT_HEADER, "X-Reason", FAULT_LENGTH, "must be UTF-8 of at most %d bytes",
            STORE_REASON_SIZE - 1);
  answer_problem(x, PROBLEM_BAD_REQUEST, NULL);
  return false;
}

static bool leaves_an_entry(const struct exchange *x)
{
  return x->status == 401 || x->status == 403 || may_change_anything(x);
}

static const char *header_of_answer(const struct exchange *x, const char *name)
{
  for (size_t i = 0; i < x->header_count; i++)
    if (!strcmp(x->headers[i].name, name)) return x->headers[i].value;
  return NULL;
}

static void member(struct json_writer *w, const char *name, const char *text)
{
  if (text) json_key(w, name), json_write_text(w, text);
}

static char *line_of(const struct exchange *x)
{
  struct buffer line = BUFFER(LINE_MOST);
  struct json_writer w = { .out = &line };
  char now[TIME_SIZE], address[ADDRESS_TEXT_SIZE];
  clock_format(clock_wall_ms(), now);
  address_text(&x->client, address);
  json_begin_object(&w);
  member(&w, "at", now);
  member(&w, "key", x->caller.id);
  member(&w, "key_name", x->caller.name);
  member(&w, "address", address);
  member(&w, "request_id", x->request_id);
  member(&w, "method", x->method);
  member(&w, "path", x->text);
  member(&w, "operation", x->route ? x->route->operation_id : NULL);
  json_key(&w, "status"), json_write_integer(&w, x->status);
  member(&w, "resource", header_of_answer(x, "Location"));
  member(&w, "old_etag", exchange_header(x, "If-Match"));
  member(&w, "new_etag", header_of_answer(x, "ETag"));
  member(&w, "job_order_id", *x->job_order_id ? x->job_order_id : NULL);
  member(&w, "reason", exchange_header(x, "X-Reason"));
  member(&w, "node", x->http->app->stand_in ? x->http->app->stand_in->node : NULL);
  json_end_object(&w);
  size_t length;
  char *text = buffer_take(&line, &length);
  buffer_release(&line);
  return text;
}

/* -- writing entries -- */

static enum armdyn_status append(struct auditor *a, char **lines, size_t count)
{
  const struct stand_in *stands = a->stands;
  enum armdyn_status status = stands ? stands->keep(stands->context, (const char *const *)lines, count)
                                     : store_audit_append(a->store, (const char *const *)lines, count);
  for (size_t i = 0; i < count && !status; i++) free(lines[i]);
  pthread_mutex_lock(&a->lock);
  a->refusal = status;
  pthread_mutex_unlock(&a->lock);
  return status;
}

/* It is in the log at least. */
static void lose(char *line, const char *why)
{
  log_event(LOG_ERROR, "an entry of the audit trail could not be kept", "reason", why, "entry", line, NULL);
  free(line);
}

/* Under the lock: what waits shall outlive this process, as far as there is room. */
static void shelve(struct auditor *a)
{
  bool taken = true;
  while (taken && a->shelved < a->count) {
    const char *line = a->waiting[a->shelved];
    pthread_mutex_unlock(&a->lock);
    taken = audit_shelf_put(a->shelf, line);
    pthread_mutex_lock(&a->lock);
    a->shelved += taken;
  }
}

static struct timespec soon(void)
{
  const int64_t until = clock_monotonic_ns() + AGAIN_MS * 1000000LL;
  return (struct timespec){ until / 1000000000, until % 1000000000 };
}

/* Under the lock: a moment, or until there is no more time. What comes meanwhile goes on the shelf. */
static void rest(struct auditor *a)
{
  const struct timespec deadline = soon();
  while (!a->stopping && !a->hurry && !pthread_cond_clockwait(&a->changed, &a->lock, CLOCK_MONOTONIC, &deadline))
    shelve(a);
}

/* Under the lock: the service ends. */
static void leave(struct auditor *a)
{
  for (size_t i = 0; i < a->count; i++) {
    if (i < a->shelved)
      free(a->waiting[i]);
    else
      lose(a->waiting[i], armdyn_status_text(a->refusal));
  }
  if (a->shelved)
    log_event(LOG_WARNING, "entries of the audit trail wait on the disk for the next start", "entries",
              LOG_NUMBER(a->shelved), NULL);
  a->count = a->shelved = 0;
}

/* Under the lock: the store has them. A crash before the shelf is cleared has them twice rather than not at all. */
static void forget(struct auditor *a, size_t count)
{
  a->count -= count;
  memmove(a->waiting, a->waiting + count, a->count * sizeof *a->waiting);
  a->shelved -= a->shelved < count ? a->shelved : count;
  if (a->shelved) return;
  pthread_mutex_unlock(&a->lock);
  audit_shelf_clear(a->shelf);
  pthread_mutex_lock(&a->lock);
}

/* Under the lock: the oldest entries that wait go to the store; while it takes none they stay. */
static void keep_some(struct auditor *a)
{
  char *lines[AT_ONCE_MOST];
  size_t count = a->count < AT_ONCE_MOST ? a->count : AT_ONCE_MOST;
  const bool hurried = a->hurry;
  memcpy(lines, a->waiting, count * sizeof *lines);
  pthread_mutex_unlock(&a->lock);
  enum armdyn_status status = append(a, lines, count);
  pthread_mutex_lock(&a->lock);
  if (hurried) a->hurry = false; /* who came since wants to know what it says after that */
  pthread_cond_broadcast(&a->tried);
  if (!status) {
    forget(a, count);
    return;
  }
  shelve(a);
  if (a->stopping)
    leave(a);
  else
    rest(a);
}

/* Under the lock: until there are entries. What other nodes have to tell is asked for meanwhile. */
static void await_entries(struct auditor *a)
{
  const bool has_others = a->store && store_is_on_server(store_address(a->store));
  while (!a->count && !a->stopping) {
    if (!has_others) {
      pthread_cond_wait(&a->changed, &a->lock);
      continue;
    }
    pthread_mutex_unlock(&a->lock);
    (void)store_audit_collect(a->store); /* what it does not get now, it gets later */
    pthread_mutex_lock(&a->lock);
    const struct timespec deadline = soon();
    if (!a->count && !a->stopping) pthread_cond_clockwait(&a->changed, &a->lock, CLOCK_MONOTONIC, &deadline);
  }
}

static void *run(void *argument)
{
  struct auditor *a = argument;
  pthread_mutex_lock(&a->lock);
  for (;;) {
    await_entries(a);
    if (!a->count) break;
    keep_some(a);
  }
  pthread_mutex_unlock(&a->lock);
  return NULL;
}

static void free_auditor(struct auditor *a)
{
  for (size_t i = 0; i < a->count; i++) free(a->waiting[i]);
  audit_shelf_close(a->shelf);
  pthread_cond_destroy(&a->changed);
  pthread_cond_destroy(&a->tried);
  pthread_mutex_destroy(&a->lock);
  free(a);
}

/* What a former process left. */
static void take_over(void *context, const char *line)
{
  struct auditor *a = context;
  char *copy = a->count < WAITING_MOST ? strdup(line) : NULL;
  if (copy) a->waiting[a->count++] = copy, a->shelved++;
}

enum armdyn_status auditor_start(const struct app *app, struct auditor **out)
{
  struct auditor *a = calloc(1, sizeof *a);
  if (!a) return ARMDYN_EMEMORY;
  a->store = app->store;
  a->stands = app->stand_in;
  pthread_mutex_init(&a->lock, NULL);
  pthread_cond_init(&a->changed, NULL);
  pthread_cond_init(&a->tried, NULL);
  a->shelf = audit_shelf_open(a->stands ? a->stands->path : store_path(a->store), take_over, a);
  if (!a->shelf || pthread_create(&a->thread, NULL, run, a)) {
    free_auditor(a);
    return ARMDYN_EMEMORY;
  }
  *out = a;
  return ARMDYN_OK;
}

void auditor_stop(struct auditor *a)
{
  if (!a) return;
  pthread_mutex_lock(&a->lock);
  a->stopping = true;
  pthread_cond_signal(&a->changed);
  pthread_mutex_unlock(&a->lock);
  pthread_join(a->thread, NULL);
  free_auditor(a);
}

static void hand_over(struct auditor *a, char *line)
{
  pthread_mutex_lock(&a->lock);
  bool full = a->count == WAITING_MOST;
  if (!full) a->waiting[a->count++] = line;
  pthread_cond_signal(&a->changed);
  pthread_mutex_unlock(&a->lock);
  if (full) lose(line, "too many wait");
}

/* OK unless entries wait that the store refuses, now as before. */
static enum armdyn_status owed(struct auditor *a)
{
  pthread_mutex_lock(&a->lock);
  if (a->count && a->refusal) {
    a->hurry = true;
    pthread_cond_signal(&a->changed);
    while (a->hurry && a->count) pthread_cond_wait(&a->tried, &a->lock);
  }
  enum armdyn_status status = a->count ? a->refusal : ARMDYN_OK;
  pthread_mutex_unlock(&a->lock);
  return status;
}

bool audit_permits(struct auditor *auditor, struct exchange *x)
{
  struct armdyn_error error = { "", "" };
  if (!may_change_anything(x)) return true;
  enum armdyn_status status = owed(auditor);
  if (status)
    armdyn_refuse(&error, status, "", "entries wait to be written: %s", armdyn_status_text(status));
  else
    status = store_check(auditor->store, &error);
  if (!status) return true;
  answer_problem(x, problem_of_status(status), "nothing was changed, for the audit trail could not tell of it: %s",
                 error.message);
  x->audited = true; /* there is nothing to tell, and the little room left is for STOP */
  return false;
}

void audit_exchange(struct auditor *auditor, struct exchange *x, bool may_block)
{
  if (x->audited || !leaves_an_entry(x)) return;
  x->audited = true;
  char *line = line_of(x);
  if (!line)
    log_event(LOG_ERROR, "an entry of the audit trail could not be written", "request_id", x->request_id, NULL);
  else if (!may_block || rehearsing() || append(auditor, &line, 1))
    hand_over(auditor, line);
}
