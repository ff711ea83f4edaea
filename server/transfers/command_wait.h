/* A command to the gateway whose answer is waited for. */
#ifndef SERVER_TRANSFERS_COMMAND_WAIT_H
#define SERVER_TRANSFERS_COMMAND_WAIT_H

#include "server/gateway/gateway.h"

enum { COMMAND_ANSWER_SIZE = 256 };
struct awaited_command {
  const char *controller, *transfer; /* transfer "": of the controller */
  enum transfer_command_kind kind;
  int64_t start_before_ms;
};
/* As gateway_answered tells, after some seconds at most. false: nobody answered in time; then status is EUNAVAILABLE, or
 * EMEMORY. Blocks. */
bool command_wait(struct gateway *gateway, const struct awaited_command *command, struct observation *seen,
                  char text[COMMAND_ANSWER_SIZE], enum armdyn_status *status);

#endif
