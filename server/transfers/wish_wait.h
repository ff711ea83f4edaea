/* A wish to the gateway whose answer is waited for. */
#ifndef SERVER_TRANSFERS_WISH_WAIT_H
#define SERVER_TRANSFERS_WISH_WAIT_H

#include "server/gateway/gateway.h"

enum { WISH_TEXT = 256 };
struct wishing {
  const char *controller, *transfer; /* transfer "": of the controller */
  enum wish_kind kind;
  int64_t start_before_ms;
};
/* As gateway_answered tells, after some seconds at most. false: nobody answered in time; then status is EUNAVAILABLE, or
 * EMEMORY. Blocks. */
bool wish_wait(struct gateway *gateway, const struct wishing *wish, struct observation *seen, char text[WISH_TEXT],
               enum armdyn_status *status);

#endif
