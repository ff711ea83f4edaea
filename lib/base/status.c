#include <stdarg.h>
#include <stdio.h>

#include "armdyn/armdyn.h"

static const char *const texts[] = {
#define X(name, text) text,
  ARMDYN_STATUS_LIST(X)
#undef X
};

const char *armdyn_status_text(enum armdyn_status status)
{
  return (unsigned)status < ARMDYN_STATUS_COUNT ? texts[status] : "unknown status";
}

enum armdyn_status armdyn_refuse(struct armdyn_error *error, enum armdyn_status status, const char *pointer,
                                 const char *format, ...)
{
  struct armdyn_error told; /* what is there may be a part of what is said */
  if (!error) return status;
  snprintf(told.pointer, sizeof told.pointer, "%s", pointer);
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(told.message, sizeof told.message, format, arguments);
  va_end(arguments);
  snprintf(error->pointer, sizeof error->pointer, "%s", told.pointer);
  snprintf(error->message, sizeof error->message, "%s", told.message);
  return status;
}

const char *armdyn_version(void)
{
  return ARMDYN_VERSION;
}
