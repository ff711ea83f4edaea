/* The reader and the field tables: what is refused, where, and in which words; and cJSON as a second opinion. */
#include <cjson/cJSON.h>
#include <criterion/criterion.h>
#include <stdint.h>

#include "api/json/fields.h"

/* -- syntax -- */

static enum armdyn_status read_any(const char *text, size_t length, struct faults *faults)
{
  struct json_reader r;
  json_reader_init(&r, text, length, faults);
  json_skip(&r, NULL);
  json_finish(&r);
  return json_reader_status(&r);
}

Test(reader, refuses_what_is_not_json_and_says_where)
{
  static struct faults faults;
  static const struct {
    const char *text, *pointer, *says;
  } cases[] = {
    { "", "", "line 1, column 1 (byte 0): the text is empty" },
    { " \n\t", "", "line 2, column 2 (byte 3)" },
    { "{\"a\": 1} x", "", "line 1, column 10 (byte 9): nothing may follow" },
    { "{\"a\":\n  tru}", "/a", "line 2, column 3 (byte 8): 'true' is expected" },
    { "[1, 2,]", "/2", "a comma before ']' is one too many" },
    { "{\"a\":1,}", "/a", "a comma before '}' is one too many" },
    { "[1 2]", "/0", "',' or ']' is expected, got '2'" },
    { "{\"a\" 1}", "/a", "':' is expected" },
    { "{a:1}", "", "a name in quotes is expected" },
    { "[NaN]", "/0", "JSON has no NaN" },
    { "[-Infinity]", "/0", "JSON has no Infinity" },
    { "{\"q\":[0,1e999]}", "/q/1", "1e999 is beyond the largest number" },
    { "[01]", "/0", "leading zeros" },
    { "[1.]", "/0", "malformed number" },
    { "[\"a\nb\"]", "/0", "must be escaped" },
    { "[\"\\x\"]", "/0", "malformed escape" },
    { "[\"\\ud800\"]", "/0", "malformed escape" },
    { "[\"\\udc00\\ud800\"]", "/0", "malformed escape" },
    { "[\"\xc0\x80\"]", "/0", "not UTF-8" },
    { "[\"abc", "/0", "not closed" },
    { "\xef\xbb\xbf{}", "", "byte order mark" },
    { "[1,2", "/1", "got the end of the text" },
    { "{\"a/b~c\": [}", "/a~1b~0c/0", "a value is expected, got '}'" },
    { "'a'", "", "a value is expected" },
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    faults.count = 0;
    cr_assert_eq(read_any(cases[i].text, strlen(cases[i].text), &faults), ARMDYN_ESYNTAX, "%s", cases[i].text);
    cr_assert_eq(faults.count, 1);
    cr_assert_str_eq(faults.items[0].where, cases[i].pointer);
    cr_assert_not_null(strstr(faults.items[0].detail, cases[i].says), "%s: %s", cases[i].text, faults.items[0].detail);
  }
  cr_assert_eq(read_any("{}\0", 3, &faults), ARMDYN_ESYNTAX);
}

Test(reader, nests_as_deep_as_the_limit_and_no_deeper)
{
  char text[2 * LIMIT_JSON_DEPTH + 2];
  for (size_t depth = LIMIT_JSON_DEPTH; depth <= LIMIT_JSON_DEPTH + 1; depth++) {
    memset(text, '[', depth);
    memset(text + depth, ']', depth);
    cr_assert_eq(read_any(text, 2 * depth, NULL), depth > LIMIT_JSON_DEPTH ? ARMDYN_ESYNTAX : ARMDYN_OK);
  }
}

/* Random mutations of a document: whatever we accept, cJSON accepts too; what cJSON refuses, so do we. */
Test(reader, accepts_nothing_that_cjson_refuses)
{
  static const char document[] =
      "{\"q\": [1.5, -2e3, 0], \"name\": \"a\\u00e9\\n\", \"t\": true, \"n\": null, \"o\": {\"x\": []}}";
  static const char letters[] = "{}[],:\"\\0123456789.eE+-truefalsn \n";
  uint64_t state = 99;
  int accepted = 0;
  for (int i = 0; i < 200000; i++) {
    char text[sizeof document];
    memcpy(text, document, sizeof document);
    for (int k = 0; k < 2; k++) {
      state = state * 6364136223846793005u + 1442695040888963407u;
      text[(state >> 33) % (sizeof document - 1)] = letters[(state >> 20) % (sizeof letters - 1)];
    }
    bool ours = read_any(text, sizeof document - 1, NULL) == ARMDYN_OK;
    cJSON *theirs = cJSON_ParseWithLengthOpts(text, sizeof text, NULL, true);
    cr_assert(!ours || theirs, "%s", text);
    accepted += ours;
    cJSON_Delete(theirs);
  }
  cr_assert_gt(accepted, 1000); /* it did not pass by refusing all */
}

Test(reader, texts_are_decoded)
{
  static const struct {
    const char *json, *text;
  } cases[] = {
    { "\"plain\"", "plain" },
    { "\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"", "\"\\/\b\f\n\r\t" },
    { "\"\\u00e9\\u20AC\"", "\xc3\xa9\xe2\x82\xac" },
    { "\"\\ud83d\\ude00\"", "\xf0\x9f\x98\x80" },
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct json_reader r;
    struct json_slice raw;
    char out[32];
    json_reader_init(&r, cases[i].json, strlen(cases[i].json), NULL);
    cr_assert(json_read_text(&r, NULL, &raw) && json_finish(&r));
    cr_assert_eq(json_slice_decode(raw, out, sizeof out), strlen(cases[i].text));
    cr_assert_str_eq(out, cases[i].text);
    cr_assert(json_slice_is(raw, cases[i].text));
  }
}

/* -- field tables -- */

struct point {
  double position[3], weight;
};
struct thing {
  bool on, has_point, no_point;
  int count;
  double mass, gear, ratio, torque[4], some[5], matrix[4];
  size_t some_count, point_count;
  char name[6], *note, *document;
  int colour;
  struct point point, *points;
  struct json_map tags;
};

static void point_check(struct json_reader *r, void *object, uint64_t given, const struct json_context *context)
{
  (void)context;
  const struct point *point = object;
  if (given >> 1 & 1 && point->weight == 13) json_fault(r, "/weight", FAULT_INCONSISTENT, "brings bad luck");
}

static void thing_init(void *object)
{
  struct thing *thing = object;
  *thing = (struct thing){ .gear = 1, .ratio = NAN, .count = 5 };
}

static const char *const colours[] = { "red", "green", "blue" };
static const struct json_field point_fields[] = {
  { NUMBERS(struct point, position, 3, ANY_NUMBER, "m"), REQUIRED },
  { NUMBER(struct point, weight, ANY_NUMBER, NULL), OMIT_DEFAULT },
};
static const struct json_type point_type = JSON_TYPE("a point", point_fields, struct point, NULL, point_check);
static const struct json_field thing_fields[] = {
  { NUMBER(struct thing, mass, NON_NEGATIVE, "kg"), REQUIRED },
  { NUMBER(struct thing, gear, NON_ZERO, NULL), OMIT_DEFAULT },
  { NUMBER(struct thing, ratio, ABOVE_UP_TO(0, 1), NULL), NULLABLE, OMIT_DEFAULT },
  { NUMBERS(struct thing, torque, PER_JOINT, ANY_NUMBER, "N m"), OMIT_DEFAULT },
  { NUMBERS(struct thing, some, 5, POSITIVE, NULL), COUNTED(struct thing, some_count), OMIT_DEFAULT },
  { MATRIX(struct thing, matrix, 2, 2, ANY_NUMBER, NULL), OMIT_DEFAULT, NULL_ELEMENTS },
  { TRUTH(struct thing, on), OMIT_DEFAULT },
  { INTEGER(struct thing, count, BETWEEN(-10, 10), NULL), OMIT_DEFAULT },
  { TEXT(struct thing, name), OMIT_DEFAULT, MATCHES(json_name_pattern) },
  { STRING(struct thing, note, 8), OMIT_DEFAULT },
  { DOCUMENT(struct thing, document), OMIT_DEFAULT },
  { ENUM(struct thing, colour, colours), OMIT_DEFAULT },
  { OBJECT(struct thing, point, point_type), HAS(struct thing, has_point), NULLED(struct thing, no_point) },
  { LIST_ALLOCATED(struct thing, points, point_count, 0, 3, point_type), OMIT_DEFAULT },
  { MAP(struct thing, tags), OMIT_DEFAULT },
  { READ_ONLY("created_at") },
};
static const struct json_type thing_type = JSON_TYPE("a thing", thing_fields, struct thing, thing_init, NULL);
static const struct json_context two_joints = { .joint_count = 2 };

static enum armdyn_status decode(const char *text, struct thing *thing, struct faults *faults)
{
  return json_decode(text, strlen(text), &thing_type, thing, &two_joints, faults);
}

Test(fields, every_kind_of_fault_with_its_pointer)
{
  static struct faults faults;
  static struct thing thing;
  static const struct {
    const char *text, *pointer;
    enum fault_code code;
    const char *detail;
  } cases[] = {
    { "{}", "/mass", FAULT_REQUIRED, "is missing: a number (kg)" },
    { "{\"mass\":-1}", "/mass", FAULT_MINIMUM, "must be >= 0, got -1 (kg)" },
    { "{\"mass\":\"1\"}", "/mass", FAULT_TYPE, "must be a number (kg), got \"1\"" },
    { "{\"mass\":null}", "/mass", FAULT_TYPE, "must be a number (kg), got null" },
    { "{\"mass\":1,\"mass\":2}", "/mass", FAULT_DUPLICATE, "is there twice; keep one" },
    { "{\"mass\":1,\"ma\\u0073s\":2}", "/mass", FAULT_DUPLICATE, "is there twice; keep one" },
    { "{\"mass\":1,\"Mass\":2}", "/Mass", FAULT_UNKNOWN, "a thing has no such field; did you mean \"mass\"?" },
    { "{\"mass\":1,\"colur\":2}", "/colur", FAULT_UNKNOWN, "a thing has no such field; did you mean \"colour\"?" },
    { "{\"mass\":1,\"mbs\":2}", "/mbs", FAULT_UNKNOWN, "a thing has no such field" },
    { "{\"mass\":1,\"zzzzz\":{\"a\":[1]}}", "/zzzzz", FAULT_UNKNOWN, "a thing has no such field" },
    { "{\"mass\":1,\"gear\":0}", "/gear", FAULT_MINIMUM, "must not be 0" },
    { "{\"mass\":1,\"ratio\":0}", "/ratio", FAULT_MINIMUM, "must be > 0, got 0" },
    { "{\"mass\":1,\"ratio\":1.25}", "/ratio", FAULT_MAXIMUM, "must be <= 1, got 1.25" },
    { "{\"mass\":1,\"torque\":[]}", "/torque", FAULT_LENGTH, "must be a list of 2 numbers (N m), got 0" },
    { "{\"mass\":1,\"torque\":[1,2,3]}", "/torque", FAULT_LENGTH, "must be a list of 2 numbers (N m), got 3" },
    { "{\"mass\":1,\"torque\":5}", "/torque", FAULT_TYPE, "must be a list of 2 numbers (N m), got 5" },
    { "{\"mass\":1,\"torque\":[1,null]}", "/torque/1", FAULT_TYPE, "must be a number (N m), got null" },
    { "{\"mass\":1,\"some\":[1,0]}", "/some/1", FAULT_MINIMUM, "must be > 0, got 0" },
    { "{\"mass\":1,\"some\":[1,2,3,4,5,6]}", "/some", FAULT_LENGTH, "must have at most 5 numbers, got 6" },
    { "{\"mass\":1,\"matrix\":[[1,2]]}", "/matrix", FAULT_LENGTH, "must have 2 rows, got 1" },
    { "{\"mass\":1,\"matrix\":[[1,2],[1]]}", "/matrix/1", FAULT_LENGTH, "must be a list of 2 numbers, got 1" },
    { "{\"mass\":1,\"on\":1}", "/on", FAULT_TYPE, "must be true or false, got 1" },
    { "{\"mass\":1,\"count\":1.5}", "/count", FAULT_TYPE, "must be a whole number, got 1.5" },
    { "{\"mass\":1,\"count\":11}", "/count", FAULT_MAXIMUM, "must be <= 10, got 11" },
    { "{\"mass\":1,\"count\":1e300}", "/count", FAULT_TYPE, NULL },
    { "{\"mass\":1,\"name\":\"abcdef\"}", "/name", FAULT_LENGTH, "must have at most 5 bytes, got 6" },
    { "{\"mass\":1,\"name\":\"-a\"}", "/name", FAULT_PATTERN, NULL },
    { "{\"mass\":1,\"name\":\"a\\u0000\"}", "/name", FAULT_PATTERN, "must not contain the character U+0000" },
    { "{\"mass\":1,\"note\":\"123456789\"}", "/note", FAULT_LENGTH, "must have at most 8 bytes, got 9" },
    { "{\"mass\":1,\"colour\":\"pink\"}", "/colour", FAULT_ENUM,
      "must be \"red\", \"green\" or \"blue\", got \"pink\"" },
    { "{\"mass\":1,\"colour\":2}", "/colour", FAULT_TYPE, "must be \"red\", \"green\" or \"blue\", got 2" },
    { "{\"mass\":1,\"point\":[]}", "/point", FAULT_TYPE, "must be an object (a point), got a list" },
    { "{\"mass\":1,\"point\":{}}", "/point/position", FAULT_REQUIRED, "is missing: a list of numbers (m)" },
    { "{\"mass\":1,\"point\":{\"position\":[1,2,3],\"weight\":13}}", "/point/weight", FAULT_INCONSISTENT,
      "brings bad luck" },
    { "{\"mass\":1,\"points\":[{\"position\":[1,2,3]},{\"position\":[1,\"2\",3]}]}", "/points/1/position/1", FAULT_TYPE,
      NULL },
    { "{\"mass\":1,\"points\":[{\"position\":[1,2,3]},4]}", "/points/1", FAULT_TYPE,
      "must be an object (a point), got 4" },
    { "{\"mass\":1,\"tags\":{\"a\":1}}", "/tags/a", FAULT_TYPE, "must be a text, got 1" },
    { "{\"mass\":1,\"tags\":{\"a\":\"1\",\"a\":\"2\"}}", "/tags/a", FAULT_DUPLICATE, NULL },
    { "[]", "", FAULT_TYPE, "must be an object (a thing), got a list" },
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    faults.count = 0;
    cr_assert_eq(decode(cases[i].text, &thing, &faults), ARMDYN_EINPUT, "%s", cases[i].text);
    const struct fault *fault = &faults.items[0];
    cr_assert_eq(faults.count, 1, "%s: %zu faults", cases[i].text, faults.count);
    cr_assert_str_eq(fault->where, cases[i].pointer, "%s: %s", cases[i].text, fault->where);
    cr_assert_eq(fault->code, cases[i].code, "%s: %s", cases[i].text, fault_code_text(fault->code));
    if (cases[i].detail) cr_assert_str_eq(fault->detail, cases[i].detail);
  }
}

Test(fields, all_faults_are_found_in_one_pass)
{
  static struct faults faults;
  static struct thing thing;
  cr_assert_eq(decode("{\"gear\":0,\"torque\":[1],\"x\":1,\"point\":{\"weight\":\"\"},\"tags\":[]}", &thing, &faults),
               ARMDYN_EINPUT);
  static const char *const pointers[] = {
    "/gear", "/torque", "/x", "/point/weight", "/point/position", "/tags", "/mass"
  };
  cr_assert_eq(faults.count, 7);
  for (size_t i = 0; i < 7; i++) cr_assert_str_eq(faults.items[i].where, pointers[i]);
  /* an error of syntax behind them is the only thing that counts */
  faults.count = 0;
  cr_assert_eq(decode("{\"gear\":0,\"torque\":[1] oops}", &thing, &faults), ARMDYN_ESYNTAX);
  cr_assert_eq(faults.count, 1);
}

Test(fields, defaults_nulls_and_flags)
{
  struct thing thing;
  cr_assert_eq(decode("{\"mass\":1,\"ratio\":null,\"point\":null,\"matrix\":[null,[3,4]],\"created_at\":{\"any\":[1]}}",
                      &thing, NULL),
               ARMDYN_OK);
  cr_assert(thing.mass == 1 && thing.gear == 1 && isnan(thing.ratio) && thing.count == 5);
  cr_assert(!thing.has_point && thing.no_point);
  cr_assert(thing.matrix[0] == 0 && thing.matrix[1] == 0 && thing.matrix[2] == 3 && thing.matrix[3] == 4);
  cr_assert_eq(decode("{\"mass\":1,\"point\":{\"position\":[1,2,3]}}", &thing, NULL), ARMDYN_OK);
  cr_assert(thing.has_point && !thing.no_point && thing.point.position[2] == 3);
}

static void expect_same(const char *text, const char *canonical)
{
  struct thing thing;
  struct buffer out = BUFFER(KB(64));
  cr_assert_eq(decode(text, &thing, NULL), ARMDYN_OK, "%s", text);
  json_encode(&out, &thing_type, &thing, &two_joints);
  cr_assert(buffer_ok(&out));
  cr_assert_str_eq(out.data, canonical);
  json_release(&thing_type, &thing);
  buffer_release(&out);
}

Test(fields, encoding_is_the_inverse_and_leaves_defaults_out)
{
  expect_same(" { \"mass\" : 1.0e0 } ", "{\"mass\":1}");
  expect_same("{\"mass\":0,\"point\":null}", "{\"mass\":0,\"point\":null}");
  expect_same("{\"tags\":{\"b\":\"\\u00e9\",\"a\":\"\\n\"},\"mass\":0.1,\"on\":true,\"count\":-3,\"note\":\"q\\\"\"}",
              "{\"mass\":0.1,\"on\":true,\"count\":-3,\"note\":\"q\\\"\",\"tags\":{\"b\":\"\xc3\xa9\",\"a\":\"\\n\"}}");
  expect_same(
      "{\"mass\":1,\"gear\":-0.5,\"ratio\":1,\"torque\":[1,-0],\"some\":[1,2],\"name\":\"a.b\",\"colour\":\"blue\"}",
      "{\"mass\":1,\"gear\":-0.5,\"ratio\":1,\"torque\":[1,-0],\"some\":[1,2],\"name\":\"a.b\",\"colour\":\"blue\"}");
  expect_same("{\"mass\":1,\"document\":{\"x\": [1 , "
              "2]},\"points\":[{\"position\":[1,2,3]},{\"weight\":2,\"position\":[0,0,0]}]}",
              "{\"mass\":1,\"document\":{\"x\": [1 , "
              "2]},\"points\":[{\"position\":[1,2,3]},{\"position\":[0,0,0],\"weight\":2}]}");
}

Test(fields, names_ids_and_times)
{
  static const struct {
    const struct json_pattern *pattern;
    const char *text;
    bool matches;
  } cases[] = {
    { &json_name_pattern, "puma560", true },
    { &json_name_pattern, "a", true },
    { &json_name_pattern, "0.x_y-z", true },
    { &json_name_pattern, "", false },
    { &json_name_pattern, "Puma", false },
    { &json_name_pattern, ".a", false },
    { &json_name_pattern, "a b", false },
    { &json_name_pattern, "a/b", false },
    { &json_name_pattern, "a23456789012345678901234567890123456789012345678901234567890123", true },
    { &json_name_pattern, "a2345678901234567890123456789012345678901234567890123456789012345", false },
    { &json_id_pattern, "01ARZ3NDEKTSV4RRFFQ69G5FAV", true },
    { &json_id_pattern, "81ARZ3NDEKTSV4RRFFQ69G5FAV", false },
    { &json_id_pattern, "01ARZ3NDEKTSV4RRFFQ69G5FA", false },
    { &json_id_pattern, "01ARZ3NDEKTSV4RRFFQ69G5FAU", false },
    { &json_time_pattern, "2025-01-31T12:00:00Z", true },
    { &json_time_pattern, "2024-02-29T23:59:60.123Z", true },
    { &json_time_pattern, "2025-02-29T12:00:00Z", false },
    { &json_time_pattern, "2025-13-01T12:00:00Z", false },
    { &json_time_pattern, "2025-01-31T24:00:00Z", false },
    { &json_time_pattern, "2025-01-31T12:00:00+00:00", true },
    { &json_time_pattern, "2025-01-31T12:00:00.5-23:59", true },
    { &json_time_pattern, "2025-01-31t12:00:00z", true },
    { &json_time_pattern, "2025-01-31T12:00:00+24:00", false },
    { &json_time_pattern, "2025-01-31T12:00:00+01:60", false },
    { &json_time_pattern, "2025-01-31T12:00:00+0100", false },
    { &json_time_pattern, "2025-01-31T12:00:00+01:0", false },
    { &json_time_pattern, "2025-01-31T12:00:00Z ", false },
    { &json_time_pattern, "2025-01-31T12:00:00", false },
    { &json_time_pattern, "2025-01-31 12:00:00Z", false },
    { &json_time_pattern, "2025-01-31T12:00:00.Z", false },
    { &json_time_pattern, "2025", false },
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    cr_assert_eq(cases[i].pattern->matches(cases[i].text), cases[i].matches, "%s", cases[i].text);
}
