#include "server/work/worker.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "api/codec/robot.h"
#include "api/limits.h"
#include "server/work/kinds.h"
#include "server/work/line.h"

enum { HEARING_STACK = 256 << 10 };

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
  line->helps = line->answered = order->helps;
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
  if (line->helps) line_say(line, MESSAGE_HELPED, NULL, 0);
  free(robot);
}

static bool keep(struct buffer *text, const struct frame *frame)
{
  buffer_clear(text);
  buffer_append(text, frame->data, frame->length);
  return buffer_ok(text) && text->length;
}

/* -- two threads: one computes, the other hears, so that pings are answered whatever is computed -- */

struct worker {
  struct work_line line;
  pthread_mutex_t lock;
  pthread_cond_t changed;
  struct message_run order;
  bool busy;              /* the order is being carried out, and robot and request belong to who does that */
  bool over;              /* nothing more will be heard */
  enum armdyn_status end; /* why */
};

static void pong(struct work_line *line)
{
  const struct message_pong message = { .steps = line->steps };
  line_say(line, MESSAGE_PONG, &message, sizeof message);
}

/* The job before has been answered already, or this frame would not be here; what it held is still given back. */
static void await_rest(struct worker *w)
{
  pthread_mutex_lock(&w->lock);
  while (w->busy) pthread_cond_wait(&w->changed, &w->lock);
  pthread_mutex_unlock(&w->lock);
}

static bool begin(struct worker *w, const struct frame *frame)
{
  if (frame->length != sizeof w->order || !w->line.robot.length || !w->line.request.length) return false;
  pthread_mutex_lock(&w->lock);
  memcpy(&w->order, frame->data, sizeof w->order);
  w->order.kind[sizeof w->order.kind - 1] = w->order.job[sizeof w->order.job - 1] = '\0';
  w->busy = true;
  pthread_cond_broadcast(&w->changed);
  pthread_mutex_unlock(&w->lock);
  return true;
}

/* While a job runs: which part is next, and what others came to. */
static bool take_part(struct line_parts *parts, const struct frame *frame)
{
  struct message_part part;
  const size_t left = frame->length - sizeof part;
  if (frame->length < sizeof part) return false;
  memcpy(&part, frame->data, sizeof part);
  pthread_mutex_lock(&parts->lock);
  if (frame->type == MESSAGE_OUTCOME) {
    buffer_append(&parts->outcomes, &part, sizeof part);
    buffer_append(&parts->outcomes, &left, sizeof left);
    buffer_append(&parts->outcomes, frame->data + sizeof part, left);
  } else {
    parts->part = part, parts->there = true;
    pthread_cond_signal(&parts->told);
  }
  const bool kept = buffer_ok(&parts->outcomes);
  pthread_mutex_unlock(&parts->lock);
  return kept;
}

/* True while it makes sense. */
static bool take(struct worker *w, const struct frame *frame)
{
  if (frame->type == MESSAGE_PING) {
    pong(&w->line);
    return true;
  }
  if (frame->type == MESSAGE_PART || frame->type == MESSAGE_OUTCOME) return take_part(&w->line.parts, frame);
  await_rest(w);
  switch (frame->type) {
  case MESSAGE_ROBOT: return keep(&w->line.robot, frame);
  case MESSAGE_REQUEST: return keep(&w->line.request, frame);
  case MESSAGE_RUN: return begin(w, frame);
  default: return false;
  }
}

static void *hear(void *context)
{
  struct worker *w = context;
  struct frame frame;
  enum armdyn_status end;
  while (!(end = channel_receive(&w->line.channel, &frame, -1)))
    if (!take(w, &frame)) {
      end = ARMDYN_ESYNTAX;
      break;
    }
  pthread_mutex_lock(&w->line.parts.lock);
  w->line.parts.over = true;
  pthread_cond_signal(&w->line.parts.told);
  pthread_mutex_unlock(&w->line.parts.lock);
  pthread_mutex_lock(&w->lock);
  w->over = true;
  w->end = end;
  pthread_cond_broadcast(&w->changed);
  pthread_mutex_unlock(&w->lock);
  return NULL;
}

/* Until nothing more is heard, or nobody hears what is said. */
static void compute_all(struct worker *w)
{
  pthread_mutex_lock(&w->lock);
  for (;;) {
    while (!w->busy && !w->over) pthread_cond_wait(&w->changed, &w->lock);
    if (!w->busy) break;
    pthread_mutex_unlock(&w->lock);
    run(&w->line, &w->order);
    pthread_mutex_lock(&w->lock);
    w->busy = false;
    pthread_cond_broadcast(&w->changed);
    if (w->line.status) shutdown(w->line.channel.fd, SHUT_RDWR);
  }
  pthread_mutex_unlock(&w->lock);
}

int work_serve(int fd, const char *path, unsigned long cpu_s)
{
  struct worker w = {
    .line = { .sending = PTHREAD_MUTEX_INITIALIZER,
              .robot = BUFFER(LIMIT_FRAME + 1),
              .request = BUFFER(LIMIT_FRAME + 1),
              .parts = { .lock = PTHREAD_MUTEX_INITIALIZER,
                         .told = PTHREAD_COND_INITIALIZER,
                         .outcomes = BUFFER(LIMIT_OUTCOMES) },
              .path = path,
              .cpu_s = cpu_s },
    .lock = PTHREAD_MUTEX_INITIALIZER,
    .changed = PTHREAD_COND_INITIALIZER,
  };
  pthread_t hearing;
  pthread_attr_t small; /* address space is bounded */
  signal(SIGXCPU, out_of_time);
  channel_open(&w.line.channel, fd);
  line_say(&w.line, MESSAGE_READY, NULL, 0);
  pthread_attr_init(&small);
  pthread_attr_setstacksize(&small, HEARING_STACK);
  bool hears = !pthread_create(&hearing, &small, hear, &w);
  pthread_attr_destroy(&small);
  if (hears) {
    compute_all(&w);
    pthread_join(hearing, NULL);
  }
  channel_close(&w.line.channel);
  buffer_release(&w.line.robot);
  buffer_release(&w.line.request);
  buffer_release(&w.line.parts.outcomes);
  store_close(w.line.store);
  return hears && w.end == ARMDYN_EIO ? 0 : 1;
}
