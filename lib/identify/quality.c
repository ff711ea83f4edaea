/* What can be seen in a log without a model of the arm, while its rows go by. */
#include "armdyn/quality.h"

#include <math.h>
#include <stdlib.h>

#include "lib/identify/delay.h"

enum { STARTING_ROWS = 1024, WINDOWS = 4096, WINDOW_ROWS = 16 };
static const double GAP = 1.5, REPEATED_TIME = 0.1, REST_TIME = 0.25, REST_SPEED = 0.02;
static const double STILL = 1e-4, STILL_SHARE = 1e-3;

/* A stretch of rows: when, and how far each joint went in it (minimum and maximum stand in `ranges`). */
struct window {
  double begin, end;
};

/* Samples in a row at the greatest or least value so far. */
struct plateau {
  bool begun;
  double value;
  size_t run, longest;
  double time;
};

struct armdyn_quality {
  size_t joints, columns, torque;
  size_t count;
  double first;
  double *previous; /* the row before */

  double starting[STARTING_ROWS]; /* the first times: what is usual is known only after them */
  double usual;                   /* interval, s; NAN: not known yet */
  double sum, squares;            /* of intervals without gaps */
  size_t intervals, gaps;
  double gap, gap_time;

  bool moved; /* at the row before: something was other than in the one before it */
  size_t repeats, repeated;
  double repeats_begin, repeated_time;

  size_t window_rows, window_count; /* rows of a whole window; windows begun */
  size_t in_window;
  struct window windows[WINDOWS];
  double *ranges; /* WINDOWS x joints x 2 */

  struct plateau *top, *bottom; /* joints each */
  double *powers;               /* sums of squares of the columns */
  struct armdyn_column_figures *figures;
  struct armdyn_joint_figures *found;
  struct delay_search *search; /* NULL: no torque */
};

enum armdyn_status armdyn_quality_new(size_t joints, size_t columns, size_t torque, struct armdyn_quality **out)
{
  if (joints < 1 || columns < 1 + joints || (torque && torque + joints > columns)) return ARMDYN_EINPUT;
  struct armdyn_quality *q = calloc(1, sizeof *q);
  if (!q) return ARMDYN_EMEMORY;
  q->joints = joints;
  q->columns = columns;
  q->torque = torque;
  q->usual = NAN;
  q->window_rows = WINDOW_ROWS;
  q->previous = calloc(columns, sizeof *q->previous);
  q->ranges = calloc(WINDOWS * joints * 2, sizeof *q->ranges);
  q->top = calloc(joints, sizeof *q->top);
  q->bottom = calloc(joints, sizeof *q->bottom);
  q->powers = calloc(columns, sizeof *q->powers);
  q->figures = calloc(columns, sizeof *q->figures);
  q->found = calloc(joints, sizeof *q->found);
  q->search = torque ? delay_search_new(joints) : NULL;
  if (q->previous && q->ranges && q->top && q->bottom && q->powers && q->figures && q->found &&
      (q->search || !torque)) {
    *out = q;
    return ARMDYN_OK;
  }
  armdyn_quality_free(q);
  return ARMDYN_EMEMORY;
}

void armdyn_quality_free(struct armdyn_quality *q)
{
  if (!q) return;
  delay_search_free(q->search);
  free(q->previous);
  free(q->ranges);
  free(q->top);
  free(q->bottom);
  free(q->powers);
  free(q->figures);
  free(q->found);
  free(q);
}

/* -- the clock -- */

static void take_interval(struct armdyn_quality *q, double begin, double end)
{
  const double interval = end - begin;
  if (interval > GAP * q->usual) {
    q->gaps++;
    if (!(interval > q->gap)) return;
    q->gap = interval;
    q->gap_time = begin;
    return;
  }
  q->sum += interval;
  q->squares += (interval - q->usual) * (interval - q->usual); /* about the usual one: no cancellation */
  q->intervals++;
}

static int by_size(const void *a, const void *b)
{
  const double *x = a, *y = b;
  return (*x > *y) - (*x < *y);
}

/* The first times are there: their median interval is the usual one. */
static void start_clock(struct armdyn_quality *q, size_t count)
{
  double intervals[STARTING_ROWS];
  if (count < 2) return;
  for (size_t i = 0; i + 1 < count; i++) intervals[i] = q->starting[i + 1] - q->starting[i];
  qsort(intervals, count - 1, sizeof *intervals, by_size);
  q->usual = intervals[(count - 1) / 2];
  for (size_t i = 0; i + 1 < count; i++) take_interval(q, q->starting[i], q->starting[i + 1]);
}

static void watch_clock(struct armdyn_quality *q, double time)
{
  if (q->count == 0) q->first = time;
  if (q->count < STARTING_ROWS) q->starting[q->count] = time;
  if (q->count >= STARTING_ROWS) take_interval(q, q->previous[0], time);
  if (q->count + 1 == STARTING_ROWS) start_clock(q, STARTING_ROWS);
}

/* -- rows that repeat -- */

static void end_repeats(struct armdyn_quality *q, double time)
{
  if (q->repeats && time - q->repeats_begin < REPEATED_TIME) {
    if (!q->repeated) q->repeated_time = q->repeats_begin;
    q->repeated += q->repeats;
  }
  q->repeats = 0;
}

static void watch_repeats(struct armdyn_quality *q, const double *row)
{
  bool same = q->count > 0;
  for (size_t c = 1; same && c < q->columns; c++) same = !(row[c] > q->previous[c]) && !(row[c] < q->previous[c]);
  if (!same) {
    end_repeats(q, row[0]);
    q->moved = true;
  } else if (q->repeats || q->moved) {
    if (!q->repeats++) q->repeats_begin = row[0];
    q->moved = false;
  }
}

/* -- windows of rest and motion -- */

/* Twice as long ones, so that they suffice for what comes. */
static void merge_windows(struct armdyn_quality *q)
{
  const size_t n = q->joints;
  for (size_t w = 0; w < WINDOWS / 2; w++) {
    q->windows[w] = (struct window){ q->windows[2 * w].begin, q->windows[2 * w + 1].end };
    for (size_t j = 0; j < n; j++) {
      const double *a = q->ranges + (4 * w * n + 2 * j), *b = a + 2 * n;
      double *into = q->ranges + (2 * w * n + 2 * j);
      const double least = fmin(a[0], b[0]), greatest = fmax(a[1], b[1]);
      into[0] = least;
      into[1] = greatest;
    }
  }
  q->window_count = WINDOWS / 2;
  q->window_rows *= 2;
}

static void watch_motion(struct armdyn_quality *q, const double *row)
{
  if (q->in_window == 0 && q->window_count == WINDOWS) merge_windows(q);
  const size_t w = q->in_window ? q->window_count - 1 : q->window_count++;
  double *range = q->ranges + 2 * w * q->joints;
  if (q->in_window == 0) q->windows[w].begin = row[0];
  q->windows[w].end = row[0];
  for (size_t j = 0; j < q->joints; j++) {
    const double x = row[1 + j];
    range[2 * j] = q->in_window && range[2 * j] < x ? range[2 * j] : x;
    range[2 * j + 1] = q->in_window && range[2 * j + 1] > x ? range[2 * j + 1] : x;
  }
  if (++q->in_window >= q->window_rows) q->in_window = 0;
}

/* Speed of a joint over a window, 0 in one of a single row. */
static double speed_in(const struct armdyn_quality *q, size_t w, size_t joint)
{
  const double *range = q->ranges + 2 * (w * q->joints + joint), time = q->windows[w].end - q->windows[w].begin;
  return time > 0 ? (range[1] - range[0]) / time : 0;
}

static void find_rests(const struct armdyn_quality *q, struct armdyn_quality_report *report)
{
  double limit[ARMDYN_JOINTS_MAX], begin = 0, end = 0;
  bool resting = false;
  for (size_t j = 0; j < q->joints; j++) {
    limit[j] = 0;
    for (size_t w = 0; w < q->window_count; w++) limit[j] = fmax(limit[j], REST_SPEED * speed_in(q, w, j));
    if (!q->found[j].moves) limit[j] = INFINITY;
  }
  for (size_t w = 0; w <= q->window_count; w++) {
    bool rest = w < q->window_count;
    for (size_t j = 0; rest && j < q->joints; j++) rest = speed_in(q, w, j) <= limit[j];
    if (rest && !resting) begin = q->windows[w].begin;
    if (rest) end = q->windows[w].end;
    if (!rest && resting && end - begin >= REST_TIME) {
      report->rests++;
      report->resting += end - begin;
    }
    resting = rest;
  }
}

/* -- torques that stand at their end -- */

static void watch_plateau(struct plateau *p, double value, double sign, bool moves, double time)
{
  if (!p->begun || sign * value > sign * p->value) *p = (struct plateau){ .begun = true, .value = value };
  if (sign * value < sign * p->value) {
    p->run = 0;
    return;
  }
  p->run += moves;
  if (p->run <= p->longest) return;
  p->longest = p->run;
  p->time = time;
}

static void watch_torques(struct armdyn_quality *q, const double *row)
{
  for (size_t j = 0; q->torque && j < q->joints; j++) {
    const double tau = row[q->torque + j];
    const bool moves = q->count > 0 && fabs(row[1 + j] - q->previous[1 + j]) > 0;
    watch_plateau(&q->top[j], tau, 1, moves, row[0]);
    watch_plateau(&q->bottom[j], tau, -1, moves, row[0]);
  }
}

/* -- all together -- */

static void add_row(struct armdyn_quality *q, const double *row)
{
  for (size_t c = 0; c < q->columns; c++) {
    struct armdyn_column_figures *f = &q->figures[c];
    if (q->count == 0 || row[c] < f->least) f->least = row[c];
    if (q->count == 0 || row[c] > f->greatest) f->greatest = row[c];
    q->powers[c] += row[c] * row[c];
  }
  watch_clock(q, row[0]);
  watch_repeats(q, row);
  watch_motion(q, row);
  watch_torques(q, row);
  if (q->search) delay_search_add(q->search, row[0], row + 1, row + q->torque);
  memcpy(q->previous, row, q->columns * sizeof *row);
  q->count++;
}

void armdyn_quality_add(struct armdyn_quality *q, size_t count, const double *rows)
{
  for (size_t i = 0; i < count; i++) add_row(q, rows + i * q->columns);
}

static void report_joints(struct armdyn_quality *q)
{
  double widest = 0;
  for (size_t j = 0; j < q->joints; j++) widest = fmax(widest, q->figures[1 + j].greatest - q->figures[1 + j].least);
  for (size_t j = 0; j < q->joints; j++) {
    const struct armdyn_column_figures *position = &q->figures[1 + j];
    const struct plateau *longest = q->top[j].longest >= q->bottom[j].longest ? &q->top[j] : &q->bottom[j];
    q->found[j] = (struct armdyn_joint_figures){
      .moves = position->greatest - position->least >= fmax(STILL, STILL_SHARE * widest),
      .clipped = q->torque && q->top[j].value > q->bottom[j].value ? longest->longest : 0,
      .clipped_value = longest->value,
      .clipped_time = longest->time,
      .delay = NAN,
    };
  }
}

enum armdyn_status armdyn_quality_report(struct armdyn_quality *q, struct armdyn_quality_report *report)
{
  *report = (struct armdyn_quality_report){ .count = q->count, .first = q->first, .rate = NAN };
  if (q->count == 0) return ARMDYN_EINPUT;
  if (isnan(q->usual)) start_clock(q, q->count);
  end_repeats(q, q->previous[0]);
  report->last = q->previous[0];
  if (q->intervals > 0) {
    const double mean = q->sum / (double)q->intervals, off = mean - q->usual;
    report->rate = 1 / mean;
    report->jitter = sqrt(fmax(q->squares / (double)q->intervals - off * off, 0)) / mean;
  }
  report->gaps = q->gaps;
  report->gap = q->gap;
  report->gap_time = q->gap_time;
  report->repeated = q->repeated;
  report->repeated_time = q->repeated_time;
  report_joints(q);
  find_rests(q, report);
  for (size_t c = 0; c < q->columns; c++) q->figures[c].rms = sqrt(q->powers[c] / (double)q->count);
  report->columns = q->figures;
  report->joints = q->found;
  return q->search ? delay_search_run(q->search, q->found) : ARMDYN_OK;
}
