/* Every allocation of every decoder is failed in turn: it says so, and nothing leaks. */
#include "tests/support/failing.h"

#include <criterion/criterion.h>

#include "api/codec/dynamics.h"
#include "api/codec/robot.h"
#include "api/json/fields.h"
#include "api/npy/npy.h"

#if FAILING
static struct faults faults;
static struct armdyn_robot_description robot;

/* -- the pieces of work -- */

struct item {
  double x;
};
struct document {
  char *note, *any;
  struct item *items;
  size_t count;
};
static const struct json_field item_fields[] = { { NUMBER(struct item, x, ANY_NUMBER, NULL) } };
static const struct json_type item_type = JSON_TYPE("an item", item_fields, struct item, NULL, NULL);
static const struct json_field document_fields[] = {
  { STRING(struct document, note, 0), OMIT_DEFAULT },
  { DOCUMENT(struct document, any) },
  { LIST_ALLOCATED(struct document, items, count, 0, 100, item_type) },
};
static const struct json_type document_type = JSON_TYPE("a document", document_fields, struct document, NULL, NULL);

static enum armdyn_status work_fields(void)
{
  static const char text[] = "{\"note\":\"abc\",\"any\":{\"x\":[1]},\"items\":[{\"x\":1},{\"x\":2},{\"x\":3},{},{}]}";
  struct document document;
  struct buffer out = BUFFER(KB(64));
  enum armdyn_status status = json_decode(text, sizeof text - 1, &document_type, &document, NULL, &faults);
  if (status) return status;
  json_encode(&out, &document_type, &document, NULL);
  status = out.failure;
  if (!status)
    cr_assert_str_eq(
        out.data,
        "{\"note\":\"abc\",\"any\":{\"x\":[1]},\"items\":[{\"x\":1},{\"x\":2},{\"x\":3},{\"x\":0},{\"x\":0}]}");
  json_release(&document_type, &document);
  buffer_release(&out);
  return status;
}

static enum armdyn_status work_robot(void)
{
  static const char text[] = "{\"name\":\"a\",\"convention\":\"dh\",\"joints\":[{\"type\":\"revolute\",\"link\":{"
                             "\"mass\":1}},{\"type\":\"revolute\",\"link\":{\"mass\":1}}]}";
  struct buffer out = BUFFER(KB(64));
  enum armdyn_status status = robot_decode(text, sizeof text - 1, false, &robot, NULL, &faults);
  if (status) return status;
  robot_encode(&robot, &out);
  status = out.failure;
  buffer_release(&out);
  return status;
}

static enum armdyn_status work_samples(enum media media, const char *body, size_t length)
{
  struct samples_request request;
  armdyn_robot_description_init(&robot);
  robot.joint_count = 1;
  enum armdyn_status status =
      samples_request_decode(CALL_INVERSE_DYNAMICS, media, &robot, body, length, NULL, NULL, &request, &faults);
  if (!status) samples_request_release(&request);
  return status;
}

static enum armdyn_status work_json(void)
{
  static const char text[] =
      "{\"q\":[[1],[2],[3]],\"qd\":[[1],[2],[3]],\"qdd\":[[1],[2],[3]],\"wrench\":[1,2,3,4,5,6],\"tool\":{}}";
  return work_samples(MEDIA_JSON, text, sizeof text - 1);
}

static enum armdyn_status work_csv(void)
{
  static const char text[] = "q1,qd1,qdd1,fx,fy,fz,mx,my,mz\n1,2,3,4,5,6,7,8,9\n";
  return work_samples(MEDIA_CSV, text, sizeof text - 1);
}

/* Not aligned, so that it has to be copied. */
static enum armdyn_status work_npy(void)
{
  static const double numbers[18];
  struct buffer out = BUFFER(KB(4));
  buffer_append(&out, "x", 1);
  npy_write(&out, numbers, (const size_t[]){ 2, 9 }, 2);
  enum armdyn_status status = out.failure;
  if (!status) status = work_samples(MEDIA_NPY, out.data + 1, out.length - 1);
  buffer_release(&out);
  return status;
}

static enum armdyn_status (*const works[])(void) = { work_fields, work_robot, work_json, work_csv, work_npy };

Test(out_of_memory, every_allocation_may_fail_and_nothing_leaks)
{
  for (size_t w = 0; w < sizeof works / sizeof *works; w++) {
    int attempts = 0;
    failed = true;
    while (failed) {
      long before = held;
      failed = false;
      faults.count = 0;
      failing_in = ++attempts;
      enum armdyn_status status = works[w]();
      failing_in = 0;
      cr_assert_eq(status, failed ? ARMDYN_EMEMORY : ARMDYN_OK, "work %zu, allocation %d: %s", w, attempts,
                   armdyn_status_text(status));
      cr_assert_eq(held, before, "work %zu leaks when allocation %d fails", w, attempts);
    }
    cr_assert_gt(attempts, 1, "work %zu allocates nothing", w);
  }
}
#else
Test(out_of_memory, is_tested_without_sanitizers)
{
  cr_skip_test("the sanitizers have put their own malloc here");
}
#endif
