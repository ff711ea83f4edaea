#include "api/codec/trajectory_report.h"

#include <math.h>
#include <stdlib.h>

#include "api/limits.h"
#include "api/report/page.h"
#include "api/report/plot.h"
#include "api/report/sentences.h"
#include "armdyn/armdyn.h"

enum { N = ARMDYN_JOINTS_MAX, TEXT = 1024 };
static const double ROUNDING = 1e-9; /* of a total: less is none */

static const char *say(const struct trajectory_report *report, const char *english) __attribute__((format_arg(2)));
static const char *say(const struct trajectory_report *report, const char *english)
{
  return report_words(report->language, english);
}

/* A row is [t, q (n), qd (n), qdd (n), tau (n), power (n)]. */
static size_t width_of(size_t n)
{
  return 1 + 5 * n;
}

/* -- what is shown of the joints over time -- */

/* A quantity of each joint: where it begins in a row, how it is called in both kinds of joints, and its limits. */
static const struct quantity {
  const char *title, *units[2]; /* revolute, prismatic */
  size_t block;
} quantities[] = {
  { "Position", { "position, rad", "position, m" }, 0 },
  { "Velocity", { "velocity, rad/s", "velocity, m/s" }, 1 },
  { "Acceleration", { "acceleration, rad/s\u00b2", "acceleration, m/s\u00b2" }, 2 },
  { "Torque", { "torque, N m", "force, N" }, 3 },
};

/* Of a joint's limits, the ends for this quantity. */
static void ends_of(const struct armdyn_limits *limits, size_t block, double ends[2])
{
  const double most[] = { 0, limits->velocity, limits->acceleration, limits->torque };
  ends[0] = block ? -most[block] : limits->position[0];
  ends[1] = block ? most[block] : limits->position[1];
}

static void write_values(const struct trajectory_report *report, const struct quantity *quantity,
                         enum armdyn_joint_type type, struct buffer *out)
{
  const size_t n = report->robot->joint_count;
  const struct report_motion *motion = &report->motions[0];
  struct plot_series series[N];
  struct plot_limit limit;
  struct plot plot = { .title = say(report, quantity->title),
                       .x = { .title = say(report, "time, s") },
                       .y = { .title = say(report, quantity->units[type == ARMDYN_PRISMATIC]) },
                       .series = series };
  for (size_t j = 0; j < n; j++) {
    if (report->robot->joints[j].type != type) continue;
    double ends[2];
    ends_of(&report->limits[j], quantity->block, ends);
    limit = (struct plot_limit){ say(report, "beyond its limit"), ends[0], ends[1] };
    series[plot.series_count++] = (struct plot_series){
      .name = report->robot->joints[j].name,
      .x = motion->rows,
      .y = motion->rows + 1 + quantity->block * n + j,
      .count = motion->count,
      .x_step = width_of(n),
      .y_step = width_of(n),
    };
  }
  if (!plot.series_count) return;
  bool limited = isfinite(limit.lower) || isfinite(limit.upper);
  if (plot.series_count == 1 && limited) plot.limits = &limit, plot.limit_count = 1; /* several have several limits */
  plot_write(&plot, out);
}

/* All joints against their limits, in percent of them: positions from the middle of the range. */
static void write_usage(const struct trajectory_report *report, const struct quantity *quantity, double *scaled,
                        struct buffer *out)
{
  const size_t n = report->robot->joint_count;
  const struct report_motion *motion = &report->motions[0];
  const struct plot_limit all = { say(report, "beyond the limits"), -100, 100 };
  struct plot_series series[N];
  char title[96];
  snprintf(title, sizeof title, say(report, "%s against the limits"), say(report, quantity->title));
  struct plot plot = { .title = title,
                       .x = { .title = say(report, "time, s") },
                       .y = { .title = say(report, "part of the limit, %") },
                       .series = series,
                       .limits = &all,
                       .limit_count = 1 };
  for (size_t j = 0; j < n; j++) {
    double ends[2];
    ends_of(&report->limits[j], quantity->block, ends);
    double middle = (ends[0] + ends[1]) / 2, half = (ends[1] - ends[0]) / 2, *to = scaled + j * motion->count;
    if (!isfinite(half)) continue;
    for (size_t k = 0; k < motion->count; k++)
      to[k] = 100 * (motion->rows[k * width_of(n) + 1 + quantity->block * n + j] - middle) / half;
    series[plot.series_count++] = (struct plot_series){
      .name = report->robot->joints[j].name,
      .x = motion->rows,
      .y = to,
      .count = motion->count,
      .x_step = width_of(n),
    };
  }
  if (plot.series_count) plot_write(&plot, out);
}

static void write_joints(const struct trajectory_report *report, struct buffer *out)
{
  double *scaled = malloc((report->motions[0].count * report->robot->joint_count + 1) * sizeof *scaled);
  if (!scaled) {
    out->failure = ARMDYN_EMEMORY;
    return;
  }
  for (size_t k = 0; k < sizeof quantities / sizeof *quantities; k++) {
    page_section(out, say(report, quantities[k].title));
    write_values(report, &quantities[k], ARMDYN_REVOLUTE, out);
    write_values(report, &quantities[k], ARMDYN_PRISMATIC, out);
    write_usage(report, &quantities[k], scaled, out);
  }
  free(scaled);
}

/* -- power and energy, before and after -- */

/* A line for each motion, of its values y at the times of its rows.
 *   limit  in  NULL: none */
static void write_lines(const struct trajectory_report *report, const char *title, const char *unit,
                        const struct plot_limit *limit, const double *const y[REPORT_MOTIONS], struct buffer *out)
{
  struct plot_series series[REPORT_MOTIONS];
  const struct plot plot = { .title = say(report, title),
                             .x = { .title = say(report, "time, s") },
                             .y = { .title = say(report, unit) },
                             .series = series,
                             .series_count = report->motion_count,
                             .limits = limit,
                             .limit_count = limit ? 1 : 0 };
  for (size_t m = 0; m < report->motion_count; m++) {
    const struct report_motion *motion = &report->motions[m];
    series[m] = (struct plot_series){ .name = say(report, motion->name),
                                      .x = motion->rows,
                                      .y = y[m],
                                      .count = motion->count,
                                      .x_step = width_of(report->robot->joint_count) };
  }
  plot_write(&plot, out);
}

static void write_power(const struct trajectory_report *report, bool electrical, struct buffer *out)
{
  const double *power[REPORT_MOTIONS] = { NULL };
  for (size_t m = 0; m < report->motion_count; m++)
    power[m] = electrical ? report->motions[m].bus : report->motions[m].power;
  write_lines(report, electrical ? "Power of the supply" : "Mechanical power of all joints", "power, W", NULL, power,
              out);
}

/* Energy by cause, a bar for each motion. */
static void write_causes(const struct trajectory_report *report, bool electrical, struct buffer *out)
{
  static const char *const mechanical_causes[] = { "total", "friction", "gravity", "kinetic", "braked" };
  static const char *const electrical_causes[] = {
    "total", "copper", "gear", "friction", "gravity", "kinetic", "burnt"
  };
  enum { CAUSES = sizeof electrical_causes / sizeof *electrical_causes };
  double values[CAUSES * REPORT_MOTIONS];
  const char *names[REPORT_MOTIONS], *words[CAUSES];
  struct bar_chart chart = {
    .title = say(report, electrical ? "Electrical energy by cause" : "Mechanical energy by cause"),
    .unit = say(report, "energy, J"),
    .category_count = electrical ? CAUSES : sizeof mechanical_causes / sizeof *mechanical_causes,
    .categories = words,
    .series_count = report->motion_count,
    .series = names,
    .values = values,
  };
  report_words_all(report->language, electrical ? electrical_causes : mechanical_causes, chart.category_count, words);
  for (size_t m = 0; m < report->motion_count; m++) {
    const struct armdyn_motion_energy *e = &report->motions[m].energy;
    const struct armdyn_electrical_energy *s = &report->motions[m].electrical;
    const double of_joints[] = { e->positive_work, e->friction, e->gravity, e->kinetic, e->braked };
    const double of_supply[] = { s->total, s->copper, s->gear, s->friction, s->gravity, s->kinetic, s->burnt };
    names[m] = say(report, report->motions[m].name);
    for (size_t c = 0; c < chart.category_count; c++) {
      double energy = electrical ? of_supply[c] : of_joints[c], total = electrical ? s->total : e->positive_work;
      values[c * report->motion_count + m] = fabs(energy) > ROUNDING * fabs(total) ? energy : 0;
    }
  }
  bar_chart_write(&chart, out);
}

/* Where the energy of each drive is lost. */
static void write_drives(const struct trajectory_report *report, struct buffer *out)
{
  static const char *const causes[] = { "copper", "gear", "friction" };
  const size_t n = report->robot->joint_count;
  const char *names[N], *words[3];
  double values[N * 3];
  for (size_t j = 0; j < n; j++) {
    const struct armdyn_drive_energy *drive = &report->motions[0].electrical.by_joint[j];
    const double lost[] = { drive->copper, drive->gear, drive->friction };
    names[j] = report->robot->joints[j].name;
    memcpy(values + 3 * j, lost, sizeof lost);
  }
  const struct bar_chart chart = { say(report, "Lost in each drive"),
                                   say(report, "energy, J"),
                                   n,
                                   3,
                                   names,
                                   report_words_all(report->language, causes, 3, words),
                                   values,
                                   true };
  bar_chart_write(&chart, out);
}

static void write_energy(const struct trajectory_report *report, struct buffer *out)
{
  page_section(out, say(report, "Power and energy"));
  bool electrical = report->motions[0].bus != NULL;
  if (electrical) {
    write_power(report, true, out);
    write_causes(report, true, out);
    write_drives(report, out);
  }
  write_power(report, false, out);
  write_causes(report, false, out);
}

/* -- the tool, before and after -- */

static void write_tool(const struct trajectory_report *report, struct buffer *out)
{
  const cJSON *document = report->document;
  const double most = document_number(document, "request/tool_speed_max");
  const struct plot_limit limit = { say(report, "beyond its limit"), -INFINITY, most };
  const double *speed[REPORT_MOTIONS] = { NULL }, *acceleration[REPORT_MOTIONS] = { NULL };
  for (size_t m = 0; m < report->motion_count; m++)
    speed[m] = report->motions[m].speed, acceleration[m] = report->motions[m].acceleration;
  page_section(out, say(report, "Tool"));
  if (document_at(document, "tool_acceleration")) /* which those of earlier versions have not */
    page_text(
        out,
        say(report,
            "Its origin moves at most at %.4g m/s (at %.4g s) and accelerates by at most %.4g m/s\u00b2 (at %.4g s), "
            "gravity not in it."),
        document_number(document, "tool_speed/max"), document_number(document, "tool_speed/time"),
        document_number(document, "tool_acceleration/max"), document_number(document, "tool_acceleration/time"));
  write_lines(report, "Speed of the tool", "speed, m/s", isnan(most) ? NULL : &limit, speed, out);
  write_lines(report, "Acceleration of the tool", "acceleration, m/s\u00b2", NULL, acceleration, out);
}

/* -- other durations -- */

enum { FRONT_MEMBERS = 4 };
static const char *const front_members[FRONT_MEMBERS] = { "duration", "cost", "energy", "electrical_energy" };

/* Members of the objects of the document's "pareto"; NAN where they are null. Returns how many objects there are. */
static size_t read_front(const cJSON *document, double front[FRONT_MEMBERS][LIMIT_DURATIONS])
{
  const cJSON *item;
  size_t count = 0;
  cJSON_ArrayForEach (item, document_at(document, "pareto")) {
    if (count == LIMIT_DURATIONS) break;
    for (size_t m = 0; m < FRONT_MEMBERS; m++) front[m][count] = document_number(item, front_members[m]);
    count++;
  }
  return count;
}

static void write_front(const struct trajectory_report *report, struct buffer *out)
{
  double front[FRONT_MEMBERS][LIMIT_DURATIONS];
  const size_t count = read_front(report->document, front);
  struct plot_series cost = {
    .name = say(report, "cost"), .kind = PLOT_POINTS, .x = front[0], .y = front[1], .count = count
  };
  struct plot_series energy[] = { cost, cost };
  energy[0].name = say(report, "mechanical"), energy[0].y = front[2];
  energy[1].name = say(report, "of the supply"), energy[1].y = front[3];
  const struct plot_axis duration = { .title = say(report, "duration, s") };
  if (count == 0) return;
  page_section(out, say(report, "Other durations"));
  plot_write(&(struct plot){ .title = say(report, "Cost against duration"),
                             .x = duration,
                             .y = { .title = say(report, "cost") },
                             .series = &cost,
                             .series_count = 1 },
             out);
  plot_write(&(struct plot){ .title = say(report, "Energy against duration"),
                             .x = duration,
                             .y = { .title = say(report, "energy, J") },
                             .series = energy,
                             .series_count = report->motions[0].bus ? 2 : 1 },
             out);
}

/* -- words and figures -- */

static const char *text_at(const cJSON *document, const char *name)
{
  const char *text = document_text(document, name);
  return text ? text : "";
}

static void write_comparison(const struct trajectory_report *report, struct buffer *out)
{
  static const char *const headings[] = { "motion", "duration, s", "mechanical energy, J", "of the supply, J",
                                          "integral of (torque / limit)\u00b2, s" };
  enum { COLUMNS = sizeof headings / sizeof *headings };
  const char *words[COLUMNS];
  struct page_table table;
  page_table_begin(&table, out, report_words_all(report->language, headings, COLUMNS, words), COLUMNS);
  for (size_t m = 0; m < report->motion_count; m++) {
    const struct report_motion *motion = &report->motions[m];
    page_cell_text(&table, say(report, motion->name));
    page_cell_figure(&table, motion->rows[(motion->count - 1) * width_of(report->robot->joint_count)]);
    page_cell_figure(&table, motion->energy.positive_work);
    page_cell_figure(&table, motion->bus ? motion->electrical.total : NAN);
    page_cell_figure(&table, motion->energy.torque_cost);
  }
  page_table_end(&table);
}

/* Why it may not be transferred: a sentence each. */
static void write_blockers(const struct trajectory_report *report, struct buffer *out)
{
  const cJSON *item;
  char said[TEXT];
  page_warning(out, "%s", say(report, "It may not be transferred to a controller:"));
  cJSON_ArrayForEach (item, document_at(report->document, "blockers"))
    page_warning(out, "%s",
                 report_said(report->language, text_at(item, "code"), text_at(item, "detail"), said, sizeof said));
}

/* What was put in place of the model's payload, tool and gravity. */
static void write_conditions(const struct trajectory_report *report, struct buffer *out)
{
  static const char *const vectors[] = { "payload/com", "tool/translation", "tool/rpy", "gravity" };
  static const char *const words[] = { "Centre of mass in the tool frame, m", "Tool, m", "Tool (roll, pitch, yaw), rad",
                                       "Gravity, m/s\u00b2" };
  const cJSON *conditions = document_at(report->document, "conditions");
  const char *part = document_text(conditions, "part");
  const double mass = document_number(conditions, "payload/mass");
  double at[3];
  if (!isnan(mass))
    page_text(out, say(report, "The arm carries %.6g kg%s%s."), mass, part ? say(report, ": part ") : "",
              part ? part : "");
  for (size_t k = 0; k < sizeof vectors / sizeof *vectors; k++)
    if (document_numbers(conditions, vectors[k], at, 3) == 3)
      page_text(out, "%s: %.6g, %.6g, %.6g.", say(report, words[k]), at[0], at[1], at[2]);
}

static void write_clearance(const struct trajectory_report *report, struct buffer *out)
{
  const cJSON *document = report->document;
  const char *cell = document_text(document, "clearance/cell");
  const double bound = document_number(document, "clearance/clearance");
  if (!cell || isnan(bound)) return;
  page_text(out, say(report, "Clearance from cell %s (revision %.0f): %.4f m, between %s and %s at %.4g s."), cell,
            document_number(document, "clearance/cell_revision"), bound, document_text(document, "clearance/between/0"),
            document_text(document, "clearance/between/1"), document_number(document, "clearance/time"));
}

static void write_head(const struct trajectory_report *report, struct buffer *out)
{
  const cJSON *document = report->document;
  char said[TEXT];
  if (*text_at(document, "label")) page_text(out, "%s", text_at(document, "label"));
  page_text(out, "%s", report_said(report->language, NULL, text_at(document, "detail"), said, sizeof said));
  write_conditions(report, out);
  write_clearance(report, out);
  if (*text_at(document, "notes")) page_text(out, "%.*s", TEXT, text_at(document, "notes"));
  if (cJSON_IsFalse(document_at(document, "transferable"))) write_blockers(report, out);
}

void trajectory_report_write(const struct trajectory_report *report, struct buffer *out)
{
  char title[160], footer[160];
  const cJSON *document = report->document;
  snprintf(title, sizeof title, say(report, "Trajectory %s"), report->id);
  snprintf(footer, sizeof footer, say(report, "armdyn %s; planned %s."), armdyn_version(), report->created_at);
  page_begin(out, report->language, title);
  page_text(out, say(report, "%s motion of %s, revision %lld."), say(report, text_at(document, "method")),
            report->robot->name, report->revision);
  write_head(report, out);
  write_comparison(report, out);
  write_energy(report, out);
  write_tool(report, out);
  write_front(report, out);
  write_joints(report, out);
  page_end(out, footer);
}
