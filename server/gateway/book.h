/* What `serve` has in memory of the gateway's work: where controllers are, and transfers that have not ended.
 * No locks here; its callers hold one around every call. */
#ifndef SERVER_GATEWAY_BOOK_H
#define SERVER_GATEWAY_BOOK_H

#include "api/codec/controller.h"
#include "server/gateway/message.h"

struct book {
  struct book_controller *controllers;
  struct book_entry *entries;
  uint64_t stops; /* how many STOPs were sent */
};
void book_release(struct book *book);

/* -- controllers -- */
void book_controller(struct book *book, const struct controller_description *controller); /* new or changed */
void book_controller_gone(struct book *book, const char *name);
bool book_address(const struct book *book, const char *name, struct controller_address *address);
/* Is it there, and may it be spoken to? */
bool book_enabled(const struct book *book, const char *name);
/* STOP is being sent to whatever stands there. */
void book_stop(struct book *book, const struct controller_address *address);
/* Another number after every STOP that a controller was sent, under whichever name; 0: none was. */
uint64_t book_stopped(const struct book *book, const char *name);
/* All, by name, to be freed. NULL: out of memory. */
struct listed_controller *book_list(const struct book *book, size_t *count);
/* Who its host is, found out since; nothing happens when the host is another one now. */
void book_located(struct book *book, const char *name, const char *host, const char *peer);

/* -- transfers -- */
/* How many have not ended. */
size_t book_active(const struct book *book);
/* The transfer that holds an endpoint, and has not ended. */
bool book_holder(const struct book *book, const struct controller_address *address, char holder[ID_SIZE]);
/* A new one: created_at, state and history of `row` are filled in; it is `accepted` only after it was stored. */
enum armdyn_status book_submit(struct book *book, struct store_transfer *row, const struct transfer_order *order);
void book_accept(struct book *book, const char *id);
/* One that an earlier run left unfinished. */
enum armdyn_status book_adopt(struct book *book, const struct store_transfer *row);
/* The index-th transfer that was adopted and has not ended; address->host is "" when its controller is gone. */
bool book_unfinished(const struct book *book, size_t index, char id[ID_SIZE], struct controller_address *address,
                     bool *sets_outputs);
/* It ends because its gateway is gone. If it sets outputs, its controller is to be stopped by the next one. */
void book_owe_stop(struct book *book, const char *id);
/* One that is, until that was sent to it. */
bool book_owed(const struct book *book, struct controller_address *address);
void book_stop_sent(struct book *book, const struct controller_address *address);
/* Any accepted transfer that has not ended. */
bool book_first(const struct book *book, char id[ID_SIZE]);
/* False: it is unknown, or of an earlier run. */
bool book_origin(const struct book *book, const char *id, struct telemetry_origin *origin);
/* Where a transfer was sent to. */
bool book_address_of(const struct book *book, const char *id, struct controller_address *address);
uint32_t book_sent(const struct book *book, const char *id);
/* A copy to be released. ENOTFOUND, EMEMORY. */
enum armdyn_status book_copy(const struct book *book, const char *id, struct store_transfer *out);
bool book_controller_of(const struct book *book, const char *id, char controller[ARMDYN_NAME_SIZE],
                        char job_order_id[LABEL_SIZE]);
void book_refresh(const struct book *book, struct store_transfer *row);
void book_remove(struct book *book, const char *id);
/* The index-th transfer that has ended, and is here still because the store refused it. */
bool book_unstored(const struct book *book, size_t index, char id[ID_SIZE]);
/* Write a report into its transfer: false when it is unknown or has ended. */
bool book_report(struct book *book, const char *id, int64_t at_ms, const struct transfer_report *report);
void book_progress(struct book *book, const char *id, uint32_t sent);
/* Is this one to be started as soon as it is armed? True once. */
bool book_take_start(struct book *book, const char *id, char controller[ARMDYN_NAME_SIZE], int64_t *start_before_ms);

#endif
