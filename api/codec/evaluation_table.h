/* An evaluation as one table to cite, made of its document, so that all forms say the same. */
#ifndef API_CODEC_EVALUATION_TABLE_H
#define API_CODEC_EVALUATION_TABLE_H

#include "api/wire/buffer.h"

/* For programs (RFC 4180): a row for every model, data set, kind of error and joint ("all" for all together); empty is what is
 * not known. A text that a spreadsheet would take for a formula begins with an apostrophe.
 *   document  in   as GET answers it
 *   out       out  ARMDYN_EMEMORY sticks */
void evaluation_table_csv(const char *document, struct buffer *out);
/* For papers and notes: a row for every data set and model, with what has to be told beside it. */
void evaluation_table_markdown(const char *document, struct buffer *out);
void evaluation_table_latex(const char *document, struct buffer *out);

#endif
