#include <math.h>

#include "api/report/axes.h"
#include "api/report/markup.h"
#include "api/report/plot.h"

enum {
  WIDTH = 720,
  LEFT = 170, /* for the names of the categories */
  RIGHT = 84, /* for the figures */
  TOP = 6,
  BOTTOM = 46,
  NAME_ROOM = 24,
  BAR = 14,
  GAP = 8
};

static double value_of(const struct bar_chart *chart, size_t category, size_t series)
{
  double value = chart->values[category * chart->series_count + series];
  return isfinite(value) ? value : 0;
}

static bool has_value(const struct bar_chart *chart, size_t category, size_t series)
{
  return isfinite(chart->values[category * chart->series_count + series]);
}

static double row_height(const struct bar_chart *chart)
{
  return GAP + BAR * (chart->stacked ? 1.0 : (double)chart->series_count);
}

/* From zero, or from below it, to the longest bar or stack. */
static struct scale range_of(const struct bar_chart *chart)
{
  struct scale scale = { .start = LEFT, .end = WIDTH - RIGHT };
  for (size_t c = 0; c < chart->category_count; c++) {
    double below = 0, above = 0;
    for (size_t s = 0; s < chart->series_count; s++) {
      double value = value_of(chart, c, s);
      if (!chart->stacked) below = above = 0;
      if (value < 0)
        below += value;
      else
        above += value;
      scale.from = fmin(scale.from, below);
      scale.to = fmax(scale.to, above);
    }
  }
  if (!(scale.from < scale.to)) scale.to = 1;
  return scale;
}

static void write_bar(struct buffer *out, const struct bar_chart *chart, const struct scale *scale, size_t series,
                      double from, double to, double y)
{
  char figure[MARKUP_FIGURE];
  double left = scale_pixel(scale, fmin(from, to)), right = scale_pixel(scale, fmax(from, to));
  buffer_format(out, "<rect class=\"fill s%zu\"", series % SERIES_COLOURS);
  axes_number(out, " x=\"", left);
  axes_number(out, "\" y=\"", y);
  axes_number(out, "\" width=\"", right - left);
  buffer_format(out, "\" height=\"%d\"><title>", BAR - 2);
  markup_text(out, chart->series[series]);
  buffer_format(out, ": %s</title></rect>\n", markup_figure(to - from, figure));
}

static void write_figure(struct buffer *out, double value, double y)
{
  char figure[MARKUP_FIGURE];
  buffer_format(out, "<text x=\"%d\" y=\"%.1f\">%s</text>\n", WIDTH - RIGHT + 8, y + BAR - 4,
                markup_figure(value, figure));
}

static void write_category(struct buffer *out, const struct bar_chart *chart, const struct scale *scale, size_t c,
                           double y)
{
  double below = 0, above = 0;
  buffer_format(out, "<text text-anchor=\"end\" x=\"%d\" y=\"%.1f\">", LEFT - 8, y + (row_height(chart) - GAP) / 2 + 4);
  markup_text_cut(out, chart->categories[c], NAME_ROOM);
  buffer_text(out, "<title>");
  markup_text(out, chart->categories[c]);
  buffer_text(out, "</title></text>\n");
  for (size_t s = 0; s < chart->series_count; s++) {
    double value = value_of(chart, c, s), *sum = value < 0 ? &below : &above;
    if (!chart->stacked) *sum = 0;
    if (has_value(chart, c, s)) write_bar(out, chart, scale, s, *sum, *sum + value, y);
    *sum += value;
    if (chart->stacked) continue;
    write_figure(out, has_value(chart, c, s) ? value : NAN, y);
    y += BAR;
  }
  if (chart->stacked) write_figure(out, above + below, y);
}

void bar_chart_write(const struct bar_chart *chart, struct buffer *out)
{
  struct scale x = range_of(chart);
  double height = TOP + BOTTOM + row_height(chart) * (double)chart->category_count;
  buffer_text(out, "<figure>\n<figcaption>");
  markup_text(out, chart->title);
  buffer_format(out, "</figcaption>\n<svg class=\"plot\" viewBox=\"0 0 %d %.0f\" role=\"img\" aria-label=\"", WIDTH,
                height);
  markup_text(out, chart->title);
  buffer_text(out, "\">\n");
  axes_across(out, &x, height - BOTTOM, TOP, chart->unit);
  for (size_t c = 0; c < chart->category_count; c++)
    write_category(out, chart, &x, c, TOP + GAP / 2.0 + row_height(chart) * (double)c);
  axes_number(out, "<path class=\"frame\" d=\"M", scale_pixel(&x, 0));
  buffer_format(out, " %dV%.0f\"/>\n</svg>\n", TOP, height - BOTTOM);
  if (chart->series_count > 1) {
    buffer_text(out, "<ul class=\"legend\">\n");
    for (size_t s = 0; s < chart->series_count; s++) legend_entry(out, "fill", s, chart->series[s]);
    buffer_text(out, "</ul>\n");
  }
  buffer_text(out, "</figure>\n");
}
