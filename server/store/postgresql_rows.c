/* Rows of PostgreSQL, which come in binary: numbers in the network's order. */
#include <endian.h>

#include "server/store/sql_postgresql.h"

int postgresql_columns(const struct sql_statement *statement)
{
  return PQnfields(prepared_at(statement)->result);
}

const char *postgresql_column_name(const struct sql_statement *statement, int column)
{
  return PQfname(prepared_at(statement)->result, column);
}

enum value_type postgresql_type(const struct sql_statement *statement, int column)
{
  const struct prepared *p = prepared_at(statement);
  if (PQgetisnull(p->result, p->row, column)) return VALUE_NULL;
  switch (PQftype(p->result, column)) {
  case OID_BOOL:
  case OID_INT2:
  case OID_INT4:
  case OID_INT8: return VALUE_INTEGER;
  case OID_FLOAT8: return VALUE_NUMBER;
  case OID_BYTEA: return VALUE_BLOB;
  default: return VALUE_TEXT;
  }
}

int64_t postgresql_integer(const struct sql_statement *statement, int column)
{
  const struct prepared *p = prepared_at(statement);
  const char *data = PQgetvalue(p->result, p->row, column);
  uint64_t eight;
  uint32_t four;
  uint16_t two;
  if (PQgetisnull(p->result, p->row, column)) return 0;
  switch (PQftype(p->result, column)) {
  case OID_BOOL: return *data;
  case OID_INT2: memcpy(&two, data, sizeof two); return (int16_t)be16toh(two);
  case OID_INT4: memcpy(&four, data, sizeof four); return (int32_t)be32toh(four);
  case OID_INT8: memcpy(&eight, data, sizeof eight); return (int64_t)be64toh(eight);
  case OID_FLOAT8: return (int64_t)postgresql_real(statement, column);
  default: return strtoll(data, NULL, 10);
  }
}

double postgresql_real(const struct sql_statement *statement, int column)
{
  const struct prepared *p = prepared_at(statement);
  uint64_t bits;
  double number;
  if (PQgetisnull(p->result, p->row, column)) return 0;
  const enum value_type of = postgresql_type(statement, column);
  if (of == VALUE_INTEGER) return (double)postgresql_integer(statement, column);
  if (of == VALUE_TEXT) return strtod(PQgetvalue(p->result, p->row, column), NULL);
  memcpy(&bits, PQgetvalue(p->result, p->row, column), sizeof bits);
  bits = be64toh(bits);
  memcpy(&number, &bits, sizeof number);
  return number;
}

static char *next_number(struct connection *c)
{
  return c->numbers[c->number++ % POSTGRESQL_NUMBERS];
}

const char *postgresql_text(const struct sql_statement *statement, int column)
{
  const struct prepared *p = prepared_at(statement);
  switch (postgresql_type(statement, column)) {
  case VALUE_NULL: return NULL;
  case VALUE_INTEGER: {
    char *number = next_number(p->of);
    snprintf(number, POSTGRESQL_NUMBER_SIZE, "%lld", (long long)postgresql_integer(statement, column));
    return number;
  }
  case VALUE_NUMBER: {
    char *number = next_number(p->of);
    snprintf(number, POSTGRESQL_NUMBER_SIZE, "%.17g", postgresql_real(statement, column));
    return number;
  }
  default: return PQgetvalue(p->result, p->row, column);
  }
}

const void *postgresql_blob(const struct sql_statement *statement, int column, size_t *size)
{
  const struct prepared *p = prepared_at(statement);
  *size = (size_t)PQgetlength(p->result, p->row, column);
  return PQgetvalue(p->result, p->row, column);
}
