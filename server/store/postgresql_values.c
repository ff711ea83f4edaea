/* Values as they are sent: numbers in the network's order, texts as they are, of whatever type their place is. */
#include <endian.h>
#include <math.h>

#include "server/store/sql_postgresql.h"

static void put_number(struct postgresql_parameters *out, int i, Oid type, uint64_t bits)
{
  out->numbers[i] = htobe64(bits);
  out->types[i] = type;
  out->values[i] = (const char *)&out->numbers[i];
  out->lengths[i] = (int)sizeof bits;
  out->formats[i] = 1;
}

/* A whole number is sent as one, so that the index of a column of whole numbers serves; none has the sign of -0. */
static void put_real(struct postgresql_parameters *out, int i, double number)
{
  uint64_t bits;
  if (number == rint(number) && fabs(number) < 9e15 && (number != 0 || !signbit(number))) {
    put_number(out, i, OID_INT8, (uint64_t)(int64_t)number);
    return;
  }
  memcpy(&bits, &number, sizeof bits);
  put_number(out, i, OID_FLOAT8, bits);
}

static void put_value(struct postgresql_parameters *out, int i, const struct value *v)
{
  out->types[i] = 0;
  out->values[i] = NULL;
  out->lengths[i] = out->formats[i] = 0;
  switch (v->type) {
  case VALUE_NULL: return;
  case VALUE_INTEGER: put_number(out, i, OID_INT8, (uint64_t)v->integer); return;
  case VALUE_NUMBER: put_real(out, i, v->number); return;
  case VALUE_TEXT: out->values[i] = v->data; return;
  case VALUE_BLOB:
    out->types[i] = OID_BYTEA;
    out->values[i] = v->size ? v->data : "";
    out->lengths[i] = (int)v->size;
    out->formats[i] = 1;
    return;
  }
}

void postgresql_put_values(struct postgresql_parameters *out, const struct prepared *p)
{
  for (int i = 0; i < p->own.places; i++) put_value(out, i, &p->values[i]);
}
