#include <stddef.h>
#include <stdlib.h>

#include "api/codec/friction_test.h"
#include "api/limits.h"
#include "server/work/kinds.h"
#include "server/work/motion_series.h"
#include "server/work/surrounded.h"

static const double PLANNING = 0.1; /* of the work; the rest is sampling */

/* Everything that one job needs, so that one exit releases it. */
struct run {
  struct work *work;
  struct friction_test_request request;
  struct armdyn_limits limits[ARMDYN_JOINTS_MAX];
  struct armdyn_robot *robot;
  struct armdyn_trajectory trajectory;
  struct armdyn_margin margin[ARMDYN_LIMIT_KINDS * ARMDYN_JOINTS_MAX];
  struct surrounded surrounded;
  struct armdyn_friction_run *runs;
  size_t run_count;
  bool stepping[ARMDYN_JOINTS_MAX];
};

static enum armdyn_status plan(struct run *run, struct armdyn_error *error)
{
  struct friction_test_request *request = &run->request;
  enum armdyn_status status =
      surrounded_open(run->work, run->robot, &request->clear, request->sample_rate, &run->surrounded, error);
  if (status) return status;
  const struct armdyn_friction_plan_request asked = {
    .joints = request->has_joints ? request->joints : NULL,
    .q = request->has_q ? request->q : NULL,
    .speeds = request->speeds,
    .speed_least = request->speed_least,
    .speed_most = request->speed_most,
    .travel = request->travel,
    .cruise = request->cruise,
    .limits = run->limits,
    .around = surrounded_around(&run->surrounded),
  };
  status = armdyn_friction_plan(run->robot, &asked, &run->trajectory, run->margin, &run->runs, &run->run_count, error);
  if (status) return status;
  const double duration = armdyn_trajectory_duration(&run->trajectory);
  if (duration * request->sample_rate > LIMIT_SERIES_ROWS - 2)
    return armdyn_refuse(
        error, ARMDYN_EINPUT, "/sample_rate",
        "%g s at %g Hz are more than the %d samples that are kept; test fewer joints at once, or at fewer "
        "speeds",
        duration, request->sample_rate, LIMIT_SERIES_ROWS);
  if ((status = surrounded_measure(&run->surrounded, &run->trajectory, error))) return status;
  return motion_series_send(run->work, run->robot, &run->trajectory, request->sample_rate, run->limits, PLANNING,
                            run->stepping);
}

static void compute(struct work *work, struct armdyn_robot *robot, void *context)
{
  struct run *run = context;
  run->work = work;
  run->robot = robot;
  requested_limits_in_force(&run->request.limits, work->robot, run->limits);
  struct armdyn_error error = { 0 };
  work_progress(run->work, 0, "planning");
  const enum armdyn_status status = plan(run, &error);
  if (status) {
    work_refused(run->work, status, &error);
    return;
  }
  struct buffer document = BUFFER(LIMIT_FRAME);
  const struct friction_test_result result = {
    .robot = run->work->robot,
    .request = &run->request,
    .request_text = run->work->request,
    .duration = armdyn_trajectory_duration(&run->trajectory),
    .runs = run->runs,
    .run_count = run->run_count,
    .margin = run->margin,
    .clearance = surrounded_clearance(&run->surrounded),
    .stepping = run->stepping,
  };
  friction_test_result_encode(&result, &document);
  work_result(run->work, &document);
  buffer_release(&document);
}

JOB_REQUEST(struct run, friction_test_request_decode)

static void release(void *context)
{
  struct run *run = context;
  armdyn_trajectory_free(&run->trajectory);
  surrounded_close(&run->surrounded);
  free(run->runs);
}

const struct job_kind friction_test_kind = {
  .name = "friction_test",
  .stall_s = 600,
  .form = &friction_test_form,
  .samples = &motion_samples,
  .motion = true,
  .size = sizeof(struct run),
  .labels = offsetof(struct run, request.labels),
  .carried = offsetof(struct run, request.carried),
  .in_cell = true,
  .decode = decode,
  .compute = compute,
  .release = release,
};
