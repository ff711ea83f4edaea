/* Documents that are put together of others. */
#ifndef API_JSON_MERGE_H
#define API_JSON_MERGE_H

#include "api/json/writer.h"
#include "api/wire/faults.h"

/* The members of an object's text, between those of another; one is left out (NULL: none). */
void json_write_members(struct json_writer *w, const char *document, const char *without);

/* JSON Merge Patch, RFC 7396.
 *
 * Lay a patch over a document: members of objects are replaced one by one, null takes one away.
 *   document  in   JSON that is known to be an object
 *   patch     in   as it came; must be an object
 *   out       out  the document as it is then: still to be checked, as a document. It begins with the members of `document`
 * OK, ESYNTAX, EINPUT (no object), EMEMORY, ELIMIT (of out). */
enum armdyn_status json_merge(const char *document, const char *patch, size_t patch_length, struct buffer *out,
                              struct faults *faults);

#endif
