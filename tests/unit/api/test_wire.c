/* Buffers, faults, UTF-8, suggestions, media types, problems. */
#include <cjson/cJSON.h>
#include <criterion/criterion.h>
#include <stdint.h>

#include "api/codec/media.h"
#include "api/problem/problem.h"
#include "api/wire/buffer.h"
#include "api/wire/faults.h"
#include "api/wire/nearest.h"
#include "api/wire/utf8.h"

Test(buffer, grows_to_its_maximum_and_no_further)
{
  struct buffer b = BUFFER(1000);
  for (int i = 0; i < 100; i++) buffer_format(&b, "%010d", i);
  cr_assert(buffer_ok(&b));
  cr_assert_eq(b.length, 1000);
  cr_assert_eq(strlen(b.data), 1000);
  cr_assert_eq(memcmp(b.data + 990, "0000000099", 10), 0);
  buffer_append(&b, "x", 1);
  cr_assert_eq(b.failure, ARMDYN_ELIMIT);
  cr_assert_eq(b.length, 1000);
  buffer_text(&b, ""); /* the failure sticks */
  size_t length = 7;
  cr_assert_null(buffer_take(&b, &length));
  cr_assert_eq(length, 0);
  buffer_text(&b, "again");
  cr_assert(buffer_ok(&b) && strcmp(b.data, "again") == 0);
  char *taken = buffer_take(&b, &length);
  cr_assert(length == 5 && strcmp(taken, "again") == 0 && b.length == 0 && !b.data);
  free(taken);
  cr_assert_null(buffer_reserve(&b, SIZE_MAX));
  cr_assert_eq(b.failure, ARMDYN_ELIMIT);
  buffer_release(&b);
}

Test(buffer, format_that_does_not_fit_leaves_what_was_there)
{
  struct buffer b = BUFFER(10);
  buffer_text(&b, "12345");
  buffer_format(&b, "%s", "abcdefgh");
  cr_assert_eq(b.failure, ARMDYN_ELIMIT);
  cr_assert_str_eq(b.data, "12345");
  buffer_release(&b);
}

Test(faults, every_one_is_counted_and_the_first_hundred_kept)
{
  static struct faults faults;
  for (int i = 0; i < 250; i++) fault_add(&faults, FAULT_AT_POINTER, "/q", FAULT_TYPE, "number %d", i);
  fault_add_cell(&faults, 1, 2, FAULT_FINITE, "beyond the list");
  cr_assert_eq(faults.count, 251);
  cr_assert_str_eq(faults.items[LIMIT_FAULTS - 1].detail, "number 99");

  struct buffer out = BUFFER(MB(1));
  problem_write(&out, PROBLEM_INVALID, "250 faults", "/v1/robots", &faults, "\"minimum_duration\":0.5");
  cJSON *root = cJSON_Parse(out.data);
  cr_assert_not_null(root);
  cr_assert_eq(cJSON_GetArraySize(cJSON_GetObjectItem(root, "errors")), LIMIT_FAULTS);
  cr_assert_eq(cJSON_GetObjectItem(root, "error_count")->valueint, 251);
  cr_assert_eq(cJSON_GetObjectItem(root, "status")->valueint, 422);
  cr_assert_eq(cJSON_GetObjectItem(root, "minimum_duration")->valuedouble, 0.5);
  cr_assert_str_eq(cJSON_GetObjectItem(root, "type")->valuestring, "/problems/invalid");
  cJSON_Delete(root);
  buffer_release(&out);
}

/* Whatever bytes a header or a parameter brought, the document is valid JSON in UTF-8. */
Test(faults, hostile_bytes_make_no_malformed_document)
{
  static struct faults faults;
  fault_add(&faults, FAULT_AT_PARAMETER, "a\"\\\x01\xff\xc3", FAULT_ENUM, "got \"%s\"", "\xed\xa0\x80\n\t\x7f");
  struct buffer out = BUFFER(MB(1));
  problem_write(&out, PROBLEM_INVALID, NULL, NULL, &faults, NULL);
  cJSON *root = cJSON_Parse(out.data);
  cr_assert_not_null(root);
  for (const char *c = out.data, *end = out.data + out.length; c < end;) {
    size_t length = utf8_length(c, end);
    cr_assert_gt(length, 0);
    c += length;
  }
  const cJSON *fault = cJSON_GetArrayItem(cJSON_GetObjectItem(root, "errors"), 0);
  cr_assert_str_eq(cJSON_GetObjectItem(fault, "parameter")->valuestring, "a\"\\\x01\xef\xbf\xbd\xef\xbf\xbd");
  cJSON_Delete(root);
  buffer_release(&out);
}

Test(problems, every_status_has_one_and_the_list_is_whole)
{
  for (int s = 0; s < ARMDYN_STATUS_COUNT; s++) {
    int http = problem_http_status(problem_of_status((enum armdyn_status)s));
    cr_assert(http >= 400 && http <= 599);
  }
  cr_assert_eq(problem_http_status(problem_of_status(ARMDYN_ESYNTAX)), 400);
  cr_assert_eq(problem_http_status(problem_of_status(ARMDYN_EUNPHYSICAL)), 422);
  cr_assert_eq(problem_http_status(problem_of_status(ARMDYN_ESTALE)), 412);
  cr_assert_eq(problem_http_status(problem_of_status(ARMDYN_EFULL)), 507);
  struct buffer out = BUFFER(MB(1));
  problems_list(&out);
  cJSON *root = cJSON_Parse(out.data), *item, *other;
  const cJSON *items = cJSON_GetObjectItem(root, "items");
  cr_assert_eq(cJSON_GetArraySize(items), PROBLEM_COUNT);
  cJSON_ArrayForEach (item, items)
    for (other = item->next; other; other = other->next)
      cr_assert_str_neq(cJSON_GetObjectItem(item, "type")->valuestring,
                        cJSON_GetObjectItem(other, "type")->valuestring);
  cJSON_Delete(root);
  buffer_release(&out);
}

Test(utf8, forms_of_rfc_3629)
{
  static const struct {
    const char *bytes;
    size_t length;
  } cases[] = {
    { "a", 1 },
    { "\xc3\xa9", 2 },
    { "\xe2\x82\xac", 3 },
    { "\xf0\x9f\x98\x80", 4 },
    { "\xf4\x8f\xbf\xbf", 4 },
    { "\xc0\x80", 0 },
    { "\xc1\xbf", 0 },
    { "\xe0\x9f\xbf", 0 },
    { "\xed\xa0\x80", 0 },
    { "\xf0\x8f\xbf\xbf", 0 },
    { "\xf4\x90\x80\x80", 0 },
    { "\xf5\x80\x80\x80", 0 },
    { "\x80", 0 },
    { "\xc3", 0 },
    { "\xe2\x82", 0 },
    { "\xe2\x28\xa1", 0 },
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    cr_assert_eq(utf8_length(cases[i].bytes, cases[i].bytes + strlen(cases[i].bytes)), cases[i].length, "case %zu", i);
}

static const char *name_of(const void *list, size_t index)
{
  return ((const char *const *)list)[index];
}

Test(nearest, finds_what_was_meant_and_nothing_far_off)
{
  static const char *const names[] = { "friction", "gravity", "payload", "a", "qdd" };
  static const struct {
    const char *wrong, *meant;
  } cases[] = { { "frction", "friction" },
                { "Friction", "friction" },
                { "gravtiy", "gravity" },
                { "payloads", "payload" },
                { "b", "a" },
                { "dqd", "qdd" },
                { "colour", NULL },
                { "", NULL } };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const char *found = nearest(cases[i].wrong, name_of, names, 5);
    if (cases[i].meant)
      cr_assert(found && strcmp(found, cases[i].meant) == 0, "%s", cases[i].wrong);
    else if (*cases[i].wrong)
      cr_assert_null(found, "%s gave %s", cases[i].wrong, found);
  }
}

Test(media, content_types)
{
  static const struct {
    const char *header;
    enum media media;
  } cases[] = {
    { "application/json", MEDIA_JSON },
    { "Application/JSON; charset=UTF-8", MEDIA_JSON },
    { "application/x-npy", MEDIA_NPY },
    { "text/csv;header=present", MEDIA_CSV },
    { "text/csv; charset=\"utf-8\"", MEDIA_CSV },
    { "text/csv; charset=latin-1", MEDIA_NONE },
    { "text/richtext", MEDIA_NONE },
    { "", MEDIA_NONE },
    { NULL, MEDIA_NONE },
    { "application/json-seq", MEDIA_NONE },
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    cr_assert_eq(media_of_content_type(cases[i].header), cases[i].media, "%s", cases[i].header);
}

/* RFC 9110, 12.5.1: the most specific range decides, then the quality, then what is offered first. */
Test(media, accept)
{
  const unsigned all = 1 << MEDIA_JSON | 1 << MEDIA_NPY | 1 << MEDIA_CSV, json = 1 << MEDIA_JSON;
  static const struct {
    const char *header;
    enum media media;
  } cases[] = {
    { NULL, MEDIA_JSON },
    { "*/*", MEDIA_JSON },
    { "text/csv", MEDIA_CSV },
    { "text/*", MEDIA_CSV },
    { "application/x-npy, application/json;q=0.5", MEDIA_NPY },
    { "application/json;q=0.4, text/csv;q=0.6", MEDIA_CSV },
    { "*/*;q=0.1, application/json;q=0", MEDIA_NPY },
    { "application/*, application/json;q=0.2", MEDIA_NPY },
    { "text/html", MEDIA_NONE },
    { "application/json;q=0", MEDIA_NONE },
    { "text/html, */*;q=0.8", MEDIA_JSON },
    { "application/json;q=1.000", MEDIA_JSON },
    { "application/json;q=2", MEDIA_NONE },
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    cr_assert_eq(media_of_accept(cases[i].header, all), cases[i].media, "%s", cases[i].header);
  cr_assert_eq(media_of_accept("text/csv", json), MEDIA_NONE);
  cr_assert_eq(media_of_accept("text/csv, */*;q=0.1", json), MEDIA_JSON);
}
