/* Idempotency-Key: the same request again creates nothing again (draft-ietf-httpapi-idempotency-key-header).
 *
 *   struct idempotency once;
 *   char *href = NULL;
 *   switch (idempotency_begin(x, false, &once, &href)) {
 *   case IDEMPOTENCY_REFUSED: return ANSWERED;
 *   case IDEMPOTENCY_REPLAY:  answer with the resource at href as it is now; free(href); return ANSWERED;
 *   case IDEMPOTENCY_NEW:     break;
 *   }
 *   status = store_robot_create(store, &robot, idempotency_key(&once));
 *   ...
 *   idempotency_end(x, &once);
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
  unsigned char digest[32]; /* SHA-256 of the query and the body */
  struct store_idempotency key;
  struct idempotency *next; /* of those that run now */
};

enum idempotency_verdict {
  IDEMPOTENCY_NEW,    /* go on; call idempotency_end when the request is through */
  IDEMPOTENCY_REPLAY, /* `href` is what it created (free it); Idempotency-Replayed is set for the answer */
  IDEMPOTENCY_REFUSED /* answered: 400 (demanded and absent, or malformed), 409 (runs now), 422 (another body) */
};
/* `once` must stay where it is until idempotency_end. */
enum idempotency_verdict idempotency_begin(struct exchange *x, bool demanded, struct idempotency *once, char **href);
void idempotency_end(struct exchange *x, struct idempotency *once);
/* For the store: NULL when the request has no key. */
const struct store_idempotency *idempotency_key(const struct idempotency *once);

/* The requests with a key that run now; part of struct app. */
struct replays *replays_new(void);
void replays_free(struct replays *replays);

#endif
