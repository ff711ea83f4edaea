#include "server/work/line.h"

enum { SEND_FOR_EVER = -1 }; /* `serve` reads slowly when its disk is slow; it dies, we die */

void line_say(struct work_line *line, enum worker_message message, const void *data, size_t length)
{
  pthread_mutex_lock(&line->sending);
  if (!line->status) line->status = channel_send(&line->channel, message, data, length, SEND_FOR_EVER);
  pthread_mutex_unlock(&line->sending);
}
