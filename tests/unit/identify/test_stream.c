/* Data that come block by block give what the same data give at once. */
#define LOG_SAMPLES 20000 /* they are read in several blocks */

#include "tests/support/simulated.h"

/* A log in memory that is handed out in pieces, and counts how much was ever out at once. */
struct pieces {
  struct armdyn_log log;
  size_t longest, reads;
};

static enum armdyn_status read_piece(void *context, size_t first, size_t count, struct armdyn_log *log,
                                     struct armdyn_error *error)
{
  struct pieces *p = context;
  (void)error;
  cr_assert(first + count <= p->log.count);
  if (count > p->longest) p->longest = count;
  p->reads++;
  *log = (struct armdyn_log){
    .count = count, .time = p->log.time + first, .q = p->log.q + first * N, .tau = p->log.tau + first * N
  };
  return ARMDYN_OK;
}

enum { LONG = COUNT + 1234 };
static double times[LONG], positions[LONG * N], torques[LONG * N];

/* More than one block holds, at an uneven clock. */
static struct pieces long_log(const struct armdyn_robot *robot)
{
  struct dice dice = { 3 };
  simulate(robot, 11, LONG, 0, 0.01, times, positions, torques);
  for (size_t k = 0; k < LONG; k++) times[k] += 100;
  for (size_t k = 1; k + 1 < LONG; k++) {
    /* sampled at another time, and said so */
    const double late = dice_uniform(&dice, 0, 2e-4);
    for (size_t i = 0; i < N; i++) {
      positions[k * N + i] += (positions[(k + 1) * N + i] - positions[k * N + i]) * late * rate;
    }
    times[k] += late;
  }
  return (struct pieces){ .log = { .count = LONG, .time = times, .q = positions, .tau = torques } };
}

/* A block against the same samples of the whole. */
typedef void check_block(const struct armdyn_motion *block, const struct armdyn_motion *whole, size_t at);

static void expect_blocks_of(enum armdyn_conditioning_method method, check_block *check)
{
  struct armdyn_robot *robot = scara();
  struct pieces p = long_log(robot);
  const struct armdyn_conditioning c = { .method = method, .position_cutoff = 20, .torque_cutoff = 10, .trim = 1.25 };
  const struct armdyn_log_reader reader = { LONG, times[0], times[LONG - 1], read_piece, &p };
  struct armdyn_log_stream *stream;
  struct armdyn_motion whole, block;
  size_t at = 0;
  cr_assert_eq(armdyn_condition(N, &p.log, &c, &whole, NULL), ARMDYN_OK);
  cr_assert_eq(armdyn_log_stream_new(N, &reader, 1, &c, &stream, NULL), ARMDYN_OK);
  const struct armdyn_source source = armdyn_log_stream_source(stream);
  cr_expect_geq(source.blocks, 2);
  for (size_t k = 0; k < source.blocks; k++) {
    cr_assert_eq(source.read(source.context, k, &block, NULL), ARMDYN_OK);
    cr_assert_leq(at + block.count, whole.count);
    for (size_t i = 0; i < block.count * N; i++) {
      cr_assert_float_eq(block.tau[i], whole.tau[at * N + i], 1e-3, "block %zu, %zu", k, i);
      cr_assert_float_eq(block.tau_raw[i], whole.tau_raw[at * N + i], 1e-6, "block %zu, %zu", k, i);
    }
    check(&block, &whole, at);
    at += block.count;
  }
  cr_expect_eq(at, whole.count);
  cr_expect_leq(source.samples, whole.count + 1);
  cr_expect_geq(source.samples + 1, whole.count);
  cr_expect_lt(p.longest, LONG);
  armdyn_log_stream_free(stream);
  armdyn_motion_free(&whole);
  armdyn_robot_free(robot);
}

static void expect_same(const struct armdyn_motion *block, const struct armdyn_motion *whole, size_t at)
{
  for (size_t i = 0; i < block->count * N; i++) {
    cr_assert_float_eq(block->q[i], whole->q[at * N + i], 1e-12, "%zu", i);
    cr_assert_float_eq(block->qd[i], whole->qd[at * N + i], 1e-10, "%zu", i);
    cr_assert_float_eq(block->qdd[i], whole->qdd[at * N + i], 2e-8, "%zu", i);
  }
}

/* Each joint by one shift of time, of microseconds, and by nothing else. */
static void expect_shifted(const struct armdyn_motion *block, const struct armdyn_motion *whole, size_t at)
{
  for (size_t j = 0; j < N; j++) {
    double product = 0, square = 0;
    for (size_t i = j; i < block->count * N; i += N) {
      product += (block->q[i] - whole->q[at * N + i]) * block->qd[i];
      square += block->qd[i] * block->qd[i];
    }
    const double shift = product / square;
    cr_expect_lt(fabs(shift), 5e-5, "joint %zu: %g s", j + 1, shift);
    for (size_t i = j; i < block->count * N; i += N) {
      const double q = whole->q[at * N + i], qd = whole->qd[at * N + i], qdd = whole->qdd[at * N + i];
      cr_assert_float_eq(block->q[i], q + shift * qd, 2e-7, "joint %zu", j + 1);
      cr_assert_float_eq(block->qd[i], qd + shift * qdd, 2e-6, "joint %zu", j + 1);
    }
  }
}

Test(stream, blocks_make_up_the_motion_of_the_whole)
{
  expect_blocks_of(ARMDYN_BUTTERWORTH, expect_same);
}

/* Its lag is measured in every block anew. */
Test(stream, tracked_blocks_make_up_the_motion_of_the_whole_but_for_its_lag)
{
  expect_blocks_of(ARMDYN_TRACKING_DIFFERENTIATOR, expect_shifted);
}

Test(stream, every_estimator_finds_the_same)
{
  struct known known = known_open();
  struct pieces p = long_log(known.robot);
  const struct armdyn_conditioning c = { .position_cutoff = 20, .torque_cutoff = 20, .trim = 0.5 };
  const struct armdyn_log_reader reader = { LONG, times[0], times[LONG - 1], read_piece, &p };
  struct armdyn_log_stream *stream;
  struct armdyn_motion whole;
  cr_assert_eq(armdyn_condition(N, &p.log, &c, &whole, NULL), ARMDYN_OK);
  cr_assert_eq(armdyn_log_stream_new(N, &reader, 1, &c, &stream, NULL), ARMDYN_OK);
  const struct armdyn_source source = armdyn_log_stream_source(stream);
  static const enum armdyn_estimator estimators[] = { ARMDYN_WLS, ARMDYN_IRLS, ARMDYN_CONSISTENT };
  for (int m = 0; m < 3; m++) {
    const struct armdyn_estimation estimation = { .estimator = estimators[m] };
    struct armdyn_estimate once, streamed;
    cr_assert_eq(armdyn_identify(known.unknowns, &whole, 1, &estimation, &once, NULL), ARMDYN_OK);
    cr_assert_eq(armdyn_identify_source(known.unknowns, &source, &estimation, &streamed, NULL), ARMDYN_OK);
    cr_expect_eq(once.prior_strength, streamed.prior_strength);
    for (size_t k = 0; k < known.count; k++) {
      cr_expect_float_eq(once.beta[k], streamed.beta[k], 0.02 * once.deviation[k], "%d %zu", m, k);
      cr_expect_float_eq(once.deviation[k], streamed.deviation[k], 0.2 * once.deviation[k], "%d %zu", m, k);
    }
    armdyn_estimate_free(&once);
    armdyn_estimate_free(&streamed);
  }
  armdyn_log_stream_free(stream);
  armdyn_motion_free(&whole);
  known_close(&known);
}

static enum armdyn_status broken(void *context, size_t first, size_t count, struct armdyn_log *log,
                                 struct armdyn_error *error)
{
  if (first > 0) return armdyn_refuse(error, ARMDYN_EIO, "", "the disk is gone");
  return read_piece(context, first, count, log, error);
}

Test(stream, what_a_reader_refuses_is_handed_on)
{
  struct known known = known_open();
  struct pieces p = long_log(known.robot);
  const struct armdyn_conditioning c = { .position_cutoff = 20 };
  struct armdyn_log_reader reader = { LONG, times[0], times[LONG - 1], broken, &p };
  const struct armdyn_estimation estimation = { .estimator = ARMDYN_WLS };
  struct armdyn_log_stream *stream;
  struct armdyn_estimate e;
  struct armdyn_error error;
  cr_assert_eq(armdyn_log_stream_new(N, &reader, 1, &c, &stream, NULL), ARMDYN_OK);
  const struct armdyn_source source = armdyn_log_stream_source(stream);
  cr_expect_eq(armdyn_identify_source(known.unknowns, &source, &estimation, &e, &error), ARMDYN_EIO);
  cr_expect_str_eq(error.message, "the disk is gone");
  armdyn_log_stream_free(stream);
  reader.count = 7;
  cr_expect_eq(armdyn_log_stream_new(N, &reader, 1, &c, &stream, &error), ARMDYN_EINPUT);
  cr_expect_str_eq(error.message, "needs 16 samples, got 7");
  known_close(&known);
}

/* What is kept of a log from which windows were left out: the same samples as without, but for those. */
Test(stream, windows_are_left_out)
{
  static const struct armdyn_log_window windows[] = {
    { 0, 117, 130 }, { 0, 103, 104 }, { 0, 103.5, 105.25 }, { 0, 90, 100.3 }
  };
  struct armdyn_robot *robot = scara();
  struct pieces p = long_log(robot);
  const struct armdyn_conditioning c = { .position_cutoff = 20, .torque_cutoff = 10, .trim = 1.25 };
  const struct armdyn_log_reader reader = { LONG, times[0], times[LONG - 1], read_piece, &p };
  const double spread = 0.1, from[] = { times[0] + 1.25, 105.25 + spread }, to[] = { 103 - spread, 117 - spread };
  struct armdyn_log_stream *stream;
  struct armdyn_motion whole, block;
  size_t samples = 0, wrong = 0;
  cr_assert_eq(armdyn_condition(N, &p.log, &c, &whole, NULL), ARMDYN_OK);
  cr_assert_eq(armdyn_log_stream_new(N, &reader, 1, &c, &stream, NULL), ARMDYN_OK);
  cr_assert_eq(armdyn_log_stream_exclude(stream, windows, 4), ARMDYN_OK);
  const struct armdyn_source source = armdyn_log_stream_source(stream);
  for (size_t k = 0; k < source.blocks; k++) {
    cr_assert_eq(source.read(source.context, k, &block, NULL), ARMDYN_OK);
    for (size_t i = 0; i < block.count; i++) {
      const double time = block.start + (double)i / block.rate;
      const size_t at = (size_t)round((time - whole.start) * whole.rate);
      const bool kept = (time > from[0] - 1e-6 && time < to[0]) || (time > from[1] - 1e-6 && time < to[1]);
      wrong += !kept || fabs(block.tau[i * N] - whole.tau[at * N]) > 1e-3;
      wrong += fabs(block.q[i * N] - whole.q[at * N]) > 1e-9;
    }
    samples += block.count;
  }
  cr_expect_eq(wrong, 0, "%zu", wrong);
  cr_expect_float_eq((double)samples, (to[0] - from[0] + to[1] - from[1]) * whole.rate, 3, "%zu", samples);
  cr_expect_float_eq((double)samples, (double)source.samples, 3, "%zu", source.samples);
  armdyn_log_stream_free(stream);
  armdyn_motion_free(&whole);
  armdyn_robot_free(robot);
}
