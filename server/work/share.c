#include "server/work/share.h"

#include "api/limits.h"
#include "server/work/line.h"

/* What others came to, out of the line's buffer. Under its lock. */
static bool take_outcomes(struct line_parts *line, const struct work_parts *parts)
{
  const char *at = line->outcomes.data, *end = at + line->outcomes.length;
  struct message_part part;
  size_t length;
  bool ours = true;
  while (ours && at < end) {
    memcpy(&part, at, sizeof part), at += sizeof part;
    memcpy(&length, at, sizeof length), at += sizeof length;
    ours = part.index < parts->count && parts->read(parts->context, part.index, at, length);
    at += length;
  }
  buffer_clear(&line->outcomes);
  return ours;
}

static enum armdyn_status next_part(struct work_line *line, const struct work_parts *parts, struct message_part *part)
{
  struct line_parts *told = &line->parts;
  line_say(line, MESSAGE_NEXT, NULL, 0);
  pthread_mutex_lock(&told->lock);
  while (!told->there && !told->over) pthread_cond_wait(&told->told, &told->lock);
  const bool there = told->there;
  told->there = false;
  *part = told->part;
  const bool ours = take_outcomes(told, parts);
  pthread_mutex_unlock(&told->lock);
  return there && ours ? ARMDYN_OK : ARMDYN_EIO;
}

static enum armdyn_status tell_outcome(struct work_line *line, const struct work_parts *parts, uint32_t k)
{
  const struct message_part part = { .index = k };
  struct buffer bytes = BUFFER(LIMIT_FRAME);
  buffer_append(&bytes, &part, sizeof part);
  parts->write(parts->context, k, &bytes);
  const bool whole = buffer_ok(&bytes);
  if (whole) line_say(line, MESSAGE_OUTCOME, bytes.data, bytes.length);
  buffer_release(&bytes);
  return whole ? ARMDYN_OK : ARMDYN_EMEMORY;
}

enum armdyn_status work_share(struct work *work, const struct work_parts *parts, struct armdyn_error *error)
{
  struct work_line *line = work->line;
  const struct message_share share = { .count = (uint32_t)parts->count };
  struct message_part part;
  enum armdyn_status status;
  if (!line->helps) line_say(line, MESSAGE_SHARE, &share, sizeof share);
  while (!(status = next_part(line, parts, &part)) && part.index < parts->count) {
    status = parts->run(parts->context, part.index, part.done, error);
    if (!status && line->helps) status = tell_outcome(line, parts, part.index);
    if (status) return status;
  }
  return !status && line->helps ? ARMDYN_ECANCELLED : status;
}
