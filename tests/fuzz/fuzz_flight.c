/* Requests in flight: whatever a peer answers, every answer that is taken is one to a request that was in flight, once, and
 * its words are as many as were asked for; anything else ends the connection.
 *
 * The first byte says how many requests are in flight, the next one for each how many registers it is for (odd: a read);
 * what follows is what the peer sends, by libmodbus from a socket. A 0xA5 as the first byte of a frame stands for the
 * transaction number of the oldest request, so that the fuzzer gets behind it. */
#include <modbus/modbus.h>
#include <sys/socket.h>
#include <unistd.h>

#include "server/gateway/link.h"
#include "tests/fuzz/fuzz.h"

enum { SENT_MOST = 16384 };

static struct figures figures;

/* Put requests on their way; their frames come out at the peer's end. */
static void ask(struct link *link, int peer, const uint8_t *sizes, size_t count)
{
  static const uint16_t words[LINK_WRITE_MOST];
  uint8_t frame[FLIGHT_FRAME];
  for (size_t k = 0; k < count; k++) {
    bool reads = sizes[k] & 1;
    unsigned registers = 1 + sizes[k] % LINK_WRITE_MOST;
    REQUIRE(!link_send(link, reads ? FLIGHT_READ : FLIGHT_WRITE, 1000 + sizes[k], registers, words, NULL));
    ssize_t length = recv(peer, frame, sizeof frame, 0);
    REQUIRE(length == (reads ? 12 : 13 + 2 * (ssize_t)registers) && frame[4] * 256 + frame[5] == length - 6);
  }
}

static void answer(const struct link *link, int peer, const uint8_t *data, size_t size)
{
  uint8_t bytes[SENT_MOST];
  if (size > sizeof bytes) size = sizeof bytes;
  memcpy(bytes, data, size);
  for (size_t at = 0; at + 6 <= size; at += 6 + (size_t)(bytes[at + 4] << 8 | bytes[at + 5])) {
    if (bytes[at] != 0xA5 || bytes[at + 1] >= link->flight.count) continue;
    unsigned transaction = link->flight.flying[bytes[at + 1]].transaction;
    bytes[at] = (uint8_t)(transaction >> 8);
    bytes[at + 1] = (uint8_t)transaction;
  }
  REQUIRE(send(peer, bytes, size, 0) == (ssize_t)size || size == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  if (!size) return 0;
  size_t count = 1 + data[0] % FLIGHT_MOST;
  if (size < 1 + count) return 0;
  int ends[2];
  REQUIRE(!socketpair(AF_UNIX, SOCK_STREAM, 0, ends));
  modbus_t *m = modbus_new_tcp("127.0.0.1", 502);
  REQUIRE(m && !modbus_set_socket(m, ends[0]));
  struct link link = { .modbus = m, .figures = &figures, .unit = 1, .timeout_ms = 1000 };
  ask(&link, ends[1], data + 1, count);
  answer(&link, ends[1], data + 1 + count, size - 1 - count);
  REQUIRE(!shutdown(ends[1], SHUT_WR)); /* nobody waits for more */

  struct landed landed = { .answered_ns = 0 };
  size_t before = link.flight.count;
  while (link.flight.count && !link_receive(&link, true, &landed, NULL)) {
    REQUIRE(landed.request.function == FLIGHT_READ || landed.request.function == FLIGHT_WRITE);
    REQUIRE(landed.request.count >= 1 && landed.request.count <= LINK_WRITE_MOST);
    REQUIRE(!landed.exception || landed.exception == 4 || landed.exception == 6 || landed.exception == 11);
    REQUIRE(link.flight.count == --before && !flight_has(&link.flight, FLIGHT_NOTHING));
    for (unsigned k = 0; k < link.flight.count; k++)
      REQUIRE(link.flight.flying[k].transaction != landed.request.transaction);
  }
  REQUIRE(link_is_open(&link) == (before == 0));
  link_close(&link);
  close(ends[1]);
  return 0;
}
