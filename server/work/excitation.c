#include <math.h>
#include <stddef.h>

#include "api/codec/excitation.h"
#include "api/limits.h"
#include "server/data/opened_logs.h"
#include "server/work/conditioning.h"
#include "server/work/kinds.h"
#include "server/work/motion_series.h"
#include "server/work/surrounded.h"

static const double SEARCH = 0.95; /* of the work; the rest is sampling */

/* Everything that one job needs, so that one exit releases it. */
struct run {
  struct work *work;
  struct excitation_request request;
  struct armdyn_limits limits[ARMDYN_JOINTS_MAX];
  struct armdyn_robot *robot;
  struct armdyn_unknowns *unknowns;
  struct opened_logs logs; /* whose information is held already */
  struct armdyn_log_stream *stream;
  struct armdyn_regression *known;
  double known_rate; /* Hz */
  struct armdyn_trajectory trajectory;
  struct armdyn_margin margin[ARMDYN_LIMIT_KINDS * ARMDYN_JOINTS_MAX];
  struct surrounded surrounded;
  struct armdyn_excitation excitation;
  bool stepping[ARMDYN_JOINTS_MAX];
};

static enum armdyn_go tell(void *context, const struct armdyn_excitation_progress *progress)
{
  char sentence[128];
  snprintf(sentence, sizeof sentence, "%s %zu of %zu, criterion %.4g",
           progress->polishing ? "local polish, round" : "genetic algorithm, generation", progress->round,
           progress->rounds, progress->criterion);
  work_progress(context, SEARCH * progress->fraction, sentence);
  return ARMDYN_GO_ON; /* to cancel is to kill */
}

/* -- what is known -- */

static enum armdyn_status read_known(struct run *run, struct armdyn_error *error)
{
  const struct armdyn_source source = armdyn_log_stream_source(run->stream);
  enum armdyn_status status = ARMDYN_OK;
  for (size_t block = 0; block < source.blocks && !status; block++) {
    struct armdyn_motion motion;
    char sentence[96];
    snprintf(sentence, sizeof sentence, "reading what is known, block %zu of %zu", block + 1, source.blocks);
    work_progress(run->work, 0, sentence);
    status = source.read(source.context, block, &motion, error);
    if (!status) status = armdyn_regression_add(run->known, &motion, NULL);
  }
  return status;
}

/* The equations of earlier logs, conditioned as an identification's are by default. */
static enum armdyn_status take_known(struct run *run, struct armdyn_error *error)
{
  const struct identification_conditioning by_default = {
    .rate = NAN, .position_cutoff_hz = NAN, .torque_cutoff_hz = NAN, .trim = NAN, .tracking_acceleration = NAN
  };
  const struct listed_logs known = { .list = &run->request.known, .name = "known", .to = 1 };
  struct identification_conditioning used;
  struct armdyn_conditioning conditioning;
  struct store *store;
  if (run->request.known.count == 0) return ARMDYN_OK;
  enum armdyn_status status = work_store(run->work, &store);
  if (!status) status = opened_logs_open(store, &known, run->work->robot, &run->logs, error);
  if (!status)
    status = conditioning_choose(&by_default, run->logs.motions, run->logs.count, &conditioning, &used, error);
  if (!status) status = opened_logs_stream(&run->logs, run->logs.count, &conditioning, &run->stream, error);
  if (status) return status;
  run->known_rate = conditioning.rate;
  run->known = armdyn_regression_new(run->unknowns);
  return run->known ? read_known(run, error) : ARMDYN_EMEMORY;
}

/* -- searching -- */

static enum armdyn_status design(struct run *run, struct armdyn_error *error)
{
  const struct excitation_request *request = &run->request;
  double box[6];
  memcpy(box, request->tool_box.min, sizeof request->tool_box.min);
  memcpy(box + 3, request->tool_box.max, sizeof request->tool_box.max);
  enum armdyn_status status =
      armdyn_unknowns_new(run->robot, request->friction,
                          request->rotor_inertia ? ARMDYN_ROTORS_ALL : ARMDYN_ROTORS_NONE, &run->unknowns, error);
  if (!status) status = take_known(run, error);
  if (status) return status;
  const struct armdyn_known known = { run->known, run->known_rate };
  const struct armdyn_excitation_request asked = {
    .duration = request->duration,
    .harmonics = request->harmonics,
    .base_frequency = excitation_base_frequency(request),
    .criterion = request->criterion,
    .lambda = request->lambda,
    .limits = run->limits,
    .tool_box = request->has_box ? box : NULL,
    .around = surrounded_around(&run->surrounded),
    .known = &known,
    .known_count = run->known ? 1 : 0,
    .population = request->population,
    .generations = request->generations,
    .seed = (unsigned long)request->seed,
  };
  return armdyn_excitation_design(run->robot, run->unknowns, &asked, &run->trajectory, run->margin, &run->excitation,
                                  tell, run->work, error);
}

/* The motion, in its cell. */
static enum armdyn_status search(struct run *run, struct armdyn_error *error)
{
  struct excitation_request *request = &run->request;
  enum armdyn_status status =
      surrounded_open(run->work, run->robot, &request->clear, request->sample_rate, &run->surrounded, error);
  if (!status) status = design(run, error);
  return status ? status : surrounded_measure(&run->surrounded, &run->trajectory, error);
}

static void compute(struct work *work, struct armdyn_robot *robot, void *context)
{
  struct run *run = context;
  run->work = work;
  run->robot = robot;
  requested_limits_in_force(&run->request.limits, work->robot, run->limits);
  struct armdyn_error error = { 0 };
  enum armdyn_status status = search(run, &error);
  if (!status)
    status = motion_series_send(run->work, run->robot, &run->trajectory, run->request.sample_rate, run->limits, SEARCH,
                                run->stepping);
  if (status) { /* no excitation tells the parameters apart: what was asked is infeasible, not malformed */
    work_refused(run->work, status == ARMDYN_ESINGULAR ? ARMDYN_EINFEASIBLE : status, &error);
    return;
  }
  struct buffer document = BUFFER(LIMIT_FRAME);
  const struct excitation_result result = {
    .robot = run->work->robot,
    .request = &run->request,
    .request_text = run->work->request,
    .excitation = &run->excitation,
    .margin = run->margin,
    .clearance = surrounded_clearance(&run->surrounded),
    .stepping = run->stepping,
    .parameters = armdyn_base_parameter_count(armdyn_unknowns_base(run->unknowns)),
    .known = run->logs.data,
    .known_count = run->logs.count,
  };
  excitation_result_encode(&result, &document);
  work_result(run->work, &document);
  buffer_release(&document);
}

JOB_REQUEST(struct run, excitation_request_decode)

static void release(void *context)
{
  struct run *run = context;
  armdyn_trajectory_free(&run->trajectory);
  surrounded_close(&run->surrounded);
  armdyn_regression_free(run->known);
  armdyn_log_stream_free(run->stream);
  opened_logs_release(&run->logs);
  armdyn_unknowns_free(run->unknowns);
}

const struct job_kind excitation_kind = {
  .name = "excitation",
  .stall_s = 1800,
  .form = &excitation_form,
  .samples = &motion_samples,
  .motion = true,
  .size = sizeof(struct run),
  .labels = offsetof(struct run, request.labels),
  .carried = offsetof(struct run, request.carried),
  .in_cell = true,
  .datasets = { { "known", offsetof(struct run, request.known) } },
  .decode = decode,
  .compute = compute,
  .release = release,
};
