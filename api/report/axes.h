/* The frame of a plot: where values lie in the picture, its grid, and its labels. */
#ifndef API_REPORT_AXES_H
#define API_REPORT_AXES_H

#include <stdbool.h>

#include "api/report/ticks.h"
#include "api/wire/buffer.h"

/* What the style of the page tells apart: series i has colour i % SERIES_COLOURS and dash i % SERIES_DASHES, which have no
 * common divisor. */
enum { SERIES_COLOURS = 8, SERIES_DASHES = 7 };

/* From values to pixels. */
struct scale {
  bool logarithmic;
  double from, to;   /* values at both ends, from < to */
  double start, end; /* pixels there */
};

/* Where between the ends a value lies: 0 to 1 within; NAN for what a logarithmic scale cannot show. */
double scale_part(const struct scale *scale, double value);
/* In pixels; far beyond the ends cut off at ten pictures' distance. */
double scale_pixel(const struct scale *scale, double value);
/* Can this value be shown at all? */
bool scale_shows(bool logarithmic, double value);

/* Ends so that both lie apart, with room of this part of the range beyond them. */
void scale_widen(struct scale *scale, double room);

/* Grid, labels of the ticks and titles of the axes, around a box that spans both scales. */
void axes_write(struct buffer *out, const struct scale *x, const struct scale *y, const char *x_title,
                const char *y_title);

/* The same of a horizontal axis alone, its lines going from `bottom` up to `top`. */
void axes_across(struct buffer *out, const struct scale *x, double bottom, double top, const char *title);

/* A coordinate with one decimal at most. */
void axes_number(struct buffer *out, const char *before, double pixel);

/* The legend's entry of a series: a sample of it, and its name.
 *   form  in  "line", "points", "fill" or "beyond" */
void legend_entry(struct buffer *out, const char *form, size_t series, const char *name);

#endif
