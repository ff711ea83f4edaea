#include "server/alarms/causes.h"

#include <stdlib.h>
#include <sys/statvfs.h>

#include "server/app.h"
#include "server/config/options.h"
#include "server/gateway/gateway.h"
#include "server/gateway/peer.h"
#include "server/jobs/jobs.h"
#include "server/orders/orders.h"
#include "server/protocol/registers.h"
#include "server/transfers/observer.h"
#include "server/watch/watch.h"

enum {
  GATEWAY_MISSING_MOST = 6, /* looks without it, before that is told: it is started again within one */
  CLOCK_EVERY = 60,         /* looks */
  CLOCK_BEHIND_MS = 60000
};

#define X(code, name, source, latched) [ALARM_##code] = { name, source, latched },
const struct alarm_kind alarm_kinds[ALARM_CODES] = { ALARM_CODE_LIST(X) };
#undef X

struct look {
  const struct app *app;
  struct causes *memory;
  cause_visit *visit;
  void *context;
};

static void tell(const struct look *l, enum alarm_code code, const char *controller, const char *text)
{
  l->visit(l->context, &(struct cause){ code, controller, true, text });
}

static void tell_unknown(const struct look *l, enum alarm_code code, const char *controller)
{
  l->visit(l->context, &(struct cause){ code, controller, false, "" });
}

/* -- the store -- */

static void look_at_store(const struct look *l)
{
  const enum armdyn_status status = store_health(l->app->store);
  char text[160];
  if (status == ARMDYN_EFULL)
    tell(l, ALARM_STORE_FULL, "", "the disk is full: nothing that changes is taken until there is room");
  if (status == ARMDYN_OK || status == ARMDYN_EFULL || status == ARMDYN_EBUSY) return;
  snprintf(text, sizeof text, "the store cannot be written: %s", armdyn_status_text(status));
  tell(l, ALARM_STORE_FAILED, "", text);
}

static void look_at_writing(const struct look *l)
{
  const long most = l->app->options->disk_slow;
  if (most && store_busy(l->app->store) > (double)most)
    tell(l, ALARM_STORE_SLOW, "", "the disk has not taken a write for long (--disk-slow): what changes anything waits");
}

void causes_look_at_writing(const struct app *app, cause_visit *visit, void *context)
{
  look_at_writing(&(struct look){ app, NULL, visit, context });
}

/* It has to be a tenth more than what is low, so that it does not come and go. */
static void look_at_disk(const struct look *l)
{
  struct statvfs disk;
  const double least = (double)l->app->options->disk_low * (1 << 20);
  char text[160];
  if (least <= 0 || statvfs(l->app->options->data, &disk)) return;
  const double left = (double)disk.f_bavail * (double)disk.f_frsize;
  l->memory->disk_low = left < (l->memory->disk_low ? 1.1 * least : least);
  if (!l->memory->disk_low) return;
  snprintf(text, sizeof text, "less than %ld MiB are left on the disk of the store (--disk-low)",
           l->app->options->disk_low);
  tell(l, ALARM_DISK_LOW, "", text);
}

/* -- the clock -- */

static void look_at_clock(const struct look *l)
{
  char last[TIME_SIZE];
  if (l->memory->looks % CLOCK_EVERY == 0 && !store_last_time(l->app->store, last))
    l->memory->clock_behind = clock_parse(last) > clock_wall_ms() + CLOCK_BEHIND_MS;
  if (l->memory->clock_behind)
    tell(l, ALARM_CLOCK_BEHIND, "", "the clock is behind what the store holds: something was made later than now");
}

/* -- processes -- */

static void look_at_gateway(const struct look *l)
{
  char why[GATEWAY_WHY];
  l->memory->gateway_missing = gateway_ready(l->app->gateway, why) ? 0 : l->memory->gateway_missing + 1;
  if (l->memory->gateway_missing > GATEWAY_MISSING_MOST) tell(l, ALARM_GATEWAY_DOWN, "", why);
}

static void look_at_workers(const struct look *l)
{
  if (jobs_workers_fail(l->app->jobs))
    tell(l, ALARM_WORKERS_FAIL, "", "worker processes crash or hang again and again: the log says how they ended");
}

/* -- controllers -- */

static void look_at_controller(const struct look *l, const char *name)
{
  struct sighting seen;
  char text[160];
  if (!observer_sighting(l->app->observer, name, &seen)) {
    tell_unknown(l, ALARM_CONTROLLER_LOST, name);
    tell_unknown(l, ALARM_CONTROLLER_FAULT, name);
  } else if (seen.lost) {
    tell(l, ALARM_CONTROLLER_LOST, name, "the controller does not answer");
    tell_unknown(l, ALARM_CONTROLLER_FAULT, name);
  } else if (seen.fault) {
    snprintf(text, sizeof text, "the controller is in fault: %u, %s", seen.error, protocol_error_text(seen.error));
    tell(l, ALARM_CONTROLLER_FAULT, name, text);
  }
  if (seen.restarted) tell(l, ALARM_CONTROLLER_RESTARTED, name, "the controller was started anew: look at the arm");
}

static void look_at_queue(const struct look *l, const char *name)
{
  struct queue_view view;
  orders_queue(l->app->orders, name, &view);
  if (*view.blocked) tell(l, ALARM_QUEUE_BLOCKED, name, view.blocked);
  buffer_release(&view.ids);
}

static void look_at_watch(const struct look *l, const char *name)
{
  struct watch_sighting seen;
  char text[320];
  if (!watches_sighting(l->app->watches, name, &seen)) return;
  snprintf(text, sizeof text, "the arm is no longer as its model says: %s; see its watch, and identify it again",
           seen.joints);
  if (seen.drifted) tell(l, ALARM_MODEL_DRIFT, name, text);
  if (seen.contact) tell(l, ALARM_CONTACT, name, "something pushed the arm beyond the watch's collision_thresholds");
}

static void look_at_controllers(const struct look *l)
{
  size_t count;
  struct listed_controller *list = gateway_controllers(l->app->gateway, &count);
  for (size_t i = 0; list && i < count; i++) {
    look_at_controller(l, list[i].name);
    look_at_queue(l, list[i].name);
    look_at_watch(l, list[i].name);
  }
  free(list);
}

void causes_look(const struct app *app, struct causes *memory, cause_visit *visit, void *context)
{
  static void (*const looks[])(const struct look *) = { look_at_writing,    look_at_store,   look_at_disk,
                                                        look_at_clock,      look_at_gateway, look_at_workers,
                                                        look_at_controllers };
  const struct look look = { app, memory, visit, context };
  for (size_t k = 0; k < sizeof looks / sizeof *looks; k++) looks[k](&look);
  memory->looks++;
}
