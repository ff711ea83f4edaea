#include "api/report/axes.h"

#include <math.h>

#include "api/report/markup.h"

enum { TICKS_X = 8, TICKS_Y = 6, FAR = 10000, TITLE_ROOM = 54 };

bool scale_shows(bool logarithmic, double value)
{
  return isfinite(value) && (!logarithmic || value > 0);
}

double scale_part(const struct scale *s, double value)
{
  if (!scale_shows(s->logarithmic, value)) return NAN;
  if (s->logarithmic) return (log10(value) - log10(s->from)) / (log10(s->to) - log10(s->from));
  return (value / 2 - s->from / 2) / (s->to / 2 - s->from / 2); /* halves: the range itself may overflow */
}

double scale_pixel(const struct scale *s, double value)
{
  double pixel = s->start + scale_part(s, value) * (s->end - s->start);
  return fmin(fmax(pixel, -FAR), FAR);
}

void scale_widen(struct scale *s, double room)
{
  if (s->logarithmic) {
    double factor = s->from < s->to ? pow(s->to / s->from, room) : 2;
    if (!isfinite(factor)) return; /* from one end of the numbers to the other */
    if (s->from / factor > 0) s->from /= factor;
    if (isfinite(s->to * factor)) s->to *= factor;
    return;
  }
  double half = s->to / 2 - s->from / 2, size = fmax(fabs(s->from), fabs(s->to));
  if (half > size * 1e-12)
    half *= 2 * room;
  else /* a constant */
    half = size > 0 ? size * 0.1 : 1;
  if (isfinite(s->from - half)) s->from -= half;
  if (isfinite(s->to + half)) s->to += half;
}

/* The marks of a scale, about so many. */
static void scale_ticks(const struct scale *s, size_t about, struct ticks *ticks)
{
  if (s->logarithmic)
    ticks_logarithmic(s->from, s->to, about, ticks);
  else
    ticks_linear(s->from, s->to, about, ticks);
}

void axes_number(struct buffer *out, const char *before, double pixel)
{
  char text[32];
  size_t length = (size_t)snprintf(text, sizeof text, "%.1f", pixel + 0.0);
  if (length > 2 && text[length - 1] == '0') text[length - 2] = '\0';
  buffer_format(out, "%s%s", before, strcmp(text, "-0") == 0 ? "0" : text);
}

static void write_title(struct buffer *out, double x, double y, bool upright, const char *title)
{
  buffer_format(out, "<text class=\"axis\" text-anchor=\"middle\" x=\"%.0f\" y=\"%.0f\"", x, y);
  if (upright) buffer_format(out, " transform=\"rotate(-90 %.0f %.0f)\"", x, y);
  buffer_text(out, ">");
  markup_text_cut(out, title, upright ? TITLE_ROOM - 10 : 2 * TITLE_ROOM);
  buffer_text(out, "</text>\n");
}

void axes_across(struct buffer *out, const struct scale *x, double bottom, double top, const char *title)
{
  struct ticks ticks;
  scale_ticks(x, TICKS_X, &ticks);
  buffer_text(out, "<path class=\"grid\" d=\"");
  for (size_t i = 0; i < ticks.count; i++) {
    axes_number(out, "M", scale_pixel(x, ticks.at[i]));
    axes_number(out, " ", bottom);
    axes_number(out, "V", top);
  }
  buffer_text(out, "\"/>\n");
  for (size_t i = 0; i < ticks.count; i++) {
    axes_number(out, "<text text-anchor=\"middle\" x=\"", scale_pixel(x, ticks.at[i]));
    axes_number(out, "\" y=\"", bottom + 16);
    buffer_format(out, "\">%s</text>\n", ticks.label[i]);
  }
  write_title(out, (x->start + x->end) / 2, bottom + 36, false, title);
}

static void axes_up(struct buffer *out, const struct scale *y, double left, double right, const char *title)
{
  struct ticks ticks;
  scale_ticks(y, TICKS_Y, &ticks);
  buffer_text(out, "<path class=\"grid\" d=\"");
  for (size_t i = 0; i < ticks.count; i++) {
    axes_number(out, "M", left);
    axes_number(out, " ", scale_pixel(y, ticks.at[i]));
    axes_number(out, "H", right);
  }
  buffer_text(out, "\"/>\n");
  for (size_t i = 0; i < ticks.count; i++) {
    axes_number(out, "<text text-anchor=\"end\" x=\"", left - 6);
    axes_number(out, "\" y=\"", scale_pixel(y, ticks.at[i]) + 4);
    buffer_format(out, "\">%s</text>\n", ticks.label[i]);
  }
  write_title(out, 14, (y->start + y->end) / 2, true, title);
}

void axes_write(struct buffer *out, const struct scale *x, const struct scale *y, const char *x_title,
                const char *y_title)
{
  axes_across(out, x, y->start, y->end, x_title);
  axes_up(out, y, x->start, x->end, y_title);
}

void legend_entry(struct buffer *out, const char *form, size_t series, const char *name)
{
  bool filled = strcmp(form, "fill") == 0 || strcmp(form, "beyond") == 0;
  buffer_format(out, "<li><svg class=\"key\" viewBox=\"0 0 34 12\"><path class=\"%s s%zu d%zu\" d=\"%s\"/></svg> ",
                form, series % SERIES_COLOURS, series % SERIES_DASHES,
                filled                        ? "M2 1H32V11H2Z"
                : strcmp(form, "points") == 0 ? "M17 6h0"
                                              : "M1 6H33");
  markup_text(out, name);
  buffer_text(out, "</li>\n");
}
