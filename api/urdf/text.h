/* XML as it is written. */
#ifndef API_URDF_TEXT_H
#define API_URDF_TEXT_H

#include "api/wire/buffer.h"
#include "armdyn/shape.h"

void xml_write_escaped(struct buffer *out, const char *text);
/* A line of comment: "--" would end it, control characters are not allowed in XML. */
void xml_write_comment(struct buffer *out, const char *before, const char *text);
/* attribute="1 2 3", after a space. */
void xml_write_numbers(struct buffer *out, const char *attribute, const double *values, size_t count);
void xml_write_number(struct buffer *out, const char *attribute, double value);
/* <origin xyz rpy/>, on a line of its own. */
void xml_write_origin(struct buffer *out, const struct armdyn_pose *pose);

#endif
