/* Studies of identifications: the identified arm is simulated on its own motion, with noise like that which it left, and
 * identified again and again; how often do the stated deviations hold? */
#include "api/codec/identification_study.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>

#include "server/work/arm_estimate.h"
#include "server/work/conditioning.h"
#include "server/work/dataset_loads.h"
#include "server/work/instruments.h"
#include "server/work/kinds.h"
#include "server/work/lineage.h"
#include "server/work/named_result.h"
#include "server/work/simulated_logs.h"
#include "server/work/training_data.h"

enum { WARNINGS = 64 };

/* What is told of a parameter: a share that a right one would have once in some thousand, a bias as rare and not small. */
static const double SURE = 0.999, BIAS_ERRORS = 4, BIAS_OF_STD = 0.5;

/* Everything that one job needs, so that one exit releases it. */
struct run {
  struct work *work;
  struct identification_study_request request;
  struct identification_request asked; /* of the identification */
  struct armdyn_robot_description *model;
  struct armdyn_robot *robot;
  struct opened_logs logs;
  struct armdyn_conditioning conditioning;
  struct held_friction held;
  struct dataset_loads loads;     /* of the data */
  struct instruments instruments; /* of the data, or a loop */
  struct arm_estimate truth;
  struct simulated_logs simulated;
  struct armdyn_study *study;
  struct identification_study_result result;
  bool used_velocities; /* the identification did */
  size_t repetition;    /* that goes on, 1 .. */
  struct armdyn_error first_failure;
  struct identification_warning warnings[WARNINGS];
  char told[WARNINGS][320];
};

/* -- the identification -- */

static const char pointer[] = "/identification";

static enum armdyn_status refuse_identification(struct armdyn_error *error, const char *detail)
{
  return armdyn_refuse(error, ARMDYN_EINPUT, pointer, "%s", detail);
}

static enum armdyn_status read_request(struct run *run, const cJSON *tree, struct armdyn_error *error)
{
  struct buffer text = BUFFER(LIMIT_FRAME);
  struct json_writer w = { .out = &text };
  document_write(&w, document_at(tree, "request"));
  enum armdyn_status status = buffer_ok(&text)
                                  ? identification_request_decode(text.data, text.length, run->model, &run->asked, NULL)
                                  : text.failure;
  buffer_release(&text);
  if (!run->asked.conditioning.has_torque_delay) { /* as they were found then, if they were */
    struct identification_conditioning *c = &run->asked.conditioning;
    c->torque_delay_count =
        document_numbers(tree, "conditioning/torque_delay", c->torque_delay, run->model->joint_count);
    c->has_torque_delay = c->torque_delay_count > 0;
    if (c->has_torque_delay) c->trim = document_number(tree, "conditioning/trim");
  }
  if (run->asked.find_cutoffs) {
    struct identification_conditioning *c = &run->asked.conditioning;
    c->position_cutoff_hz = document_number(tree, "conditioning/position_cutoff_hz");
    c->torque_cutoff_hz = document_number(tree, "conditioning/torque_cutoff_hz");
    c->trim = document_number(tree, "conditioning/trim");
  }
  const cJSON *set, *joint;
  cJSON_ArrayForEach (set, document_at(tree, "velocities"))
    cJSON_ArrayForEach (joint, document_at(set, "joints"))
      run->used_velocities = run->used_velocities || document_truth(joint, "used");
  if (!status && run->asked.identify == IDENTIFY_PAYLOAD)
    status = refuse_identification(error, "is of a payload; a study is of an arm's identification");
  return status;
}

/* What was asked then, and the revision that it began with. */
static enum armdyn_status read_identification(struct run *run, struct armdyn_error *error)
{
  struct store *store;
  struct named_result found;
  enum armdyn_status status = work_store(run->work, &store);
  if (!status)
    status = named_result_open(run->work, "identification", run->request.identification, pointer, &found, error);
  if (status) return status;
  run->model = calloc(1, sizeof *run->model);
  status = run->model ? lineage_revision_read(store, run->work->robot->name, found.revision, run->model, NULL)
                      : ARMDYN_EMEMORY;
  if (status == ARMDYN_ENOTFOUND) status = refuse_identification(error, "began with a revision that is gone");
  if (!status) status = read_request(run, found.document, error);
  if (!status) status = armdyn_robot_new(run->model, &run->robot, error);
  run->result.revision = found.revision;
  named_result_close(&found);
  if (!status) run->work->robot = run->model; /* what its data are read for */
  return status;
}

static enum armdyn_status open_data(struct run *run, struct armdyn_error *error)
{
  const double fraction = run->asked.validation_fraction;
  const struct listed_logs listed = { &run->asked.datasets, "identification", IDENTIFICATION_TRAINING, 0,
                                      isnan(fraction) ? 1 : 1 - fraction };
  struct store *store;
  enum armdyn_status status = work_store(run->work, &store);
  if (!status) status = opened_logs_open(store, &listed, run->model, &run->logs, error);
  if (status) return status;
  return conditioning_choose(&run->asked.conditioning, run->logs.motions, run->logs.count, &run->conditioning,
                             &run->result.conditioning, error);
}

/* -- identifying, the first time and again -- */

static bool go_on(void *context)
{
  struct run *run = context;
  char sentence[96];
  const double done = (double)run->repetition / (double)(run->request.repetitions + 1);
  if (run->repetition)
    snprintf(sentence, sizeof sentence, "simulated run %zu of %lld", run->repetition,
             (long long)run->request.repetitions);
  else
    snprintf(sentence, sizeof sentence, "identifying what is simulated");
  work_progress(run->work, done, sentence);
  return false; /* to cancel is to kill */
}

static void go_on_trying(void *context, size_t trial, size_t trials)
{
  (void)trial, (void)trials;
  go_on(context);
}

/* What columns are compared with; NULL: not that. */
struct compared {
  const struct armdyn_known_loop *loop;
  const struct armdyn_source *instruments;
};

/* With the settings of the request; friction that it holds is taken off.
 *   trained  out  what it was identified from; as long as the stream */
static enum armdyn_status identify(struct run *run, struct armdyn_log_stream *stream, const struct compared *compared,
                                   struct arm_estimate *arm, struct armdyn_source *trained, struct armdyn_error *error)
{
  struct arm_order order = {
    .request = &run->asked,
    .given = run->robot,
    .held = run->held.which,
    .source = trained,
    .loop = compared->loop,
    .instruments = compared->instruments,
    .trying = go_on_trying,
    .refining = go_on_trying,
    .cancelled = go_on,
    .context = run,
  };
  if (armdyn_friction_at_motors(run->robot))
    return armdyn_refuse(error, ARMDYN_EINPUT, "/identification",
                         "is of a model with friction at coupled motors (transmission/friction \"motors\"), whose logs "
                         "studies do not simulate");
  enum armdyn_status status = training_data_exclude(&run->asked, &run->logs, stream, error);
  if (status) return status;
  *trained = armdyn_log_stream_source(stream);
  if (!run->repetition) { /* what is simulated carries what the model does */
    status = dataset_loads_open(run->robot, &run->logs, run->logs.count, &run->loads, error);
    if (!status) status = dataset_loads_take_off(&run->loads, &run->asked, run->robot, trained, error);
    if (status) return status;
  }
  if (run->held.known) {
    const struct armdyn_source whole = *trained;
    order.given = armdyn_known_friction_bare(run->held.known);
    *trained = armdyn_known_friction_source(run->held.known, &whole);
  }
  go_on(run);
  status = arm_unknowns(&order, arm, error);
  return status ? status : arm_estimate(&order, arm, error);
}

/* Of estimators that have it; a loop that only a test of the filters knows changes nothing of what is studied. */
static enum armdyn_status open_instruments(struct run *run, struct armdyn_error *error)
{
  const struct filtered_path_order order = { &run->asked, run->robot, &run->conditioning, &run->logs, run->logs.count };
  if (run->asked.estimator != ARMDYN_IV && run->asked.estimator != ARMDYN_DIDIM) return ARMDYN_OK;
  return instruments_open(run->work, &order, false, &run->instruments, error);
}

static enum armdyn_status make_truth(struct run *run, struct armdyn_error *error)
{
  struct armdyn_log_stream *stream = NULL;
  struct armdyn_source trained;
  enum armdyn_status status = held_friction_open(run->work, run->asked.friction_from, run->robot, &run->held, error);
  if (!status) status = opened_logs_stream(&run->logs, run->logs.count, &run->conditioning, &stream, error);
  if (!status) status = open_instruments(run, error);
  const struct compared compared = { run->instruments.loop, run->instruments.source };
  if (!status) status = identify(run, stream, &compared, &run->truth, &trained, error);
  const struct simulated_truth truth = {
    .unknowns = run->truth.unknowns,
    .beta = run->truth.estimate.beta,
    .known = run->held.known,
    .loop = compared.loop ? &run->instruments.logged : NULL,
    .robot = run->truth.robot,
    .in_loop = arm_in_loop(&run->truth),
    .conditioning = &run->conditioning,
    .data = &run->logs,
    .data_count = run->logs.count,
    .trained = &trained,
    .position_noise = run->request.position_noise,
  };
  if (!status) status = simulated_logs_make(&truth, &run->simulated, error);
  armdyn_log_stream_free(stream);
  return status ? status : armdyn_study_new(truth.unknowns, truth.beta, &run->study);
}

static enum armdyn_status simulated_stream(struct run *run, struct armdyn_log_reader reader(struct simulated_log *log),
                                           double position_cutoff, struct armdyn_log_stream **stream,
                                           struct armdyn_error *error)
{
  struct armdyn_log_reader readers[LIMIT_DATASETS];
  struct armdyn_conditioning conditioning = run->conditioning;
  conditioning.position_cutoff = position_cutoff;
  memset(conditioning.torque_delay, 0, sizeof conditioning.torque_delay); /* simulated torques are in time */
  for (size_t i = 0; i < run->simulated.count; i++) readers[i] = reader(&run->simulated.logs[i]);
  return armdyn_log_stream_new(run->model->joint_count, readers, run->simulated.count, &conditioning, stream, error);
}

/* As the identification has it: the reference of the simulated loop, or the simulated path through the other filter.
 *   stream  out  NULL: the estimator compares with nothing */
static enum armdyn_status second_stream(struct run *run, struct armdyn_log_stream **stream, struct armdyn_error *error)
{
  const double own = run->conditioning.position_cutoff, other = run->instruments.told.cutoff;
  enum armdyn_status status = ARMDYN_OK;
  if (run->instruments.loop)
    status = simulated_stream(run, simulated_reference_reader, own, stream, error);
  else if (run->instruments.source)
    status = simulated_stream(run, simulated_log_reader, other, stream, error);
  return status || !*stream ? status : training_data_exclude(&run->asked, &run->logs, *stream, error);
}

/* A run that finds nothing counts, too. */
static enum armdyn_status repeat(struct run *run, struct armdyn_error *error)
{
  struct arm_estimate *arm = calloc(1, sizeof *arm);
  struct armdyn_log_stream *stream = NULL, *second = NULL;
  struct armdyn_source trained, other = { 0 };
  enum armdyn_status status =
      arm ? simulated_logs_draw(&run->simulated, (uint64_t)run->request.seed, run->repetition) : ARMDYN_EMEMORY;
  if (!status) status = simulated_stream(run, simulated_log_reader, run->conditioning.position_cutoff, &stream, error);
  if (!status) status = second_stream(run, &second, error);
  if (second) other = armdyn_log_stream_source(second);
  const struct armdyn_known_loop loop = { run->asked.loop.kp, run->asked.loop.kd, &other };
  const struct compared compared = { run->instruments.loop ? &loop : NULL, run->instruments.source ? &other : NULL };
  if (!status) status = identify(run, stream, &compared, arm, &trained, error);
  if (!status) status = armdyn_study_add(run->study, arm->unknowns, &arm->estimate);
  if (!status) {
    run->result.completed++;
    run->result.other_terms += memcmp(arm->terms, run->truth.terms, sizeof arm->terms) != 0;
  } else if (status == ARMDYN_EINPUT || status == ARMDYN_ESINGULAR) {
    if (!run->result.failed++) run->first_failure = *error;
    status = ARMDYN_OK;
  }
  if (arm) arm_estimate_release(arm);
  free(arm);
  armdyn_log_stream_free(stream);
  armdyn_log_stream_free(second);
  return status;
}

/* -- the result -- */

static void warn(struct run *run, const char *code, const char *detail)
{
  const size_t at = run->result.warning_count;
  if (at == WARNINGS) return;
  snprintf(run->told[at], sizeof run->told[at], "%s", detail);
  run->warnings[run->result.warning_count++] = (struct identification_warning){ code, NULL, run->told[at] };
}

static void warn_of_parameter(struct run *run, size_t k)
{
  const struct armdyn_study_parameter p = armdyn_study_parameter(run->study, k);
  const size_t judged = p.runs - p.at_bound, within = p.within[ARMDYN_WITHIN_95];
  const struct armdyn_share share = armdyn_binomial_share(within, judged, SURE);
  char name[64], detail[320];
  armdyn_base_parameter_text(armdyn_unknowns_base(run->truth.unknowns), k, name, sizeof name);
  if (share.high < armdyn_study_shares[ARMDYN_WITHIN_95]) {
    snprintf(
        detail, sizeof detail,
        "%s: %zu of %zu runs have the truth within 1.96 deviations, where 95 %% should; it spreads by %.3g, and %.3g "
        "is stated",
        name, within, judged, p.spread, p.stated);
    warn(run, "deviation_small", detail);
  }
  if (fabs(p.bias) > BIAS_ERRORS * p.bias_error && fabs(p.bias) > BIAS_OF_STD * p.stated) {
    snprintf(detail, sizeof detail, "%s is found %.3g off the truth in the mean, where %.3g is stated as deviation",
             name, p.bias, p.stated);
    warn(run, "biased", detail);
  }
}

static void gather_warnings(struct run *run)
{
  char detail[320];
  if (run->used_velocities)
    warn(run, "velocities_unused",
         "the identification used velocities that were logged; a study simulates positions, whose changes both the "
         "truth "
         "and the runs are made of");
  if (run->result.failed) {
    snprintf(detail, sizeof detail, "%zu of %lld simulated runs found nothing, the first because: %.200s",
             run->result.failed, (long long)run->request.repetitions, run->first_failure.message);
    warn(run, "runs_failed", detail);
  }
  if (run->result.other_terms) {
    snprintf(
        detail, sizeof detail,
        "%zu of %zu simulated runs chose other terms of friction than are simulated; parameters that a run does not "
        "have are counted less often",
        run->result.other_terms, run->result.completed);
    warn(run, "terms_vary", detail);
  }
  const size_t count = armdyn_base_parameter_count(armdyn_unknowns_base(run->truth.unknowns));
  for (size_t k = 0; k < count; k++) warn_of_parameter(run, k);
}

static void send_result(struct run *run)
{
  struct buffer document = BUFFER(LIMIT_FRAME);
  struct identification_study_result *result = &run->result;
  gather_warnings(run);
  result->robot = run->model;
  result->request = &run->request;
  result->request_text = run->work->request;
  result->estimator = identification_estimators[run->asked.estimator];
  result->data = run->logs.data;
  result->data_count = run->logs.count;
  for (size_t i = 0; i < run->simulated.count; i++) result->samples += run->simulated.logs[i].count;
  result->noise = run->simulated.of_torques;
  result->in_loop = run->instruments.loop;
  memcpy(result->position_deviation, run->simulated.position_deviation, sizeof result->position_deviation);
  result->unknowns = run->truth.unknowns;
  result->study = run->study;
  result->warnings = run->warnings;
  identification_study_result_encode(result, &document);
  work_result(run->work, &document);
  buffer_release(&document);
}

static void compute(struct work *work, struct armdyn_robot *robot, void *context)
{
  struct run *run = context;
  struct armdyn_error error = { "", "" };
  const struct armdyn_robot_description *asked_with = work->robot; /* another revision, maybe */
  (void)robot;
  run->work = work;
  work_progress(work, 0, "opening the data sets");
  enum armdyn_status status = read_identification(run, &error);
  if (!status) status = open_data(run, &error);
  if (!status) status = make_truth(run, &error);
  for (run->repetition = 1; !status && run->repetition <= (size_t)run->request.repetitions; run->repetition++)
    status = repeat(run, &error);
  if (!status && !run->result.completed)
    status = armdyn_refuse(&error, ARMDYN_EINPUT, "/identification", "no simulated run of it found anything: %.180s",
                           run->first_failure.message);
  if (status)
    work_refused(work, status, &error);
  else
    send_result(run);
  work->robot = asked_with;
}

JOB_REQUEST(struct run, identification_study_request_decode)

static size_t sources(const void *context, struct job_source *list)
{
  const struct run *run = context;
  return named_result_source("identification", run->request.identification, pointer, list);
}

static void release(void *context)
{
  struct run *run = context;
  armdyn_study_free(run->study);
  simulated_logs_release(&run->simulated);
  arm_estimate_release(&run->truth);
  held_friction_release(&run->held);
  dataset_loads_release(&run->loads);
  instruments_release(&run->instruments);
  opened_logs_release(&run->logs);
  armdyn_robot_free(run->robot);
  free(run->model);
}

const struct job_kind identification_study_kind = {
  .name = "identification_study",
  .stall_s = 1800,
  .form = &identification_study_form,
  .size = sizeof(struct run),
  .labels = offsetof(struct run, request.labels),
  .decode = decode,
  .sources = sources,
  .compute = compute,
  .release = release,
};
