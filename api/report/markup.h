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

/* The value; 0 where it is no more than what rounding leaves of sums of that scale (1e-12 of it): a held arm is off by
 * 0 rad, not by 1.5e-20. Scale: the largest of its column, or what one is of it in SI units (1000 of mm). */
double markup_seen(double value, double scale);

/* A value to the second digit of its deviation, and that deviation to two digits. A deviation that is nothing beside the
 * value, or unknown, leaves a figure. */
const char *markup_estimate(double value, double std, char out[MARKUP_FIGURE]);
const char *markup_deviation(double std, double value, char out[MARKUP_FIGURE]);

/* How long something lasts [s], as people say it: 3.2 s, 2 min 05 s, 8 h 01 min. */
const char *markup_lasting(double seconds, char out[MARKUP_FIGURE]);

#endif
