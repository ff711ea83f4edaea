#include "api/codec/control.h"

#include <string.h>

/* -- control -- */

#define GAINS BETWEEN(0, 1e9)

/* The first rows of the table below, in the order of the bits of enum armdyn_gain. On the wire forces stand before moments. */
static const struct gain {
  const char *name;
  size_t offset;
  enum { FOR_JOINTS, FOR_ALL, FOR_AXES } of;
} gains[] = {
  { "kp", offsetof(struct armdyn_gains, kp), FOR_JOINTS },
  { "ki", offsetof(struct armdyn_gains, ki), FOR_JOINTS },
  { "kd", offsetof(struct armdyn_gains, kd), FOR_JOINTS },
  { "lambda", offsetof(struct armdyn_gains, lambda), FOR_JOINTS },
  { "adaptation", offsetof(struct armdyn_gains, adaptation), FOR_ALL },
  { "stiffness", offsetof(struct armdyn_gains, stiffness), FOR_AXES },
  { "damping", offsetof(struct armdyn_gains, damping), FOR_AXES },
  { "inertia", offsetof(struct armdyn_gains, inertia), FOR_AXES },
  { "joint_inertia", offsetof(struct armdyn_gains, joint_inertia), FOR_JOINTS },
  { "force", offsetof(struct armdyn_gains, force), FOR_AXES },
  { "force_kp", offsetof(struct armdyn_gains, force_kp), FOR_AXES },
  { "force_ki", offsetof(struct armdyn_gains, force_ki), FOR_AXES },
  { "selection", offsetof(struct armdyn_gains, selection), FOR_AXES },
};
/* What no bandwidth makes. */
static const unsigned needed = ARMDYN_GAIN_STIFFNESS | ARMDYN_GAIN_FORCE | ARMDYN_GAIN_SELECTION;
enum { GAIN_COUNT = sizeof gains / sizeof *gains };

const char *control_gain_name(size_t k)
{
  return k < GAIN_COUNT ? gains[k].name : NULL;
}

static void control_init(void *object)
{
  *(struct control_request *)object = (struct control_request){ .law = ARMDYN_LAW_COMPUTED_TORQUE,
                                                                .rate_hz = 1000,
                                                                .velocity_filter_hz = NAN,
                                                                .filter = { .width = 0.5 },
                                                                .learn_periods = 10,
                                                                .torque_limits = true };
}

enum { OF_A_PID = ARMDYN_GAIN_KP | ARMDYN_GAIN_KI | ARMDYN_GAIN_KD };

static void check_gains(struct json_reader *r, const struct control_request *control)
{
  const unsigned taken = armdyn_law_gains(control->law);
  for (size_t k = 0; k < GAIN_COUNT; k++) {
    char pointer[32];
    snprintf(pointer, sizeof pointer, "/%s", gains[k].name);
    if (control->given & ~taken & 1u << k)
      json_fault(r, pointer, FAULT_INCONSISTENT, "the law %s has no %s", control_laws[control->law], gains[k].name);
  }
  for (size_t k = 0; k < GAIN_COUNT; k++) {
    char pointer[32];
    snprintf(pointer, sizeof pointer, "/%s", gains[k].name);
    if (taken & needed & ~control->given & 1u << k)
      json_fault(r, pointer, FAULT_REQUIRED, "the law %s needs it", control_laws[control->law]);
  }
}

/* Of laws that shape an inertia, or choose axes; on the wire forces stand before moments still. */
static void check_axes(struct json_reader *r, const struct control_request *control, size_t joints)
{
  const struct armdyn_gains *all = &control->gains;
  const bool shapes = armdyn_law_gains(control->law) & ARMDYN_GAIN_INERTIA;
  char pointer[32];
  size_t shaped = 0;
  for (size_t i = 0; i < 6; i++) {
    const bool given = control->given & ARMDYN_GAIN_INERTIA;
    snprintf(pointer, sizeof pointer, "/%s/%zu", given ? "inertia" : "stiffness", i);
    if (shapes && !((given ? all->inertia[i] : all->stiffness[i]) > 0))
      json_fault(r, pointer, FAULT_MINIMUM, "must be above 0%s",
                 given ? "" : ": without inertia, that is made from it, stiffness / w^2");
    snprintf(pointer, sizeof pointer, "/selection/%zu", i);
    if (all->selection[i] != 0 && all->selection[i] != 1)
      json_fault(r, pointer, FAULT_ENUM, "must be 0 (position) or 1 (force), got %g", all->selection[i]);
  }
  for (size_t j = 0; j < joints; j++) shaped += all->joint_inertia[j] > 0;
  if (shaped && shaped < joints)
    json_fault(r, "/joint_inertia", FAULT_INCONSISTENT, "must be above 0 for all joints, or 0 for all: the arm's own");
  if (control->factors.count && !(armdyn_law_gains(control->law) & ARMDYN_GAIN_ADAPTATION))
    json_fault(r, "/adaptation_factors", FAULT_INCONSISTENT, "the law %s learns no parameters",
               control_laws[control->law]);
  if (control->has_learn_periods && control->law != ARMDYN_LAW_LAYERED)
    json_fault(r, "/learn_periods", FAULT_INCONSISTENT, "the law %s has one layer alone", control_laws[control->law]);
  if (control->has_schedule && !armdyn_law_schedules(control->law))
    json_fault(r, "/schedule", FAULT_INCONSISTENT,
               "goes with pid, pid_gravity, pid_friction and feedforward, not with %s", control_laws[control->law]);
  if (control->has_schedule && control->schedule.has_gains_at && ~control->given & OF_A_PID)
    json_fault(r, "/schedule/gains_at", FAULT_INCONSISTENT,
               "needs kp, ki and kd, which hold there; a tuning finds them: leave it out there");
  if (control->has_search && control->law != ARMDYN_LAW_HYBRID)
    json_fault(r, "/search", FAULT_INCONSISTENT, "the law %s has no search", control_laws[control->law]);
}

/* -- how fast parameters are learnt -- */

/* "j2.Ixx": the parameter of a joint by its name. False: there is none. */
static bool parameter_named(const struct armdyn_robot_description *robot, const char *name,
                            struct armdyn_parameter_id *id)
{
  for (size_t j = 0; j < robot->joint_count; j++) {
    char joint[ARMDYN_NAME_SIZE + 8];
    if (*robot->joints[j].name)
      snprintf(joint, sizeof joint, "%s.", robot->joints[j].name);
    else
      snprintf(joint, sizeof joint, "j%zu.", j + 1);
    id->joint = j;
    if (!strncmp(name, joint, strlen(joint)) && armdyn_parameter_id_read(name + strlen(joint), id)) return true;
  }
  return false;
}

static void factors_decode(struct json_reader *r, const struct json_field *field, void *member,
                           const struct json_context *context)
{
  struct control_factors *factors = member;
  struct json_slice key;
  char name[ARMDYN_PARAMETER_NAME_SIZE + 16];
  if (!json_enter_object(r, field->unit)) return;
  while (json_next_member(r, &key)) {
    struct armdyn_adaptation_factor one = { .factor = 1 }, unread;
    const bool full = factors->count == ARMDYN_ADAPTATION_FACTORS_MAX;
    if (json_slice_decode(key, name, sizeof name) >= sizeof name ||
        !parameter_named(context->user, name, &one.parameter))
      json_fault(r, NULL, FAULT_ENUM,
                 "is no parameter of this robot: those of j1 are j1.m, j1.Izz, j1.viscous and so on");
    if (!json_read_number(r, "a number", &one.factor)) continue;
    if (one.factor < 0 || one.factor > 1e6)
      json_fault(r, NULL, FAULT_MINIMUM, "must be from 0 to 1e6, got %g", one.factor);
    if (full) json_fault(r, NULL, FAULT_LENGTH, "must be at most %d parameters", ARMDYN_ADAPTATION_FACTORS_MAX);
    *(full ? &unread : &factors->items[factors->count++]) = one;
  }
}

static const struct json_field search_fields[] = {
  { NUMBER(struct armdyn_search, radius, ABOVE_UP_TO(0, 1), "m"), REQUIRED },
  { NUMBER(struct armdyn_search, pitch, ABOVE_UP_TO(0, 1), "m"), REQUIRED },
  { NUMBER(struct armdyn_search, speed, ABOVE_UP_TO(0, 10), "m/s"), REQUIRED },
  { NUMBER(struct armdyn_search, fall, ABOVE_UP_TO(0, 1), "m"), REQUIRED },
};
static const struct json_type search_type =
    JSON_TYPE("a search: radius, pitch, fall (m), speed (m/s)", search_fields, struct armdyn_search, NULL, NULL);

static void check_filter(struct json_reader *r, const struct control_request *control)
{
  const struct {
    const char *pointer;
    double value;
  } filters[] = { { "/lowpass_hz", control->filter.lowpass }, { "/notch_hz", control->filter.notch } };
  for (size_t k = 0; k < sizeof filters / sizeof *filters; k++)
    if (filters[k].value >= control->rate_hz / 2)
      json_fault(r, filters[k].pointer, FAULT_MAXIMUM, "must be below half of rate_hz, %g, got %g",
                 control->rate_hz / 2, filters[k].value);
}

static void control_check(struct json_reader *r, void *object, uint64_t given, const struct json_context *context)
{
  struct control_request *control = object;
  control->given = (unsigned)(given & ((1u << GAIN_COUNT) - 1));
  if (json_reader_status(r)) return; /* of what is wrong nothing follows */
  check_gains(r, control);
  check_axes(r, control, context->joint_count);
  for (size_t k = 0; k < GAIN_COUNT; k++)
    if (gains[k].of == FOR_AXES) swap_halves((double *)(void *)((char *)&control->gains + gains[k].offset), 3);
  if (isnan(control->velocity_filter_hz))
    control->velocity_filter_hz = control->has_encoder ? control->rate_hz / 10 : 0;
  if (control->has_encoder && !(control->velocity_filter_hz > 0))
    json_fault(r, "/velocity_filter_hz", FAULT_INCONSISTENT, "of an encoder's positions velocities are differences");
  if (control->velocity_filter_hz > control->rate_hz / 2)
    json_fault(r, "/velocity_filter_hz", FAULT_MAXIMUM, "must be at most half of rate_hz, %g, got %g",
               control->rate_hz / 2, control->velocity_filter_hz);
  check_filter(r, control);
}

#define CONTROL struct control_request
static const struct json_field control_fields[] = {
  { NUMBERS(CONTROL, gains.kp, PER_JOINT, GAINS, "N m/rad, N/m"), NAMED("kp"), NULLABLE },
  { NUMBERS(CONTROL, gains.ki, PER_JOINT, GAINS, "N m/(rad s), N/(m s)"), NAMED("ki"), NULLABLE },
  { NUMBERS(CONTROL, gains.kd, PER_JOINT, GAINS, "N m s/rad, N s/m"), NAMED("kd"), NULLABLE },
  { NUMBERS(CONTROL, gains.lambda, PER_JOINT, GAINS, "1/s"), NAMED("lambda"), NULLABLE },
  { NUMBER(CONTROL, gains.adaptation, GAINS, "1/s^2"), NAMED("adaptation"), NULLABLE },
  { NUMBERS(CONTROL, gains.stiffness, 6, GAINS, "N/m, N m/rad"), NAMED("stiffness"), NULLABLE },
  { NUMBERS(CONTROL, gains.damping, 6, GAINS, "N s/m, N m s/rad"), NAMED("damping"), NULLABLE },
  { NUMBERS(CONTROL, gains.inertia, 6, GAINS, "kg, kg m^2"), NAMED("inertia"), NULLABLE },
  { NUMBERS(CONTROL, gains.joint_inertia, PER_JOINT, GAINS, "kg m^2, kg"), NAMED("joint_inertia"), NULLABLE },
  { NUMBERS(CONTROL, gains.force, 6, BETWEEN(-1e6, 1e6), "N, N m"), NAMED("force"), NULLABLE },
  { NUMBERS(CONTROL, gains.force_kp, 6, GAINS, NULL), NAMED("force_kp"), NULLABLE },
  { NUMBERS(CONTROL, gains.force_ki, 6, GAINS, "1/s"), NAMED("force_ki"), NULLABLE },
  { NUMBERS(CONTROL, gains.selection, 6, BETWEEN(0, 1), NULL), NAMED("selection"), NULLABLE },
  { ENUM(CONTROL, law, control_laws) },
  { NUMBER(CONTROL, rate_hz, BETWEEN(1, 100000), "Hz") },
  { INTEGER(CONTROL, delay_periods, BETWEEN(0, ARMDYN_DELAY_MAX), NULL) },
  { NUMBERS(CONTROL, encoder_resolution, PER_JOINT, BETWEEN(0, 1), "rad, m"), HAS(CONTROL, has_encoder), NULLABLE },
  { NUMBER(CONTROL, velocity_filter_hz, BETWEEN(0, 100000), "Hz"), NULLABLE },
  { NUMBER(CONTROL, filter.lowpass, BETWEEN(0, 50000), "Hz"), NAMED("lowpass_hz"), NULLABLE },
  { NUMBER(CONTROL, filter.notch, BETWEEN(0, 50000), "Hz"), NAMED("notch_hz"), NULLABLE },
  { NUMBER(CONTROL, filter.width, BETWEEN(0.001, 10), NULL), NAMED("notch_width"), NULLABLE },
  { INTEGER(CONTROL, learn_periods, BETWEEN(1, 100000), NULL), HAS(CONTROL, has_learn_periods), NULLABLE },
  { CUSTOM(CONTROL, factors, factors_decode, NULL, "an object: parameters and their factors, as {\"j1.m\": 0}"),
    NAMED("adaptation_factors"), NULLABLE },
  { OBJECT(CONTROL, schedule, control_schedule_type), HAS(CONTROL, has_schedule), NULLABLE },
  { OBJECT(CONTROL, search, search_type), HAS(CONTROL, has_search), NULLABLE },
  { TRUTH(CONTROL, torque_limits) },
};
const struct json_type control_type = JSON_TYPE("a controller", control_fields, CONTROL, control_init, control_check);

void control_in_force(const struct control_request *request, const struct armdyn_robot *robot, double bandwidth_hz,
                      const double *q, bool friction, struct armdyn_workspace *workspace,
                      struct armdyn_control *control)
{
  const struct armdyn_robot_description *description = armdyn_robot_description(robot);
  const size_t sizes[] = { [FOR_JOINTS] = ARMDYN_JOINTS_MAX, [FOR_ALL] = 1, [FOR_AXES] = 6 };
  *control = (struct armdyn_control){
    .law = request->law,
    .period = 1 / request->rate_hz,
    .frictionless = !friction,
    .filter = request->filter,
    .search = request->search,
    .learn_periods = request->learn_periods,
    .factor_count = request->factors.count,
  };
  memcpy(control->factors, request->factors.items, sizeof control->factors);
  armdyn_gains_init(robot, request->law, bandwidth_hz, q, workspace, &control->gains);
  memcpy(control->gains.stiffness, request->gains.stiffness, sizeof control->gains.stiffness);
  memcpy(control->gains.selection, request->gains.selection, sizeof control->gains.selection);
  armdyn_gains_damp(&control->gains, bandwidth_hz);
  for (size_t k = 0; k < GAIN_COUNT; k++)
    if (request->given & 1u << k)
      memcpy((char *)&control->gains + gains[k].offset, (const char *)&request->gains + gains[k].offset,
             sizes[gains[k].of] * sizeof(double));
  if (request->has_schedule) control_schedule_in_force(&request->schedule, robot, q, workspace, control);
  for (size_t j = 0; j < description->joint_count; j++)
    control->torque_limit[j] = request->torque_limits ? description->joints[j].limits.torque : INFINITY;
}

bool control_alone(enum armdyn_law law)
{
  return law == ARMDYN_LAW_PID_GRAVITY || law == ARMDYN_LAW_PID_FRICTION || law == ARMDYN_LAW_FEEDFORWARD ||
         law == ARMDYN_LAW_COMPUTED_TORQUE;
}

void control_take_alone(const struct armdyn_robot *robot, const double *q, struct armdyn_workspace *workspace,
                        struct armdyn_control *control)
{
  const size_t n = armdyn_robot_joint_count(robot);
  double M[ARMDYN_JOINTS_MAX * ARMDYN_JOINTS_MAX];
  if (control->law == ARMDYN_LAW_COMPUTED_TORQUE) {
    armdyn_mass_matrix(robot, q, workspace, M);
    for (size_t j = 0; j < n; j++) control->gains.kp[j] *= M[j * (n + 1)], control->gains.kd[j] *= M[j * (n + 1)];
  }
  control->law = ARMDYN_LAW_PID;
  for (size_t k = 0; k < control->schedule.count; k++) control->schedule.entries[k].law = ARMDYN_LAW_PID;
}

void control_encode(struct json_writer *w, const struct armdyn_control *control, const struct control_schedule *asked,
                    const struct armdyn_robot_description *robot)
{
  const size_t joints = robot->joint_count;
  const unsigned taken = armdyn_law_gains(control->law);
  json_begin_object(w);
  json_key(w, "law"), json_write_text(w, control_laws[control->law]);
  json_key(w, "rate_hz"), json_write_number(w, 1 / control->period);
  for (size_t k = 0; k < GAIN_COUNT; k++) {
    double values[ARMDYN_JOINTS_MAX] = { 0 };
    if (!(taken & 1u << k)) continue;
    const size_t count = gains[k].of == FOR_JOINTS ? joints : gains[k].of == FOR_ALL ? 1 : 6;
    memcpy(values, (const char *)&control->gains + gains[k].offset, count * sizeof *values);
    if (gains[k].of == FOR_AXES) swap_halves(values, 3);
    json_key(w, gains[k].name);
    if (gains[k].of == FOR_ALL)
      json_write_number(w, *values);
    else
      json_write_numbers(w, values, count);
  }
  if (control->schedule.count || control->schedule.zones)
    json_key(w, "schedule"), control_schedule_encode(w, &control->schedule, asked, robot);
  if (control->law == ARMDYN_LAW_LAYERED)
    json_key(w, "learn_periods"), json_write_integer(w, (long long)control->learn_periods);
  if (control->search.radius > 0) json_key(w, "search"), json_encode_object(w, &search_type, &control->search, NULL);
  if (control->filter.lowpass > 0) json_key(w, "lowpass_hz"), json_write_number(w, control->filter.lowpass);
  if (control->filter.notch > 0) {
    json_key(w, "notch_hz"), json_write_number(w, control->filter.notch);
    json_key(w, "notch_width"), json_write_number(w, control->filter.width);
  }
  json_end_object(w);
}
