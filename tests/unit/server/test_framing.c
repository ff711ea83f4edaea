/* Requests end where RFC 9112 says, however their bytes come; tests/http/test_heads.py has what is refused. */
#include <criterion/criterion.h>

#include "server/http/framing.h"

#define HOST "Host: localhost\r\n"
#define GET  "GET /healthz HTTP/1.1\r\n" HOST

static const struct {
  const char *text;
  unsigned requests;
  bool sound;
} samples[] = {
  { GET "\r\n" GET "\r\n", 2, true },
  { "\r\n" GET "\r\n"
    "\r\n" GET "\r\n",
    2, true },
  { GET "\r\n"
        "\r\n\r\n" GET "\r\n",
    1, false },
  { "GET /a HTTP/1.0\r\n\r\n" GET "\r\n", 2, true },
  { "POST / HTTP/1.1\r\n" HOST "content-length: 00005\r\n\r\nGET /" GET "\r\n", 2, true },
  { "POST / HTTP/1.1\r\n" HOST "Content-Length:\t 0\r\n\r\n" GET "\r\n", 2, true },
  { "POST / HTTP/1.1\r\n" HOST
    "Transfer-Encoding: CHUNKED\r\n\r\n5;a;b=c;d=\"e;f\"\r\nGET /\r\n0001\r\n!\r\n0\r\nX: y\r\n\r\n" GET "\r\n",
    2, true },
  { GET "X-A: a\r\n b\r\n\tc\r\n\r\n" GET "\r\n", 2, true },
  { GET "X-A:\r\nX-B:    \r\n\r\n" GET "\r\n", 2, true },
  { "OPTIONS * HTTP/1.1\r\n" HOST "\r\n", 1, true },
  { GET "\r\nPOST / HTTP/1.1\r\n" HOST "Content-Length: 1x\r\n\r\n" GET "\r\n", 1, false },
  { "POST / HTTP/1.1\r\n" HOST "Content-Length: 8\r\n\r\nGET " GET "\r\n", 1, false },
  { "POST / HTTP/1.1\r\n" HOST "Transfer-Encoding: chunked\r\n\r\n1\r\n!!\r\n0\r\n\r\n", 1, false },
};
enum { SAMPLES = sizeof samples / sizeof *samples };

/* Bytes come `piece` at a time; those that are not passed come again. */
static void check(size_t sample, size_t piece)
{
  struct framing f = { 0 };
  char text[512];
  const size_t length = (size_t)snprintf(text, sizeof text, "%s", samples[sample].text);
  cr_assert_lt(length, sizeof text);
  size_t passed = 0;
  for (size_t come = 0; come < length;) {
    come = come + piece < length ? come + piece : length;
    passed += framing_read(&f, text + passed, come - passed);
  }
  cr_expect_eq(f.passed, samples[sample].requests, "sample %zu, pieces of %zu: %u", sample, piece, f.passed);
  cr_expect_eq(f.state == AT_HEAD && passed == length, samples[sample].sound, "sample %zu, pieces of %zu", sample,
               piece);
  cr_expect_eq(f.state == AT_FAULT, !samples[sample].sound, "sample %zu, pieces of %zu", sample, piece);
}

Test(framing, pieces)
{
  for (size_t i = 0; i < SAMPLES; i++)
    for (size_t piece = 1; piece < 200; piece++) check(i, piece);
}

Test(framing, a_body_is_passed_as_it_comes)
{
  struct framing f = { 0 };
  char head[] = "POST / HTTP/1.1\r\n" HOST "Content-Length: 999999999999999999\r\n\r\n", get[] = GET;
  cr_expect_eq(framing_read(&f, head, sizeof head - 1), sizeof head - 1);
  cr_expect_eq(framing_read(&f, get, sizeof GET - 1), sizeof GET - 1);
  cr_expect_eq(f.left, UINT64_C(999999999999999999) - (sizeof GET - 1));
  cr_expect_eq(f.passed, 1);
}

/* In whatever pieces they come, whoever reads behind sees one line. */
Test(framing, what_goes_on_in_a_further_line_becomes_one)
{
  static const char folded[] = GET "X-A: a\r\n b\r\n\tc\r\n\r\n", one_line[] = GET "X-A: a   b  \tc\r\n\r\n";
  for (size_t piece = 1; piece < sizeof folded; piece++) {
    struct framing f = { 0 };
    char text[sizeof folded];
    memcpy(text, folded, sizeof folded);
    size_t passed = 0;
    for (size_t come = piece; !passed; come += piece)
      passed = framing_read(&f, text, come < sizeof folded ? come : sizeof folded - 1);
    cr_expect_eq(passed, sizeof folded - 1);
    cr_expect_str_eq(text, one_line);
  }
}

/* libmicrohttpd 0.9 reads extensions of chunks, 1.0 refuses them: none of them sees any. */
Test(framing, extensions_of_chunks_become_zeros)
{
  static const char asked[] =
      "POST / HTTP/1.1\r\n" HOST "Transfer-Encoding: chunked\r\n\r\n5;a;b=\"c\"\r\nGET /\r\n0;d\r\n\r\n",
                    seen[] = "POST / HTTP/1.1\r\n" HOST
                             "Transfer-Encoding: chunked\r\n\r\n000000005\r\nGET /\r\n000\r\n\r\n";
  struct framing f = { 0 };
  char text[sizeof asked];
  memcpy(text, asked, sizeof asked);
  cr_expect_eq(framing_read(&f, text, sizeof text - 1), sizeof text - 1);
  cr_expect_str_eq(text, seen);
}

/* Its end is looked at, too, before it is a blank. */
Test(framing, a_further_line_hides_no_bare_line_feed)
{
  struct framing f = { 0 };
  char text[] = GET "X-A: a\n b\r\n\r\n";
  cr_expect_eq(framing_read(&f, text, sizeof text - 1), 0);
  cr_expect_eq(f.state, AT_FAULT);
}
