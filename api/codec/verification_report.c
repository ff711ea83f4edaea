#include "api/codec/verification_report.h"

#include <math.h>

#include "api/codec/verification.h"
#include "api/codec/verification_page.h"
#include "api/report/markup.h"
#include "api/report/sentences.h"
#include "armdyn/armdyn.h"

enum { COLUMNS = 12 };

/* A distance [mm] or an angle [mrad], as small as arithmetic can tell. */
static double mm_at(const cJSON *of, const char *path)
{
  return markup_seen(document_number(of, path), 1e3);
}

static void begin_table(const struct verification_page *p, struct page_table *table, const char *const *headings,
                        size_t count)
{
  const char *words[COLUMNS];
  page_table_begin(table, p->out, report_words_all(p->language, headings, count, words), count);
}

/* -- the whole in words -- */

/* "0.02 mm and 1 mrad", of what is limited. */
enum { LIMIT_WORDS = 64 };
static const char *limit_words(const struct verification_page *p, char out[LIMIT_WORDS])
{
  const double mm = document_number(p->document, "limit/position_mm");
  const double mrad = document_number(p->document, "limit/rotation_mrad");
  if (isnan(mrad))
    snprintf(out, LIMIT_WORDS, "%.4g mm", mm);
  else if (isnan(mm))
    snprintf(out, LIMIT_WORDS, "%.4g mrad", mrad);
  else
    snprintf(out, LIMIT_WORDS, say(p, "%.4g mm and %.4g mrad"), mm, mrad);
  return out;
}

static void write_loads_in_words(struct verification_page *p)
{
  const cJSON *item;
  char limit[LIMIT_WORDS], about[64];
  limit_words(p, limit);
  cJSON_ArrayForEach (item, document_at(p->document, "loads")) {
    const double holds = document_number(item, "holds_to"), fails = document_number(item, "fails_at");
    const double ends = document_number(item, "about");
    const char *law = verification_text(item, "law"), *reference = verification_text(item, "reference");
    *about = '\0';
    if (!isnan(ends)) snprintf(about, sizeof about, say(p, "; on a straight line it ends at %.3g kg"), ends);
    if (isnan(fails))
      page_text(p->out, say(p, "%s, %s: \u00b1%s holds with every load up to %.4g kg."), law, reference, limit, holds);
    else if (isnan(holds))
      page_warning(p->out, say(p, "%s, %s: \u00b1%s does not hold, not even with the lightest load of %.4g kg."), law,
                   reference, limit, fails);
    else
      page_text(p->out, say(p, "%s, %s: \u00b1%s holds to %.4g kg and not with %.4g kg%s."), law, reference, limit,
                holds, fails, about);
  }
}

static void write_accuracy(struct verification_page *p)
{
  const cJSON *accuracy = document_at(p->document, "accuracy");
  if (!accuracy) return;
  page_section(p->out, say(p, "Budget of accuracy"));
  if (*verification_text(accuracy, "detail")) {
    page_text(p->out, say(p, "There is none: %s."), verification_text(accuracy, "detail"));
    return;
  }
  page_text(
      p->out,
      say(p,
          "%s on %s, %.4g s: with the model itself the tool is off by at most %.4g mm. What is not known of the %.0f "
          "parameters of identification %s moves it by %.4g mm (one deviation, to first order), together at most "
          "%.4g mm with two of them, at %.4g s."),
      verification_text(accuracy, "law"), verification_text(accuracy, "reference"),
      document_number(accuracy, "duration"), mm_at(accuracy, "nominal_mm"), document_number(accuracy, "parameters"),
      verification_text(accuracy, "identification"), mm_at(accuracy, "parameters_mm"), mm_at(accuracy, "together_mm"),
      document_number(accuracy, "time"));
  verification_draw_accuracy(p, accuracy);
}

static void write_summary(struct verification_page *p)
{
  const cJSON *d = p->document;
  const double beyond = document_number(d, "beyond_count");
  char limit[LIMIT_WORDS];
  page_section(p->out, say(p, "Summary"));
  page_text(p->out, say(p, "Robot %s, revision %.0f: %.0f cases, at most %.4g mm off at the tool where it counts."),
            verification_text(d, "robot"), document_number(d, "revision"), document_number(d, "case_count"),
            mm_at(d, "worst_mm"));
  if (beyond > 0)
    page_warning(p->out, say(p, "%.0f of them are not within the limit of %s."), beyond, limit_words(p, limit));
  if (document_number(d, "diverged_count") > 0)
    page_warning(p->out, say(p, "%.0f loops diverge."), document_number(d, "diverged_count"));
  write_loads_in_words(p);
  if (*verification_text(d, "label")) page_text(p->out, say(p, "Label: %s"), verification_text(d, "label"));
  if (*verification_text(d, "notes")) page_text(p->out, say(p, "Notes: %.900s"), verification_text(d, "notes"));
}

/* -- what an arm did -- */

const cJSON *verification_measured_of(const struct verification_page *p, const char *reference)
{
  const cJSON *m;
  cJSON_ArrayForEach (m, document_at(p->document, "measured"))
    if (same(m, "reference", reference)) return m;
  return NULL;
}

static void write_measured(struct verification_page *p, const char *reference)
{
  const cJSON *m = verification_measured_of(p, reference);
  if (!m) return;
  page_text(p->out,
            say(p, "Measured (data set %s, %.0f samples from %.4g to %.4g s): the tool is off by at most %.4g mm, at "
                   "%.4g s; rms "
                   "%.4g mm."),
            verification_text(m, "dataset"), document_number(m, "samples"), document_number(m, "from"),
            document_number(m, "to"), mm_at(m, "tool/position_max_mm"), document_number(m, "tool/position_max_time"),
            mm_at(m, "tool/position_rms_mm"));
  if (document_at(m, "nearest"))
    page_text(p->out, say(p, "The simulated case nearest to it is %s under %s: the two tools are %.4g mm apart (rms)."),
              verification_text(m, "nearest/plant"), verification_text(m, "nearest/law"),
              mm_at(m, "nearest/apart_rms_mm"));
}

/* -- a reference -- */

/* The largest share of periods that any joint was at its limit, in percent. */
static double most_saturated(const cJSON *c)
{
  const cJSON *joint;
  double most = NAN;
  cJSON_ArrayForEach (joint, document_at(c, "joints")) most = fmax(most, 100 * document_number(joint, "saturated"));
  return most;
}

/* What counts, the rest of the tool's figures, and what a case alone has. */
static void write_tool_row(const struct verification_page *p, struct page_table *table, const cJSON *of,
                           const char *judged, bool compared)
{
  page_cell_figure(table, mm_at(of, judged));
  page_cell_figure(table, mm_at(of, "tool/position_max_mm"));
  page_cell_figure(table, mm_at(of, "tool/position_rms_mm"));
  page_cell_figure(table, mm_at(of, "tool/rotation_max_mrad"));
  page_cell_figure(table, most_saturated(of));
  page_cell_figure(table, document_number(of, "settled_after"));
  page_cell_text(table, same(of, "state", "diverged")  ? verification_text(of, "detail")
                        : !document_at(of, "within")   ? ""
                        : document_truth(of, "within") ? say(p, "within")
                                                       : say(p, "beyond"));
  if (compared) page_cell_figure(table, mm_at(of, "apart/position_rms_mm"));
}

static void write_tool(struct verification_page *p, const char *reference)
{
  static const char *const headings[] = { "plant",
                                          "law",
                                          "judged, mm",
                                          "largest, mm",
                                          "rms, mm",
                                          "largest, mrad",
                                          "at its torque limit, %",
                                          "settled after, s",
                                          "limit",
                                          "apart from measured, rms, mm" };
  const cJSON *c, *measured = verification_measured_of(p, reference);
  struct page_table table;
  begin_table(p, &table, headings, sizeof headings / sizeof *headings - (measured ? 0 : 1));
  if (measured) {
    page_cell_text(&table, say(p, "measured"));
    page_cell_text(&table, "");
    write_tool_row(p, &table, measured, "tool/position_max_mm", true);
  }
  cJSON_ArrayForEach (c, document_at(p->document, "cases")) {
    if (!same(c, "reference", reference)) continue;
    page_cell_text(&table, verification_text(c, "plant"));
    page_cell_text(&table, verification_text(c, "law"));
    write_tool_row(p, &table, c, "judged_mm", measured);
  }
  page_table_end(&table);
}

/* A row for each joint. */
static void write_joint_rows(struct verification_page *p, struct page_table *table, const char *plant, const char *law,
                             const cJSON *of, const char *const *members, size_t count)
{
  const cJSON *joint;
  size_t j = 0;
  cJSON_ArrayForEach (joint, document_at(of, "joints")) {
    page_cell_text(table, plant);
    page_cell_text(table, law);
    page_cell_text(table, p->robot->joints[j++].name);
    for (size_t k = 0; k < count; k++) page_cell_figure(table, markup_seen(document_number(joint, members[k]), 1));
  }
}

static void write_joints(struct verification_page *p, const char *reference, const char *const *members,
                         const char *const *headings, size_t count)
{
  const cJSON *c, *measured = verification_measured_of(p, reference);
  struct page_table table;
  begin_table(p, &table, headings, 3 + count);
  if (measured) write_joint_rows(p, &table, say(p, "measured"), "", measured, members, count);
  cJSON_ArrayForEach (c, document_at(p->document, "cases"))
    if (same(c, "reference", reference))
      write_joint_rows(p, &table, verification_text(c, "plant"), verification_text(c, "law"), c, members, count);
  page_table_end(&table);
}

/* What tells of the joints of each kind of reference. */
static void write_joints_of(struct verification_page *p, const char *reference, const char *kind)
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

static void write_reference(struct verification_page *p, const cJSON *reference)
{
  const char *name = verification_text(reference, "name"), *kind = verification_text(reference, "kind");
  const cJSON *plant;
  char heading[128];
  const char *usual = say(p, kind);
  snprintf(heading, sizeof heading, strcmp(name, usual) ? "%.64s (%s)" : "%.64s", name, usual);
  page_section(p->out, heading);
  write_measured(p, name);
  verification_draw_distances(p, name);
  verification_draw_spread(p, name);
  write_tool(p, name);
  if (!strcmp(kind, "sine")) verification_draw_frequencies(p, name);
  cJSON_ArrayForEach (plant, document_at(p->document, "plants"))
    verification_draw_envelope(p, name, verification_text(plant, "name"));
  write_joints_of(p, name, kind);
}

/* -- cases together -- */

static void write_list(struct verification_page *p, const char *heading, const char *list, const char *const *headings,
                       const char *const *members, size_t texts, size_t figures)
{
  const cJSON *item;
  struct page_table table;
  if (!cJSON_GetArraySize(document_at(p->document, list))) return;
  page_section(p->out, say(p, heading));
  begin_table(p, &table, headings, texts + figures);
  cJSON_ArrayForEach (item, document_at(p->document, list)) {
    for (size_t k = 0; k < texts; k++) page_cell_text(&table, verification_text(item, members[k]));
    for (size_t k = texts; k < texts + figures; k++)
      page_cell_figure(&table, strstr(members[k], "_mm") ? mm_at(item, members[k]) : document_number(item, members[k]));
  }
  page_table_end(&table);
}

static void write_together(struct verification_page *p)
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

/* -- what the service named and said -- */

/* A text by its language's row of these, the first that can have made it. */
static void translate(cJSON *text, enum report_language language, const char *const *formats, size_t count)
{
  char said[512];
  for (size_t k = 0; k < count; k++)
    if (report_sentence_of(language, formats[k], text->valuestring, said, sizeof said)) {
      cJSON_SetValuestring(text, said);
      return;
    }
}

/* Names that nobody gave, and sentences about cases, wherever they stand in what was found. */
static void speak(cJSON *item, enum report_language language)
{
  static const char *const given[] = {
    "hold", "step", "sine", "circle", "trajectory", "plant %zu", "%s without model"
  };
  static const char *const members[] = { "name", "plant", "law", "reference", "worst_plant" };
  char said[512];
  cJSON *child;
  cJSON_ArrayForEach (child, item) {
    if (child->string && !strcmp(child->string, "request")) continue;
    if (!cJSON_IsString(child)) {
      speak(child, language);
      continue;
    }
    if (!child->string) continue;
    for (size_t k = 0; k < sizeof members / sizeof *members; k++)
      if (!strcmp(child->string, members[k])) translate(child, language, given, sizeof given / sizeof *given);
    if (!strcmp(child->string, "detail"))
      cJSON_SetValuestring(child, report_sentence(language, child->valuestring, said, sizeof said));
  }
}

void verification_report_write(const char *document, const struct armdyn_robot_description *robot,
                               enum report_language language, struct buffer *out)
{
  struct verification_page p = {
    .language = language, .document = document_open(document), .robot = robot, .out = out
  };
  cJSON *found = document_open(document);
  const cJSON *reference;
  char title[96], footer[160];
  if (!p.document || !found) {
    out->failure = ARMDYN_EMEMORY;
    goto done;
  }
  speak(p.document, language);
  snprintf(title, sizeof title, say(&p, "Verification %s"), verification_text(p.document, "id"));
  snprintf(footer, sizeof footer, say(&p, "armdyn %s; computed %s."), armdyn_version(),
           verification_text(p.document, "created_at"));
  page_begin(out, language, title);
  write_summary(&p);
  write_accuracy(&p);
  cJSON_ArrayForEach (reference, document_at(p.document, "references")) write_reference(&p, reference);
  write_together(&p);
  verification_calls_write(found, language, out);
  page_end(out, footer);
done:
  document_close(found);
  document_close(p.document);
}
