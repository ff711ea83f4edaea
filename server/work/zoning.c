/* Zonings: where constant models of the arm are right within a bound. */
#include <stddef.h>

#include "api/codec/zoning.h"
#include "server/work/kinds.h"

struct run {
  struct work *work;
  struct zoning_request request;
  const struct armdyn_robot *robot;
  struct armdyn_workspace *workspace;
  struct armdyn_zones found;
};

static bool progress(void *context, size_t zones, double worst)
{
  struct run *run = context;
  char sentence[80];
  snprintf(sentence, sizeof sentence, "%zu zones, the worst %.3g of what is allowed", zones, worst);
  work_progress(run->work, (double)zones / (double)run->request.zones_max, sentence);
  return true;
}

static void encode(const void *context, struct buffer *out)
{
  const struct run *run = context;
  const struct zoning_result result = { .request = &run->request,
                                        .request_text = run->work->request,
                                        .robot = run->robot,
                                        .workspace = run->workspace,
                                        .found = &run->found };
  zoning_result_encode(&result, out);
}

static void compute(struct work *work, struct armdyn_robot *robot, void *context)
{
  struct run *run = context;
  const struct zoning_request *request = &run->request;
  struct armdyn_error error = { 0 };
  const struct armdyn_zoning zoning = { .robot = robot,
                                        .about = request->about,
                                        .low = request->low,
                                        .high = request->high,
                                        .acceleration = request->acceleration,
                                        .torque = request->torque_error,
                                        .inertia = request->inertia_error,
                                        .law = request->law,
                                        .bandwidth = request->bandwidth_hz,
                                        .most = request->zones_max,
                                        .depth = request->depth_max,
                                        .progress = progress,
                                        .progress_context = run };
  run->work = work;
  run->robot = robot;
  run->workspace = armdyn_workspace_new(armdyn_robot_joint_count(robot));
  const enum armdyn_status status = run->workspace ? armdyn_zones_find(&zoning, &run->found, &error) : ARMDYN_EMEMORY;
  work_end(work, status, &error, encode, run);
}

JOB_REQUEST(struct run, zoning_request_decode)

static void release(void *context)
{
  struct run *run = context;
  armdyn_zones_free(&run->found);
  armdyn_workspace_free(run->workspace);
}

const struct job_kind zoning_kind = {
  .name = "zoning",
  .stall_s = 600,
  .form = &zoning_form,
  .size = sizeof(struct run),
  .labels = offsetof(struct run, request.labels),
  .carried = offsetof(struct run, request.carried),
  .decode = decode,
  .compute = compute,
  .release = release,
};
