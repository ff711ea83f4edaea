/* Cursors of lists: where the page ends, and a digest of the query that they belong to. */
#ifndef SERVER_ROUTES_CURSOR_H
#define SERVER_ROUTES_CURSOR_H

#include "server/http/exchange.h"
#include "server/store/store.h"

enum { CURSOR_DIGEST_SIZE = 17, CURSOR_SIZE = CURSOR_DIGEST_SIZE + 2 * STORE_KEY_SIZE + ARMDYN_NAME_SIZE + 4 };

/* Of the path and all parameters but limit, cursor and fields, which do not change the order of rows. */
void cursor_digest(const struct exchange *x, char digest[CURSOR_DIGEST_SIZE]);
/* Answers `cursor`. */
const char *cursor_write(const struct store_key *key, const char *digest, char cursor[CURSOR_SIZE]);
/* false: it is none, or belongs to another query. */
bool cursor_read(const char *cursor, const char *digest, struct store_key *key);

#endif
