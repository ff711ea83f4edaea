/* From a request to the order that the gateway gets: every check that comes before the lease. */
#ifndef SERVER_TRANSFERS_PREPARE_H
#define SERVER_TRANSFERS_PREPARE_H

#include "server/transfers/prepared.h"

/* Find the trajectory and the robots, ask whether the arm holds what it was planned for, sample the profile, and hold it
 * against every limit. A start is the caller's to allow. false: p->why says why not. */
bool transfer_prepare(struct prepared_transfer *p);
/* The order's id, which is the transfer's. */
void prepared_transfer_name(struct prepared_transfer *p, const char *id);
void prepared_transfer_free(struct prepared_transfer *p);

#endif
