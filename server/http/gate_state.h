/* What the gate (gate.h) knows of one connection. */
#ifndef SERVER_HTTP_GATE_STATE_H
#define SERVER_HTTP_GATE_STATE_H

#include "server/http/framing.h"

/* Of one connection, on its event thread; all zero: a new one. */
struct gate {
  struct framing framing;
  char *held; /* bytes that libmicrohttpd does not have: the first `ready` of them it may */
  size_t held_from, held_to, ready, capacity;
  bool ended; /* it is told that the client says no more */
};

#endif
