#include "server/store/readers.h"

#include <pthread.h>

#include "api/limits.h"
#include "server/store/rehearsals.h"
#include "server/store/store.h"

/* Connections beyond the others for threads whose reads may not wait for them. */
enum { FIRST = 2 };
static _Thread_local bool reads_first;

void store_reads_first(bool first)
{
  reads_first = first;
}

struct readers {
  const char *address;
  pthread_mutex_t mutex;
  pthread_cond_t given;
  size_t opened, idle_count;
  struct sql *idle[LIMIT_READERS + FIRST]; /* the first one has been idle longest */
};

static enum armdyn_status open_all(struct readers *readers)
{
  enum armdyn_status status = ARMDYN_OK;
  while (!status && readers->opened < LIMIT_READERS + FIRST) {
    status = sql_open(readers->address, SQL_READ, &readers->idle[readers->idle_count], NULL);
    if (!status) readers->opened++, readers->idle_count++;
  }
  return status;
}

enum armdyn_status readers_new(const char *address, bool all, struct readers **out)
{
  struct readers *readers = calloc(1, sizeof *readers);
  if (!readers) return ARMDYN_EMEMORY;
  readers->address = address;
  pthread_mutex_init(&readers->mutex, NULL);
  pthread_cond_init(&readers->given, NULL);
  enum armdyn_status status = all ? open_all(readers) : ARMDYN_OK;
  if (status)
    readers_free(readers);
  else
    *out = readers;
  return status;
}

static struct sql *take_first(struct readers *readers)
{
  struct sql *first = readers->idle[0];
  readers->idle_count--;
  memmove(readers->idle, readers->idle + 1, readers->idle_count * sizeof *readers->idle);
  return first;
}

void readers_free(struct readers *readers)
{
  if (!readers) return;
  for (size_t i = 0; i < readers->idle_count; i++) sql_close(readers->idle[i]);
  pthread_cond_destroy(&readers->given);
  pthread_mutex_destroy(&readers->mutex);
  free(readers);
}

enum armdyn_status readers_take(struct readers *readers, struct sql **sql)
{
  enum armdyn_status status = ARMDYN_OK;
  *sql = rehearsal_sql();
  if (*sql) return ARMDYN_OK;
  pthread_mutex_lock(&readers->mutex);
  const size_t most = LIMIT_READERS + (reads_first ? FIRST : 0);
  while (readers->opened - readers->idle_count >= most) pthread_cond_wait(&readers->given, &readers->mutex);
  if (readers->idle_count > 0)
    *sql = take_first(readers);
  else
    readers->opened++;
  pthread_mutex_unlock(&readers->mutex);
  if (*sql) return ARMDYN_OK;
  status = sql_open(readers->address, SQL_READ, sql, NULL);
  if (!status) return ARMDYN_OK;
  pthread_mutex_lock(&readers->mutex);
  readers->opened--;
  pthread_cond_broadcast(&readers->given);
  pthread_mutex_unlock(&readers->mutex);
  return status;
}

void readers_give(struct readers *readers, struct sql *sql)
{
  if (!sql || sql == rehearsal_sql()) return;
  pthread_mutex_lock(&readers->mutex);
  readers->idle[readers->idle_count++] = sql;
  pthread_cond_broadcast(&readers->given);
  pthread_mutex_unlock(&readers->mutex);
}
