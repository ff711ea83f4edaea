/* Verifications: every plant under every law on every reference. Cases are parts of the job, which other workers share. */
#include <math.h>
#include <stddef.h>
#include <stdlib.h>

#include "server/work/control_zones.h"
#include "server/work/kinds.h"
#include "server/work/share.h"
#include "server/work/verification_accuracy.h"
#include "server/work/verification_breakaway.h"
#include "server/work/verification_case.h"
#include "server/work/verification_measured.h"

static const double CASES_PART = 0.7; /* of the work, where a budget of accuracy follows */

/* Everything that one job needs, so that one exit releases it. */
struct run {
  struct work *work;
  struct verification_request request;
  const struct armdyn_robot *model;
  size_t n, case_count;
  const double *q; /* where gains are made */
  struct reference_motion motions[LIMIT_VERIFICATION_REFERENCES];
  struct armdyn_control controls[LIMIT_VERIFICATION_LAWS][2]; /* with the model, and its PID alone */
  struct armdyn_zone *zones[LIMIT_VERIFICATION_LAWS];         /* of their schedules; NULL: none */
  double masses[LIMIT_VERIFICATION_PLANTS];
  struct verification_case *cases;
  struct verification_hold holds[2 * LIMIT_VERIFICATION_LAWS * LIMIT_VERIFICATION_REFERENCES];
  size_t hold_count;
  struct verification_budget budget;
  struct measured_motion played[LIMIT_VERIFICATION_REFERENCES]; /* without samples: nothing was */
  struct verification_measured measured[LIMIT_VERIFICATION_REFERENCES];
  size_t measured_count;
};

/* -- what is to be run -- */

static enum armdyn_status open_references(struct run *run, struct armdyn_error *error)
{
  const struct verification_request *request = &run->request;
  char pointer[40];
  enum armdyn_status status = ARMDYN_OK;
  for (size_t k = 0; k < request->reference_count && !status; k++) {
    snprintf(pointer, sizeof pointer, "/references/%zu", k);
    status = reference_motion_open(run->work, run->model, &request->references[k], request->has_q ? request->q : NULL,
                                   pointer, &run->motions[k], error);
  }
  run->q = request->has_q ? request->q : run->motions[0].q;
  return status;
}

static enum armdyn_status open_measured(struct run *run, struct armdyn_error *error)
{
  char pointer[48];
  enum armdyn_status status = ARMDYN_OK;
  for (size_t k = 0; k < run->request.reference_count && !status; k++) {
    if (!*run->request.references[k].measured) continue;
    struct verification_measured *out = &run->measured[run->measured_count++];
    out->reference = k;
    snprintf(pointer, sizeof pointer, "/references/%zu/measured", k);
    status = measured_motion_open(run->work, &run->motions[k], pointer, &run->played[k], error);
    if (!status)
      status = measured_motion_figures(&run->played[k], run->model, &run->motions[k], &run->request.limit, out);
  }
  return status;
}

/* Trajectories say only now how long they last. */
static enum armdyn_status check_periods(const struct run *run, struct armdyn_error *error)
{
  const struct verification_request *request = &run->request;
  double periods = 0;
  for (size_t k = 0; k < request->reference_count; k++)
    for (size_t l = 0; l < request->law_count; l++) {
      const struct verification_law *law = &request->laws[l];
      const double time = verification_time(&request->references[k], law, run->motions[k].moving) +
                          verification_breakaway_time(&request->references[k], run->n);
      periods += time * law->control.rate_hz * verification_variants(law) * (double)request->plant_count;
    }
  if (periods <= LIMIT_VERIFICATION_PERIODS) return ARMDYN_OK;
  return armdyn_refuse(error, ARMDYN_EINPUT, "/references",
                       "%.0f periods of controllers are more than the %d of one verification", periods,
                       LIMIT_VERIFICATION_PERIODS);
}

static enum armdyn_status open_laws(struct run *run, struct armdyn_error *error)
{
  struct armdyn_workspace *workspace = armdyn_workspace_new(run->n);
  enum armdyn_status status = workspace ? ARMDYN_OK : ARMDYN_EMEMORY;
  char pointer[48];
  for (size_t k = 0; k < run->request.law_count && !status; k++) {
    const struct verification_law *law = &run->request.laws[k];
    struct armdyn_control *control = run->controls[k];
    control_in_force(&law->control, run->model, law->bandwidth_hz, run->q, run->request.friction, workspace, control);
    snprintf(pointer, sizeof pointer, "/laws/%zu/control", k);
    status = control_zones_open(run->work, &law->control, run->model, pointer, &run->zones[k], control, error);
    control[1] = control[0];
    if (law->without_model) control_take_alone(run->model, run->q, workspace, &control[1]);
  }
  armdyn_workspace_free(workspace);
  return status;
}

static enum armdyn_status list_cases(struct run *run)
{
  const struct verification_request *request = &run->request;
  run->cases = calloc(LIMIT_VERIFICATION_CASES, sizeof *run->cases);
  if (!run->cases) return ARMDYN_EMEMORY;
  for (size_t p = 0; p < request->plant_count; p++) {
    const struct overrides *own = &request->plants[p].plant.overrides;
    run->masses[p] = own->has_payload ? own->payload.mass : run->work->robot->payload.mass;
    for (size_t l = 0; l < request->law_count; l++)
      for (int alone = 0; alone < verification_variants(&request->laws[l]); alone++)
        for (size_t k = 0; k < request->reference_count; k++)
          run->cases[run->case_count++] =
              (struct verification_case){ .plant = p, .law = l, .reference = k, .alone = alone };
  }
  return ARMDYN_OK;
}

/* -- running -- */

static struct case_order order_of(struct run *run, const struct verification_case *c)
{
  return (struct case_order){ .work = run->work,
                              .model = run->model,
                              .request = &run->request,
                              .control = &run->controls[c->law][c->alone],
                              .motion = &run->motions[c->reference],
                              .measured = run->played[c->reference].count ? &run->played[c->reference] : NULL };
}

static enum armdyn_status run_case(void *context, size_t k, size_t done, struct armdyn_error *error)
{
  struct run *run = context;
  const double whole = run->request.has_accuracy ? CASES_PART : 1;
  struct verification_case *c = &run->cases[k];
  struct case_order order = order_of(run, c);
  free(c->responses); /* who helps may be given a part again, by another attempt */
  *c = (struct verification_case){ .plant = c->plant, .law = c->law, .reference = c->reference, .alone = c->alone };
  char sentence[320];
  snprintf(sentence, sizeof sentence, "%zu of %zu cases done; %s, %s%s, %s", done, run->case_count,
           run->request.plants[c->plant].name, run->request.laws[c->law].name, c->alone ? " without model" : "",
           run->request.references[c->reference].name);
  order.begun = whole * (double)done / (double)run->case_count, order.part = whole / (double)run->case_count;
  order.sentence = sentence;
  enum armdyn_status status = verification_case_run(&order, c, error);
  if (!status && !c->diverged && order.motion->asked->breakaway) status = verification_breakaway(&order, c, error);
  if (status == ARMDYN_EINPUT) {
    char pointer[32];
    snprintf(pointer, sizeof pointer, "/plants/%zu", c->plant);
    armdyn_refuse(error, status, pointer, "%.200s", error->message);
  }
  return status;
}

static size_t response_count(const struct run *run, const struct verification_case *c)
{
  return run->request.references[c->reference].frequency_count * run->n;
}

static void write_case(void *context, size_t k, struct buffer *out)
{
  const struct run *run = context;
  const struct verification_case *c = &run->cases[k];
  buffer_append(out, c, sizeof *c);
  if (c->responses) buffer_append(out, c->responses, response_count(run, c) * sizeof *c->responses);
}

static bool read_case(void *context, size_t k, const char *bytes, size_t length)
{
  struct run *run = context;
  struct verification_case *c = &run->cases[k], told;
  if (length < sizeof told) return false;
  memcpy(&told, bytes, sizeof told);
  const size_t left = length - sizeof told, size = response_count(run, c) * sizeof *told.responses;
  const bool ours = told.plant == c->plant && told.law == c->law && told.reference == c->reference &&
                    left == (told.responses ? size : 0);
  if (!ours) return false;
  if (told.responses && !(told.responses = malloc(size + 1))) return false;
  if (told.responses) memcpy(told.responses, bytes + sizeof told, size);
  *c = told;
  return true;
}

static enum armdyn_status run_cases(struct run *run, struct armdyn_error *error)
{
  const struct work_parts cases = {
    .count = run->case_count, .run = run_case, .write = write_case, .read = read_case, .context = run
  };
  return work_share(run->work, &cases, error);
}

/* The first plant under the law on the reference that are named, or the first that may be. */
static enum armdyn_status tell_accuracy(struct run *run, struct armdyn_error *error)
{
  const struct verification_accuracy *asked = &run->request.accuracy;
  struct verification_budget *budget = &run->budget;
  if (!run->request.has_accuracy) return ARMDYN_OK;
  for (size_t k = 0; k < run->case_count; k++) {
    const struct verification_case *c = &run->cases[k];
    const struct verification_reference *reference = &run->request.references[c->reference];
    const bool law = !*asked->law || !strcmp(asked->law, run->request.laws[c->law].name);
    const bool named = !*asked->reference || !strcmp(asked->reference, reference->name);
    if (c->alone || !law || !named || reference->kind == REFERENCE_STEP || reference->kind == REFERENCE_SINE) continue;
    struct case_order order = order_of(run, c);
    order.begun = CASES_PART, order.part = 1 - CASES_PART, order.sentence = "the budget of accuracy";
    budget->law = c->law, budget->reference = c->reference;
    return verification_accuracy(&order, c, asked->identification, budget, error);
  }
  snprintf(budget->why, sizeof budget->why, "there is no hold, circle or trajectory among the references");
  return ARMDYN_OK;
}

/* -- loads -- */

/* Does a plant differ from the first in what it carries alone? */
static bool only_loaded(const struct run *run, size_t plant)
{
  const struct plant_request *a = &run->request.plants[0].plant, *b = &run->request.plants[plant].plant;
  return a->inertial_scale == b->inertial_scale && a->has_friction == b->has_friction && a->friction == b->friction &&
         a->has_wrench == b->has_wrench && !memcmp(a->wrench, b->wrench, sizeof a->wrench) &&
         !memcmp(&a->elements, &b->elements, sizeof a->elements) &&
         a->overrides.has_gravity == b->overrides.has_gravity && a->overrides.has_tool == b->overrides.has_tool &&
         !memcmp(a->overrides.gravity, b->overrides.gravity, sizeof a->overrides.gravity) &&
         !memcmp(&a->overrides.tool, &b->overrides.tool, sizeof a->overrides.tool);
}

/* Where the limit is met on the straight line between two loads. */
static double met_between(const struct run *run, const struct verification_case *lighter,
                          const struct verification_case *heavier)
{
  const double limit = run->request.limit.position_mm, a = lighter->judged_mm, b = heavier->judged_mm;
  const double from = run->masses[lighter->plant], to = run->masses[heavier->plant];
  return isnan(limit) || heavier->diverged || !(b > limit) ? NAN : from + (limit - a) / (b - a) * (to - from);
}

/* Of the cases of one law on one reference, by load from the lightest. */
static void tell_hold(struct run *run, size_t law, bool alone, size_t reference)
{
  const struct verification_case *loads[LIMIT_VERIFICATION_PLANTS];
  size_t count = 0;
  for (size_t k = 0; k < run->case_count; k++) {
    const struct verification_case *c = &run->cases[k];
    if (c->law != law || c->alone != alone || c->reference != reference || !only_loaded(run, c->plant)) continue;
    size_t at = count++;
    for (; at > 0 && run->masses[loads[at - 1]->plant] > run->masses[c->plant]; at--) loads[at] = loads[at - 1];
    loads[at] = c;
  }
  if (count < 2) return;
  struct verification_hold *hold = &run->holds[run->hold_count++];
  *hold = (struct verification_hold){ law, reference, alone, NAN, NAN, NAN };
  for (size_t k = 0; k < count; k++) {
    if (!loads[k]->diverged && loads[k]->within) {
      hold->mass = run->masses[loads[k]->plant];
      continue;
    }
    hold->next_mass = run->masses[loads[k]->plant];
    if (k > 0) hold->about = met_between(run, loads[k - 1], loads[k]);
    break;
  }
}

static void tell_holds(struct run *run)
{
  const struct verification_request *request = &run->request;
  if (isnan(request->limit.position_mm) && isnan(request->limit.rotation_mrad)) return;
  for (size_t law = 0; law < request->law_count; law++)
    for (int alone = 0; alone < verification_variants(&request->laws[law]); alone++)
      for (size_t k = 0; k < request->reference_count; k++) tell_hold(run, law, alone, k);
}

/* -- the end -- */

static void encode(const void *context, struct buffer *out)
{
  const struct run *run = context;
  const struct verification_result result = {
    .request = &run->request,
    .request_text = run->work->request,
    .robot = run->work->robot,
    .q = run->q,
    .controls = (const struct armdyn_control(*)[2])run->controls,
    .masses = run->masses,
    .cases = run->cases,
    .case_count = run->case_count,
    .measured = run->measured,
    .measured_count = run->measured_count,
    .holds = run->holds,
    .hold_count = run->hold_count,
    .budget = run->request.has_accuracy ? &run->budget : NULL,
  };
  verification_result_encode(&result, out);
}

static void compute(struct work *work, struct armdyn_robot *robot, void *context)
{
  struct run *run = context;
  struct armdyn_error error = { 0 };
  run->work = work;
  run->model = robot;
  run->n = work->robot->joint_count;
  enum armdyn_status status = open_references(run, &error);
  if (!status) status = check_periods(run, &error);
  if (!status) status = open_measured(run, &error);
  if (!status) status = open_laws(run, &error);
  if (!status) status = list_cases(run);
  if (!status) status = run_cases(run, &error);
  if (!status) tell_holds(run);
  if (!status) status = tell_accuracy(run, &error);
  work_end(work, status, &error, encode, run);
}

JOB_REQUEST(struct run, verification_request_decode)

static size_t sources(const void *context, struct job_source *list)
{
  const struct run *run = context;
  const char *identification = run->request.accuracy.identification;
  size_t count = reference_sources(&run->request, list);
  for (size_t k = 0; k < run->request.reference_count; k++) {
    const char *measured = run->request.references[k].measured;
    if (!*measured) continue;
    struct job_source *source = &list[count++];
    *source = (struct job_source){ .referral = { .kind = "dataset" } };
    memcpy(source->referral.id, measured, sizeof source->referral.id);
    snprintf(source->pointer, sizeof source->pointer, "/references/%zu/measured", k);
  }
  for (size_t k = 0; k < run->request.law_count; k++) {
    char pointer[48];
    snprintf(pointer, sizeof pointer, "/laws/%zu/control", k);
    count += control_zones_source(&run->request.laws[k].control, pointer, &list[count]);
  }
  if (!*identification) return count;
  list[count] = (struct job_source){ .referral = { .kind = "identification" }, .pointer = "/accuracy/identification" };
  memcpy(list[count].referral.id, identification, sizeof list[count].referral.id);
  return count + 1;
}

static void release(void *context)
{
  struct run *run = context;
  for (size_t k = 0; k < LIMIT_VERIFICATION_REFERENCES; k++) reference_motion_close(&run->motions[k]);
  for (size_t k = 0; k < LIMIT_VERIFICATION_REFERENCES; k++) measured_motion_close(&run->played[k]);
  for (size_t k = 0; k < LIMIT_VERIFICATION_LAWS; k++) free(run->zones[k]);
  for (size_t k = 0; k < run->case_count; k++) free(run->cases[k].responses);
  free(run->cases);
}

const struct job_kind verification_kind = {
  .name = "verification",
  .stall_s = 600,
  .form = &verification_form,
  .size = sizeof(struct run),
  .labels = offsetof(struct run, request.labels),
  .carried = offsetof(struct run, request.carried),
  .decode = decode,
  .sources = sources,
  .compute = compute,
  .release = release,
};
