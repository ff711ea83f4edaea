/* Connections to PostgreSQL by what people gave: a URI, or keywords and values; libpq's own variables and service files. */
#ifndef SERVER_STORE_POSTGRESQL_CONNECT_H
#define SERVER_STORE_POSTGRESQL_CONNECT_H

#include <libpq-fe.h>
#include <stdbool.h>

#include "armdyn/status.h"

/* "postgresql://..." or "postgres://...": not a file. */
bool postgresql_is_address(const char *address);

/* A connection that is ready for statements. A host that is reached over a network is asked for a certificate of its name
 * (sslmode=verify-full) unless the address, PGSSLMODE or a service file says otherwise; patience and keep-alives are short
 * unless they say otherwise. EUNAVAILABLE: it does not answer, or not yet; EINPUT: what was given cannot be meant. The
 * message names no password. */
enum armdyn_status postgresql_connect(const char *address, PGconn **connection, struct armdyn_error *error);

#endif
