#include "server/base/pool.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <sys/resource.h>
#include <unistd.h>

struct work {
  void (*run)(void *context);
  void *context;
};

/* A loop that threads may join; it lives on the stack of the thread that called pool_for. */
struct loop {
  struct loop *next;
  void (*body)(void *context, size_t first, size_t last);
  void *context;
  size_t count, piece;
  _Atomic size_t taken; /* pieces begin here */
  size_t helpers;       /* threads inside, under the pool's lock */
};

struct pool {
  pthread_mutex_t lock;
  pthread_cond_t wanted; /* there is work, a loop to join, or the end */
  pthread_cond_t left;   /* a helper left its loop */
  struct loop *loops;
  bool stops;
  int behind;
  struct work *queue; /* a ring */
  size_t queue_most, head, queued;
  size_t thread_count;
  pthread_t threads[];
};

static void run_pieces(struct loop *loop)
{
  size_t first;
  while ((first = atomic_fetch_add(&loop->taken, loop->piece)) < loop->count) {
    size_t last = loop->count - first > loop->piece ? first + loop->piece : loop->count;
    loop->body(loop->context, first, last);
  }
}

/* A loop that still has pieces to give; the caller holds the lock. */
static struct loop *open_loop(const struct pool *pool)
{
  for (struct loop *loop = pool->loops; loop; loop = loop->next)
    if (atomic_load(&loop->taken) < loop->count) return loop;
  return NULL;
}

static void *serve(void *argument)
{
  struct pool *pool = argument;
  if (pool->behind) setpriority(PRIO_PROCESS, (id_t)gettid(), pool->behind); /* of this thread alone, on Linux */
  pthread_mutex_lock(&pool->lock);
  for (;;) {
    struct loop *loop = open_loop(pool);
    if (loop) { /* loops first: somebody waits for their end already */
      loop->helpers++;
      pthread_mutex_unlock(&pool->lock);
      run_pieces(loop);
      pthread_mutex_lock(&pool->lock);
      if (--loop->helpers == 0) pthread_cond_broadcast(&pool->left);
    } else if (pool->queued) {
      struct work work = pool->queue[pool->head];
      pool->head = (pool->head + 1) % pool->queue_most;
      pool->queued--;
      pthread_mutex_unlock(&pool->lock);
      work.run(work.context);
      pthread_mutex_lock(&pool->lock);
    } else if (pool->stops) {
      break;
    } else {
      pthread_cond_wait(&pool->wanted, &pool->lock);
    }
  }
  pthread_mutex_unlock(&pool->lock);
  return NULL;
}

struct pool *pool_new(size_t threads, size_t queue_most, int behind)
{
  struct pool *pool = calloc(1, sizeof *pool + threads * sizeof *pool->threads);
  if (!pool) return NULL;
  pool->behind = behind;
  pthread_mutex_init(&pool->lock, NULL);
  pthread_cond_init(&pool->wanted, NULL);
  pthread_cond_init(&pool->left, NULL);
  pool->queue_most = queue_most;
  pool->queue = calloc(queue_most, sizeof *pool->queue);
  if (pool->queue)
    while (pool->thread_count < threads && !pthread_create(&pool->threads[pool->thread_count], NULL, serve, pool))
      pool->thread_count++;
  if (pool->queue && pool->thread_count == threads) return pool;
  pool_free(pool);
  return NULL;
}

void pool_free(struct pool *pool)
{
  if (!pool) return;
  pthread_mutex_lock(&pool->lock);
  pool->stops = true;
  pthread_cond_broadcast(&pool->wanted);
  pthread_mutex_unlock(&pool->lock);
  for (size_t i = 0; i < pool->thread_count; i++) pthread_join(pool->threads[i], NULL);
  pthread_cond_destroy(&pool->wanted);
  pthread_cond_destroy(&pool->left);
  pthread_mutex_destroy(&pool->lock);
  free(pool->queue);
  free(pool);
}

enum armdyn_status pool_submit(struct pool *pool, void (*work)(void *context), void *context)
{
  enum armdyn_status status = ARMDYN_EBUSY;
  pthread_mutex_lock(&pool->lock);
  if (pool->queued < pool->queue_most) {
    pool->queue[(pool->head + pool->queued++) % pool->queue_most] = (struct work){ work, context };
    pthread_cond_signal(&pool->wanted);
    status = ARMDYN_OK;
  }
  pthread_mutex_unlock(&pool->lock);
  return status;
}

void pool_for(struct pool *pool, size_t count, size_t piece, void (*body)(void *context, size_t first, size_t last),
              void *context)
{
  struct loop loop = { .body = body, .context = context, .count = count, .piece = piece ? piece : 1 };
  if (count <= loop.piece) {
    if (count) body(context, 0, count);
    return;
  }
  pthread_mutex_lock(&pool->lock);
  loop.next = pool->loops;
  pool->loops = &loop;
  pthread_cond_broadcast(&pool->wanted);
  pthread_mutex_unlock(&pool->lock);

  run_pieces(&loop);

  pthread_mutex_lock(&pool->lock);
  struct loop **at = &pool->loops;
  while (*at != &loop) at = &(*at)->next;
  *at = loop.next; /* nobody joins any more */
  while (loop.helpers) pthread_cond_wait(&pool->left, &pool->lock);
  pthread_mutex_unlock(&pool->lock);
}
