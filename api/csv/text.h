/* Texts in tables for programs and spreadsheets (RFC 4180). */
#ifndef API_CSV_TEXT_H
#define API_CSV_TEXT_H

#include "api/wire/buffer.h"

/* A quoted field. A text that a spreadsheet would take for a formula begins with an apostrophe.
 *   end  in  what stands behind it: ',', or '\r' of a line's end */
void csv_write_text(struct buffer *out, const char *text, char end);

#endif
