/* Tunings: the gains of a law that follow the references best on all plants together, as far as margins allow. */
#include <math.h>
#include <stdlib.h>

#include "api/codec/tuning.h"
#include "server/work/control_zones.h"
#include "server/work/kinds.h"
#include "server/work/simulated_loop.h"
#include "server/work/verification_case.h"

static const double PI = 3.14159265358979323846;

/* Everything that one job needs, so that one exit releases it. */
struct run {
  struct work *work;
  struct tuning_request request;
  const struct armdyn_robot *model;
  struct armdyn_workspace *workspace;
  const double *q; /* where gains are made */
  struct reference_motion motions[LIMIT_VERIFICATION_REFERENCES];
  struct armdyn_control control;
  struct armdyn_zone *zones;       /* of its schedule; NULL: none */
  double *ratios;                  /* of their gains, and behind them those of the places; NULL likewise */
  struct verification_case *cases; /* plants x references */
  size_t case_count;
  struct tuning_place places[LIMIT_TUNING_PLACES];
  struct armdyn_linear_loop *loops[LIMIT_TUNING_PLACES]; /* of the places */
  size_t place_count, evaluations;
  struct armdyn_tuning tuning;
  struct armdyn_tuned tuned;
  struct armdyn_error error;
  enum armdyn_status status; /* of a loop that could not be run at all */
};

/* ---- what is to be followed, and where margins are held */

static enum armdyn_status open_references(struct run *run, struct armdyn_error *error)
{
  const struct verification_request *request = &run->request.loops;
  char pointer[40];
  double time = 0;
  enum armdyn_status status = ARMDYN_OK;
  for (size_t k = 0; k < request->reference_count && !status; k++) {
    snprintf(pointer, sizeof pointer, "/references/%zu", k);
    status = reference_motion_open(run->work, run->model, &request->references[k], request->has_q ? request->q : NULL,
                                   pointer, &run->motions[k], error);
    time += verification_time(&request->references[k], request->laws, run->motions[k].moving);
  }
  run->q = request->has_q ? request->q : run->motions[0].q;
  const double periods =
      time * request->laws->control.rate_hz * (double)request->plant_count * (double)run->request.evaluations;
  if (status || periods <= LIMIT_TUNING_PERIODS) return status;
  return armdyn_refuse(error, ARMDYN_EINPUT, "/evaluations",
                       "%.0f periods of controllers are more than the %d of one tuning", periods, LIMIT_TUNING_PERIODS);
}

/* One plant at rest in the postures of all references; a posture that was there is not taken again. */
static enum armdyn_status add_places(struct run *run, size_t plant, const struct simulated_loop *loop,
                                     struct armdyn_error *error)
{
  const size_t n = run->work->robot->joint_count, first = run->place_count;
  double qd[ARMDYN_JOINTS_MAX], qdd[ARMDYN_JOINTS_MAX];
  enum armdyn_status status = ARMDYN_OK;
  for (size_t r = 0; r < run->request.loops.reference_count && !status; r++) {
    struct reference_motion *motion = &run->motions[r];
    const size_t count = tuning_postures(motion->asked);
    for (size_t k = 0; k < count && !status; k++) {
      struct tuning_place *place = &run->places[run->place_count];
      const bool before = motion->asked->kind == REFERENCE_STEP && k == 0;
      *place = (struct tuning_place){ .plant = plant, .reference = r };
      if (count == TUNING_POSTURES) place->time = motion->moving * (double)k / (TUNING_POSTURES - 1);
      reference_motion_at(motion, place->time, place->q, qd, qdd);
      if (before) memcpy(place->q, motion->q, sizeof place->q);
      bool known = false;
      for (size_t i = first; i < run->place_count; i++) known |= !memcmp(run->places[i].q, place->q, n * sizeof *qd);
      if (known) continue;
      status = armdyn_linear_loop_new(&loop->loop, place->q, &run->loops[run->place_count], error);
      if (!status) run->place_count++;
    }
  }
  return status;
}

static enum armdyn_status open_places(struct run *run, struct armdyn_error *error)
{
  const struct verification_request *request = &run->request.loops;
  struct simulated_loop *loop = malloc(sizeof *loop);
  enum armdyn_status status = loop ? ARMDYN_OK : ARMDYN_EMEMORY;
  for (size_t p = 0; p < request->plant_count && !status; p++) {
    *loop = (struct simulated_loop){ 0 };
    status = simulated_loop_open(loop, &request->laws->control, &request->plants[p].plant, run->model,
                                 request->friction, request->laws->bandwidth_hz, run->q, run->workspace, error);
    if (!status) status = add_places(run, p, loop, error);
    simulated_loop_close(loop);
    if (status != ARMDYN_EINPUT) continue;
    char pointer[32], words[sizeof error->message];
    snprintf(words, sizeof words, "%s", error->message);
    snprintf(pointer, sizeof pointer, "/plants/%zu", p);
    armdyn_refuse(error, status, pointer, "%.200s", words);
  }
  free(loop);
  return status;
}

static enum armdyn_status list_cases(struct run *run)
{
  const struct verification_request *request = &run->request.loops;
  run->case_count = request->plant_count * request->reference_count;
  run->cases = calloc(LIMIT_VERIFICATION_PLANTS * LIMIT_VERIFICATION_REFERENCES, sizeof *run->cases);
  return run->cases ? ARMDYN_OK : ARMDYN_EMEMORY;
}

/* ---- gains by zones: what is found holds at q, and in zones and at places by their inertia */

static double *place_ratios(const struct run *run)
{
  return run->ratios ? run->ratios + run->control.schedule.zone_count * run->work->robot->joint_count : NULL;
}

static enum armdyn_status open_zones(struct run *run, struct armdyn_error *error)
{
  const struct control_request *asked = &run->request.loops.laws->control;
  const size_t n = run->work->robot->joint_count;
  const struct armdyn_schedule *schedule = &run->control.schedule;
  enum armdyn_status status =
      control_zones_open(run->work, asked, run->model, "/control", &run->zones, &run->control, error);
  if (status || !run->zones) return status;
  run->ratios = malloc((schedule->zone_count + LIMIT_TUNING_PLACES) * n * sizeof *run->ratios);
  if (!run->ratios) return ARMDYN_EMEMORY;
  status = armdyn_zones_ratios(run->model, run->q, run->workspace, run->zones, schedule->zone_count, run->ratios);
  for (size_t k = 0; k < run->place_count; k++) {
    const size_t zone = armdyn_zone_of(run->zones, schedule->zone_count, n, run->places[k].q, SIZE_MAX, 0);
    memcpy(place_ratios(run) + k * n, run->ratios + zone * n, n * sizeof *run->ratios);
  }
  return status;
}

static void take_gains(struct run *run, const struct armdyn_gains *gains)
{
  run->control.gains = *gains;
  armdyn_zones_take_gains(run->zones, run->control.schedule.zone_count, run->work->robot->joint_count, run->ratios,
                          gains);
}

/* ---- what gains cost: rms of the tool over all cases, mm; a rotation counts by its weight */

static bool overshoots(const struct run *run, const struct verification_case *c)
{
  const struct verification_reference *reference = &run->request.loops.references[c->reference];
  for (size_t j = 0; j < run->work->robot->joint_count; j++)
    if (reference->amplitude[j] != 0 && c->joints[j].overshoot_percent > run->request.overshoot_percent) return true;
  return false;
}

static enum armdyn_status run_case(struct run *run, size_t k, const char *sentence, double begun, double part)
{
  const size_t references = run->request.loops.reference_count;
  struct verification_case *c = &run->cases[k];
  *c = (struct verification_case){ .plant = k / references, .reference = k % references };
  const struct case_order order = { .work = run->work,
                                    .model = run->model,
                                    .request = &run->request.loops,
                                    .control = &run->control,
                                    .motion = &run->motions[c->reference],
                                    .begun = begun,
                                    .part = part,
                                    .sentence = sentence };
  return verification_case_run(&order, c, &run->error);
}

static double cost(void *context, const struct armdyn_gains *gains)
{
  struct run *run = context;
  const double whole = (double)run->request.evaluations + 1, weight = run->request.rotation_weight;
  const double part = 1 / whole / (double)run->case_count, begun = fmin((double)run->evaluations++ / whole, 1);
  double sum = 0;
  char sentence[80];
  snprintf(sentence, sizeof sentence, "gains %zu of at most %zu", run->evaluations, run->request.evaluations);
  take_gains(run, gains);
  for (size_t k = 0; k < run->case_count; k++) {
    const struct verification_case *c = &run->cases[k];
    if (run->status || (run->status = run_case(run, k, sentence, begun + part * (double)k, part))) return INFINITY;
    if (c->diverged || overshoots(run, c)) return INFINITY;
    sum += pow(c->position_rms_mm, 2) + pow(weight * c->rotation_rms_mrad, 2);
  }
  return sqrt(sum / (double)run->case_count);
}

/* ---- the search */

static enum armdyn_status search(struct run *run, struct armdyn_error *error)
{
  const struct tuning_margins *asked = &run->request.margins;
  const struct armdyn_gains kept = run->control.gains; /* the stiffness; what is tried stands in `control` */
  run->tuning = (struct armdyn_tuning){
    .model = run->model,
    .law = run->control.law,
    .q = run->q,
    .stiffness = kept.stiffness,
    .integral = run->request.integral,
    .places = run->loops,
    .place_count = run->place_count,
    .ratios = place_ratios(run),
    .margins = { .gain = pow(10, asked->gain_db / 20),
                 .phase = asked->phase_deg * PI / 180,
                 .delay = asked->delay,
                 .sensitivity = isnan(asked->sensitivity) ? INFINITY : asked->sensitivity },
    .bandwidth_max = run->request.bandwidth_max_hz,
    .cost = cost,
    .cost_context = run,
    .evaluations = run->request.evaluations - 1, /* and where it begins */
  };
  enum armdyn_status status = armdyn_tune(&run->tuning, &run->tuned, error);
  if (run->status) *error = run->error, status = run->status;
  return status;
}

/* Figures and margins with the gains that were found. */
static enum armdyn_status look_again(struct run *run, struct armdyn_error *error)
{
  size_t unstable;
  enum armdyn_status status = ARMDYN_OK;
  take_gains(run, &run->tuned.gains);
  for (size_t k = 0; k < run->case_count && !status; k++) status = run_case(run, k, "the gains that were found", 1, 0);
  if (status) *error = run->error;
  for (size_t k = 0; k < run->place_count && !status; k++) {
    const struct armdyn_gains gains = armdyn_tuning_gains_at(&run->tuning, k, &run->tuned.gains);
    status = armdyn_linear_loop_margins(run->loops[k], &gains, run->places[k].margins, &unstable, error);
  }
  return status;
}

static void encode(const void *context, struct buffer *out)
{
  const struct run *run = context;
  const struct tuning_result result = { .request = &run->request,
                                        .request_text = run->work->request,
                                        .robot = run->work->robot,
                                        .q = run->q,
                                        .control = &run->control,
                                        .tuned = &run->tuned,
                                        .places = run->places,
                                        .place_count = run->place_count,
                                        .cases = run->cases,
                                        .case_count = run->case_count };
  tuning_result_encode(&result, out);
}

static void compute(struct work *work, struct armdyn_robot *robot, void *context)
{
  struct run *run = context;
  struct armdyn_error error = { 0 };
  run->work = work;
  run->model = robot;
  run->workspace = armdyn_workspace_new(work->robot->joint_count);
  enum armdyn_status status = run->workspace ? open_references(run, &error) : ARMDYN_EMEMORY;
  if (!status) {
    const struct verification_law *law = run->request.loops.laws;
    control_in_force(&law->control, robot, law->bandwidth_hz, run->q, run->request.loops.friction, run->workspace,
                     &run->control);
    status = open_places(run, &error);
  }
  if (!status) status = open_zones(run, &error);
  if (!status) status = list_cases(run);
  if (!status) status = search(run, &error);
  if (!status) status = look_again(run, &error);
  work_end(work, status, &error, encode, run);
}

JOB_REQUEST(struct run, tuning_request_decode)

static size_t sources(const void *context, struct job_source *list)
{
  const struct run *run = context;
  const size_t count = reference_sources(&run->request.loops, list);
  return count + control_zones_source(&run->request.loops.laws->control, "/control", list + count);
}

static void release(void *context)
{
  struct run *run = context;
  for (size_t k = 0; k < LIMIT_VERIFICATION_REFERENCES; k++) reference_motion_close(&run->motions[k]);
  for (size_t k = 0; k < run->place_count; k++) armdyn_linear_loop_free(run->loops[k]);
  armdyn_workspace_free(run->workspace);
  free(run->zones);
  free(run->ratios);
  free(run->cases);
}

const struct job_kind tuning_kind = {
  .name = "tuning",
  .stall_s = 600,
  .form = &tuning_form,
  .size = sizeof(struct run),
  .labels = offsetof(struct run, request.loops.labels),
  .carried = offsetof(struct run, request.loops.carried),
  .decode = decode,
  .sources = sources,
  .compute = compute,
  .release = release,
};
