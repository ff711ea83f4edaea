/* Who in the service hears what of the gateway. */
#ifndef SERVER_GATEWAY_HEARERS_H
#define SERVER_GATEWAY_HEARERS_H

#include "server/gateway/message.h"

/* Who hears of telemetry as it comes; called from the thread that hears the gateway, which waits meanwhile. */
struct telemetry_tap {
  void (*rows)(void *context, const char *transfer, const struct telemetry_origin *origin,
               const struct telemetry_block *block);
  void (*ended)(void *context, const char *transfer, const struct telemetry_origin *origin, bool gateway_lost);
  void *context;
};

/* What became of a command. status: OK: carried out; ECONFLICT: refused; EUNAVAILABLE: no answer in time. Called once, from
 * another thread, or from within gateway_command; never under a lock of the gateway. */
typedef void gateway_answered(void *context, enum armdyn_status status, const char *text,
                              const struct observation *seen);

/* Why it is not ready. */
enum { GATEWAY_WHY = 160 };

#endif
