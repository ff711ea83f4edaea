#include "lib/identify/paired.h"

#include <math.h>

enum armdyn_status paired_open(const struct armdyn_unknowns *unknowns, const struct armdyn_source *source,
                               const struct armdyn_source *instruments, struct paired *paired)
{
  *paired = (struct paired){ .source = source, .instruments = instruments, .stride = 1 };
  paired->X = armdyn_regression_new(unknowns);
  paired->Z = armdyn_regression_new(unknowns);
  if (!paired->X || !paired->Z) return ARMDYN_EMEMORY;
  for (size_t i = 0; i < unknowns->n; i++) paired->width += paired->X->joints[i].count;
  return ARMDYN_OK;
}

void paired_close(struct paired *paired)
{
  armdyn_regression_free(paired->X);
  armdyn_regression_free(paired->Z);
  paired->X = paired->Z = NULL;
}

static bool is_taken(const struct paired *p, size_t k)
{
  return (p->at + k) % p->stride == 0;
}

static void keep_instruments(void *context, size_t k)
{
  struct paired *p = context;
  double *to = p->kept + k * p->width;
  for (size_t i = 0; i < p->Z->unknowns->n && is_taken(p, k); i++) {
    const size_t m = p->Z->joints[i].count;
    memcpy(to, regression_row(p->Z, i), m * sizeof *to);
    to += m;
  }
}

static void take_sample(void *context, size_t k)
{
  struct paired *p = context;
  const double *instruments = p->kept + k * p->width;
  if (!is_taken(p, k)) return;
  for (size_t i = 0; i < p->X->unknowns->n; i++) {
    p->taker->joint(p->taker->context, i, regression_row(p->X, i), instruments);
    instruments += p->X->joints[i].count;
  }
  p->taken++;
  if (p->taker->sample) p->taker->sample(p->taker->context);
}

static enum armdyn_status walk_block(struct paired *p, size_t block, struct armdyn_error *error)
{
  struct armdyn_motion motion, other;
  enum armdyn_status status = p->instruments->read(p->instruments->context, block, &other, error);
  if (status) return status;
  p->kept = malloc((other.count * p->width + 1) * sizeof *p->kept);
  if (!p->kept) return ARMDYN_EMEMORY;
  const size_t count = other.count;
  const double start = other.start;
  status = regression_walk(p->Z, &other, keep_instruments, p);
  if (!status) status = p->source->read(p->source->context, block, &motion, error);
  if (!status && (motion.count != count || fabs(motion.start - start) > 0.1 / motion.rate))
    status = armdyn_refuse(error, ARMDYN_EINPUT, "", "the instruments of block %zu are of other samples", block + 1);
  if (!status) status = regression_walk(p->X, &motion, take_sample, p);
  if (!status) p->at += count;
  free(p->kept);
  p->kept = NULL;
  return status;
}

enum armdyn_status paired_walk(struct paired *paired, const struct paired_taker *taker, struct armdyn_error *error)
{
  enum armdyn_status status = ARMDYN_OK;
  paired->taker = taker;
  paired->at = paired->taken = 0;
  for (size_t block = 0; block < paired->source->blocks && !status; block++) status = walk_block(paired, block, error);
  return status;
}
