#include "api/limits.h"
#include "store_fixture.h"

TestSuite(results, .init = setup, .fini = teardown);

/* Value of a cell that tells row and column apart. */
static double cell(size_t row, size_t column)
{
  return (double)row + (double)column / 64;
}

static double *table(size_t first, size_t rows, size_t width)
{
  double *values = malloc((rows * width + 1) * sizeof *values);
  for (size_t r = 0; r < rows; r++)
    for (size_t c = 0; c < width; c++) values[r * width + c] = cell(first + r, c);
  return values;
}

/* Writes in pieces of `piece` rows. */
static enum armdyn_status write_series(const char *result_id, const char *name, size_t rows, size_t width, size_t piece,
                                       bool keep)
{
  struct store_series_writer *writer;
  OK(store_series_begin(store, result_id, name, "t,q1", width, &writer));
  for (size_t at = 0; at < rows; at += piece) {
    size_t count = rows - at < piece ? rows - at : piece;
    double *values = table(at, count, width);
    OK(store_series_append(writer, values, count));
    free(values);
  }
  return store_series_end(writer, keep);
}

static void expect_rows(const char *result_id, const char *name, size_t first, size_t count, size_t width)
{
  double *got = malloc((count * width + 1) * sizeof *got), *expected = table(first, count, width);
  OK(store_series_read(store, result_id, name, first, count, got));
  cr_assert_arr_eq(got, expected, count * width * sizeof *got);
  free(got);
  free(expected);
}

/* A queued job and a result for it that is not stored yet. */
static struct store_result unstored(struct store_job *job)
{
  struct store_robot robot = a_robot("r");
  store_robot_create(store, &robot, NULL);
  *job = a_job("r", 1);
  OK(store_job_create(store, job, NULL));
  return a_result(job);
}

Test(results, appear_with_their_job_and_series_at_once)
{
  struct store_job job, seen;
  struct store_result result = unstored(&job), got;
  struct store_series info;
  double value;
  result.tags = "{\"part\":\"A7\"}";
  OK(write_series(result.id, "samples", 100, 7, 10, true));
  IS(store_series_info(store, result.id, "samples", &info), ENOTFOUND);
  IS(store_series_read(store, result.id, "samples", 0, 0, &value), ENOTFOUND);
  job.attempt = 2;
  memcpy(job.finished_at, job.created_at, sizeof job.finished_at);
  OK(store_result_create(store, &result, &job));
  reopen();
  OK(store_result_get(store, "trajectory", result.id, &got));
  cr_assert_str_eq(got.id, result.id);
  cr_assert_str_eq(got.job, job.id);
  cr_assert_str_eq(got.robot, "r");
  cr_assert_eq(got.revision, 1);
  cr_assert_str_eq(got.created_at, result.created_at);
  cr_assert_str_eq(got.document, result.document);
  cr_assert_str_eq(got.tags, result.tags);
  store_result_release(&got);
  IS(store_result_get(store, "excitation", result.id, &got), ENOTFOUND);
  OK(store_job_get(store, job.id, &seen));
  cr_assert_eq(seen.state, JOB_SUCCEEDED);
  cr_assert_eq(seen.attempt, 2);
  cr_assert_str_eq(seen.result_id, result.id);
  cr_assert_str_eq(seen.finished_at, job.finished_at);
  store_job_release(&seen);
  OK(store_series_info(store, result.id, "samples", &info));
  cr_assert_str_eq(info.columns, "t,q1");
  cr_assert_eq(info.width, 7);
  cr_assert_eq(info.rows, 100);
  expect_rows(result.id, "samples", 0, 100, 7);
  IS(store_result_create(store, &result, &job), EEXISTS);
}

Test(results, need_their_job_and_robot)
{
  struct store_job job;
  struct store_result result = unstored(&job);
  result.revision = 2;
  IS(store_result_create(store, &result, &job), ECONFLICT);
  result.revision = 1;
  id_make(result.job);
  IS(store_result_create(store, &result, &job), ECONFLICT);
  OK(store_job_get(store, job.id, &job));
  cr_assert_eq(job.state, JOB_QUEUED);
  store_job_release(&job);
}

/* Widths that do and do not divide a chunk, lengths around chunks and around a transaction of 16 chunks. */
Test(results, series_are_read_at_random)
{
  static const struct {
    size_t rows, width, piece;
  } cases[] = {
    { 1, 1, 1 },
    { STORE_CHUNK_VALUES - 1, 1, 1000 },
    { STORE_CHUNK_VALUES, 1, 8192 },
    { STORE_CHUNK_VALUES + 1, 1, 1 },
    { 16 * STORE_CHUNK_VALUES, 1, 5000 },
    { 16 * STORE_CHUNK_VALUES + 1, 1, 5000 },
    { 20000, 31, 777 },
    { 0, 3, 1 },
    { 5, 500, 2 },
  };
  unsigned seed = 1;
  for (size_t i = 0; i < COUNT(cases); i++) {
    struct store_job job;
    struct store_result result = unstored(&job);
    size_t rows = cases[i].rows, width = cases[i].width;
    OK(write_series(result.id, "samples", rows, width, cases[i].piece, true));
    OK(store_result_create(store, &result, &job));
    expect_rows(result.id, "samples", 0, rows, width);
    for (int k = 0; k < 20; k++) {
      seed = seed * 1664525u + 1013904223u;
      size_t first = seed % (rows + 1);
      expect_rows(result.id, "samples", first, (seed >> 8) % (rows - first + 1), width);
    }
    double value = 0;
    IS(store_series_read(store, result.id, "samples", rows, 1, &value), EINPUT);
    IS(store_series_read(store, result.id, "samples", rows + 1, 0, &value), EINPUT);
    IS(store_series_read(store, result.id, "samples", 1, SIZE_MAX, &value), EINPUT);
    IS(store_series_read(store, result.id, "other", 0, 0, &value), ENOTFOUND);
  }
}

Test(results, numbers_survive_bit_by_bit)
{
  static const double odd[] = { 0.0, -0.0, 0x1p-1074, 0x1.fffffffffffffp+1023, 0.1, -1e-300 };
  double got[COUNT(odd)];
  struct store_job job;
  struct store_result result = unstored(&job);
  struct store_series_writer *writer;
  OK(store_series_begin(store, result.id, "samples", "x", 1, &writer));
  OK(store_series_append(writer, odd, COUNT(odd)));
  OK(store_series_end(writer, true));
  OK(store_result_create(store, &result, &job));
  OK(store_series_read(store, result.id, "samples", 0, COUNT(odd), got));
  cr_assert_arr_eq(got, odd, sizeof odd);
}

/* A result has several series, but each once, and none after it became visible. */
Test(results, series_are_complete)
{
  struct store_job job;
  struct store_result result = unstored(&job);
  OK(write_series(result.id, "samples", 10, 2, 10, true));
  OK(write_series(result.id, "polynomial", 5, 9, 1, true));
  IS(write_series(result.id, "samples", 20, 2, 10, true), EEXISTS);
  OK(store_result_create(store, &result, &job));
  IS(write_series(result.id, "late", 10, 2, 10, true), ECONFLICT);
  expect_rows(result.id, "samples", 0, 10, 2);
  expect_rows(result.id, "polynomial", 0, 5, 9);
}

Test(results, series_are_bounded)
{
  struct store_series_writer *writer;
  double row = 0;
  IS(store_series_begin(store, "x", "samples", "x", 0, &writer), EINPUT);
  OK(store_series_begin(store, "x", "samples", "x", 1, &writer));
  OK(store_series_append(writer, &row, 1));
  IS(store_series_append(writer, &row, LIMIT_SERIES_ROWS), ELIMIT);
  IS(store_series_append(writer, &row, 1), ELIMIT); /* sticks */
  IS(store_series_end(writer, true), ELIMIT);
  OK(store_series_end(NULL, true));
}

static size_t pages_in_use(void)
{
  struct stat info;
  char path[PATH_MAX + 20];
  snprintf(path, sizeof path, "%s/armdyn.db", temporary);
  store_close(store); /* moves the log into the file */
  cr_assert_eq(stat(path, &info), 0);
  open_store();
  return (size_t)info.st_size / 4096;
}

/* What was thrown away, abandoned or deleted leaves its pages to the next: the file does not grow. */
Test(results, nothing_is_left_of_series_without_result)
{
  struct store_job job;
  struct store_result result = unstored(&job);
  OK(write_series(result.id, "samples", 200000, 2, 50000, false));
  size_t before = pages_in_use();
  for (int i = 0; i < 3; i++) OK(write_series(result.id, "samples", 200000, 2, 50000, false));
  OK(write_series(result.id, "abandoned", 200000, 2, 50000, true));
  reopen(); /* sweeps it */
  OK(write_series(result.id, "abandoned", 200000, 2, 50000, true));
  OK(store_result_create(store, &result, &job));
  OK(store_result_delete(store, "trajectory", result.id, STORE_ANY_VERSION));
  OK(write_series(result.id, "samples", 200000, 2, 50000, false));
  size_t after = pages_in_use();
  cr_assert_leq(after, before + 64, "%zu pages became %zu", before, after);
}

Test(results, deletion_keeps_the_job_and_asks_transfers)
{
  struct store_result result = stored_result(), other = stored_result(), got;
  struct store_job job;
  struct store_transfer transfer = a_transfer("cell-4", other.id);
  OK(store_transfer_create(store, &transfer, NULL));
  IS(store_result_delete(store, "trajectory", other.id, STORE_ANY_VERSION), ECONFLICT);
  IS(store_result_delete(store, "excitation", result.id, STORE_ANY_VERSION), ENOTFOUND);
  OK(store_result_delete(store, "trajectory", result.id, STORE_ANY_VERSION));
  IS(store_result_delete(store, "trajectory", result.id, STORE_ANY_VERSION), ENOTFOUND);
  IS(store_result_get(store, "trajectory", result.id, &got), ENOTFOUND);
  OK(store_job_get(store, result.job, &job));
  cr_assert_eq(job.state, JOB_SUCCEEDED);
  cr_assert_str_eq(job.result_id, "");
  store_job_release(&job);
}
