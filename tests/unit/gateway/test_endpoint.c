/* What one controller waits for holds up no other. */
#include <criterion/criterion.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <sys/file.h>
#include <unistd.h>

#include "server/gateway/endpoint.h"

enum { LONG_S = 60 };

/* A disk that does not answer: who wants a lock there waits, until it goes on. */
static sem_t asked, goes_on;

int flock(int fd, int operation)
{
  (void)fd, (void)operation;
  sem_post(&asked);
  sem_wait(&goes_on);
  return 0;
}

static bool came(sem_t *sem)
{
  struct timespec deadline;
  clock_gettime(CLOCK_REALTIME, &deadline);
  deadline.tv_sec += LONG_S;
  return !sem_timedwait(sem, &deadline);
}

static sem_t answered;

static void take_answer(void *context, const struct message_answer *answer)
{
  (void)context, (void)answer;
  sem_post(&answered);
}

static void *pass(void *context)
{
  endpoints_pass(context);
  sem_post(&answered);
  return NULL;
}

/* Of this machine, where nobody listens. */
static struct controller_address nobody_at(uint16_t base)
{
  return (struct controller_address){ .host = "127.0.0.1", .peer = "127.0.0.1", .port = 1, .unit = 1, .base = base };
}

Test(endpoint, a_disk_that_does_not_answer_holds_up_neither_pings_nor_a_stop)
{
  char dir[] = "/tmp/armdyn-endpoint-XXXXXX", lock[64];
  struct figures figures = { 0 };
  const struct endpoint_listener listener = { .answer = take_answer };
  sem_init(&asked, 0, 0), sem_init(&goes_on, 0, 0), sem_init(&answered, 0, 0);
  cr_assert(mkdtemp(dir));
  struct endpoints *e = endpoints_new(dir, SERVER_LOSS_STOP, &listener, &figures);
  cr_assert(e);

  const struct controller_address one = nobody_at(1000), other = nobody_at(2000);
  endpoints_command(e, &one, &(struct transfer_command){ .kind = ASK_LOOK, .number = 1 });
  cr_assert(came(&asked), "it wants its lock");
  pthread_t passing;
  cr_assert_eq(pthread_create(&passing, NULL, pass, e), 0);
  bool passed = came(&answered);
  cr_expect(passed, "the way to every controller is open");
  if (passed) {
    endpoints_command(e, &other, &(struct transfer_command){ .kind = ASK_STOP, .number = 2 });
    cr_expect(came(&answered), "STOP of another needs no disk");
  }
  for (int k = 0; k < 4; k++) sem_post(&goes_on);
  pthread_join(passing, NULL);
  endpoints_leave(e);
  for (int base = 1000; base <= 2000; base += 1000) {
    snprintf(lock, sizeof lock, "%s/127.0.0.1_1_1_%d.lock", dir, base);
    unlink(lock);
  }
  cr_expect_eq(rmdir(dir), 0);
}
