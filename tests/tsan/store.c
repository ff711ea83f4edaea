/* The store's writer and readers and the cache of robots, from many threads at once. Exit status 0: all came out right,
 * and no thread saw an older model than before. */
#include <pthread.h>
#include <stdatomic.h>

#include "api/codec/robot.h"
#include "api/limits.h"
#include "server/robots/cache.h"
#include "server/store/store.h"
#include "tests/unit/server/temporary.h"

enum { UPDATERS = 3, READERS = 3, JOBBERS = 3, REHEARSERS = 2, ROUNDS = 40, ROWS = 3000, WIDTH = 3 };

static atomic_int failures;
static atomic_bool over;
static struct store *store;
static struct robots *robots;

#define CHECK(what)                                                                                                    \
  do {                                                                                                                 \
    if (what) break;                                                                                                   \
    fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #what);                                                         \
    failures++;                                                                                                        \
  } while (0)
#define OK(call) CHECK((call) == ARMDYN_OK)

/* A pendulum that carries its revision as its mass. */
static char *model(double mass)
{
  struct armdyn_robot_description *d = malloc(sizeof *d);
  struct buffer out = BUFFER(LIMIT_MODEL_BODY);
  armdyn_robot_description_init(d);
  d->joint_count = 1;
  armdyn_joint_init(&d->joints[0]);
  snprintf(d->name, sizeof d->name, "pendulum");
  snprintf(d->joints[0].name, sizeof d->joints[0].name, "j1");
  d->joints[0].a = 1;
  d->joints[0].link.mass = mass;
  robot_encode(d, &out);
  free(d);
  return buffer_take(&out, NULL);
}

static void name_of(int index, char name[ARMDYN_NAME_SIZE])
{
  snprintf(name, ARMDYN_NAME_SIZE, "robot-%d", index);
}

static void *update(void *argument)
{
  struct store_robot robot = { .document = NULL };
  name_of(*(int *)argument, robot.name);
  for (int revision = 1; revision <= ROUNDS; revision++) {
    robot.document = model(revision);
    OK(revision == 1 ? store_robot_create(store, &robot, NULL) : store_robot_update(store, &robot, revision - 1));
    CHECK(robot.revision == revision);
    robots_changed(robots, robot.name);
    free(robot.document);
  }
  return NULL;
}

static void *follow(void *argument)
{
  int64_t last[UPDATERS] = { 0 };
  (void)argument;
  while (!over) {
    for (int i = 0; i < UPDATERS; i++) {
      const struct robot_entry *entry;
      char name[ARMDYN_NAME_SIZE];
      name_of(i, name);
      enum armdyn_status status = robots_get(robots, name, 0, true, &entry);
      if (status == ARMDYN_ENOTFOUND && last[i] == 0) continue; /* not made yet */
      OK(status);
      if (status) continue;
      CHECK(entry->revision >= last[i]);
      CHECK(armdyn_robot_description(entry->robot)->joints[0].link.mass == (double)entry->revision);
      last[i] = entry->revision;
      robots_release(robots, entry);
    }
  }
  return NULL;
}

static void count_job(void *context, const struct store_job *job)
{
  (void)job;
  ++*(int *)context;
}

static void *work(void *argument)
{
  static const double rows[ROWS * WIDTH] = { [5] = 42 };
  double read[WIDTH];
  (void)argument;
  for (int i = 0; i < ROUNDS / 2; i++) {
    int count = 0;
    struct store_job job = { .kind = "trajectory", .robot = "base", .revision = 1, .request = "{}" };
    struct store_result result = { .kind = "trajectory", .robot = "base", .revision = 1, .document = "{}" };
    struct store_series_writer *writer;
    id_make(job.id);
    id_make(result.id);
    memcpy(result.job, job.id, sizeof job.id);
    clock_format(clock_wall_ms(), job.created_at);
    memcpy(result.created_at, job.created_at, sizeof job.created_at);
    OK(store_job_create(store, &job, NULL));
    OK(store_series_begin(store, result.id, "samples", "a,b,c", WIDTH, &writer));
    OK(store_series_append(writer, rows, ROWS));
    OK(store_series_end(writer, true));
    OK(store_result_create(store, &result, &job));
    OK(store_series_read(store, result.id, "samples", 1, 1, read));
    CHECK(read[2] == 42);
    OK(store_job_list(store, &(struct store_query){ .limit = 5 }, count_job, &count));
    CHECK(count > 0);
    if (i % 2) OK(store_result_delete(store, "trajectory", result.id, STORE_ANY_VERSION));
    OK(store_check(store, NULL));
  }
  return NULL;
}

/* It sees what it tries, and nobody else does, itself included once it is over. */
static void *rehearse(void *argument)
{
  (void)argument;
  for (int i = 0; i < ROUNDS; i++) {
    const struct robot_entry *entry = NULL;
    struct store_robot robot = { .name = "tried", .document = model(1) };
    store_rehearse();
    OK(store_robot_create(store, &robot, NULL));
    robots_changed(robots, robot.name);
    OK(robots_get(robots, robot.name, 0, true, &entry));
    robots_release(robots, entry);
    store_rehearsal_end();
    CHECK(robots_get(robots, robot.name, 0, true, &entry) == ARMDYN_ENOTFOUND);
    free(robot.document);
  }
  return NULL;
}

int main(void)
{
  pthread_t updaters[UPDATERS], readers[READERS], jobbers[JOBBERS], rehearsers[REHEARSERS];
  int index[UPDATERS];
  struct store_robot base = { .name = "base", .document = "{}" };
  temporary_make();
  OK(store_open(temporary, &store, NULL));
  if (failures) return 1;
  OK(store_robot_create(store, &base, NULL));
  robots = robots_new(store);
  for (int i = 0; i < UPDATERS; i++) {
    index[i] = i;
    pthread_create(&updaters[i], NULL, update, &index[i]);
  }
  for (int i = 0; i < READERS; i++) pthread_create(&readers[i], NULL, follow, NULL);
  for (int i = 0; i < JOBBERS; i++) pthread_create(&jobbers[i], NULL, work, NULL);
  for (int i = 0; i < REHEARSERS; i++) pthread_create(&rehearsers[i], NULL, rehearse, NULL);
  for (int i = 0; i < UPDATERS; i++) pthread_join(updaters[i], NULL);
  for (int i = 0; i < REHEARSERS; i++) pthread_join(rehearsers[i], NULL);
  for (int i = 0; i < JOBBERS; i++) pthread_join(jobbers[i], NULL);
  over = true;
  for (int i = 0; i < READERS; i++) pthread_join(readers[i], NULL);
  robots_free(robots);
  store_close(store);
  temporary_remove();
  return failures ? 1 : 0;
}
