/* What other routes need of cells. */
#ifndef SERVER_ROUTES_CELLS_H
#define SERVER_ROUTES_CELLS_H

#include "server/http/exchange.h"

/* The fault of a request that names a cell, or a revision of it (0: none), that there is not. */
void cell_fault_add(struct exchange *x, const char *name, int64_t revision);

#endif
