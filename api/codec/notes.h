/* Remarks on a robot model that is taken all the same: {"pointer", "code", "detail"} of `warnings`. */
#ifndef API_CODEC_NOTES_H
#define API_CODEC_NOTES_H

#include <stddef.h>

#include "api/limits.h"

struct robot_note {
  char pointer[96]; /* into the model */
  const char *code; /* static */
  char detail[256];
};

/* The first LIMIT_FAULTS are kept. */
struct robot_notes {
  size_t count;
  struct robot_note items[LIMIT_FAULTS];
};

/* notes may be NULL. */
void robot_note_add(struct robot_notes *notes, const char *pointer, const char *code, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

#endif
