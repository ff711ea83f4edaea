#include "server/store/postgresql_connect.h"

#include <stdlib.h>
#include <string.h>

enum { OPTIONS = 16 };

bool postgresql_is_address(const char *address)
{
  return !strncmp(address, "postgresql:", 11) || !strncmp(address, "postgres:", 9);
}

/* What is meant unless it was said, in the address, in a variable or in a service file: of a partition is known within seconds,
 * of a server that does not answer too. */
static const struct {
  const char *keyword, *value;
  const char *standard; /* libpq's own, which nobody said */
} ours[] = {
  { "connect_timeout", "5", NULL },
  { "application_name", "armdyn", NULL },
  { "keepalives_idle", "5", NULL },
  { "keepalives_interval", "2", NULL },
  { "keepalives_count", "3", NULL },
  { "tcp_user_timeout", "10000", NULL },
  { "target_session_attrs", "read-write", "any" },
};

static const char *value_of(const PQconninfoOption *options, const char *keyword)
{
  for (const PQconninfoOption *o = options; o && o->keyword; o++)
    if (!strcmp(o->keyword, keyword)) return o->val && *o->val ? o->val : NULL;
  return NULL;
}

/* Any host of the list that is not the folder of a socket. */
static bool is_over_network(const PQconninfoOption *said, const PQconninfoOption *defaults)
{
  const char *hosts = value_of(said, "host"), *addresses = value_of(said, "hostaddr");
  if (!hosts && !addresses) hosts = value_of(defaults, "host"), addresses = value_of(defaults, "hostaddr");
  if (addresses) return true;
  for (const char *at = hosts; at && *at; at += strcspn(at, ","), at += *at == ',')
    if (*at != '/' && *at != '@' && *at != ',') return true;
  return false;
}

/* PGSSLMODE and service files are among the defaults, whose own word is "prefer": a server without a certificate. */
static bool may_be_anybody(const PQconninfoOption *said, const PQconninfoOption *defaults)
{
  const char *mode = value_of(defaults, "sslmode");
  return !value_of(said, "sslmode") && !getenv("PGSSLMODE") && (!mode || !strcmp(mode, "prefer")) &&
         is_over_network(said, defaults);
}

struct parameters {
  const char *keywords[OPTIONS], *values[OPTIONS];
  size_t count;
};

static void put(struct parameters *p, const char *keyword, const char *value)
{
  p->keywords[p->count] = keyword;
  p->values[p->count++] = value;
}

/* Later ones win, so what was said comes last. */
static void compose(struct parameters *p, const char *address, const PQconninfoOption *said,
                    const PQconninfoOption *defaults)
{
  for (size_t i = 0; i < sizeof ours / sizeof *ours; i++) {
    const char *meant = value_of(defaults, ours[i].keyword);
    if (!meant || (ours[i].standard && !strcmp(meant, ours[i].standard))) put(p, ours[i].keyword, ours[i].value);
  }
  put(p, "client_encoding", "UTF8");
  if (may_be_anybody(said, defaults)) put(p, "sslmode", "verify-full");
  put(p, "dbname", address);
}

static enum armdyn_status refuse(PGconn *connection, struct armdyn_error *error)
{
  char why[sizeof error->message];
  snprintf(why, sizeof why, "%s", connection ? PQerrorMessage(connection) : "no memory for a connection");
  for (char *at = why; *at; at++)
    if (*at == '\n') *at = at[1] ? ' ' : '\0';
  const bool certificate = strstr(why, "root certificate file") != NULL;
  return armdyn_refuse(error, ARMDYN_EUNAVAILABLE, "", "%.*s%s", (int)sizeof why - (certificate ? 100 : 1), why,
                       certificate ? " (sslrootcert=FILE in the address, or PGSSLROOTCERT, names the authority's)"
                                   : "");
}

static enum armdyn_status check_encoding(PGconn *connection, struct armdyn_error *error)
{
  const char *encoding = PQparameterStatus(connection, "server_encoding");
  if (encoding && !strcmp(encoding, "UTF8")) return ARMDYN_OK;
  return armdyn_refuse(error, ARMDYN_EINPUT, "", "the database %s has the encoding %s, and must have UTF8",
                       PQdb(connection), encoding ? encoding : "unknown");
}

static void ignore_notice(void *context, const char *message)
{
  (void)context, (void)message;
}

enum armdyn_status postgresql_connect(const char *address, PGconn **out, struct armdyn_error *error)
{
  char *why = NULL;
  PQconninfoOption *said = PQconninfoParse(address, &why), *defaults = NULL;
  PGconn *connection = NULL;
  enum armdyn_status status = ARMDYN_OK;
  if (!said) {
    status = armdyn_refuse(error, ARMDYN_EINPUT, "", "not an address of PostgreSQL: %s", why ? why : "no memory");
    goto out;
  }
  const char *service = value_of(said, "service");
  if (service && !getenv("PGSERVICE")) setenv("PGSERVICE", service, 1); /* so that its file is among the defaults */
  defaults = PQconndefaults();
  struct parameters p = { .count = 0 };
  compose(&p, address, said, defaults);
  connection = PQconnectdbParams(p.keywords, p.values, 1);
  if (PQstatus(connection) != CONNECTION_OK) {
    status = refuse(connection, error);
    goto out;
  }
  PQsetNoticeProcessor(connection, ignore_notice, NULL);
  if ((status = check_encoding(connection, error))) goto out;
  *out = connection;
  connection = NULL;
out:
  PQfinish(connection);
  PQconninfoFree(said);
  PQconninfoFree(defaults);
  PQfreemem(why);
  return status;
}
