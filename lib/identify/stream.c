/* Long logs, block by block: each piece is read with enough around it that its filters do not notice. */
#include <math.h>

#include "lib/identify/condition.h"

enum { BLOCK = 16384 }; /* samples of a log at a time */

struct armdyn_log_stream {
  size_t n, reader_count, samples, blocks;
  struct armdyn_log_reader *readers;        /* reader_count */
  struct armdyn_conditioning *conditioning; /* reader_count, complete */
  struct armdyn_log_window *kept;           /* kept_count: what of the logs is handed over, in order */
  size_t kept_count;
  bool is_read;
  size_t log, begin;           /* of the block that was read last */
  struct armdyn_motion motion; /* that block */
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
  }
  if ((status = armdyn_log_stream_exclude(s, NULL, 0))) goto out;
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
  free(stream->kept);
  free(stream);
}

static int by_log_and_time(const void *a, const void *b)
{
  const struct armdyn_log_window *x = a, *y = b;
  if (x->log != y->log) return x->log < y->log ? -1 : 1;
  return (x->from > y->from) - (x->from < y->from);
}

/* What sorted windows leave of a log. */
static void keep(struct armdyn_log_stream *s, size_t log, const struct armdyn_log_window *windows, size_t count)
{
  const struct armdyn_conditioning *c = &s->conditioning[log];
  const double spread = c->torque_cutoff > 0 ? 1 / c->torque_cutoff : 0;
  const double last = s->readers[log].last - c->trim + 0.5 / c->rate;
  double from = s->readers[log].first + c->trim;
  for (size_t k = 0; k <= count; k++) {
    if (k < count && windows[k].log != log) continue;
    const double to = k < count ? fmin(windows[k].from - spread, last) : last;
    if (to > from) {
      s->kept[s->kept_count++] = (struct armdyn_log_window){ log, from, to };
      s->blocks += blocks_of(&s->readers[log]);
      s->samples += (size_t)ceil((to - from) * c->rate - 1e-6);
    }
    if (k < count) from = fmax(from, windows[k].to + spread);
  }
}

enum armdyn_status armdyn_log_stream_exclude(struct armdyn_log_stream *stream, const struct armdyn_log_window *windows,
                                             size_t count)
{
  struct armdyn_log_stream *s = stream;
  struct armdyn_log_window *sorted = malloc((count + 1) * sizeof *sorted);
  struct armdyn_log_window *kept = malloc((s->reader_count + count + 1) * sizeof *kept);
  if (!sorted || !kept) {
    free(sorted);
    free(kept);
    return ARMDYN_EMEMORY;
  }
  free(s->kept);
  s->kept = kept;
  s->kept_count = s->blocks = s->samples = 0;
  if (count) memcpy(sorted, windows, count * sizeof *sorted);
  qsort(sorted, count, sizeof *sorted, by_log_and_time);
  for (size_t log = 0; log < s->reader_count; log++) keep(s, log, sorted, count);
  free(sorted);
  return ARMDYN_OK;
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

/* The samples of a motion from .. to, s, which keeps the memory. */
static struct armdyn_motion between(const struct armdyn_motion *motion, size_t n, double from, double to)
{
  const double most = (double)motion->count;
  const double first = fmin(fmax(ceil((from - motion->start) * motion->rate - 1e-6), 0), most);
  const double end = fmin(fmax(ceil((to - motion->start) * motion->rate - 1e-6), first), most);
  return armdyn_motion_part(motion, n, (size_t)first, (size_t)(end - first));
}

/* A block is conditioned once as long as nothing but its parts are asked for. */
static enum armdyn_status read_stream(void *context, size_t index, struct armdyn_motion *motion,
                                      struct armdyn_error *error)
{
  struct armdyn_log_stream *s = context;
  size_t k = 0;
  for (; index >= blocks_of(&s->readers[s->kept[k].log]); k++) index -= blocks_of(&s->readers[s->kept[k].log]);
  const struct armdyn_log_window *kept = &s->kept[k];
  enum armdyn_status status = ARMDYN_OK;
  if (!s->is_read || s->log != kept->log || s->begin != index * BLOCK) {
    armdyn_motion_free(&s->motion);
    status = read_block(s, kept->log, index * BLOCK, error);
    s->is_read = !status;
    s->log = s->motion.log = kept->log;
    s->begin = index * BLOCK;
  }
  if (!status) *motion = between(&s->motion, s->n, kept->from, kept->to);
  return status;
}

struct armdyn_source armdyn_log_stream_source(struct armdyn_log_stream *stream)
{
  return (struct armdyn_source){
    .samples = stream->samples, .blocks = stream->blocks, .read = read_stream, .context = stream
  };
}
