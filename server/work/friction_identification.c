#include <stddef.h>

#include "api/codec/friction_identification.h"
#include "server/data/opened_logs.h"
#include "server/work/kinds.h"

/* Everything that one job needs, so that one exit releases it. */
struct run {
  struct work *work;
  struct friction_identification_request request;
  struct opened_logs logs;
  struct armdyn_robot *robot;
  struct armdyn_conditioning conditioning;
  struct armdyn_log_stream *stream;
  struct armdyn_source inner; /* of the stream, behind the one that reports progress */
  size_t blocks_read;
  struct armdyn_joint_friction joints[ARMDYN_JOINTS_MAX];
};

static enum armdyn_status open_data(struct run *run, struct armdyn_error *error)
{
  struct store *store;
  const struct listed_logs listed = { .list = &run->request.datasets, .name = "datasets", .to = 1 };
  const enum armdyn_status status = work_store(run->work, &store);
  return status ? status : opened_logs_open(store, &listed, run->work->robot, &run->logs, error);
}

static enum armdyn_status read_reporting(void *context, size_t index, struct armdyn_motion *motion,
                                         struct armdyn_error *error)
{
  struct run *run = context;
  char sentence[96];
  snprintf(sentence, sizeof sentence, "%s, block %zu of %zu",
           run->blocks_read < run->inner.blocks ? "learning what is fast" : "finding runs at constant speed", index + 1,
           run->inner.blocks);
  work_progress(run->work, 0.95 * (double)run->blocks_read++ / (2 * (double)run->inner.blocks), sentence);
  return run->inner.read(run->inner.context, index, motion, error);
}

static enum armdyn_status fit(struct run *run, struct armdyn_error *error)
{
  run->conditioning.rate = logged_motion_rate(&run->logs.motions[0]);
  run->conditioning.position_cutoff = run->request.position_cutoff_hz;
  if (!(run->conditioning.position_cutoff < run->conditioning.rate / 2))
    return armdyn_refuse(error, ARMDYN_EINPUT, "/position_cutoff_hz",
                         "must be below half of the rate of the log, %g Hz, got %g", run->conditioning.rate,
                         run->conditioning.position_cutoff);
  const enum armdyn_status status =
      opened_logs_stream(&run->logs, run->logs.count, &run->conditioning, &run->stream, error);
  if (status) return status;
  run->inner = armdyn_log_stream_source(run->stream);
  const struct armdyn_source source = {
    .samples = run->inner.samples, .blocks = run->inner.blocks, .read = read_reporting, .context = run
  };
  return armdyn_friction_fit(run->robot, &source, run->joints, NULL, NULL, error);
}

static void compute(struct work *work, struct armdyn_robot *robot, void *context)
{
  struct run *run = context;
  run->work = work;
  run->robot = robot;
  struct armdyn_error error = { "", "" };
  work_progress(run->work, 0, "opening the data sets");
  enum armdyn_status status = open_data(run, &error);
  if (!status) status = fit(run, &error);
  if (status) {
    work_refused(run->work, status, &error);
    return;
  }
  struct buffer document = BUFFER(LIMIT_FRAME);
  const struct friction_identification_result result = {
    .robot = run->work->robot,
    .request = &run->request,
    .request_text = run->work->request,
    .joints = run->joints,
    .data = run->logs.data,
    .data_count = run->logs.count,
    .rate = run->conditioning.rate,
  };
  friction_identification_result_encode(&result, &document);
  work_result(run->work, &document);
  buffer_release(&document);
}

JOB_REQUEST(struct run, friction_identification_request_decode)

static void release(void *context)
{
  struct run *run = context;
  armdyn_joint_friction_free(ARMDYN_JOINTS_MAX, run->joints);
  armdyn_log_stream_free(run->stream);
  opened_logs_release(&run->logs);
}

const struct job_kind friction_identification_kind = {
  .name = "friction_identification",
  .stall_s = 1800,
  .form = &friction_identification_form,
  .size = sizeof(struct run),
  .labels = offsetof(struct run, request.labels),
  .datasets = { { "datasets", offsetof(struct run, request.datasets) } },
  .decode = decode,
  .compute = compute,
  .release = release,
};
