/* The report of a shift in other forms than JSON; both are made of the JSON answer, so that all three say the same. */
#ifndef API_CODEC_SHIFT_REPORT_H
#define API_CODEC_SHIFT_REPORT_H

#include "api/report/words.h"
#include "api/wire/buffer.h"

/* For a spreadsheet (RFC 4180): section,name,quantity,value,unit; a value a row, empty where it is null. A text that a
 * spreadsheet would take for a formula begins with an apostrophe.
 *   document  in   as GET answers it
 *   out       out  ARMDYN_EMEMORY sticks */
void shift_report_write_csv(const char *document, struct buffer *out);
/* For paper: one HTML page, as api/report/page.h. */
void shift_report_write_page(const char *document, enum report_language language, struct buffer *out);

#endif
