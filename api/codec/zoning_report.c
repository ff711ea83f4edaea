#include "api/codec/zoning_report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "api/codec/shown_call.h"
#include "api/json/document.h"
#include "api/limits.h"
#include "api/report/markup.h"
#include "api/report/page.h"
#include "api/report/plot.h"
#include "api/report/tiles.h"
#include "armdyn/armdyn.h"

enum { N = ARMDYN_JOINTS_MAX, CELL = 64 * N };

/* What is said of a zone. */
struct told {
  double low[N], high[N], worst, found; /* NAN: nothing is known */
  const cJSON *zone;
};

struct page {
  enum report_language language;
  cJSON *document;
  const struct armdyn_robot_description *robot;
  struct buffer *out;
  double low[N], high[N]; /* of the box */
  size_t count;
  struct told *zones; /* the worst first */
};

static const char *say(const struct page *p, const char *english) __attribute__((format_arg(2)));
static const char *say(const struct page *p, const char *english)
{
  return report_words(p->language, english);
}

static const char *text(const struct page *p, const char *path)
{
  const char *found = document_text(p->document, path);
  return found ? found : "";
}

static bool is_linear(const struct page *p)
{
  return !strcmp(text(p, "about"), "linear");
}

/* -- what is read -- */

static double badness(const struct told *zone)
{
  return isnan(zone->worst) ? INFINITY : zone->worst;
}

static int worst_first(const void *a, const void *b)
{
  const double one = badness(a), other = badness(b);
  return (one < other) - (one > other);
}

static bool read_zones(struct page *p)
{
  const cJSON *item, *list = document_at(p->document, "zones");
  document_numbers(p->document, "low", p->low, N);
  document_numbers(p->document, "high", p->high, N);
  p->zones = calloc((size_t)cJSON_GetArraySize(list) + 1, sizeof *p->zones);
  if (!p->zones) return false;
  cJSON_ArrayForEach (item, list) {
    struct told *zone = &p->zones[p->count++];
    zone->zone = item;
    zone->worst = document_number(item, "worst"), zone->found = document_number(item, "found");
    document_numbers(item, "low", zone->low, N);
    document_numbers(item, "high", zone->high, N);
  }
  if (p->count) qsort(p->zones, p->count, sizeof *p->zones, worst_first);
  return true;
}

/* -- the whole in words -- */

static const char *unit_of(const struct armdyn_joint *joint)
{
  return joint->type == ARMDYN_PRISMATIC ? "m" : "rad";
}

static void write_summary(struct page *p)
{
  const cJSON *d = p->document;
  const double left = document_number(d, "left/zones"), count = document_number(d, "zone_count");
  page_section(p->out, say(p, "Summary"));
  if (is_linear(p))
    page_text(p->out, say(p, "Robot %s, revision %.0f: linear models at rest, and gains of %s for %.4g Hz."),
              text(p, "robot"), document_number(d, "revision"), text(p, "law"), document_number(d, "bandwidth_hz"));
  else
    page_text(p->out, say(p, "Robot %s, revision %.0f: constant gains of %s for %.4g Hz, inertia within %.4g %%."),
              text(p, "robot"), document_number(d, "revision"), text(p, "law"), document_number(d, "bandwidth_hz"),
              100 * document_number(d, "request/inertia_error"));
  if (left > 0)
    page_warning(p->out,
                 say(p, "%.0f of %.0f zones, %.3g %% of the box, do not keep the bound: allow more zones, or a wider "
                        "bound."),
                 left, count, 100 * document_number(d, "left/share"));
  else
    page_text(p->out, say(p, "The bound is kept in every zone (%.0f): at all points, not at samples alone."), count);
  if (*text(p, "label")) page_text(p->out, say(p, "Label: %s"), text(p, "label"));
  if (*text(p, "notes")) page_text(p->out, say(p, "Notes: %.900s"), text(p, "notes"));
}

/* What was asked of every joint. */
static void write_box(struct page *p)
{
  static const char *const headings[] = { "joint", "from", "to", "unit", "torque off at most", "accelerations up to" };
  const size_t columns = is_linear(p) ? 6 : 4;
  const char *words[6];
  struct page_table table;
  double torque[N], acceleration[N] = { 0 };
  document_numbers(p->document, "request/torque_error", torque, N);
  document_numbers(p->document, "request/acceleration", acceleration, N);
  page_table_begin(&table, p->out, report_words_all(p->language, headings, columns, words), columns);
  for (size_t j = 0; j < p->robot->joint_count; j++) {
    page_cell_text(&table, p->robot->joints[j].name);
    page_cell_figure(&table, p->low[j]);
    page_cell_figure(&table, p->high[j]);
    page_cell_text(&table, unit_of(&p->robot->joints[j]));
    if (columns == 4) continue;
    page_cell_figure(&table, torque[j]);
    page_cell_figure(&table, acceleration[j]);
  }
  page_table_end(&table);
}

/* -- figures -- */

/* How sharp the bound is: proved and found, the worst zone first. */
static void draw_bounds(struct page *p)
{
  double *values = malloc((3 * p->count + 1) * sizeof *values);
  if (!values) {
    p->out->failure = ARMDYN_EMEMORY;
    return;
  }
  double *proved = values + p->count, *found = values + 2 * p->count;
  for (size_t k = 0; k < p->count; k++) {
    values[k] = (double)k + 1;
    proved[k] = 100 * p->zones[k].worst, found[k] = 100 * p->zones[k].found;
  }
  const struct plot_limit limit = { say(p, "beyond the bound"), -INFINITY, 100 };
  const struct plot_series series[] = {
    { .name = say(p, "proved for every point"), .kind = PLOT_POINTS, .x = values, .y = proved, .count = p->count },
    { .name = say(p, "found by looking"), .kind = PLOT_POINTS, .x = values, .y = found, .count = p->count },
  };
  plot_write(&(struct plot){ .title = say(p, "How near the zones come to the bound"),
                             .x = { .title = say(p, "zone, the worst first") },
                             .y = { .title = say(p, "part of the bound, %") },
                             .series = series,
                             .series_count = 2,
                             .limits = &limit,
                             .limit_count = 1,
                             .nothing = say(p, "Nothing to show.") },
             p->out);
  free(values);
}

/* The two joints of a map: those that are divided come first. Answers how many joints there are to show. */
static size_t joints_of_map(const struct page *p, size_t joints[N])
{
  size_t count = 0;
  for (int wide = 0; wide < 2; wide++)
    for (size_t j = 0; j < p->robot->joint_count; j++) {
      bool divided = false;
      for (size_t k = 0; k < p->count; k++) divided |= p->zones[k].low[j] > p->low[j];
      if (p->high[j] > p->low[j] && divided == !wide) joints[count++] = j;
    }
  return count;
}

/* Is the zone where the others of the joints stand as in the middle of the worst zone? */
static bool is_cut(const struct page *p, const struct told *zone, const size_t map[2])
{
  for (size_t j = 0; j < p->robot->joint_count; j++) {
    const double cut = (p->zones->low[j] + p->zones->high[j]) / 2;
    if (j != map[0] && j != map[1] && (cut < zone->low[j] || cut > zone->high[j])) return false;
  }
  return true;
}

static void draw_map(struct page *p)
{
  size_t joints[N];
  char axes[2][96];
  struct tile *tiles = calloc(p->count + 1, sizeof *tiles);
  struct tile_map map = { .title = say(p, "Map of the zones, cut through the middle of the worst"),
                          .axes = { axes[0], axes[1] },
                          .tiles = tiles,
                          .within = say(p, "keeps the bound, the darker the nearer"),
                          .beyond = say(p, "does not keep it") };
  if (!tiles) p->out->failure = ARMDYN_EMEMORY;
  if (!tiles || !p->count || joints_of_map(p, joints) < 2) {
    free(tiles);
    return;
  }
  for (size_t a = 0; a < 2; a++) {
    const struct armdyn_joint *joint = &p->robot->joints[joints[a]];
    snprintf(axes[a], sizeof *axes, "%.64s, %s", joint->name, unit_of(joint));
    map.low[a] = p->low[joints[a]], map.high[a] = p->high[joints[a]];
  }
  for (size_t k = 0; k < p->count; k++) {
    const struct told *zone = &p->zones[k];
    if (!is_cut(p, zone, joints)) continue;
    tiles[map.count++] = (struct tile){ .low = { zone->low[joints[0]], zone->low[joints[1]] },
                                        .high = { zone->high[joints[0]], zone->high[joints[1]] },
                                        .part = zone->worst };
  }
  tile_map_write(&map, p->out);
  free(tiles);
}

/* -- the zones -- */

/* "j1 -0.5 ... 0.5, j2 0 ... 1" */
static void cell_where(const struct page *p, struct page_table *table, const struct told *zone)
{
  char cell[2 * CELL] = "", from[MARKUP_FIGURE], to[MARKUP_FIGURE];
  size_t length = 0;
  for (size_t j = 0; j < p->robot->joint_count && length < sizeof cell; j++)
    length +=
        (size_t)snprintf(cell + length, sizeof cell - length, "%s%.64s %s \u2026 %s", j ? ", " : "",
                         p->robot->joints[j].name, markup_figure(zone->low[j], from), markup_figure(zone->high[j], to));
  page_cell_text(table, cell);
}

static void cell_numbers(struct page_table *table, const struct told *zone, const char *member)
{
  double values[N];
  char cell[CELL] = "", figure[MARKUP_FIGURE];
  const size_t count = document_numbers(zone->zone, member, values, N);
  size_t length = 0;
  for (size_t j = 0; j < count && length < sizeof cell; j++)
    length +=
        (size_t)snprintf(cell + length, sizeof cell - length, "%s%s", j ? ", " : "", markup_figure(values[j], figure));
  page_cell_text(table, cell);
}

static void write_zones(struct page *p)
{
  static const char *const headings[] = {
    "zone", "proved, % of the bound", "found, %", "least damping", "kp, N m/rad or N/m", "ki",
    "kd",   "torque off at most"
  };
  static const char *const members[] = { "kp", "ki", "kd", "torque_error" };
  const size_t members_told = is_linear(p) ? 4 : 3, columns = 4 + members_told;
  const char *words[8];
  struct page_table table;
  page_section(p->out, say(p, "Zones"));
  page_table_begin(&table, p->out, report_words_all(p->language, headings, columns, words), columns);
  for (size_t k = 0; k < p->count; k++) {
    const struct told *zone = &p->zones[k];
    cell_where(p, &table, zone);
    page_cell_figure(&table, 100 * zone->worst);
    page_cell_figure(&table, 100 * zone->found);
    page_cell_figure(&table, document_number(zone->zone, "damping"));
    for (size_t m = 0; m < members_told; m++) cell_numbers(&table, zone, members[m]);
  }
  page_table_end(&table);
}

static void write_calls(struct page *p)
{
  char use[160];
  cJSON *request = cJSON_Duplicate(document_at(p->document, "request"), true);
  page_section(p->out, say(p, "Using the gains"));
  page_text(p->out, say(p, "Simulations, verifications and tunings take the gains of the zone that the arm is in by:"));
  snprintf(use, sizeof use, "\"control\": {\"law\": \"%s\", \"schedule\": {\"zones\": \"%s\"}}", text(p, "law"),
           text(p, "id"));
  page_code(p->out, use);
  page_section(p->out, say(p, "To find it again"));
  page_text(p->out, say(p, "With A the address of the service (and your key, where it asks for one) this divides the "
                           "box anew, into the same zones."));
  if (request)
    shown_call_write(p->document, "zonings", request, p->out);
  else
    p->out->failure = ARMDYN_EMEMORY;
  cJSON_Delete(request);
}

void zoning_report_write(const char *document, const struct armdyn_robot_description *robot,
                         enum report_language language, struct buffer *out)
{
  struct page p = { .language = language, .document = document_open(document), .robot = robot, .out = out };
  char title[96], footer[160];
  if (!p.document || !read_zones(&p)) {
    out->failure = ARMDYN_EMEMORY;
    goto done;
  }
  snprintf(title, sizeof title, say(&p, "Zoning %s"), text(&p, "id"));
  snprintf(footer, sizeof footer, say(&p, "armdyn %s; computed %s."), armdyn_version(), text(&p, "created_at"));
  page_begin(out, language, title);
  write_summary(&p);
  write_box(&p);
  draw_map(&p);
  draw_bounds(&p);
  write_zones(&p);
  write_calls(&p);
  page_end(out, footer);
done:
  free(p.zones);
  document_close(p.document);
}
