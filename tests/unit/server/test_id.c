#include <criterion/criterion.h>
#include <pthread.h>

#include "server/base/clock.h"
#include "server/base/id.h"

Test(id, is_valid_and_ascends)
{
  char last[ID_SIZE] = "", id[ID_SIZE];
  for (int i = 0; i < 100000; i++) {
    id_make(id);
    cr_assert(id_valid(id), "%s", id);
    cr_assert_gt(strcmp(id, last), 0, "%s after %s", id, last);
    memcpy(last, id, sizeof last);
  }
}

/* The first ten digits are the time in ms, most significant first (ULID specification). */
Test(id, carries_its_time)
{
  char id[ID_SIZE];
  int64_t before = clock_wall_ms();
  id_make(id);
  int64_t after = clock_wall_ms(), time = 0;
  for (int i = 0; i < 10; i++)
    time = time * 32 + (strchr("0123456789ABCDEFGHJKMNPQRSTVWXYZ", id[i]) - "0123456789ABCDEFGHJKMNPQRSTVWXYZ");
  cr_assert_geq(time, before);
  cr_assert_leq(time, after);
}

enum { THREADS = 4, EACH = 20000 };
static char made[THREADS][EACH][ID_SIZE];

static void *make_many(void *argument)
{
  char(*mine)[ID_SIZE] = argument;
  for (int i = 0; i < EACH; i++) id_make(mine[i]);
  return NULL;
}

static int compare(const void *a, const void *b)
{
  return strcmp(a, b);
}

Test(id, never_repeats_over_threads)
{
  pthread_t threads[THREADS];
  for (int i = 0; i < THREADS; i++) pthread_create(&threads[i], NULL, make_many, made[i]);
  for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
  char(*all)[ID_SIZE] = made[0];
  qsort(all, THREADS * EACH, ID_SIZE, compare);
  for (int i = 1; i < THREADS * EACH; i++) cr_assert_str_neq(all[i], all[i - 1]);
}

Test(id, refuses_other_texts)
{
  static const char *const bad[] = { "",
                                     "01ARZ3NDEKTSV4RRFFQ69G5FA",
                                     "01ARZ3NDEKTSV4RRFFQ69G5FAVV",
                                     "01arz3ndektsv4rrffq69g5fav",
                                     "81ARZ3NDEKTSV4RRFFQ69G5FAV",
                                     "01ARZ3NDEKTSV4RRFFQ69G5FAU",
                                     "01ARZ3NDEKTSV4RRFFQ69G5FA/" };
  cr_assert(id_valid("01ARZ3NDEKTSV4RRFFQ69G5FAV")); /* the specification's example */
  cr_assert(id_valid("7ZZZZZZZZZZZZZZZZZZZZZZZZZ"));
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) cr_assert_not(id_valid(bad[i]), "%s", bad[i]);
  cr_assert_not(id_valid(NULL));
}
