#include "api/wire/faults.h"

#include <stdio.h>
#include <string.h>

static const char *const codes[] = {
#define X(name, text) text,
  FAULT_CODE_LIST(X)
#undef X
};

const char *fault_code_text(enum fault_code code)
{
  return (unsigned)code < FAULT_CODE_COUNT ? codes[code] : "invalid";
}

/* The next free place, or NULL when the list is full or nobody wants it. Everything is counted. */
static struct fault *next_fault(struct faults *faults)
{
  if (!faults) return NULL;
  size_t index = faults->count++;
  return index < LIMIT_FAULTS ? &faults->items[index] : NULL;
}

void fault_add(struct faults *faults, enum fault_place place, const char *where, enum fault_code code,
               const char *format, ...)
{
  struct fault *fault = next_fault(faults);
  if (!fault) return;
  *fault = (struct fault){ .place = place, .code = code };
  snprintf(fault->where, sizeof fault->where, "%s", where);
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(fault->detail, sizeof fault->detail, format, arguments);
  va_end(arguments);
}

void fault_add_cell(struct faults *faults, size_t row, size_t column, enum fault_code code, const char *format, ...)
{
  struct fault *fault = next_fault(faults);
  if (!fault) return;
  *fault = (struct fault){ .place = FAULT_AT_CELL, .row = row, .column = column, .code = code };
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(fault->detail, sizeof fault->detail, format, arguments);
  va_end(arguments);
}

void fault_add_node(struct faults *faults, const char *xpath, size_t line, enum fault_code code, const char *format,
                    va_list arguments)
{
  struct fault *fault = next_fault(faults);
  if (!fault) return;
  *fault = (struct fault){ .place = FAULT_AT_NODE, .line = line, .code = code };
  snprintf(fault->where, sizeof fault->where, "%s", xpath);
  vsnprintf(fault->detail, sizeof fault->detail, format, arguments);
}

void fault_add_line(struct faults *faults, const char *text, size_t length, size_t line, enum fault_code code,
                    const char *format, va_list arguments)
{
  struct fault *fault = next_fault(faults);
  if (!fault) return;
  *fault = (struct fault){ .place = FAULT_AT_LINE, .line = line, .code = code };
  if (length >= sizeof fault->where) length = sizeof fault->where - 1;
  memcpy(fault->where, text, length);
  vsnprintf(fault->detail, sizeof fault->detail, format, arguments);
}
