/* Frames between processes: whatever the bytes, a frame lies within them, and cutting them elsewhere changes nothing. */
#include <stdint.h>

#include "api/limits.h"
#include "server/ipc/channel.h"

#define REQUIRE(what)                                                                                                  \
  do {                                                                                                                 \
    if (!(what)) abort();                                                                                              \
  } while (0)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  char *bytes = malloc(size ? size : 1); /* exactly as long, so that a read beyond it is seen */
  REQUIRE(bytes);
  memcpy(bytes, data, size);
  for (size_t at = 0; at <= size;) {
    struct frame frame = { 0 }, again = { 0 };
    size_t used, less;
    enum armdyn_status status = frame_parse(bytes + at, size - at, &frame, &used);
    REQUIRE(status == ARMDYN_OK || status == ARMDYN_ESYNTAX);
    if (status || !used) break;
    REQUIRE(used == FRAME_HEAD + frame.length && used <= size - at && frame.length <= LIMIT_FRAME);
    REQUIRE(frame.data == bytes + at + FRAME_HEAD);
    REQUIRE(frame_parse(bytes + at, used - 1, &again, &less) == ARMDYN_OK && less == 0);
    REQUIRE(frame_parse(bytes + at, used, &again, &less) == ARMDYN_OK && less == used && again.type == frame.type);
    at += used;
  }
  free(bytes);
  return 0;
}
