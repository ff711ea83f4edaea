/* Plots as inline SVG in an HTML figure: no script, no file beside it. Colours, dashes and dark mode are in the style of
 * the page (api/report/page.h), where the figure must stand. Failures stick to the buffer.
 *
 *   const struct plot_series series[] = { { .name = "j1", .x = t, .y = tau, .count = n } };
 *   const struct plot plot = { .title = "Torque", .x = { "time, s" }, .y = { "torque, N m" },
 *                              .series = series, .series_count = 1 };
 *   plot_write(&plot, &out); */
#ifndef API_REPORT_PLOT_H
#define API_REPORT_PLOT_H

#include <stdbool.h>

#include "api/wire/buffer.h"

enum plot_kind {
  PLOT_LINE,
  PLOT_POINTS,
  PLOT_HISTOGRAM /* how often x falls into each of `bins` classes between its ends; y is not used */
};

/* Data in place: point i is (x[i * x_step], y[i * y_step]). A step of 0 stands for 1. What is not finite, or not above 0
 * on a logarithmic axis, is a gap. Any number of points: what is too fine to be seen is left out, extremes are kept. */
struct plot_series {
  const char *name; /* in the legend */
  enum plot_kind kind;
  const double *x, *y;
  size_t count, x_step, y_step;
  size_t bins; /* of a histogram; 0 = as the data want */
};

/* The area that y must not enter is shaded: below `lower` and above `upper`; infinite or NAN = none. */
struct plot_limit {
  const char *name;
  double lower, upper;
};

struct plot_axis {
  const char *title; /* with the unit: "torque, N m" */
  bool logarithmic;
  bool fixed; /* from `from` to `to`; else what the series need */
  double from, to;
};

struct plot {
  const char *title;
  struct plot_axis x, y;
  const struct plot_series *series;
  size_t series_count;
  const struct plot_limit *limits;
  size_t limit_count;
  const char *nothing; /* said where there is no point; NULL: in English */
};
void plot_write(const struct plot *plot, struct buffer *out);

/* Bars for each category, one for each series beside each other, or stacked (negative ones to the other side). */
struct bar_chart {
  const char *title, *unit; /* "energy, J" */
  size_t category_count, series_count;
  const char *const *categories;
  const char *const *series; /* names; with one series there is no legend */
  const double *values;      /* category_count x series_count; NAN = none */
  bool stacked;
};
void bar_chart_write(const struct bar_chart *chart, struct buffer *out);

#endif
