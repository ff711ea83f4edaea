/* SHA256SUMS and public keys: whatever they hold, every name that is taken is found again and stays in the bundle. */
#include "server/release/sums.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  struct sums sums;
  struct armdyn_error error = { "", "" };
  unsigned char key[SIGNING_KEY_SIZE];
  char *text = copy_of(data, size);
  if (sums_parse(text, size, &sums, &error) == ARMDYN_OK) {
    for (size_t i = 0; i < sums.count; i++) {
      const char *name = sums.items[i].name;
      REQUIRE(sums_find(&sums, name) == &sums.items[i]);
      REQUIRE(*name && *name != '/' && strncmp(name, "../", 3) != 0 && !strstr(name, "/../") &&
              strcmp(name, "..") != 0);
    }
  } else {
    REQUIRE(*error.message);
  }
  sums_release(&sums);
  error.message[0] = '\0';
  REQUIRE(signing_key_parse(text, size, key, &error) == ARMDYN_OK || *error.message);
  free(text);
  return 0;
}
