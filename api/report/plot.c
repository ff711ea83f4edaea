#include "api/report/plot.h"

#include <math.h>
#include <stdlib.h>

#include "api/report/axes.h"
#include "api/report/histogram.h"
#include "api/report/markup.h"
#include "api/report/thin.h"

enum {
  WIDTH = 720,
  HEIGHT = 300,
  LEFT = 76,
  RIGHT = 14,
  TOP = 10,
  BOTTOM = 46,
  POINTS_DRAWN = 6000, /* of all lines of a plot, about */
  LINE_BINS = 100,     /* and yet at least so many columns of each */
  CELL = 5,            /* pixels: of many dots, one in a cell is drawn */
  CELLS_X = WIDTH / CELL + 1,
  CELLS_Y = HEIGHT / CELL + 1
};

/* One plot while it is written. */
struct drawing {
  const struct plot *plot;
  struct buffer *out;
  struct scale x, y;
  struct histogram *histograms; /* of the series that are any; NULL = there are none */
};

static size_t step_of(size_t step)
{
  return step ? step : 1;
}

/* -- how far the axes go -- */

static void take(struct scale *s, double value)
{
  if (isnan(s->from) || value < s->from) s->from = value;
  if (isnan(s->to) || value > s->to) s->to = value;
}

static void take_series(struct drawing *d, const struct plot_series *s)
{
  for (size_t i = 0; i < s->count; i++) {
    double x = s->x[i * step_of(s->x_step)];
    if (!scale_shows(d->x.logarithmic, x)) continue;
    if (s->kind == PLOT_HISTOGRAM) {
      take(&d->x, x);
      continue;
    }
    double y = s->y[i * step_of(s->y_step)];
    if (!scale_shows(d->y.logarithmic, y)) continue;
    take(&d->x, x);
    take(&d->y, y);
  }
}

/* A limit is shown where that does not squeeze the data into a third of the picture. */
static void take_limits(struct drawing *d)
{
  struct scale data = d->y;
  if (isnan(data.from)) return;
  double span = fmax(data.to - data.from, fmax(fabs(data.from), fabs(data.to)) * 0.1);
  for (size_t i = 0; i < d->plot->limit_count; i++) {
    const double ends[2] = { d->plot->limits[i].lower, d->plot->limits[i].upper };
    for (size_t e = 0; e < 2; e++)
      if (scale_shows(d->y.logarithmic, ends[e]) && ends[e] > data.from - span && ends[e] < data.to + span)
        take(&d->y, ends[e]);
  }
}

static double part_of(const void *context, double value)
{
  return scale_part(context, value);
}

/* Counting needs the range of x, and tells that of y. */
static bool count_histograms(struct drawing *d)
{
  const struct plot *plot = d->plot;
  for (size_t i = 0; i < plot->series_count; i++) {
    const struct plot_series *s = &plot->series[i];
    if (s->kind != PLOT_HISTOGRAM) continue;
    if (!d->histograms) d->histograms = calloc(plot->series_count, sizeof *d->histograms);
    if (!d->histograms) return false;
    size_t bins = s->bins ? s->bins : histogram_bins(s->count);
    histogram_count(&d->histograms[i], bins < HISTOGRAM_BINS ? bins : HISTOGRAM_BINS, s->x, s->count,
                    step_of(s->x_step), part_of, &d->x);
    take(&d->y, d->y.logarithmic ? 0.5 : 0);
    if (d->histograms[i].most > 0) take(&d->y, d->histograms[i].most);
  }
  return true;
}

/* false: out of memory. Without anything to show the ends of the axes stay NAN. */
static bool find_ranges(struct drawing *d)
{
  const struct plot *plot = d->plot;
  d->x = (struct scale){ plot->x.logarithmic, NAN, NAN, LEFT, WIDTH - RIGHT };
  d->y = (struct scale){ plot->y.logarithmic, NAN, NAN, HEIGHT - BOTTOM, TOP };
  for (size_t i = 0; i < plot->series_count; i++) take_series(d, &plot->series[i]);
  if (plot->x.fixed)
    d->x.from = plot->x.from, d->x.to = plot->x.to;
  else if (!isnan(d->x.from) && !(d->x.from < d->x.to))
    scale_widen(&d->x, 0);
  if (!count_histograms(d)) return false;
  if (plot->y.fixed) {
    d->y.from = plot->y.from, d->y.to = plot->y.to;
  } else if (!isnan(d->y.from)) {
    bool from_zero = d->histograms && d->y.from >= 0 && !d->y.logarithmic;
    take_limits(d);
    scale_widen(&d->y, 0.04);
    if (from_zero) d->y.from = 0;
  }
  return true;
}

/* -- series -- */

/* Coordinates relative to the point before, in tenths of a pixel: whole numbers, so that nothing drifts. */
struct pen {
  struct buffer *out;
  long x, y;
  bool down;
};

static void write_tenths(struct buffer *out, long tenths, bool separate)
{
  long size = labs(tenths);
  const char *sign = tenths < 0 ? "-" : separate ? " " : "";
  if (size % 10 == 0)
    buffer_format(out, "%s%ld", sign, size / 10);
  else if (size < 10)
    buffer_format(out, "%s.%ld", sign, size);
  else
    buffer_format(out, "%s%ld.%ld", sign, size / 10, size % 10);
}

static void pen_to(struct pen *pen, double x, double y)
{
  long to_x = lround(10 * x), to_y = lround(10 * y);
  if (pen->down && to_x == pen->x && to_y == pen->y) return;
  buffer_text(pen->out, pen->down ? "l" : "M");
  write_tenths(pen->out, pen->down ? to_x - pen->x : to_x, false);
  write_tenths(pen->out, pen->down ? to_y - pen->y : to_y, true);
  pen->x = to_x, pen->y = to_y, pen->down = true;
}

static bool pixel_of(const struct drawing *d, const struct plot_series *s, size_t i, double *x, double *y)
{
  double value_x = s->x[i * step_of(s->x_step)], value_y = s->y[i * step_of(s->y_step)];
  if (!scale_shows(d->x.logarithmic, value_x) || !scale_shows(d->y.logarithmic, value_y)) return false;
  *x = scale_pixel(&d->x, value_x);
  *y = scale_pixel(&d->y, value_y);
  return true;
}

static void begin_path(struct drawing *d, const char *form, size_t index)
{
  buffer_format(d->out, "<path class=\"%s s%zu d%zu\" d=\"", form, index % SERIES_COLOURS, index % SERIES_DASHES);
}

static void write_line(struct drawing *d, const struct plot_series *s, size_t index)
{
  size_t bins = POINTS_DRAWN / 4 / d->plot->series_count;
  if (bins < LINE_BINS) bins = LINE_BINS;
  if (bins > (WIDTH - LEFT - RIGHT) / 2) bins = (WIDTH - LEFT - RIGHT) / 2;
  size_t *chosen = malloc((thin_room(s->count, bins) + 1) * sizeof *chosen);
  if (!chosen) {
    d->out->failure = ARMDYN_EMEMORY;
    return;
  }
  const struct thin_points points = { s->x, s->y, s->count, step_of(s->x_step), step_of(s->y_step), d->x.logarithmic };
  size_t count = thin(&points, bins, chosen);
  struct pen pen = { .out = d->out };
  begin_path(d, "line", index);
  for (size_t k = 0; k < count; k++) {
    double x, y;
    if (pixel_of(d, s, chosen[k], &x, &y))
      pen_to(&pen, x, y);
    else
      pen.down = false;
  }
  buffer_text(d->out, "\"/>\n");
  free(chosen);
}

/* Dots are lines without length, with round ends. Many of them cover each other. */
static void write_points(struct drawing *d, const struct plot_series *s, size_t index)
{
  bool all = s->count <= POINTS_DRAWN / d->plot->series_count;
  bool taken[CELLS_Y][CELLS_X] = { 0 };
  begin_path(d, "points", index);
  for (size_t i = 0; i < s->count; i++) {
    double x, y;
    if (!pixel_of(d, s, i, &x, &y) || x < 0 || x >= WIDTH || y < 0 || y >= HEIGHT) continue;
    bool *cell = &taken[(size_t)y / CELL][(size_t)x / CELL];
    if (*cell && !all) continue;
    *cell = true;
    struct pen pen = { .out = d->out };
    pen_to(&pen, x, y);
    buffer_text(d->out, "h0");
  }
  buffer_text(d->out, "\"/>\n");
}

static void write_histogram(struct drawing *d, const struct histogram *h, size_t index)
{
  struct pen pen = { .out = d->out };
  double floor_pixel = d->y.start;
  begin_path(d, "steps", index);
  pen_to(&pen, d->x.start, floor_pixel);
  for (size_t b = 0; b < h->bins; b++) {
    double left = d->x.start + (d->x.end - d->x.start) * (double)b / (double)h->bins;
    double right = d->x.start + (d->x.end - d->x.start) * (double)(b + 1) / (double)h->bins;
    double top = h->counts[b] > 0 ? scale_pixel(&d->y, h->counts[b]) : floor_pixel;
    pen_to(&pen, left, top);
    pen_to(&pen, right, top);
  }
  pen_to(&pen, d->x.end, floor_pixel);
  buffer_text(d->out, "\"/>\n");
}

static void write_series(struct drawing *d)
{
  for (size_t i = 0; i < d->plot->series_count; i++) switch (d->plot->series[i].kind) {
    case PLOT_LINE: write_line(d, &d->plot->series[i], i); break;
    case PLOT_POINTS: write_points(d, &d->plot->series[i], i); break;
    case PLOT_HISTOGRAM:
      if (d->histograms) write_histogram(d, &d->histograms[i], i);
      break;
    }
}

/* -- limits -- */

static void shade(struct drawing *d, size_t index, double from, double to)
{
  double top = fmax(fmin(from, to), TOP), bottom = fmin(fmax(from, to), HEIGHT - BOTTOM);
  if (!(bottom > top)) return;
  buffer_format(d->out, "<path class=\"beyond s%zu\" d=\"M%d ", index % SERIES_COLOURS, LEFT);
  axes_number(d->out, "", top);
  buffer_format(d->out, "H%d", WIDTH - RIGHT);
  axes_number(d->out, "V", bottom);
  buffer_format(d->out, "H%dZ\"/>\n", LEFT);
}

static void write_limits(struct drawing *d)
{
  for (size_t i = 0; i < d->plot->limit_count; i++) {
    const struct plot_limit *limit = &d->plot->limits[i];
    if (scale_shows(d->y.logarithmic, limit->lower)) shade(d, i, scale_pixel(&d->y, limit->lower), d->y.start);
    if (scale_shows(d->y.logarithmic, limit->upper)) shade(d, i, scale_pixel(&d->y, limit->upper), d->y.end);
  }
}

/* -- the whole -- */

static void write_legend(const struct plot *plot, struct buffer *out)
{
  static const char *const forms[] = { [PLOT_LINE] = "line", [PLOT_POINTS] = "points", [PLOT_HISTOGRAM] = "fill" };
  buffer_text(out, "<ul class=\"legend\">\n");
  for (size_t i = 0; i < plot->series_count; i++)
    legend_entry(out, forms[plot->series[i].kind], i, plot->series[i].name);
  for (size_t i = 0; i < plot->limit_count; i++) legend_entry(out, "beyond", i, plot->limits[i].name);
  buffer_text(out, "</ul>\n");
}

static void write_picture(struct drawing *d)
{
  if (!(d->x.from < d->x.to) || !(d->y.from < d->y.to)) {
    buffer_text(d->out, "<p class=\"nothing\">");
    markup_text(d->out, d->plot->nothing ? d->plot->nothing : "Nothing to show.");
    buffer_text(d->out, "</p>\n");
    return;
  }
  buffer_format(d->out, "<svg class=\"plot\" viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"", WIDTH, HEIGHT);
  markup_text(d->out, d->plot->title);
  buffer_text(d->out, "\">\n");
  write_limits(d);
  axes_write(d->out, &d->x, &d->y, d->plot->x.title, d->plot->y.title);
  /* an SVG of its own cuts off at its edges, without names that would have to be unique on the page */
  buffer_format(d->out, "<svg x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" viewBox=\"%d %d %d %d\">\n", LEFT, TOP,
                WIDTH - LEFT - RIGHT, HEIGHT - TOP - BOTTOM, LEFT, TOP, WIDTH - LEFT - RIGHT, HEIGHT - TOP - BOTTOM);
  write_series(d);
  buffer_format(d->out, "</svg>\n<path class=\"frame\" d=\"M%d %dV%dH%d\"/>\n</svg>\n", LEFT, TOP, HEIGHT - BOTTOM,
                WIDTH - RIGHT);
  write_legend(d->plot, d->out);
}

void plot_write(const struct plot *plot, struct buffer *out)
{
  struct drawing d = { .plot = plot, .out = out };
  buffer_text(out, "<figure>\n<figcaption>");
  markup_text(out, plot->title);
  buffer_text(out, "</figcaption>\n");
  if (find_ranges(&d))
    write_picture(&d);
  else
    out->failure = ARMDYN_EMEMORY;
  buffer_text(out, "</figure>\n");
  free(d.histograms);
}
