/* Documents as trees: stored ones, the answers of a service, and merge patches.
 *
 * The tree is cJSON's, built behind the strict scan of reader.h: whatever that refuses is no document, and nor are a name
 * that stands twice in an object, and the character U+0000. Names and texts are decoded, so that "not\u0065s" is "notes"; a
 * number has its value and, as valuestring, its text, so that it is written again to the last digit. cJSON's own parser and
 * printer are never called: they cut texts at U+0000 and numbers at 63 characters, and print one double in ten as another.
 *
 * What is asked of a tree that has it not, or of NULL, is NULL, NAN or false, so that questions need no checks between. */
#ifndef API_JSON_DOCUMENT_H
#define API_JSON_DOCUMENT_H

#include <cjson/cJSON.h>

#include "api/json/writer.h"
#include "api/wire/faults.h"

/* Read a text.
 *   faults  out  NULL = not wanted
 *   out     out  document_close it; NULL unless OK
 * OK, ESYNTAX, EINPUT (a name twice, U+0000), EMEMORY. */
enum armdyn_status document_parse(const char *text, size_t length, struct faults *faults, cJSON **out);
/* A stored one, which was good when it was stored. NULL: it is not, or there is no memory. */
cJSON *document_open(const char *text);
void document_close(cJSON *document);

/* What stands at a path of names and indices with '/' between: "errors/joints/0/rms"; "" is the value itself. Items of a
 * list: cJSON_ArrayForEach(item, document_at(document, "warnings")). */
const cJSON *document_at(const cJSON *in, const char *path);
double document_number(const cJSON *in, const char *path);    /* NAN: none there */
const char *document_text(const cJSON *in, const char *path); /* NULL: none there */
bool document_truth(const cJSON *in, const char *path);
/* A text that has room in `out`, else "". */
void document_copy_text(const cJSON *in, const char *path, char *out, size_t size);
/* The numbers of a list, NAN for what is none. Answers how many: at most `most`. */
size_t document_numbers(const cJSON *in, const char *path, double *out, size_t most);

/* Write a value as it is; NULL: null. */
void document_write(struct json_writer *w, const cJSON *value);

/* Write a value so that equal ones are the same text: members by name, numbers by their value as double. EMEMORY is the
 * writer's failure. */
void document_write_canonical(struct json_writer *w, const cJSON *value);

/* The members of an object's text as they are, between those of another; one is left out (NULL: none). No tree is built. */
void document_splice(struct json_writer *w, const char *text, const char *without);

/* JSON Merge Patch, RFC 7396: members of objects are replaced one by one, null takes one away.
 *   document  in   JSON that is known to be an object
 *   patch     in   as it came; must be an object
 *   out       out  the document as it is then: still to be checked, as a document. It begins with the members of `document`
 * OK, ESYNTAX, EINPUT (no object, a name twice, U+0000), EMEMORY, ELIMIT (of out). */
enum armdyn_status document_merge(const char *document, const char *patch, size_t length, struct buffer *out,
                                  struct faults *faults);

#endif
