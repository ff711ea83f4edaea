#include "api/codec/notes.h"

#include <stdarg.h>

void robot_note_add(struct robot_notes *notes, const char *pointer, const char *code, const char *format, ...)
{
  if (!notes || notes->count == LIMIT_FAULTS) return;
  struct robot_note *note = &notes->items[notes->count++];
  snprintf(note->pointer, sizeof note->pointer, "%s", pointer);
  note->code = code;
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(note->detail, sizeof note->detail, format, arguments);
  va_end(arguments);
}
