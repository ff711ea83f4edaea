#include "server/transfers/command_wait.h"

#include <pthread.h>
#include <stdlib.h>
#include <time.h>

/* Somebody waits for what comes of a command; whoever is done with it last frees it. */
struct waiting {
  pthread_mutex_t lock;
  pthread_cond_t changed;
  bool answered, abandoned;
  enum armdyn_status status;
  char text[COMMAND_ANSWER_SIZE];
  struct observation seen;
};

static void waiting_free(struct waiting *waiting)
{
  pthread_cond_destroy(&waiting->changed);
  pthread_mutex_destroy(&waiting->lock);
  free(waiting);
}

static void take_answer(void *context, enum armdyn_status status, const char *text, const struct observation *seen)
{
  struct waiting *waiting = context;
  pthread_mutex_lock(&waiting->lock);
  waiting->answered = true;
  waiting->status = status;
  waiting->seen = *seen;
  snprintf(waiting->text, sizeof waiting->text, "%s", text ? text : "");
  const bool abandoned = waiting->abandoned;
  pthread_cond_signal(&waiting->changed);
  pthread_mutex_unlock(&waiting->lock);
  if (abandoned) waiting_free(waiting);
}

bool command_wait(struct gateway *gateway, const struct awaited_command *command, struct observation *seen,
                  char text[COMMAND_ANSWER_SIZE], enum armdyn_status *status)
{
  enum { PATIENCE_S = 8 }; /* longer than the gateway's */
  struct timespec until;
  struct waiting *waiting = calloc(1, sizeof *waiting);
  *status = waiting ? ARMDYN_EUNAVAILABLE : ARMDYN_EMEMORY;
  if (!waiting) return false;
  pthread_mutex_init(&waiting->lock, NULL);
  pthread_cond_init(&waiting->changed, NULL);
  gateway_command(gateway, command->controller, command->transfer, command->kind, command->start_before_ms, take_answer,
                  waiting);
  clock_gettime(CLOCK_REALTIME, &until);
  until.tv_sec += PATIENCE_S;
  pthread_mutex_lock(&waiting->lock);
  while (!waiting->answered && !pthread_cond_timedwait(&waiting->changed, &waiting->lock, &until)) continue;
  const bool answered = waiting->answered;
  waiting->abandoned = !answered;
  if (answered) {
    *status = waiting->status;
    *seen = waiting->seen;
    memcpy(text, waiting->text, sizeof waiting->text);
  }
  pthread_mutex_unlock(&waiting->lock);
  if (answered) waiting_free(waiting);
  return answered;
}
