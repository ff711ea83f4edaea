#include <math.h>

#include "api/wire/buffer.h"
#include "server/data/stored_dataset.h"
#include "store_fixture.h"
#include "tests/support/sanitized.h"

TestSuite(datasets, .init = setup, .fini = teardown);

enum { MANY = SANITIZED ? 20011 : 150011 }; /* levels 1 to 4, none of them with a whole last block */
enum { WIDTH = 5 };

/* Columns with extremes in places of their own. */
static double cell(size_t row, size_t column)
{
  return column ? (double)(row * 7919 * column % 10007) - 5000 : (double)row / 1000;
}

static void fill(double *rows, size_t first, size_t count)
{
  for (size_t r = 0; r < count; r++)
    for (size_t c = 0; c < WIDTH; c++) rows[r * WIDTH + c] = cell(first + r, c);
}

static enum armdyn_status stage(const char *id, size_t count, bool keep)
{
  enum { PIECE = 777 };
  static double rows[PIECE * WIDTH];
  struct store_samples_writer *writer;
  OK(store_samples_begin(store, id, "t,q1,q2,tau1,tau2", WIDTH, LIMIT_DATASET_ROWS, &writer));
  for (size_t at = 0; at < count; at += PIECE) {
    size_t piece = count - at < PIECE ? count - at : PIECE;
    fill(rows, at, piece);
    OK(store_samples_append(writer, rows, piece));
  }
  return store_samples_end(writer, keep);
}

static struct store_dataset a_dataset(size_t samples)
{
  static char figures[] = "{\"rate\":1000}";
  struct store_robot robot = a_robot("r");
  enum armdyn_status status = store_robot_create(store, &robot, NULL);
  cr_assert(status == ARMDYN_OK || status == ARMDYN_EEXISTS);
  struct store_dataset dataset = { .robot = "r", .revision = 1, .label = "m1", .figures = figures };
  dataset.samples = (int64_t)samples;
  id_make(dataset.id);
  memset(dataset.sha256, 'a', STORE_SHA256_SIZE - 1);
  return dataset;
}

static struct store_dataset stored(size_t samples)
{
  struct store_dataset dataset = a_dataset(samples);
  OK(stage(dataset.id, samples, true));
  OK(store_dataset_create(store, &dataset, NULL));
  return dataset;
}

Test(datasets, are_read_back_as_they_were_written)
{
  const size_t samples = 10007;
  struct store_dataset row = stored(samples);
  struct stored_dataset *dataset;
  const double *rows;
  size_t count, at = 0;
  OK(stored_dataset_open(store, row.id, &dataset));
  cr_assert_str_eq(stored_dataset_row(dataset)->label, "m1");
  cr_assert_str_eq(stored_dataset_row(dataset)->sha256, row.sha256);
  const struct dataset_layout *layout = stored_dataset_layout(dataset);
  cr_assert_eq(layout->joints, 2);
  cr_assert_eq(layout->begin[DATASET_TAU], 3);
  cr_assert_not(layout->present[DATASET_QD]);
  do {
    OK(stored_dataset_next(dataset, &rows, &count));
    for (size_t i = 0; i < count; i++, at++)
      for (size_t c = 0; c < WIDTH; c++) cr_assert_eq(rows[i * WIDTH + c], cell(at, c));
  } while (count);
  cr_assert_eq(at, samples);
  stored_dataset_seek(dataset, samples - 1);
  OK(stored_dataset_next(dataset, &rows, &count));
  cr_assert_eq(count, 1);
  cr_assert_eq(rows[0], cell(samples - 1, 0));
  stored_dataset_close(dataset);
}

/* As a worker process has it: another connection, which sees what is committed and cannot write. */
Test(datasets, are_read_by_others)
{
  struct store *reader;
  struct armdyn_error error = { "", "" };
  OK(store_open_reader(store_path(store), &reader, &error));
  struct store_dataset row = stored(100);
  struct stored_dataset *dataset;
  OK(stored_dataset_open(reader, row.id, &dataset));
  stored_dataset_close(dataset);
  IS(stored_dataset_open(reader, "01J00000000000000000000000", &dataset), ENOTFOUND);
  store_close(reader);
  IS(store_open_reader("/nowhere/armdyn.db", &reader, &error), EIO);
  cr_assert_not_null(strstr(error.message, "/nowhere/armdyn.db"));
}

Test(datasets, are_seen_whole_or_not_at_all)
{
  struct store_dataset row = a_dataset(100), got;
  struct store_series info;
  OK(stage(row.id, 100, true));
  IS(store_series_info(store, row.id, STORE_SAMPLES, &info), ENOTFOUND);
  IS(store_dataset_get(store, row.id, &got), ENOTFOUND);
  reopen(); /* sweeps it */
  OK(store_dataset_create(store, &row, NULL));
  IS(store_series_info(store, row.id, STORE_SAMPLES, &info), ENOTFOUND);

  struct store_dataset kept = stored(5000);
  reopen();
  OK(store_series_info(store, kept.id, STORE_SAMPLES, &info));
  cr_assert_eq(info.rows, 5000);

  row = a_dataset(100);
  OK(stage(row.id, 5000, false)); /* an upload that was broken off */
  OK(store_dataset_create(store, &row, NULL));
  IS(store_series_info(store, row.id, STORE_SAMPLES, &info), ENOTFOUND);
  IS(store_series_info(store, row.id, "extremes1", &info), ENOTFOUND);
}

/* Whatever the window and the number of points: every bucket has the extremes of its rows, found here one by one. */
Test(datasets, extremes_are_those_of_the_rows)
{
  enum { POINTS = 500 };
  static double got[POINTS * 2 * WIDTH];
  const struct {
    size_t first, end, points;
  } windows[] = { { 0, MANY, 500 },   { 0, MANY, 7 },        { 0, MANY, 1 },        { 12345, 12400, 500 },
                  { 777, 9000, 100 }, { MANY - 5, MANY, 3 }, { MANY / 2, MANY, 40 } };
  struct store_dataset row = stored(MANY);
  for (size_t k = 0; k < COUNT(windows); k++) {
    size_t buckets;
    OK(store_samples_extremes(store, row.id, WIDTH, windows[k].first, windows[k].end, windows[k].points, got,
                              &buckets));
    cr_assert(buckets >= 1 && buckets <= windows[k].points);
    size_t at = (size_t)lround(got[0] * 1000); /* the first time is the row that the first bucket begins with */
    cr_assert_leq(at, windows[k].first);
    cr_assert_lt(windows[k].first - at, (windows[k].end - windows[k].first) / windows[k].points + 1);
    for (size_t b = 0; b < buckets; b++) {
      const double *minima = got + b * 2 * WIDTH, *maxima = minima + WIDTH;
      const size_t last = (size_t)lround(maxima[0] * 1000);
      cr_assert_eq((size_t)lround(minima[0] * 1000), at);
      for (size_t c = 0; c < WIDTH; c++) {
        double least = INFINITY, most = -INFINITY;
        for (size_t r = at; r <= last; r++) least = fmin(least, cell(r, c)), most = fmax(most, cell(r, c));
        cr_assert_eq(minima[c], least);
        cr_assert_eq(maxima[c], most);
      }
      at = last + 1;
    }
    cr_assert_geq(at, windows[k].end);
  }
  size_t buckets;
  IS(store_samples_extremes(store, row.id, WIDTH, 5, 5, 10, got, &buckets), EINPUT);
  IS(store_samples_extremes(store, row.id, WIDTH, 0, 10, 0, got, &buckets), EINPUT);
  IS(store_samples_extremes(store, row.id, WIDTH, 0, MANY + 1000, 10, got, &buckets), EINPUT);
}

Test(datasets, change_only_with_their_version)
{
  struct store_dataset row = stored(10), got;
  char notes[] = "warm", tags[] = "{\"cell\":\"4\"}";
  row.notes = notes;
  row.tags = tags;
  snprintf(row.label, sizeof row.label, "m2");
  OK(store_dataset_update(store, &row, 1));
  cr_assert_eq(row.version, 2);
  IS(store_dataset_update(store, &row, 1), ESTALE);
  OK(store_dataset_get(store, row.id, &got));
  cr_assert_str_eq(got.notes, "warm");
  cr_assert_str_eq(got.label, "m2");
  cr_assert_str_eq(got.tags, tags);
  cr_assert_eq(got.version, 2);
  store_dataset_release(&got);
  IS(store_dataset_delete(store, row.id, 1), ESTALE);
  OK(store_dataset_delete(store, row.id, 2));
  IS(store_dataset_delete(store, row.id, 2), ENOTFOUND);
  struct store_series info;
  IS(store_series_info(store, row.id, STORE_SAMPLES, &info), ENOTFOUND);
}

static void count(void *context, const struct store_dataset *dataset)
{
  (void)dataset;
  ++*(int *)context;
}

Test(datasets, are_listed_by_robot_and_label)
{
  stored(10), stored(10);
  const struct {
    struct store_filter filter;
    int found;
  } cases[] = { { { .name = "robot", .text = "r" }, 2 },
                { { .name = "label", .text = "m1" }, 2 },
                { { .name = "label", .text = "m2" }, 0 },
                { { .name = "robot", .text = "s" }, 0 } };
  for (size_t i = 0; i < COUNT(cases); i++) {
    struct store_query query = { .filters = { cases[i].filter }, .filter_count = 1, .limit = 10 };
    int found = 0;
    OK(store_dataset_list(store, &query, count, &found));
    cr_assert_eq(found, cases[i].found);
  }
  struct store_query page = { .search = "M1", .limit = 1 };
  int found = 0;
  OK(store_dataset_list(store, &page, count, &found));
  cr_assert_eq(found, 1);
  cr_assert(page.more);
  IS(store_robot_delete(store, "r", 1, false), ECONFLICT);
}

static void note(void *context, const struct store_referral *referrer)
{
  struct buffer *text = context;
  buffer_format(text, "%s ", referrer->kind);
}

/* Of which kinds they are, in order. */
static void referred_by(const char *id, const char *kinds)
{
  struct buffer text = BUFFER(256);
  OK(store_referrers(store, "dataset", id, 0, note, &text));
  cr_assert_str_eq(text.length ? text.data : "", kinds);
  buffer_release(&text);
}

Test(datasets, are_kept_for_jobs_and_results_that_refer_to_them)
{
  struct store_dataset row = stored(10);
  struct store_referral sources[] = { { "dataset", "" } };
  memcpy(sources[0].id, row.id, sizeof sources[0].id);

  struct store_job job = a_job("r", 1);
  job.sources = sources;
  job.source_count = 1;
  OK(store_job_create(store, &job, NULL));
  referred_by(row.id, "job ");
  IS(store_dataset_delete(store, row.id, 1), ECONFLICT);

  struct store_result result = a_result(&job);
  OK(store_result_create(store, &result, &job));
  referred_by(row.id, "trajectory ");
  IS(store_dataset_delete(store, row.id, 1), ECONFLICT);

  struct store_job next = a_job("r", 1); /* computes from the result, and fails */
  next.sources = &(struct store_referral){ "trajectory", "" };
  next.source_count = 1;
  IS(store_job_create(store, &next, NULL), ECONFLICT);
  struct store_referral from_result = { "trajectory", "" };
  memcpy(from_result.id, result.id, sizeof from_result.id);
  next.sources = &from_result;
  OK(store_job_create(store, &next, NULL));
  IS(store_result_delete(store, "trajectory", result.id, STORE_ANY_VERSION), ECONFLICT);
  next.state = JOB_FAILED;
  OK(store_job_end(store, &next));

  OK(store_result_delete(store, "trajectory", result.id, STORE_ANY_VERSION));
  referred_by(row.id, "");
  OK(store_dataset_delete(store, row.id, 1));
}
