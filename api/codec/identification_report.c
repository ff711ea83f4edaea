#include "api/codec/identification_report.h"

#include <math.h>
#include <stdlib.h>

#include "api/codec/identification_report_data.h"
#include "api/json/document.h"
#include "api/report/page.h"
#include "api/report/plot.h"
#include "api/report/sentences.h"
#include "armdyn/armdyn.h"

enum { N = ARMDYN_JOINTS_MAX, TEXT = 1024, LINES = 256, CURVE_MOST = 512 };

/* -- reading the document -- */

static const char *text_at(const cJSON *in, const char *path)
{
  const char *text = document_text(in, path);
  return text ? text : "";
}

static bool has(const cJSON *in, const char *path)
{
  const cJSON *value = document_at(in, path);
  return value && !cJSON_IsNull(value);
}

/* -- the sections -- */

struct page {
  const struct identification_report *report;
  const cJSON *document;
  struct buffer *out;
  size_t n;
};

static const char *say(const struct page *p, const char *english) __attribute__((format_arg(2)));
static const char *say(const struct page *p, const char *english)
{
  return report_words(p->report->language, english);
}

/* A table with these headings. */
static void begin_table(struct page *p, struct page_table *table, const char *const *headings, size_t count)
{
  const char *words[2 * ARMDYN_FRICTION_PARAMETER_COUNT + 8];
  page_table_begin(table, p->out, report_words_all(p->report->language, headings, count, words), count);
}

static const char *joint_name(const struct page *p, size_t joint)
{
  return p->report->robot->joints[joint].name;
}

/* Columns and instruments that are not of the measured path alone. */
static void write_instruments(struct page *p)
{
  const cJSON *d = p->document;
  if (has(d, "closed_loop"))
    page_text(p->out, say(p, "%s are those of a simulated loop, in %.0f rounds%s."),
              strcmp(text_at(d, "estimator"), "didim") ? say(p, "Instruments") : say(p, "Columns"),
              document_number(d, "closed_loop/rounds"),
              document_truth(d, "closed_loop/settled") ? "" : say(p, ", which did not settle"));
  if (has(d, "instruments/cutoff_hz"))
    page_text(
        p->out,
        say(p,
            "Instruments are along the measured path filtered at %.3g Hz, for the loop is not known: noise below that "
            "is in them, too, and biases."),
        document_number(d, "instruments/cutoff_hz"));
  if (!has(d, "filter_test/p")) return;
  char along[96];
  snprintf(along, sizeof along, "%s", say(p, "of the simulated loop"));
  if (has(d, "filter_test/instrument_cutoff_hz"))
    snprintf(along, sizeof along, say(p, "along the measured path filtered at %.3g Hz"),
             document_number(d, "filter_test/instrument_cutoff_hz"));
  page_text(p->out, say(p, "Durbin, Wu and Hausman's test of the filters, by instruments %s: F = %.3g, p = %.3g: %s."),
            along, document_number(d, "filter_test/f"), document_number(d, "filter_test/p"),
            document_truth(d, "filter_test/rejected")
                ? say(p, "the columns of the regression are not sound, look at cut-offs and rate")
                : say(p, "nothing speaks against them"));
}

static void write_summary(struct page *p)
{
  const cJSON *d = p->document;
  const bool validated = has(d, "errors/validation");
  page_section(p->out, say(p, "Summary"));
  page_text(p->out, say(p, "Robot %s, revision %.0f; estimator %s."), text_at(d, "robot"),
            document_number(d, "revision"), text_at(d, "estimator"));
  page_text(p->out,
            say(p, "%.0f base parameters from %.0f samples; the data tell %.0f of them. Condition number %.4g."),
            document_number(d, "base_parameter_count"), document_number(d, "training_samples"),
            document_number(d, "rank"), document_number(d, "condition_number"));
  if (validated)
    page_text(
        p->out,
        say(p,
            "On motions that it was not learnt from, the predicted torque is off by %.3g %% of the torque as measured "
            "(%.3g %% after both went through the same filter); on its own motions by %.3g %%."),
        document_number(d, "errors/validation/raw/relative_percent"),
        document_number(d, "errors/validation/parallel/relative_percent"),
        document_number(d, "errors/training/raw/relative_percent"));
  else
    page_warning(
        p->out,
        say(p, "It was not validated: the error of %.3g %% is on the motions that it was learnt from, and says little "
               "of others."),
        document_number(d, "errors/training/raw/relative_percent"));
  if (document_truth(d, "physically_consistent"))
    page_text(p->out, say(p, "Every link's parameters belong to a possible body."));
  else
    page_warning(p->out, say(p, "Not every link's parameters belong to a possible body; see consistency below."));
  write_instruments(p);
  if (*text_at(d, "label")) page_text(p->out, say(p, "Label: %s"), text_at(d, "label"));
  if (*text_at(d, "notes")) page_text(p->out, say(p, "Notes: %.900s"), text_at(d, "notes"));
}

static void write_warnings(struct page *p)
{
  const cJSON *item;
  char said[TEXT];
  page_section(p->out, say(p, "Warnings"));
  size_t count = 0;
  cJSON_ArrayForEach (item, document_at(p->document, "warnings")) {
    page_warning(p->out, "%.64s: %.800s", text_at(item, "code"),
                 report_said(p->report->language, text_at(item, "code"), text_at(item, "detail"), said, sizeof said));
    count++;
  }
  if (!count) page_text(p->out, say(p, "None."));
}

static void write_errors(struct page *p)
{
  static const char *const kinds[] = { "training/raw", "validation/raw", "validation/parallel" };
  static const char *const headings[] = { "joint",          "rms, training",          "rms, validation",
                                          "validation, %",  "NRMSE of validation, %", "R\u00b2, validation",
                                          "max, validation" };
  const char *joints[N], *const names[] = { say(p, "training"), say(p, "validation"),
                                            say(p, "validation, both filtered") };
  double values[N * 3];
  char path[96];
  struct page_table table;
  page_section(p->out, say(p, "Errors of each joint"));
  for (size_t j = 0; j < p->n; j++) {
    joints[j] = joint_name(p, j);
    for (size_t k = 0; k < 3; k++) {
      snprintf(path, sizeof path, "errors/%s/joints/%zu/relative_percent", kinds[k], j);
      values[j * 3 + k] = document_number(p->document, path);
    }
  }
  const struct bar_chart chart = { .title = say(p, "Relative error"),
                                   .unit = say(p, "|e| / |torque|, %"),
                                   .category_count = p->n,
                                   .series_count = 3,
                                   .categories = joints,
                                   .series = names,
                                   .values = values };
  bar_chart_write(&chart, p->out);
  begin_table(p, &table, headings, sizeof headings / sizeof *headings);
  for (size_t j = 0; j < p->n; j++) {
    static const char *const figures[] = { "training/raw/joints/%zu/rms",
                                           "validation/raw/joints/%zu/rms",
                                           "validation/raw/joints/%zu/relative_percent",
                                           "validation/raw/joints/%zu/nrmse_percent",
                                           "validation/raw/joints/%zu/r2",
                                           "validation/raw/joints/%zu/max" };
    page_cell_text(&table, joint_name(p, j));
    for (size_t f = 0; f < sizeof figures / sizeof *figures; f++) {
      const char *number = strstr(figures[f], "%zu");
      snprintf(path, sizeof path, "errors/%.*s%zu%s", (int)(number - figures[f]), figures[f], j, number + 3);
      page_cell_figure(&table, document_number(p->document, path));
    }
  }
  page_table_end(&table);
}

static void write_torques(struct page *p)
{
  const size_t width = 2 + 3 * p->n;
  const double *rows = p->report->rows;
  if (!p->report->row_count) return;
  page_section(p->out, say(p, "Measured and predicted torque"));
  page_text(p->out, say(p, "All data sets one after the other, those of the training first; torque as filtered."));
  for (size_t j = 0; j < p->n; j++) {
    struct plot_series series[2] = {
      { .name = say(p, "measured"), .y = rows + 2 + p->n + j },
      { .name = say(p, "predicted"), .y = rows + 2 + 2 * p->n + j },
    };
    for (size_t s = 0; s < 2; s++) {
      series[s].x = rows;
      series[s].count = p->report->row_count;
      series[s].x_step = series[s].y_step = width;
    }
    const bool slides = p->report->robot->joints[j].type == ARMDYN_PRISMATIC;
    const struct plot plot = { .title = joint_name(p, j),
                               .x = { .title = say(p, "time, s") },
                               .y = { .title = say(p, slides ? "force, N" : "torque, N m") },
                               .series = series,
                               .series_count = 2 };
    plot_write(&plot, p->out);
  }
}

static void write_residuals(struct page *p)
{
  double frequency[LINES], *density = calloc(N * LINES, sizeof *density);
  struct plot_series series[N];
  char path[64];
  const size_t lines = document_numbers(p->document, "residuals/spectrum/frequency_hz", frequency, LINES);
  page_section(p->out, say(p, "What is left"));
  page_text(p->out,
            say(p,
                "Filtered minus predicted torque, of the %s data. A flat spectrum is noise; a peak is something that "
                "the model does not have."),
            say(p, text_at(p->document, "residuals/of")));
  for (size_t j = 0; density && j < p->n; j++) {
    snprintf(path, sizeof path, "residuals/spectrum/joints/%zu", j);
    const size_t count = document_numbers(p->document, path, density + j * LINES, lines);
    series[j] =
        (struct plot_series){ .name = joint_name(p, j), .x = frequency, .y = density + j * LINES, .count = count };
  }
  const struct plot plot = { .title = say(p, "Spectrum of the residuals"),
                             .x = { .title = say(p, "frequency, Hz") },
                             .y = { .title = say(p, "density, (N m)\u00b2/Hz"), .logarithmic = true },
                             .series = series,
                             .series_count = p->n };
  if (density && lines) plot_write(&plot, p->out);
  free(density);
}

static void write_histograms(struct page *p)
{
  enum { BINS = 64 };
  double counts[BINS], centres[BINS];
  char path[64];
  for (size_t j = 0; j < p->n; j++) {
    snprintf(path, sizeof path, "residuals/histograms/%zu/counts", j);
    const size_t bins = document_numbers(p->document, path, counts, BINS);
    snprintf(path, sizeof path, "residuals/histograms/%zu/range", j);
    const double range = document_number(p->document, path);
    for (size_t b = 0; b < bins; b++) centres[b] = range * ((2 * (double)b + 1) / (double)bins - 1);
    const struct plot_series series = { .name = joint_name(p, j), .x = centres, .y = counts, .count = bins };
    char title[ARMDYN_NAME_SIZE + 32];
    snprintf(title, sizeof title, say(p, "Residuals of %s"), joint_name(p, j));
    const struct plot plot = { .title = title,
                               .x = { .title = say(p, "residual, N m (N)") },
                               .y = { .title = say(p, "samples") },
                               .series = &series,
                               .series_count = 1 };
    if (bins && range > 0) plot_write(&plot, p->out);
  }
}

/* The curve that the document carries; older documents have none. */
static void write_friction_curve(struct page *p, size_t j)
{
  double velocity[CURVE_MOST], torque[CURVE_MOST];
  char path[64], title[ARMDYN_NAME_SIZE + 32];
  snprintf(path, sizeof path, "parameters/friction/%zu/curve/velocity", j);
  const size_t count = document_numbers(p->document, path, velocity, CURVE_MOST);
  snprintf(path, sizeof path, "parameters/friction/%zu/curve/torque", j);
  if (!count || document_numbers(p->document, path, torque, CURVE_MOST) != count) return;
  const struct plot_series series = { .name = joint_name(p, j), .x = velocity, .y = torque, .count = count };
  snprintf(title, sizeof title, say(p, "Friction of %s"), joint_name(p, j));
  const struct plot plot = { .title = title,
                             .x = { .title = say(p, "velocity, rad/s (m/s)") },
                             .y = { .title = say(p, "friction, N m (N)") },
                             .series = &series,
                             .series_count = 1 };
  plot_write(&plot, p->out);
}

static double friction_at(const struct page *p, size_t j, const char *below, const char *parameter)
{
  char path[64];
  snprintf(path, sizeof path, "parameters/friction/%zu/%s%s", j, below, parameter);
  return document_number(p->document, path);
}

/* Names of the parameters over the velocity that any joint has. */
static size_t friction_shown(const struct page *p, const char **names)
{
  size_t count = 0;
  for (size_t k = 0; k < ARMDYN_FRICTION_PARAMETER_COUNT; k++) {
    const struct armdyn_friction_parameter_info *info =
        armdyn_friction_parameter_info((enum armdyn_friction_parameter)k);
    bool any = false;
    for (size_t j = 0; j < p->n && !any; j++) any = !isnan(friction_at(p, j, "", info->name));
    if (any && !info->over_angle) names[count++] = info->name;
  }
  return count;
}

static void write_friction(struct page *p)
{
  const char *shown[ARMDYN_FRICTION_PARAMETER_COUNT], *headings[2 * ARMDYN_FRICTION_PARAMETER_COUNT + 1] = { "joint" };
  struct page_table table;
  if (has(p->document, "payload")) return;
  page_section(p->out, say(p, "Friction"));
  for (size_t j = 0; j < p->n; j++) write_friction_curve(p, j);
  const size_t count = friction_shown(p, shown);
  for (size_t k = 0; k < count; k++) headings[2 * k + 1] = shown[k], headings[2 * k + 2] = "\u00b1";
  begin_table(p, &table, headings, 2 * count + 1);
  for (size_t j = 0; j < p->n; j++) {
    page_cell_text(&table, joint_name(p, j));
    for (size_t k = 0; k < count; k++) {
      page_cell_estimate(&table, friction_at(p, j, "", shown[k]), friction_at(p, j, "std/", shown[k]));
    }
  }
  page_table_end(&table);
}

/* What was tried for each joint's friction, where it was chosen. */
static void write_trials(struct page *p)
{
  static const char *const headings[] = {
    "joint", "term", "velocity, rad/s (m/s)", "exponent", "held-out error, %", "gain, standard errors", "kept"
  };
  struct page_table table;
  const cJSON *joint, *trial;
  if (!has(p->document, "friction_selection/0")) return;
  page_section(p->out, say(p, "What was tried of friction"));
  page_text(
      p->out,
      say(p,
          "On parts of the training data that it was not fitted to: the joint's error with the term and all that was "
          "kept before it, and the mean of what it gains on a part in standard errors of that mean."));
  begin_table(p, &table, headings, sizeof headings / sizeof *headings);
  cJSON_ArrayForEach (joint, document_at(p->document, "friction_selection")) {
    cJSON_ArrayForEach (trial, document_at(joint, "trials")) {
      page_cell_text(&table, text_at(joint, "joint"));
      page_cell_text(&table, text_at(trial, "term"));
      page_cell_figure(&table, document_number(trial, "velocity"));
      page_cell_figure(&table, document_number(trial, "exponent"));
      page_cell_figure(&table, document_number(trial, "relative_percent"));
      page_cell_figure(&table, document_number(trial, "gain"));
      page_cell_text(&table, say(p, document_truth(trial, "kept") ? "yes" : "no"));
    }
  }
  page_table_end(&table);
}

static void write_parameters(struct page *p)
{
  static const char *const base[] = { "base parameter", "value", "standard deviation", "%" };
  static const char *const standard[] = { "joint", "parameter", "model", "identified", "standard deviation" };
  struct page_table table;
  const cJSON *item;
  if (has(p->document, "payload")) return; /* the arm is the model's */
  page_section(p->out, say(p, "Base parameters"));
  page_text(p->out, say(p, "The combinations that motion tells apart, in SI units."));
  begin_table(p, &table, base, 4);
  cJSON_ArrayForEach (item, document_at(p->document, "parameters/base")) {
    page_cell_text(&table, text_at(item, "expression"));
    page_cell_estimate(&table, document_number(item, "value"), document_number(item, "std"));
    page_cell_figure(&table, document_number(item, "relative_std_percent"));
  }
  page_table_end(&table);
  page_section(p->out, say(p, "Standard parameters"));
  page_text(p->out,
            say(p,
                "What has these base parameters and is nearest to the model, about the origins of the link frames, in "
                "SI units. A deviation of 0 is of what the data tell nothing about."));
  begin_table(p, &table, standard, 5);
  cJSON_ArrayForEach (item, document_at(p->document, "parameters/standard")) {
    page_cell_text(&table, text_at(item, "joint"));
    page_cell_text(&table, text_at(item, "name"));
    page_cell_figure(&table, document_number(item, "prior"));
    page_cell_estimate(&table, document_number(item, "value"), document_number(item, "std"));
  }
  page_table_end(&table);
}

/* What the arm carries, where that was asked for. */
static void write_payload(struct page *p)
{
  static const char *const headings[] = { "parameter", "value", "standard deviation" };
  struct page_table table;
  const cJSON *item;
  if (!has(p->document, "payload")) return;
  page_section(p->out, say(p, "Payload"));
  page_text(p->out, say(p, "%.4g kg, centre of mass at (%.4g, %.4g, %.4g) m in the tool frame."),
            document_number(p->document, "payload/body/mass"), document_number(p->document, "payload/body/com/0"),
            document_number(p->document, "payload/body/com/1"), document_number(p->document, "payload/body/com/2"));
  begin_table(p, &table, headings, 3);
  cJSON_ArrayForEach (item, document_at(p->document, "payload/parameters")) {
    page_cell_text(&table, text_at(item, "name"));
    page_cell_estimate(&table, document_number(item, "value"), document_number(item, "std"));
  }
  page_table_end(&table);
}

static void write_consistency(struct page *p)
{
  const cJSON *item;
  if (has(p->document, "payload")) return;
  page_section(p->out, say(p, "Consistency"));
  cJSON_ArrayForEach (item, document_at(p->document, "links")) {
    if (document_truth(item, "physically_consistent"))
      page_text(p->out, say(p, "%.64s: a possible body."), text_at(item, "joint"));
    else
      page_warning(p->out, say(p, "%.64s: no body has these parameters."), text_at(item, "joint"));
  }
}

static void write_data(struct page *p)
{
  identification_report_data_write(p->document, p->report->language, p->out);
}

static void write_provenance(struct page *p)
{
  static const char *const headings[] = { "data set", "label", "role", "samples", "SHA-256" };
  struct page_table table;
  const cJSON *item;
  page_section(p->out, say(p, "Computed from"));
  page_text(
      p->out,
      say(p, "Model of the robot, SHA-256 %s; filtered at %.4g Hz (positions) and %.4g Hz (torques), %.4g s cut off "
             "both ends; seed %.0f."),
      text_at(p->document, "provenance/robot_sha256"), document_number(p->document, "conditioning/position_cutoff_hz"),
      document_number(p->document, "conditioning/torque_cutoff_hz"), document_number(p->document, "conditioning/trim"),
      document_number(p->document, "provenance/seed"));
  begin_table(p, &table, headings, 5);
  cJSON_ArrayForEach (item, document_at(p->document, "provenance/datasets")) {
    page_cell_text(&table, text_at(item, "id"));
    page_cell_text(&table, text_at(item, "label"));
    page_cell_text(&table, say(p, text_at(item, "role")));
    page_cell_figure(&table, document_number(item, "samples"));
    page_cell_text(&table, text_at(item, "sha256"));
  }
  page_table_end(&table);
}

void identification_report_write(const struct identification_report *report, struct buffer *out)
{
  static void (*const sections[])(
      struct page *) = { write_summary,     write_warnings, write_errors,    write_torques, write_residuals,
                         write_histograms,  write_payload,  write_friction,  write_trials,  write_parameters,
                         write_consistency, write_data,     write_provenance };
  cJSON *document = document_open(report->document);
  struct page page = { .report = report, .document = document, .out = out, .n = report->robot->joint_count };
  char title[TEXT + 64], footer[TEXT + 64];
  snprintf(title, sizeof title, say(&page, "Identification %s"), text_at(page.document, "id"));
  page_begin(out, report->language, title);
  for (size_t i = 0; i < sizeof sections / sizeof *sections; i++) sections[i](&page);
  snprintf(footer, sizeof footer, say(&page, "armdyn %s; computed %s."), text_at(page.document, "provenance/version"),
           text_at(page.document, "created_at"));
  page_end(out, footer);
  if (!document) out->failure = ARMDYN_EMEMORY;
  document_close(document);
}
