/* A report: one HTML page that needs nothing beside it, for a screen (light or dark) and for paper. What is written
 * between page_begin and page_end may be put there in any order, plots of api/report/plot.h among it. All texts are
 * escaped here. Failures stick to the buffer.
 *
 *   page_begin(&out, REPORT_ENGLISH, "Trajectory 01J...");
 *   page_section(&out, "Torque");
 *   page_text(&out, "Worst: joint %s at %.3g s.", joint, time);
 *   plot_write(&plot, &out);
 *   page_end(&out, "armdyn 0.3.0"); */
#ifndef API_REPORT_PAGE_H
#define API_REPORT_PAGE_H

#include <stdbool.h>

#include "api/report/words.h"
#include "api/wire/buffer.h"

void page_begin(struct buffer *out, enum report_language language, const char *title);
/* footer: what made it, and when */
void page_end(struct buffer *out, const char *footer);

void page_section(struct buffer *out, const char *heading);
/* A paragraph; up to 1,000 bytes. */
void page_text(struct buffer *out, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* One that warns. */
void page_warning(struct buffer *out, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Text as it is typed, e.g. a command. */
void page_code(struct buffer *out, const char *text);

/* A table, cell by cell: begin, then its cells in rows, then end.
 *   headings  in  column_count; NULL where a column needs none */
struct page_table {
  struct buffer *out;
  size_t column_count, at; /* the next cell's column */
};
void page_table_begin(struct page_table *table, struct buffer *out, const char *const *headings, size_t column_count);
void page_cell_text(struct page_table *table, const char *text);
void page_cell_figure(struct page_table *table, double value);               /* as markup_figure */
void page_cell_estimate(struct page_table *table, double value, double std); /* two cells */
void page_table_end(struct page_table *table);

#endif
