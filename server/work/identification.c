#include "server/work/identification.h"

#include <math.h>
#include <sodium.h>
#include <stddef.h>

#include "api/codec/identification.h"
#include "api/codec/robot.h"
#include "server/data/opened_logs.h"
#include "server/work/arm_estimate.h"
#include "server/work/conditioning.h"
#include "server/work/coupled_motors.h"
#include "server/work/dataset_loads.h"
#include "server/work/filter_test.h"
#include "server/work/held_friction.h"
#include "server/work/identification_errors.h"
#include "server/work/instruments.h"
#include "server/work/kinds.h"
#include "server/work/messages.h"
#include "server/work/payload.h"
#include "server/work/signals.h"
#include "server/work/training_data.h"

enum { WARNINGS_MOST = 4 * ARMDYN_WARNINGS_MAX + 2 * OPENED_LOGS_MOST };

/* Everything that one job needs, so that one exit releases it. */
struct run {
  struct work *work;
  struct identification_request request;
  size_t n, training_count, judged_count; /* of the logs: see open_data */
  struct opened_logs logs;
  const struct armdyn_robot *model, *given; /* the latter without friction that is held */
  struct held_friction held;
  struct armdyn_gears *gears; /* at whose outputs friction is; NULL: at joints */
  struct dataset_loads loads; /* of the arm, not of a payload */
  struct signals signals;
  struct arm_estimate arm; /* for a payload: the arm without it, and its unknowns */
  struct armdyn_conditioning conditioning;
  struct armdyn_log_stream *stream;
  struct instruments instruments;
  struct armdyn_payload_estimate payload;
  double *payload_beta;          /* of the arm with the load */
  struct armdyn_warnings doubts; /* of the result */
  char told[ARMDYN_WARNINGS_MAX][320];
  bool leaks[OPENED_LOGS_MOST]; /* validation data that repeat the motion of training data */
  struct armdyn_source inner;   /* of the stream, behind the one that reports progress */
  size_t blocks_read;
  double begun; /* how far the work was when reading began */
  struct identification_result result;
  struct identification_warning warnings[WARNINGS_MOST];
  char robot_sha256[65];
};

/* -- refusals -- */

/* The library's, whose pointers are into its own arguments. */
static void refuse_estimate(struct run *run, enum armdyn_status status, const struct armdyn_error *error)
{
  char detail[sizeof error->message + 1024];
  if (status == ARMDYN_ESINGULAR)
    snprintf(detail, sizeof detail,
             "%s. Log a motion that moves more joints at once, leave terms of friction out, or take the estimator "
             "\"consistent\", which draws what the data leave open from the model",
             error->message);
  else
    snprintf(detail, sizeof detail, "%s", error->message[0] ? error->message : armdyn_status_text(status));
  for (size_t i = 0; i < run->signals.warnings.count && i < 3; i++) { /* what was seen in the logs may be why */
    size_t at = strlen(detail);
    snprintf(detail + at, sizeof detail - at, "%s%.240s",
             i ? "; " : ". In the logs: ", run->signals.warnings.list[i].detail);
  }
  bool caller = status == ARMDYN_EINPUT || status == ARMDYN_ESINGULAR;
  struct armdyn_error refusal;
  armdyn_refuse(&refusal, status, "", "%s", detail);
  work_refused(run->work, caller ? ARMDYN_EINPUT : status, &refusal);
}

/* -- data -- */

/* Training comes first, what errors are not told of last. */
static enum armdyn_status open_data(struct run *run, struct armdyn_error *error)
{
  const struct identification_request *request = &run->request;
  const double split = isnan(request->validation_fraction) ? 1 : 1 - request->validation_fraction;
  static const struct id_list none;
  const struct listed_logs lists[] = {
    { &request->datasets, "datasets", IDENTIFICATION_TRAINING, 0, split },
    { split < 1 ? &request->datasets : &none, "datasets", IDENTIFICATION_VALIDATION, split, 1 },
    { &request->validation, "validation", IDENTIFICATION_VALIDATION, 0, 1 },
    { &request->unloaded, "unloaded", IDENTIFICATION_UNLOADED, 0, 1 },
  };
  struct store *store;
  enum armdyn_status status = work_store(run->work, &store);
  for (size_t i = 0; !status && i < sizeof lists / sizeof *lists; i++)
    status = opened_logs_open(store, &lists[i], run->work->robot, &run->logs, error);
  run->training_count = request->datasets.count;
  run->judged_count = run->logs.count - request->unloaded.count;
  return status;
}

/* -- before anything is estimated -- */

/* Every log is looked through, also those that only validate: what is wrong there makes figures that mean nothing. */
static enum armdyn_status look_through(struct run *run, struct armdyn_error *error)
{
  /* friction that was chosen by a log fits its mistakes, too */
  const struct armdyn_unknowns *usual = run->arm.chosen ? run->signals.usual : run->arm.unknowns;
  enum armdyn_status status = ARMDYN_OK;
  for (size_t i = 0; !status && i < run->logs.count; i++) {
    struct armdyn_log log;
    const size_t before = run->signals.warnings.count;
    char sentence[96];
    snprintf(sentence, sizeof sentence, "looking through data set %zu of %zu", i + 1, run->logs.count);
    work_progress(run->work, 0.02, sentence);
    status = logged_motion_head(&run->logs.motions[i], HEAD_SECONDS, &log, error);
    if (!status) status = armdyn_preflight(usual, &log, &run->conditioning, &run->signals.warnings, error);
    if (status) status = signals_name_log(&run->logs, i, status, error);
    for (size_t k = before; k < run->signals.warnings.count; k++) run->signals.warned_of[k] = i;
  }
  return status;
}

/* Does this validation data repeat what was trained on? Then its errors say nothing about other motions. */
static enum armdyn_status look_for_leak(struct run *run, size_t index, struct armdyn_error *error)
{
  struct armdyn_motion own = { 0 };
  enum armdyn_status status = conditioned_head(&run->logs.motions[index], &run->conditioning, &own, error);
  for (size_t t = 0; !status && t < run->training_count && !run->leaks[index]; t++)
    status = conditioned_head_repeats(&run->logs.motions[t], &run->conditioning, &own, &run->leaks[index], error);
  armdyn_motion_free(&own);
  return status;
}

/* -- estimating -- */

static enum armdyn_status read_reporting(void *context, size_t index, struct armdyn_motion *motion,
                                         struct armdyn_error *error)
{
  struct run *run = context;
  char sentence[96];
  const size_t blocks = run->inner.blocks, pass = run->blocks_read++ / blocks;
  snprintf(sentence, sizeof sentence, "reading, block %zu of %zu, pass %zu", index + 1, blocks, pass + 1);
  work_progress(run->work, fmin(run->begun + 0.2 * (double)run->blocks_read / (double)blocks, 0.5), sentence);
  return run->inner.read(run->inner.context, index, motion, error);
}

static void tell_trial(void *context, size_t trial, size_t trials)
{
  struct run *run = context;
  char sentence[96];
  snprintf(sentence, sizeof sentence, "trying terms of friction on held-out parts of the data, %zu of %zu", trial,
           trials);
  run->begun = 0.05 + 0.3 * (double)(trial - 1) / (double)trials;
  work_progress(run->work, run->begun, sentence);
}

static void tell_round(void *context, size_t round, size_t rounds)
{
  struct run *run = context;
  char sentence[96];
  snprintf(sentence, sizeof sentence, "refining Stribeck velocities, round %zu of at most %zu", round, rounds);
  run->begun = 0.35 + 0.15 * (double)(round - 1) / (double)rounds;
  work_progress(run->work, run->begun, sentence);
}

static void tell_signals(void *context, const char *sentence)
{
  const struct run *run = context;
  work_progress(run->work, 0.02, sentence);
}

static enum armdyn_status choose_signals(struct run *run, struct armdyn_error *error)
{
  const struct signals_order order = { &run->request, run->model, &run->logs, run->training_count, tell_signals, run };
  return signals_choose(&order, &run->conditioning, &run->signals, &run->result, error);
}

static bool go_on(void *context)
{
  struct run *run = context;
  work_progress(run->work, 0.55, "weighing the data against the model");
  return false; /* to cancel is to kill */
}

static enum armdyn_status estimate_payload(struct run *run, const struct armdyn_source *source,
                                           struct armdyn_error *error)
{
  const struct payload_order order = {
    .unknowns = run->arm.unknowns,
    .conditioning = &run->conditioning,
    .source = *source,
    .loaded = &run->logs.motions[0],
    .unloaded = run->request.unloaded.count ? &run->logs.motions[run->judged_count] : NULL,
    .estimator = run->request.estimator == ARMDYN_WLS ? ARMDYN_PAYLOAD_WLS : ARMDYN_PAYLOAD_CONSISTENT,
    .cancelled = go_on,
    .context = run,
  };
  const size_t count = armdyn_base_parameter_count(armdyn_unknowns_base(run->arm.unknowns));
  run->payload_beta = malloc(count * sizeof *run->payload_beta);
  return run->payload_beta ? payload_estimate(&order, &run->payload, run->payload_beta, error) : ARMDYN_EMEMORY;
}

/* What is to be found: of the arm its friction too; of a load nothing but the load, and friction is the model's. */
static enum armdyn_status open_unknowns(struct run *run, const struct arm_order *order, struct armdyn_error *error)
{
  struct arm_estimate *arm = &run->arm;
  if (run->request.identify == IDENTIFY_ARM) return arm_unknowns(order, arm, error);
  const enum armdyn_status status = payload_bare_robot(run->work->robot, &arm->own, error);
  if (status) return status;
  arm->robot = arm->own;
  return armdyn_unknowns_by_joint(arm->robot, arm->terms, ARMDYN_ROTORS_PRESENT, &arm->unknowns, error);
}

static enum armdyn_status test_filters(struct run *run, struct armdyn_error *error)
{
  const struct filter_test_order order = { .request = &run->request,
                                           .robot = run->arm.robot,
                                           .unknowns = run->arm.unknowns,
                                           .loop = run->instruments.loop,
                                           .in_loop = arm_in_loop(&run->arm),
                                           .known = run->held.known,
                                           .loads = run->loads.loads,
                                           .gears = run->gears,
                                           .conditioning = &run->conditioning,
                                           .logs = &run->logs,
                                           .count = run->training_count };
  work_progress(run->work, 0.56, "testing the filters");
  return filter_test_compute(&order, &run->result.filter_test, error);
}

/* What the data sets say that they were logged with. */
static enum armdyn_status take_loads_off(struct run *run, struct armdyn_error *error)
{
  if (run->request.identify == IDENTIFY_PAYLOAD) return ARMDYN_OK;
  enum armdyn_status status = dataset_loads_open(run->model, &run->logs, run->judged_count, &run->loads, error);
  if (!status) status = dataset_loads_take_off(&run->loads, &run->request, run->model, &run->inner, error);
  if (run->request.find_drive_gains) run->result.gains = run->loads.gains, run->result.weighed = &run->loads.weighed;
  return status;
}

static enum armdyn_status estimate_arm(struct run *run, struct arm_order *order, struct armdyn_error *error)
{
  const struct filtered_path_order asked = { &run->request, run->model, &run->conditioning, &run->logs,
                                             run->training_count };
  const enum armdyn_status status = instruments_open(run->work, &asked, run->loads.loads, &run->instruments, error);
  order->loop = run->instruments.loop;
  order->instruments = run->instruments.source;
  run->result.instruments = run->instruments.told;
  if (order->loop) run->result.closed_loop = &run->arm.closed_loop;
  return status ? status : arm_estimate(order, &run->arm, error);
}

static enum armdyn_status estimate(struct run *run, struct armdyn_error *error)
{
  enum armdyn_status status =
      opened_logs_stream(&run->logs, run->training_count, &run->conditioning, &run->stream, error);
  if (status) return status;
  if ((status = training_data_exclude(&run->request, &run->logs, run->stream, error))) return status;
  run->inner = armdyn_log_stream_source(run->stream);
  if ((status = take_loads_off(run, error))) return status;
  const struct armdyn_source joints = run->inner;
  run->inner = armdyn_gears_source(run->gears, &joints);
  status = held_friction_open(run->work, run->request.friction_from, run->model, &run->held, error);
  if (status) return status;
  if (run->held.known) {
    run->given = armdyn_known_friction_bare(run->held.known);
    const struct armdyn_source whole = run->inner;
    run->inner = armdyn_known_friction_source(run->held.known, &whole);
  }
  run->begun = 0.05;
  const struct armdyn_source source = {
    .samples = run->inner.samples, .blocks = run->inner.blocks, .read = read_reporting, .context = run
  };
  struct arm_order order = {
    .request = &run->request,
    .given = run->given,
    .held = run->held.which,
    .source = &run->inner,
    .lack_of_fit = true,
    .trying = tell_trial,
    .refining = tell_round,
    .cancelled = go_on,
    .context = run,
  };
  status = open_unknowns(run, &order, error);
  if (!status) status = look_through(run, error);
  for (size_t i = run->training_count; !status && i < run->judged_count; i++) status = look_for_leak(run, i, error);
  if (status) return status;
  order.source = &source;
  return run->request.identify == IDENTIFY_PAYLOAD ? estimate_payload(run, &source, error)
                                                   : estimate_arm(run, &order, error);
}

/* -- the result -- */

static void warn(struct run *run, const char *code, const char *joint, const char *detail)
{
  if (run->result.warning_count == WARNINGS_MOST) return;
  run->warnings[run->result.warning_count++] = (struct identification_warning){ code, joint, detail };
}

static const char *joint_name(const struct run *run, const struct armdyn_warning *w)
{
  return w->joint < 0 ? NULL : run->work->robot->joints[w->joint].name;
}

static void add_warnings(struct run *run, const struct armdyn_warnings *warnings)
{
  for (size_t i = 0; i < warnings->count; i++) {
    const struct armdyn_warning *w = &warnings->list[i];
    warn(run, armdyn_warning_name(w->code), joint_name(run, w), w->detail);
  }
}

/* What the errors, and what they do not show, give reason to doubt. */
static void doubt_result(struct run *run)
{
  const struct identification_errors *trained = &run->result.errors[IDENTIFICATION_TRAINING];
  const struct identification_errors *validated = &run->result.errors[IDENTIFICATION_VALIDATION];
  const struct identification_errors *judged = validated->known ? validated : trained;
  const struct armdyn_judgement judgement = {
    .validated = validated->known,
    .fit = judged->joints[COMPARED_PARALLEL],
    .trained = trained->fastest,
    .judged = judged->fastest,
  };
  armdyn_doubt(run->arm.unknowns, &run->arm.estimate, &judgement, &run->doubts);
}

static void gather_warnings(struct run *run)
{
  for (size_t i = 0; i < run->signals.warnings.count; i++) {
    const struct armdyn_warning *w = &run->signals.warnings.list[i];
    snprintf(run->told[i], sizeof run->told[i], "data set %s: %s", run->logs.data[run->signals.warned_of[i]].id,
             w->detail);
    warn(run, armdyn_warning_name(w->code), joint_name(run, w), run->told[i]);
  }
  const bool payload = run->request.identify == IDENTIFY_PAYLOAD;
  if (!payload) doubt_result(run);
  add_warnings(run, &run->doubts);
  add_warnings(run, payload ? &run->payload.warnings : &run->arm.estimate.warnings);
  for (size_t i = 0; i < run->arm.stribeck.warnings.count; i++) {
    const struct armdyn_warning *w = &run->arm.stribeck.warnings.list[i];
    const bool without = isnan(armdyn_robot_description(run->arm.robot)->joints[w->joint].friction.stiction);
    if (without && run->request.friction.automatic) continue; /* nobody asked for it */
    warn(run, armdyn_warning_name(w->code), joint_name(run, w), w->detail);
  }
  for (size_t i = 0; i < run->logs.count; i++)
    if (run->leaks[i])
      warn(run, "validation_repeats_training", NULL,
           "validation data repeat the motion that was trained on: their errors are too good to tell how the model "
           "does on other motions; validate with another motion");
  for (size_t i = 0; i < run->logs.count; i++)
    if (run->logs.motions[i].other_tool_or_gravity)
      warn(run, "conditions_differ", NULL,
           "a data set says that it was logged with a tool or gravity of its own; the model's were taken: "
           "identify with a revision that has them");
}

static void send_covariance(struct run *run)
{
  const bool payload = run->request.identify == IDENTIFY_PAYLOAD;
  const size_t b = payload ? 10 : armdyn_base_parameter_count(armdyn_unknowns_base(run->arm.unknowns));
  char columns[32]; /* a name for each would be too long for large arms */
  snprintf(columns, sizeof columns, "1..%zu", b);
  work_series(run->work, SERIES_COVARIANCE, columns, b);
  work_rows(run->work, payload ? run->payload.covariance : run->arm.estimate.covariance, b);
}

static void hash_robot(struct run *run)
{
  unsigned char hash[crypto_hash_sha256_BYTES];
  struct buffer text = BUFFER(LIMIT_MODEL_BODY);
  robot_encode(run->work->robot, &text);
  crypto_hash_sha256(hash, (const unsigned char *)(text.data ? text.data : ""), text.length);
  sodium_bin2hex(run->robot_sha256, sizeof run->robot_sha256, hash, sizeof hash);
  buffer_release(&text);
}

static void send_result(struct run *run)
{
  struct identification_result *result = &run->result;
  struct buffer document = BUFFER(LIMIT_FRAME);
  gather_warnings(run);
  hash_robot(run);
  send_covariance(run);
  result->robot = run->work->robot;
  result->robot_sha256 = run->robot_sha256;
  result->request = &run->request;
  result->request_text = run->work->request;
  result->identified = held_friction_told(&run->held, armdyn_robot_description(run->arm.robot));
  if (!result->identified) {
    work_out_of_memory(run->work);
    return;
  }
  if (run->held.known) result->held = run->held.joints;
  result->unknowns = run->arm.unknowns;
  result->choices = run->arm.chosen ? run->arm.choices : NULL;
  result->estimate = &run->arm.estimate;
  result->stribeck_deviation = run->arm.stribeck.covariance ? run->arm.stribeck.deviation : NULL;
  if (run->request.identify == IDENTIFY_PAYLOAD) result->payload = &run->payload;
  result->data = run->logs.data;
  result->data_count = run->logs.count;
  result->warnings = run->warnings;
  identification_result_encode(result, &document);
  work_result(run->work, &document);
  buffer_release(&document);
}

static void compute(struct work *work, struct armdyn_robot *robot, void *context)
{
  struct run *run = context;
  run->work = work;
  run->model = run->given = robot;
  run->n = work->robot->joint_count;
  struct armdyn_error error = { "", "" };
  work_progress(run->work, 0, "opening the data sets");
  enum armdyn_status status = open_data(run, &error);
  if (status) {
    work_refused(run->work, status, &error);
    return;
  }
  status = conditioning_choose(&run->request.conditioning, run->logs.motions, run->training_count, &run->conditioning,
                               &run->result.conditioning, &error);
  if (!status) status = coupled_motors_open(&run->request, run->model, &run->gears, &error);
  if (!status) status = choose_signals(run, &error);
  if (!status) status = estimate(run, &error);
  if (!status && run->request.test_filters) status = test_filters(run, &error);
  const struct identification_errors_order order = {
    .work = run->work,
    .unknowns = run->arm.unknowns,
    .beta = run->payload_beta ? run->payload_beta : run->arm.estimate.beta,
    .known = run->held.known,
    .loads = run->loads.loads,
    .gears = run->gears,
    .conditioning = &run->conditioning,
    .motions = run->logs.motions,
    .data = run->logs.data,
    .data_count = run->judged_count,
    .joint_count = run->n,
  };
  if (!status) status = identification_errors_compute(&order, &run->result, &error);
  if (status)
    refuse_estimate(run, status, &error);
  else
    send_result(run);
}

JOB_REQUEST(struct run, identification_request_decode)

static size_t sources(const void *context, struct job_source *list)
{
  const struct run *run = context;
  return held_friction_source(run->request.friction_from, list);
}

static void release(void *context)
{
  struct run *run = context;
  instruments_release(&run->instruments);
  signals_release(&run->signals);
  opened_logs_release(&run->logs);
  held_friction_release(&run->held);
  dataset_loads_release(&run->loads);
  armdyn_gears_free(run->gears);
  arm_estimate_release(&run->arm);
  free(run->payload_beta);
  armdyn_log_stream_free(run->stream);
}

static const struct sample_field fields[] = {
  { "t", 1 }, { "dataset", 1 }, { "measured", PER_JOINT }, { "filtered", PER_JOINT }, { "predicted", PER_JOINT }
};
static const struct series_form samples = { .fields = fields, .field_count = sizeof fields / sizeof *fields };

const struct job_kind identification_kind = {
  .name = "identification",
  .stall_s = 1800,
  .form = &identification_form,
  .samples = &samples,
  .size = sizeof(struct run),
  .labels = offsetof(struct run, request.labels),
  .datasets = { { "datasets", offsetof(struct run, request.datasets) },
                { "validation", offsetof(struct run, request.validation) },
                { "unloaded", offsetof(struct run, request.unloaded) /* goes with one data set */ } },
  .decode = decode,
  .sources = sources,
  .compute = compute,
  .release = release,
};
