/* The store on this machine's disk, or at ARMDYN_STORE: durable writes alone and in company, series both ways, and a hit in the
 * cache. */
#include <pthread.h>

#include "api/codec/robot.h"
#include "api/limits.h"
#include "server/robots/cache.h"
#include "server/store/store.h"
#include "tests/unit/server/temporary.h"

enum { WRITERS = 32, WIDTH = 31, PIECE = 4000, PIECES = 50, HITS = 2000000 };

static struct store *store;

static void must(enum armdyn_status status)
{
  if (status == ARMDYN_OK) return;
  fprintf(stderr, "%s\n", armdyn_status_text(status));
  exit(1);
}

static double seconds(void)
{
  return (double)clock_monotonic_ns() * 1e-9;
}

static void create_job(void)
{
  struct store_job job = { .kind = "trajectory", .robot = "r", .revision = 1, .request = "{}" };
  id_make(job.id);
  clock_format(clock_wall_ms(), job.created_at);
  must(store_job_create(store, &job, NULL));
}

struct share {
  pthread_t thread;
  double end;
  long count;
};

static void *create_jobs(void *argument)
{
  struct share *share = argument;
  for (; seconds() < share->end; share->count++) create_job();
  return NULL;
}

/* Jobs accepted a second by `writers` threads, and commits they took. */
static void bench_writes(const char *name, size_t writers)
{
  struct share shares[WRITERS] = { 0 };
  uint64_t commits = store_counts(store).commits;
  double start = seconds();
  long count = 0;
  for (size_t i = 0; i < writers; i++) {
    shares[i].end = start + 2;
    pthread_create(&shares[i].thread, NULL, create_jobs, &shares[i]);
  }
  for (size_t i = 0; i < writers; i++) {
    pthread_join(shares[i].thread, NULL);
    count += shares[i].count;
  }
  double taken = seconds() - start;
  printf("store.writes_%s %.0f 1/s higher\n", name, (double)count / taken);
  printf("store.commits_%s %.0f 1/s higher\n", name, (double)(store_counts(store).commits - commits) / taken);
}

static void bench_series(void)
{
  static double rows[PIECE * WIDTH];
  struct store_robot robot = { .name = "r", .document = "{}" };
  struct store_job job = { .kind = "trajectory", .robot = "r", .revision = 1, .request = "{}" };
  struct store_result result = { .kind = "trajectory", .robot = "r", .revision = 1, .document = "{}" };
  struct store_series_writer *writer;
  double megabytes = sizeof rows * (double)PIECES * 1e-6;
  for (size_t i = 0; i < PIECE * WIDTH; i++) rows[i] = (double)i * 0.1;
  id_make(job.id);
  id_make(result.id);
  memcpy(result.job, job.id, sizeof job.id);
  clock_format(clock_wall_ms(), job.created_at);
  memcpy(result.created_at, job.created_at, sizeof job.created_at);
  must(store_robot_create(store, &robot, NULL));
  must(store_job_create(store, &job, NULL));

  double start = seconds();
  must(store_series_begin(store, result.id, "samples", "x", WIDTH, &writer));
  for (int i = 0; i < PIECES; i++) must(store_series_append(writer, rows, PIECE));
  must(store_series_end(writer, true));
  must(store_result_create(store, &result, &job));
  printf("store.series_write %.1f MB/s higher\n", megabytes / (seconds() - start));

  start = seconds();
  for (size_t i = 0; i < PIECES; i++) must(store_series_read(store, result.id, "samples", i * PIECE, PIECE, rows));
  printf("store.series_read %.1f MB/s higher\n", megabytes / (seconds() - start));
}

static void bench_cache(void)
{
  struct armdyn_robot_description *d = malloc(sizeof *d);
  struct buffer out = BUFFER(LIMIT_MODEL_BODY);
  struct store_robot robot = { .name = "pendulum" };
  const struct robot_entry *entry;
  if (!d) exit(1);
  armdyn_robot_description_init(d);
  d->joint_count = 1;
  armdyn_joint_init(&d->joints[0]);
  snprintf(d->name, sizeof d->name, "pendulum");
  snprintf(d->joints[0].name, sizeof d->joints[0].name, "j1");
  robot_encode(d, &out);
  robot.document = buffer_take(&out, NULL);
  must(store_robot_create(store, &robot, NULL));
  struct robots *robots = robots_new(store);
  must(robots_get(robots, "pendulum", 0, true, &entry));
  robots_release(robots, entry);
  double start = seconds();
  for (int i = 0; i < HITS; i++) {
    must(robots_get(robots, "pendulum", 0, false, &entry));
    robots_release(robots, entry);
  }
  printf("store.robot_hit %.1f ns lower\n", (seconds() - start) / HITS * 1e9);
  robots_free(robots);
  free(robot.document);
  free(d);
}

int main(void)
{
  struct armdyn_error error;
  setenv("TMPDIR", "build", 0); /* a disk, where /tmp may be memory */
  temporary_make();
  const char *address = getenv("ARMDYN_STORE");
  if (store_open_at(&(struct store_place){ temporary, address ? address : "", "" }, &store, &error)) {
    fprintf(stderr, "%s\n", error.message);
    return 1;
  }
  bench_writes("single", 1);
  bench_writes("grouped", WRITERS);
  bench_series();
  bench_cache();
  store_close(store);
  temporary_remove();
  return 0;
}
