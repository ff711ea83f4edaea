/* LISTEN, which a session remembers: not through a pooler of transactions. What was said before a connection was lost is in
 * tables; a notice only wakes who reads them. */
#include <poll.h>

#include "server/store/sql_postgresql.h"

static enum armdyn_status listen_to(struct connection *c, const char *channel)
{
  PGresult *result = NULL;
  char text[128];
  enum armdyn_status status = postgresql_up(c);
  if (status || c->listens == c->pg) return status;
  snprintf(text, sizeof text, "LISTEN \"%.100s\"", channel);
  status = postgresql_ask(c, text, &result);
  PQclear(result);
  if (!status) c->listens = c->pg;
  return status;
}

static bool take_notices(struct connection *c)
{
  bool any = false;
  for (PGnotify *notice; (notice = PQnotifies(c->pg)); any = true) PQfreemem(notice);
  return any;
}

enum armdyn_status postgresql_await(struct sql *sql, const char *channel, int fd, int ms)
{
  struct connection *c = connection_of(sql);
  enum armdyn_status status = c->listens == c->pg && c->pg ? ARMDYN_OK : listen_to(c, channel);
  if (status) return status;
  if (take_notices(c)) return ARMDYN_OK; /* they came with an answer */
  struct pollfd those[2] = { { .fd = PQsocket(c->pg), .events = POLLIN }, { .fd = fd, .events = POLLIN } };
  if (poll(those, 2, ms) <= 0 || !those[0].revents) return ARMDYN_OK;
  if (!PQconsumeInput(c->pg)) return postgresql_lose(c, PQerrorMessage(c->pg));
  take_notices(c);
  return ARMDYN_OK;
}
