#include "api/codec/verification_report.h"

#include <math.h>
#include <stdlib.h>

#include "api/codec/verification.h"
#include "api/codec/verification_calls.h"
#include "api/report/page.h"
#include "api/report/plot.h"
#include "armdyn/armdyn.h"

enum { LAWS = VERIFICATION_LAWS_MOST, PLANTS = LIMIT_VERIFICATION_PLANTS, LINES = 16 };

struct page {
  const cJSON *document;
  const struct armdyn_robot_description *robot;
  struct buffer *out;
};

static bool same(const cJSON *in, const char *path, const char *text)
{
  return !strcmp(verification_text(in, path), text);
}

static const cJSON *case_of(const struct page *p, const char *plant, const char *law, const char *reference)
{
  const cJSON *c;
  cJSON_ArrayForEach (c, document_at(p->document, "cases"))
    if (same(c, "plant", plant) && same(c, "law", law) && same(c, "reference", reference)) return c;
  return NULL;
}

/* -- the whole in words -- */

/* "0.02 mm and 1 mrad", of what is limited. */
enum { LIMIT_WORDS = 64 };
static const char *limit_words(const cJSON *document, char out[LIMIT_WORDS])
{
  const double mm = document_number(document, "limit/position_mm");
  const double mrad = document_number(document, "limit/rotation_mrad");
  if (isnan(mrad))
    snprintf(out, LIMIT_WORDS, "%.4g mm", mm);
  else if (isnan(mm))
    snprintf(out, LIMIT_WORDS, "%.4g mrad", mrad);
  else
    snprintf(out, LIMIT_WORDS, "%.4g mm and %.4g mrad", mm, mrad);
  return out;
}

static void write_loads_in_words(struct page *p)
{
  const cJSON *item;
  char limit[LIMIT_WORDS], about[64];
  limit_words(p->document, limit);
  cJSON_ArrayForEach (item, document_at(p->document, "loads")) {
    const double holds = document_number(item, "holds_to"), fails = document_number(item, "fails_at");
    const double ends = document_number(item, "about");
    const char *law = verification_text(item, "law"), *reference = verification_text(item, "reference");
    *about = '\0';
    if (!isnan(ends)) snprintf(about, sizeof about, "; on a straight line it ends at %.3g kg", ends);
    if (isnan(fails))
      page_text(p->out, "%s, %s: \u00b1%s holds with every load up to %.4g kg.", law, reference, limit, holds);
    else if (isnan(holds))
      page_warning(p->out, "%s, %s: \u00b1%s does not hold, not even with the lightest load of %.4g kg.", law,
                   reference, limit, fails);
    else
      page_text(p->out, "%s, %s: \u00b1%s holds to %.4g kg and not with %.4g kg%s.", law, reference, limit, holds,
                fails, about);
  }
}

static void draw_accuracy(struct page *p, const cJSON *accuracy)
{
  static const char *const parts[] = { "the model itself", "one deviation of its parameters", "with two of them",
                                       "limit" };
  static const char *const series[] = { "distance" };
  const double values[] = { document_number(accuracy, "nominal_mm"), document_number(accuracy, "parameters_mm"),
                            document_number(accuracy, "together_mm"),
                            document_number(p->document, "limit/position_mm") };
  const struct bar_chart chart = { .title = "What the tool may be off",
                                   .unit = "distance, mm",
                                   .category_count = isnan(values[3]) ? 3u : 4u,
                                   .series_count = 1,
                                   .categories = parts,
                                   .series = series,
                                   .values = values };
  bar_chart_write(&chart, p->out);
}

static void write_accuracy(struct page *p)
{
  const cJSON *accuracy = document_at(p->document, "accuracy");
  if (!accuracy) return;
  page_section(p->out, "Budget of accuracy");
  if (*verification_text(accuracy, "detail")) {
    page_text(p->out, "There is none: %s.", verification_text(accuracy, "detail"));
    return;
  }
  page_text(p->out,
            "%s on %s, %.4g s: with the model itself the tool is off by at most %.4g mm. What is not known of the %.0f "
            "parameters of identification %s moves it by %.4g mm (one deviation, to first order), together at most "
            "%.4g mm with two of them, at %.4g s.",
            verification_text(accuracy, "law"), verification_text(accuracy, "reference"),
            document_number(accuracy, "duration"), document_number(accuracy, "nominal_mm"),
            document_number(accuracy, "parameters"), verification_text(accuracy, "identification"),
            document_number(accuracy, "parameters_mm"), document_number(accuracy, "together_mm"),
            document_number(accuracy, "time"));
  draw_accuracy(p, accuracy);
}

static void write_summary(struct page *p)
{
  const cJSON *d = p->document;
  const double beyond = document_number(d, "beyond_count");
  char limit[LIMIT_WORDS];
  page_section(p->out, "Summary");
  page_text(p->out, "Robot %s, revision %.0f: %.0f cases, at most %.4g mm off at the tool where it counts.",
            verification_text(d, "robot"), document_number(d, "revision"), document_number(d, "case_count"),
            document_number(d, "worst_mm"));
  if (beyond > 0) page_warning(p->out, "%.0f of them are not within the limit of %s.", beyond, limit_words(d, limit));
  if (document_number(d, "diverged_count") > 0)
    page_warning(p->out, "%.0f loops diverge.", document_number(d, "diverged_count"));
  write_loads_in_words(p);
  if (*verification_text(d, "label")) page_text(p->out, "Label: %s", verification_text(d, "label"));
  if (*verification_text(d, "notes")) page_text(p->out, "Notes: %.900s", verification_text(d, "notes"));
}

/* -- what an arm did -- */

static const cJSON *measured_of(const struct page *p, const char *reference)
{
  const cJSON *m;
  cJSON_ArrayForEach (m, document_at(p->document, "measured"))
    if (same(m, "reference", reference)) return m;
  return NULL;
}

static void write_measured(struct page *p, const char *reference)
{
  const cJSON *m = measured_of(p, reference);
  if (!m) return;
  page_text(
      p->out,
      "Measured (data set %s, %.0f samples from %.4g to %.4g s): the tool is off by at most %.4g mm, at %.4g s; rms "
      "%.4g mm.",
      verification_text(m, "dataset"), document_number(m, "samples"), document_number(m, "from"),
      document_number(m, "to"), document_number(m, "tool/position_max_mm"),
      document_number(m, "tool/position_max_time"), document_number(m, "tool/position_rms_mm"));
  if (document_at(m, "nearest"))
    page_text(p->out, "The simulated case nearest to it is %s under %s: the two tools are %.4g mm apart (rms).",
              verification_text(m, "nearest/plant"), verification_text(m, "nearest/law"),
              document_number(m, "nearest/apart_rms_mm"));
}

/* -- a reference -- */

static void write_bars(struct page *p, const char *reference)
{
  const char *plants[PLANTS], *laws[LAWS];
  const size_t plant_count = verification_names(p->document, "plants", plants, PLANTS);
  const size_t law_count = verification_names(p->document, "laws", laws, LAWS);
  double values[PLANTS * LAWS];
  for (size_t i = 0; i < plant_count; i++)
    for (size_t k = 0; k < law_count; k++)
      values[i * law_count + k] = document_number(case_of(p, plants[i], laws[k], reference), "judged_mm");
  const struct bar_chart chart = { .title = "How far the tool is off",
                                   .unit = "distance, mm",
                                   .category_count = plant_count,
                                   .series_count = law_count,
                                   .categories = plants,
                                   .series = laws,
                                   .values = values };
  bar_chart_write(&chart, p->out);
}

/* From the least to the most over the plants, for each law. */
static void draw_spread(struct page *p, const char *reference)
{
  static const char *const figures[] = { "least", "mean", "most" };
  const char *laws[LAWS];
  const cJSON *item;
  double values[3 * LAWS];
  size_t count = 0;
  if (cJSON_GetArraySize(document_at(p->document, "plants")) < 2) return;
  cJSON_ArrayForEach (item, document_at(p->document, "spread")) {
    if (!same(item, "reference", reference) || count == LAWS) continue;
    values[3 * count] = document_number(item, "least_mm"), values[3 * count + 1] = document_number(item, "mean_mm");
    values[3 * count + 2] = document_number(item, "most_mm");
    laws[count++] = verification_text(item, "law");
  }
  const struct bar_chart chart = { .title = "Spread over the plants",
                                   .unit = "distance, mm",
                                   .category_count = count,
                                   .series_count = 3,
                                   .categories = laws,
                                   .series = figures,
                                   .values = values };
  if (count) bar_chart_write(&chart, p->out);
}

/* The largest share of periods that any joint was at its limit, in percent. */
static double most_saturated(const cJSON *c)
{
  const cJSON *joint;
  double most = NAN;
  cJSON_ArrayForEach (joint, document_at(c, "joints")) most = fmax(most, 100 * document_number(joint, "saturated"));
  return most;
}

/* What counts, the rest of the tool's figures, and what a case alone has. */
static void write_tool_row(struct page_table *table, const cJSON *of, const char *judged, bool compared)
{
  page_cell_figure(table, document_number(of, judged));
  page_cell_figure(table, document_number(of, "tool/position_max_mm"));
  page_cell_figure(table, document_number(of, "tool/position_rms_mm"));
  page_cell_figure(table, document_number(of, "tool/rotation_max_mrad"));
  page_cell_figure(table, most_saturated(of));
  page_cell_figure(table, document_number(of, "settled_after"));
  page_cell_text(table, same(of, "state", "diverged")  ? verification_text(of, "detail")
                        : !document_at(of, "within")   ? ""
                        : document_truth(of, "within") ? "within"
                                                       : "beyond");
  if (compared) page_cell_figure(table, document_number(of, "apart/position_rms_mm"));
}

static void write_tool(struct page *p, const char *reference)
{
  static const char *const headings[] = { "plant",
                                          "law",
                                          "judged, mm",
                                          "largest, mm",
                                          "rms, mm",
                                          "largest, mrad",
                                          "at its torque limit, %",
                                          "settled after, s",
                                          "",
                                          "apart from measured, rms, mm" };
  const cJSON *c, *measured = measured_of(p, reference);
  struct page_table table;
  page_table_begin(&table, p->out, headings, sizeof headings / sizeof *headings - (measured ? 0 : 1));
  if (measured) {
    page_cell_text(&table, "measured");
    page_cell_text(&table, "");
    write_tool_row(&table, measured, "tool/position_max_mm", true);
  }
  cJSON_ArrayForEach (c, document_at(p->document, "cases")) {
    if (!same(c, "reference", reference)) continue;
    page_cell_text(&table, verification_text(c, "plant"));
    page_cell_text(&table, verification_text(c, "law"));
    write_tool_row(&table, c, "judged_mm", measured);
  }
  page_table_end(&table);
}

/* A row for each joint. */
static void write_joint_rows(struct page *p, struct page_table *table, const char *plant, const char *law,
                             const cJSON *of, const char *const *members, size_t count)
{
  const cJSON *joint;
  size_t j = 0;
  cJSON_ArrayForEach (joint, document_at(of, "joints")) {
    page_cell_text(table, plant);
    page_cell_text(table, law);
    page_cell_text(table, p->robot->joints[j++].name);
    for (size_t k = 0; k < count; k++) page_cell_figure(table, document_number(joint, members[k]));
  }
}

static void write_joints(struct page *p, const char *reference, const char *const *members, const char *const *headings,
                         size_t count)
{
  const cJSON *c, *measured = measured_of(p, reference);
  struct page_table table;
  page_table_begin(&table, p->out, headings, 3 + count);
  if (measured) write_joint_rows(p, &table, "measured", "", measured, members, count);
  cJSON_ArrayForEach (c, document_at(p->document, "cases"))
    if (same(c, "reference", reference))
      write_joint_rows(p, &table, verification_text(c, "plant"), verification_text(c, "law"), c, members, count);
  page_table_end(&table);
}

/* What tells of the joints of each kind of reference. */
static void write_joints_of(struct page *p, const char *reference, const char *kind)
{
  static const char *const step[] = { "overshoot_percent", "rise_time",          "peak_time",
                                      "settling_time",     "steady_state_error", "torque_peak" };
  static const char *const step_headings[] = { "plant",
                                               "law",
                                               "joint",
                                               "overshoot, %",
                                               "rise, s",
                                               "peak at, s",
                                               "settled after, s",
                                               "steady error, rad or m",
                                               "torque, N m or N" };
  static const char *const hold[] = { "static_error",       "ripple",        "max",        "breakaway_positive",
                                      "breakaway_negative", "torque_ripple", "torque_rms", "torque_peak" };
  static const char *const hold_headings[] = { "plant",
                                               "law",
                                               "joint",
                                               "static error, rad or m",
                                               "ripple",
                                               "largest",
                                               "breaks away up, N m or N",
                                               "down",
                                               "torque ripple, N m or N",
                                               "torque rms",
                                               "torque" };
  static const char *const sine[] = { "bandwidth_hz", "rms", "max", "torque_rms", "torque_peak" };
  static const char *const sine_headings[] = {
    "plant", "law", "joint", "bandwidth, Hz", "rms, rad or m", "largest", "torque rms, N m or N", "torque"
  };
  static const char *const motion[] = { "rms", "max", "torque_rms", "torque_peak" };
  static const char *const motion_headings[] = { "plant",         "law",     "joint",
                                                 "rms, rad or m", "largest", "torque rms, N m or N",
                                                 "torque" };
  if (!strcmp(kind, "step"))
    write_joints(p, reference, step, step_headings, sizeof step / sizeof *step);
  else if (!strcmp(kind, "hold"))
    write_joints(p, reference, hold, hold_headings, sizeof hold / sizeof *hold);
  else if (!strcmp(kind, "sine"))
    write_joints(p, reference, sine, sine_headings, sizeof sine / sizeof *sine);
  else
    write_joints(p, reference, motion, motion_headings, sizeof motion / sizeof *motion);
}

/* A figure over the frequencies for the joints that move, of the cases of the first plant. */
struct curves {
  size_t count;
  char names[LINES][160];
  double x[LIMIT_SWEEP_FREQUENCIES], y[LINES][LIMIT_SWEEP_FREQUENCIES];
  struct plot_series series[LINES];
};

static void read_curve(struct page *p, struct curves *curves, const cJSON *c, size_t joint, const char *member)
{
  const cJSON *response;
  char path[64];
  size_t k = 0;
  if (curves->count == LINES) return;
  snprintf(path, sizeof path, "joints/%zu/%s", joint, member);
  cJSON_ArrayForEach (response, document_at(c, "responses")) {
    if (k == LIMIT_SWEEP_FREQUENCIES) break;
    curves->x[k] = document_number(response, "frequency_hz");
    curves->y[curves->count][k++] = document_number(response, path);
  }
  if (!k || isnan(curves->y[curves->count][0])) return;
  char *name = curves->names[curves->count];
  snprintf(name, sizeof *curves->names, "%.80s, %.64s", verification_text(c, "law"), p->robot->joints[joint].name);
  curves->series[curves->count] =
      (struct plot_series){ .name = name, .x = curves->x, .y = curves->y[curves->count], .count = k };
  curves->count++;
}

static void write_frequencies(struct page *p, const char *reference)
{
  static const struct {
    const char *member, *title, *unit;
    bool logarithmic;
  } figures[] = { { "gain", "Gain", "gain", true }, { "phase_deg", "Phase", "phase, degrees", false } };
  const char *plant = verification_text(p->document, "plants/0/name");
  const cJSON *c;
  struct curves *curves = calloc(1, sizeof *curves);
  if (!curves) {
    p->out->failure = ARMDYN_EMEMORY;
    return;
  }
  page_text(p->out, "Curves are of %s.", plant);
  for (size_t f = 0; f < sizeof figures / sizeof *figures; f++) {
    curves->count = 0;
    cJSON_ArrayForEach (c, document_at(p->document, "cases"))
      for (size_t j = 0; j < p->robot->joint_count && same(c, "reference", reference) && same(c, "plant", plant); j++)
        read_curve(p, curves, c, j, figures[f].member);
    const struct plot plot = { .title = figures[f].title,
                               .x = { .title = "frequency, Hz", .logarithmic = true },
                               .y = { .title = figures[f].unit, .logarithmic = figures[f].logarithmic },
                               .series = curves->series,
                               .series_count = curves->count };
    if (curves->count) plot_write(&plot, p->out);
  }
  free(curves);
}

/* How far the tool is off over time, of the cases of one plant. */
static void write_envelope(struct page *p, const char *reference, const char *plant)
{
  double x[ENVELOPE], y[LAWS + 1][ENVELOPE];
  struct plot_series series[LAWS + 1];
  const double limit = document_number(p->document, "limit/position_mm");
  const struct plot_limit beyond = { "beyond the limit", -INFINITY, limit };
  const cJSON *c;
  char title[160];
  snprintf(title, sizeof title, "Off at the tool, %.80s", plant);
  struct plot plot = { .title = title,
                       .x = { .title = "time, s" },
                       .y = { .title = "distance, mm" },
                       .series = series,
                       .limits = &beyond,
                       .limit_count = isnan(limit) ? 0u : 1u };
  cJSON_ArrayForEach (c, document_at(p->document, "cases")) {
    if (!same(c, "reference", reference) || !same(c, "plant", plant) || plot.series_count == LAWS) continue;
    const size_t count = document_numbers(c, "envelope_mm", y[plot.series_count], ENVELOPE);
    const double step = document_number(c, "duration") / ENVELOPE;
    if (!count) continue;
    for (size_t k = 0; k < count; k++) x[k] = step * ((double)k + 0.5);
    series[plot.series_count] =
        (struct plot_series){ .name = verification_text(c, "law"), .x = x, .y = y[plot.series_count], .count = count };
    plot.series_count++;
  }
  const cJSON *measured = measured_of(p, reference);
  if (measured && plot.series_count &&
      document_numbers(measured, "envelope_mm", y[plot.series_count], ENVELOPE) == ENVELOPE) {
    series[plot.series_count] = (struct plot_series){
      .name = "measured", .kind = PLOT_POINTS, .x = x, .y = y[plot.series_count], .count = ENVELOPE
    };
    plot.series_count++;
  }
  if (plot.series_count) plot_write(&plot, p->out);
}

static void write_reference(struct page *p, const cJSON *reference)
{
  const char *name = verification_text(reference, "name"), *kind = verification_text(reference, "kind");
  const cJSON *plant;
  char heading[128];
  snprintf(heading, sizeof heading, strcmp(name, kind) ? "%.64s (%s)" : "%.64s", name, kind);
  page_section(p->out, heading);
  write_measured(p, name);
  write_bars(p, name);
  draw_spread(p, name);
  write_tool(p, name);
  if (!strcmp(kind, "sine")) write_frequencies(p, name);
  cJSON_ArrayForEach (plant, document_at(p->document, "plants"))
    write_envelope(p, name, verification_text(plant, "name"));
  write_joints_of(p, name, kind);
}

/* -- cases together -- */

static void write_list(struct page *p, const char *heading, const char *list, const char *const *headings,
                       const char *const *members, size_t texts, size_t figures)
{
  const cJSON *item;
  struct page_table table;
  if (!cJSON_GetArraySize(document_at(p->document, list))) return;
  page_section(p->out, heading);
  page_table_begin(&table, p->out, headings, texts + figures);
  cJSON_ArrayForEach (item, document_at(p->document, list)) {
    for (size_t k = 0; k < texts; k++) page_cell_text(&table, verification_text(item, members[k]));
    for (size_t k = texts; k < texts + figures; k++) page_cell_figure(&table, document_number(item, members[k]));
  }
  page_table_end(&table);
}

static void write_together(struct page *p)
{
  static const char *const pair[] = { "plant", "law", "reference", "with_mm", "without_mm", "ratio", "measured_mm" };
  static const char *const pair_headings[] = { "plant",       "law",   "reference",   "with model, mm",
                                               "without, mm", "ratio", "measured, mm" };
  static const char *const spread[] = {
    "law", "reference", "worst_plant", "least_mm", "mean_mm", "most_mm", "diverged"
  };
  static const char *const spread_headings[] = { "law",      "reference", "worst plant", "least, mm",
                                                 "mean, mm", "most, mm",  "diverged" };
  write_list(p, "With and without the model", "feedforward", pair_headings, pair, 3,
             document_at(p->document, "measured") ? 4 : 3);
  write_list(p, "Spread over the plants", "spread", spread_headings, spread, 3, 4);
}

void verification_report_write(const char *document, const struct armdyn_robot_description *robot, struct buffer *out)
{
  struct page p = { .document = document_open(document), .robot = robot, .out = out };
  const cJSON *reference;
  char title[96], footer[160];
  if (!p.document) {
    out->failure = ARMDYN_EMEMORY;
    return;
  }
  snprintf(title, sizeof title, "Verification %s", verification_text(p.document, "id"));
  snprintf(footer, sizeof footer, "armdyn %s; computed %s.", armdyn_version(),
           verification_text(p.document, "created_at"));
  page_begin(out, title);
  write_summary(&p);
  write_accuracy(&p);
  cJSON_ArrayForEach (reference, document_at(p.document, "references")) write_reference(&p, reference);
  write_together(&p);
  verification_calls_write(p.document, out);
  page_end(out, footer);
  document_close((cJSON *)p.document);
}
