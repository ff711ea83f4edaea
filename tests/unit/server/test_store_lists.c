/* Lists that are filtered, searched and sorted: held against loops over what was put in. */
#include <math.h>
#include <stdlib.h>

#include "store_fixture.h"

TestSuite(lists, .init = setup, .fini = teardown);

enum { ROWS = 60 };

/* What is known of one result, to expect by. */
struct known {
  char id[ID_SIZE], created_at[TIME_SIZE], label[32], part[8];
  double error; /* NAN: it has no such metric */
  const char *estimator;
};
static struct known rows[ROWS];

static void store_one(struct known *row, size_t i)
{
  char tags[64], summary[160], created[TIME_SIZE];
  static char document[] = "{}";
  struct store_job job = a_job("r", 1);
  char request[64];
  snprintf(request, sizeof request, "{\"job_order_id\":\"JO-%zu\"}", i % 3);
  job.request = request;
  OK(store_job_create(store, &job, NULL));
  struct store_result result = a_result(&job);
  *row = (struct known){ .error = i % 7 == 3 ? NAN : (double)(i * 37 % 20), .estimator = i % 2 ? "ols" : "consistent" };
  snprintf(row->part, sizeof row->part, "A-%zu", i % 5);
  snprintf(tags, sizeof tags, "{\"part\":\"%s\",\"100%%\":\"a_b\"}", row->part);
  if (isnan(row->error))
    snprintf(summary, sizeof summary, "{\"estimator\":\"%s\",\"metrics\":{\"error\":null}}", row->estimator);
  else
    snprintf(summary, sizeof summary, "{\"estimator\":\"%s\",\"metrics\":{\"error\":%g}}", row->estimator, row->error);
  snprintf(created, sizeof created, "2026-11-22T00:00:%02u.000Z", (unsigned)(i / 4 % 60)); /* four at a time */
  memcpy(result.created_at, created, sizeof created);
  result.tags = tags, result.summary = summary, result.document = document;
  OK(store_result_create(store, &result, &job));
  memcpy(row->id, result.id, ID_SIZE);
  memcpy(row->created_at, created, sizeof created);
  snprintf(row->label, sizeof row->label, "run %zu", i * 13 % 10);
  result.version = 1, result.notes = i == 17 ? (char *)(uintptr_t) "Gear OIL changed, 100% sure_ly" : NULL;
  snprintf(result.label, sizeof result.label, "%s", row->label);
  OK(store_result_annotate(store, &result));
}

static void store_rows(void)
{
  struct store_robot robot = a_robot("r");
  OK(store_robot_create(store, &robot, NULL));
  for (size_t i = 0; i < ROWS; i++) store_one(&rows[i], i);
}

/* -- an order of the rows, and a condition, of our own -- */

enum order { BY_TIME, BY_LABEL, BY_ERROR };
static enum order order;
static bool ascending;

static int compare(const void *a, const void *b)
{
  const struct known *x = a, *y = b;
  int sign = ascending ? 1 : -1, c = 0;
  if (order == BY_TIME) c = strcmp(x->created_at, y->created_at);
  if (order == BY_LABEL) c = strcmp(x->label, y->label);
  if (order == BY_ERROR) {
    if (isnan(x->error) != isnan(y->error)) return isnan(x->error) ? 1 : -1; /* last in either direction */
    c = isnan(x->error) ? 0 : (x->error > y->error) - (x->error < y->error);
  }
  return sign * (c ? c : strcmp(x->id, y->id));
}

struct ids {
  char id[2 * ROWS][ID_SIZE];
  size_t count;
};

static void note(void *context, const struct store_result *result)
{
  struct ids *ids = context;
  cr_assert_null(result->document);
  memcpy(ids->id[ids->count++], result->id, ID_SIZE);
}

static struct ids pages(struct store_query *query)
{
  struct ids got = { .count = 0 };
  do OK(store_result_list(store, query, note, &got));
  while (query->more);
  return got;
}

static void expect(const struct ids *got, bool (*holds)(const struct known *))
{
  struct known sorted[ROWS];
  size_t count = 0;
  memcpy(sorted, rows, sizeof sorted);
  qsort(sorted, ROWS, sizeof *sorted, compare);
  for (size_t i = 0; i < ROWS; i++) {
    if (!holds(&sorted[i])) continue;
    cr_assert_lt(count, got->count);
    cr_assert_str_eq(got->id[count], sorted[i].id, "row %zu", count);
    count++;
  }
  cr_assert_eq(got->count, count);
}

static bool any(const struct known *row)
{
  return row->id[0];
}

static struct store_query sorted_query(size_t limit)
{
  static const char *const columns[] = { [BY_TIME] = "created_at", [BY_LABEL] = "label", [BY_ERROR] = "error" };
  return (struct store_query){
    .sort = columns[order], .metric = order == BY_ERROR, .ascending = ascending, .limit = limit
  };
}

Test(lists, come_sorted_in_pages_of_any_size)
{
  store_rows();
  static const size_t limits[] = { 1, 7, 59, 60, 61 };
  for (size_t l = 0; l < COUNT(limits); l++)
    for (int way = 0; way < 6; way++) {
      order = (enum order)(way / 2), ascending = way % 2;
      struct store_query query = sorted_query(limits[l]);
      struct ids got = pages(&query);
      expect(&got, any);
    }
}

static bool below_six(const struct known *row)
{
  return row->error < 6;
}

static bool at_least_six_of_ols_and_a2(const struct known *row)
{
  return row->error >= 6 && !strcmp(row->estimator, "ols") && !strcmp(row->part, "A-2");
}

Test(lists, conditions_hold_together)
{
  store_rows();
  order = BY_ERROR, ascending = true;
  struct store_query query = sorted_query(9);
  query.filters[query.filter_count++] =
      (struct store_filter){ .where = STORE_METRIC, .name = "error", .match = STORE_BELOW, .number = 6 };
  struct ids got = pages(&query);
  expect(&got, below_six);

  order = BY_TIME, ascending = false;
  query = sorted_query(2);
  query.filters[0] =
      (struct store_filter){ .where = STORE_METRIC, .name = "error", .match = STORE_AT_LEAST, .number = 6 };
  query.filters[1] = (struct store_filter){ .where = STORE_MEMBER, .name = "estimator", .text = "ols" };
  query.filters[2] = (struct store_filter){ .where = STORE_TAG, .name = "part", .text = "A-2" };
  query.filter_count = 3;
  got = pages(&query);
  cr_assert_gt(got.count, 2);
  expect(&got, at_least_six_of_ols_and_a2);
}

static size_t found(const char *search)
{
  struct store_query query = { .limit = 100, .search = search };
  return pages(&query).count;
}

Test(lists, are_searched_in_ids_labels_notes_and_tags)
{
  store_rows();
  cr_assert_eq(found("oil"), 1);
  cr_assert_eq(found("sure_ly"), 1);
  cr_assert_eq(found("RUN 3"), ROWS / 10);
  cr_assert_eq(found("a-4"), ROWS / 5);
  cr_assert_eq(found(rows[7].id + 2), 1);
  cr_assert_eq(found("100%"), ROWS); /* the name of a tag */
  cr_assert_eq(found("100% s"), 1);
  cr_assert_eq(found("a_b"), ROWS);
  cr_assert_eq(found("a_c"), 0); /* no wildcard */
  cr_assert_eq(found("'; DROP TABLE results; --"), 0);
}

Test(lists, keep_their_pages_while_others_come_and_go)
{
  store_rows();
  order = BY_ERROR, ascending = false;
  struct store_query query = sorted_query(10);
  struct ids got = { .count = 0 };
  for (size_t page = 0; page == 0 || query.more; page++) {
    OK(store_result_list(store, &query, note, &got));
    if (page == 2) { /* the last row that was read goes, and one of before */
      OK(store_result_delete(store, "trajectory", got.id[got.count - 1], STORE_ANY_VERSION));
      OK(store_result_delete(store, "trajectory", got.id[3], STORE_ANY_VERSION));
    }
    struct known newcomer;
    if (page < 3) store_one(&newcomer, 7); /* the largest error: before every page that is still to come */
  }
  expect(&got, any);
}

static void summary_row(void *context, const struct store_result *result)
{
  struct store_result *copy = context;
  *copy = *result;
  cr_assert_str_eq(result->job_order_id, "JO-1");
  cr_assert_str_eq(result->tags, "{\"part\":\"A-4\",\"100%\":\"a_b\"}");
  cr_assert_str_eq(result->summary, "{\"estimator\":\"consistent\",\"metrics\":{\"error\":18}}");
}

Test(lists, show_what_was_written_on_a_result)
{
  store_rows();
  struct store_result seen = { .version = 0 };
  struct store_query query = query_of(5, COLUMNS(COLUMN("id", rows[34].id), COLUMN("job_order_id", "JO-1")));
  OK(store_result_list(store, &query, summary_row, &seen));
  cr_assert_eq(seen.version, 2);
  cr_assert_str_eq(seen.label, rows[34].label);

  struct store_result result;
  OK(store_result_get(store, "trajectory", rows[34].id, &result));
  free(result.tags);
  result.tags = strdup("{\"part\":\"B1\"}");
  result.pinned = true;
  OK(store_result_annotate(store, &result));
  cr_assert_eq(result.version, 3);
  result.version = 2;
  IS(store_result_annotate(store, &result), ESTALE);
  store_result_release(&result);
  IS(store_result_delete(store, "trajectory", rows[34].id, STORE_ANY_VERSION), ECONFLICT);
  struct store_query of_b1 = { .limit = 5, .filter_count = 1 }, of_a4 = { .limit = 100, .filter_count = 1 };
  of_b1.filters[0] = (struct store_filter){ .where = STORE_TAG, .name = "part", .text = "B1" };
  of_a4.filters[0] = (struct store_filter){ .where = STORE_TAG, .name = "part", .text = "A-4" };
  cr_assert_eq(pages(&of_b1).count, 1);
  cr_assert_eq(pages(&of_a4).count, ROWS / 5 - 1);
}

/* -- how long it may take -- */

static void count_entry(void *context, const struct store_audit *entry)
{
  (void)entry;
  ++*(size_t *)context;
}

Test(lists, a_search_is_given_up_in_time_and_its_reader_serves_on)
{
  enum { ENTRIES = 3000 };
  static const char *lines[ENTRIES];
  size_t count = 0;
  for (size_t i = 0; i < ENTRIES; i++) lines[i] = "{\"operation\":\"createRobot\"}";
  OK(store_audit_append(store, lines, ENTRIES));
  struct store_query query = { .sort = "number", .search = "nowhere", .search_ms = -1, .limit = 50 };
  for (int i = 0; i < 20; i++) IS(store_audit_list(store, &query, count_entry, &count), EUNAVAILABLE);
  query.search_ms = 0;
  OK(store_audit_list(store, &query, count_entry, &count));
  cr_assert_eq(count, 0);
  query.search = "CREATE";
  OK(store_audit_list(store, &query, count_entry, &count));
  cr_assert_eq(count, 50);
  query.search = NULL, query.search_ms = -1; /* what is no search is not given up */
  OK(store_audit_list(store, &query, count_entry, &count));
}
