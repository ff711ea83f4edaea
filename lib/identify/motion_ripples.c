#include "lib/identify/motion_ripples.h"

#include <math.h>

#include "lib/math/linear.h"

/* The motion is cut into so many parts, which take turns: lines are found in one half and judged by the other. */
enum { PARTS = 16 };

/* At most so many samples of a joint are looked at, evenly over the data; products of samples and orders in a scan. */
enum { SAMPLES_MOST = 1 << 16 };
static const double SCAN_MOST = 3e7;

/* Where a joint hardly moves, dry friction is not known, and no turn is made: the part of its fastest. */
static const double SLOW = 0.05;

static const double two_pi = 6.28318530717958647693;
static const double PERIODS_LEAST = 3;  /* of a line within the travel, and of the joint's own turn */
static const double SAMPLES_PERIOD = 4; /* of a line at least, where the joint is slower than at most times */

/* A line is kept if the mean of what it takes off the squares of the other half's parts is above so many of its standard
 * errors, it being the best of thousands, and if it takes off this part of them: many samples find every trifle. */
static const double STANDARD_ERRORS = 2, RELEVANT = 0.02;

enum { ROUNDS = 8, NUISANCE = 4, COLUMNS = NUISANCE + 3 * ARMDYN_RIPPLES_MAX };

/* What is left of a joint's torque, as measured: its filter would take fast lines away. */
struct joint_samples {
  size_t count;
  double *angle, *left, *rest; /* motor rad; N m (N): of the torque, and of that without the lines found so far */
  unsigned char *part;
  double *speed; /* motor rad/s */
};

struct search {
  const struct armdyn_unknowns *unknowns;
  const struct armdyn_source *source;
  size_t stride;
  double rate; /* Hz, of the samples that are looked at */
  double fastest[ARMDYN_JOINTS_MAX];
  struct joint_samples joints[ARMDYN_JOINTS_MAX];
};

/* -- the data -- */

static bool samples_open(struct joint_samples *s, size_t most)
{
  *s = (struct joint_samples){ 0 };
  s->angle = malloc(4 * most * sizeof *s->angle);
  s->part = malloc(most);
  if (!s->angle || !s->part) return false;
  s->left = s->angle + most;
  s->rest = s->left + most;
  s->speed = s->rest + most;
  return true;
}

static void samples_close(struct joint_samples *s)
{
  free(s->angle);
  free(s->part);
}

static void look(struct search *s, const struct armdyn_motion *motion)
{
  const size_t n = s->unknowns->n;
  s->rate = motion->rate / (double)s->stride;
  for (size_t k = 0; k < motion->count * n; k++) s->fastest[k % n] = fmax(s->fastest[k % n], fabs(motion->qd[k]));
}

static void add(struct search *s, const struct armdyn_motion *motion, size_t before, const double *predicted)
{
  const size_t n = s->unknowns->n, total = s->source->samples;
  for (size_t k = 0; k < motion->count; k++) {
    if ((before + k) % s->stride != 0) continue;
    for (size_t i = 0; i < n; i++) {
      struct joint_samples *to = &s->joints[i];
      const double ratio = armdyn_robot_description(s->unknowns->robot)->joints[i].drive.gear_ratio;
      const size_t at = k * n + i, part = (before + k) * PARTS / (total > 0 ? total : 1);
      if (fabs(motion->qd[at]) < SLOW * s->fastest[i] || to->count == SAMPLES_MOST) continue;
      to->angle[to->count] = ratio * motion->q[at];
      to->speed[to->count] = fabs(ratio * motion->qd[at]);
      to->left[to->count] = motion->tau_raw[at] - predicted[at];
      to->part[to->count++] = (unsigned char)(part < PARTS ? part : PARTS - 1);
    }
  }
}

static enum armdyn_status read_all(struct search *s, const double *beta, struct armdyn_error *error)
{
  const struct armdyn_source *source = s->source;
  enum armdyn_status status = ARMDYN_OK;
  for (int pass = 0; pass < 2; pass++) {
    size_t before = 0;
    for (size_t block = 0; block < source->blocks && !status; block++) {
      struct armdyn_motion motion;
      if ((status = source->read(source->context, block, &motion, error))) return status;
      if (pass == 0) {
        look(s, &motion);
        continue;
      }
      double *predicted = malloc((motion.count * s->unknowns->n + 1) * sizeof *predicted);
      status = predicted ? armdyn_predict(s->unknowns, beta, &motion, predicted) : ARMDYN_EMEMORY;
      if (!status) add(s, &motion, before, predicted);
      before += motion.count;
      free(predicted);
    }
  }
  return status;
}

/* -- lines in it -- */

struct lines {
  const struct joint_samples *samples;
  double ratio, middle, span; /* gear ratio; motor rad: of the angles */
  size_t count;
  double order[ARMDYN_RIPPLES_MAX];
  double x[COLUMNS]; /* least squares: nuisance, then sine and cosine of each line */
};

/* A constant, the angle, and its sine and cosine at the joint, what a wrong centre of mass gives; then the lines; and, if
 * they are wanted, their slopes by the orders. */
static size_t columns_at(const struct lines *l, double angle, bool slopes, double *row)
{
  const double q = angle / l->ratio, off = angle - l->middle;
  row[0] = 1;
  row[1] = off / fmax(l->span, 1e-300);
  row[2] = sin(q);
  row[3] = cos(q);
  for (size_t k = 0; k < l->count; k++) {
    const double s = sin(l->order[k] * off), c = cos(l->order[k] * off);
    const double *x = l->x + NUISANCE + 2 * k;
    row[NUISANCE + 2 * k] = s;
    row[NUISANCE + 2 * k + 1] = c;
    if (slopes) row[NUISANCE + 2 * l->count + k] = off * (x[0] * c - x[1] * s);
  }
  return NUISANCE + (slopes ? 3 : 2) * l->count;
}

/* Is a part of these halves (bits)? */
static bool is_in(int halves, unsigned char part)
{
  return halves >> (part % 2) & 1;
}

/* Least squares on halves of the data; answers whether there are any. */
static bool solve(const struct lines *l, int halves, bool slopes, double *x)
{
  double A[COLUMNS * COLUMNS] = { 0 }, row[COLUMNS], scale[COLUMNS];
  const struct joint_samples *s = l->samples;
  const size_t columns = NUISANCE + (slopes ? 3 : 2) * l->count;
  memset(x, 0, columns * sizeof *x);
  for (size_t k = 0; k < s->count; k++) {
    if (!is_in(halves, s->part[k])) continue;
    columns_at(l, s->angle[k], slopes, row);
    for (size_t a = 0; a < columns; a++) {
      x[a] += row[a] * s->left[k];
      for (size_t b = 0; b <= a; b++) A[a * columns + b] += row[a] * row[b];
    }
  }
  for (size_t a = 0; a < columns; a++) A[a * columns + a] = A[a * columns + a] * (1 + 1e-10) + 1e-300;
  if (!scaled_cholesky_factor(columns, A, scale)) return false;
  scaled_cholesky_solve(columns, A, scale, x);
  return true;
}

/* Variable projection (Golub & Pereyra 1973, Kaufman 1975): orders by Gauss and Newton, the rest least squares at each. */
static bool refine(struct lines *l, int halves)
{
  if (!solve(l, halves, false, l->x)) return false;
  for (int round = 0; round < ROUNDS && l->count > 0; round++) {
    double x[COLUMNS];
    const double longest = two_pi / (4 * l->span);
    if (!solve(l, halves, true, x)) return false;
    for (size_t k = 0; k < l->count; k++) l->order[k] += fmax(-longest, fmin(x[NUISANCE + 2 * l->count + k], longest));
    if (!solve(l, halves, false, l->x)) return false;
  }
  return true;
}

/* Squares of what is left, by part, and all that is left. */
static void leave(const struct lines *l, double squares[PARTS])
{
  const struct joint_samples *s = l->samples;
  double row[COLUMNS];
  memset(squares, 0, PARTS * sizeof *squares);
  for (size_t k = 0; k < s->count; k++) {
    double rest = s->left[k];
    const size_t columns = columns_at(l, s->angle[k], false, row);
    for (size_t c = 0; c < columns; c++) rest -= row[c] * l->x[c];
    s->rest[k] = rest;
    squares[s->part[k]] += rest * rest;
  }
}

static int by_size(const void *a, const void *b)
{
  const double *x = a, *y = b;
  return (*x > *y) - (*x < *y);
}

/* The speed that a quarter of the samples is below; 0: out of memory. */
static double slow_speed(const struct joint_samples *s)
{
  double *sorted = malloc((s->count + 1) * sizeof *sorted), speed;
  if (!sorted) return 0;
  memcpy(sorted, s->speed, s->count * sizeof *sorted);
  qsort(sorted, s->count, sizeof *sorted, by_size);
  speed = sorted[s->count / 4];
  free(sorted);
  return speed;
}

/* Powers of evenly spaced orders in what is left of the first half: one turn of a phasor a sample and order. */
static double strongest(const struct lines *l, double least, double most)
{
  const struct joint_samples *s = l->samples;
  const double step = two_pi / (3 * l->span);
  const size_t orders = most > least ? (size_t)((most - least) / step) + 1 : 0;
  const size_t stride = 1 + (size_t)((double)orders * (double)s->count / 2 / SCAN_MOST);
  double *re = calloc(2 * orders + 2, sizeof *re), *im = re ? re + orders + 1 : NULL, highest = 0, best = 0;
  if (!re) return 0;
  for (size_t k = 0, seen = 0; k < s->count; k++) {
    if (!is_in(1, s->part[k]) || seen++ % stride != 0) continue;
    const double off = s->angle[k] - l->middle, turn_c = cos(step * off), turn_s = sin(step * off);
    double c = s->rest[k] * cos(least * off), t = s->rest[k] * sin(least * off);
    for (size_t o = 0; o < orders; o++) {
      re[o] += c;
      im[o] += t;
      const double next = c * turn_c - t * turn_s;
      t = t * turn_c + c * turn_s;
      c = next;
    }
  }
  for (size_t o = 0; o < orders; o++) {
    const double power = re[o] * re[o] + im[o] * im[o];
    if (!(power > highest)) continue;
    highest = power;
    best = least + (double)o * step;
  }
  free(re);
  return best;
}

/* Does a line gain on the half that it was not fitted to? */
static bool gains(const double *before, const double *after)
{
  double mean = 0, square = 0, all = 0;
  const double count = 0.5 * PARTS;
  for (size_t p = 1; p < PARTS; p += 2) {
    mean += (before[p] - after[p]) / count;
    all += before[p] / count;
  }
  for (size_t p = 1; p < PARTS; p += 2) square += pow(before[p] - after[p] - mean, 2) / (count - 1);
  return mean > STANDARD_ERRORS * sqrt(square / count) && mean > RELEVANT * all;
}

static void measure(struct lines *l)
{
  double low = INFINITY, high = -INFINITY;
  for (size_t k = 0; k < l->samples->count; k++) {
    low = fmin(low, l->samples->angle[k]);
    high = fmax(high, l->samples->angle[k]);
  }
  l->middle = (low + high) / 2;
  l->span = high - low;
}

static void take(const struct lines *l, struct armdyn_friction *ripples)
{
  for (size_t k = 0; k < l->count; k++) {
    const double s = l->x[NUISANCE + 2 * k], c = l->x[NUISANCE + 2 * k + 1];
    ripples->ripples[ripples->ripple_count++] =
        (struct armdyn_ripple){ hypot(s, c), l->order[k], remainder(atan2(c, s) - l->order[k] * l->middle, two_pi) };
  }
}

/* Lines that the estimate has beyond those that were there before: they begin the search, and are put back into what is
 * left. */
static void begin(const struct search *s, const double *beta, size_t joint, size_t own, struct lines *l)
{
  const struct armdyn_friction *f = &armdyn_robot_description(s->unknowns->robot)->joints[joint].friction;
  const struct joint_samples *samples = l->samples;
  for (size_t k = own; k < f->ripple_count; k++) {
    const struct armdyn_parameter_id id = { joint, ARMDYN_PARAMETER_FRICTION, ARMDYN_PARAMETER_LINE_AMPLITUDE, k };
    const size_t base = base_led_by(s->unknowns, standard_of(s->unknowns, &id));
    const double amplitude = base < s->unknowns->base_count ? beta[base] : 0;
    for (size_t at = 0; at < samples->count; at++)
      samples->left[at] += amplitude * sin(f->ripples[k].order * samples->angle[at] + f->ripples[k].phase);
    l->order[l->count++] = f->ripples[k].order;
  }
}

static void find(const struct search *s, const double *beta, size_t joint, struct armdyn_friction *ripples)
{
  const struct joint_samples *samples = &s->joints[joint];
  struct lines l = { .samples = samples,
                     .ratio = armdyn_robot_description(s->unknowns->robot)->joints[joint].drive.gear_ratio };
  double before[PARTS], after[PARTS];
  if (samples->count < 4 * COLUMNS) return;
  measure(&l);
  const double slow = slow_speed(samples);
  if (!(l.span > 0) || !(slow > 0)) return;
  const double least = PERIODS_LEAST * fmax(two_pi / l.span, 1 / fabs(l.ratio));
  const double most = two_pi * s->rate / (SAMPLES_PERIOD * slow);
  begin(s, beta, joint, ripples->ripple_count, &l);
  if (!refine(&l, 1)) return;
  while (ripples->ripple_count + l.count < ARMDYN_RIPPLES_MAX) {
    struct lines more = l;
    leave(&l, before);
    more.order[more.count++] = strongest(&l, least, most);
    if (!(more.order[l.count] > 0) || !refine(&more, 1)) break;
    leave(&more, after);
    if (!(more.order[l.count] >= 0.9 * least) || !gains(before, after)) break;
    l = more;
  }
  if (refine(&l, 3)) take(&l, ripples);
}

enum armdyn_status motion_ripples_find(const struct armdyn_unknowns *unknowns, const double *beta,
                                       const struct armdyn_source *source, struct armdyn_friction *ripples,
                                       struct armdyn_error *error)
{
  struct search s = { .unknowns = unknowns, .source = source, .stride = 1 + source->samples / SAMPLES_MOST };
  const size_t most = source->samples < SAMPLES_MOST ? source->samples + 1 : SAMPLES_MOST;
  enum armdyn_status status = ARMDYN_OK;
  for (size_t i = 0; i < unknowns->n && !status; i++)
    if (!samples_open(&s.joints[i], most)) status = ARMDYN_EMEMORY;
  if (!status) status = read_all(&s, beta, error);
  for (size_t i = 0; i < unknowns->n && !status; i++) find(&s, beta, i, &ripples[i]);
  for (size_t i = 0; i < unknowns->n; i++) samples_close(&s.joints[i]);
  return status;
}
