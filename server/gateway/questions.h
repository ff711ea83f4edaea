/* Who waits to hear what became of a command. No locks here; its callers hold one around every call. */
#ifndef SERVER_GATEWAY_QUESTIONS_H
#define SERVER_GATEWAY_QUESTIONS_H

#include "server/gateway/hearers.h"

enum { QUESTIONS_MOST = 256 };

struct question {
  uint64_t number; /* 0: free */
  int64_t deadline_ns;
  gateway_answered *answered;
  void *context;
};

struct questions {
  struct question items[QUESTIONS_MOST];
  uint64_t last_number;
};

/* Its number; 0: too many wait. */
uint64_t questions_put(struct questions *q, int64_t deadline_ns, gateway_answered *answered, void *context);
/* Take the question of this number, or (number 0) one whose deadline is not after now_ns. False: none. */
bool questions_take(struct questions *q, uint64_t number, int64_t now_ns, struct question *out);

#endif
