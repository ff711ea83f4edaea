#include "server/work/work.h"

#include <math.h>
#include <sys/resource.h>
#include <sys/statvfs.h>

#include "api/limits.h"
#include "server/base/clock.h"
#include "server/work/line.h"

enum { PROGRESS_EVERY_MS = 100 };

void work_progress(struct work *work, double fraction, const char *sentence)
{
  int64_t now = clock_monotonic_ns();
  work->line->steps++;
  if (work->line->helps) return;
  if (now - work->line->progress_ns < (int64_t)PROGRESS_EVERY_MS * 1000000) return;
  work->line->progress_ns = now;
  struct message_progress progress = { .fraction = fraction };
  snprintf(progress.text, sizeof progress.text, "%s", sentence);
  line_say(work->line, MESSAGE_PROGRESS, &progress, sizeof progress);
}

void work_series(struct work *work, const char *name, const char *columns, size_t width)
{
  struct message_series series = { .width = (uint32_t)width };
  if (work->line->helps) return;
  snprintf(series.name, sizeof series.name, "%s", name);
  snprintf(series.columns, sizeof series.columns, "%s", columns);
  work->line->width = width;
  line_say(work->line, MESSAGE_SERIES, &series, sizeof series);
}

void work_rows(struct work *work, const double *rows, size_t count)
{
  if (work->line->helps) return;
  size_t width = work->line->width, most = LIMIT_FRAME / (width * sizeof *rows);
  while (count) {
    size_t n = count < most ? count : most;
    work->line->steps++;
    line_say(work->line, MESSAGE_ROWS, rows, n * width * sizeof *rows);
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
  line_say(work->line, message, document->data, document->length);
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

void work_end(struct work *work, enum armdyn_status status, const struct armdyn_error *error, work_encode *encode,
              const void *run)
{
  if (status) {
    work_refused(work, status, error);
    return;
  }
  struct buffer document = BUFFER(LIMIT_FRAME);
  encode(run, &document);
  work_result(work, &document);
  buffer_release(&document);
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
