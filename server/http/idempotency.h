/* Idempotency-Key: the same request again creates nothing again (draft-ietf-httpapi-idempotency-key-header).
 *
 *   static void replay(struct exchange *x, const char *href)   answers with the resource at href as it is now
 *   static void create(struct exchange *x, const struct idempotency *once, void *context)
 *   {
 *     status = store_robot_create(store, &robot, idempotency_key(once));
 *     ...
 *   }
 *   idempotency_run(x, false, replay, create, NULL);
 *
 * It reads the store, so only where exchange_may_block is true; with a body that is streamed, when that is complete. */
#ifndef SERVER_HTTP_IDEMPOTENCY_H
#define SERVER_HTTP_IDEMPOTENCY_H

#include <stdbool.h>

#include "server/http/exchange.h"
#include "server/store/store.h"

enum { IDEMPOTENCY_KEY_MOST = 128, IDEMPOTENCY_SCOPE_SIZE = 512 };

struct idempotency {
  bool given;
  char scope[IDEMPOTENCY_SCOPE_SIZE];
  unsigned char digest[32]; /* SHA-256 of the query and the body; of JSON by what it says */
  struct store_idempotency key;
  struct idempotency *next; /* of those that run now */
};

enum idempotency_verdict {
  IDEMPOTENCY_NEW,    /* go on; call idempotency_end when the request is through */
  IDEMPOTENCY_REPLAY, /* `href` is what it created (free it); Idempotency-Replayed is set for the answer */
  IDEMPOTENCY_REFUSED /* answered: 400 (demanded and absent, or malformed), 409 (runs now), 422 (another body) */
};
/* For calls that idempotency_run does not fit. `once` must stay where it is until idempotency_end. */
enum idempotency_verdict idempotency_begin(struct exchange *x, bool demanded, struct idempotency *once, char **href);
void idempotency_end(struct exchange *x, struct idempotency *once);

/* Answer a request that creates something: by `create` when it is new, by `replay` when its key made something before. */
typedef void idempotency_replay(struct exchange *x, const char *href);
typedef void idempotency_create(struct exchange *x, const struct idempotency *once, void *context);
void idempotency_run(struct exchange *x, bool demanded, idempotency_replay *replay, idempotency_create *create,
                     void *context);

/* For the store: NULL when the request has no key. */
const struct store_idempotency *idempotency_key(const struct idempotency *once);

/* The requests with a key that run now; part of struct app. */
struct replays *replays_new(void);
void replays_free(struct replays *replays);

#endif
