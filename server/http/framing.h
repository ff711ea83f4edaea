/* Where requests begin and end in the bytes of a connection, as RFC 9112 says and not more kindly: what two readers could
 * take for two different things is how requests are smuggled past a proxy. It looks at bytes and keeps none.
 *
 * Whole units are passed: a head, a piece of a body, the line of a chunk's size, the end of a chunk, all trailers. Of an
 * incomplete unit nothing is, so that whoever reads behind sees sound requests only. */
#ifndef SERVER_HTTP_FRAMING_H
#define SERVER_HTTP_FRAMING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "api/problem/problem.h"

enum framing_state { AT_HEAD, IN_BODY, AT_CHUNK, IN_CHUNK, AFTER_CHUNK, AT_TRAILERS, AT_FAULT };

/* All zero: a new connection. */
struct framing {
  enum framing_state state;
  enum framing_state broken_in; /* at a fault: the unit that has it */
  enum problem problem;
  const char *detail;
  uint64_t left;   /* bytes of a body or chunk that are still to come */
  unsigned passed; /* heads; whoever reads them counts down */
  size_t at;       /* of an incomplete unit: its lines are read up to here */
  struct {
    bool has_request_line, first, version_1_0, without_body, chunked, has_length;
    unsigned headers, hosts, keys;
    bool may_fold; /* the line before may go on */
    size_t line_bytes;
    uint64_t length;
  } head;
};

/* How many of these bytes are passed; the others come again at the next call, with more behind them. After a fault none.
 * Headers that go on in a further line become one line, with blanks in place of its end; extensions of chunks, of
 * which nothing is made, become zeros before the size. */
size_t framing_read(struct framing *framing, char *bytes, size_t length);

#endif
