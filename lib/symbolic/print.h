/* What all printers share. A printer is a row of `printers` (print.c): to add a language, its functions in a file of its own
 * and a row. */
#ifndef LIB_SYMBOLIC_PRINT_H
#define LIB_SYMBOLIC_PRINT_H

#include "lib/symbolic/program.h"

struct language;

struct printer {
  const struct armdyn_code *code;
  const struct language *language;
  const struct armdyn_sink *sink;
};

/* States for a test, with what the kernels make of them. */
struct vectors {
  double *inputs, *outputs; /* ARMDYN_CODE_VECTORS rows of input_size and output_size */
  double tolerance;
};

struct language {
  const char *suffix;              /* of the program's file */
  const char *test_suffix;         /* of its test's */
  bool slots;                      /* are variables used again, to need few of them? */
  bool keep;                       /* are outputs written after the last input was read? */
  unsigned apart;                  /* bits of the operations that it does not write inside of an expression */
  const char *functions[EXPR_OPS]; /* names of sine, cosine, ...; NULL: written otherwise */
  void (*program)(const struct printer *p);
  void (*test)(const struct printer *p, const struct vectors *v); /* NULL: none */
  void (*signature)(const struct printer *p);
  const char *times;                                                      /* between factors; NULL: "*" */
  void (*name)(const struct printer *p, expr at);                         /* of a named node; NULL: put_plain_name */
  void (*input)(const struct printer *p, size_t input, size_t k);         /* element k of an input */
  void (*number)(const struct printer *p, double value);                  /* not negative */
  void (*special)(const struct printer *p, const struct expr_node *node); /* an operation without a function's name */
};
const struct language *code_language(const struct armdyn_code *code);

extern const struct language language_c, language_structured_text, language_python, language_matlab, language_latex,
    language_text;

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
