/* One Modbus TCP connection. Every call has a time-out, and any time-out or bad answer closes the connection: with libmodbus
 * one late answer would be taken for the answer to everything after it. An exception that says "not now" (4, 6, 11) is a
 * whole answer: the connection stays, and the request is repeated for as long as an answer may take. */
#ifndef SERVER_GATEWAY_LINK_H
#define SERVER_GATEWAY_LINK_H

#include <stdbool.h>
#include <stdint.h>

#include "armdyn/status.h"
#include "server/gateway/figures.h"
#include "server/gateway/flight.h"

struct link {
  void *modbus;            /* modbus_t; NULL = closed */
  struct figures *figures; /* where it counts */
  int timeout_ms;          /* for an answer; 0: LINK_RESPONSE_MS */
  unsigned unit;           /* whom requests are for */
  struct flight flight;
  size_t came; /* bytes that came, and were not taken for an answer yet */
  uint8_t in[FLIGHT_MOST * FLIGHT_FRAME];
};

enum { LINK_RESPONSE_MS = 500, LINK_WRITE_MOST = 123, LINK_READ_MOST = 125 };

/* Waits for each address of the host at most timeout_ms. EUNAVAILABLE, EMEMORY. */
enum armdyn_status link_open(struct link *link, const char *host, unsigned port, unsigned unit, int timeout_ms,
                             struct armdyn_error *error);
void link_close(struct link *link); /* no-op when closed */
static inline bool link_is_open(const struct link *link)
{
  return link->modbus != NULL;
}
/* Whom the next requests are for; another unit behind the same address. */
void link_unit(struct link *link, unsigned unit);
/* Input registers (function 4), coils (1), discrete inputs (2): a bit is a word of 0 or 1. And one coil (5). */
enum link_space { LINK_INPUT, LINK_COILS, LINK_DISCRETE };
enum armdyn_status link_read_other(struct link *link, enum link_space space, unsigned address, unsigned count,
                                   uint16_t *words, struct armdyn_error *error);
enum armdyn_status link_write_coil(struct link *link, unsigned address, bool on, struct armdyn_error *error);
/* Holding registers. EUNAVAILABLE: closed before or now; the message says what went wrong. */
enum armdyn_status link_read(struct link *link, unsigned address, unsigned count, uint16_t *words,
                             struct armdyn_error *error);
enum armdyn_status link_write(struct link *link, unsigned address, unsigned count, const uint16_t *words,
                              struct armdyn_error *error); /* function 16 */
/* The same, asked once. EBUSY: "not now"; the connection is there. */
enum armdyn_status link_write_once(struct link *link, unsigned address, unsigned count, const uint16_t *words,
                                   struct armdyn_error *error);
enum armdyn_status link_write_one(struct link *link, unsigned address, uint16_t word,
                                  struct armdyn_error *error); /* function 6 */

/* -- several requests in flight -- */

/* Those above wait for what is in flight, and drop its answers. These do not wait, and do not ask again. */

/* Put a request for holding registers on its way; fewer than FLIGHT_MOST may be in flight. EUNAVAILABLE. */
enum armdyn_status link_send(struct link *link, enum flight_function function, unsigned address, unsigned count,
                             const uint16_t *words, struct armdyn_error *error);
/* The next answer; without `wait` only one that is there. An exception in it is one that says "not now". EUNAVAILABLE: one
 * is overdue, or is no answer to what is in flight, or refuses it. */
enum armdyn_status link_receive(struct link *link, bool wait, struct landed *out, struct armdyn_error *error);

#endif
