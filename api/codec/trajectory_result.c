/* What is told of a trajectory that was computed. */
#include <math.h>

#include "api/codec/energy.h"
#include "api/codec/motion.h"

void trajectory_margin_words(const struct armdyn_robot_description *robot, const struct armdyn_margin *margin,
                             char *out, size_t size)
{
  const struct armdyn_margin *most = margin;
  for (size_t i = 0; i < ARMDYN_LIMIT_KINDS * robot->joint_count; i++)
    if (margin[i].usage > most->usage) most = &margin[i];
  if (most->usage > 0)
    snprintf(out, size, "The %s limit of joint %s is used most: %.1f %% at %.4g s.", armdyn_limit_name(most->limit),
             robot->joints[most->joint].name, 100 * most->usage, most->time);
  else
    snprintf(out, size, "No limit is in force.");
}

static void encode_energy(struct json_writer *w, const struct armdyn_motion_energy *energy, size_t joints)
{
  json_begin_object(w);
  json_member_number(w, "total", energy->positive_work);
  json_key(w, "by_cause"), json_begin_object(w);
  json_member_number(w, "kinetic", energy->kinetic);
  json_member_number(w, "gravity", energy->gravity);
  json_member_number(w, "friction", energy->friction);
  json_member_number(w, "braked", energy->braked);
  json_end_object(w);
  json_key(w, "by_joint"), json_write_numbers(w, energy->by_joint, joints);
  json_end_object(w);
}

static const double USAGE_MOST = 1 + 1e-9; /* beyond it is no rounding */
static const double WORSE = 1e-6;          /* costs that differ by less are the same */

/* -- of energy-optimal motions -- */

static double worst_usage(const struct trajectory_result *result)
{
  double worst = 0;
  for (size_t i = 0; i < ARMDYN_LIMIT_KINDS * result->robot->joint_count; i++)
    worst = fmax(worst, result->margin[i].usage);
  if (!isnan(result->request->tool_speed_max))
    worst = fmax(worst, result->tool_speed.max / result->request->tool_speed_max);
  return worst;
}

/* The status in words: what is known, and what is not. */
static void describe(const struct trajectory_result *result, char *out, size_t size)
{
  const struct trajectory_search *search = result->search;
  char words[192];
  const char *kept = worst_usage(result) > USAGE_MOST ? "A limit is exceeded a little." : "Every limit is kept.";
  trajectory_margin_words(result->robot, result->margin, words, sizeof words);
  const struct armdyn_optimal_result *found = search ? &search->found : NULL;
  if (result->fit)
    snprintf(out, size, "A spline of %zu intervals, at most %.3g off the %zu samples%s. %s %s",
             result->fit->found.intervals, result->fit->found.deviation, result->fit->samples,
             result->fit->found.at_rest ? "" : ", which does not begin and end at rest", kept, words);
  else if (!search)
    snprintf(out, size, "%s %s", kept, words);
  else if (result->shaping)
    snprintf(out, size, "The cheapest motion that was found, shaped afterwards. %s %s", kept, words);
  else if (!isnan(search->gap))
    snprintf(out, size, "No other timing of this path, on this mesh, costs less by more than a part of %.2g. %s %s",
             fmax(search->gap, 0), kept, words);
  else if (found->instead)
    snprintf(out, size, "The search found nothing cheaper than the %s, which is the answer. %s %s", found->instead,
             kept, words);
  else if (found->optimal)
    snprintf(out, size,
             "No motion near this one costs less (%zu local minim%s from %zu start%s; a better one may exist). %s %s",
             found->minimum_count, found->minimum_count == 1 ? "um" : "a", found->starts, found->starts == 1 ? "" : "s",
             kept, words);
  else
    snprintf(out, size, "The search ended before it was sure that no motion near this one costs less. %s %s", kept,
             words);
}

/* What is saved against this, in percent. */
static double saved(double ours, double theirs)
{
  return theirs > 0 ? 100 * (1 - ours / theirs) : NAN;
}

static void encode_baselines(struct json_writer *w, const struct trajectory_result *result)
{
  double electrical = result->electrical ? result->electrical->total : NAN;
  json_begin_object(w);
  for (int k = 0; k < ARMDYN_PROFILE_COUNT; k++) {
    const struct trajectory_baseline *baseline = &result->search->baselines[k];
    if (!baseline->found) continue;
    json_key(w, armdyn_profile_name((enum armdyn_profile)k)), json_begin_object(w);
    json_key(w, "feasible"), json_write_truth(w, baseline->feasible);
    json_member_number(w, "cost", baseline->cost);
    json_member_number(w, "cost_saved_percent", saved(result->search->found.cost, baseline->cost));
    json_member_number(w, "energy", baseline->energy);
    json_member_number(w, "energy_saved_percent", saved(result->energy->positive_work, baseline->energy));
    json_member_number(w, "electrical_energy", baseline->electrical);
    json_member_number(w, "electrical_energy_saved_percent", saved(electrical, baseline->electrical));
    json_end_object(w);
  }
  json_end_object(w);
}

/* -- what to know before it is played -- */

static void encode_cheaper(struct json_writer *w, const char *code, const char *profile, const char *what, double its,
                           double ours, const char *unit)
{
  char detail[320];
  snprintf(detail, sizeof detail,
           "A %s through the same points in the same time keeps the limits and %s less: %.6g instead of %.6g%s.%s",
           profile, what, its, ours, unit, *unit ? " The cost model electrical minimises what the supply gives." : "");
  json_begin_object(w);
  json_member_text(w, "code", code);
  json_key(w, "joint"), json_write_null(w);
  json_member_text(w, "detail", detail);
  json_end_object(w);
}

/* Classic profiles that are better, by the cost or by what the supply gives. */
static void encode_baseline_warnings(struct json_writer *w, const struct trajectory_result *result)
{
  const double electrical = result->electrical ? result->electrical->total : NAN, cost = result->search->found.cost;
  for (int k = 0; k < ARMDYN_PROFILE_COUNT; k++) {
    const struct trajectory_baseline *baseline = &result->search->baselines[k];
    const char *profile = armdyn_profile_name((enum armdyn_profile)k);
    if (!baseline->found || !baseline->feasible) continue;
    if (baseline->electrical < electrical - WORSE * fabs(electrical))
      encode_cheaper(w, "baseline_draws_less", profile, "draws", baseline->electrical, electrical, " J");
    if (baseline->cost < cost - WORSE * fabs(cost))
      encode_cheaper(w, "baseline_costs_less", profile, "costs", baseline->cost, cost, "");
  }
}

/* Times that were asked for as if they were milliseconds. */
static void encode_time_warnings(struct json_writer *w, const struct trajectory_request *request)
{
  const struct {
    const char *where;
    double seconds;
  } times[] = { { "/duration", request->duration },
                { "/duration_min", request->duration_min },
                { "/duration_max", request->duration_max } };
  for (size_t k = 0; k < sizeof times / sizeof *times; k++) {
    if (!(times[k].seconds > MOTION_SUSPECT_TIME)) continue; /* NAN: not given */
    json_begin_object(w);
    json_key(w, "joint"), json_write_null(w);
    motion_time_warning_encode(w, times[k].where, times[k].seconds);
    json_end_object(w);
  }
}

/* What no motion in its place could go below. */
static void encode_bound(struct json_writer *w, const struct trajectory_result *result)
{
  const struct armdyn_energy_bound *bound = result->bound;
  const bool known = bound && isfinite(bound->total);
  double gap = NAN;
  json_key(w, "lower_bound");
  if (!known) {
    json_write_null(w);
  } else {
    json_begin_object(w);
    json_member_number(w, "total", bound->total);
    json_key(w, "by_cause"), json_begin_object(w);
    json_member_number(w, "gravity", bound->gravity);
    json_member_number(w, "friction_offset", bound->offset);
    json_member_number(w, "dry_friction", bound->dry);
    json_member_number(w, "viscous_friction", bound->viscous);
    json_member_number(w, "gear", bound->gear);
    json_member_number(w, "copper", bound->copper);
    json_member_number(w, "burnt", bound->burnt);
    json_end_object(w);
    json_end_object(w);
    gap = saved(bound->total, result->electrical->total);
  }
  json_member_number(w, "gap_percent", gap);
}

/* What is known of one duration. */
static const char *alternative_status(const struct armdyn_pareto_point *point)
{
  if (point->status == ARMDYN_EINFEASIBLE) return "infeasible";
  if (point->status) return "undecided";
  return point->optimal ? "optimal" : "feasible";
}

static void encode_alternatives(struct json_writer *w, const struct trajectory_result *result)
{
  json_begin_array(w);
  for (size_t k = 0; k < result->request->duration_count; k++) {
    const struct trajectory_alternative *alternative = &result->search->alternatives[k];
    json_begin_object(w);
    json_member_number(w, "duration", alternative->point.duration);
    json_member_text(w, "status", alternative_status(&alternative->point));
    json_member_number(w, "cost", alternative->point.cost);
    json_member_number(w, "energy", alternative->energy);
    json_member_number(w, "electrical_energy", alternative->electrical);
    json_end_object(w);
  }
  json_end_array(w);
}

static void encode_solver(struct json_writer *w, const struct trajectory_search *search)
{
  const struct armdyn_optimal_result *found = &search->found;
  json_begin_object(w);
  json_key(w, "iterations"), json_write_integer(w, (long long)found->iterations);
  json_member_number(w, "time", search->time);
  json_member_number(w, "residual", found->residual);
  if (!isnan(search->gap)) json_member_number(w, "gap", search->gap);
  json_key(w, "intervals"), json_write_integer(w, (long long)found->intervals);
  json_key(w, "starts"), json_write_integer(w, (long long)found->starts);
  json_key(w, "log"), json_begin_array(w);
  for (size_t i = 0; i < found->log_count; i++) {
    const struct armdyn_iteration *it = &found->log[i];
    json_begin_object(w);
    json_member_number(w, "cost", it->cost);
    json_member_number(w, "residual", it->residual);
    json_member_number(w, "barrier", it->barrier);
    json_member_number(w, "step", it->step);
    json_key(w, "curved"), json_write_truth(w, it->curved);
    json_end_object(w);
  }
  json_end_array(w);
  json_end_object(w);
}

static void encode_fit(struct json_writer *w, const struct trajectory_result *result)
{
  const struct armdyn_motion_fit *found = &result->fit->found;
  json_begin_object(w);
  json_key(w, "samples"), json_write_integer(w, (long long)result->fit->samples);
  json_key(w, "intervals"), json_write_integer(w, (long long)found->intervals);
  json_member_number(w, "tolerance", result->request->samples.tolerance);
  json_member_number(w, "deviation", found->deviation);
  json_member_text(w, "joint", result->robot->joints[found->joint].name);
  json_member_number(w, "time", found->time);
  json_key(w, "at_rest"), json_write_truth(w, found->at_rest);
  json_end_object(w);
}

/* -- the document -- */

static void encode_cost(struct json_writer *w, const struct trajectory_result *result)
{
  const struct trajectory_request *request = result->request;
  const struct armdyn_optimal_result *found = result->search ? &result->search->found : NULL;
  json_begin_object(w);
  json_member_text(w, "model", armdyn_cost_name(request->cost.model));
  if (request->method == TRAJECTORY_ENERGY_OPTIMAL)
    json_member_text(w, "basis",
                     request->cost.asked                             ? "requested"
                     : request->cost.model == ARMDYN_COST_ELECTRICAL ? "drive_data"
                                                                     : "no_drive_data");
  json_member_number(w, "value", found ? found->cost : result->energy->torque_cost);
  if (found && request->time_price > 0) {
    json_member_number(w, "of_motion", found->terms[0]);
    json_member_number(w, "of_time", found->terms[1]);
  }
  json_end_object(w);
}

void trajectory_result_encode(const struct trajectory_result *result, struct buffer *out)
{
  struct json_writer w = { .out = out };
  const struct trajectory_request *request = result->request;
  const struct trajectory_search *search = result->search;
  struct armdyn_limits limits[ARMDYN_JOINTS_MAX];
  char detail[512];
  describe(result, detail, sizeof detail);

  json_begin_object(&w);
  json_member_text(&w, "method", trajectory_method_name(request->method));
  carried_encode(&w, &request->carried);
  json_member_text(&w, "status", search && search->found.optimal && !result->shaping ? "optimal" : "feasible");
  json_member_text(&w, "detail", detail);
  json_member_number(&w, "duration", armdyn_trajectory_duration(result->trajectory));
  json_key(&w, "waypoint_times");
  json_write_numbers(&w, result->trajectory->waypoint_times, result->trajectory->waypoint_count);
  json_key(&w, "waypoint_positions"), json_begin_array(&w);
  for (size_t i = 0; i < result->point_count; i++)
    json_write_numbers(&w, result->points + i * result->robot->joint_count, result->robot->joint_count);
  json_end_array(&w);
  tool_peak_write(&w, "tool_speed", &result->tool_speed);
  tool_peak_write(&w, "tool_acceleration", &result->tool_acceleration);
  json_key(&w, "cost"), encode_cost(&w, result);
  json_key(&w, "energy"), encode_energy(&w, result->energy, result->robot->joint_count);
  json_key(&w, "electrical_energy"), electrical_energy_encode(&w, result->electrical, result->robot);
  encode_bound(&w, result);
  if (search) {
    json_key(&w, "baselines"), encode_baselines(&w, result);
    json_key(&w, "local_minima"), json_write_numbers(&w, search->found.minima, search->found.minimum_count);
    if (request->duration_count > 0) json_key(&w, "pareto"), encode_alternatives(&w, result);
  }
  if (result->fit) json_key(&w, "fit"), encode_fit(&w, result);
  requested_limits_in_force(&request->limits, result->robot, limits);
  if (result->shaping) {
    json_key(&w, "shaper");
    shaping_encode(&w, &request->shaper, result->shaping, result->robot->joint_count);
  }
  json_key(&w, "margins"), motion_margins_encode(&w, result->robot, limits, result->margin);
  clearance_constraint_encode(&w, &request->clear, result->clearance);
  json_member_number(&w, "minimum_duration", result->minimum_duration);
  const bool restless = result->fit && !result->fit->found.at_rest;
  motion_transferable_encode(&w, result->robot, &request->limits, result->margin, result->clearance,
                             restless ? result->robot->joints[result->fit->fastest].name : NULL);
  json_key(&w, "warnings"), json_begin_array(&w);
  motion_step_warnings_encode(&w, result->robot, result->stepping, request->sample_rate);
  encode_time_warnings(&w, request);
  if (search) encode_baseline_warnings(&w, result);
  json_end_array(&w);
  if (search) json_key(&w, "solver"), encode_solver(&w, search);
  json_member_number(&w, "sample_rate", request->sample_rate);
  result_origin_encode(&w, &request->labels, result->request_text);
  json_end_object(&w);
}

static const struct result_metric metrics[] = {
  { "duration", "duration" },
  { "minimum_duration", "minimum_duration" },
  { "energy", "energy/total" },
  { "cost", "cost/value" },
  { "electrical_energy", "electrical_energy/total" },
  { "tool_speed", "tool_speed/max" },
  { "tool_acceleration", "tool_acceleration/max" },
};
static const char *const members[] = { "method", "status", NULL };

const struct result_form trajectory_form = { "trajectories", metrics, sizeof metrics / sizeof *metrics, members };
