/* Host, Origin and names of hosts: a name that was taken is known afterwards, with any port, and an origin is own only where
 * it stands in Host or among the names. */
#include "server/http/origin.h"
#include "tests/fuzz/fuzz.h"

static void check_names(const char *text)
{
  struct host_names names = { 0 };
  struct armdyn_error error = { "", "" };
  if (host_names_parse("--host-names", text, &names, &error)) {
    REQUIRE(*error.message);
    return;
  }
  for (size_t i = 0; i < names.count; i++) REQUIRE(host_is_known(&names, names.names[i]));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  const struct host_names none = { 0 };
  char *text = strndup((const char *)data, size);
  REQUIRE(text);
  check_names(text);
  if (strncasecmp(text, "localhost", 9) && strncmp(text, "127.0.0.1", 9) && strncmp(text, "[::1]", 5))
    REQUIRE(!host_is_known(&none, text));
  REQUIRE(!page_is_own(&none, &(struct page_origin){ .origin = text, .host = "robots.example" }) ||
          strcasestr(text, "robots.example"));
  REQUIRE(!page_is_own(&none, &(struct page_origin){ .origin = "http://evil.example", .host = text }) ||
          strcasestr(text, "evil.example"));
  free(text);
  return 0;
}
