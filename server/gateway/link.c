#include <errno.h>
#include <modbus/modbus.h>
#include <poll.h>
#include <sys/select.h>
#include <sys/socket.h>

#include "server/base/clock.h"
#include "server/gateway/link.h"

enum { BUSY_PAUSE_MS = 5 }; /* before a request that came at a bad time is repeated */

/* A request to be repeated as it is. */
struct request {
  enum { READ_HOLDING, READ_INPUT, READ_COILS, READ_DISCRETE, WRITE_HOLDING, WRITE_REGISTER, WRITE_COIL } kind;
  unsigned address, count;
  uint16_t *words;         /* to be filled */
  const uint16_t *written; /* to be sent */
};

/* True: answered. Else errno says why not. */
static bool ask(modbus_t *m, const struct request *r)
{
  uint8_t bits[LINK_READ_MOST];
  int address = (int)r->address, count = (int)r->count, got = -1;
  switch (r->kind) {
  case READ_HOLDING: got = modbus_read_registers(m, address, count, r->words); break;
  case READ_INPUT: got = modbus_read_input_registers(m, address, count, r->words); break;
  case READ_COILS: got = modbus_read_bits(m, address, count, bits); break;
  case READ_DISCRETE: got = modbus_read_input_bits(m, address, count, bits); break;
  case WRITE_HOLDING: got = modbus_write_registers(m, address, count, r->written); break;
  case WRITE_REGISTER: got = modbus_write_register(m, address, *r->written); break;
  case WRITE_COIL: got = modbus_write_bit(m, address, *r->written != 0); break;
  }
  bool in_bits = r->kind == READ_COILS || r->kind == READ_DISCRETE;
  for (int i = 0; in_bits && got == count && i < count; i++) r->words[i] = bits[i] != 0;
  return got == count;
}

/* Server device failure, server device busy, gateway target did not respond: whole answers, after which it may be asked
 * again. */
static bool not_now(int reason)
{
  return reason == EMBXSFAIL || reason == EMBXSBUSY || reason == EMBXGTAR;
}

static int patience_ms(const struct link *link)
{
  return link->timeout_ms > 0 ? link->timeout_ms : LINK_RESPONSE_MS;
}

/* -- several in flight -- */

static enum armdyn_status lose(struct link *link, struct armdyn_error *error, unsigned address, const char *why)
{
  armdyn_refuse(error, ARMDYN_EUNAVAILABLE, "", "at register %u: %s", address, why);
  link->figures->round_trip_failures++;
  link_close(link);
  return ARMDYN_EUNAVAILABLE;
}

/* All of it; false: errno says why not. */
static bool send_all(int socket, const uint8_t *frame, size_t length, int64_t deadline_ns)
{
  for (size_t sent = 0; sent < length;) {
    ssize_t n = send(socket, frame + sent, length - sent, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (n > 0) sent += (size_t)n;
    if (n >= 0 || errno == EINTR) continue;
    if (errno != EAGAIN && errno != EWOULDBLOCK) return false;
    struct pollfd full = { .fd = socket, .events = POLLOUT };
    int64_t left_ms = (deadline_ns - clock_monotonic_ns()) / 1000000;
    errno = ETIMEDOUT;
    if (left_ms <= 0 || !poll(&full, 1, (int)left_ms)) return false;
  }
  return true;
}

enum armdyn_status link_send(struct link *link, enum flight_function function, unsigned address, unsigned count,
                             const uint16_t *words, struct armdyn_error *error)
{
  if (!link->modbus) return armdyn_refuse(error, ARMDYN_EUNAVAILABLE, "", "there is no connection");
  uint8_t frame[FLIGHT_FRAME];
  int64_t now = clock_monotonic_ns();
  struct flying request = {
    .function = function, .address = (uint16_t)address, .count = (uint16_t)count, .asked_ns = now
  };
  size_t length = flight_take_off(&link->flight, request, link->unit, words, frame);
  if (send_all(modbus_get_socket(link->modbus), frame, length, now + patience_ms(link) * 1000000LL)) return ARMDYN_OK;
  return lose(link, error, address, strerror(errno));
}

/* Receive what is there, and with `wait` wait for it until the oldest request is overdue. 0: nothing is there; -1: errno says
 * why nothing will be. */
static int take_in(struct link *link, bool wait)
{
  const int64_t overdue_ns = link->flight.flying[0].asked_ns + patience_ms(link) * 1000000LL;
  const int socket = modbus_get_socket(link->modbus);
  for (;;) {
    int64_t left_ms = (overdue_ns - clock_monotonic_ns() + 999999) / 1000000;
    struct pollfd answer = { .fd = socket, .events = POLLIN };
    if (wait && left_ms > 0) poll(&answer, 1, (int)left_ms);
    ssize_t n = recv(socket, link->in + link->came, sizeof link->in - link->came, MSG_DONTWAIT);
    if (n > 0) link->came += (size_t)n;
    if (n > 0) return 1;
    if (n == 0) errno = ECONNRESET;
    if (n == 0 || (errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR)) return -1;
    errno = ETIMEDOUT;
    if (left_ms <= 0) return -1;
    if (!wait) return 0;
  }
}

/* Take the first answer of what came. *whole: it was there. */
static enum armdyn_status take_answer(struct link *link, bool *whole, struct landed *out, struct armdyn_error *error)
{
  size_t length = flight_frame_length(link->in, link->came);
  if (length > FLIGHT_FRAME) return armdyn_refuse(error, ARMDYN_EINPUT, "", "what came is no Modbus frame");
  *whole = length && length <= link->came;
  if (!*whole) return ARMDYN_OK;
  enum armdyn_status rc = flight_land(&link->flight, link->in, length, out, error);
  link->came -= length;
  memmove(link->in, link->in + length, link->came);
  return rc;
}

enum armdyn_status link_receive(struct link *link, bool wait, struct landed *out, struct armdyn_error *error)
{
  out->request.function = FLIGHT_NOTHING;
  if (!link->modbus) return armdyn_refuse(error, ARMDYN_EUNAVAILABLE, "", "there is no connection");
  if (!link->flight.count) return ARMDYN_OK;
  const unsigned oldest = link->flight.flying[0].address;
  struct armdyn_error why;
  for (bool whole = false;;) {
    if (take_answer(link, &whole, out, &why)) return lose(link, error, oldest, why.message);
    if (whole) break;
    int came = take_in(link, wait);
    if (came < 0) return lose(link, error, oldest, strerror(errno));
    if (came == 0) return ARMDYN_OK;
  }
  out->answered_ns = clock_monotonic_ns();
  figures_round_trip(link->figures, out->answered_ns - out->request.asked_ns);
  if (!out->exception) return ARMDYN_OK;
  link->figures->exceptions += not_now(MODBUS_ENOBASE + (int)out->exception);
  if (not_now(MODBUS_ENOBASE + (int)out->exception)) return ARMDYN_OK;
  return lose(link, error, out->request.address, modbus_strerror(MODBUS_ENOBASE + (int)out->exception));
}

/* What is in flight lands, and is dropped. libmodbus reads the socket next: nothing may have come before its answer. */
static enum armdyn_status settle(struct link *link, unsigned address, struct armdyn_error *error)
{
  enum armdyn_status rc = ARMDYN_OK;
  struct landed dropped;
  while (!rc && link->flight.count) rc = link_receive(link, true, &dropped, error);
  return !rc && link->came ? lose(link, error, address, "it answers what was not asked") : rc;
}

/* -- one at a time -- */

/* What came of a request: counted, and the connection closed when the answer was missing or bad. */
static enum armdyn_status perform(struct link *link, const struct request *r, bool patient, struct armdyn_error *error)
{
  if (!link->modbus) return armdyn_refuse(error, ARMDYN_EUNAVAILABLE, "", "there is no connection");
  if (settle(link, r->address, error)) return ARMDYN_EUNAVAILABLE;
  const struct timespec pause = { 0, BUSY_PAUSE_MS * 1000000L };
  const int64_t patience_ns = patience_ms(link) * 1000000LL;
  for (int64_t first = clock_monotonic_ns(), begun = first;; begun = clock_monotonic_ns()) {
    if (ask(link->modbus, r)) {
      figures_round_trip(link->figures, clock_monotonic_ns() - begun);
      return ARMDYN_OK;
    }
    int reason = errno;
    bool again = not_now(reason);
    if (again) link->figures->exceptions++;
    if (again && patient && begun - first < patience_ns) {
      nanosleep(&pause, NULL);
      continue;
    }
    armdyn_refuse(error, ARMDYN_EUNAVAILABLE, "", "%s at register %u: %s", r->words ? "reading" : "writing", r->address,
                  modbus_strerror(reason));
    if (again && !patient) return ARMDYN_EBUSY;
    link->figures->round_trip_failures++;
    link_close(link);
    return ARMDYN_EUNAVAILABLE;
  }
}

enum armdyn_status link_open(struct link *link, const char *host, unsigned port, unsigned unit, int timeout_ms,
                             struct armdyn_error *error)
{
  char service[8];
  snprintf(service, sizeof service, "%u", port);
  link_close(link);
  modbus_t *m = modbus_new_tcp_pi(host, service);
  if (!m) return armdyn_refuse(error, ARMDYN_EMEMORY, "", "out of memory");

  unsigned ms = timeout_ms < 1 ? 1 : (unsigned)timeout_ms;
  modbus_set_error_recovery(m, MODBUS_ERROR_RECOVERY_NONE);
  modbus_set_response_timeout(m, ms / 1000, ms % 1000 * 1000); /* of connecting too */
  modbus_set_byte_timeout(m, 0, 0); /* a whole answer within that time: byte by byte one could last for minutes */
  if (modbus_set_slave(m, (int)unit) || modbus_connect(m)) {
    armdyn_refuse(error, ARMDYN_EUNAVAILABLE, "", "cannot connect to %s port %u: %s", host, port,
                  modbus_strerror(errno));
    modbus_free(m);
    link->figures->connection_failures++;
    return ARMDYN_EUNAVAILABLE;
  }
  link->modbus = m;
  link->unit = unit;
  link->figures->connections++;
  unsigned wait_ms = (unsigned)patience_ms(link);
  modbus_set_response_timeout(m, wait_ms / 1000, wait_ms % 1000 * 1000);
  if (modbus_get_socket(m) < FD_SETSIZE) return ARMDYN_OK;
  link_close(link); /* libmodbus would write beyond its fd_set */
  return armdyn_refuse(error, ARMDYN_EUNAVAILABLE, "", "too many open files");
}

void link_close(struct link *link)
{
  if (!link->modbus) return;
  modbus_close(link->modbus);
  modbus_free(link->modbus);
  link->modbus = NULL;
  link->flight.count = 0;
  link->came = 0;
}

enum armdyn_status link_read(struct link *link, unsigned address, unsigned count, uint16_t *words,
                             struct armdyn_error *error)
{
  return perform(link, &(struct request){ READ_HOLDING, address, count, words, NULL }, true, error);
}

enum armdyn_status link_write(struct link *link, unsigned address, unsigned count, const uint16_t *words,
                              struct armdyn_error *error)
{
  return perform(link, &(struct request){ WRITE_HOLDING, address, count, NULL, words }, true, error);
}

enum armdyn_status link_write_once(struct link *link, unsigned address, unsigned count, const uint16_t *words,
                                   struct armdyn_error *error)
{
  return perform(link, &(struct request){ WRITE_HOLDING, address, count, NULL, words }, false, error);
}

enum armdyn_status link_write_one(struct link *link, unsigned address, uint16_t word, struct armdyn_error *error)
{
  return perform(link, &(struct request){ WRITE_REGISTER, address, 1, NULL, &word }, true, error);
}

void link_unit(struct link *link, unsigned unit)
{
  link->unit = unit;
  if (link->modbus) modbus_set_slave(link->modbus, (int)unit);
}

enum armdyn_status link_read_other(struct link *link, enum link_space space, unsigned address, unsigned count,
                                   uint16_t *words, struct armdyn_error *error)
{
  struct request r = { READ_INPUT, address, count, words, NULL };
  if (space != LINK_INPUT) r.kind = space == LINK_COILS ? READ_COILS : READ_DISCRETE;
  return perform(link, &r, true, error);
}

enum armdyn_status link_write_coil(struct link *link, unsigned address, bool on, struct armdyn_error *error)
{
  const uint16_t word = on;
  return perform(link, &(struct request){ WRITE_COIL, address, 1, NULL, &word }, true, error);
}
