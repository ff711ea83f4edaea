#include "server/gateway/registry.h"

#include "api/codec/history.h"
#include "api/json/document.h"
#include "server/base/clock.h"

struct registry_controller {
  char name[ARMDYN_NAME_SIZE];
  struct controller_address address;
  bool enabled;
  char cell[ARMDYN_NAME_SIZE];
  bool stop_owed;   /* by the next gateway: nobody sets the outputs of what it may play */
  uint64_t stopped; /* the number of the last STOP that it was sent; 0: none */
  struct registry_controller *next;
};

struct registry_entry {
  struct store_transfer row;
  struct controller_address address;
  struct telemetry_origin origin; /* robot "": of an earlier run */
  char cell[ARMDYN_NAME_SIZE];    /* around its controller; "": none */
  bool accepted, adopted, start_wanted;
  int64_t start_before_ms;
  int start_within_ms; /* after it is ready; 0: no such limit */
  struct registry_entry *next;
};

static void entry_free(struct registry_entry *e)
{
  store_transfer_release(&e->row);
  free(e);
}

void registry_release(struct registry *registry)
{
  for (struct registry_controller *c; (c = registry->controllers); free(c)) registry->controllers = c->next;
  for (struct registry_entry *e; (e = registry->entries); entry_free(e)) registry->entries = e->next;
}

/* -- controllers -- */

static struct registry_controller *controller_of(const struct registry *registry, const char *name)
{
  struct registry_controller *c = registry->controllers;
  while (c && strcmp(c->name, name)) c = c->next;
  return c;
}

void registry_controller(struct registry *registry, const struct controller_description *controller)
{
  struct registry_controller *c = controller_of(registry, controller->name);
  if (!c) {
    if (!(c = calloc(1, sizeof *c))) return; /* its transfers are refused as of an unknown controller */
    memcpy(c->name, controller->name, sizeof c->name);
    c->next = registry->controllers;
    registry->controllers = c;
  }
  address_of(controller, &c->address);
  c->enabled = controller->enabled;
  memcpy(c->cell, controller->cell, sizeof c->cell);
}

void registry_controller_gone(struct registry *registry, const char *name)
{
  struct registry_controller **at = &registry->controllers;
  while (*at && strcmp((*at)->name, name)) at = &(*at)->next;
  struct registry_controller *gone = *at;
  if (gone) *at = gone->next;
  free(gone);
}

bool registry_address(const struct registry *registry, const char *name, struct controller_address *address)
{
  const struct registry_controller *c = controller_of(registry, name);
  if (c) *address = c->address;
  return c != NULL;
}

bool registry_enabled(const struct registry *registry, const char *name)
{
  const struct registry_controller *c = controller_of(registry, name);
  return c && c->enabled;
}

void registry_cell(const struct registry *registry, const char *name, char cell[ARMDYN_NAME_SIZE])
{
  const struct registry_controller *c = controller_of(registry, name);
  snprintf(cell, ARMDYN_NAME_SIZE, "%s", c ? c->cell : "");
}

void registry_stop(struct registry *registry, const struct controller_address *address)
{
  registry->stops++;
  for (struct registry_controller *c = registry->controllers; c; c = c->next)
    if (address_same(&c->address, address)) c->stopped = registry->stops;
}

uint64_t registry_stopped(const struct registry *registry, const char *name)
{
  const struct registry_controller *c = controller_of(registry, name);
  return c ? c->stopped : 0;
}

static int by_name(const void *a, const void *b)
{
  const struct registry_controller *const *first = a, *const *second = b;
  return strcmp((*first)->name, (*second)->name);
}

/* The first of them that is where the k-th is. */
static size_t first_there(const struct registry_controller *const *all, size_t k)
{
  size_t i = 0;
  while (i < k && !address_same_block(&all[i]->address, &all[k]->address)) i++;
  return i;
}

struct listed_controller *registry_list(const struct registry *registry, size_t *count)
{
  size_t n = 0;
  for (const struct registry_controller *c = registry->controllers; c; c = c->next) n++;
  struct listed_controller *list = calloc(n + 1, sizeof *list);
  const struct registry_controller **all = calloc(n + 1, sizeof *all);
  if (list && all) {
    *count = n;
    for (const struct registry_controller *c = registry->controllers; c; c = c->next) all[--n] = c;
    qsort(all, *count, sizeof *all, by_name);
    for (size_t k = 0; k < *count; k++) {
      memcpy(list[k].name, all[k]->name, sizeof list[k].name);
      list[k].same_as = first_there(all, k);
    }
  } else {
    free(list);
    list = NULL;
  }
  free(all);
  return list;
}

void registry_located(struct registry *registry, const char *name, const char *host, const char *peer)
{
  struct registry_controller *c = controller_of(registry, name);
  if (c && !strcmp(c->address.host, host)) snprintf(c->address.peer, sizeof c->address.peer, "%s", peer);
}

/* -- transfers -- */

static bool ended(const struct registry_entry *e)
{
  return transfer_state_final(e->row.state);
}

size_t registry_active(const struct registry *registry)
{
  size_t count = 0;
  for (const struct registry_entry *e = registry->entries; e; e = e->next) count += !ended(e);
  return count;
}

bool registry_stands_in(const struct registry *registry, const char *cell)
{
  const struct registry_entry *e = registry->entries;
  while (e && (ended(e) || strcmp(e->cell, cell))) e = e->next;
  return e != NULL;
}

static struct registry_entry *entry_of(const struct registry *registry, const char *id)
{
  struct registry_entry *e = registry->entries;
  while (e && strcmp(e->row.id, id)) e = e->next;
  return e;
}

bool registry_holder(const struct registry *registry, const struct controller_address *address, char holder[ID_SIZE])
{
  for (const struct registry_entry *e = registry->entries; e; e = e->next) {
    if (ended(e) || !address_same(&e->address, address)) continue;
    memcpy(holder, e->row.id, ID_SIZE);
    return true;
  }
  return false;
}

static bool copy_text(char **to, const char *from)
{
  *to = from ? strdup(from) : NULL;
  return *to || !from;
}

static enum armdyn_status copy_row(struct store_transfer *to, const struct store_transfer *from)
{
  *to = *from;
  to->request = to->tags = to->history = to->problem = to->notes = NULL;
  if (copy_text(&to->request, from->request) && copy_text(&to->tags, from->tags) &&
      copy_text(&to->history, from->history) && copy_text(&to->problem, from->problem) &&
      copy_text(&to->notes, from->notes))
    return ARMDYN_OK;
  store_transfer_release(to);
  return ARMDYN_EMEMORY;
}

static struct registry_entry *add(struct registry *registry, const struct store_transfer *row)
{
  struct registry_entry *e = calloc(1, sizeof *e);
  if (!e) return NULL;
  if (copy_row(&e->row, row)) {
    free(e);
    return NULL;
  }
  e->next = registry->entries;
  registry->entries = e;
  return e;
}

enum armdyn_status registry_submit(struct registry *registry, struct store_transfer *row,
                                   const struct transfer_order *order)
{
  clock_format(clock_wall_ms(), row->created_at);
  row->state = TRANSFER_QUEUED;
  row->history = history_with(row->history, transfer_state_name(TRANSFER_QUEUED), row->created_at, "", false);
  if (!row->history) return ARMDYN_EMEMORY;
  struct registry_entry *e = add(registry, row);
  if (!e) return ARMDYN_EMEMORY;
  e->address = order->address;
  memcpy(e->origin.controller, row->controller, sizeof e->origin.controller);
  memcpy(e->origin.robot, order->robot, sizeof e->origin.robot);
  e->origin.revision = order->revision;
  e->origin.overrides = order->overrides;
  if (order->guard) memcpy(e->cell, order->guard->cell.name, sizeof e->cell);
  e->start_wanted = order->start;
  e->start_before_ms = order->start_before_ms;
  e->start_within_ms = order->start_within_ms;
  return ARMDYN_OK;
}

void registry_accept(struct registry *registry, const char *id)
{
  struct registry_entry *e = entry_of(registry, id);
  if (e) e->accepted = true;
}

enum armdyn_status registry_adopt(struct registry *registry, const struct store_transfer *row)
{
  struct registry_entry *e = add(registry, row);
  if (!e) return ARMDYN_EMEMORY;
  e->accepted = e->adopted = true;
  registry_address(registry, row->controller, &e->address);
  return ARMDYN_OK;
}

void registry_watch_only(struct registry *registry)
{
  for (struct registry_entry *e = registry->entries; e; e = e->next) e->accepted = e->adopted = false;
}

static bool sets_outputs(const struct store_transfer *row)
{
  cJSON *request = document_open(row->request);
  const bool sets = cJSON_GetArraySize(document_at(request, "outputs")) > 0;
  document_close(request);
  return sets;
}

void registry_owe_stop(struct registry *registry, const char *id)
{
  const struct registry_entry *e = entry_of(registry, id);
  struct registry_controller *c = e && sets_outputs(&e->row) ? controller_of(registry, e->row.controller) : NULL;
  if (c) c->stop_owed = true;
}

bool registry_owed(const struct registry *registry, struct controller_address *address)
{
  const struct registry_controller *c = registry->controllers;
  while (c && !c->stop_owed) c = c->next;
  if (c) *address = c->address;
  return c != NULL;
}

void registry_stop_sent(struct registry *registry, const struct controller_address *address)
{
  for (struct registry_controller *c = registry->controllers; c; c = c->next)
    if (address_same(&c->address, address)) c->stop_owed = false;
}

bool registry_unfinished(const struct registry *registry, size_t index, char id[ID_SIZE],
                         struct controller_address *address, bool *sets)
{
  for (const struct registry_entry *e = registry->entries; e; e = e->next) {
    if (!e->adopted || ended(e) || index--) continue;
    memcpy(id, e->row.id, ID_SIZE);
    *address = e->address;
    *sets = sets_outputs(&e->row);
    return true;
  }
  return false;
}

bool registry_first(const struct registry *registry, char id[ID_SIZE])
{
  const struct registry_entry *e = registry->entries;
  while (e && (!e->accepted || ended(e))) e = e->next;
  if (e) memcpy(id, e->row.id, ID_SIZE);
  return e != NULL;
}

bool registry_unstored(const struct registry *registry, size_t index, char id[ID_SIZE])
{
  for (const struct registry_entry *e = registry->entries; e; e = e->next) {
    if (!e->accepted || !ended(e) || index--) continue;
    memcpy(id, e->row.id, ID_SIZE);
    return true;
  }
  return false;
}

bool registry_origin(const struct registry *registry, const char *id, struct telemetry_origin *origin)
{
  const struct registry_entry *e = entry_of(registry, id);
  if (!e || !*e->origin.robot) return false;
  *origin = e->origin;
  return true;
}

bool registry_address_of(const struct registry *registry, const char *id, struct controller_address *address)
{
  const struct registry_entry *e = entry_of(registry, id);
  bool known = e && *e->address.host;
  if (known) *address = e->address;
  return known;
}

uint32_t registry_sent(const struct registry *registry, const char *id)
{
  const struct registry_entry *e = entry_of(registry, id);
  return e ? (uint32_t)e->row.sent : 0;
}

enum armdyn_status registry_copy(const struct registry *registry, const char *id, struct store_transfer *out)
{
  const struct registry_entry *e = entry_of(registry, id);
  return e ? copy_row(out, &e->row) : ARMDYN_ENOTFOUND;
}

bool registry_controller_of(const struct registry *registry, const char *id, char controller[ARMDYN_NAME_SIZE],
                            char job_order_id[LABEL_SIZE])
{
  const struct registry_entry *e = entry_of(registry, id);
  if (e) memcpy(controller, e->row.controller, ARMDYN_NAME_SIZE);
  if (e) memcpy(job_order_id, e->row.job_order_id, LABEL_SIZE);
  return e != NULL;
}

void registry_refresh(const struct registry *registry, struct store_transfer *row)
{
  const struct registry_entry *e = entry_of(registry, row->id);
  if (!e) return;
  row->state = e->row.state;
  row->sent = e->row.sent;
  memcpy(row->started_at, e->row.started_at, sizeof row->started_at);
  memcpy(row->finished_at, e->row.finished_at, sizeof row->finished_at);
}

void registry_remove(struct registry *registry, const char *id)
{
  struct registry_entry **at = &registry->entries;
  while (*at && strcmp((*at)->row.id, id)) at = &(*at)->next;
  struct registry_entry *gone = *at;
  if (!gone) return;
  *at = gone->next;
  entry_free(gone);
}

static char *problem_text(const struct store_transfer *row, const struct transfer_report *report)
{
  struct buffer out = BUFFER(KB(16));
  char instance[64];
  size_t length;
  snprintf(instance, sizeof instance, "/v1/transfers/%s", row->id);
  problem_write(&out, (enum problem)report->problem, *report->reason ? report->reason : NULL, instance, NULL, NULL);
  char *text = buffer_take(&out, &length);
  buffer_release(&out);
  return text;
}

bool registry_report(struct registry *registry, const char *id, int64_t at_ms, const struct transfer_report *report)
{
  struct registry_entry *e = entry_of(registry, id);
  if (!e || ended(e)) return false;
  struct store_transfer *row = &e->row;
  char at[TIME_SIZE];
  clock_format(at_ms, at);
  if (report->state == TRANSFER_READY && row->state < TRANSFER_READY)
    e->start_before_ms = start_before_when_ready(e->start_before_ms, e->start_within_ms, at_ms);
  row->state = report->state;
  if (report->sent > row->sent) row->sent = report->sent;
  row->history = history_with(row->history, transfer_state_name(report->state), at, report->reason,
                              transfer_state_final(report->state));
  if (report->state >= TRANSFER_PLAYING && report->started_ms && !*row->started_at)
    clock_format(report->started_ms, row->started_at);
  if (transfer_state_final(report->state)) memcpy(row->finished_at, at, sizeof at);
  if (report->problem >= 0 && report->problem < PROBLEM_COUNT) {
    free(row->problem);
    row->problem = problem_text(row, report);
  }
  return true;
}

void registry_progress(struct registry *registry, const char *id, uint32_t sent)
{
  struct registry_entry *e = entry_of(registry, id);
  if (e) e->row.sent = sent;
}

bool registry_take_start(struct registry *registry, const char *id, char controller[ARMDYN_NAME_SIZE],
                         int64_t *start_before_ms)
{
  struct registry_entry *e = entry_of(registry, id);
  if (!e || !e->start_wanted) return false;
  e->start_wanted = false;
  memcpy(controller, e->row.controller, ARMDYN_NAME_SIZE);
  *start_before_ms = e->start_before_ms;
  return true;
}
