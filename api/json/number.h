/* Numbers between text and double, exact both ways: what is read is the nearest double, what is printed is the shortest
 * decimal that reads back to the same double. */
#ifndef API_JSON_NUMBER_H
#define API_JSON_NUMBER_H

#include <stddef.h>

enum { NUMBER_SIZE = 32 }; /* enough for any printed number, NUL included */

/* Read one JSON number (RFC 8259 grammar: no leading zeros or plus, digits around the point).
 *   at, end  in   the text
 *   value    out  correctly rounded (half to even); infinite when beyond the largest double, e.g. of 1e999
 *   Returns the first byte behind the number, or NULL when none starts here.
 * Source: Clinger 1990 for short numbers; Lemire 2021, "Number parsing at a gigabyte per second"; strtod for the rest. */
const char *number_parse(const char *at, const char *end, double *value);

/* Print a finite double, as ECMAScript does but for "-0" (which reads back to -0.0): 0.1, 5e-324, 100000000000000000000,
 * 1e+21.
 *   to  out  NUMBER_SIZE bytes, NUL-terminated
 *   Returns the length.
 * Source: Giulietti 2020, "The Schubfach way to render doubles". */
size_t number_print(double value, char *to);
/* The same for a whole number. */
size_t number_print_integer(long long value, char *to);

#endif
