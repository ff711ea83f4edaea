#include "api/csv/text.h"

#include <string.h>

void csv_write_text(struct buffer *out, const char *text, char end)
{
  const bool formula = *text && strchr("=+-@\t\r", *text);
  buffer_text(out, formula ? "\"'" : "\"");
  for (const char *quote; (quote = strchr(text, '"')); text = quote + 1) {
    buffer_append(out, text, (size_t)(quote - text));
    buffer_text(out, "\"\"");
  }
  buffer_text(out, text);
  buffer_format(out, "\"%c", end);
}
