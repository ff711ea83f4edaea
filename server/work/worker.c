#include "server/work/worker.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include "api/codec/robot.h"
#include "api/limits.h"
#include "server/work/kinds.h"
#include "server/work/line.h"

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
  line_say(&line, MESSAGE_READY, NULL, 0);
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
