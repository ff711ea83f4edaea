#include <math.h>
#include <stddef.h>
#include <stdlib.h>

#include "api/codec/simulation.h"
#include "api/limits.h"
#include "armdyn/control.h"
#include "armdyn/methods.h"
#include "armdyn/simulate.h"
#include "server/data/stored_trajectory.h"
#include "server/work/control_zones.h"
#include "server/work/kinds.h"
#include "server/work/learning.h"
#include "server/work/messages.h"
#include "server/work/replay.h"
#include "server/work/simulated_loop.h"
#include "server/work/tracking.h"

enum { CHUNK_ROWS = 512, WIDTH_MOST = 1 + 3 * ARMDYN_JOINTS_MAX + 8 + TOOL_COLUMNS };

/* Everything that one job needs, so that one exit releases it. */
struct run {
  struct work *work;
  struct simulation_request request;
  size_t n, width, filled;
  struct armdyn_robot *robot;
  struct armdyn_workspace *workspace;
  struct simulation_result result;
  struct armdyn_trajectory wanted; /* followed; without pieces: none is */
  struct armdyn_zone *zones;       /* of its schedule; NULL: none */
  struct replay replay;            /* torques over time; without rows: none are */
  struct armdyn_load load;
  struct simulated_loop loop;       /* with `control` */
  size_t periods;                   /* of it, or samples */
  double last_q[ARMDYN_JOINTS_MAX]; /* of the last sample */
  double last_t, last_power;        /* likewise; s, W of the drives */
  double fed_work;                  /* J of the drives, integrated with the motion; with a feedback of the state */
  double tool[TOOL_COLUMNS];        /* likewise */
  double rows[CHUNK_ROWS * WIDTH_MOST];
};

/* -- samples -- */

static const struct sample_field fields[] = { { "t", 1 },
                                              { "q", PER_JOINT },
                                              { "qd", PER_JOINT },
                                              { "kinetic", 1 },
                                              { "potential", 1 },
                                              { "angular_momentum", 3 },
                                              { "linear_momentum", 3 },
                                              { "tau", PER_JOINT },
                                              { "tool_position", 3 },
                                              { "tool_velocity", 3 },
                                              { "tool_acceleration", 3 } };
enum { FIELDS = sizeof fields / sizeof *fields, BEFORE_TOOL = FIELDS - TOOL_FIELDS };
static const struct series_form before_torque = { .fields = fields, .field_count = BEFORE_TOOL - 1 };
static const struct series_form before_tool = { .fields = fields,
                                                .field_count = BEFORE_TOOL,
                                                .former = &before_torque };
static const struct series_form samples = {
  .fields = fields, .field_count = FIELDS, .named_count = TOOL_FIELDS, .former = &before_tool
};

static void begin_samples(struct run *run)
{
  char columns[SERIES_COLUMNS];
  size_t length = 0;
  run->width = 0;
  for (size_t f = 0; f < FIELDS; f++) {
    const size_t width = fields[f].width == PER_JOINT ? run->n : fields[f].width;
    for (size_t k = 1; k <= width; k++) {
      char number[24] = "";
      if (fields[f].width != 1) snprintf(number, sizeof number, "%zu", k);
      length += (size_t)snprintf(columns + length, sizeof columns - length, "%s%s%s", length ? "," : "", fields[f].name,
                                 number);
    }
    run->width += width;
  }
  work_series(run->work, SERIES_SAMPLES, columns, run->width);
}

static void send_rows(struct run *run)
{
  work_rows(run->work, run->rows, run->filled);
  run->filled = 0;
}

/* The work of constant torques is tau (q - q0), exactly; of others a trapezoid is added for each sample. A loop and a
 * feedback know their own. */
static void follow_work(struct run *run, const struct armdyn_simulation_sample *sample)
{
  double power = 0, travelled = 0;
  if (run->request.has_control) return;
  for (size_t j = 0; j < run->n; j++) {
    power += sample->tau[j] * sample->qd[j];
    travelled += run->request.tau[j] * (sample->q[j] - run->request.q[j]);
  }
  if (run->request.has_feedback)
    run->result.work = run->fed_work;
  else if (!run->wanted.piece_count && !run->replay.count)
    run->result.work = travelled;
  else if (run->result.samples)
    run->result.work += (power + run->last_power) / 2 * (sample->t - run->last_t);
  run->last_power = power;
  run->last_t = sample->t;
}

/* Where the arm should be: on its trajectory, or at rest where it starts. */
static void wanted_at(void *context, double t, double *q, double *qd, double *qdd)
{
  const struct run *run = context;
  if (run->wanted.piece_count) {
    armdyn_trajectory_state(&run->wanted, t, q, qd, qdd, NULL);
    return;
  }
  memcpy(q, run->request.q, run->n * sizeof *q);
  memset(qd, 0, run->n * sizeof *qd);
  memset(qdd, 0, run->n * sizeof *qdd);
}

/* How far the arm is off where it should be. Squares become roots at the end. */
static void follow_tracking(struct run *run, const double *q, const struct armdyn_simulation_sample *sample)
{
  struct simulation_result *result = &run->result;
  run->periods++;
  for (size_t j = 0; j < run->n; j++) {
    const double off = sample->q[j] - q[j];
    result->off_rms[j] += off * off;
    result->off_max[j] = fmax(result->off_max[j], fabs(off));
    result->peak_torque[j] = fmax(result->peak_torque[j], fabs(sample->tau[j]));
  }
}

static void note_peak(struct tool_peak *peak, const double *vector, double t)
{
  const double now = tool_motion_length(vector);
  if (now > peak->max) *peak = (struct tool_peak){ now, t };
}

/* Of the arm that moves. */
static void follow_tool(struct run *run, const struct armdyn_simulation_sample *sample)
{
  const struct armdyn_robot *moving = run->loop.loop.plant ? run->loop.loop.plant : run->robot;
  tool_motion(moving, sample->q, sample->qd, sample->qdd, run->workspace, run->tool);
  note_peak(&run->result.tool_speed, run->tool + TOOL_VELOCITY, sample->t);
  note_peak(&run->result.tool_acceleration, run->tool + TOOL_ACCELERATION, sample->t);
}

static void follow_energy(struct run *run, const struct armdyn_simulation_sample *sample)
{
  struct simulation_result *result = &run->result;
  struct simulation_state state = { .kinetic = sample->kinetic, .potential = sample->potential };
  memcpy(state.momentum.angular, sample->momentum, sizeof state.momentum.angular);
  memcpy(state.momentum.linear, sample->momentum + 3, sizeof state.momentum.linear);
  if (sample->t <= 0) result->start = state;
  result->end = state;

  follow_work(run, sample);
  double gained = state.kinetic - result->start.kinetic + (state.potential - result->start.potential);
  if (result->has_account) gained += element_energies_sum(&result->account);
  result->peak_kinetic = fmax(result->peak_kinetic, state.kinetic);
  result->unbalanced = fmax(result->unbalanced, fabs(gained - result->work));
}

static void keep_sample(struct run *run, const struct armdyn_simulation_sample *sample)
{
  const size_t n = run->n;
  double *row = run->rows + run->filled * run->width;
  row[0] = sample->t < run->request.duration ? (double)run->result.samples / run->request.sample_rate : sample->t;
  memcpy(row + 1, sample->q, n * sizeof *row);
  memcpy(row + 1 + n, sample->qd, n * sizeof *row);
  row[1 + 2 * n] = sample->kinetic, row[2 + 2 * n] = sample->potential;
  memcpy(row + 3 + 2 * n, sample->momentum, sizeof sample->momentum);
  memcpy(row + 9 + 2 * n, sample->tau, n * sizeof *row);
  memcpy(row + 9 + 3 * n, run->tool, sizeof run->tool);
  run->result.samples++;
  if (++run->filled == CHUNK_ROWS) send_rows(run);
}

static void note_where(struct run *run, const struct armdyn_simulation_sample *sample)
{
  memcpy(run->last_q, sample->q, run->n * sizeof *sample->q);
  work_progress(run->work, sample->t / run->request.duration, "integrating");
}

static bool take_sample(void *context, const struct armdyn_simulation_sample *sample)
{
  struct run *run = context;
  double q[ARMDYN_JOINTS_MAX];
  follow_energy(run, sample);
  follow_tool(run, sample);
  if (run->wanted.piece_count) {
    armdyn_trajectory_state(&run->wanted, sample->t, q, NULL, NULL, NULL);
    follow_tracking(run, q, sample);
  }
  keep_sample(run, sample);
  note_where(run, sample);
  return true;
}

static void follow_schedule(struct simulation_result *result, size_t entry, bool first)
{
  result->scheduled[entry]++;
  result->entry_changes += !first && entry != result->entry;
  result->entry = entry;
}

/* A period of the controller, of which some are samples. */
static bool take_period(void *context, const struct armdyn_loop_sample *sample)
{
  struct run *run = context;
  const struct simulation_request *request = &run->request;
  const size_t between = (size_t)lround(request->control.rate_hz / request->sample_rate);
  run->result.work = sample->work;
  if ((run->result.has_account = sample->account != NULL)) run->result.account = *sample->account;
  follow_energy(run, sample->plant);
  follow_tool(run, sample->plant);
  if (run->periods % between == 0 || sample->plant->t >= request->duration) keep_sample(run, sample->plant);
  follow_tracking(run, sample->wanted, sample->plant);
  for (size_t j = 0; j < run->n; j++) run->result.saturated[j] += sample->saturated[j];
  follow_schedule(&run->result, armdyn_controller_entry(sample->controller), run->periods == 1);
  note_where(run, sample->plant);
  return learning_take(&run->result.learning, sample, run->robot, run->load.frictionless, request->duration);
}

static void constant_torque(void *context, double t, const double *q, const double *qd, double *tau)
{
  const struct run *run = context;
  (void)t, (void)q, (void)qd;
  memcpy(tau, run->request.tau, run->n * sizeof *tau);
}

/* Beside torques over time or constant ones. */
static void feedback_torque(void *context, double t, const double *q, const double *qd, double *tau)
{
  struct run *run = context;
  if (run->replay.count)
    replay_torque(&run->replay, t, q, qd, tau);
  else
    constant_torque(run, t, q, qd, tau);
  state_feedback_apply(&run->request.feedback, run->n, q, qd, tau);
}

static void feedback_power(void *context, double t, const double *q, const double *qd, const double *work, double *tau,
                           double *power)
{
  const struct run *run = context;
  (void)t, (void)q, (void)work;
  *power = 0;
  for (size_t j = 0; j < run->n; j++) *power += tau[j] * qd[j];
}

/* -- what is followed -- */

/* The trajectory, and what the request leaves to it: start and duration. */
static enum armdyn_status open_trajectory(struct run *run, struct armdyn_error *error)
{
  struct simulation_request *request = &run->request;
  struct store *store;
  if (!*request->trajectory) return ARMDYN_OK;
  enum armdyn_status status = work_store(run->work, &store);
  if (!status) status = stored_trajectory_open(store, request->trajectory, run->n, "/trajectory", &run->wanted, error);
  if (status) return status;
  const double most = armdyn_trajectory_duration(&run->wanted);
  if (isnan(request->duration)) request->duration = most;
  if (request->duration > most)
    return armdyn_refuse(error, ARMDYN_EINPUT, "/duration", "the trajectory lasts %g s, got %g", most,
                         request->duration);
  armdyn_trajectory_state(&run->wanted, 0, request->has_q ? NULL : request->q, request->has_qd ? NULL : request->qd,
                          NULL, NULL);
  if (request->open_loop && (status = replay_read(store, request->trajectory, run->n, &run->replay, error)))
    return status;
  return simulation_check_size(request, error);
}

/* -- the end -- */

static void tell_refused(struct run *run, enum armdyn_status status, const struct armdyn_error *error)
{
  struct armdyn_error told = { 0 };
  size_t joint = status == ARMDYN_ESINGULAR ? armdyn_massless_joint(run->robot, run->last_q, run->workspace) : run->n;
  if (joint < run->n)
    armdyn_refuse(&told, ARMDYN_EINPUT, "",
                  "%s: joint %s has nothing to accelerate, neither a rotor nor a mass beyond it", error->message,
                  run->work->robot->joints[joint].name);
  else if (status == ARMDYN_ESINGULAR)
    armdyn_refuse(&told, ARMDYN_EINPUT, "", "%s", error->message);
  else if (status == ARMDYN_ELIMIT)
    armdyn_refuse(&told, ARMDYN_EINPUT, run->request.method == SIMULATION_FIXED ? "/step" : "/tolerance",
                  "%s; a motion that grows without bound or friction near standstill asks for ever shorter steps: "
                  "simulate a shorter time, widen the tolerance or a joint's velocity_scale",
                  error->message);
  else
    told = *error;
  work_refused(run->work, status == ARMDYN_ESINGULAR || status == ARMDYN_ELIMIT ? ARMDYN_EINPUT : status, &told);
}

/* Along the trajectory by ideal computed torque, or under torques over time, or constant ones. */
static enum armdyn_status simulate_model(struct run *run, struct armdyn_simulation *motion, struct armdyn_error *error)
{
  struct tracking tracking = { .robot = run->robot,
                               .wanted = &run->wanted,
                               .bandwidth_hz = run->request.bandwidth_hz,
                               .load = &run->load,
                               .workspace = run->workspace };
  const struct armdyn_attached fed = { .size = 1, .state = &run->fed_work, .rate = feedback_power, .context = run };
  const bool replays = run->replay.count > 0, tracks = run->wanted.piece_count > 0 && !replays;
  motion->sample_period = 1 / run->request.sample_rate;
  motion->torque = replays ? replay_torque : tracks ? tracking_torque : constant_torque;
  motion->torque_context = replays ? &run->replay : tracks ? (void *)&tracking : run;
  motion->load = &run->load;
  if (run->request.has_feedback)
    motion->torque = feedback_torque, motion->torque_context = run, motion->attached = &fed;
  return armdyn_simulate(run->robot, motion, take_sample, run, run->workspace, &run->result.steps, error);
}

/* The plant under the controller. */
static enum armdyn_status simulate_loop(struct run *run, const struct armdyn_simulation *motion,
                                        struct armdyn_error *error)
{
  const struct simulation_request *request = &run->request;
  struct armdyn_loop *loop = &run->loop.loop;
  enum armdyn_status status =
      simulated_loop_open(&run->loop, &request->control, &request->plant, run->robot, request->friction,
                          request->bandwidth_hz, request->q, run->workspace, error);
  if (!status)
    status = control_zones_open(run->work, &request->control, run->robot, "/control", &run->zones, &run->loop.control,
                                error);
  if (status) return status;
  const struct armdyn_load *load = loop->plant_motion.load;
  loop->plant_motion = *motion;
  loop->plant_motion.load = load;
  loop->reference = wanted_at;
  loop->reference_context = run;
  run->result.control = &run->loop.control;
  return armdyn_loop_simulate(loop, take_period, run, &run->result.steps, error);
}

static void average(struct run *run)
{
  struct simulation_result *result = &run->result;
  for (size_t j = 0; j < run->n && run->periods; j++) {
    result->off_rms[j] = sqrt(result->off_rms[j] / (double)run->periods);
    result->saturated[j] /= (double)run->periods;
  }
  for (size_t k = 0; k < SIMULATION_SCHEDULED && run->periods; k++) result->scheduled[k] /= (double)run->periods;
}

static void simulate(struct run *run)
{
  struct armdyn_error error = { 0 };
  enum armdyn_status status = open_trajectory(run, &error);
  if (!status && run->request.has_profile) status = replay_of(&run->request.profile, run->n, &run->replay);
  if (status) {
    work_refused(run->work, status, &error);
    return;
  }
  struct simulation_request *request = &run->request;
  if (isnan(request->bandwidth_hz)) request->bandwidth_hz = USUAL_BANDWIDTH_HZ;
  struct armdyn_simulation motion = {
    .q = request->q,
    .qd = request->qd,
    .duration = request->duration,
    .fixed_step = request->method == SIMULATION_FIXED ? request->step : 0,
    .relative_tolerance = isnan(request->tolerance) ? 0 : request->tolerance,
    .absolute_tolerance = isnan(request->tolerance) ? 0 : request->tolerance,
    .steps_max = LIMIT_SIMULATION_STEPS,
  };
  memcpy(run->last_q, request->q, sizeof run->last_q);
  begin_samples(run);
  status = request->has_control ? simulate_loop(run, &motion, &error) : simulate_model(run, &motion, &error);
  if (status) {
    tell_refused(run, status, &error);
    return;
  }
  send_rows(run);
  run->result.robot = run->work->robot;
  average(run);
  run->result.request = request;
  run->result.request_text = run->work->request;
  struct buffer document = BUFFER(LIMIT_FRAME);
  simulation_result_encode(&run->result, &document);
  work_result(run->work, &document);
  buffer_release(&document);
}

static void compute(struct work *work, struct armdyn_robot *robot, void *context)
{
  struct run *run = context;
  run->work = work;
  run->robot = robot;
  run->n = work->robot->joint_count;
  run->workspace = armdyn_workspace_new(run->n);
  run->load.frictionless = !run->request.friction;
  if (run->workspace)
    simulate(run);
  else
    work_out_of_memory(work);
}

JOB_REQUEST(struct run, simulation_request_decode)

/* What is followed, be it planned or an excitation or a friction test. */
static size_t sources(const void *context, struct job_source *list)
{
  const struct run *run = context;
  const size_t count = job_source_of_motion(run->request.trajectory, list);
  if (!run->request.has_control) return count;
  return count + control_zones_source(&run->request.control, "/control", list + count);
}

static void release(void *context)
{
  struct run *run = context;
  armdyn_workspace_free(run->workspace);
  free(run->zones);
  armdyn_trajectory_free(&run->wanted);
  replay_release(&run->replay);
  simulation_request_release(&run->request);
  simulated_loop_close(&run->loop);
  learning_release(&run->result.learning);
}

const struct job_kind simulation_kind = {
  .name = "simulation",
  .stall_s = 600,
  .form = &simulation_form,
  .samples = &samples,
  .size = sizeof(struct run),
  .labels = offsetof(struct run, request.labels),
  .carried = offsetof(struct run, request.carried),
  .decode = decode,
  .sources = sources,
  .compute = compute,
  .release = release,
};
