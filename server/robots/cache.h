/* Compiled robots in memory: revisions are immutable, so what is here is never stale; "the newest" is asked of a small
 * index that the writing routes keep up to date. Safe from any thread. */
#ifndef SERVER_ROBOTS_CACHE_H
#define SERVER_ROBOTS_CACHE_H

#include <stdint.h>

#include "api/codec/parts.h"
#include "armdyn/robot.h"
#include "server/store/store.h"

struct robots;
struct robot_entry { /* shared, counted */
  const struct armdyn_robot *robot;
  int64_t revision;
  struct store_robot row; /* without its document */
};

struct robots *robots_new(struct store *store);
void robots_free(struct robots *robots);
/* A hit takes one short lock and allocates nothing; a miss reads the store and compiles the model.
 * revision 0: the newest. may_block false: EUNAVAILABLE instead of reading the store. ENOTFOUND. Release what you get. */
enum armdyn_status robots_get(struct robots *robots, const char *name, int64_t revision, bool may_block,
                              const struct robot_entry **entry);
/* The same, with another payload, tool or gravity put into the model, which is compiled anew and not kept. May block.
 * Without any it is robots_get. */
enum armdyn_status robots_get_with(struct robots *robots, const char *name, int64_t revision,
                                   const struct overrides *overrides, const struct robot_entry **entry);
/* NULL is fine. */
void robots_release(struct robots *robots, const struct robot_entry *entry);
/* A route changed this robot (new revision, deleted, archived): forget what is known of it. To be called after the store
 * was changed and before that is answered, so that a client never meets what it replaced. */
void robots_changed(struct robots *robots, const char *name);

#endif
