/* Who hears of what happens at the endpoints. */
#ifndef SERVER_GATEWAY_LISTENER_H
#define SERVER_GATEWAY_LISTENER_H

#include "server/gateway/message.h"

/* What endpoints tell; called from their threads, any number at once. */
struct endpoint_listener {
  void *context;
  void (*report)(void *context, const char *transfer, const struct transfer_report *report);
  void (*progress)(void *context, const char *transfer, uint32_t sent);
  void (*answer)(void *context, const struct message_answer *answer);
  bool (*telemetry)(void *context, const char *transfer, const struct telemetry_block *block, bool must);
};

#endif
