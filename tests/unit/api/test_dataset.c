#include <criterion/criterion.h>

#include "api/dataset/layout.h"
#include "api/dataset/text.h"
#include "api/json/document.h"

static struct faults faults;

/* -- layouts -- */

Test(layout, names_tell_the_layout)
{
  for (size_t joints = 1; joints <= 32; joints += joints < 3 ? 1 : 29)
    for (unsigned more = 0; more < 8; more++) {
      const bool present[DATASET_FIELDS] = {
        [DATASET_QD] = more & 1, [DATASET_QDD] = more & 2, [DATASET_TAU] = more & 4
      };
      struct dataset_layout made, read;
      char names[DATASET_COLUMNS_SIZE];
      dataset_layout_make(joints, present, &made);
      dataset_layout_names(&made, names);
      cr_assert(dataset_layout_read(names, &read), "%s", names);
      cr_assert_eq(read.joints, joints);
      cr_assert_eq(read.width, made.width);
      cr_assert_arr_eq(read.present, made.present, sizeof made.present);
      cr_assert_eq(dataset_field_of(&made, made.width - 1), more & 4   ? DATASET_TAU
                                                            : more & 2 ? DATASET_QDD
                                                            : more & 1 ? DATASET_QD
                                                                       : DATASET_Q);
    }
  static const char *const wrong[] = { "", "t", "q1", "t,q2", "t,q1,tau1,tau2", "t,q1,q2,tau1", "q1,t", "t,q1,x1" };
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    struct dataset_layout read;
    cr_assert_not(dataset_layout_read(wrong[i], &read), "%s", wrong[i]);
  }
}

/* -- texts -- */

/* Byte by byte, which is the hardest way to cut it. */
static void decodes(enum text_encoding encoding, const char *bytes, size_t length, const char *expected)
{
  struct text_decoder decoder = { .encoding = encoding };
  struct buffer out = BUFFER(KB(4));
  for (size_t i = 0; i < length; i++) text_decode(&decoder, bytes + i, 1, &out);
  cr_assert_str_eq(out.data, expected);
  buffer_release(&out);
}
#define DECODES(encoding, bytes, expected) decodes(encoding, bytes, sizeof bytes - 1, expected)

Test(text, becomes_utf8)
{
  DECODES(TEXT_UTF_8, "\xc3\xa4;1,5\n", "ä;1,5\n");
  DECODES(TEXT_WINDOWS_1252, "Winkel \xb0 \xe4\x80\x99\n", "Winkel ° ä€™\n");
  DECODES(TEXT_WINDOWS_1252, "\x81", "\xef\xbf\xbd"); /* not assigned */
  DECODES(TEXT_UTF_16,
          "\xff\xfe"
          "a\0\xe4\0\xac\x20",
          "aä€");
  DECODES(TEXT_UTF_16, "a\0\xe4\0", "aä");
  DECODES(TEXT_UTF_16, "\xfe\xff\0a\x20\xac", "a€");
  DECODES(TEXT_UTF_16, "\x3d\xd8\x00\xde!\0", "\xf0\x9f\x98\x80!");         /* a pair of surrogates */
  DECODES(TEXT_UTF_16, "\x3d\xd8!\0\x00\xde", "\xef\xbf\xbd!\xef\xbf\xbd"); /* halves of one */
}

/* -- merge patches: the examples of RFC 7396, appendix A, whose documents and patches are objects -- */

Test(merge, examples_of_the_standard)
{
  static const struct {
    const char *document, *patch, *merged;
  } cases[] = {
    { "{\"a\":\"b\"}", "{\"a\":\"c\"}", "{\"a\":\"c\"}" },
    { "{\"a\":\"b\"}", "{\"b\":\"c\"}", "{\"a\":\"b\",\"b\":\"c\"}" },
    { "{\"a\":\"b\"}", "{\"a\":null}", "{}" },
    { "{\"a\":\"b\",\"b\":\"c\"}", "{\"a\":null}", "{\"b\":\"c\"}" },
    { "{\"a\":[\"b\"]}", "{\"a\":\"c\"}", "{\"a\":\"c\"}" },
    { "{\"a\":\"c\"}", "{\"a\":[\"b\"]}", "{\"a\":[\"b\"]}" },
    { "{\"a\":{\"b\":\"c\"}}", "{\"a\":{\"b\":\"d\",\"c\":null}}", "{\"a\":{\"b\":\"d\"}}" },
    { "{\"a\":[{\"b\":\"c\"}]}", "{\"a\":[1]}", "{\"a\":[1]}" },
    { "{\"e\":null}", "{\"a\":1}", "{\"e\":null,\"a\":1}" },
    { "{}", "{\"a\":{\"bb\":{\"ccc\":null}}}", "{\"a\":{\"bb\":{}}}" },
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct buffer out = BUFFER(KB(4));
    cr_assert_eq(document_merge(cases[i].document, cases[i].patch, strlen(cases[i].patch), &out, &faults), ARMDYN_OK);
    cr_assert_str_eq(out.data, cases[i].merged);
    buffer_release(&out);
  }
}

Test(merge, refuses_what_is_no_object)
{
  static const struct {
    const char *patch;
    enum armdyn_status status;
  } cases[] = { { "", ARMDYN_ESYNTAX },
                { "{\"a\":", ARMDYN_ESYNTAX },
                { "[1]", ARMDYN_EINPUT },
                { "null", ARMDYN_EINPUT },
                { "{} {}", ARMDYN_ESYNTAX } };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct buffer out = BUFFER(KB(4));
    faults.count = 0;
    cr_assert_eq(document_merge("{}", cases[i].patch, strlen(cases[i].patch), &out, &faults), cases[i].status, "%s",
                 cases[i].patch);
    cr_assert_gt(faults.count, 0);
    buffer_release(&out);
  }
}
