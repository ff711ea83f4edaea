#include "api/report/page.h"

#include <stdarg.h>

#include "api/report/markup.h"

/* The colours are Okabe and Ito's, which people see apart with any kind of colour vision, darkened or lightened to have
 * enough contrast with the page. Series differ by dashes as well, so that a grey print tells them apart. */
static const char style[] =
    ":root{--page:#fff;--ink:#1a1a1a;--faint:#5c5c5c;--grid:#e3e3e3;--warn:#fff4d6;"
    "--s0:#0072b2;--s1:#d55e00;--s2:#00795a;--s3:#b5578f;--s4:#b07800;--s5:#2a8fc9;--s6:#1a1a1a;--s7:#7a6f00}\n"
    "@media screen and (prefers-color-scheme:dark){:root{--page:#16181c;--ink:#e8e8e8;--faint:#a3a7ad;--grid:#343840;"
    "--warn:#3d3314;--s0:#4fb0f0;--s1:#ff8a3d;--s2:#2fc79b;--s3:#e39cc6;--s4:#f0b429;--s5:#8fd3ff;--s6:#e8e8e8;"
    "--s7:#f0e442}}\n"
    "body{background:var(--page);color:var(--ink);font:15px/1.5 system-ui,sans-serif;max-width:60rem;margin:0 auto;"
    "padding:1rem}\n"
    "h1{font-size:1.5rem;overflow-wrap:anywhere}h2{font-size:1.2rem;margin-top:2rem;break-after:avoid}\n"
    "p{overflow-wrap:anywhere}p.warning{background:var(--warn);padding:.5rem .8rem;border-left:4px solid var(--s1)}\n"
    "figure{margin:1.5rem 0;break-inside:avoid}figcaption{font-weight:600;margin-bottom:.3rem}\n"
    "svg.plot{width:100%;height:auto;display:block;font:12px system-ui,sans-serif}svg text{fill:var(--faint)}"
    "svg text.axis{fill:var(--ink)}\n"
    ".grid{stroke:var(--grid);fill:none}.frame{stroke:var(--faint);fill:none}\n"
    ".line{stroke:var(--c);fill:none;stroke-width:1.6;stroke-linejoin:round}"
    ".points{stroke:var(--c);fill:none;stroke-width:3;stroke-linecap:round;stroke-opacity:.6}"
    ".steps{stroke:var(--c);stroke-width:1.2;fill:var(--c);fill-opacity:.25}.fill{fill:var(--c)}"
    ".beyond{fill:var(--c);fill-opacity:.13}\n"
    ".s0{--c:var(--s0)}.s1{--c:var(--s1)}.s2{--c:var(--s2)}.s3{--c:var(--s3)}.s4{--c:var(--s4)}.s5{--c:var(--s5)}"
    ".s6{--c:var(--s6)}.s7{--c:var(--s7)}\n"
    ".line.d1{stroke-dasharray:8 3}.line.d2{stroke-dasharray:3 2}.line.d3{stroke-dasharray:9 3 2 3}"
    ".line.d4{stroke-dasharray:14 4}.line.d5{stroke-dasharray:5 5}.line.d6{stroke-dasharray:12 3 2 3 2 3}\n"
    "ul.legend{list-style:none;display:flex;flex-wrap:wrap;gap:.2rem 1.2rem;margin:.3rem 0 0;padding:0 0 0 2rem;"
    "font-size:.85rem}svg.key{width:34px;height:12px;vertical-align:middle}\n"
    "table{border-collapse:collapse;margin:1rem 0;font-variant-numeric:tabular-nums}"
    "th,td{text-align:left;padding:.25rem .9rem .25rem 0;border-bottom:1px solid var(--grid);overflow-wrap:anywhere}"
    "td.figure{text-align:right;white-space:nowrap}th{font-weight:600}thead{break-inside:avoid}tr{break-inside:avoid}\n"
    "pre{white-space:pre-wrap;overflow-wrap:anywhere;border-left:3px solid var(--grid);padding-left:.7rem;"
    "font-size:.8rem}\n"
    "footer{color:var(--faint);font-size:.85rem;margin-top:3rem}.nothing{color:var(--faint)}\n"
    "@page{margin:15mm}@media print{body{max-width:none;padding:0;font-size:10pt;print-color-adjust:exact;"
    "-webkit-print-color-adjust:exact}}\n";

static void element(struct buffer *out, const char *name, const char *text)
{
  buffer_format(out, "<%s>", name);
  markup_text(out, text);
  buffer_format(out, "</%s>\n", name);
}

/* Both HTML and XML, so that every parser agrees on what is where. */
void page_begin(struct buffer *out, enum report_language language, const char *title)
{
  buffer_format(out, "<!DOCTYPE html>\n<html lang=\"%s\" ", report_languages[language]);
  buffer_text(out, "xmlns=\"http://www.w3.org/1999/xhtml\">\n<head>\n"
                   "<meta charset=\"utf-8\"/>\n<meta name=\"viewport\" content=\"width=device-width\"/>\n"
                   "<meta name=\"color-scheme\" content=\"light dark\"/>\n");
  element(out, "title", title);
  buffer_format(out, "<style>\n%s</style>\n</head>\n<body>\n<main>\n", style);
  element(out, "h1", title);
}

void page_end(struct buffer *out, const char *footer)
{
  buffer_text(out, "</main>\n");
  element(out, "footer", footer);
  buffer_text(out, "</body>\n</html>\n");
}

void page_section(struct buffer *out, const char *heading)
{
  element(out, "h2", heading);
}

void page_code(struct buffer *out, const char *text)
{
  element(out, "pre", text);
}

enum { PARAGRAPH = 1001 };

void page_text(struct buffer *out, const char *format, ...)
{
  char text[PARAGRAPH];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  element(out, "p", text);
}

void page_warning(struct buffer *out, const char *format, ...)
{
  char text[PARAGRAPH];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  buffer_text(out, "<p class=\"warning\">");
  markup_text(out, text);
  buffer_text(out, "</p>\n");
}

/* -- tables -- */

void page_table_begin(struct page_table *table, struct buffer *out, const char *const *headings, size_t column_count)
{
  *table = (struct page_table){ out, column_count, 0 };
  buffer_text(out, "<table>\n<thead><tr>");
  for (size_t i = 0; i < column_count; i++) {
    buffer_text(out, "<th scope=\"col\">");
    markup_text(out, headings[i]);
    buffer_text(out, "</th>");
  }
  buffer_text(out, "</tr></thead>\n<tbody>\n");
}

static void cell(struct page_table *table, const char *opening, const char *text)
{
  if (table->at == 0) buffer_text(table->out, "<tr>");
  buffer_text(table->out, opening);
  markup_text(table->out, text);
  buffer_text(table->out, "</td>");
  if (++table->at < table->column_count) return;
  buffer_text(table->out, "</tr>\n");
  table->at = 0;
}

void page_cell_text(struct page_table *table, const char *text)
{
  cell(table, "<td>", text);
}

void page_cell_figure(struct page_table *table, double value)
{
  char figure[MARKUP_FIGURE];
  cell(table, "<td class=\"figure\">", markup_figure(value, figure));
}

void page_cell_estimate(struct page_table *table, double value, double std)
{
  char figure[MARKUP_FIGURE];
  cell(table, "<td class=\"figure\">", markup_estimate(value, std, figure));
  cell(table, "<td class=\"figure\">", markup_deviation(std, value, figure));
}

void page_table_end(struct page_table *table)
{
  while (table->at) cell(table, "<td>", "");
  buffer_text(table->out, "</tbody>\n</table>\n");
}
