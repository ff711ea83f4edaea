/* Reports: what is written is well-formed, shows what is there, and nothing of what others wrote becomes markup. */
#include <criterion/criterion.h>
#include <libxml/parser.h>
#include <libxml/xpath.h>
#include <math.h>
#include <stdlib.h>

#include "api/json/document.h"
#include "api/report/histogram.h"
#include "api/report/markup.h"
#include "api/report/page.h"
#include "api/report/plot.h"
#include "api/report/sentences.h"
#include "api/report/thin.h"
#include "api/report/ticks.h"
#include "api/report/tiles.h"

enum { SAMPLES = 1000000 };
static const double PI = 3.14159265358979323846;

/* The document that a parser of XML makes of it; it must have nothing to complain of. */
static xmlDoc *parsed(const struct buffer *out)
{
  cr_assert(buffer_ok(out));
  xmlDoc *document = xmlReadMemory(out->data, (int)out->length, NULL, "UTF-8", XML_PARSE_NONET | XML_PARSE_HUGE);
  cr_assert_not_null(document, "%s", out->data);
  return document;
}

static int count_of(xmlDoc *document, const char *path)
{
  xmlXPathContext *context = xmlXPathNewContext(document);
  xmlXPathObject *found = xmlXPathEvalExpression((const xmlChar *)path, context);
  cr_assert_not_null(found);
  int count = found->nodesetval ? found->nodesetval->nodeNr : 0;
  xmlXPathFreeObject(found);
  xmlXPathFreeContext(context);
  return count;
}

/* The text of an attribute or element; free() it. */
static char *text_of(xmlDoc *document, const char *path)
{
  xmlXPathContext *context = xmlXPathNewContext(document);
  char expression[256];
  snprintf(expression, sizeof expression, "string(%s)", path);
  xmlXPathObject *found = xmlXPathEvalExpression((const xmlChar *)expression, context);
  cr_assert_not_null(found);
  char *text = strdup((const char *)found->stringval);
  xmlXPathFreeObject(found);
  xmlXPathFreeContext(context);
  return text;
}

static void check_text(xmlDoc *document, const char *path, const char *expected)
{
  char *text = text_of(document, path);
  cr_expect_str_eq(text, expected, "%s: '%s', not '%s'", path, text, expected);
  free(text);
}

/* -- text -- */

Test(report, what_others_wrote_stays_text)
{
  static const struct {
    const char *written, *read;
  } texts[] = {
    { "<script>alert(1)</script>", "<script>alert(1)</script>" },
    { "</title></style>]]>&amp;\"'--><!--", "</title></style>]]>&amp;\"'--><!--" },
    { "Gelenk \xc3\xa4 \xe2\x82\xac \xf0\x9f\xa4\x96", "Gelenk \xc3\xa4 \xe2\x82\xac \xf0\x9f\xa4\x96" },
    { "a\x01z\x1b\x7f", "a\ufffdz\ufffd\ufffd" },
    { "a\xff\xc3z\xed\xa0\x80", "a\ufffd\ufffdz\ufffd\ufffd\ufffd" },
    { "a\xef\xbf\xbfz", "a\ufffdz" },
  };
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    const char *name = texts[i].written;
    const double data[] = { 0, 1 }, values[] = { 1, 2 };
    const struct plot_series series = { .name = name, .x = data, .y = data, .count = 2 };
    const struct plot_limit limit = { name, NAN, 0.5 };
    const struct plot plot = { name, { .title = name }, { .title = name }, &series, 1, &limit, 1, NULL };
    const char *const names[] = { name, name };
    const struct bar_chart chart = { name, name, 1, 2, names, names, values, true };
    struct buffer out = BUFFER(1 << 20);
    struct page_table table;
    page_begin(&out, REPORT_ENGLISH, name);
    page_section(&out, name);
    page_text(&out, "%s", name);
    page_warning(&out, "%s", name);
    page_table_begin(&table, &out, names, 1);
    page_cell_text(&table, name);
    page_table_end(&table);
    plot_write(&plot, &out);
    bar_chart_write(&chart, &out);
    page_end(&out, name);

    xmlDoc *document = parsed(&out);
    static const char *const places[] = { "title",     "h1", "h2", "p[1]", "td", "th", "footer", "p[@class='warning']",
                                          "figcaption" };
    for (size_t k = 0; k < sizeof places / sizeof *places; k++) {
      char path[96];
      snprintf(path, sizeof path, "//*[local-name()='%.*s']%s", (int)strcspn(places[k], "["), places[k],
               strchr(places[k], '[') ? strchr(places[k], '[') : "");
      check_text(document, path, texts[i].read);
    }
    check_text(document, "//*[local-name()='svg' and @role='img']/@aria-label", texts[i].read);
    cr_expect_eq(count_of(document, "//*[local-name()='script']"), 0);
    cr_expect_eq(count_of(document, "//comment()"), 0);
    cr_expect_eq(count_of(document, "//*[local-name()='li']"), 4, "series, limit, and two of the bars");
    xmlFreeDoc(document);
    buffer_release(&out);
  }
}

Test(report, long_text_is_cut_by_characters)
{
  struct buffer out = BUFFER(1000);
  markup_text_cut(&out, "\u00e4\u00f6\u00fc\u00df<", 5);
  cr_expect_str_eq(out.data, "\u00e4\u00f6\u00fc\u00df&lt;", "%s", out.data);
  buffer_clear(&out);
  markup_text_cut(&out, "\u00e4\u00f6\u00fc\u00df<>", 5);
  cr_expect_str_eq(out.data, "\u00e4\u00f6\u00fc\u00df\u2026", "%s", out.data);
  buffer_release(&out);
}

Test(report, figures_read_as_people_write_them)
{
  static const struct {
    double value;
    const char *text;
  } figures[] = {
    { 0, "0" },
    { 1.23456, "1.235" },
    { -0.001, "\u22120.001" },
    { 99870.4, "99870" },
    { 999.96, "1000" },
    { NAN, "\u2013" },
    { INFINITY, "\u221e" },
    { 1e5, "1\u00b710\u2075" },
    { -2.5e-7, "\u22122.5\u00b710\u207b\u2077" },
    { 99999.9e3, "1\u00b710\u2078" },
    { 4.9406564584124654e-324, "4.941\u00b710\u207b\u00b3\u00b2\u2074" },
  };
  char text[MARKUP_FIGURE];
  for (size_t i = 0; i < sizeof figures / sizeof *figures; i++)
    cr_expect_str_eq(markup_figure(figures[i].value, text), figures[i].text, "%s, not %s", text, figures[i].text);
}

/* -- ticks -- */

/* What a label says: digits with a point, a true minus, "·10" with raised digits. */
static double value_of_label(const char *label)
{
  double sign = 1;
  if (strncmp(label, "\u2212", 3) == 0) sign = -1, label += 3;
  char *rest;
  double value = strtod(label, &rest);
  if (strncmp(rest, "\u00b7", 2) == 0) {
    cr_assert_eq(strncmp(rest + 2, "10", 2), 0);
    value *= 10, rest += 4;
  }
  if (!*rest) return sign * value;
  static const char *const raised[] = { "\u2070", "\u00b9", "\u00b2", "\u00b3", "\u2074",
                                        "\u2075", "\u2076", "\u2077", "\u2078", "\u2079" };
  double exponent = 0, direction = 1;
  if (strncmp(rest, "\u207b", 3) == 0) direction = -1, rest += 3;
  while (*rest) {
    int d = 0;
    while (d < 10 && strncmp(rest, raised[d], strlen(raised[d])) != 0) d++;
    cr_assert_lt(d, 10, "%s", label);
    exponent = 10 * exponent + d;
    rest += strlen(raised[d]);
  }
  return sign * value * pow(10, direction * exponent - 1); /* the ten itself was read */
}

/* Of tests/support/figures.json, which the pages' figures are held against, too. */
static const cJSON *cases_of(cJSON *document, const char *list)
{
  const cJSON *cases = document_at(document, list);
  cr_assert_gt(cJSON_GetArraySize(cases), 5, "%s", list);
  return cases;
}

static double number_at(const cJSON *of, int k)
{
  return cJSON_GetArrayItem(of, k)->valuedouble;
}

static void expect_read(const char *shown, const cJSON *of, int k)
{
  const char *read = cJSON_GetArrayItem(of, k)->valuestring;
  cr_expect_float_eq(value_of_label(shown), strtod(read, NULL), 1e-9 * fabs(strtod(read, NULL)), "%s, not %s", shown,
                     read);
}

Test(report, figures_have_the_digits_that_their_scale_or_deviation_allows)
{
  char text[1 << 13], out[MARKUP_FIGURE];
  FILE *file = fopen("tests/support/figures.json", "rb");
  cr_assert_not_null(file);
  text[fread(text, 1, sizeof text - 1, file)] = '\0';
  fclose(file);
  cJSON *document = document_open(text);
  const cJSON *of;
  cJSON_ArrayForEach (of, cases_of(document, "figures, [value, scale, what is read]"))
    expect_read(markup_figure(markup_seen(number_at(of, 0), number_at(of, 1)), out), of, 2);
  cJSON_ArrayForEach (of, cases_of(document, "estimates, [value, deviation, what is read, of the deviation]")) {
    expect_read(markup_estimate(number_at(of, 0), number_at(of, 1), out), of, 2);
    expect_read(markup_deviation(number_at(of, 1), number_at(of, 0), out), of, 3);
  }
  cJSON_ArrayForEach (of, cases_of(document, "lasting, [seconds, what is read]"))
    cr_expect_str_eq(markup_lasting(number_at(of, 0), out), cJSON_GetArrayItem(of, 1)->valuestring, "%s", out);
  document_close(document);
  cr_expect_str_eq(markup_lasting(NAN, out), "\u2013");
  cr_expect_str_eq(markup_estimate(2.232812, 0.00214, out), "2.2328");
  cr_expect_str_eq(markup_estimate(-1.2e-6, 1.2e-8, out), "\u22121.200\u00b710\u207b\u2076");
  cr_expect_str_eq(markup_estimate(-1e-9, 0.002, out), "0.0000");
  cr_expect_str_eq(markup_estimate(1, NAN, out), "1");
  cr_expect_str_eq(markup_deviation(0.1996, 3.97, out), "0.20");
  cr_expect_str_eq(markup_deviation(NAN, 1, out), "\u2013");
}

Test(report, ticks_are_nice_and_say_where_they_are)
{
  static const double ranges[][2] = {
    { 0, 1 },        { -0.3, 0.7 },     { 0, 0.6 },          { -97.6, 97.6 },       { 1e-12, 3e-12 },
    { 0, 31536000 }, { 1e9, 1e9 + 1 },  { -1e-300, 1e-300 }, { -1.7e308, 1.7e308 }, { 123.456, 123.457 },
    { -5, -4.99 },   { 0, 9.99999999 }, { 99999, 100001 },
  };
  for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++)
    for (size_t about = 3; about <= 10; about++) {
      double from = ranges[i][0], to = ranges[i][1], step = ticks_step(from, to, about);
      struct ticks t;
      ticks_linear(from, to, about, &t);
      cr_assert(t.count >= 2 && t.count <= 2 * about, "%zu ticks on [%g, %g]", t.count, from, to);
      double mantissa = step / pow(10, floor(log10(step) + 1e-9));
      cr_expect(fabs(mantissa - 1) < 1e-6 || fabs(mantissa - 2) < 1e-6 || fabs(mantissa - 5) < 1e-6, "step %g", step);
      for (size_t k = 0; k < t.count; k++) {
        cr_expect(t.at[k] >= from - step * 1e-6 && t.at[k] <= to + step * 1e-6);
        if (k) cr_expect(fabs(t.at[k] / step - t.at[k - 1] / step - 1) < 1e-5);
        cr_expect(fabs(value_of_label(t.label[k]) / step - t.at[k] / step) < 1e-3, "'%s' stands at %.17g", t.label[k],
                  t.at[k]);
      }
    }
}

Test(report, logarithmic_ticks_are_powers_of_ten)
{
  static const double ranges[][2] = { { 1, 1000 }, { 0.02, 70 }, { 1e-9, 1e9 }, { 1e-300, 1e300 }, { 3, 5 } };
  for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++) {
    struct ticks t;
    ticks_logarithmic(ranges[i][0], ranges[i][1], 6, &t);
    cr_assert(t.count >= 2 && t.count <= TICKS_MAX, "%zu", t.count);
    for (size_t k = 0; k < t.count; k++) {
      cr_expect(t.at[k] >= ranges[i][0] * 0.999 && t.at[k] <= ranges[i][1] * 1.001);
      cr_expect(fabs(value_of_label(t.label[k]) / t.at[k] - 1) < 1e-9, "'%s' at %g", t.label[k], t.at[k]);
    }
  }
}

/* -- long lines -- */

static double *long_line(bool ascending)
{
  double *data = malloc(2 * SAMPLES * sizeof *data);
  cr_assert_not_null(data);
  for (size_t i = 0; i < SAMPLES; i++) {
    double t = (double)i / SAMPLES;
    data[2 * i] = ascending ? t : cos(40 * t);
    data[2 * i + 1] = sin(2 * PI * 50 * t) + 0.1 * sin(1e5 * t);
  }
  return data;
}

Test(report, thinning_keeps_extremes_and_order)
{
  enum { BINS = 300 };
  for (int ascending = 0; ascending < 2; ascending++) {
    double *data = long_line(ascending);
    const size_t high = 333333, low = 777777, gap = 500000;
    data[2 * high + 1] = 7, data[2 * low + 1] = -8, data[2 * gap + 1] = NAN;
    const struct thin_points points = { data, data + 1, SAMPLES, 2, 2, false };
    size_t *chosen = malloc(thin_room(SAMPLES, BINS) * sizeof *chosen), count = thin(&points, BINS, chosen);
    cr_assert(count <= thin_room(SAMPLES, BINS) && count > BINS);
    cr_expect(chosen[0] == 0 && chosen[count - 1] == SAMPLES - 1, "the ends are kept");
    bool seen[3] = { false };
    for (size_t k = 0; k < count; k++) {
      if (k) cr_assert_gt(chosen[k], chosen[k - 1]);
      seen[0] |= chosen[k] == high, seen[1] |= chosen[k] == low, seen[2] |= chosen[k] == gap;
    }
    cr_expect(seen[0] && seen[1] && seen[2], "a spike of one sample and a gap of one are kept");
    free(chosen);
    free(data);
  }
}

Test(report, a_million_samples_fit_into_100_kB)
{
  double *data = long_line(true), *cloud = long_line(false);
  struct plot_series series[6] = { { .name = "j1" } };
  for (size_t i = 0; i < 6; i++)
    series[i] = (struct plot_series){ "joint", PLOT_LINE, data, data + 1, SAMPLES, 2, 2, 0 };
  struct plot plot = { .title = "torque", .series = series, .series_count = 6 };
  struct buffer out = BUFFER(1 << 20);
  plot_write(&plot, &out);
  cr_expect_lt(out.length, 100000);
  xmlFreeDoc(parsed(&out));
  buffer_clear(&out);

  for (size_t i = 0; i < SAMPLES; i++) cloud[2 * i] = (double)(i * 7919 % SAMPLES), cloud[2 * i + 1] = (double)i;
  series[0] = (struct plot_series){ "cloud", PLOT_POINTS, cloud, cloud + 1, SAMPLES, 2, 2, 0 };
  plot.series_count = 1;
  plot_write(&plot, &out);
  cr_expect_lt(out.length, 100000);
  xmlFreeDoc(parsed(&out));
  buffer_release(&out);
  free(data);
  free(cloud);
}

/* -- what is where -- */

Test(report, lines_run_where_their_values_are)
{
  const double x[] = { 0, 1, 2, 3, 4 }, y[] = { 0, 1, NAN, 0.5, 0 };
  const struct plot_series series = { .name = "s", .x = x, .y = y, .count = 5 };
  const struct plot plot = { .title = "t",
                             .x = { .fixed = true, .from = 0, .to = 4 },
                             .y = { .fixed = true, .from = 0, .to = 1 },
                             .series = &series,
                             .series_count = 1 };
  struct buffer out = BUFFER(1 << 20);
  plot_write(&plot, &out);
  xmlDoc *document = parsed(&out);
  /* a frame from (76, 254) to (706, 10): quarters of 157.5, half the height 122 */
  check_text(document, "//svg/svg/path/@d", "M76 254l157.5-244M548.5 132l157.5 122");
  xmlFreeDoc(document);
  buffer_release(&out);
}

Test(report, logarithmic_axes_leave_out_what_they_cannot_show)
{
  const double x[] = { 1, 10, 100, 1000 }, y[] = { 1e-3, 0, -1, 1e3 };
  const struct plot_series series = { .name = "s", .x = x, .y = y, .count = 4 };
  const struct plot plot = { .title = "t",
                             .x = { .logarithmic = true, .fixed = true, .from = 1, .to = 1000 },
                             .y = { .logarithmic = true, .fixed = true, .from = 1e-6, .to = 1e6 },
                             .series = &series,
                             .series_count = 1 };
  struct buffer out = BUFFER(1 << 20);
  plot_write(&plot, &out);
  xmlDoc *document = parsed(&out);
  check_text(document, "//svg/svg/path/@d", "M76 193M706 71"); /* a quarter and three of 244 from below */
  xmlFreeDoc(document);
  buffer_release(&out);
}

Test(report, limits_shade_what_is_beyond_them)
{
  const double x[] = { 0, 1 }, y[] = { -1, 1 };
  const struct plot_series series = { .name = "s", .x = x, .y = y, .count = 2 };
  const struct plot_limit limits[] = { { "both", -1, 1 }, { "above", NAN, 0 }, { "none", -INFINITY, INFINITY } };
  const struct plot plot = { .title = "t",
                             .y = { .fixed = true, .from = -2, .to = 2 },
                             .series = &series,
                             .series_count = 1,
                             .limits = limits,
                             .limit_count = 3 };
  struct buffer out = BUFFER(1 << 20);
  plot_write(&plot, &out);
  xmlDoc *document = parsed(&out);
  cr_expect_eq(count_of(document, "//svg[@role]/path[contains(@class,'beyond')]"), 3);
  check_text(document, "(//svg[@role]/path[contains(@class,'beyond')])[1]/@d", "M76 193H706V254H76Z");
  check_text(document, "(//svg[@role]/path[contains(@class,'beyond')])[2]/@d", "M76 10H706V71H76Z");
  check_text(document, "(//svg[@role]/path[contains(@class,'beyond')])[3]/@d", "M76 10H706V132H76Z");
  xmlFreeDoc(document);
  buffer_release(&out);
}

Test(report, odd_data_still_make_a_picture)
{
  static const double odd[][3] = { { 0, 0, 0 },          { 5, 5, 5 },
                                   { NAN, NAN, NAN },    { 1e308, -1e308, 0 },
                                   { INFINITY, 1, 2 },   { 1e-320, 2e-320, 3e-320 },
                                   { 1e-310, 1e308, 1 }, { 1e15, 1e15 + 1, 1e15 } };
  for (size_t i = 0; i < sizeof odd / sizeof *odd; i++)
    for (int form = 0; form < 12; form++) {
      struct plot_series series = { "s", (enum plot_kind)(form % 3), odd[i], odd[(i + 1) % 8], 3, 1, 1, 0 };
      const struct plot plot = { .title = "t",
                                 .x = { .logarithmic = form / 3 & 1 },
                                 .y = { .logarithmic = form / 6 & 1 },
                                 .series = &series,
                                 .series_count = 1 };
      struct buffer out = BUFFER(1 << 20);
      plot_write(&plot, &out);
      xmlFreeDoc(parsed(&out));
      cr_expect(!strstr(out.data, "nan") && !strstr(out.data, "inf\""), "%zu %d: %s", i, form, out.data);
      buffer_release(&out);
    }
  const struct plot empty = { .title = "t" };
  struct buffer out = BUFFER(1 << 20), small = BUFFER(20);
  plot_write(&empty, &out);
  cr_expect(strstr(out.data, "Nothing to show."));
  plot_write(&empty, &small);
  cr_expect_eq(small.failure, ARMDYN_ELIMIT);
  buffer_release(&out);
  buffer_release(&small);
}

/* -- histograms and bars -- */

static double identity(const void *context, double value)
{
  (void)context;
  return value;
}

Test(report, histograms_count_every_value_once)
{
  const double values[] = { 0, 0.1, 0.25, 0.5, 0.5, 0.99, 1, NAN, -0.1, 1.1 };
  struct histogram h;
  histogram_count(&h, 4, values, sizeof values / sizeof *values, 1, identity, NULL);
  const double counts[] = { 2, 1, 2, 2 };
  for (size_t b = 0; b < 4; b++) cr_expect(h.counts[b] == counts[b], "%zu: %g", b, h.counts[b]);
  cr_expect(h.most == 2);
  cr_expect_eq(histogram_bins(1000), 20);
}

Test(report, stacked_bars_add_up)
{
  const double values[] = { 1, 2, -1, 4, NAN, 0 };
  static const char *const categories[] = { "j1", "j2" }, *const series[] = { "copper", "friction", "returned" };
  const struct bar_chart chart = { "energy", "energy, J", 2, 3, categories, series, values, true };
  struct buffer out = BUFFER(1 << 20);
  bar_chart_write(&chart, &out);
  xmlDoc *document = parsed(&out);
  /* from -1 to 4 on 466 pixels that begin at 170: 93.2 each */
  static const double places[][2] = { { 263.2, 93.2 }, { 356.4, 186.4 }, { 170, 93.2 }, { 263.2, 372.8 }, { 636, 0 } };
  cr_assert_eq(count_of(document, "//rect"), 5, "no bar for what is not there");
  for (int i = 0; i < 5; i++) {
    char path[64];
    snprintf(path, sizeof path, "(//rect)[%d]/@x", i + 1);
    char *x = text_of(document, path);
    snprintf(path, sizeof path, "(//rect)[%d]/@width", i + 1);
    char *width = text_of(document, path);
    cr_expect(fabs(strtod(x, NULL) - places[i][0]) < 0.06 && fabs(strtod(width, NULL) - places[i][1]) < 0.06,
              "%d: %s %s", i, x, width);
    free(x);
    free(width);
  }
  check_text(document, "(//svg/text)[last()]", "4");
  xmlFreeDoc(document);
  buffer_release(&out);
}

Test(report, a_map_puts_boxes_where_they_are)
{
  /* 630 x 364 pixels from (76, 374) up to (706, 10): the left half, and the upper quarter of the right one */
  const struct tile tiles[] = { { { -1, 0 }, { 0, 4 }, 0.5 }, { { 0, 3 }, { 1, 4 }, 1.5 } };
  static const char *const places[][4] = { { "76", "10", "315", "364" }, { "391", "10", "315", "91" } };
  static const char *const ends[] = { "x", "y", "width", "height" };
  const struct tile_map map = { "zones", { "j1, rad", "j2, m" }, { -1, 0 }, { 1, 4 }, tiles, 2, "kept", "not" };
  struct buffer out = BUFFER(1 << 20);
  tile_map_write(&map, &out);
  xmlDoc *document = parsed(&out);
  cr_assert_eq(count_of(document, "//rect"), 2);
  for (int i = 0; i < 2; i++)
    for (int k = 0; k < 4; k++) {
      char path[64];
      snprintf(path, sizeof path, "(//rect)[%d]/@%s", i + 1, ends[k]);
      check_text(document, path, places[i][k]);
    }
  check_text(document, "(//rect)[2]/@class", "fill s1");
  check_text(document, "(//rect/title)[2]", "150 %");
  xmlFreeDoc(document);
  buffer_release(&out);
}

/* -- languages -- */

/* The conversions of a format by the number of their argument: "s", ".4g"; how many. */
enum { CONVERSIONS = 12 };
static int conversions_of(const char *format, char out[CONVERSIONS][16])
{
  int count = 0;
  memset(out, 0, CONVERSIONS * sizeof *out);
  for (const char *at = strchr(format, '%'); at; at = strchr(at, '%')) {
    at++;
    if (*at == '%' || *at == ' ' || *at == ']' || !*at) {
      at += *at != '\0';
      continue;
    }
    const char *dollar = at + strspn(at, "0123456789");
    const bool numbered = *dollar == '$';
    const int k = numbered ? *at - '1' : count;
    if (numbered) at = dollar + 1;
    const size_t length = strcspn(at, "sdugfx") + 1;
    cr_assert(k >= 0 && k < CONVERSIONS && length < 16, "%s", format);
    snprintf(out[k], sizeof *out, "%.*s", (int)length, at);
    count++;
  }
  return count;
}

Test(report, every_language_takes_the_same_figures)
{
  char english[CONVERSIONS][16], other[CONVERSIONS][16];
  size_t row = 0;
  for (const char *const *of; (of = report_words_row(row)); row++) {
    const char *text = of[REPORT_ENGLISH], *said = of[REPORT_CHINESE];
    cr_assert(said && *said, "%s", text);
    cr_expect_eq(conversions_of(text, english), conversions_of(said, other), "%s", text);
    for (int k = 0; k < CONVERSIONS; k++) cr_expect_str_eq(english[k], other[k], "%s: %s", text, said);
    const bool numbered = strchr(said, '$');
    for (const char *at = said; numbered && (at = strchr(at, '%')); at += 2)
      cr_expect(at[1] == '%' || (at[1] >= '1' && at[1] <= '9' && at[2] == '$'), "all or none are numbered: %s", said);
    for (size_t k = 0; k < row; k++) cr_expect_str_neq(report_words_row(k)[REPORT_ENGLISH], text, "twice");
  }
  cr_expect_gt(row, 50);
}

Test(report, sentences_that_are_kept_are_said_in_the_other_language)
{
  static const struct {
    const char *kept, *said;
  } sentences[] = {
    { "joint elbow is 3.2 rad off at 0.25 s", "关节 elbow 在 0.25 s 时偏离 3.2 rad" },
    { "plant 12", "手臂 12" },
    { "plant for tests", "plant for tests" },
    { "feedforward without model", "feedforward（无模型）" },
    { "the loop diverges", "闭环发散" },
    { "the model has no parameter j1.m, which identification 01J found", "模型没有辨识 01J 得到的参数 j1.m" },
    { "nobody has a row for this", "nobody has a row for this" },
    { "", "" },
  };
  char said[200], small[6];
  for (size_t k = 0; k < sizeof sentences / sizeof *sentences; k++) {
    report_sentence(REPORT_CHINESE, sentences[k].kept, said, sizeof said);
    cr_expect_str_eq(said, sentences[k].said, "%s: %s", sentences[k].kept, said);
    report_sentence(REPORT_ENGLISH, sentences[k].kept, said, sizeof said);
    cr_expect_str_eq(said, sentences[k].kept);
  }
  cr_expect_str_eq(report_sentence(REPORT_ENGLISH, "too long", small, sizeof small), "too l");
  enum report_language language;
  cr_expect(report_language_of("zh", &language) && language == REPORT_CHINESE);
  cr_expect(report_language_of(NULL, &language) && language == REPORT_ENGLISH);
  cr_expect(!report_language_of("ZH", &language) && !report_language_of("", &language));
}

/* As the pages say it: ui/sentences.zh.js reads the same table. */
Test(report, what_the_service_says_is_said_in_the_other_language)
{
  static const struct {
    const char *code, *english, *chinese;
  } said[] = {
    { NULL, "9 parameters, condition number 12.5.", "9 个参数，条件数 12.5。" },
    { NULL, "Every limit is kept. No limit is in force.", "满足全部限制。没有生效的限制。" },
    { NULL, "The search found nothing cheaper than the quintic, which is the answer.",
      "未找到比五次多项式代价更低的运动，故以其为结果。" },
    { NULL, "the queue is blocked: order 01A was stopped", "队列被阻止：订单 01A 已停止" },
    { NULL, "the joints' work is 3 J more than planned, 50 J of it because braking gave back 1 J instead of 2 J",
      "关节做功比计划多 3 J，其中 50 J 是因为制动回馈 1 J 而非 2 J" },
    { "clipped", "nobody has a row for 3.5 % of this, at -2 N m or 1e-05 s",
      "力矩长时间停在极值；请减小运动幅度或扩大测量范围（3.5 %、-2 N m、1e-05 s）" },
    { NULL, "", "" },
    { NULL, "j1.coulomb", "j1.coulomb" },
  };
  char out[512];
  for (size_t k = 0; k < sizeof said / sizeof *said; k++) {
    cr_expect_str_eq(report_said(REPORT_CHINESE, said[k].code, said[k].english, out, sizeof out), said[k].chinese, "%s",
                     out);
    cr_expect_str_eq(report_said(REPORT_ENGLISH, said[k].code, said[k].english, out, sizeof out), said[k].english);
  }
  cr_expect_lt(strlen(report_said(REPORT_CHINESE, NULL, said[1].english, out, 12)), 12);
}
