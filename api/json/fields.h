/* Field tables: one table decodes JSON into a struct, checks it, names its units, and encodes it again.
 *
 *   static const struct json_field drive_fields[] = {
 *     { NUMBER(struct armdyn_drive, rotor_inertia, NON_NEGATIVE, "kg m^2") },
 *     { NUMBER(struct armdyn_drive, gear_ratio, NON_ZERO, "motor rad per joint rad"), REQUIRED },
 *   };
 *   static const struct json_type drive_type = JSON_TYPE("a drive", drive_fields, struct armdyn_drive, drive_init);
 *
 * Decoding: `init` gives every member its default, then members are read in the order of the text. Unknown, duplicate,
 * missing and wrong fields are faults with their pointers; all are found. Then `check` may look at the whole.
 * Encoding: fields in the order of the table; a field that is OMIT_DEFAULT and has its default is left out.
 * To add a field: a row. To add a kind: a row in the tables of decode.c and encode.c. */
#ifndef API_JSON_FIELDS_H
#define API_JSON_FIELDS_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "api/json/reader.h"
#include "api/json/writer.h"
#include "api/limits.h"
#include "api/wire/buffer.h"
#include "api/wire/faults.h"

/* -- what values may be -- */
struct json_bounds {
  double minimum, maximum;
  bool exclusive; /* the minimum itself is not allowed */
  bool non_zero;
};
#define ANY_NUMBER                                                                                                     \
  {                                                                                                                    \
    .minimum = -INFINITY, .maximum = INFINITY                                                                          \
  }
#define NON_NEGATIVE                                                                                                   \
  {                                                                                                                    \
    .minimum = 0, .maximum = INFINITY                                                                                  \
  }
#define POSITIVE                                                                                                       \
  {                                                                                                                    \
    .minimum = 0, .maximum = INFINITY, .exclusive = true                                                               \
  }
#define NON_ZERO                                                                                                       \
  {                                                                                                                    \
    .minimum = -INFINITY, .maximum = INFINITY, .non_zero = true                                                        \
  }
#define BETWEEN(least, most)                                                                                           \
  {                                                                                                                    \
    .minimum = (least), .maximum = (most)                                                                              \
  }
#define ABOVE_UP_TO(least, most)                                                                                       \
  {                                                                                                                    \
    .minimum = (least), .maximum = (most), .exclusive = true                                                           \
  }

/* A form that a text must have, and the words that tell a person. */
struct json_pattern {
  bool (*matches)(const char *text);
  const char *words;
};
extern const struct json_pattern json_name_pattern; /* [a-z0-9][a-z0-9._-]{0,63} */
extern const struct json_pattern json_id_pattern;   /* 26 characters of Crockford base 32, as ids have */
extern const struct json_pattern json_time_pattern; /* RFC 3339, with any offset */

/* Texts to texts, e.g. tags. Keys are unique, in the order of the text. */
struct json_map {
  size_t count;
  struct {
    char key[LIMIT_TAG + 1], value[LIMIT_TAG + 1];
  } items[LIMIT_TAGS];
};

/* What decoding must know from outside. */
struct json_context {
  size_t joint_count; /* length of PER_JOINT vectors */
  void *user;         /* for check and custom functions */
};

struct json_field;
struct json_type;

/* Custom kinds. decode reads exactly one value of r into member, adding faults; encode writes exactly one value. */
typedef void json_decode_function(struct json_reader *r, const struct json_field *field, void *member,
                                  const struct json_context *context);
typedef void json_encode_function(struct json_writer *w, const struct json_field *field, const void *member,
                                  const struct json_context *context);
/* Is such a field written? By its member, where no default could say. */
typedef bool json_wanted_function(const void *member, const struct json_context *context);

enum json_field_kind {
  FIELD_TRUTH,    /* bool */
  FIELD_INTEGER,  /* int, int64_t, size_t, ...: any integer; signed when the minimum is below 0 */
  FIELD_NUMBER,   /* double */
  FIELD_TEXT,     /* char[size], NUL-terminated */
  FIELD_STRING,   /* char *, allocated */
  FIELD_DOCUMENT, /* char *, allocated: any JSON value as its text */
  FIELD_ENUM,     /* enum: index of a list of names */
  FIELD_NUMBERS,  /* double[]: a vector */
  FIELD_MATRIX,   /* double[]: row-major */
  FIELD_OBJECT,   /* a struct of its own type */
  FIELD_LIST,     /* structs of a type: an array with a count, or allocated */
  FIELD_MAP,      /* struct json_map */
  FIELD_CUSTOM,
  FIELD_READ_ONLY, /* accepted and ignored, so that a PUT may be what its GET answered */
  FIELD_KINDS
};

#define PER_JOINT SIZE_MAX /* a length: context->joint_count */

struct json_field {
  const char *name;
  enum json_field_kind kind;
  const char *renamed; /* the name on the wire, when it is not the member's */
  const char *unit;    /* "kg m^2"; of a text what it says, "name of a webhook"; NULL: none */
  size_t offset, size; /* of the member */
  struct json_bounds bounds;
  const struct json_pattern *pattern;
  const char *const *names; /* of an enum */
  size_t name_count;
  size_t length, columns;       /* of a vector or list (at most, when counted); of a matrix */
  size_t least;                 /* a list or counted vector has at least so many */
  const struct json_type *type; /* of an object or of a list's items */
  json_decode_function *decode;
  json_encode_function *encode;
  json_wanted_function *wanted;
  bool required, nullable, omit_default, null_when_absent, null_elements;
  bool counted, has_flag, null_flag, allocated;
  size_t count_offset, has_offset, null_offset; /* size_t, bool, bool */
};

/* -- rows: { NUMBER(...), modifiers } -- */
#define JSON_MEMBER(type_, member_)                                                                                    \
  .name = #member_, .offset = offsetof(type_, member_), .size = sizeof(((type_ *)0)->member_)

#define TRUTH(type_, member_) JSON_MEMBER(type_, member_), .kind = FIELD_TRUTH
#define INTEGER(type_, member_, bounds_, unit_)                                                                        \
  JSON_MEMBER(type_, member_), .kind = FIELD_INTEGER, .bounds = bounds_, .unit = unit_
#define NUMBER(type_, member_, bounds_, unit_)                                                                         \
  JSON_MEMBER(type_, member_), .kind = FIELD_NUMBER, .bounds = bounds_, .unit = unit_
#define TEXT(type_, member_) JSON_MEMBER(type_, member_), .kind = FIELD_TEXT
#define STRING(type_, member_, longest_)                                                                               \
  JSON_MEMBER(type_, member_), .kind = FIELD_STRING, .allocated = true, .length = longest_
#define DOCUMENT(type_, member_) JSON_MEMBER(type_, member_), .kind = FIELD_DOCUMENT, .allocated = true
/* names_: an array, not a pointer */
#define ENUM(type_, member_, names_)                                                                                   \
  JSON_MEMBER(type_, member_), .kind = FIELD_ENUM, .names = names_, .name_count = sizeof(names_) / sizeof *(names_)
/* length_: a number or PER_JOINT */
#define NUMBERS(type_, member_, length_, bounds_, unit_)                                                               \
  JSON_MEMBER(type_, member_), .kind = FIELD_NUMBERS, .length = length_, .bounds = bounds_, .unit = unit_
#define MATRIX(type_, member_, rows_, columns_, bounds_, unit_)                                                        \
  JSON_MEMBER(type_, member_), .kind = FIELD_MATRIX, .length = rows_, .columns = columns_, .bounds = bounds_,          \
                               .unit = unit_
#define OBJECT(type_, member_, json_type_) JSON_MEMBER(type_, member_), .kind = FIELD_OBJECT, .type = &(json_type_)
/* member_: an array of structs, count_: a size_t beside it */
#define LIST(type_, member_, count_, least_, json_type_)                                                               \
  JSON_MEMBER(type_, member_),                                                                                         \
      .kind = FIELD_LIST, .counted = true, .count_offset = offsetof(type_, count_), .least = least_,                   \
      .length = sizeof(((type_ *)0)->member_) / sizeof *((type_ *)0)->member_, .type = &(json_type_)
/* member_: a pointer to structs; json_release frees it */
#define LIST_ALLOCATED(type_, member_, count_, least_, most_, json_type_)                                              \
  JSON_MEMBER(type_, member_), .kind = FIELD_LIST, .counted = true, .count_offset = offsetof(type_, count_),           \
                               .least = least_, .length = most_, .allocated = true, .type = &(json_type_)
#define MAP(type_, member_) JSON_MEMBER(type_, member_), .kind = FIELD_MAP
/* words_: what belongs there, for messages: "a number or {\"positive\", \"negative\"}" */
#define CUSTOM(type_, member_, decode_, encode_, words_)                                                               \
  JSON_MEMBER(type_, member_), .kind = FIELD_CUSTOM, .decode = decode_, .encode = encode_, .unit = words_
/* Those of a schema of the contract: READ_ONLY_ROBOT (api/calls.py) */
#define READ_ONLY(name_) .name = name_, .kind = FIELD_READ_ONLY

/* -- modifiers -- */
#define REQUIRED     .required = true
#define NULLABLE     .nullable = true     /* null is as if absent */
#define OMIT_DEFAULT .omit_default = true /* not written when it has the default of `init` */
/* Written when this says so. */
#define WANTED(function_) .wanted = function_, .omit_default = true
#define NULL_WHEN_ABSENT  .null_when_absent = true /* written as null instead of left out */
#define NULL_ELEMENTS     .null_elements = true    /* null in a vector, or for a matrix row: stays as `init` made it */
#define MATCHES(pattern_) .pattern = &(pattern_)
#define SAYS(words_)      .unit = words_
#define NAMED(name_)      .renamed = name_
/* A vector of 0..length numbers; how many goes into count_ (size_t). */
#define COUNTED(type_, count_) .counted = true, .count_offset = offsetof(type_, count_)
/* A bool that says: there, and not null. Encoding writes the field only when it is true. */
#define HAS(type_, has_) .has_flag = true, .has_offset = offsetof(type_, has_)
/* A bool that says: null was written. Implies NULLABLE. */
#define NULLED(type_, null_) .null_flag = true, .null_offset = offsetof(type_, null_), .nullable = true

/* After an object was decoded: rules across fields. `given` has bit i when row i of the table was there and not null.
 * Add faults with json_fault(r, "/member", ...). */
typedef void json_check_function(struct json_reader *r, void *object, uint64_t given,
                                 const struct json_context *context);

struct json_type {
  const char *words; /* "a link": for messages */
  const struct json_field *fields;
  size_t field_count; /* at most 64 */
  size_t size;
  void (*init)(void *object); /* every default; NULL: all bytes zero */
  json_check_function *check; /* NULL = none */
};
#define JSON_TYPE(words_, fields_, type_, init_, check_)                                                               \
  {                                                                                                                    \
    .words = words_, .fields = fields_, .field_count = sizeof(fields_) / sizeof *(fields_), .size = sizeof(type_),     \
    .init = init_, .check = check_                                                                                     \
  }

/* Decode a whole text into `object` (type->size bytes, initialised here).
 *   context  in   NULL: no joints, no user
 *   faults   out  added to; NULL = not wanted
 * OK, ESYNTAX (one fault), EINPUT (faults), EMEMORY. After a refusal everything allocated is released again. */
enum armdyn_status json_decode(const char *text, size_t length, const struct json_type *type, void *object,
                               const struct json_context *context, struct faults *faults);
/* One object out of a reader, e.g. from a custom decode function. False when it is no object or had faults. */
bool json_decode_object(struct json_reader *r, const struct json_type *type, void *object,
                        const struct json_context *context);
/* One field's value out of a reader into a struct, e.g. where members are read by hand. False when it had faults. */
bool json_decode_field(struct json_reader *r, const struct json_field *field, void *object,
                       const struct json_context *context);

void json_encode(struct buffer *out, const struct json_type *type, const void *object,
                 const struct json_context *context);
void json_encode_object(struct json_writer *w, const struct json_type *type, const void *object,
                        const struct json_context *context);
/* The fields alone, between a json_begin_object and json_end_object of the caller, who may add members of its own. */
void json_encode_fields(struct json_writer *w, const struct json_type *type, const void *object,
                        const struct json_context *context);

/* Free what decoding allocated and set it to NULL. */
void json_release(const struct json_type *type, void *object);

/* The name on the wire. */
static inline const char *json_field_name(const struct json_field *field)
{
  return field->renamed ? field->renamed : field->name;
}
/* What an ENUM may be, in words: "a", "b" or "c". Answers `out`. */
enum { JSON_CHOICES_SIZE = 160 };
const char *json_field_choices(const struct json_field *field, char out[JSON_CHOICES_SIZE]);

#endif
