#include "server/jobs/work.h"

#include <math.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "api/codec/robot.h"
#include "api/limits.h"
#include "server/ipc/channel.h"
#include "server/jobs/kinds.h"
#include "server/jobs/messages.h"

enum { SEND_FOR_EVER = -1, PROGRESS_EVERY_MS = 100 }; /* `serve` reads slowly when its disk is slow; it dies, we die */

struct work_line {
  struct channel channel;
  struct buffer robot, request; /* texts, as they came */
  size_t width;                 /* of the present series */
  const char *path;             /* of the store */
  struct store *store;          /* NULL: not needed so far */
  int64_t progress_ns;          /* when the last one was sent */
  unsigned long cpu_s;          /* of a job; 0 = no limit */
  bool answered;
  enum armdyn_status status; /* of the channel; sticks */
};

static void say(struct work_line *line, enum worker_message message, const void *data, size_t length)
{
  if (!line->status) line->status = channel_send(&line->channel, message, data, length, SEND_FOR_EVER);
}

void work_progress(struct work *work, double fraction, const char *sentence)
{
  int64_t now = clock_monotonic_ns();
  if (now - work->line->progress_ns < (int64_t)PROGRESS_EVERY_MS * 1000000) return;
  work->line->progress_ns = now;
  struct message_progress progress = { .fraction = fraction };
  snprintf(progress.text, sizeof progress.text, "%s", sentence);
  say(work->line, MESSAGE_PROGRESS, &progress, sizeof progress);
}

void work_series(struct work *work, const char *name, const char *columns, size_t width)
{
  struct message_series series = { .width = (uint32_t)width };
  snprintf(series.name, sizeof series.name, "%s", name);
  snprintf(series.columns, sizeof series.columns, "%s", columns);
  work->line->width = width;
  say(work->line, MESSAGE_SERIES, &series, sizeof series);
}

void work_rows(struct work *work, const double *rows, size_t count)
{
  size_t width = work->line->width, most = LIMIT_FRAME / (width * sizeof *rows);
  while (count) {
    size_t n = count < most ? count : most;
    say(work->line, MESSAGE_ROWS, rows, n * width * sizeof *rows);
    rows += n * width;
    count -= n;
  }
}

static void answer(struct work *work, enum worker_message message, const struct buffer *document)
{
  if (work->line->answered) return;
  if (!buffer_ok(document) || document->length > LIMIT_FRAME) {
    work_problem(work, PROBLEM_INTERNAL, "The result's document is too large.", NULL, NULL);
    return;
  }
  work->line->answered = true;
  say(work->line, message, document->data, document->length);
}

void work_result(struct work *work, const struct buffer *document)
{
  answer(work, MESSAGE_RESULT, document);
}

void work_problem(struct work *work, enum problem problem, const char *detail, const struct faults *faults,
                  const char *extra)
{
  struct buffer document = BUFFER(LIMIT_FRAME);
  char instance[64];
  snprintf(instance, sizeof instance, "/v1/jobs/%s", work->job);
  problem_write(&document, problem, detail, instance, faults, extra);
  if (buffer_ok(&document))
    answer(work, MESSAGE_PROBLEM, &document);
  else if (faults || extra)
    work_problem(work, problem, detail, NULL, NULL);
  else
    work->line->status = ARMDYN_EMEMORY;
  buffer_release(&document);
}

void work_out_of_memory(struct work *work)
{
  struct rlimit memory;
  char detail[128] = "There was no memory left for it on this machine.";
  if (!getrlimit(RLIMIT_AS, &memory) && memory.rlim_cur != RLIM_INFINITY)
    snprintf(detail, sizeof detail, "It needs more memory than the %llu MiB that a worker may have (--worker-memory).",
             (unsigned long long)memory.rlim_cur / MB(1));
  work_problem(work, PROBLEM_WORKER_LIMIT, detail, NULL, NULL);
}

void work_refused(struct work *work, enum armdyn_status status, const struct armdyn_error *error)
{
  if (status == ARMDYN_EMEMORY) {
    work_out_of_memory(work);
    return;
  }
  struct faults *faults = calloc(1, sizeof *faults);
  if (faults && error->pointer[0])
    fault_add(faults, FAULT_AT_POINTER, error->pointer, FAULT_INCONSISTENT, "%s", error->message);
  work_problem(work, problem_of_status(status), error->message, faults, NULL);
  free(faults);
}

enum armdyn_status work_store(struct work *work, struct store **store)
{
  struct work_line *line = work->line;
  enum armdyn_status status = line->store ? ARMDYN_OK : store_open_reader(line->path, &line->store, NULL);
  *store = line->store;
  return status;
}

double work_room(const struct work *work)
{
  struct statvfs disk;
  return statvfs(work->line->path, &disk) ? INFINITY : (double)disk.f_bavail * (double)disk.f_frsize;
}

static void out_of_time(int signal)
{
  (void)signal;
  _exit(WORK_OUT_OF_TIME); /* not by the signal itself, which would leave a core */
}

/* The limit is of the process, which has done other jobs before. */
static void bound_time(unsigned long cpu_s)
{
  struct rusage use;
  struct rlimit time;
  if (!cpu_s || getrusage(RUSAGE_SELF, &use) || getrlimit(RLIMIT_CPU, &time)) return;
  time.rlim_cur = (rlim_t)(use.ru_utime.tv_sec + use.ru_stime.tv_sec) + 1 + cpu_s;
  if (time.rlim_cur > time.rlim_max) time.rlim_cur = time.rlim_max;
  setrlimit(RLIMIT_CPU, &time);
}

static void run(struct work_line *line, const struct message_run *order)
{
  bound_time(line->cpu_s);
  struct work work = { .request = line->request.data, .request_length = line->request.length, .line = line };
  memcpy(work.job, order->job, sizeof work.job);
  line->answered = false;
  line->progress_ns = 0;

  const struct job_kind *kind = job_kind_find(order->kind);
  struct armdyn_robot_description *robot = malloc(sizeof *robot);
  enum armdyn_status status =
      robot ? robot_decode(line->robot.data, line->robot.length, true, robot, NULL, NULL) : ARMDYN_EMEMORY;
  work.robot = robot;
  if (!kind)
    work_problem(&work, PROBLEM_INTERNAL, "This version does not know jobs of this kind.", NULL, NULL);
  else if (status)
    work_problem(&work, problem_of_status(status), "The stored model of the robot cannot be read.", NULL, NULL);
  else
    job_kind_run(kind, &work);
  if (!line->answered) work_problem(&work, PROBLEM_INTERNAL, "The computation ended without a result.", NULL, NULL);
  free(robot);
}

static bool keep(struct buffer *text, const struct frame *frame)
{
  buffer_clear(text);
  buffer_append(text, frame->data, frame->length);
  return buffer_ok(text) && text->length;
}

/* True while it makes sense. */
static bool take(struct work_line *line, const struct frame *frame)
{
  struct message_run order;
  switch (frame->type) {
  case MESSAGE_ROBOT: return keep(&line->robot, frame);
  case MESSAGE_REQUEST: return keep(&line->request, frame);
  case MESSAGE_RUN:
    if (frame->length != sizeof order || !line->robot.length || !line->request.length) return false;
    memcpy(&order, frame->data, sizeof order);
    order.kind[sizeof order.kind - 1] = order.job[sizeof order.job - 1] = '\0';
    run(line, &order);
    return line->status == ARMDYN_OK;
  default: return false;
  }
}

int work_serve(int fd, const char *path, unsigned long cpu_s)
{
  struct work_line line = {
    .robot = BUFFER(LIMIT_FRAME + 1), .request = BUFFER(LIMIT_FRAME + 1), .path = path, .cpu_s = cpu_s
  };
  signal(SIGXCPU, out_of_time);
  channel_open(&line.channel, fd);
  say(&line, MESSAGE_READY, NULL, 0);
  struct frame frame;
  enum armdyn_status status;
  while (!(status = channel_receive(&line.channel, &frame, -1)))
    if (!take(&line, &frame)) break;
  channel_close(&line.channel);
  buffer_release(&line.robot);
  buffer_release(&line.request);
  store_close(line.store);
  return status == ARMDYN_EIO ? 0 : 1;
}
