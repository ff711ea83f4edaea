/* traceparent of callers: whatever it is, what is made of it is sound, and of the same trace when it was. */
#include "server/base/trace.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  char *caller = strndup((const char *)data, size), first[TRACE_SIZE], second[TRACE_SIZE];
  REQUIRE(caller);
  trace_make(caller, 1, 1, first);
  REQUIRE(strlen(first) == TRACE_SIZE - 1);
  trace_make(first, 1, 2, second);
  REQUIRE(!memcmp(first, second, 36) && memcmp(first + 36, second + 36, 16) != 0);
  free(caller);
  return 0;
}
