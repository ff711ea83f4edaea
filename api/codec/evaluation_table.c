#include "api/codec/evaluation_table.h"

#include <math.h>
#include <string.h>

#include "api/csv/text.h"
#include "api/json/document.h"

static const char *const comparisons[] = { "raw", "parallel" };
enum { COMPARED = sizeof comparisons / sizeof *comparisons };

/* The figures of one error. */
struct figures {
  double error, low, high, above, above_low, above_high;
};

static double bound_at(const cJSON *in, const char *path, int index)
{
  const cJSON *bound = cJSON_GetArrayItem(document_at(in, path), index);
  return cJSON_IsNumber(bound) ? bound->valuedouble : NAN;
}

/*   errors, intervals  in  of all joints together, or of one; NULL: not known */
static struct figures figures_of(const cJSON *errors, const cJSON *intervals)
{
  return (struct figures){ .error = document_number(errors, "relative_percent"),
                           .low = bound_at(intervals, "interval_percent", 0),
                           .high = bound_at(intervals, "interval_percent", 1),
                           .above = document_number(intervals, "difference_percent"),
                           .above_low = bound_at(intervals, "difference_interval_percent", 0),
                           .above_high = bound_at(intervals, "difference_interval_percent", 1) };
}

/* Of a comparison, as "errors" and "intervals" have it. */
static const cJSON *compared(const cJSON *entry, const char *what, const char *comparison)
{
  return document_at(document_at(entry, what), comparison);
}

static const cJSON *find(const cJSON *list, const char *name, const char *value)
{
  const cJSON *item;
  cJSON_ArrayForEach (item, list) {
    const char *text = document_text(item, name);
    if (text && value && !strcmp(text, value)) return item;
  }
  return NULL;
}

static const char *text_at(const cJSON *in, const char *path)
{
  const char *text = document_text(in, path);
  return text ? text : "";
}

/* "": none */
static const char *leak_of(const cJSON *entry)
{
  return text_at(entry, "leaks/0/kind");
}

/* Labels are what people call a data set; it need not have one. */
static const char *label_of(const cJSON *evaluation, const char *id)
{
  return text_at(find(document_at(evaluation, "provenance/datasets"), "id", id), "label");
}

/* -- for programs -- */

static void write_number(struct buffer *out, double value, const char *end)
{
  if (isfinite(value)) json_write_number(&(struct json_writer){ .out = out }, value);
  buffer_text(out, end);
}

/* What all rows of a model on a data set begin with. */
static void begin_row(struct buffer *out, const cJSON *evaluation, const cJSON *entry, const char *comparison)
{
  const char *model = text_at(entry, "model"), *dataset = text_at(entry, "dataset");
  csv_write_text(out, model, ',');
  write_number(out, document_number(find(document_at(evaluation, "models"), "model", model), "revision"), ",");
  csv_write_text(out, dataset, ',');
  csv_write_text(out, label_of(evaluation, dataset), ',');
  csv_write_text(out, leak_of(entry), ',');
  csv_write_text(out, comparison, ',');
}

static void end_row(struct buffer *out, const cJSON *evaluation, const cJSON *entry, const char *best,
                    const struct figures *f)
{
  const cJSON *bootstrap = document_at(evaluation, "bootstrap");
  const cJSON *blocks = find(document_at(bootstrap, "datasets"), "dataset", text_at(entry, "dataset"));
  write_number(out, document_number(entry, "errors/samples"), ",");
  write_number(out, f->error, ",");
  write_number(out, f->low, ",");
  write_number(out, f->high, ",");
  csv_write_text(out, best, ',');
  write_number(out, f->above, ",");
  write_number(out, f->above_low, ",");
  write_number(out, f->above_high, ",");
  write_number(out, document_number(bootstrap, "level"), ",");
  write_number(out, document_number(bootstrap, "resamples"), ",");
  write_number(out, document_number(blocks, "block_length"), "\r\n");
}

static void write_compared(struct buffer *out, const cJSON *evaluation, const cJSON *entry, const char *comparison)
{
  const cJSON *errors = compared(entry, "errors", comparison), *intervals = compared(entry, "intervals", comparison);
  const char *best = text_at(intervals, "best");
  const cJSON *joints = document_at(errors, "joints");
  struct figures f = figures_of(errors, intervals);
  begin_row(out, evaluation, entry, comparison);
  buffer_text(out, "all,");
  end_row(out, evaluation, entry, best, &f);
  for (int j = 0; j < cJSON_GetArraySize(joints); j++) {
    f = figures_of(cJSON_GetArrayItem(joints, j), cJSON_GetArrayItem(document_at(intervals, "joints"), j));
    begin_row(out, evaluation, entry, comparison);
    buffer_format(out, "%d,", j + 1);
    end_row(out, evaluation, entry, best, &f);
  }
}

void evaluation_table_csv(const char *document, struct buffer *out)
{
  cJSON *evaluation = document_open(document);
  const cJSON *entry;
  buffer_text(
      out, "model,revision,dataset,label,leak,comparison,joint,samples,relative_percent,low_percent,high_percent,"
           "best,difference_percent,difference_low_percent,difference_high_percent,level,resamples,block_length\r\n");
  cJSON_ArrayForEach (entry, document_at(evaluation, "evaluations"))
    for (int c = 0; c < COMPARED; c++) write_compared(out, evaluation, entry, comparisons[c]);
  if (!evaluation) out->failure = ARMDYN_EMEMORY;
  document_close(evaluation);
}

/* -- for papers -- */

struct style {
  void (*text)(struct buffer *out, const char *text);
  const char *row, *cell, *row_end; /* what rows begin and end with, and what is between cells */
  const char *leak, *minus, *none, *percent, *line_end;
};

/* With a backslash before each of some. */
static void escape(struct buffer *out, const char *text, const char *special)
{
  for (; *text; text++) {
    if (strchr(special, *text)) buffer_text(out, "\\");
    buffer_append(out, text, 1);
  }
}

static void markdown_text(struct buffer *out, const char *text)
{
  escape(out, text, "\\`*_{}[]<>#|~");
}

static void latex_text(struct buffer *out, const char *text)
{
  static const char special[] = "\\^~<>|\"";
  static const char *const commands[] = { "\\textbackslash{}", "\\textasciicircum{}", "\\textasciitilde{}",
                                          "\\textless{}",      "\\textgreater{}",     "\\textbar{}",
                                          "\\textquotedbl{}" };
  for (; *text; text++) {
    const char *at = strchr(special, *text);
    if (at)
      buffer_text(out, commands[at - special]);
    else
      escape(out, (char[]){ *text, 0 }, "{}$&#_%");
  }
}

static const struct style markdown = { markdown_text, "| ", " | ", " |\n", "†", "−", "–", " %", "\n" };
static const struct style latex = { latex_text, "", " & ", " \\\\\n", "$^\\dagger$", "$-$", "--", "\\,\\%", "\n" };

/* Two decimals; two digits of what has none there. */
static void cite(struct buffer *out, const struct style *style, double value)
{
  const double size = fabs(value);
  if (isnan(value))
    buffer_text(out, style->none);
  else
    buffer_format(out, size > 0 && size < 0.1 ? "%s%.2g" : "%s%.2f", value < 0 ? style->minus : "", size);
}

static void cite_with(struct buffer *out, const struct style *style, double value, double low, double high)
{
  cite(out, style, value);
  if (isnan(low) || isnan(high)) return;
  buffer_text(out, " [");
  cite(out, style, low);
  buffer_text(out, ", ");
  cite(out, style, high);
  buffer_text(out, "]");
}

static void cite_entry(struct buffer *out, const struct style *style, const cJSON *evaluation, const cJSON *entry)
{
  const char *dataset = text_at(entry, "dataset"), *label = label_of(evaluation, dataset);
  const cJSON *joint;
  buffer_text(out, style->row);
  style->text(out, *label ? label : dataset);
  buffer_text(out, style->cell);
  style->text(out, text_at(entry, "model"));
  if (*leak_of(entry)) buffer_text(out, style->leak);
  for (int c = 0; c < COMPARED; c++) {
    const struct figures f =
        figures_of(compared(entry, "errors", comparisons[c]), compared(entry, "intervals", comparisons[c]));
    buffer_text(out, style->cell);
    cite_with(out, style, f.error, f.low, f.high);
    buffer_text(out, style->cell);
    cite_with(out, style, f.above, f.above_low, f.above_high);
  }
  cJSON_ArrayForEach (joint, document_at(entry, "errors/raw/joints")) {
    buffer_text(out, style->cell);
    cite(out, style, document_number(joint, "relative_percent"));
  }
  buffer_text(out, style->row_end);
}

static int count_joints(const cJSON *evaluation)
{
  return cJSON_GetArraySize(document_at(evaluation, "evaluations/0/errors/raw/joints"));
}

static void write_head(struct buffer *out, const struct style *style, int joints)
{
  static const char *const heads[] = { "data set",         "model",    "raw",
                                       "raw, to the best", "parallel", "parallel, to the best" };
  for (size_t k = 0; k < sizeof heads / sizeof *heads; k++)
    buffer_format(out, "%s%s", k ? style->cell : style->row, heads[k]);
  for (int j = 1; j <= joints; j++) buffer_format(out, "%sjoint %d", style->cell, j);
  buffer_text(out, style->row_end);
}

/* Data set by data set, so that models on the same one stand together. */
static void write_rows(struct buffer *out, const struct style *style, const cJSON *evaluation)
{
  const cJSON *dataset, *entry;
  cJSON_ArrayForEach (dataset, document_at(evaluation, "datasets"))
    cJSON_ArrayForEach (entry, document_at(evaluation, "evaluations")) {
      const char *id = cJSON_GetStringValue(dataset);
      if (id && !strcmp(text_at(entry, "dataset"), id)) cite_entry(out, style, evaluation, entry);
    }
}

static void write_method(struct buffer *out, const struct style *style, const cJSON *evaluation)
{
  const cJSON *bootstrap = document_at(evaluation, "bootstrap"), *blocks;
  if (!bootstrap) return;
  buffer_format(out, "Intervals of %g%s by moving blocks, %g resamples, seed %.0f; blocks",
                100 * document_number(bootstrap, "level"), style->percent, document_number(bootstrap, "resamples"),
                document_number(bootstrap, "seed"));
  const char *separator = " of ";
  cJSON_ArrayForEach (blocks, document_at(bootstrap, "datasets")) {
    const char *id = text_at(blocks, "dataset"), *label = label_of(evaluation, id);
    buffer_text(out, separator);
    separator = ", ";
    cite(out, style, document_number(blocks, "block_length"));
    buffer_text(out, " s on ");
    style->text(out, *label ? label : id);
  }
  buffer_format(out, ".%s", style->line_end);
}

static void write_notes(struct buffer *out, const struct style *style, const cJSON *evaluation)
{
  const cJSON *conditioning = document_at(evaluation, "conditioning");
  const bool tracking = !strcmp(text_at(conditioning, "method"), "tracking_differentiator");
  buffer_format(
      out,
      "Relative errors of torques in percent: raw, against the torque as measured; parallel, both through the same "
      "low-pass. Joints: raw. To the best: percentage points above the best model on the same data, of those not "
      "marked if there are any.%s",
      style->line_end);
  buffer_format(out, "Conditioning of all: %s, %.6g Hz, positions %.4g Hz, torques %.4g Hz, %.3g s off either end.%s",
                tracking ? "tracking differentiator" : "Butterworth", document_number(conditioning, "rate"),
                document_number(conditioning, "position_cutoff_hz"), document_number(conditioning, "torque_cutoff_hz"),
                document_number(conditioning, "trim"), style->line_end);
  write_method(out, style, evaluation);
  buffer_format(out, "%s identified from these data, a part of them, or their motion, as far as that is stored.%s",
                style->leak, style->line_end);
  buffer_format(out, "Evaluation %s by armdyn %s.%s", text_at(evaluation, "id"),
                text_at(evaluation, "provenance/version"), style->line_end);
}

void evaluation_table_markdown(const char *document, struct buffer *out)
{
  cJSON *evaluation = document_open(document);
  const int joints = count_joints(evaluation);
  write_head(out, &markdown, joints);
  buffer_text(out, "|---|---");
  for (int k = 0; k < 2 * COMPARED + joints; k++) buffer_text(out, "|---:");
  buffer_text(out, "|\n");
  write_rows(out, &markdown, evaluation);
  buffer_text(out, "\n");
  write_notes(out, &markdown, evaluation);
  if (!evaluation) out->failure = ARMDYN_EMEMORY;
  document_close(evaluation);
}

void evaluation_table_latex(const char *document, struct buffer *out)
{
  cJSON *evaluation = document_open(document);
  const int joints = count_joints(evaluation);
  buffer_text(out, "\\begin{tabular}{ll");
  for (int k = 0; k < 2 * COMPARED + joints; k++) buffer_text(out, "r");
  buffer_text(out, "}\n\\hline\n");
  write_head(out, &latex, joints);
  buffer_text(out, "\\hline\n");
  write_rows(out, &latex, evaluation);
  buffer_text(out, "\\hline\n\\end{tabular}\n\n");
  write_notes(out, &latex, evaluation);
  if (!evaluation) out->failure = ARMDYN_EMEMORY;
  document_close(evaluation);
}
