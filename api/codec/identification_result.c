/* The document of an identification. */
#include "api/codec/friction_selection.h"
#include "api/codec/identification.h"
#include "api/codec/parts.h"
#include "armdyn/armdyn.h"

static const char *const roles[] = { "training", "validation", "unloaded" };
static const char *const subjects[] = { "arm", "payload" };

/* -- velocities, delays and gains -- */

static void encode_velocity(struct json_writer *w, const char *joint, bool used, const struct armdyn_logged_velocity *v)
{
  static const char *const verdicts[ARMDYN_VELOCITY_VERDICTS] = { "agrees", "rests", "unlike", "gain",
                                                                  "offset", "late",  "noisy" };
  json_begin_object(w);
  json_member_text(w, "joint", joint);
  json_key(w, "used"), json_write_truth(w, used);
  json_member_text(w, "verdict", verdicts[v->verdict]);
  json_member_number(w, "gain", v->gain);
  json_member_number(w, "gain_std", v->gain_deviation);
  json_member_number(w, "delay", v->delay);
  json_member_number(w, "delay_std", v->delay_deviation);
  json_member_number(w, "delay_harmless", v->latest);
  json_member_number(w, "offset", v->offset);
  json_member_number(w, "noise", v->noise);
  json_end_object(w);
}

static void encode_velocities(struct json_writer *w, const struct identification_result *result)
{
  if (!result->velocities) return;
  json_key(w, "velocities"), json_begin_array(w);
  for (size_t i = 0; i < result->data_count; i++) {
    const struct identification_velocity *of = &result->velocities[i];
    if (!of->has) continue;
    json_begin_object(w);
    json_member_text(w, "dataset", result->data[i].id);
    json_key(w, "joints"), json_begin_array(w);
    for (size_t j = 0; j < result->robot->joint_count; j++)
      encode_velocity(w, result->robot->joints[j].name, of->used[j], &of->found[j]);
    json_end_array(w);
    json_end_object(w);
  }
  json_end_array(w);
}

static void encode_delays(struct json_writer *w, const struct identification_result *result)
{
  if (!result->delays) return;
  json_key(w, "torque_delays"), json_begin_array(w);
  for (size_t j = 0; j < result->robot->joint_count; j++) {
    const struct identification_delay *delay = &result->delays[j];
    json_begin_object(w);
    json_member_text(w, "joint", result->robot->joints[j].name);
    json_member_number(w, "delay", delay->found.delay);
    json_member_number(w, "std", delay->found.deviation);
    json_key(w, "compensated"), json_write_truth(w, delay->compensated);
    json_end_object(w);
  }
  json_end_array(w);
}

/* -- filters -- */

static void encode_cutoffs(struct json_writer *w, const struct identification_result *result)
{
  const struct identification_cutoffs *cutoffs = &result->cutoffs;
  if (!cutoffs->asked) return;
  json_key(w, "cutoffs"), json_begin_array(w);
  for (size_t k = 0; k < cutoffs->count; k++) {
    json_begin_object(w);
    json_member_number(w, "position_cutoff_hz", cutoffs->tried[k].position);
    json_member_number(w, "torque_cutoff_hz", cutoffs->tried[k].torque);
    json_member_number(w, "error", cutoffs->tried[k].error);
    json_member_number(w, "gain", cutoffs->tried[k].gain);
    json_key(w, "chosen"), json_write_truth(w, k == cutoffs->chosen);
    json_end_object(w);
  }
  json_end_array(w);
}

static const double SIZE_OF_TEST = 0.05;

static const char *instruments_named(double cutoff)
{
  return isnan(cutoff) ? "simulated_loop" : "filtered_path";
}

static void encode_instruments(struct json_writer *w, const struct identification_result *result)
{
  if (!result->instruments.asked) return;
  json_key(w, "instruments"), json_begin_object(w);
  json_member_text(w, "from", instruments_named(result->instruments.cutoff));
  json_member_number(w, "cutoff_hz", result->instruments.cutoff);
  json_end_object(w);
}

static void encode_filter_test(struct json_writer *w, const struct identification_result *result)
{
  const struct armdyn_filter_test *found = &result->filter_test.found;
  if (!result->filter_test.asked) return;
  json_key(w, "filter_test"), json_begin_object(w);
  json_member_text(w, "instruments", instruments_named(result->filter_test.instrument_cutoff));
  json_member_number(w, "instrument_cutoff_hz", result->filter_test.instrument_cutoff);
  json_key(w, "samples"), json_write_integer(w, (long long)found->samples);
  json_member_number(w, "f", found->statistic);
  json_member_number(w, "numerator", found->numerator);
  json_member_number(w, "denominator", found->denominator);
  json_member_number(w, "p", found->p);
  json_key(w, "rejected"), json_write_truth(w, found->p < SIZE_OF_TEST);
  json_key(w, "joints"), json_begin_array(w);
  for (size_t j = 0; j < result->robot->joint_count; j++) {
    json_begin_object(w);
    json_member_text(w, "joint", result->robot->joints[j].name);
    json_member_number(w, "t", found->t[j]);
    json_end_object(w);
  }
  json_end_array(w);
  json_end_object(w);
}

static void encode_gains(struct json_writer *w, const struct identification_result *result)
{
  if (!result->gains) return;
  json_key(w, "drive_gains"), json_begin_array(w);
  for (size_t j = 0; j < result->robot->joint_count; j++) {
    const struct identification_gain *gain = &result->gains[j];
    json_begin_object(w);
    json_member_text(w, "joint", result->robot->joints[j].name);
    json_member_number(w, "gain", gain->found.gain);
    json_member_number(w, "std", gain->found.deviation);
    json_key(w, "applied"), json_write_truth(w, gain->applied);
    json_end_object(w);
  }
  json_end_array(w);
}

/* -- the simulated loop -- */

static void encode_closed_loop(struct json_writer *w, const struct identification_result *result)
{
  const struct armdyn_closed_loop *told = result->closed_loop;
  if (!told) return;
  json_key(w, "closed_loop"), json_begin_object(w);
  json_key(w, "rounds"), json_write_integer(w, (long long)told->rounds);
  json_key(w, "settled"), json_write_truth(w, told->settled);
  json_key(w, "joints"), json_begin_array(w);
  for (size_t j = 0; j < result->robot->joint_count; j++) {
    json_begin_object(w);
    json_member_text(w, "joint", result->robot->joints[j].name);
    json_member_number(w, "path_rms", told->path[j]);
    json_end_object(w);
  }
  json_end_array(w);
  json_end_object(w);
}

/* -- errors and residuals -- */

static void encode_fit(struct json_writer *w, const struct armdyn_fit *fit)
{
  json_member_number(w, "relative_percent", 100 * fit->relative);
  json_member_number(w, "rms", fit->rms);
  json_member_number(w, "nrmse_percent", 100 * fit->nrmse);
  json_member_number(w, "r2", fit->r2);
  json_member_number(w, "max", fit->max);
}

static void encode_fits(struct json_writer *w, const char *name, const struct armdyn_fit *together,
                        const struct armdyn_fit *joints, size_t count)
{
  json_key(w, name), json_begin_object(w);
  encode_fit(w, together);
  json_key(w, "joints"), json_begin_array(w);
  for (size_t j = 0; j < count; j++) {
    json_begin_object(w);
    encode_fit(w, &joints[j]);
    json_end_object(w);
  }
  json_end_array(w);
  json_end_object(w);
}

static const char *const comparisons[COMPARISONS] = { "filtered", "raw", "parallel" };

void identification_errors_encode(struct json_writer *w, const struct identification_errors *errors, size_t joints)
{
  if (!errors->known) {
    json_write_null(w);
    return;
  }
  json_begin_object(w);
  json_key(w, "samples"), json_write_integer(w, (long long)errors->samples);
  for (int c = 0; c < COMPARISONS; c++) encode_fits(w, comparisons[c], &errors->together[c], errors->joints[c], joints);
  json_end_object(w);
}

void identification_residuals_encode(struct json_writer *w, const struct identification_residuals *residuals,
                                     size_t joints)
{
  json_begin_object(w);
  json_member_text(w, "of", roles[residuals->role]);
  json_key(w, "spectrum"), json_begin_object(w);
  json_key(w, "frequency_hz"), json_write_numbers(w, residuals->frequency, residuals->lines);
  json_key(w, "joints"), json_begin_array(w);
  for (size_t j = 0; j < joints; j++) json_write_numbers(w, residuals->density[j], residuals->lines);
  json_end_array(w);
  json_end_object(w);
  json_key(w, "histograms"), json_begin_array(w);
  for (size_t j = 0; j < joints; j++) {
    json_begin_object(w);
    json_member_number(w, "range", residuals->range[j]);
    json_key(w, "counts"), json_begin_array(w);
    for (size_t b = 0; b < RESIDUAL_BINS; b++) json_write_integer(w, residuals->counts[j][b]);
    json_end_array(w);
    json_end_object(w);
  }
  json_end_array(w);
  json_end_object(w);
}

/* -- the rest -- */

static void encode_consistency(struct json_writer *w, const struct identification_result *result)
{
  bool all = result->payload ? result->payload->physical : true;
  const size_t links = result->payload ? 0 : result->robot->joint_count;
  for (size_t j = 0; j < links; j++) all = all && result->estimate->physical[j];
  json_key(w, "physically_consistent"), json_write_truth(w, all);
  json_key(w, "links"), json_begin_array(w);
  for (size_t j = 0; j < links; j++) {
    json_begin_object(w);
    json_member_text(w, "joint", result->robot->joints[j].name);
    json_key(w, "physically_consistent"), json_write_truth(w, result->estimate->physical[j]);
    json_end_object(w);
  }
  json_end_array(w);
}

/* other: name of the joint that it is told with; NULL: of none */
static void encode_lack(struct json_writer *w, const char *name, const struct armdyn_lack_of_fit *lack,
                        const char *other)
{
  json_key(w, name), json_begin_object(w);
  json_member_number(w, "f", lack->f);
  json_member_number(w, "p", lack->p);
  json_key(w, "bins"), json_write_integer(w, (long long)lack->bins);
  json_key(w, "passes"), json_write_integer(w, (long long)lack->passes);
  if (other && isfinite(lack->f)) json_member_text(w, "joint", other);
  if (isnan(lack->f)) json_member_text(w, "reason", "fewer than 8 bins that the joint passes 3 times or more");
  json_end_object(w);
}

/* As `exclude` of another request takes them. */
static void encode_events(struct json_writer *w, const struct identification_result *result)
{
  json_key(w, "events"), json_begin_array(w);
  for (size_t k = 0; k < result->estimate->event_count; k++) {
    const struct armdyn_log_window *event = &result->estimate->events[k];
    json_begin_object(w);
    json_member_text(w, "dataset", result->data[event->log].id); /* what is trained on comes first */
    json_member_number(w, "from", event->from);
    json_member_number(w, "to", event->to);
    json_end_object(w);
  }
  json_end_array(w);
}

static void encode_lack_of_fit(struct json_writer *w, const struct identification_result *result)
{
  json_key(w, "lack_of_fit"), json_begin_array(w);
  for (size_t j = 0; j < result->robot->joint_count; j++) {
    const struct armdyn_lack_of_fit *lacks = result->estimate->lack_of_fit + j * ARMDYN_LACKS;
    json_begin_object(w);
    json_member_text(w, "joint", result->robot->joints[j].name);
    encode_lack(w, "velocity", &lacks[ARMDYN_LACK_OVER_VELOCITY], NULL);
    encode_lack(w, "position", &lacks[ARMDYN_LACK_OVER_POSITION], NULL);
    const struct armdyn_lack_of_fit *others = &lacks[ARMDYN_LACK_OVER_OTHERS];
    encode_lack(w, "others", others, result->robot->joints[others->other].name);
    bool lacking = false;
    for (int over = 0; over < ARMDYN_LACKS; over++) lacking = lacking || armdyn_lacks_fit(&lacks[over]);
    json_key(w, "noise_only"), json_write_truth(w, lacking);
    json_end_object(w);
  }
  json_end_array(w);
}

void identification_data_encode(struct json_writer *w, const struct identification_data *data, size_t count)
{
  json_begin_array(w);
  for (size_t i = 0; i < count; i++) {
    json_begin_object(w);
    json_member_text(w, "id", data[i].id);
    json_member_text(w, "label", data[i].label ? data[i].label : "");
    json_member_text(w, "sha256", data[i].sha256);
    json_key(w, "samples"), json_write_integer(w, data[i].samples);
    json_end_object(w);
  }
  json_end_array(w);
}

/* Base parameters that the data do not tell. */
static size_t count_open(const struct armdyn_estimate *estimate)
{
  size_t count = 0;
  for (size_t i = 0; i < estimate->warnings.count; i++)
    count += estimate->warnings.list[i].code == ARMDYN_WARNING_RANK_DEFICIENT;
  return count;
}

/* How the prior's strength was chosen. */
static void encode_prior(struct json_writer *w, const struct armdyn_estimate *estimate)
{
  json_key(w, "prior"), json_begin_object(w);
  json_member_number(w, "strength", estimate->prior_strength);
  json_key(w, "cross_validation"), json_begin_array(w);
  for (size_t i = 0; i < ARMDYN_STRENGTHS && estimate->curve[i].strength > 0; i++) {
    json_begin_object(w);
    json_member_number(w, "strength", estimate->curve[i].strength);
    json_member_number(w, "relative_percent", 100 * estimate->curve[i].error);
    json_end_object(w);
  }
  json_end_array(w);
  json_end_object(w);
}

void identification_warnings_encode(struct json_writer *w, const struct identification_warning *warnings, size_t count)
{
  json_key(w, "warnings"), json_begin_array(w);
  for (size_t i = 0; i < count; i++) {
    json_begin_object(w);
    json_member_text(w, "code", warnings[i].code);
    if (warnings[i].joint) json_member_text(w, "joint", warnings[i].joint);
    json_member_text(w, "detail", warnings[i].detail);
    json_end_object(w);
  }
  json_end_array(w);
}

static void encode_ids(struct json_writer *w, const char *name, const struct identification_result *result,
                       enum identification_role role)
{
  json_key(w, name), json_begin_array(w);
  for (size_t i = 0; i < result->data_count; i++)
    if (result->data[i].role == role) json_write_text(w, result->data[i].id);
  json_end_array(w);
}

static void encode_provenance(struct json_writer *w, const struct identification_result *result)
{
  json_key(w, "provenance"), json_begin_object(w);
  json_member_text(w, "program", "armdyn");
  json_member_text(w, "version", armdyn_version());
  json_member_text(w, "robot_sha256", result->robot_sha256);
  json_key(w, "seed"), json_write_integer(w, result->request->seed);
  json_key(w, "datasets"), json_begin_array(w);
  for (size_t i = 0; i < result->data_count; i++) {
    const struct identification_data *data = &result->data[i];
    json_begin_object(w);
    json_member_text(w, "id", data->id);
    json_member_text(w, "label", data->label);
    json_member_text(w, "role", roles[data->role]);
    json_key(w, "samples"), json_write_integer(w, data->samples);
    json_member_text(w, "sha256", data->sha256);
    json_end_object(w);
  }
  json_end_array(w);
  json_end_object(w);
}

void identification_result_encode(const struct identification_result *result, struct buffer *out)
{
  struct json_writer w = { .out = out };
  const struct armdyn_estimate *estimate = result->estimate;
  const struct armdyn_payload_estimate *payload = result->payload;
  const size_t n = result->robot->joint_count;
  const size_t count = payload ? 10 : armdyn_base_parameter_count(armdyn_unknowns_base(result->unknowns));
  json_begin_object(&w);
  json_member_text(&w, "identify", subjects[result->request->identify]);
  json_member_text(&w, "estimator", identification_estimators[result->request->estimator]);
  encode_ids(&w, "datasets", result, IDENTIFICATION_TRAINING);
  encode_ids(&w, "validation", result, IDENTIFICATION_VALIDATION);
  json_key(&w, "training_samples"), json_write_integer(&w, (long long)result->errors[0].samples);
  json_member_number(&w, "condition_number", payload ? payload->condition : estimate->condition);
  json_key(&w, "base_parameter_count"), json_write_integer(&w, (long long)count);
  json_key(&w, "rank"), json_write_integer(&w, (long long)(payload ? payload->rank : count - count_open(estimate)));
  json_key(&w, "rounds"), json_write_integer(&w, (long long)(payload ? payload->rounds : estimate->rounds));
  json_key(&w, "conditioning"), json_encode_object(&w, &identification_conditioning_type, &result->conditioning, NULL);
  encode_velocities(&w, result);
  encode_delays(&w, result);
  encode_cutoffs(&w, result);
  encode_instruments(&w, result);
  encode_filter_test(&w, result);
  encode_closed_loop(&w, result);
  encode_gains(&w, result);
  identification_weighed_encode(&w, result);
  json_key(&w, "errors"), json_begin_object(&w);
  for (int role = 0; role < IDENTIFICATION_ROLES; role++) {
    json_key(&w, roles[role]);
    identification_errors_encode(&w, &result->errors[role], n);
  }
  json_end_object(&w);
  identification_parameters_encode(&w, result);
  if (payload) identification_payload_encode(&w, payload);
  encode_consistency(&w, result);
  if (!payload) encode_lack_of_fit(&w, result);
  if (!payload) encode_events(&w, result);
  if (result->choices) friction_selection_encode(&w, result->robot, result->choices);
  if (!payload) encode_prior(&w, estimate);
  json_key(&w, "residuals"), identification_residuals_encode(&w, &result->residuals, n);
  identification_warnings_encode(&w, result->warnings, result->warning_count);
  json_member_number(&w, "sample_rate", result->sample_rate);
  result_order_encode(&w, result->request->labels.job_order_id, result->request->labels.work_master_id,
                      result->request->labels.equipment_id);
  json_key(&w, "request"), json_write_raw(&w, result->request_text);
  encode_provenance(&w, result);
  json_end_object(&w);
}

static const struct result_metric metrics[] = {
  { "training.filtered.relative_percent", "errors/training/filtered/relative_percent" },
  { "training.raw.relative_percent", "errors/training/raw/relative_percent" },
  { "training.parallel.relative_percent", "errors/training/parallel/relative_percent" },
  { "validation.filtered.relative_percent", "errors/validation/filtered/relative_percent" },
  { "validation.raw.relative_percent", "errors/validation/raw/relative_percent" },
  { "validation.parallel.relative_percent", "errors/validation/parallel/relative_percent" },
  { "validation.raw.relative_percent.*", "errors/validation/raw/joints/*/relative_percent" },
  { "validation.raw.rms.*", "errors/validation/raw/joints/*/rms" },
  { "validation.filtered.relative_percent.*", "errors/validation/filtered/joints/*/relative_percent" },
  { "validation.filtered.rms.*", "errors/validation/filtered/joints/*/rms" },
  { "condition_number", "condition_number" },
  { "payload.mass", "payload/body/mass" },
  { "base_parameter_count", "base_parameter_count" },
  { "training_samples", "training_samples" },
};
static const char *const members[] = { "estimator", "identify", "datasets", "validation", NULL };

const struct result_form identification_form = { "identifications", metrics, sizeof metrics / sizeof *metrics,
                                                 members };
