#include "api/codec/history.h"

#include <stdlib.h>
#include <string.h>

#include "api/json/writer.h"
#include "api/limits.h"

enum { HISTORY_MOST = KB(64) }; /* bytes */

char *history_with(char *history, const char *state, const char *at, const char *reason, bool last)
{
  struct buffer out = BUFFER(2 * HISTORY_MOST);
  struct json_writer w = { .out = &out };
  size_t length = history ? strlen(history) : 0;
  if (length > HISTORY_MOST && !last) return history;
  if (length > 2)
    buffer_append(&out, history, length - 1), buffer_text(&out, ",");
  else
    buffer_text(&out, "[");
  json_begin_object(&w);
  json_key(&w, "state"), json_write_text(&w, state);
  json_key(&w, "at"), json_write_text(&w, at);
  json_key(&w, "reason"), json_write_text(&w, *reason ? reason : NULL);
  json_end_object(&w);
  buffer_text(&out, "]");
  char *longer = buffer_take(&out, &length);
  buffer_release(&out);
  if (!longer) return history;
  free(history);
  return longer;
}
