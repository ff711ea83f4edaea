/* A restored copy is a second one of something that may be running still: it must not move its arms, nor tell others what
 * the first one tells. */
#ifndef SERVER_STORE_RESTORED_H
#define SERVER_STORE_RESTORED_H

#include "server/store/sql.h"

/* For the copy, of whatever schema: mark it as one. */
extern const char restored_mark[];
/* At the first start, when the schema is the present one: of a copy that is marked, controllers and webhooks are disabled. */
enum armdyn_status restored_disable(struct sql *sql);

#endif
