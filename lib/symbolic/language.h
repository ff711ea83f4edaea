/* A language of generated code, as its printer does it (print_*.c). To add one: its functions in a file of its own, and a row
 * of `languages` (language.c). */
#ifndef LIB_SYMBOLIC_LANGUAGE_H
#define LIB_SYMBOLIC_LANGUAGE_H

#include "armdyn/code.h"
#include "lib/symbolic/expression.h"

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
const struct language *language_of(enum armdyn_code_language language);

extern const struct language language_c, language_structured_text, language_python, language_matlab, language_latex,
    language_text;

#endif
