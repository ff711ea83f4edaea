/* What is wrong just now: looked at, never told, so that nobody who is in trouble has to say so. */
#ifndef SERVER_ALARMS_CAUSES_H
#define SERVER_ALARMS_CAUSES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "server/store/store.h"

struct app;

/* Code, its name, and who raises it. A latched one is of a moment: it stands until somebody has acknowledged it. To add one:
 * a row here, its look in causes.c, and the table of api/paths/alarms.yaml. */
#define ALARM_CODE_LIST(X)                                                                                             \
  X(CONTROLLER_LOST, "controller-lost", "gateway", false)                                                              \
  X(CONTROLLER_FAULT, "controller-fault", "gateway", false)                                                            \
  X(CONTROLLER_RESTARTED, "controller-restarted", "gateway", true)                                                     \
  X(GATEWAY_DOWN, "gateway-down", "gateway", false)                                                                    \
  X(QUEUE_BLOCKED, "queue-blocked", "orders", false)                                                                   \
  X(STORE_FULL, "store-full", "store", false)                                                                          \
  X(STORE_FAILED, "store-failed", "store", false)                                                                      \
  X(STORE_SLOW, "store-slow", "store", false)                                                                          \
  X(DISK_LOW, "disk-low", "store", false)                                                                              \
  X(WORKERS_FAIL, "workers-fail", "workers", false)                                                                    \
  X(CLOCK_BEHIND, "clock-behind", "clock", false)                                                                      \
  X(MODEL_DRIFT, "model-drift", "watch", false)                                                                        \
  X(CONTACT, "contact", "watch", true)
#define X(code, name, source, latched) ALARM_##code,
enum alarm_code { ALARM_CODE_LIST(X) ALARM_CODES };
#undef X
struct alarm_kind {
  const char *name, *source;
  bool latched;
};
extern const struct alarm_kind alarm_kinds[ALARM_CODES];

struct cause {
  enum alarm_code code;
  const char *controller; /* "": of none */
  bool known;             /* else nobody can tell whether it stands */
  const char *text;
};
typedef void cause_visit(void *context, const struct cause *cause);

/* What one look tells the next. All zero at first. */
struct causes {
  unsigned looks, gateway_missing; /* in a row */
  bool disk_low, clock_behind;
};
/* Visits every cause that stands, and those that cannot be told; what is not visited does not stand. */
void causes_look(const struct app *app, struct causes *memory, cause_visit *visit, void *context);
/* That one alone of them which may keep the others from being looked at: a write that does not come back. Waits for nobody. */
void causes_look_at_writing(const struct app *app, cause_visit *visit, void *context);

#endif
