#include "server/base/scratch.h"

#include <pthread.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t key;
static _Thread_local struct scratch *here;

static void free_scratch(void *scratch)
{
  armdyn_workspace_free(((struct scratch *)scratch)->workspace);
  free(scratch);
}

static void make_key(void)
{
  if (pthread_key_create(&key, free_scratch)) abort(); /* at the first request: a process without keys is of no use */
}

struct scratch *scratch_here(void)
{
  if (here) return here;
  pthread_once(&once, make_key);
  struct scratch *scratch = malloc(sizeof *scratch);
  if (!scratch) return NULL;
  scratch->workspace = armdyn_workspace_new(ARMDYN_JOINTS_MAX);
  if (!scratch->workspace || pthread_setspecific(key, scratch)) {
    armdyn_workspace_free(scratch->workspace);
    free(scratch);
    return NULL;
  }
  return here = scratch;
}
