#include <errno.h>
#include <modbus/modbus.h>
#include <sys/select.h>

#include "server/gateway/link.h"

static enum armdyn_status broken(struct link *link, struct armdyn_error *error, const char *doing, unsigned address)
{
  const char *why = modbus_strerror(errno);
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
    return ARMDYN_EUNAVAILABLE;
  }
  link->modbus = m;
  modbus_set_response_timeout(m, LINK_RESPONSE_MS / 1000, LINK_RESPONSE_MS % 1000 * 1000);
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
  link->round_trips++;
  if (modbus_read_registers(link->modbus, (int)address, (int)count, words) == (int)count) return ARMDYN_OK;
  return broken(link, error, "reading", address);
}

enum armdyn_status link_write(struct link *link, unsigned address, unsigned count, const uint16_t *words,
                              struct armdyn_error *error)
{
  if (!link->modbus) return closed(error);
  link->round_trips++;
  if (modbus_write_registers(link->modbus, (int)address, (int)count, words) == (int)count) return ARMDYN_OK;
  return broken(link, error, "writing", address);
}

enum armdyn_status link_write_one(struct link *link, unsigned address, uint16_t word, struct armdyn_error *error)
{
  if (!link->modbus) return closed(error);
  link->round_trips++;
  if (modbus_write_register(link->modbus, (int)address, word) == 1) return ARMDYN_OK;
  return broken(link, error, "writing", address);
}
