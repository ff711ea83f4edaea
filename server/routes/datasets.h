/* What the routes of data sets need of each other. */
#ifndef SERVER_ROUTES_DATASETS_H
#define SERVER_ROUTES_DATASETS_H

#include "server/http/exchange.h"
#include "server/store/store.h"

/* Answer 201 with a data set that was made. */
void answer_dataset(struct exchange *x, const char *id);

/* The data set of the path: release it. false: answered. */
bool dataset_of_request(struct exchange *x, struct store_dataset *row);

#endif
