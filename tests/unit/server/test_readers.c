#include <pthread.h>
#include <stdatomic.h>

#include "server/store/readers.h"
#include "store_fixture.h"

TestSuite(readers, .init = setup, .fini = teardown, .timeout = 60);

static atomic_bool taken;

static void *take_one(void *readers)
{
  struct sql *mine;
  OK(readers_take(readers, &mine));
  atomic_store(&taken, true);
  readers_give(readers, mine);
  return NULL;
}

static void *take_first(void *readers)
{
  store_reads_first(true);
  return take_one(readers);
}

/* All connections are taken: one who reads first gets another one, everybody else waits until one is given back. */
Test(readers, who_reads_first_waits_for_nobody)
{
  struct readers *readers;
  struct sql *all[LIMIT_READERS];
  OK(readers_new(store_path(store), false, &readers));
  for (size_t i = 0; i < COUNT(all); i++) OK(readers_take(readers, &all[i]));
  pthread_t first, other;
  pthread_create(&first, NULL, take_first, readers);
  pthread_join(first, NULL);
  cr_assert(atomic_exchange(&taken, false));
  pthread_create(&other, NULL, take_one, readers);
  nanosleep(&(struct timespec){ .tv_nsec = 20000000 }, NULL);
  cr_assert(!atomic_load(&taken), "the place of those who read first was taken");
  readers_give(readers, all[0]);
  pthread_join(other, NULL);
  for (size_t i = 1; i < COUNT(all); i++) readers_give(readers, all[i]);
  readers_free(readers);
}
