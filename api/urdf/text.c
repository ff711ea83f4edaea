#include "api/urdf/text.h"

#include "api/json/number.h"

void xml_write_escaped(struct buffer *out, const char *text)
{
  for (; *text; text++) {
    switch (*text) {
    case '&': buffer_text(out, "&amp;"); break;
    case '<': buffer_text(out, "&lt;"); break;
    case '>': buffer_text(out, "&gt;"); break;
    case '"': buffer_text(out, "&quot;"); break;
    default: buffer_append(out, text, 1);
    }
  }
}

void xml_write_comment(struct buffer *out, const char *before, const char *text)
{
  buffer_format(out, "  <!-- %s", before);
  for (char last = ' '; *text; last = *text++)
    if (!(*text == '-' && last == '-')) buffer_append(out, (unsigned char)*text < ' ' ? " " : text, 1);
  buffer_text(out, " -->\n");
}

void xml_write_numbers(struct buffer *out, const char *attribute, const double *values, size_t count)
{
  buffer_format(out, " %s=\"", attribute);
  for (size_t i = 0; i < count; i++) {
    char number[NUMBER_SIZE];
    number_print(values[i], number);
    buffer_format(out, "%s%s", i ? " " : "", number);
  }
  buffer_text(out, "\"");
}

void xml_write_number(struct buffer *out, const char *attribute, double value)
{
  xml_write_numbers(out, attribute, &value, 1);
}

void xml_write_origin(struct buffer *out, const struct armdyn_pose *pose)
{
  buffer_text(out, "    <origin");
  xml_write_numbers(out, "xyz", pose->translation, 3);
  xml_write_numbers(out, "rpy", pose->rpy, 3);
  buffer_text(out, "/>\n");
}
