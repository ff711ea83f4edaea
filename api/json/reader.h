/* A strict pull reader for JSON (RFC 8259) in one pass over the bytes, without a tree.
 *
 *   struct json_reader r;
 *   json_reader_init(&r, text, length, &faults);
 *   json_enter_object(&r);
 *   while (json_next_member(&r, &key)) { json_slice_is(key, "q") ? json_read_number(&r, &q) : json_skip(&r); }
 *   json_finish(&r);                                   // nothing may follow
 *   if (r.status) ...                                  // ESYNTAX or EMEMORY
 *
 * Errors of syntax stick: `status` is ESYNTAX, one fault says line and column, and every later call answers false and moves
 * no further, so a loop over members or elements ends. Wrong content is a fault with the pointer of the present value,
 * and the value is skipped. UTF-8 is validated, escapes are checked, depth is at most LIMIT_JSON_DEPTH.
 * Most codecs need no reader: they have a table (api/json/fields.h). */
#ifndef API_JSON_READER_H
#define API_JSON_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "api/limits.h"
#include "api/wire/faults.h"

enum json_kind { JSON_NOTHING, JSON_NULL, JSON_TRUTH, JSON_NUMBER, JSON_TEXT, JSON_ARRAY, JSON_OBJECT };

/* A piece of the text. Of a JSON string: what stands between the quotes, escapes as written. */
struct json_slice {
  const char *data;
  size_t length;
};

struct json_reader {
  const char *text, *end, *at;
  enum armdyn_status status; /* OK, ESYNTAX, or what it was broken off with; sticks */
  struct faults *faults;
  size_t faults_before; /* that `faults` had at the start */
  size_t fault_count;   /* found in this text */
  uint64_t wrong;       /* for check functions of field tables: bit i when the value of row i had faults */
  size_t depth;
  struct json_frame { /* the path to the present value */
    struct json_slice key;
    size_t index; /* of the element, in arrays */
    bool array, started;
  } path[LIMIT_JSON_DEPTH];
};

/* faults may be NULL: then only json_reader_status tells whether the text and its content were right. */
void json_reader_init(struct json_reader *r, const char *text, size_t length, struct faults *faults);
/* Demand that nothing but white space is left. True when the text was well-formed and no fault was found. */
bool json_finish(struct json_reader *r);
/* ESYNTAX, what it was broken off with, EINPUT when there were faults, or OK. */
enum armdyn_status json_reader_status(const struct json_reader *r);

/* What the next value is; JSON_NOTHING after an error. Does not move. */
enum json_kind json_peek(struct json_reader *r);
/* Does the array that comes next hold arrays, or not? (A table, or a single row.) Does not move. */
bool json_peek_nested(struct json_reader *r);

/* Objects: enter, then next_member until it answers false; after each true, read or skip exactly one value.
 * json_enter_* answers false (with a fault of type `expected`, e.g. "an object: {\"mass\": kg, ...}") for anything else. */
bool json_enter_object(struct json_reader *r, const char *expected);
bool json_next_member(struct json_reader *r, struct json_slice *key);
bool json_enter_array(struct json_reader *r, const char *expected);
bool json_next_element(struct json_reader *r);

/* Read one value of this kind; false with a fault (and the value skipped) for any other. `expected` names what belongs
 * there, e.g. "a number (kg)"; NULL = the kind's own name. */
bool json_read_truth(struct json_reader *r, const char *expected, bool *value);
bool json_read_number(struct json_reader *r, const char *expected, double *value); /* finite */
bool json_read_text(struct json_reader *r, const char *expected, struct json_slice *raw);
/* True when the next value was null, and read. */
bool json_read_null(struct json_reader *r);
/* Skip any value; `raw` (NULL = not wanted) is its text. */
bool json_skip(struct json_reader *r, struct json_slice *raw);

/* An array of exactly `count` finite numbers, fast. False with faults: one for every wrong element and for the length.
 *   unit  in  for messages; NULL = none */
bool json_read_numbers(struct json_reader *r, const char *unit, size_t count, double *into);

/* Strings: compare with, or decode into, plain UTF-8.
 *   json_slice_decode  out is NUL-terminated when it fits; answers the full length, or SIZE_MAX when the text has a NUL.
 *                      size >= raw.length + 1 always suffices. */
bool json_slice_is(struct json_slice raw, const char *text);
size_t json_slice_decode(struct json_slice raw, char *out, size_t size);

/* Add a fault at the present value, or `below` it ("/inertia"; NULL or "" = at it). Format as printf. */
void json_fault(struct json_reader *r, const char *below, enum fault_code code, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* The text of a value, cut to what fits a sentence: for "..., got %s". */
const char *json_excerpt(struct json_slice raw, char *out, size_t size);
/* Break off for another reason than syntax, e.g. ARMDYN_ELIMIT; sticks as errors of syntax do. */
void json_break_off(struct json_reader *r, enum armdyn_status status);
static inline void json_out_of_memory(struct json_reader *r)
{
  json_break_off(r, ARMDYN_EMEMORY);
}

#endif
