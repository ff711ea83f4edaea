/* All faults found in one request: every one is counted, the first LIMIT_FAULTS are kept.
 * A fault says where (a JSON pointer, a query parameter, a header, a row and column, the XPath and line of an XML
 * node, or a line and its text), a code and a sentence. */
#ifndef API_WIRE_FAULTS_H
#define API_WIRE_FAULTS_H

#include <stdarg.h>
#include <stddef.h>

#include "api/limits.h"
#include "armdyn/status.h"

/* Codes are part of the contract: a client may switch on them. To add: a row here. */
#define FAULT_CODE_LIST(X)                                                                                             \
  X(SYNTAX, "syntax")                                                                                                  \
  X(UNKNOWN, "unknown_field")                                                                                          \
  X(DUPLICATE, "duplicate")                                                                                            \
  X(REQUIRED, "required")                                                                                              \
  X(TYPE, "type")                                                                                                      \
  X(LENGTH, "length")                                                                                                  \
  X(MINIMUM, "minimum")                                                                                                \
  X(MAXIMUM, "maximum")                                                                                                \
  X(FINITE, "finite")                                                                                                  \
  X(ENUM, "enum")                                                                                                      \
  X(PATTERN, "pattern")                                                                                                \
  X(UNPHYSICAL, "unphysical")                                                                                          \
  X(INCONSISTENT, "inconsistent")                                                                                      \
  X(UNSUPPORTED, "unsupported")

enum fault_code {
#define X(name, text) FAULT_##name,
  FAULT_CODE_LIST(X)
#undef X
      FAULT_CODE_COUNT
};
const char *fault_code_text(enum fault_code code);

enum fault_place { FAULT_AT_POINTER, FAULT_AT_PARAMETER, FAULT_AT_HEADER, FAULT_AT_CELL, FAULT_AT_NODE, FAULT_AT_LINE };

struct fault {
  enum fault_place place;
  char where[256];    /* the pointer, parameter or header name, XPath, or the line's text */
  size_t row, column; /* FAULT_AT_CELL: row from 0 counting samples, column from 0 */
  size_t line;        /* FAULT_AT_NODE, FAULT_AT_LINE: from 1; 0: not known */
  enum fault_code code;
  char detail[256];
};

struct faults {
  size_t count; /* all */
  struct fault items[LIMIT_FAULTS];
};

void fault_add(struct faults *faults, enum fault_place place, const char *where, enum fault_code code,
               const char *format, ...) __attribute__((format(printf, 5, 6)));
void fault_add_cell(struct faults *faults, size_t row, size_t column, enum fault_code code, const char *format, ...)
    __attribute__((format(printf, 5, 6)));
/* xpath: of the node, e.g. "/robot/joint[3]/limit/@lower" */
void fault_add_node(struct faults *faults, const char *xpath, size_t line, enum fault_code code, const char *format,
                    va_list arguments);
/* text, length: of the line, which need not be UTF-8; cut off where it would be too long */
void fault_add_line(struct faults *faults, const char *text, size_t length, size_t line, enum fault_code code,
                    const char *format, va_list arguments);

#endif
