/* JSON: what our reader accepts, cJSON accepts with the same values; what a field table decodes and encodes, it decodes
 * to the same again; what it refuses has reasons; trees are written as they were read. */
#include <cjson/cJSON.h>

#include "api/json/document.h"
#include "api/json/fields.h"
#include "tests/fuzz/fuzz.h"

/* -- the same values as cJSON -- */

static void compare(struct json_reader *r, const cJSON *theirs);

static void compare_text(struct json_slice raw, const char *theirs)
{
  char *text = malloc(raw.length + 1);
  REQUIRE(text && theirs);
  size_t length = json_slice_decode(raw, text, raw.length + 1);
  if (length != SIZE_MAX) REQUIRE(length <= raw.length && strcmp(text, theirs) == 0);
  free(text);
}

static void compare_object(struct json_reader *r, const cJSON *theirs)
{
  struct json_slice key;
  const cJSON *child = theirs->child;
  REQUIRE(json_enter_object(r, NULL));
  for (; json_next_member(r, &key); child = child->next) {
    REQUIRE(child);
    compare_text(key, child->string);
    compare(r, child);
  }
  REQUIRE(!child);
}

static void compare(struct json_reader *r, const cJSON *theirs)
{
  double number;
  bool truth;
  struct json_slice raw;
  const cJSON *child = theirs->child;
  switch (json_peek(r)) {
  case JSON_OBJECT: compare_object(r, theirs); break;
  case JSON_ARRAY:
    REQUIRE(cJSON_IsArray(theirs) && json_enter_array(r, NULL));
    for (; json_next_element(r); child = child->next) {
      REQUIRE(child);
      compare(r, child);
    }
    REQUIRE(!child);
    break;
  case JSON_TEXT:
    REQUIRE(cJSON_IsString(theirs) && json_read_text(r, NULL, &raw));
    compare_text(raw, theirs->valuestring);
    break;
  case JSON_NUMBER:
    REQUIRE(cJSON_IsNumber(theirs) && json_read_number(r, NULL, &number));
    REQUIRE(memcmp(&number, &theirs->valuedouble, sizeof number) == 0);
    break;
  case JSON_TRUTH: REQUIRE(json_read_truth(r, NULL, &truth) && truth == (bool)cJSON_IsTrue(theirs)); break;
  case JSON_NULL: REQUIRE(cJSON_IsNull(theirs) && json_read_null(r)); break;
  case JSON_NOTHING: abort();
  }
}

/* cJSON cuts numbers at 63 characters. */
static bool has_long_number(const char *text, size_t size)
{
  size_t run = 0;
  for (size_t i = 0; i < size; i++) {
    run = strchr("0123456789+-.eE", text[i]) && text[i] ? run + 1 : 0;
    if (run > 60) return true;
  }
  return false;
}

static void against_cjson(const char *text, size_t size)
{
  if (!is_json(text, size) || has_long_number(text, size)) return;
  char *terminated = malloc(size + 1);
  REQUIRE(terminated);
  memcpy(terminated, text, size);
  terminated[size] = '\0';
  cJSON *root = cJSON_ParseWithLengthOpts(terminated, size + 1, NULL, true);
  REQUIRE(root);
  struct json_reader r;
  json_reader_init(&r, text, size, NULL);
  compare(&r, root);
  REQUIRE(json_finish(&r));
  cJSON_Delete(root);
  free(terminated);
}

/* -- a table with a field of every kind -- */

struct inner {
  double x, y[3];
};
struct outer {
  bool truth;
  int64_t integer;
  double number, vector[2], some[4], matrix[4];
  size_t some_count, list_count, more_count;
  char text[9], *string, *document;
  int word;
  bool has_inner, null_inner;
  struct inner inner, list[2], *more;
  struct json_map map;
};

static const char *const words[] = { "one", "two" };
static const struct json_field inner_fields[] = {
  { NUMBER(struct inner, x, NON_NEGATIVE, "kg"), REQUIRED },
  { NUMBERS(struct inner, y, PER_JOINT, ANY_NUMBER, "m"), OMIT_DEFAULT },
};
static const struct json_type inner_type = JSON_TYPE("an inner", inner_fields, struct inner, NULL, NULL);
static const struct json_field outer_fields[] = {
  { TRUTH(struct outer, truth), OMIT_DEFAULT },
  { INTEGER(struct outer, integer, ANY_NUMBER, NULL) },
  { NUMBER(struct outer, number, NON_ZERO, "s"), NULLABLE, OMIT_DEFAULT },
  { NUMBERS(struct outer, vector, 2, BETWEEN(-1, 1), NULL) },
  { NUMBERS(struct outer, some, 4, ANY_NUMBER, NULL), COUNTED(struct outer, some_count), OMIT_DEFAULT },
  { MATRIX(struct outer, matrix, 2, 2, ANY_NUMBER, NULL) },
  { TEXT(struct outer, text), MATCHES(json_name_pattern), OMIT_DEFAULT },
  { STRING(struct outer, string, 20), OMIT_DEFAULT },
  { DOCUMENT(struct outer, document), OMIT_DEFAULT },
  { ENUM(struct outer, word, words) },
  { OBJECT(struct outer, inner, inner_type), HAS(struct outer, has_inner), NULLED(struct outer, null_inner) },
  { LIST(struct outer, list, list_count, 0, inner_type) },
  { LIST_ALLOCATED(struct outer, more, more_count, 0, 50, inner_type) },
  { MAP(struct outer, map), NAMED("tags") },
  { READ_ONLY("created_at") },
};
static const struct json_type outer_type = JSON_TYPE("an outer", outer_fields, struct outer, NULL, NULL);

static void table_round_trip(const char *text, size_t size)
{
  static struct faults faults;
  static struct outer outer, again;
  const struct json_context context = { .joint_count = 3 };
  struct buffer first = BUFFER(MB(4)), second = BUFFER(MB(4));
  faults.count = 0;
  enum armdyn_status status = json_decode(text, size, &outer_type, &outer, &context, &faults);
  require_reason(status, &faults);
  if (status) return;
  json_encode(&first, &outer_type, &outer, &context);
  REQUIRE(buffer_ok(&first) && is_json(first.data, first.length));
  REQUIRE(json_decode(first.data, first.length, &outer_type, &again, &context, &faults) == ARMDYN_OK);
  json_encode(&second, &outer_type, &again, &context);
  REQUIRE(first.length == second.length && memcmp(first.data, second.data, first.length) == 0);
  json_release(&outer_type, &outer);
  json_release(&outer_type, &again);
  buffer_release(&first);
  buffer_release(&second);
}

/* -- trees -- */

static void document_round_trip(const char *text, size_t size)
{
  static struct faults faults;
  cJSON *document, *again;
  struct buffer written = BUFFER(MB(4)), merged = BUFFER(MB(4));
  struct json_writer w = { .out = &written };
  faults.count = 0;
  enum armdyn_status status = document_parse(text, size, &faults, &document);
  require_reason(status, &faults);
  if (status) return;
  document_write(&w, document);
  REQUIRE(is_json(text, size) && buffer_ok(&written));
  REQUIRE(document_parse(written.data, written.length, NULL, &again) == ARMDYN_OK);
  REQUIRE(cJSON_Compare(document, again, true));
  if (cJSON_IsObject(document))
    REQUIRE(document_merge("{\"a\":{\"b\":1}}", text, size, &merged, NULL) == ARMDYN_OK &&
            is_json(merged.data, merged.length));
  document_close(document);
  document_close(again);
  buffer_release(&written);
  buffer_release(&merged);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  char *text = copy_of(data, size);
  against_cjson(text, size);
  table_round_trip(text, size);
  document_round_trip(text, size);
  free(text);
  return 0;
}
