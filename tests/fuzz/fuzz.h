/* What the fuzz targets of the wire formats share. */
#ifndef TESTS_FUZZ_FUZZ_H
#define TESTS_FUZZ_FUZZ_H

#include <stdint.h>

#include "api/json/reader.h"
#include "api/problem/problem.h"

#define REQUIRE(what)                                                                                                  \
  do {                                                                                                                 \
    if (!(what)) abort();                                                                                              \
  } while (0)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Exactly as long as the input, so that a read beyond it is seen. */
static inline char *copy_of(const uint8_t *data, size_t size)
{
  char *bytes = malloc(size ? size : 1);
  REQUIRE(bytes);
  if (size) memcpy(bytes, data, size);
  return bytes;
}

static inline bool is_json(const char *text, size_t length)
{
  struct json_reader r;
  json_reader_init(&r, text, length, NULL);
  json_skip(&r, NULL);
  return json_finish(&r);
}

/* A refusal has a reason, and whatever stands in it, its problem document is valid JSON. */
static inline void require_reason(enum armdyn_status status, const struct faults *faults)
{
  struct buffer out = BUFFER(MB(1));
  REQUIRE((status == ARMDYN_OK) == (faults->count == 0));
  REQUIRE(status != ARMDYN_ESYNTAX || faults->count == 1);
  if (!status) return;
  problem_write(&out, problem_of_status(status), NULL, "/v1/robots", faults, NULL);
  REQUIRE(buffer_ok(&out) && is_json(out.data, out.length));
  buffer_release(&out);
}

#endif
