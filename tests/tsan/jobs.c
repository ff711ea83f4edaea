/* The scheduler under ThreadSanitizer: clients submit, wait, look and cancel while others wait, some jobs have no time, and it
 * is drained now and then, and workers help with the parts of others' jobs; then it stops.
 * This program is its own worker: `serve` starts its children from /proc/self/exe. */
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <unistd.h>

#include "api/codec/robot.h"
#include "server/cmd/command.h"
#include "server/config/options.h"
#include "server/jobs/jobs.h"
#include "tests/unit/server/temporary.h"

#define REQUIRE(what)                                                                                                  \
  do {                                                                                                                 \
    if (!(what)) {                                                                                                     \
      fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #what);                                                       \
      exit(1);                                                                                                         \
    }                                                                                                                  \
  } while (0)

enum { CLIENTS = 4, JOBS_EACH = 12, WAIT_S = 60 };

static const char model[] =
    "{\"name\":\"r\",\"convention\":\"dh\",\"joints\":[{\"name\":\"j1\",\"type\":\"revolute\",\"a\":0.5,\"alpha\":0,"
    "\"d\":0,\"theta\":0,\"limits\":{\"velocity\":2,\"acceleration\":10,\"torque\":100},\"link\":{\"mass\":2,"
    "\"com\":[-0.2,0,0],\"inertia\":{\"xx\":0.01,\"yy\":0.05,\"zz\":0.05,\"xy\":0,\"xz\":0,\"yz\":0}}}]}";
#define MOTION "\"method\":\"quintic\",\"start\":{\"q\":[0]},\"goal\":{\"q\":[1]},\"duration\":2"
static const char request[] = "{" MOTION "}", hurried[] = "{" MOTION ",\"time_limit\":0.004}";
/* Of twelve cases, which workers share. */
static const char shared[] = "{\"q\":[0.1],\"references\":[{\"kind\":\"hold\",\"duration\":0.1},{\"kind\":\"step\","
                             "\"duration\":0.1,\"amplitude\":[0.01]}],"
                             "\"laws\":[{\"control\":{\"law\":\"pid\"}},{\"control\":{\"law\":\"feedforward\"}},{"
                             "\"control\":{\"law\":\"computed_torque\"}}],"
                             "\"plants\":[{\"name\":\"a\"},{\"name\":\"b\",\"plant\":{\"payload\":{\"mass\":1}}}]}";

static struct store *store;
static struct jobs *jobs;
static atomic_int woken, waited, ended[JOB_STATE_COUNT];
static atomic_bool over;

static void wake(void *context)
{
  (void)context;
  atomic_fetch_add(&woken, 1);
}

static bool final(enum job_state state)
{
  return state != JOB_QUEUED && state != JOB_RUNNING;
}

static enum job_state look(const char *id)
{
  struct job_view view;
  REQUIRE(jobs_get(jobs, id, &view) == ARMDYN_OK);
  enum job_state state = view.job.state;
  REQUIRE(view.progress >= 0 && view.progress <= 1);
  REQUIRE(state == JOB_CANCELLED || state == JOB_FAILED ? view.job.problem != NULL : view.job.problem == NULL);
  job_view_release(&view);
  return state;
}

static void *client(void *context)
{
  size_t number = (size_t)(uintptr_t)context;
  char ids[JOBS_EACH][ID_SIZE];
  for (size_t i = 0; i < JOBS_EACH; i++) {
    char text[sizeof shared];
    const bool hurries = i % 4 == 3, shares = i % 4 == 1;
    snprintf(text, sizeof text, "%s", hurries ? hurried : shares ? shared : request);
    struct store_job job = { .robot = "r", .revision = 1, .request = text, .priority = i % 2 };
    snprintf(job.kind, sizeof job.kind, "%s", shares ? "verification" : "trajectory");
    if (hurries) job.time_limit_ms = 4;
    enum armdyn_status accepted;
    while ((accepted = jobs_submit(jobs, &job, NULL, NULL)) == ARMDYN_EUNAVAILABLE) usleep(1000); /* drained */
    REQUIRE(accepted == ARMDYN_OK);
    memcpy(ids[i], job.id, ID_SIZE);
    int64_t patience = (i % 3 ? WAIT_S * INT64_C(1000) : 20) * 1000000;
    REQUIRE(jobs_wait(jobs, job.id, clock_monotonic_ns() + patience, wake, NULL) == ARMDYN_OK);
    atomic_fetch_add(&waited, 1);
    if (i % 4 == number % 4) {
      enum armdyn_status status = jobs_cancel(jobs, job.id);
      REQUIRE(status == ARMDYN_OK || status == ARMDYN_ECONFLICT);
    }
  }
  for (size_t i = 0; i < JOBS_EACH; i++) {
    int64_t end = clock_monotonic_ns() + WAIT_S * INT64_C(1000000000);
    enum job_state state;
    while (!final(state = look(ids[i]))) {
      REQUIRE(clock_monotonic_ns() < end);
      usleep(10000);
    }
    atomic_fetch_add(&ended[state], 1);
  }
  return NULL;
}

static void refresh(void *context, const struct store_job *job)
{
  struct job_view view = { .job = *job };
  (void)context;
  jobs_refresh(jobs, &view);
}

static void *lister(void *context)
{
  (void)context;
  while (!atomic_load(&over)) {
    struct store_query all = { .limit = 50 };
    REQUIRE(store_job_list(store, &all, refresh, NULL) == ARMDYN_OK);
    (void)jobs_ready(jobs, NULL);
    jobs_drain(jobs, !jobs_draining(jobs));
    usleep(5000);
  }
  jobs_drain(jobs, false);
  return NULL;
}

static void prepare(void)
{
  struct armdyn_error error;
  temporary_make();
  REQUIRE(store_open(temporary, &store, &error) == ARMDYN_OK);
  struct armdyn_robot_description *robot = malloc(sizeof *robot);
  struct buffer document = BUFFER(LIMIT_MODEL_BODY);
  REQUIRE(robot && robot_decode(model, sizeof model - 1, false, robot, NULL, NULL) == ARMDYN_OK);
  robot_encode(robot, &document);
  struct store_robot row = { .name = "r", .document = document.data };
  REQUIRE(store_robot_create(store, &row, NULL) == ARMDYN_OK);
  buffer_release(&document);
  free(robot);
  struct options options = { .workers = 2, .waiting_jobs = 1000, .child_silence = 60 };
  REQUIRE(jobs_start(store, &options, NULL, &jobs, &error) == ARMDYN_OK);
}

int main(int argc, char **argv)
{
  if (argc > 1 && strcmp(argv[1], "worker") == 0) return command_worker(argc - 1, argv + 1);
  pthread_t clients[CLIENTS], list;
  prepare();
  REQUIRE(pthread_create(&list, NULL, lister, NULL) == 0);
  for (size_t i = 0; i < CLIENTS; i++) REQUIRE(pthread_create(&clients[i], NULL, client, (void *)(uintptr_t)i) == 0);
  for (size_t i = 0; i < CLIENTS; i++) pthread_join(clients[i], NULL);
  int cancelled = ended[JOB_CANCELLED], succeeded = ended[JOB_SUCCEEDED], late = ended[JOB_FAILED];
  REQUIRE(cancelled + succeeded + late == CLIENTS * JOBS_EACH && cancelled > 0 && succeeded > 0 && late > 0);

  char text[sizeof request];
  memcpy(text, request, sizeof request);
  struct store_job last = { .kind = "trajectory", .robot = "r", .revision = 1, .request = text };
  atomic_store(&over, true);
  pthread_join(list, NULL);
  REQUIRE(jobs_submit(jobs, &last, NULL, NULL) == ARMDYN_OK);
  jobs_stop(jobs, clock_monotonic_ns() + INT64_C(10000000)); /* the last one ends in time, or stays queued */
  REQUIRE(atomic_load(&woken) == atomic_load(&waited));

  struct store_job found;
  REQUIRE(store_job_get(store, last.id, &found) == ARMDYN_OK);
  REQUIRE(found.state == JOB_QUEUED || found.state == JOB_SUCCEEDED);
  store_job_release(&found);
  store_close(store);
  temporary_remove();
  printf("%d succeeded, %d cancelled, %d came too late\n", succeeded, cancelled, late);
  return 0;
}
