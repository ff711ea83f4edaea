/* Documents as trees: what is no document, what stands where, and that nothing changes on the way; and JSONTestSuite. */
#include <criterion/criterion.h>
#include <dirent.h>

#include "api/json/document.h"
#include "api/json/reader.h"
#include "tests/support/logs.h"

static struct faults faults;

static enum armdyn_status parse(const char *text, size_t length)
{
  cJSON *document;
  faults.count = 0;
  const enum armdyn_status status = document_parse(text, length, &faults, &document);
  cr_assert_eq(document != NULL, status == ARMDYN_OK);
  document_close(document);
  return status;
}

Test(document, refuses_names_twice_and_the_null_character)
{
  static const struct {
    const char *text, *pointer, *says;
  } cases[] = {
    { "{\"a\":1,\"a\":1}", "/a", "twice" },
    { "{\"notes\":1,\"b\":2,\"not\\u0065s\":3}", "/notes", "twice" },
    { "[{\"a\":{\"b\":[0,{\"\":1,\"\":2}]}}]", "/0/a/b/1/", "twice" },
    { "{\"a\":\"x\\u0000y\"}", "/a", "U+0000" },
    { "{\"a\\u0000\":1}", "/a", "U+0000" },
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    cr_assert_eq(parse(cases[i].text, strlen(cases[i].text)), ARMDYN_EINPUT, "%s", cases[i].text);
    cr_assert_eq(faults.count, 1);
    cr_assert(!strncmp(faults.items[0].where, cases[i].pointer, strlen(cases[i].pointer)), "%s", faults.items[0].where);
    cr_assert(strstr(faults.items[0].detail, cases[i].says), "%s", faults.items[0].detail);
  }
}

/* The place where the text ends to be JSON is all that is told. */
Test(document, says_one_thing_of_what_is_no_json)
{
  static const char text[] = "{\"a\":{\"b\":1,\"b\":2},\"a\":1,";
  cr_assert_eq(parse(text, sizeof text - 1), ARMDYN_ESYNTAX);
  cr_assert_eq(faults.count, 1);
  cr_assert_eq(faults.items[0].code, FAULT_SYNTAX);
}

/* As many names as a patch may have, all of one object: each is looked at a few times, not once for every other. */
Test(document, finds_the_one_name_of_many_that_is_twice)
{
  struct buffer text = BUFFER(MB(2));
  for (int i = 0; i < 60000; i++) buffer_format(&text, "%c\"n%d\":0", i ? ',' : '{', i);
  buffer_text(&text, ",\"n777\":1}");
  cr_assert_eq(parse(text.data, text.length), ARMDYN_EINPUT);
  cr_assert_eq(faults.count, 1);
  cr_assert_str_eq(faults.items[0].where, "/n777");
  buffer_release(&text);
}

static const char sample[] =
    "{\"a\":[1,-2.5e-3,{\"b\":\"x\\u00e9\\n\"}],\"t\":true,\"f\":false,\"z\":null,\"n\":[1,\"2\",null,4],"
    "\"long\":0.1000000000000000055511151231257827021181583404541015625000000000000000000001,\"c/d\":5,\"\":7}";

Test(document, says_what_stands_where)
{
  cJSON *d = document_open(sample);
  double numbers[3];
  char text[4];
  cr_assert_eq(document_number(d, "a/0"), 1);
  cr_assert_eq(document_number(d, "a/1"), -2.5e-3);
  cr_assert_str_eq(document_text(d, "a/2/b"), "x\xc3\xa9\n");
  cr_assert_eq(document_at(d, ""), d);
  cr_assert(document_truth(d, "t") && !document_truth(d, "f") && !document_truth(d, "z") && !document_truth(d, "a"));
  cr_assert(isnan(document_number(d, "a/3")) && isnan(document_number(d, "a/2/b")) &&
            isnan(document_number(NULL, "a")));
  cr_assert_null(document_text(d, "a"));
  cr_assert_null(document_at(d, "a/b"));
  cr_assert_null(document_at(d, "t/0"));
  cr_assert_null(document_at(d, "lon"));
  cr_assert_eq(document_numbers(d, "n", numbers, 3), 3);
  cr_assert(numbers[0] == 1 && isnan(numbers[1]) && isnan(numbers[2]));
  cr_assert_eq(document_numbers(d, "z", numbers, 3), 0);
  document_copy_text(d, "a/2/b", text, sizeof text);
  cr_assert_str_eq(text, "", "it has no room");
  document_close(d);
}

Test(document, is_written_as_it_was_and_as_cjson_reads_it)
{
  cJSON *d = document_open(sample), *other = cJSON_Parse(sample);
  struct buffer out = BUFFER(KB(4));
  struct json_writer w = { .out = &out };
  document_write(&w, d);
  cr_assert(strstr(out.data, "0.1000000000000000055511151231257827021181583404541015625000000000000000000001"));
  cr_assert(cJSON_Compare(d, other, true), "%s", out.data);
  cJSON *again = document_open(out.data);
  cr_assert(cJSON_Compare(again, other, true));
  document_close(d);
  document_close(again);
  cJSON_Delete(other);
  buffer_release(&out);
}

Test(document, merges_by_decoded_names)
{
  struct buffer out = BUFFER(KB(4));
  static const char patch[] = "{\"not\\u0065s\":\"new\",\"\\u0074ags\":{\"\\u0061\":null,\"c\":\"\\u00e9\"}}";
  cr_assert_eq(
      document_merge("{\"notes\":\"old\",\"tags\":{\"a\":\"1\",\"b\":\"2\"}}", patch, sizeof patch - 1, &out, NULL),
      ARMDYN_OK);
  cr_assert_str_eq(out.data, "{\"notes\":\"new\",\"tags\":{\"b\":\"2\",\"c\":\"\xc3\xa9\"}}");
  buffer_release(&out);
}

/* -- JSONTestSuite (https://github.com/nst/JSONTestSuite, MIT), where it lies beside the tree -- */

static const char *const both[] = { "y_object_duplicated_key.json", "y_object_duplicated_key_and_value.json",
                                    "y_object_escaped_null_in_key.json", "y_string_null_escape.json" };

/* What RFC 8259 leaves open, and is taken here: numbers as the nearest double. The others are refused: numbers that no
 * double is, texts that are not UTF-8, surrogates without their pair, a byte order mark, 500 nested lists. */
static const char *const open_and_taken[] = { "i_number_double_huge_neg_exp.json", "i_number_real_underflow.json",
                                              "i_number_too_big_neg_int.json", "i_number_too_big_pos_int.json",
                                              "i_number_very_big_negative_int.json" };

static bool is_among(const char *name, const char *const *names, size_t count)
{
  for (size_t i = 0; i < count; i++)
    if (!strcmp(names[i], name)) return true;
  return false;
}
#define AMONG(name, names) is_among(name, names, sizeof names / sizeof *names)

static bool is_json(const char *text, size_t length)
{
  struct json_reader r;
  json_reader_init(&r, text, length, NULL);
  json_skip(&r, NULL);
  return json_finish(&r);
}

Test(document, keeps_to_the_test_suite_of_others)
{
  enum { MOST = 300000 };
  const char *shared = getenv("ARMDYN_SHARED_DATA");
  char folder[512], path[1024];
  snprintf(folder, sizeof folder, "%s/json_test_suite", shared ? shared : "../shared/data");
  DIR *directory = opendir(folder);
  if (!directory) cr_skip("%s is not there", folder);
  char *text = malloc(MOST);
  size_t settled = 0;
  for (struct dirent *entry; (entry = readdir(directory));) {
    const char *name = entry->d_name;
    if (!strstr(name, ".json")) continue;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "rb");
    const size_t length = fread(text, 1, MOST, file);
    fclose(file);
    cr_assert_lt(length, MOST);
    settled += *name != 'i';
    const bool good = *name == 'y' || AMONG(name, open_and_taken);
    cr_expect_eq(is_json(text, length), good, "%s", name);
    cr_expect_eq(parse(text, length) == ARMDYN_OK, good && !AMONG(name, both), "%s as a document", name);
  }
  closedir(directory);
  free(text);
  cr_assert_eq(settled, 283, "%zu", settled);
}
