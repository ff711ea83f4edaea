#include "api/codec/shift_report.h"

#include <math.h>
#include <string.h>

#include "api/csv/text.h"
#include "api/json/document.h"
#include "api/report/markup.h"
#include "api/report/page.h"
#include "api/report/sentences.h"
#include "armdyn/armdyn.h"

/* The text of a number is as the JSON has it, to the last digit; NULL: null. */
static const char *value_text(const cJSON *value)
{
  return cJSON_IsString(value) || cJSON_IsNumber(value) ? value->valuestring : NULL;
}

/* -- for a spreadsheet -- */

static const char *unit_of(const char *quantity)
{
  static const struct {
    const char *quantity, *unit;
  } units[] = {
    { "running_time", "s" },
    { "held_time", "s" },
    { "idle_time", "s" },
    { "mechanical_energy_modelled", "J" },
    { "electrical_energy_modelled", "J" },
    { "mechanical_energy_measured", "J" },
    { "electrical_energy_modelled_from_measured", "J" },
    { "deviation_at", "s" },
  };
  for (size_t k = 0; k < sizeof units / sizeof *units; k++)
    if (!strcmp(units[k].quantity, quantity)) return units[k].unit;
  return "";
}

static void write_row(struct buffer *out, const char *section, const char *name, const cJSON *value)
{
  const char *text = value_text(value);
  csv_write_text(out, section, ',');
  csv_write_text(out, name ? name : "", ',');
  csv_write_text(out, value->string, ',');
  if (cJSON_IsNumber(value))
    buffer_format(out, "%s,", text);
  else
    csv_write_text(out, text ? text : "", ',');
  csv_write_text(out, unit_of(value->string), '\r');
  buffer_text(out, "\n");
}

static void write_object(struct buffer *out, const char *section, const char *name, const cJSON *first)
{
  for (const cJSON *value = first; value; value = value->next)
    if (!cJSON_IsArray(value) && !cJSON_IsObject(value)) write_row(out, section, name, value);
}

void shift_report_write_csv(const char *document, struct buffer *out)
{
  cJSON *report = document_open(document);
  const cJSON *section, *item;
  buffer_text(out, "section,name,quantity,value,unit\r\n");
  write_object(out, "shift", NULL, report ? report->child : NULL);
  cJSON_ArrayForEach (section, report) {
    if (cJSON_IsObject(section)) write_object(out, section->string, NULL, section->child);
    if (!cJSON_IsArray(section)) continue;
    cJSON_ArrayForEach (item, section) /* its first member names it */
      write_object(out, section->string, value_text(item->child), item->child->next);
  }
  if (!report) out->failure = ARMDYN_EMEMORY;
  document_close(report);
}

/* -- for paper -- */

struct column {
  const char *heading, *path;
  const char *code; /* NULL: the text is a name; else where its code stands, if it has one */
};

static void write_table(struct buffer *out, enum report_language language, const cJSON *rows,
                        const struct column *columns, size_t count)
{
  enum { COLUMNS_MOST = 8 };
  const char *headings[COLUMNS_MOST];
  struct page_table table;
  const cJSON *row;
  char said[512];
  for (size_t k = 0; k < count; k++) headings[k] = report_words(language, columns[k].heading);
  page_table_begin(&table, out, headings, count);
  cJSON_ArrayForEach (row, rows)
    for (size_t k = 0; k < count; k++) {
      const char *text = value_text(document_at(row, columns[k].path));
      const char *code = columns[k].code ? document_text(row, columns[k].code) : NULL;
      const double number = document_number(row, columns[k].path);
      if (!isnan(number) && number != round(number)) text = markup_figure(markup_seen(number, 1), said);
      if (text && columns[k].code) text = report_said(language, code, report_words(language, text), said, sizeof said);
      page_cell_text(&table, text ? text : "\u2013");
    }
  page_table_end(&table);
}

static void write_summary(struct buffer *out, enum report_language language, const cJSON *report)
{
  static const char *const headings[] = { "quantity", "value" };
  static const struct {
    const char *label, *path;
    bool lasts;
  } lines[] = {
    { "Orders done", "orders/done", false },
    { "Orders stopped", "orders/stopped", false },
    { "Orders failed", "orders/failed", false },
    { "Orders interrupted", "orders/interrupted", false },
    { "Orders open at its end", "orders/open", false },
    { "Running", "running_time", true },
    { "Held", "held_time", true },
    { "Idle", "idle_time", true },
    { "Orders measured", "measured_orders", false },
  };
  const char *words[2];
  char lasting[MARKUP_FIGURE];
  struct page_table table;
  page_table_begin(&table, out, report_words_all(language, headings, 2, words), 2);
  for (size_t k = 0; k < sizeof lines / sizeof *lines; k++) {
    const cJSON *value = document_at(report, lines[k].path);
    page_cell_text(&table, report_words(language, lines[k].label));
    page_cell_text(&table, lines[k].lasts      ? markup_lasting(document_number(report, lines[k].path), lasting)
                           : value_text(value) ? value_text(value)
                                               : "\u2013");
  }
  page_table_end(&table);
}

/* "order 01JD6Z... (4711), joint j2: -0.0012 rad at 0.43 s; tolerance 0.05 rad" */
static void write_worst(struct buffer *out, enum report_language language, const cJSON *worst)
{
  const char *unit = document_text(worst, "unit"), *job_order = document_text(worst, "job_order_id");
  const double most = document_number(worst, "tolerance");
  char off[MARKUP_FIGURE], at[MARKUP_FIGURE], tolerance[MARKUP_FIGURE];
  if (!cJSON_IsObject(worst)) {
    page_text(out, "%s", report_words(language, "Nothing was measured."));
    return;
  }
  page_text(out,
            report_words(language, "Farthest from its plan: order %s%s%s%s, joint %s, %s %s at %s s; tolerance %s %s."),
            document_text(worst, "order"), job_order ? " (" : "", job_order ? job_order : "", job_order ? ")" : "",
            document_text(worst, "joint"), markup_figure(markup_seen(document_number(worst, "deviation"), 1), off),
            unit, markup_figure(document_number(worst, "deviation_at"), at), markup_figure(most, tolerance),
            isnan(most) ? "" : unit);
}

void shift_report_write_page(const char *document, enum report_language language, struct buffer *out)
{
  static const struct column parts[] = {
    { "Part", "part", NULL },
    { "Orders", "done", NULL },
    { "Work of the joints, modelled, J", "mechanical_energy_modelled", NULL },
    { "Electricity, modelled, J", "electrical_energy_modelled", NULL },
    { "Orders measured", "measured", NULL },
    { "Work of these, measured, J", "mechanical_energy_measured", NULL },
    { "Electricity of these, modelled from what was measured, J", "electrical_energy_modelled_from_measured", NULL },
  };
  static const struct column failures[] = {
    { "Order", "order", NULL },       { "Job order", "job_order_id", NULL }, { "State", "state", "code" },
    { "Ended", "finished_at", NULL }, { "Reason", "reason", "code" },
  };
  static const struct column alarms[] = { { "Since", "since", NULL },
                                          { "Until", "until", NULL },
                                          { "Alarm", "text", "code" },
                                          { "Acknowledged by", "acknowledged_by", NULL } };
  char footer[64];
  cJSON *report = document_open(document);
  snprintf(footer, sizeof footer, "armdyn %s", armdyn_version());
  page_begin(out, language, report_words(language, "Report of a shift"));
  page_text(out, report_words(language, "Controller %s, from %s to %s."), document_text(report, "controller"),
            document_text(report, "from"), document_text(report, "to"));
  write_summary(out, language, report);
  write_worst(out, language, document_at(report, "worst_deviation"));
  page_section(out, report_words(language, "What was done"));
  write_table(out, language, document_at(report, "parts"), parts, sizeof parts / sizeof *parts);
  page_section(out, report_words(language, "What was not"));
  write_table(out, language, document_at(report, "failures"), failures, sizeof failures / sizeof *failures);
  page_section(out, report_words(language, "Alarms"));
  write_table(out, language, document_at(report, "alarms"), alarms, sizeof alarms / sizeof *alarms);
  page_end(out, footer);
  if (!report) out->failure = ARMDYN_EMEMORY;
  document_close(report);
}
