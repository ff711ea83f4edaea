#include <errno.h>
#include <modbus/modbus.h>
#include <sys/select.h>

#include "server/base/clock.h"
#include "server/gateway/link.h"

/* What came of a request: counted, and the connection closed when the answer was missing or bad. */
static enum armdyn_status answered(struct link *link, bool done, int64_t begun_ns, struct armdyn_error *error,
                                   const char *doing, unsigned address)
{
  const char *why = modbus_strerror(errno);
  if (done) {
    figures_round_trip(link->figures, clock_monotonic_ns() - begun_ns);
    return ARMDYN_OK;
  }
  link->figures->round_trip_failures++;
  link_close(link);
  return armdyn_refuse(error, ARMDYN_EUNAVAILABLE, "", "%s at register %u: %s", doing, address, why);
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
  modbus_set_byte_timeout(m, 0, LINK_RESPONSE_MS * 1000);
  if (modbus_set_slave(m, (int)unit) || modbus_connect(m)) {
    armdyn_refuse(error, ARMDYN_EUNAVAILABLE, "", "cannot connect to %s port %u: %s", host, port,
                  modbus_strerror(errno));
    modbus_free(m);
    link->figures->connection_failures++;
    return ARMDYN_EUNAVAILABLE;
  }
  link->modbus = m;
  link->figures->connections++;
  unsigned wait_ms = link->timeout_ms > 0 ? (unsigned)link->timeout_ms : LINK_RESPONSE_MS;
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
}

static enum armdyn_status closed(struct armdyn_error *error)
{
  return armdyn_refuse(error, ARMDYN_EUNAVAILABLE, "", "there is no connection");
}

enum armdyn_status link_read(struct link *link, unsigned address, unsigned count, uint16_t *words,
                             struct armdyn_error *error)
{
  if (!link->modbus) return closed(error);
  int64_t begun = clock_monotonic_ns();
  bool done = modbus_read_registers(link->modbus, (int)address, (int)count, words) == (int)count;
  return answered(link, done, begun, error, "reading", address);
}

enum armdyn_status link_write(struct link *link, unsigned address, unsigned count, const uint16_t *words,
                              struct armdyn_error *error)
{
  if (!link->modbus) return closed(error);
  int64_t begun = clock_monotonic_ns();
  bool done = modbus_write_registers(link->modbus, (int)address, (int)count, words) == (int)count;
  return answered(link, done, begun, error, "writing", address);
}

enum armdyn_status link_write_one(struct link *link, unsigned address, uint16_t word, struct armdyn_error *error)
{
  if (!link->modbus) return closed(error);
  int64_t begun = clock_monotonic_ns();
  bool done = modbus_write_register(link->modbus, (int)address, word) == 1;
  return answered(link, done, begun, error, "writing", address);
}

void link_unit(struct link *link, unsigned unit)
{
  if (link->modbus) modbus_set_slave(link->modbus, (int)unit);
}

enum armdyn_status link_read_other(struct link *link, enum link_space space, unsigned address, unsigned count,
                                   uint16_t *words, struct armdyn_error *error)
{
  uint8_t bits[LINK_READ_MOST];
  int got = -1;
  if (!link->modbus) return closed(error);
  int64_t begun = clock_monotonic_ns();
  switch (space) {
  case LINK_INPUT: got = modbus_read_input_registers(link->modbus, (int)address, (int)count, words); break;
  case LINK_COILS: got = modbus_read_bits(link->modbus, (int)address, (int)count, bits); break;
  case LINK_DISCRETE: got = modbus_read_input_bits(link->modbus, (int)address, (int)count, bits); break;
  }
  for (unsigned i = 0; space != LINK_INPUT && got == (int)count && i < count; i++) words[i] = bits[i] != 0;
  return answered(link, got == (int)count, begun, error, "reading", address);
}

enum armdyn_status link_write_coil(struct link *link, unsigned address, bool on, struct armdyn_error *error)
{
  if (!link->modbus) return closed(error);
  int64_t begun = clock_monotonic_ns();
  bool done = modbus_write_bit(link->modbus, (int)address, on) == 1;
  return answered(link, done, begun, error, "writing", address);
}
