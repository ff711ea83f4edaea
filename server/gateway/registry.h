/* What `serve` has in memory of the gateway's work: where controllers are, and transfers that have not ended.
 * No locks here; its callers hold one around every call. */
#ifndef SERVER_GATEWAY_REGISTRY_H
#define SERVER_GATEWAY_REGISTRY_H

#include "api/codec/controller.h"
#include "server/gateway/message.h"

struct registry {
  struct registry_controller *controllers;
  struct registry_entry *entries;
  uint64_t stops; /* how many STOPs were sent */
};
void registry_release(struct registry *registry);

/* -- controllers -- */
void registry_controller(struct registry *registry,
                         const struct controller_description *controller); /* new or changed */
void registry_controller_gone(struct registry *registry, const char *name);
bool registry_address(const struct registry *registry, const char *name, struct controller_address *address);
/* Is it there, and may it be spoken to? */
bool registry_enabled(const struct registry *registry, const char *name);
/* The cell that it stands in; "": none, or it is unknown. */
void registry_cell(const struct registry *registry, const char *name, char cell[ARMDYN_NAME_SIZE]);
/* STOP is being sent to whatever stands there. */
void registry_stop(struct registry *registry, const struct controller_address *address);
/* Another number after every STOP that a controller was sent, under whichever name; 0: none was. */
uint64_t registry_stopped(const struct registry *registry, const char *name);
/* All, by name, to be freed. NULL: out of memory. */
struct listed_controller *registry_list(const struct registry *registry, size_t *count);
/* Who its host is, found out since; nothing happens when the host is another one now. */
void registry_located(struct registry *registry, const char *name, const char *host, const char *peer);

/* -- transfers -- */
/* How many have not ended. */
size_t registry_active(const struct registry *registry);
/* Has one that has not ended this cell around its controller? */
bool registry_stands_in(const struct registry *registry, const char *cell);
/* The transfer that holds an endpoint, and has not ended. */
bool registry_holder(const struct registry *registry, const struct controller_address *address, char holder[ID_SIZE]);
/* A new one: created_at, state and history of `row` are filled in; it is `accepted` only after it was stored. */
enum armdyn_status registry_submit(struct registry *registry, struct store_transfer *row,
                                   const struct transfer_order *order);
void registry_accept(struct registry *registry, const char *id);
/* One that an earlier run left unfinished. */
enum armdyn_status registry_adopt(struct registry *registry, const struct store_transfer *row);
/* Its transfers are another node's: none of them is followed up, ended or stored here. */
void registry_watch_only(struct registry *registry);
/* The index-th transfer that was adopted and has not ended; address->host is "" when its controller is gone. */
bool registry_unfinished(const struct registry *registry, size_t index, char id[ID_SIZE],
                         struct controller_address *address, bool *sets_outputs);
/* It ends because its gateway is gone. If it sets outputs, its controller is to be stopped by the next one. */
void registry_owe_stop(struct registry *registry, const char *id);
/* One that is, until that was sent to it. */
bool registry_owed(const struct registry *registry, struct controller_address *address);
void registry_stop_sent(struct registry *registry, const struct controller_address *address);
/* Any accepted transfer that has not ended. */
bool registry_first(const struct registry *registry, char id[ID_SIZE]);
/* False: it is unknown, or of an earlier run. */
bool registry_origin(const struct registry *registry, const char *id, struct telemetry_origin *origin);
/* Where a transfer was sent to. */
bool registry_address_of(const struct registry *registry, const char *id, struct controller_address *address);
uint32_t registry_sent(const struct registry *registry, const char *id);
/* A copy to be released. ENOTFOUND, EMEMORY. */
enum armdyn_status registry_copy(const struct registry *registry, const char *id, struct store_transfer *out);
bool registry_controller_of(const struct registry *registry, const char *id, char controller[ARMDYN_NAME_SIZE],
                            char job_order_id[LABEL_SIZE]);
void registry_refresh(const struct registry *registry, struct store_transfer *row);
void registry_remove(struct registry *registry, const char *id);
/* The index-th transfer that has ended, and is here still because the store refused it. */
bool registry_unstored(const struct registry *registry, size_t index, char id[ID_SIZE]);
/* Write a report into its transfer: false when it is unknown or has ended. */
bool registry_report(struct registry *registry, const char *id, int64_t at_ms, const struct transfer_report *report);
void registry_progress(struct registry *registry, const char *id, uint32_t sent);
/* Is this one to be started as soon as it is armed? True once. */
bool registry_take_start(struct registry *registry, const char *id, char controller[ARMDYN_NAME_SIZE],
                         int64_t *start_before_ms);

#endif
