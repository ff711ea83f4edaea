#include "server/http/coding.h"

#include <stdint.h>
#include <stdlib.h>
#include <strings.h>
#include <zlib.h>

enum { PIECE = 128 << 10, GZIP_ONLY = 16 + MAX_WBITS };

struct coding {
  z_stream stream;
  size_t came_out, most;
  bool in_member; /* the end of the body would be too early */
  char piece[PIECE];
};

static bool is_gzip(const char *header)
{
  return !strcasecmp(header, "gzip") || !strcasecmp(header, "x-gzip");
}

bool coding_is_known(const char *header)
{
  return !header || !strcasecmp(header, "identity") || is_gzip(header);
}

enum armdyn_status coding_new(const char *header, size_t most, struct coding **out)
{
  *out = NULL;
  if (!header || !is_gzip(header)) return ARMDYN_OK;
  struct coding *coding = malloc(sizeof *coding);
  if (!coding) return ARMDYN_EMEMORY;
  memset(coding, 0, offsetof(struct coding, piece));
  coding->most = most;
  coding->in_member = true; /* no member at all is no gzip */
  if (inflateInit2(&coding->stream, GZIP_ONLY) != Z_OK) {
    free(coding);
    return ARMDYN_EMEMORY;
  }
  *out = coding;
  return ARMDYN_OK;
}

void coding_free(struct coding *coding)
{
  if (!coding) return;
  inflateEnd(&coding->stream);
  free(coding);
}

enum armdyn_status coding_undo(struct coding *c, const char *bytes, size_t length, coding_take *take, void *context,
                               struct armdyn_error *error)
{
  enum armdyn_status status = ARMDYN_OK;
  c->stream.next_in = (unsigned char *)(uintptr_t)bytes;
  c->stream.avail_in = (uInt)length; /* a piece of a body */
  for (bool full = false; !status && (c->stream.avail_in || full);) {
    if (!c->in_member) {
      inflateReset(&c->stream);
      c->in_member = true;
    }
    c->stream.next_out = (unsigned char *)c->piece;
    c->stream.avail_out = PIECE;
    const int code = inflate(&c->stream, Z_NO_FLUSH);
    const size_t count = PIECE - c->stream.avail_out;
    full = count == PIECE;
    if (code == Z_MEM_ERROR) return ARMDYN_EMEMORY;
    if (count > c->most - c->came_out)
      return armdyn_refuse(error, ARMDYN_ELIMIT, "", "the body has more than %zu bytes when it is decompressed",
                           c->most);
    if (code != Z_OK && code != Z_STREAM_END && code != Z_BUF_ERROR)
      return armdyn_refuse(error, ARMDYN_ESYNTAX, "", "the body is no gzip: %s after %zu bytes of content",
                           c->stream.msg ? c->stream.msg : "it is damaged", c->came_out);
    c->in_member = code != Z_STREAM_END;
    if (!c->in_member) full = false;
    c->came_out += count;
    if (count) status = take(context, c->piece, count, error);
  }
  return status;
}

enum armdyn_status coding_finish(const struct coding *coding, struct armdyn_error *error)
{
  if (!coding || !coding->in_member) return ARMDYN_OK;
  return armdyn_refuse(error, ARMDYN_ESYNTAX, "", "the gzip data ends before its end");
}
