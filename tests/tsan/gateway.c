/* The gateway's threads against simulated controllers in this process: transfers, a stop, a silent controller beside a
 * busy one, and the end of the service. Exit status 0: everything came as it should. */
#include <arpa/inet.h>
#include <math.h>
#include <pthread.h>
#include <sys/socket.h>
#include <unistd.h>

#include "server/base/clock.h"
#include "server/gateway/endpoint.h"
#include "server/simulator/modbus_server.h"

#define CHECK(what)                                                                                                    \
  do {                                                                                                                 \
    if (what) break;                                                                                                   \
    fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #what);                                                         \
    failures++;                                                                                                        \
  } while (0)

enum { SAMPLES = 400, PERIOD_US = 1000, SIMULATORS = 2 };

static int failures;

/* -- simulated controllers -- */

struct sim {
  struct simulator simulator;
  struct modbus_server server;
  atomic_bool stop;
  pthread_t thread;
  struct controller_address address;
};

static void *sim_main(void *context)
{
  struct sim *s = context;
  modbus_server_run(&s->server, &s->stop);
  return NULL;
}

static void sim_start(struct sim *s, enum server_fault fault)
{
  struct sockaddr_in address = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
  socklen_t length = sizeof address;
  int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
  CHECK(fd >= 0 && !bind(fd, (struct sockaddr *)&address, length) && !listen(fd, 8));
  CHECK(!getsockname(fd, (struct sockaddr *)&address, &length));
  const struct simulator_options options = {
    .axes = 2, .samples_most = 100000, .ring = 8192, .formats = 7, .places = 8
  };
  CHECK(!simulator_init(&s->simulator, &options));
  s->server = (struct modbus_server){
    .simulator = &s->simulator, .listener = fd, .base = PROTOCOL_BASE, .fault = fault, .every = 20
  };
  s->address = (struct controller_address){
    .host = "127.0.0.1", .peer = "127.0.0.1", .port = ntohs(address.sin_port), .unit = 1, .base = PROTOCOL_BASE
  };
  CHECK(!pthread_create(&s->thread, NULL, sim_main, s));
}

static void sim_stop(struct sim *s)
{
  s->stop = true;
  pthread_join(s->thread, NULL);
  if (s->simulator.witness.violations) fprintf(stderr, "%s\n", s->simulator.witness.first);
  CHECK(s->simulator.witness.violations == 0);
  close(s->server.listener);
}

/* -- what the endpoints tell -- */

enum { HEARD_MOST = 64 };
static struct {
  pthread_mutex_t lock;
  struct {
    char transfer[ID_SIZE];
    struct transfer_report report;
  } reports[HEARD_MOST];
  size_t report_count;
  struct message_answer answers[HEARD_MOST];
  size_t answer_count, measured;
} heard = { .lock = PTHREAD_MUTEX_INITIALIZER };

static void on_report(void *context, const char *transfer, const struct transfer_report *report)
{
  (void)context;
  pthread_mutex_lock(&heard.lock);
  if (heard.report_count < HEARD_MOST) {
    snprintf(heard.reports[heard.report_count].transfer, ID_SIZE, "%s", transfer);
    heard.reports[heard.report_count++].report = *report;
  }
  pthread_mutex_unlock(&heard.lock);
}

static void on_progress(void *context, const char *transfer, uint32_t sent)
{
  (void)context;
  (void)transfer;
  CHECK(sent <= SAMPLES);
}

static void on_answer(void *context, const struct message_answer *answer)
{
  (void)context;
  pthread_mutex_lock(&heard.lock);
  if (heard.answer_count < HEARD_MOST) heard.answers[heard.answer_count++] = *answer;
  pthread_mutex_unlock(&heard.lock);
}

/* Of "whole-0": in order, within the limits of what is played. */
static bool on_telemetry(void *context, const char *transfer, const struct telemetry_block *block, bool must)
{
  (void)context, (void)must;
  CHECK(block->count >= 1 && block->count <= TELEMETRY_ROWS && block->joints == 2 && !block->commanded);
  for (size_t k = 1; k < block->count; k++) CHECK(block->rows[k].time > block->rows[k - 1].time);
  for (size_t k = 0; k < block->count; k++) CHECK(fabs(block->rows[k].q[0] - 0.5) < 0.6);
  pthread_mutex_lock(&heard.lock);
  if (!strcmp(transfer, "whole-0")) heard.measured += block->count;
  pthread_mutex_unlock(&heard.lock);
  return true;
}

static void nap(void)
{
  nanosleep(&(struct timespec){ 0, 2000000 }, NULL);
}

/* Wait until a transfer was in this state; false after 20 s, or when it ended otherwise. */
static bool await(const char *transfer, enum transfer_state state)
{
  int64_t deadline = clock_monotonic_ns() + 20000000000LL;
  for (bool ended = false; !ended && clock_monotonic_ns() < deadline; nap()) {
    pthread_mutex_lock(&heard.lock);
    bool found = false;
    for (size_t i = 0; i < heard.report_count; i++) {
      if (strcmp(heard.reports[i].transfer, transfer)) continue;
      found = found || heard.reports[i].report.state == state;
      ended = transfer_state_final(heard.reports[i].report.state);
      if (ended && !found)
        fprintf(stderr, "%s ended: %s %s\n", transfer, transfer_state_name(heard.reports[i].report.state),
                heard.reports[i].report.reason);
    }
    pthread_mutex_unlock(&heard.lock);
    if (found) return true;
  }
  return false;
}

static enum armdyn_status ask(struct endpoints *e, const struct sim *s, const char *transfer,
                              enum transfer_command_kind kind)
{
  static uint64_t number;
  struct transfer_command command = { .number = ++number, .kind = kind, .before_ms = clock_wall_ms() + 10000 };
  snprintf(command.transfer, sizeof command.transfer, "%s", transfer);
  endpoints_command(e, &s->address, &command);
  for (int64_t deadline = clock_monotonic_ns() + 10000000000LL; clock_monotonic_ns() < deadline; nap()) {
    pthread_mutex_lock(&heard.lock);
    enum armdyn_status found = ARMDYN_STATUS_COUNT;
    for (size_t i = 0; i < heard.answer_count; i++)
      if (heard.answers[i].number == number) found = heard.answers[i].status;
    pthread_mutex_unlock(&heard.lock);
    if (found != ARMDYN_STATUS_COUNT) return found;
  }
  return ARMDYN_EUNAVAILABLE;
}

/* -- a profile: half a period of a cosine from 0 to 1 rad on both axes -- */

static struct transfer_order *order_new(const char *id, const struct sim *s, uint32_t profile_id)
{
  struct axis_map map = { .count = 2 };
  for (size_t a = 0; a < 2; a++)
    map.axes[a] = (struct mapped_axis){ .joint = a,
                                        .axis = (unsigned)a,
                                        .position_scale = 1,
                                        .torque_scale = 1,
                                        .rated = 10,
                                        .torque_most = 10,
                                        .rate_most = INFINITY,
                                        .start_tolerance = 0.02 };
  struct transfer_order *order = calloc(1, sizeof *order);
  snprintf(order->id, sizeof order->id, "%s", id);
  order->address = s->address;
  order->connect_deadline_ms = 1500;
  order->ready_timeout_ms = 20000;
  order->window_timeout_ms = 2000;
  order->in_flight = 1 + profile_id % 2 * 7;
  order->telemetry_us = 5000;
  CHECK(!profile_init(&order->profile, &map, FORMAT_POSITION_TORQUE, PERIOD_US, SAMPLES, NULL));
  for (size_t k = 0; k < SAMPLES; k++) {
    double w = M_PI / (SAMPLES - 1), q = 0.5 - 0.5 * cos(w * (double)k), tau = 5 * cos(w * (double)k);
    profile_put(&order->profile, &map, k, (double[]){ q, q }, (double[]){ tau, -tau });
  }
  profile_finish(&order->profile);
  order->profile.head.id = profile_id;
  return order;
}

static void play(struct endpoints *e, const struct sim *s, const char *id, uint32_t profile_id)
{
  CHECK(!endpoints_submit(e, order_new(id, s, profile_id)));
  CHECK(await(id, TRANSFER_READY));
  CHECK(ask(e, s, id, ASK_START) == ARMDYN_ECONFLICT); /* START before ARM */
}

int main(void)
{
  char dir[] = "/tmp/armdyn-tsan-XXXXXX";
  CHECK(mkdtemp(dir));
  static struct sim sims[SIMULATORS + 1];
  for (size_t i = 0; i < SIMULATORS; i++) sim_start(&sims[i], i ? FAULT_DROP : FAULT_NOTHING);
  struct sim *silent = &sims[SIMULATORS];
  sim_start(silent, FAULT_SILENT);
  const struct endpoint_listener listener = {
    .report = on_report, .progress = on_progress, .answer = on_answer, .telemetry = on_telemetry
  };
  static struct figures figures;
  struct endpoints *e = endpoints_new(dir, SERVER_LOSS_STOP, &listener, &figures);

  /* a silent controller beside two that answer, one of which cuts every 20th answer off */
  CHECK(!endpoints_submit(e, order_new("silent", silent, 9)));
  for (size_t i = 0; i < SIMULATORS; i++) {
    char id[ID_SIZE];
    snprintf(id, sizeof id, "whole-%zu", i);
    CHECK(!endpoints_submit(e, order_new(id, &sims[i], (uint32_t)i + 1)));
    CHECK(endpoints_submit(e, order_new("second", &sims[i], 7)) == ARMDYN_EBUSY);
    CHECK(await(id, TRANSFER_READY));
  }
  CHECK(ask(e, &sims[0], "whole-0", ASK_ARM) == ARMDYN_OK);
  CHECK(await("whole-0", TRANSFER_ARMED));
  CHECK(ask(e, &sims[0], "whole-0", ASK_START) == ARMDYN_OK);
  CHECK(await("whole-0", TRANSFER_PLAYING));
  CHECK(ask(e, &sims[0], "", ASK_LOOK) == ARMDYN_OK);
  CHECK(await("whole-0", TRANSFER_DONE));
  pthread_mutex_lock(&heard.lock);
  CHECK(heard.measured > 1);
  pthread_mutex_unlock(&heard.lock);
  CHECK(await("silent", TRANSFER_FAILED));

  /* START before ARM ends it; STOP of what plays is confirmed */
  play(e, &sims[0], "early", 3);
  CHECK(await("early", TRANSFER_FAILED));
  CHECK(!endpoints_submit(e, order_new("stopped", &sims[0], 4)));
  CHECK(await("stopped", TRANSFER_READY));
  struct sim *s = &sims[0];
  CHECK(ask(e, s, "stopped", ASK_ARM) == ARMDYN_ECONFLICT); /* the arm stands at the end of the last motion */
  CHECK(ask(e, s, "stopped", ASK_STOP) == ARMDYN_OK);
  CHECK(await("stopped", TRANSFER_STOPPED));

  endpoints_leave(e); /* ends whole-1, which rests in READY */
  CHECK(await("whole-1", TRANSFER_STOPPED));
  for (size_t i = 0; i <= SIMULATORS; i++) sim_stop(&sims[i]);
  CHECK(sims[0].simulator.starts == 1 && sims[0].simulator.samples_played == SAMPLES);
  CHECK(fabs(sims[0].simulator.arm.q[0] - 1) < 1e-3);
  CHECK(silent->server.writes == 0);
  for (size_t i = 0; i <= SIMULATORS; i++) simulator_release(&sims[i].simulator);

  char command[64];
  const char *const ends[] = { "whole-0", "whole-1", "silent", "early", "stopped" };
  for (size_t i = 0; i < 5; i++) {
    snprintf(command, sizeof command, "%s/%s.end", dir, ends[i]);
    CHECK(!unlink(command)); /* every end stands in the journal */
  }
  for (size_t i = 0; i <= SIMULATORS; i++) {
    snprintf(command, sizeof command, "%s/127.0.0.1_%u_1_%u.lock", dir, sims[i].address.port, sims[i].address.base);
    unlink(command);
  }
  CHECK(!rmdir(dir));
  if (!failures) puts("gateway: ok");
  return failures != 0;
}
