/* gzip of a request's body: wherever its pieces are cut, what comes out is the same, and never more than allowed. */
#include "server/http/coding.h"
#include "tests/fuzz/fuzz.h"

enum { MOST = 1 << 20 };

struct taken {
  size_t length;
  uint64_t hash;
};

static enum armdyn_status take(void *context, const char *bytes, size_t length, struct armdyn_error *error)
{
  (void)error;
  struct taken *t = context;
  t->length += length;
  REQUIRE(t->length <= MOST);
  for (size_t i = 0; i < length; i++) t->hash = (t->hash ^ (unsigned char)bytes[i]) * 1099511628211u;
  return ARMDYN_OK;
}

static enum armdyn_status undo(const char *bytes, size_t length, size_t piece, struct taken *taken)
{
  struct coding *coding;
  struct armdyn_error error = { "", "" };
  REQUIRE(coding_new("gzip", MOST, &coding) == ARMDYN_OK && coding);
  enum armdyn_status status = ARMDYN_OK;
  for (size_t at = 0; !status && at < length; at += piece)
    status = coding_undo(coding, bytes + at, length - at < piece ? length - at : piece, take, taken, &error);
  if (!status) status = coding_finish(coding, &error);
  REQUIRE(status == ARMDYN_OK || *error.message);
  coding_free(coding);
  return status;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  if (size < 1) return 0;
  char *bytes = copy_of(data + 1, size - 1);
  struct taken whole = { 0 }, parts = { 0 };
  const enum armdyn_status status = undo(bytes, size - 1, size, &whole);
  REQUIRE(undo(bytes, size - 1, 1 + data[0] % 32, &parts) == status);
  if (!status) REQUIRE(whole.length == parts.length && whole.hash == parts.hash);
  free(bytes);
  return 0;
}
