/* Content-Encoding of a request's body, undone piece by piece: gzip (RFC 1952), several members too. */
#ifndef SERVER_HTTP_CODING_H
#define SERVER_HTTP_CODING_H

#include <stdbool.h>
#include <stddef.h>

#include "armdyn/status.h"

struct coding;

/* Does this value of Content-Encoding (NULL: none) name a coding that coding_new knows, or none? */
bool coding_is_known(const char *header);
/* *coding is NULL when there is nothing to undo. EMEMORY.
 *   most  in  bytes that may come out */
enum armdyn_status coding_new(const char *header, size_t most, struct coding **coding);
void coding_free(struct coding *coding); /* NULL is fine */

/* Bytes of the body, undone and handed to `take` in pieces. ESYNTAX: not what it should be; ELIMIT: more than `most` come
 * out; EMEMORY; or what take said. */
typedef enum armdyn_status coding_take(void *context, const char *bytes, size_t length, struct armdyn_error *error);
enum armdyn_status coding_undo(struct coding *coding, const char *bytes, size_t length, coding_take *take,
                               void *context, struct armdyn_error *error);
/* The body is at its end. ESYNTAX: it ends too early. */
enum armdyn_status coding_finish(const struct coding *coding, struct armdyn_error *error);

#endif
