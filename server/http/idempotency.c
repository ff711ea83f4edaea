#include "server/http/idempotency.h"

#include <pthread.h>
#include <sodium.h>

#include "api/json/document.h"
#include "server/app.h"

_Static_assert(crypto_hash_sha256_BYTES == 32, "the digest of a body");

struct replays {
  pthread_mutex_t lock;
  struct idempotency *running;
};

struct replays *replays_new(void)
{
  struct replays *replays = calloc(1, sizeof *replays);
  if (replays) pthread_mutex_init(&replays->lock, NULL);
  return replays;
}

void replays_free(struct replays *replays)
{
  if (!replays) return;
  pthread_mutex_destroy(&replays->lock);
  free(replays);
}

const struct store_idempotency *idempotency_key(const struct idempotency *once)
{
  return once->given ? &once->key : NULL;
}

/* false: the same scope runs already. */
static bool enter(struct replays *replays, struct idempotency *once)
{
  pthread_mutex_lock(&replays->lock);
  const struct idempotency *other = replays->running;
  while (other && strcmp(other->scope, once->scope)) other = other->next;
  if (!other) {
    once->next = replays->running;
    replays->running = once;
  }
  pthread_mutex_unlock(&replays->lock);
  return !other;
}

void idempotency_end(struct exchange *x, struct idempotency *once)
{
  if (!once->given) return;
  struct replays *replays = exchange_app(x)->replays;
  pthread_mutex_lock(&replays->lock);
  struct idempotency **at = &replays->running;
  while (*at && *at != once) at = &(*at)->next;
  if (*at) *at = once->next;
  pthread_mutex_unlock(&replays->lock);
}

/* The scope: whose key, which call, which Idempotency-Key. Hashed where the path is long, so that nothing is cut off. */
static void make_scope(struct exchange *x, const char *key, struct idempotency *once)
{
  const char *path = exchange_path(x);
  unsigned char hash[crypto_hash_sha256_BYTES];
  char hex[sizeof hash * 2 + 1];
  if (strlen(path) > 256) {
    crypto_hash_sha256(hash, (const unsigned char *)path, strlen(path));
    path = sodium_bin2hex(hex, sizeof hex, hash, sizeof hash);
  }
  snprintf(once->scope, sizeof once->scope, "%s %s %s %s", exchange_key_id(x), exchange_method(x), path, key);
}

/* JSON by what it says, however it is written; anything else, and what is no JSON, by its bytes. */
static void add_body(struct exchange *x, crypto_hash_sha256_state *state)
{
  size_t length;
  const char *body = exchange_body(x, &length);
  struct buffer canonical = BUFFER(4 * LIMIT_MODEL_BODY);
  struct json_writer w = { .out = &canonical };
  cJSON *tree = NULL;
  if (length && !document_parse(body, length, NULL, &tree)) document_write_canonical(&w, tree);
  document_close(tree);
  if (canonical.length && buffer_ok(&canonical)) body = canonical.data, length = canonical.length;
  crypto_hash_sha256_update(state, (const unsigned char *)body, length);
  buffer_release(&canonical);
}

/* The query but for dry_run: tried or meant, the request is the same. */
static void add_query(struct exchange *x, crypto_hash_sha256_state *state)
{
  static const char dry_run[] = "dry_run=";
  const char *separator = "";
  for (const char *at = exchange_query_text(x); *at; at += strspn(at, "&")) {
    const size_t length = strcspn(at, "&");
    if (strncmp(at, dry_run, sizeof dry_run - 1)) {
      crypto_hash_sha256_update(state, (const unsigned char *)separator, strlen(separator));
      crypto_hash_sha256_update(state, (const unsigned char *)at, length);
      separator = "&";
    }
    at += length;
  }
  crypto_hash_sha256_update(state, (const unsigned char *)"", 1);
}

/* What was asked: the query says something too (allow_unphysical). */
static void make_digest(struct exchange *x, struct idempotency *once)
{
  crypto_hash_sha256_state state;
  crypto_hash_sha256_init(&state);
  add_query(x, &state);
  const unsigned char *digest = exchange_body_digest(x);
  if (digest)
    crypto_hash_sha256_update(&state, digest, crypto_hash_sha256_BYTES);
  else
    add_body(x, &state);
  crypto_hash_sha256_final(&state, once->digest);
}

static bool key_is_sane(const char *key)
{
  size_t length = strlen(key);
  if (!length || length > IDEMPOTENCY_KEY_MOST) return false;
  for (const char *p = key; *p; p++)
    if (*p < 0x20 || *p > 0x7e) return false;
  return true;
}

static void answer_mismatch(struct exchange *x, const char *href)
{
  struct buffer extra = BUFFER(KB(4));
  struct json_writer w = { .out = &extra };
  char detail[512];
  json_key(&w, "resource"), json_write_text(&w, href);
  snprintf(detail, sizeof detail, "the first request with this Idempotency-Key asked for something else: it made %s",
           href);
  answer_problem_extra(x, PROBLEM_IDEMPOTENCY_MISMATCH, buffer_ok(&extra) ? extra.data : NULL, detail);
  buffer_release(&extra);
}

enum idempotency_verdict idempotency_begin(struct exchange *x, bool demanded, struct idempotency *once, char **href)
{
  const char *key = exchange_header(x, "Idempotency-Key");
  const char *lifetime = exchange_header(x, "Idempotency-Lifetime");
  once->given = false;
  if (!key && !demanded && !lifetime) return IDEMPOTENCY_NEW;
  if (!key || !key_is_sane(key)) {
    fault_add(exchange_faults(x), FAULT_AT_HEADER, "Idempotency-Key", key ? FAULT_PATTERN : FAULT_REQUIRED,
              "must be 1 to %d printable ASCII characters", IDEMPOTENCY_KEY_MOST);
    answer_problem(x, PROBLEM_BAD_REQUEST,
                   key ? "Idempotency-Key must be 1 to %d printable ASCII characters"
                       : "this call needs an Idempotency-Key (1 to %d printable ASCII characters)",
                   IDEMPOTENCY_KEY_MOST);
    return IDEMPOTENCY_REFUSED;
  }
  if (lifetime && strcmp(lifetime, "resource") != 0) {
    fault_add(exchange_faults(x), FAULT_AT_HEADER, "Idempotency-Lifetime", FAULT_ENUM,
              "must be resource, got '%.64s'; absent: 24 hours", lifetime);
    answer_problem(x, PROBLEM_BAD_REQUEST, NULL);
    return IDEMPOTENCY_REFUSED;
  }
  make_scope(x, key, once);
  make_digest(x, once);
  once->key = (struct store_idempotency){ once->scope, once->digest, lifetime != NULL };
  struct app *app = exchange_app(x);
  if (!enter(app->replays, once)) {
    exchange_set_header(x, "Retry-After", "1");
    answer_problem(x, PROBLEM_REQUEST_IN_FLIGHT, NULL);
    return IDEMPOTENCY_REFUSED;
  }
  once->given = true;

  enum armdyn_status status = store_idempotency_find(app->store, &once->key, href);
  if (status == ARMDYN_ENOTFOUND) return IDEMPOTENCY_NEW;
  idempotency_end(x, once);
  once->given = false;
  if (status == ARMDYN_OK) {
    exchange_set_header(x, "Idempotency-Replayed", "true");
    return IDEMPOTENCY_REPLAY;
  }
  if (status == ARMDYN_ECONFLICT)
    answer_mismatch(x, *href);
  else
    answer_status(x, status, NULL);
  free(*href);
  *href = NULL;
  return IDEMPOTENCY_REFUSED;
}

void idempotency_run(struct exchange *x, bool demanded, idempotency_replay *replay, idempotency_create *create,
                     void *context)
{
  struct idempotency once;
  char *href = NULL;
  switch (idempotency_begin(x, demanded, &once, &href)) {
  case IDEMPOTENCY_REFUSED: return;
  case IDEMPOTENCY_REPLAY: replay(x, href); break;
  case IDEMPOTENCY_NEW:
    create(x, &once, context);
    idempotency_end(x, &once);
    break;
  }
  free(href);
}
