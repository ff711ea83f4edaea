/* Bytes of a connection: read in one piece or in many, they are the same requests up to the same fault, and nothing is
 * passed of what is incomplete. */
#include "server/http/framing.h"
#include "tests/fuzz/fuzz.h"

/* All passed bytes, and where it ended. */
static size_t read_all(struct framing *f, const char *bytes, size_t size, size_t piece)
{
  size_t passed = 0, come = 0;
  while (come < size && f->state != AT_FAULT) {
    come += piece < size - come ? piece : size - come;
    char *view = copy_of((const uint8_t *)bytes + passed, come - passed);
    const size_t n = framing_read(f, view, come - passed);
    REQUIRE(n <= come - passed);
    passed += n;
    free(view);
  }
  return passed;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  if (size < 2) return 0;
  const size_t piece = 1 + data[0];
  const char *bytes = (const char *)data + 1;
  struct framing whole = { 0 }, parts = { 0 };
  const size_t passed = read_all(&whole, bytes, size - 1, size - 1),
               passed_too = read_all(&parts, bytes, size - 1, piece);
  REQUIRE(passed == passed_too && whole.passed == parts.passed);
  REQUIRE(whole.state == parts.state || size > 4096); /* a limit may show earlier */
  REQUIRE(whole.state == AT_FAULT || whole.left == parts.left);
  REQUIRE((whole.state == AT_FAULT) == (whole.problem != 0 || whole.detail != NULL));
  for (size_t i = 0; whole.passed == 0 && i < passed; i++) REQUIRE(false); /* no head, no bytes */
  return 0;
}
