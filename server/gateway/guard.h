/* What stands around a controller, sent along with a profile, so that the process that moves the arm can see for itself that
 * the motion it sends touches nothing. A guard is one block of memory and travels as it is; the cell in it may be exchanged
 * for a newer one. Only what was described is seen: it is no safety function. */
#ifndef SERVER_GATEWAY_GUARD_H
#define SERVER_GATEWAY_GUARD_H

#include "api/codec/surroundings.h"
#include "armdyn/robot.h"
#include "server/gateway/profile.h"

/* A revision of a cell, as the store keeps it. */
struct guard_cell {
  char name[ARMDYN_NAME_SIZE];
  int64_t revision; /* 0: it is gone */
  size_t length;
  char *text; /* owned */
};

enum { GUARD_MODELS_MOST = 2 }; /* that the motion was planned with, that the controller is bound to */

struct guard {
  struct guard_cell cell;
  struct guard_cell newer; /* that has come since; no name: none. Under the lock of who hands it over */
  struct touches touches;
  double deviation; /* rad, m: how far each joint may be from what is played */
  double proved;    /* m: the clearance that `serve` has found with this cell; 0: with another one */
  size_t samples;   /* of the motion */
  bool carries;     /* the profile's words tell no positions: they are of the plan */
  size_t model_count;
  struct armdyn_robot_description models[GUARD_MODELS_MOST];
  float q[]; /* samples x joints */
};

/* Make one, as it is sent: without the cell's text.
 *   q  in  samples x joints of the first model; used where `profile` tells no positions
 * NULL: out of memory. */
struct guard *guard_new(const struct profile *profile, const struct armdyn_robot_description *const *models,
                        size_t model_count, const double *q);
/* As it came from another process: `size` bytes, of which `length` are the cell's text at the end. Takes the positions of
 * the profile where the guard carries none. NULL: it is not sound, or out of memory. */
struct guard *guard_open(const void *bytes, size_t size, const struct profile *profile);
/* Bytes before the text. */
size_t guard_size(const struct guard *guard);
void guard_free(struct guard *guard);
void guard_cell_release(struct guard_cell *cell);
/* A revision that may be newer: kept as a copy where it is of this guard's cell. EMEMORY. */
enum armdyn_status guard_offer(struct guard *guard, const struct guard_cell *cell);
/* That one, if there is one: the caller's then. */
bool guard_take_newer(struct guard *guard, struct guard_cell *cell);

/* Between two pieces of the work. false: break it off. */
typedef bool guard_pause(void *context);

/* Does the motion, from a sample on, keep clear of the cell and of the arm itself, between its samples too, wherever the
 * controller may be of it? In pieces, with a pause between them.
 * OK; ELIMIT: it may touch, the message says what, where and when; EINPUT: it cannot be told, the message says why;
 * ECANCELLED: broken off; EMEMORY. */
enum armdyn_status guard_check(const struct guard *guard, uint32_t from, uint32_t period_us, guard_pause *pause,
                               void *context, struct armdyn_error *error);

#endif
