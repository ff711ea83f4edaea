#include "server/gateway/questions.h"

uint64_t questions_put(struct questions *q, int64_t deadline_ns, gateway_answered *answered, void *context)
{
  for (size_t i = 0; i < QUESTIONS_MOST; i++) {
    if (q->items[i].number) continue;
    q->items[i] = (struct question){ ++q->last_number, deadline_ns, answered, context };
    return q->last_number;
  }
  return 0;
}

bool questions_take(struct questions *q, uint64_t number, int64_t now_ns, struct question *out)
{
  for (size_t i = 0; i < QUESTIONS_MOST; i++) {
    struct question *item = &q->items[i];
    if (!item->number || (number ? item->number != number : item->deadline_ns > now_ns)) continue;
    *out = *item;
    item->number = 0;
    return true;
  }
  return false;
}
