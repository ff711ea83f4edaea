#include "server/nodes/liveness.h"

#include <curl/curl.h>
#include <pthread.h>
#include <sodium.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "server/base/clock.h"
#include "server/base/log.h"

/* A STOP shall be at the controller 500 ms after it was asked for: the silence is found within PAUSE_MS + ANSWER_MS. */
enum {
  ANSWER_MS = 250,
  PAUSE_MS = 50,
  SILENT_PAUSE_MS = 200,
  TELL_MS = 1000, /* for the answer to a STOP, which may wait for its controllers */
  TELL_TRIES = 5,
  TOLD_MOST = 32,
  PATH_SIZE = 512,
  KEY_SIZE = 320,
  ADDRESS_SIZE = 192,
  URL_SIZE = PATH_SIZE + ADDRESS_SIZE + 16
};

struct missed {
  char path[PATH_SIZE], authorization[KEY_SIZE]; /* "": none */
  int tries;
};

static bool same(const struct missed *a, const struct missed *b)
{
  return !strcmp(a->path, b->path) && !strcmp(a->authorization, b->authorization);
}

struct liveness {
  struct liveness_setup setup;
  pthread_t thread;
  CURL *curl;
  pthread_mutex_t lock;
  pthread_cond_t changed;
  bool stopping;
  char address[ADDRESS_SIZE]; /* "": nobody is known */
  int64_t silent_ns;          /* since then; 0: it answers */
  struct missed missed[TOLD_MOST];
  size_t missed_count;
};

static size_t drop(char *bytes, size_t size, size_t count, void *nothing)
{
  (void)bytes, (void)nothing;
  return size * count;
}

/* Any answer is one: whether the process lives is asked, not who it is, as those who are passed on will find out. */
static bool request(struct liveness *l, const char *path, const struct curl_slist *headers, bool post, long ms)
{
  char url[URL_SIZE], address[ADDRESS_SIZE];
  pthread_mutex_lock(&l->lock);
  memcpy(address, l->address, sizeof address);
  pthread_mutex_unlock(&l->lock);
  if (!*address) return false;
  snprintf(url, sizeof url, "%s://%s%s", l->setup.encrypted ? "https" : "http", address, path);
  curl_easy_setopt(l->curl, CURLOPT_URL, url);
  curl_easy_setopt(l->curl, CURLOPT_TIMEOUT_MS, ms);
  curl_easy_setopt(l->curl, CURLOPT_HTTPHEADER, headers);
  if (post) {
    curl_easy_setopt(l->curl, CURLOPT_POSTFIELDSIZE, 0L);
    curl_easy_setopt(l->curl, CURLOPT_POST, 1L);
  } else {
    curl_easy_setopt(l->curl, CURLOPT_HTTPGET, 1L);
  }
  return !curl_easy_perform(l->curl);
}

/* -- what it has missed -- */

static bool tell_one(struct liveness *l, const struct missed *one)
{
  char key[sizeof one->authorization + 32];
  static const char reason[] =
      "X-Reason: a node that stands by has carried this out already, while this one did not answer";
  snprintf(key, sizeof key, "Authorization: %s", one->authorization);
  struct curl_slist *headers = curl_slist_append(NULL, reason);
  struct curl_slist *with_key = *one->authorization && headers ? curl_slist_append(headers, key) : headers;
  const bool told = with_key && request(l, one->path, with_key, true, TELL_MS);
  curl_slist_free_all(headers);
  sodium_memzero(key, sizeof key);
  if (told)
    log_event(LOG_WARNING, "the node that serves was told of a STOP that was carried out in its place", "path",
              one->path, NULL);
  return told;
}

static void forget_first(struct liveness *l)
{
  memmove(l->missed, l->missed + 1, --l->missed_count * sizeof *l->missed);
  sodium_memzero(&l->missed[l->missed_count], sizeof *l->missed);
}

/* It answers. One at a time, so that it is asked whether it still does. */
static void tell(struct liveness *l)
{
  struct missed one;
  pthread_mutex_lock(&l->lock);
  const bool has = l->missed_count > 0;
  if (has) l->missed[0].tries++, one = l->missed[0];
  pthread_mutex_unlock(&l->lock);
  if (!has || (!tell_one(l, &one) && one.tries < TELL_TRIES)) return;
  pthread_mutex_lock(&l->lock);
  if (l->missed_count && same(&one, &l->missed[0])) forget_first(l);
  pthread_mutex_unlock(&l->lock);
  sodium_memzero(&one, sizeof one);
}

void liveness_tell(struct liveness *l, const char *path, const char *authorization)
{
  struct missed one = { .path = "" };
  snprintf(one.path, sizeof one.path, "%s", path);
  if (authorization) snprintf(one.authorization, sizeof one.authorization, "%s", authorization);
  pthread_mutex_lock(&l->lock);
  size_t i = 0;
  while (i < l->missed_count && !same(&l->missed[i], &one)) i++;
  if (i == l->missed_count && i < TOLD_MOST) l->missed[l->missed_count++] = one;
  pthread_mutex_unlock(&l->lock);
  sodium_memzero(&one, sizeof one);
}

/* -- the thread -- */

static void heard(struct liveness *l, bool answers)
{
  pthread_mutex_lock(&l->lock);
  const bool known = *l->address, was_silent = l->silent_ns;
  if (answers) l->silent_ns = 0;
  if (!answers && known && !was_silent) l->silent_ns = clock_monotonic_ns();
  const bool is_silent = l->silent_ns;
  pthread_mutex_unlock(&l->lock);
  if (is_silent == was_silent) return;
  log_event(LOG_WARNING,
            is_silent ? "the node that serves does not answer: STOP is sent by this one"
                      : "the node that serves answers again",
            NULL);
  l->setup.changed(l->setup.context, is_silent);
}

/* False: the end. */
static bool rest(struct liveness *l)
{
  pthread_mutex_lock(&l->lock);
  const int64_t until = clock_monotonic_ns() + (l->silent_ns ? SILENT_PAUSE_MS : PAUSE_MS) * INT64_C(1000000);
  const struct timespec deadline = { until / 1000000000, until % 1000000000 };
  while (!l->stopping && !pthread_cond_clockwait(&l->changed, &l->lock, CLOCK_MONOTONIC, &deadline)) continue;
  const bool goes_on = !l->stopping;
  pthread_mutex_unlock(&l->lock);
  return goes_on;
}

static void *ask_on(void *context)
{
  struct liveness *l = context;
  do {
    const bool answers = request(l, "/healthz", NULL, false, ANSWER_MS);
    heard(l, answers);
    if (answers) tell(l);
  } while (rest(l));
  return NULL;
}

static CURL *make_curl(void)
{
  CURL *curl = curl_easy_init();
  if (!curl) return NULL;
  curl_easy_setopt(curl, CURLOPT_PROXY, "");
  curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(curl, CURLOPT_SSL_VERIFYPEER, 0L);
  curl_easy_setopt(curl, CURLOPT_SSL_VERIFYHOST, 0L);
  curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, drop);
  return curl;
}

enum armdyn_status liveness_start(const struct liveness_setup *setup, struct liveness **out, struct armdyn_error *error)
{
  struct liveness *l = calloc(1, sizeof *l);
  if (!l) return armdyn_refuse(error, ARMDYN_EMEMORY, "", "no memory to ask the node that serves");
  l->setup = *setup;
  l->curl = make_curl();
  pthread_mutex_init(&l->lock, NULL);
  pthread_cond_init(&l->changed, NULL);
  if (l->curl && !pthread_create(&l->thread, NULL, ask_on, l)) {
    *out = l;
    return ARMDYN_OK;
  }
  if (l->curl) curl_easy_cleanup(l->curl);
  pthread_cond_destroy(&l->changed);
  pthread_mutex_destroy(&l->lock);
  free(l);
  return armdyn_refuse(error, ARMDYN_EMEMORY, "", "no thread to ask the node that serves");
}

void liveness_follow(struct liveness *l, const char *address)
{
  pthread_mutex_lock(&l->lock);
  snprintf(l->address, sizeof l->address, "%s", address);
  while (l->missed_count) forget_first(l);
  pthread_mutex_unlock(&l->lock);
}

int64_t liveness_silent_ms(struct liveness *l)
{
  pthread_mutex_lock(&l->lock);
  const int64_t since = l->silent_ns;
  pthread_mutex_unlock(&l->lock);
  return since ? (clock_monotonic_ns() - since) / 1000000 + 1 : 0;
}

void liveness_stop(struct liveness *l)
{
  if (!l) return;
  pthread_mutex_lock(&l->lock);
  l->stopping = true;
  pthread_cond_signal(&l->changed);
  pthread_mutex_unlock(&l->lock);
  pthread_join(l->thread, NULL);
  curl_easy_cleanup(l->curl);
  pthread_cond_destroy(&l->changed);
  pthread_mutex_destroy(&l->lock);
  sodium_memzero(l, sizeof *l);
  free(l);
}
