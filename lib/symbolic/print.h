/* What all printers share. */
#ifndef LIB_SYMBOLIC_PRINT_H
#define LIB_SYMBOLIC_PRINT_H

#include "lib/symbolic/language.h"
#include "lib/symbolic/program.h"

/* Are formulas written for LaTeX, or as plain text? */
static inline bool is_latex(const struct printer *p)
{
  return p->code->request.language == ARMDYN_CODE_LATEX;
}

/* printf to the sink; not more than a thousand characters at once. */
void put(const struct printer *p, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The shortest decimal that reads back to the same number in the program's precision, always with a point: "2.0". */
void put_number(const struct printer *p, double value);
/* The expression of a node, in parentheses where it is looser than `tight`: 0 whole, 1 a summand after the first, 2 a factor,
 * 3 a factor after the first. */
void put_expression(const struct printer *p, expr at, int tight);
/* The same though the node has a name: its definition. */
void put_definition(const struct printer *p, expr at);
/* The name of a node that has one, as the language writes it, and plainly: s1, c1 the sine and cosine of q1, and t7. */
void put_plain_name(const struct printer *p, expr at);
void put_name(const struct printer *p, expr at);
/* Title, what comes in and out, counts and proof, each line after `before`. */
void put_heading(const struct printer *p, const char *before);
/* Who makes the results of the test's states: "armdyn's kernels make". */
const char *whose_vectors(const struct armdyn_code *code);
/* Does the program read this input at all? */
bool reads_input(const struct armdyn_code *code, size_t input);
/* Rows of numbers, `per_line` in each, after `before`, with commas between. */
void put_rows(const struct printer *p, const double *x, size_t rows, size_t columns, const char *before,
              const char *after, const char *between);

#endif
