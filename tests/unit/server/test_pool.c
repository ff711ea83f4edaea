#include <criterion/criterion.h>
#include <pthread.h>
#include <stdatomic.h>

#include "server/base/pool.h"

static void count_one(void *context)
{
  atomic_fetch_add((_Atomic int *)context, 1);
}

Test(pool, finishes_what_is_queued_before_it_ends)
{
  _Atomic int count = 0;
  struct pool *pool = pool_new(3, 1000, 0);
  for (int i = 0; i < 1000; i++) cr_assert_eq(pool_submit(pool, count_one, &count), ARMDYN_OK);
  pool_free(pool);
  cr_expect_eq(count, 1000);
}

struct gate {
  pthread_mutex_t closed;
  _Atomic int inside;
};

static void wait_at(void *context)
{
  struct gate *gate = context;
  atomic_fetch_add(&gate->inside, 1);
  pthread_mutex_lock(&gate->closed);
  pthread_mutex_unlock(&gate->closed);
}

Test(pool, a_full_queue_is_busy)
{
  struct gate gate = { PTHREAD_MUTEX_INITIALIZER, 0 };
  pthread_mutex_lock(&gate.closed);
  struct pool *pool = pool_new(1, 2, 0);
  cr_assert_eq(pool_submit(pool, wait_at, &gate), ARMDYN_OK);
  while (!gate.inside) sched_yield(); /* its place in the queue is free again */
  cr_expect_eq(pool_submit(pool, wait_at, &gate), ARMDYN_OK);
  cr_expect_eq(pool_submit(pool, wait_at, &gate), ARMDYN_OK);
  cr_expect_eq(pool_submit(pool, wait_at, &gate), ARMDYN_EBUSY);
  pthread_mutex_unlock(&gate.closed);
  pool_free(pool);
  cr_expect_eq(gate.inside, 3);
}

enum { COUNT = 100003 };

static void mark(void *context, size_t first, size_t last)
{
  _Atomic unsigned char *marks = context;
  for (size_t i = first; i < last; i++) atomic_fetch_add(&marks[i], 1);
}

Test(pool, a_loop_visits_each_index_once)
{
  static _Atomic unsigned char marks[COUNT];
  static const size_t counts[] = { 0, 1, 6, 7, 8, 1000, COUNT };
  struct pool *pool = pool_new(4, 8, 0);
  for (size_t c = 0; c < sizeof counts / sizeof *counts; c++) {
    memset((void *)marks, 0, sizeof marks);
    pool_for(pool, counts[c], 7, mark, marks);
    for (size_t i = 0; i < COUNT; i++) cr_assert_eq(marks[i], i < counts[c]);
  }
  pool_free(pool);
}

Test(pool, a_loop_ends_though_all_threads_are_busy)
{
  static _Atomic unsigned char marks[1000];
  struct gate gate = { PTHREAD_MUTEX_INITIALIZER, 0 };
  pthread_mutex_lock(&gate.closed);
  struct pool *pool = pool_new(2, 8, 0);
  pool_submit(pool, wait_at, &gate);
  pool_submit(pool, wait_at, &gate);
  while (gate.inside < 2) sched_yield();
  pool_for(pool, 1000, 10, mark, marks); /* nobody helps: this thread does it all */
  for (size_t i = 0; i < 1000; i++) cr_assert_eq(marks[i], 1);
  pthread_mutex_unlock(&gate.closed);
  pool_free(pool);
}

struct nested {
  struct pool *pool;
  _Atomic size_t sum;
};

static void add_pieces(void *context, size_t first, size_t last)
{
  atomic_fetch_add(&((struct nested *)context)->sum, last - first);
}

static void loop_inside(void *context)
{
  struct nested *nested = context;
  pool_for(nested->pool, 1000, 3, add_pieces, nested);
}

Test(pool, loops_of_many_threads_help_each_other)
{
  struct nested nested = { pool_new(4, 100, 0), 0 };
  for (int i = 0; i < 100; i++) cr_assert_eq(pool_submit(nested.pool, loop_inside, &nested), ARMDYN_OK);
  struct pool *pool = nested.pool;
  pool_free(pool);
  cr_expect_eq(nested.sum, 100000);
}
