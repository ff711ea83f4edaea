#include <cjson/cJSON.h>
#include <criterion/criterion.h>
#include <pthread.h>
#include <time.h>
#include <unistd.h>

#include "server/base/log.h"

/* Standard error goes to a file, which is read back. */
static FILE *file;
static int former;

static void capture(void)
{
  file = tmpfile();
  fflush(stderr);
  former = dup(STDERR_FILENO);
  dup2(fileno(file), STDERR_FILENO);
}

static void restore(void)
{
  dup2(former, STDERR_FILENO);
  close(former);
  lseek(fileno(file), 0, SEEK_SET);
}

/* The next line as JSON; NULL at the end. */
static cJSON *next(void)
{
  static char line[8192];
  if (!fgets(line, sizeof line, file)) return NULL;
  cJSON *json = cJSON_ParseWithOpts(line, NULL, 0);
  cr_assert(json, "no JSON: %s", line);
  return json;
}

static const char *text_of(const cJSON *json, const char *name)
{
  const char *text = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(json, name));
  return text ? text : "(none)";
}

Test(log, a_line_is_an_object)
{
  capture();
  log_set_level(LOG_INFO);
  log_event(LOG_DEBUG, "not wanted", NULL);
  log_event(LOG_WARNING, "a \"quoted\" \\ thing", "path", "/a\n\x01\x7f\xff", "count", LOG_NUMBER(0.25), "absent", NULL,
            "last", "x", NULL);
  restore();
  cJSON *line = next();
  cr_assert(line);
  cr_expect_str_eq(text_of(line, "level"), "warning");
  cr_expect_str_eq(text_of(line, "message"), "a \"quoted\" \\ thing");
  cr_expect_str_eq(text_of(line, "path"), "/a\n\x01\x7f\xc3\xbf", "bytes that are no ASCII stand as Latin-1");
  cr_expect_eq(cJSON_GetNumberValue(cJSON_GetObjectItem(line, "count")), 0.25);
  cr_expect(!cJSON_HasObjectItem(line, "absent"));
  cr_expect_str_eq(text_of(line, "last"), "x");
  cJSON_Delete(line);
  cr_expect(!next());
}

Test(log, a_long_line_is_cut_and_still_an_object)
{
  static char path[20000];
  memset(path, '"', sizeof path - 1);
  capture();
  log_event(LOG_INFO, "long", "path", path, "after", "x", NULL);
  log_event(LOG_INFO, path, "path", path, NULL);
  restore();
  for (int i = 0; i < 2; i++) cJSON_Delete(next());
  cr_expect(!next());
}

enum { THREADS = 8, LINES = 500 };

static void *chatter(void *context)
{
  for (int i = 0; i < LINES; i++) {
    log_event(i % 50 == 0 ? LOG_WARNING : LOG_INFO, "chatter", "thread", LOG_NUMBER(*(int *)context), "line",
              LOG_NUMBER(i), NULL);
    if (i % 20 == 0) usleep(1000);
  }
  return NULL;
}

/* Gathered or not: every line is whole, none is lost, and those of one thread keep their order. */
static void check_chatter(bool gathered)
{
  pthread_t threads[THREADS];
  int numbers[THREADS], seen[THREADS] = { 0 };
  capture();
  if (gathered) log_start();
  for (int t = 0; t < THREADS; t++) {
    numbers[t] = t;
    pthread_create(&threads[t], NULL, chatter, &numbers[t]);
  }
  for (int t = 0; t < THREADS; t++) pthread_join(threads[t], NULL);
  if (gathered) log_stop();
  restore();
  for (cJSON *line; (line = next()); cJSON_Delete(line)) {
    int t = (int)cJSON_GetNumberValue(cJSON_GetObjectItem(line, "thread"));
    cr_assert(t >= 0 && t < THREADS);
    cr_assert_eq(cJSON_GetNumberValue(cJSON_GetObjectItem(line, "line")), seen[t]++);
  }
  for (int t = 0; t < THREADS; t++) cr_expect_eq(seen[t], LINES);
}

Test(log, threads_do_not_split_lines)
{
  check_chatter(false);
}

Test(log, gathered_lines_keep_their_order)
{
  check_chatter(true);
}

static void flood(int lines)
{
  static char text[1000];
  memset(text, 'x', sizeof text - 1);
  for (int i = 0; i < lines; i++) log_event(LOG_INFO, "flood", "text", text, NULL);
}

static double now(void)
{
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* Standard error is a pipe that blocks, and nobody reads it: nothing waits for long, and what is lost is told. */
Test(log, a_reader_that_has_stopped_stops_nobody)
{
  int ends[2];
  static char bytes[1 << 20];
  cr_assert_eq(pipe(ends), 0);
  former = dup(STDERR_FILENO);
  dup2(ends[1], STDERR_FILENO);
  close(ends[1]);
  log_set_level(LOG_INFO);
  log_start();
  flood(1000);
  double slowest = 0;
  for (int i = 0; i < 100; i++) {
    double begun = now();
    log_event(LOG_WARNING, "at once", NULL);
    if (now() - begun > slowest) slowest = now() - begun;
  }
  cr_expect_lt(slowest, 0.8, "a warning took %g s", slowest); /* a write would wait a second for the reader */
  log_stop();

  ssize_t length = read(ends[0], bytes, sizeof bytes);
  cr_assert(length > 0 && bytes[length - 1] == '\n', "no line is split");
  log_event(LOG_WARNING, "read again", NULL);
  log_start();
  log_event(LOG_WARNING, "after the loss", NULL);
  log_stop();
  dup2(former, STDERR_FILENO);
  close(former);

  long long count = 0, found = 0;
  for (ssize_t more; (more = read(ends[0], bytes + length, sizeof bytes - (size_t)length - 1)) > 0;) length += more;
  bytes[length] = '\0';
  for (char *line = bytes, *end; (end = strchr(line, '\n')); line = end + 1, found++) {
    *end = '\0';
    cJSON *json = cJSON_Parse(line);
    cr_assert(json, "no JSON: %s", line);
    const cJSON *lost = cJSON_GetObjectItem(json, "count");
    if (lost) count += (long long)cJSON_GetNumberValue(lost), found--;
    cJSON_Delete(json);
  }
  close(ends[0]);
  cr_assert_gt(count, 0);
  cr_expect_eq(count + found, 1000 + 100 + 2, "%lld lost, %lld found", count, found);
}
