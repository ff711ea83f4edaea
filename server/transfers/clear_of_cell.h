/* The motion of a transfer against the cell that its controller stands in. */
#ifndef SERVER_TRANSFERS_CLEAR_OF_CELL_H
#define SERVER_TRANSFERS_CLEAR_OF_CELL_H

#include "server/transfers/prepared.h"

/* Does what will be played keep clear of the newest revision of the cell, from wherever the controller may be of it? Fills in
 * the clearance, and gives the order its guard, with which the gateway sees for itself. Without a cell there is nothing to
 * ask. false: p->why says why. */
bool clear_of_cell(struct prepared_transfer *p);

#endif
