#include "server/robots/cache.h"

#include <pthread.h>
#include <stdatomic.h>

#include "api/codec/robot.h"
#include "api/limits.h"
#include "server/base/rehearsal.h"

enum { BUCKETS = 512 };

/* An entry is counted once by the cache and once by everybody who holds it; whoever lets go last frees it. */
struct cached {
  struct robot_entry entry; /* first: the one is found from the other */
  struct armdyn_robot *robot;
  char name[ARMDYN_NAME_SIZE];
  bool newest; /* known to be what revision 0 means */
  atomic_size_t holders;
  struct cached *chain;           /* of its bucket, which is chosen by name */
  struct cached *younger, *older; /* by last use */
};

struct robots {
  struct store *store;
  pthread_mutex_t mutex; /* of all below, held for a few instructions */
  uint64_t changes;      /* calls of robots_changed: what was read before one is not remembered after it */
  size_t count;
  struct cached *youngest, *oldest;
  struct cached *buckets[BUCKETS];
};

struct robots *robots_new(struct store *store)
{
  struct robots *robots = calloc(1, sizeof *robots);
  if (!robots) return NULL;
  robots->store = store;
  pthread_mutex_init(&robots->mutex, NULL);
  return robots;
}

static void let_go(struct cached *c)
{
  if (atomic_fetch_sub_explicit(&c->holders, 1, memory_order_acq_rel) != 1) return;
  armdyn_robot_free(c->robot);
  free(c);
}

/* FNV-1a */
static struct cached **bucket_of(struct robots *robots, const char *name)
{
  uint32_t hash = 2166136261u;
  for (const char *p = name; *p; p++) hash = (hash ^ (unsigned char)*p) * 16777619u;
  return &robots->buckets[hash % BUCKETS];
}

static void unlink_age(struct robots *robots, struct cached *c)
{
  *(c->younger ? &c->younger->older : &robots->youngest) = c->older;
  *(c->older ? &c->older->younger : &robots->oldest) = c->younger;
}

static void link_youngest(struct robots *robots, struct cached *c)
{
  c->younger = NULL;
  c->older = robots->youngest;
  *(robots->youngest ? &robots->youngest->younger : &robots->oldest) = c;
  robots->youngest = c;
}

/* Take an entry out of the cache; it lives on while somebody holds it. */
static void forget(struct robots *robots, struct cached *c)
{
  struct cached **at = bucket_of(robots, c->name);
  while (*at != c) at = &(*at)->chain;
  *at = c->chain;
  unlink_age(robots, c);
  robots->count--;
  let_go(c);
}

void robots_free(struct robots *robots)
{
  if (!robots) return;
  while (robots->oldest) forget(robots, robots->oldest);
  pthread_mutex_destroy(&robots->mutex);
  free(robots);
}

static struct cached *find(struct robots *robots, const char *name, int64_t revision)
{
  for (struct cached *c = *bucket_of(robots, name); c; c = c->chain)
    if ((revision ? c->entry.revision == revision : c->newest) && strcmp(c->name, name) == 0) return c;
  return NULL;
}

/* For the caller, as the most recently used one. */
static struct cached *hold(struct robots *robots, struct cached *c)
{
  atomic_fetch_add_explicit(&c->holders, 1, memory_order_relaxed);
  if (robots->youngest != c) {
    unlink_age(robots, c);
    link_youngest(robots, c);
  }
  return c;
}

/* The model as kernels want it, from its canonical JSON. What the store holds was checked when it came in, so that a
 * refusal here is a fault of the program. */
static enum armdyn_status compile(const struct store_robot *stored, struct armdyn_robot **robot)
{
  struct armdyn_robot_description *description = malloc(sizeof *description);
  struct faults *faults = malloc(sizeof *faults);
  enum armdyn_status status = ARMDYN_EMEMORY;
  if (description && faults) {
    faults->count = 0;
    status = robot_decode(stored->document, strlen(stored->document), true, description, NULL, faults);
    if (!status) status = armdyn_robot_new(description, robot, NULL);
    if (status && status != ARMDYN_EMEMORY) status = ARMDYN_EINTERNAL;
  }
  free(description);
  free(faults);
  return status;
}

static enum armdyn_status load(struct store *store, const char *name, int64_t revision, struct cached **out)
{
  struct store_robot stored;
  enum armdyn_status status = store_robot_get(store, name, revision, &stored);
  if (status) return status;
  struct cached *c = calloc(1, sizeof *c);
  status = c ? compile(&stored, &c->robot) : ARMDYN_EMEMORY;
  if (!status) {
    c->entry = (struct robot_entry){ c->robot, stored.revision, stored };
    c->entry.row.document = NULL;
    memcpy(c->name, stored.name, sizeof c->name);
    c->newest = revision == 0;
    atomic_init(&c->holders, 1);
    *out = c;
    c = NULL;
  }
  free(c);
  store_robot_release(&stored);
  return status;
}

static void remember(struct robots *robots, struct cached *c)
{
  struct cached **bucket = bucket_of(robots, c->name);
  if (robots->count == LIMIT_ROBOTS_CACHED) forget(robots, robots->oldest);
  atomic_fetch_add_explicit(&c->holders, 1, memory_order_relaxed);
  c->chain = *bucket;
  *bucket = c;
  link_youngest(robots, c);
  robots->count++;
}

/* Two threads may have asked for the newest around the moment when it changed: numbers ascend, so the higher one is. */
static void settle_newest(struct robots *robots, struct cached *loaded)
{
  struct cached *known = loaded->newest ? find(robots, loaded->name, 0) : NULL;
  if (!known || known->entry.revision == loaded->entry.revision) return;
  if (known->entry.revision > loaded->entry.revision)
    loaded->newest = false;
  else
    known->newest = false;
}

/* Put a loaded entry into the cache, unless something changed since it was asked for (*settled is false then). Returns
 * the entry to use, held for the caller: that of another thread, when it was faster. */
static struct cached *settle(struct robots *robots, struct cached *loaded, uint64_t changes, bool *settled)
{
  pthread_mutex_lock(&robots->mutex);
  struct cached *present = NULL;
  *settled = changes == robots->changes;
  if (*settled) {
    settle_newest(robots, loaded);
    present = find(robots, loaded->name, loaded->entry.revision);
    if (!present) remember(robots, loaded);
  }
  if (present) {
    present->newest |= loaded->newest;
    hold(robots, present);
  }
  pthread_mutex_unlock(&robots->mutex);
  if (!present) return loaded;
  let_go(loaded);
  return present;
}

/* The newest must be in the cache before it is shown: otherwise somebody who read the store a little earlier could put
 * its predecessor there, and a client would see the numbers descend. When others keep changing robots, that is given up. */
enum { TRIES = 16 };

enum armdyn_status robots_get(struct robots *robots, const char *name, int64_t revision, bool may_block,
                              const struct robot_entry **entry)
{
  struct cached *c = NULL;
  bool settled = false;
  if (rehearsing()) { /* what is only tried is for nobody else */
    enum armdyn_status status = load(robots->store, name, revision, &c);
    if (!status) *entry = &c->entry;
    return status;
  }
  for (int i = 0; i < TRIES && !settled; i++) {
    if (c) let_go(c); /* of the try before */
    pthread_mutex_lock(&robots->mutex);
    c = find(robots, name, revision);
    if (c) hold(robots, c);
    uint64_t changes = robots->changes;
    pthread_mutex_unlock(&robots->mutex);
    if (c) break;
    if (!may_block) return ARMDYN_EUNAVAILABLE;
    enum armdyn_status status = load(robots->store, name, revision, &c);
    if (status) return status;
    c = settle(robots, c, changes, &settled);
    settled |= revision != 0; /* a numbered one never changes */
  }
  *entry = &c->entry;
  return ARMDYN_OK;
}

/* An entry of its own, held by the caller alone. */
static enum armdyn_status make_entry(const struct robot_entry *stored, const char *name,
                                     const struct armdyn_robot_description *model, const struct robot_entry **entry)
{
  struct cached *c = calloc(1, sizeof *c);
  enum armdyn_status status = c ? armdyn_robot_new(model, &c->robot, NULL) : ARMDYN_EMEMORY;
  if (status) {
    free(c);
    return status;
  }
  c->entry = *stored;
  c->entry.robot = c->robot;
  snprintf(c->name, sizeof c->name, "%s", name);
  atomic_init(&c->holders, 1);
  *entry = &c->entry;
  return ARMDYN_OK;
}

enum armdyn_status robots_get_with(struct robots *robots, const char *name, int64_t revision,
                                   const struct overrides *overrides, const struct robot_entry **entry)
{
  struct armdyn_robot_description *changed = NULL;
  const struct robot_entry *stored;
  enum armdyn_status status = robots_get(robots, name, revision, true, &stored);
  if (status) return status;
  status = overrides_apply(overrides, armdyn_robot_description(stored->robot), &changed);
  if (!status && !changed) {
    *entry = stored;
    return ARMDYN_OK;
  }
  if (!status) status = make_entry(stored, name, changed, entry);
  free(changed);
  robots_release(robots, stored);
  return status;
}

void robots_release(struct robots *robots, const struct robot_entry *entry)
{
  (void)robots;
  if (entry) let_go((struct cached *)entry);
}

void robots_changed(struct robots *robots, const char *name)
{
  if (rehearsing()) return;
  pthread_mutex_lock(&robots->mutex);
  robots->changes++;
  struct cached *next;
  for (struct cached *c = *bucket_of(robots, name); c; c = next) {
    next = c->chain;
    if (strcmp(c->name, name) == 0) forget(robots, c);
  }
  pthread_mutex_unlock(&robots->mutex);
}
