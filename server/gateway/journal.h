/* How transfers of a gateway that lost its service ended, for the one after it; and locks, so that two gateways never
 * speak to one controller. All in one folder of the data directory. */
#ifndef SERVER_GATEWAY_JOURNAL_H
#define SERVER_GATEWAY_JOURNAL_H

#include "server/gateway/transfer.h"

/* Room for the end of a transfer, while the disk has some: the end shall be told even when it is full then. */
void journal_reserve(const char *dir, const char *transfer);
/* The end of a transfer, durable when it returns OK; taken away by whoever
 * has stored it. */
enum armdyn_status journal_write(const char *dir, const char *transfer, int64_t at_ms,
                                 const struct transfer_report *end);
/* ENOTFOUND: there is none. */
enum armdyn_status journal_read(const char *dir, const char *transfer, int64_t *at_ms, struct transfer_report *end);
void journal_remove(const char *dir, const char *transfer);

/* The lock of an endpoint; the kernel lets go of it when its process dies.
 *   fd  out  to be closed; -1 unless OK
 * EBUSY: another process has it; EIO: it cannot be had at all, the message says why. */
enum armdyn_status endpoint_lock(const char *dir, const struct controller_address *address, int *fd,
                                 struct armdyn_error *error);

#endif
