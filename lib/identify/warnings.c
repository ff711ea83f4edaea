#include <stdarg.h>
#include <stdio.h>

#include "lib/identify/warnings.h"

static const char *const names[] = {
#define X(name, text) text,
  ARMDYN_WARNING_LIST(X)
#undef X
};

const char *armdyn_warning_name(enum armdyn_warning_code code)
{
  return (unsigned)code < ARMDYN_WARNING_COUNT ? names[code] : "unknown";
}

void warn(struct armdyn_warnings *warnings, enum armdyn_warning_code code, int joint, const char *format, ...)
{
  if (warnings->count == ARMDYN_WARNINGS_MAX) {
    warnings->dropped++;
    return;
  }
  struct armdyn_warning *warning = &warnings->list[warnings->count++];
  va_list arguments;
  *warning = (struct armdyn_warning){ .code = code, .joint = joint };
  va_start(arguments, format);
  vsnprintf(warning->detail, sizeof warning->detail, format, arguments);
  va_end(arguments);
}
