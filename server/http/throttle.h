/* Failed attempts to call, counted by address: who guesses keys is told to wait, and the audit trail is not flooded, neither
 * by him nor by who has no key. A good key is never refused for what others did from the same address (a proxy's, say). */
#ifndef SERVER_HTTP_THROTTLE_H
#define SERVER_HTTP_THROTTLE_H

#include <stdbool.h>

struct throttle;
struct sockaddr;

struct throttle *throttle_new(void);
void throttle_free(struct throttle *throttle);
/* One more failed attempt from this address. true: too many in the last minute; ask again in *seconds. */
bool throttle_count(struct throttle *throttle, const struct sockaddr *address, int *seconds);

#endif
