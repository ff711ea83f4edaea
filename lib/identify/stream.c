/* Long logs, block by block: each piece is read with enough around it that its filters do not notice. */
#include <math.h>

#include "lib/identify/condition.h"

enum { BLOCK = 16384 }; /* samples of a log at a time */

struct armdyn_log_stream {
  size_t n, reader_count, samples, blocks;
  struct armdyn_log_reader *readers;        /* reader_count */
  struct armdyn_conditioning *conditioning; /* reader_count, complete */
  struct armdyn_motion motion;              /* handed over */
};

static size_t blocks_of(const struct armdyn_log_reader *reader)
{
  return (reader->count + BLOCK - 1) / BLOCK;
}

enum armdyn_status armdyn_log_stream_new(size_t n, const struct armdyn_log_reader *readers, size_t reader_count,
                                         const struct armdyn_conditioning *conditioning, struct armdyn_log_stream **out,
                                         struct armdyn_error *error)
{
  struct armdyn_log_stream *s = calloc(1, sizeof *s);
  enum armdyn_status status = ARMDYN_EMEMORY;
  *out = NULL;
  if (!s) return status;
  *s = (struct armdyn_log_stream){ .n = n, .reader_count = reader_count };
  s->readers = malloc((reader_count + 1) * sizeof *s->readers);
  s->conditioning = malloc((reader_count + 1) * sizeof *s->conditioning);
  if (!s->readers || !s->conditioning) goto out;
  for (size_t k = 0; k < reader_count; k++) {
    struct armdyn_conditioning *c = &s->conditioning[k];
    s->readers[k] = readers[k];
    *c = *conditioning;
    if ((status = conditioning_complete(readers[k].count, readers[k].first, readers[k].last, c, error))) goto out;
    s->blocks += blocks_of(&readers[k]);
    s->samples += 1 + (size_t)((readers[k].last - readers[k].first - 2 * c->trim) * c->rate);
  }
  status = ARMDYN_OK;
  *out = s;
  s = NULL;
out:
  armdyn_log_stream_free(s);
  return status;
}

void armdyn_log_stream_free(struct armdyn_log_stream *stream)
{
  if (!stream) return;
  armdyn_motion_free(&stream->motion);
  free(stream->readers);
  free(stream->conditioning);
  free(stream);
}

/* Samples begin .. end - 1 of a log. */
static enum armdyn_status read_block(struct armdyn_log_stream *s, size_t log, size_t begin, struct armdyn_error *error)
{
  const struct armdyn_log_reader *reader = &s->readers[log];
  const struct armdyn_conditioning *c = &s->conditioning[log];
  const double raw_rate = (double)(reader->count - 1) / (reader->last - reader->first);
  /* a clock may run unevenly */
  const size_t margin = 8 + (size_t)(1.5 * armdyn_conditioning_margin(c) * raw_rate);
  const size_t end = begin + BLOCK < reader->count ? begin + BLOCK : reader->count;
  const size_t first = begin > margin ? begin - margin : 0;
  const size_t last = reader->count - end > margin ? end + margin : reader->count;
  struct armdyn_log piece;
  const enum armdyn_status status = reader->read(reader->context, first, last - first, &piece, error);
  if (status) return status;
  const double origin = reader->first, half = 0.5 / c->rate;
  const double from = begin > 0 ? piece.time[begin - first] : origin;
  const double to = end < reader->count ? piece.time[end - first] : reader->last + half;
  return armdyn_condition_piece(s->n, &piece, c, origin, fmax(from, origin + c->trim),
                                fmin(to, reader->last - c->trim + half), &s->motion, error);
}

static enum armdyn_status read_stream(void *context, size_t index, struct armdyn_motion *motion,
                                      struct armdyn_error *error)
{
  struct armdyn_log_stream *s = context;
  size_t log = 0;
  for (; index >= blocks_of(&s->readers[log]); log++) index -= blocks_of(&s->readers[log]);
  armdyn_motion_free(&s->motion);
  const enum armdyn_status status = read_block(s, log, index * BLOCK, error);
  *motion = s->motion;
  motion->memory = NULL;
  return status;
}

struct armdyn_source armdyn_log_stream_source(struct armdyn_log_stream *stream)
{
  return (struct armdyn_source){
    .samples = stream->samples, .blocks = stream->blocks, .read = read_stream, .context = stream
  };
}
