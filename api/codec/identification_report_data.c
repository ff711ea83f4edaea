/* What an identification found of its data before it estimated. To add a list: a row of `lists`. */
#include "api/codec/identification_report_data.h"

#include "api/report/page.h"

/* A member of each item, and how it is shown. */
struct column {
  const char *heading, *member;
  enum { AS_TEXT, AS_FIGURE, AS_YES_OR_NO } kind;
};
enum { COLUMNS_MOST = 7 };

static const char *text_at(const cJSON *in, const char *path)
{
  const char *text = document_text(in, path);
  return text ? text : "";
}

/* `set`: which a first column without member has; NULL: there is none. */
static void write_rows(struct page_table *table, const cJSON *list, const char *set, const struct column *columns,
                       enum report_language language)
{
  const cJSON *item;
  cJSON_ArrayForEach (item, list) {
    if (set) page_cell_text(table, set);
    for (const struct column *c = columns; c->heading; c++) {
      if (c->kind == AS_TEXT) page_cell_text(table, report_words(language, text_at(item, c->member)));
      if (c->kind == AS_FIGURE) page_cell_figure(table, document_number(item, c->member));
      if (c->kind == AS_YES_OR_NO)
        page_cell_text(table, report_words(language, document_truth(item, c->member) ? "yes" : "no"));
    }
  }
}

static const struct column velocities[] = {
  { "joint", "joint", AS_TEXT }, { "used", "used", AS_YES_OR_NO },    { "verdict", "verdict", AS_TEXT },
  { "gain", "gain", AS_FIGURE }, { "delay [s]", "delay", AS_FIGURE }, { "noise", "noise", AS_FIGURE },
  { NULL, NULL, AS_TEXT }
};
static const struct column delays[] = { { "joint", "joint", AS_TEXT },
                                        { "delay [s]", "delay", AS_FIGURE },
                                        { "deviation [s]", "std", AS_FIGURE },
                                        { "taken out", "compensated", AS_YES_OR_NO },
                                        { NULL, NULL, AS_TEXT } };
static const struct column cutoffs[] = { { "positions [Hz]", "position_cutoff_hz", AS_FIGURE },
                                         { "torques [Hz]", "torque_cutoff_hz", AS_FIGURE },
                                         { "error", "error", AS_FIGURE },
                                         { "gain", "gain", AS_FIGURE },
                                         { "chosen", "chosen", AS_YES_OR_NO },
                                         { NULL, NULL, AS_TEXT } };
static const struct column gains[] = { { "joint", "joint", AS_TEXT },
                                       { "gain", "gain", AS_FIGURE },
                                       { "deviation", "std", AS_FIGURE },
                                       { "applied", "applied", AS_YES_OR_NO },
                                       { NULL, NULL, AS_TEXT } };

static const struct list {
  const char *member, *heading, *text;
  const char *of_each; /* the list that each item holds, of a data set; NULL: items are rows themselves */
  const struct column *columns;
} lists[] = {
  { "velocities", "Logged velocities",
    "Held against the positions of the same data set: gain, delay, and the noise of accelerations that follow from "
    "them, "
    "by that of accelerations from positions.",
    "joints", velocities },
  { "torque_delays", "Delays of torques",
    "By how much later than its position the torque of a joint was logged, from the training data. What was taken out "
    "was taken out of validation data, too.",
    NULL, delays },
  { "cutoffs", "Cut-offs",
    "Tried on held-out parts of the training data: the error of the torque as measured by that of the first pair, and "
    "how "
    "much the pair gains, in standard errors.",
    NULL, cutoffs },
  { "drive_gains", "Gains of drives",
    "The torque of a joint by what was logged of it, from data sets with different payloads. Where it was applied, "
    "everything here is of torques that were multiplied by it.",
    NULL, gains },
};

/* Beside the gains, payloads of which the mass was known. */
static void write_weighed(const cJSON *document, enum report_language language, struct buffer *out)
{
  static const char *const headings[] = { "mass [kg]", "parameter [SI]", "value", "deviation" };
  const cJSON *loads = document_at(document, "weighed_payloads"), *load, *parameter;
  struct page_table table;
  if (!cJSON_IsArray(loads)) return;
  const char *words[4];
  page_section(out, report_words(language, "Payloads that were weighed"));
  page_text(out,
            report_words(language, "Their mass was known; first moments and inertia, about the origin and in the axes "
                                   "of the tool frame, were found with the gains."));
  page_table_begin(&table, out, report_words_all(language, headings, 4, words), 4);
  cJSON_ArrayForEach (load, loads)
    cJSON_ArrayForEach (parameter, document_at(load, "parameters")) {
      page_cell_figure(&table, document_number(load, "mass"));
      page_cell_text(&table, text_at(parameter, "name"));
      page_cell_estimate(&table, document_number(parameter, "value"), document_number(parameter, "std"));
    }
  page_table_end(&table);
}

static void write_list(const struct list *list, const cJSON *document, enum report_language language,
                       struct buffer *out)
{
  const cJSON *items = document_at(document, list->member), *item;
  const char *headings[COLUMNS_MOST], *words[COLUMNS_MOST];
  struct page_table table;
  size_t count = 0;
  if (!cJSON_IsArray(items)) return;
  if (list->of_each) headings[count++] = "data set";
  for (const struct column *c = list->columns; c->heading; c++) headings[count++] = c->heading;
  page_section(out, report_words(language, list->heading));
  page_text(out, "%s", report_words(language, list->text));
  page_table_begin(&table, out, report_words_all(language, headings, count, words), count);
  if (!list->of_each) write_rows(&table, items, NULL, list->columns, language);
  if (list->of_each)
    cJSON_ArrayForEach (item, items)
      write_rows(&table, document_at(item, list->of_each), text_at(item, "dataset"), list->columns, language);
  page_table_end(&table);
}

void identification_report_data_write(const cJSON *document, enum report_language language, struct buffer *out)
{
  for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) write_list(&lists[i], document, language, out);
  write_weighed(document, language, out);
}
