/* API keys: who may call, how much, and which arms they may move. */
#include "api/codec/key.h"

#include "server/app.h"
#include "server/base/clock.h"
#include "server/http/auth.h"
#include "server/http/idempotency.h"
#include "server/http/preconditions.h"
#include "server/routes/handlers.h"
#include "server/routes/listing.h"

enum { ANSWER_MOST = KB(16) };

/* used: room for the time of its last use. */
static struct key_resource resource_of(struct exchange *x, const struct store_api_key *key, char used[TIME_SIZE])
{
  auth_last_used(exchange_app(x)->auth, key->id, used);
  return (struct key_resource){ .id = key->id,
                                .name = key->name,
                                .role = store_role_name(key->role),
                                .motion = key->motion,
                                .created_at = key->created_at,
                                .expires_at = key->expires_at,
                                .last_used_at = used };
}

/* made: the key was just made, and its secret is shown; NULL: it was not. */
static void answer_key(struct exchange *x, int http_status, const struct store_api_key *key, const struct new_key *made)
{
  char used[TIME_SIZE];
  struct key_resource resource = resource_of(x, key, used);
  resource.secret = made ? made->secret : NULL;
  resource.first = made && made->first;
  struct buffer body = BUFFER(ANSWER_MOST);
  struct json_writer w = { .out = &body };
  key_resource_encode(&resource, &w);
  exchange_set_header(x, "Cache-Control", "no-store");
  if (http_status == 200) {
    answer_document(x, &body);
    return;
  }
  exchange_set_header(x, "Location", "/v1/keys/%s", key->id);
  answer_etag(x, version_of_content(body.data, body.length));
  answer_json(x, http_status, &body);
}

static void get(struct exchange *x, const char *id, int http_status)
{
  struct store_api_key key;
  enum armdyn_status status = store_api_key_get(exchange_app(x)->store, id, &key);
  if (status == ARMDYN_ENOTFOUND) {
    answer_problem(x, PROBLEM_NOT_FOUND, "there is no key '%.64s'", id);
  } else if (status) {
    answer_status(x, status, NULL);
  } else {
    answer_key(x, http_status, &key, NULL);
    store_api_key_release(&key);
  }
}

enum outcome key_get(struct exchange *x)
{
  get(x, exchange_segment(x, "key"), 200);
  return ANSWERED;
}

enum outcome key_self(struct exchange *x)
{
  const char *id = exchange_key_id(x);
  if (id_valid(id)) {
    get(x, id, 200);
    return ANSWERED;
  }
  char everything[] = "*"; /* the key of the file, or nobody's: no resource, but a caller all the same */
  struct store_api_key key = { .role = STORE_ADMIN, .motion = everything };
  snprintf(key.id, sizeof key.id, "%s", id);
  snprintf(key.name, sizeof key.name, "%s", id);
  answer_key(x, 200, &key, NULL);
  return ANSWERED;
}

static void visit(void *context, const struct store_api_key *key)
{
  struct listing *listing = context;
  char used[TIME_SIZE];
  struct key_resource resource = resource_of(listing->x, key, used);
  struct buffer item = BUFFER(ANSWER_MOST);
  key_resource_encode(&resource, &(struct json_writer){ .out = &item });
  listing_item(listing, &item);
  buffer_release(&item);
}

enum outcome key_list(struct exchange *x)
{
  static const struct list_form form = {
    .sorts = "created_at name role expires_at",
    .fields = "id name role motion created_at expires_at last_used_at",
  };
  struct listing listing;
  if (!listing_query(&listing, x, &form)) return ANSWERED;
  listing_end(&listing, store_api_key_list(exchange_app(x)->store, &listing.query, visit, &listing));
  return ANSWERED;
}

/* -- making one -- */

static void create(struct exchange *x, const struct idempotency *once, void *unused)
{
  (void)unused;
  struct key_request request;
  struct new_key made;
  struct auth *auth = exchange_app(x)->auth;
  size_t length;
  const char *body = exchange_body(x, &length);
  enum armdyn_status status = key_request_decode(body, length, &request, exchange_faults(x));
  if (!status) status = auth_make_key(auth, &request, idempotency_key(once), &made, exchange_faults(x));
  if (status == ARMDYN_ELIMIT) {
    answer_problem(x, PROBLEM_CONFLICT, "there are %d keys already; revoke some", LIMIT_KEYS);
  } else if (status) {
    answer_status(x, status, NULL);
  } else {
    answer_key(x, 201, &made.key, &made);
    explicit_bzero(made.secret, sizeof made.secret);
    store_api_key_release(&made.key);
  }
}

/* The key, but not its secret, which is kept nowhere. */
static void replay(struct exchange *x, const char *href)
{
  get(x, strrchr(href, '/') + 1, 201);
}

enum outcome key_create(struct exchange *x)
{
  idempotency_run(x, false, replay, create, NULL);
  return ANSWERED;
}

/* -- revoking one: at once, and without If-Match, for a key does not change -- */

enum outcome key_delete(struct exchange *x)
{
  const char *id = exchange_segment(x, "key");
  enum armdyn_status status = auth_revoke_key(exchange_app(x)->auth, id);
  if (status == ARMDYN_ENOTFOUND)
    answer_problem(x, PROBLEM_NOT_FOUND, "there is no key '%.64s'", id);
  else if (status == ARMDYN_ECONFLICT)
    answer_problem(x, PROBLEM_CONFLICT, "this is the last key of an admin: make another one first");
  else if (status)
    answer_status(x, status, NULL);
  else
    answer_empty(x, 204);
  return ANSWERED;
}
