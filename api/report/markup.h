/* Text of others in HTML and SVG. */
#ifndef API_REPORT_MARKUP_H
#define API_REPORT_MARKUP_H

#include "api/wire/buffer.h"

/* Safe as content and in quoted attributes: & < > " ' are escaped; what XML does not allow (control characters, bytes
 * that are not UTF-8) becomes U+FFFD. NULL = nothing. */
void markup_text(struct buffer *out, const char *text);

/* The same, cut to `most` characters; the last of them is an ellipsis then. */
void markup_text_cut(struct buffer *out, const char *text, size_t most);

/* "10⁻⁷" */
enum { MARKUP_POWER = 32 };
const char *markup_power(int exponent, char out[MARKUP_POWER]);

/* A figure as people read it: four significant digits, powers of ten beyond 1e5 and below 1e-3, a true minus sign;
 * a dash for NAN. */
enum { MARKUP_FIGURE = 48 };
const char *markup_figure(double value, char out[MARKUP_FIGURE]);

#endif
