/* A schedule of a controller's gains. */
#include "api/codec/control_schedule.h"

#include <string.h>

#include "api/codec/plant.h"

static const char *const over_names[] = {
  [ARMDYN_SCHEDULE_SPEED] = "speed", [ARMDYN_SCHEDULE_LOAD] = "load", [ARMDYN_SCHEDULE_POSITION] = "position"
};
_Static_assert(sizeof over_names / sizeof *over_names == ARMDYN_SCHEDULES, "name every one");

/* In the order of enum armdyn_law. */
const char *const control_laws[ARMDYN_LAWS] = {
#define X(name, text) text,
  ARMDYN_LAW_LIST(X)
#undef X
};

#define ENTRY    struct control_entry
#define SCHEDULE struct control_schedule
#define GAINS    BETWEEN(0, 1e9)

static void entry_init(void *object)
{
  *(ENTRY *)object = (ENTRY){ .from = NAN, .bandwidth_hz = NAN };
}
enum { ROW_LAW };
static void entry_check(struct json_reader *r, void *object, uint64_t given, const struct json_context *context)
{
  ENTRY *entry = object;
  (void)context;
  entry->has_law = given >> ROW_LAW & 1;
  if (entry->has_law && !armdyn_law_schedules(entry->law))
    json_fault(r, "/law", FAULT_ENUM, "must be a PID and more: pid, pid_gravity, pid_friction or feedforward");
}
static const struct json_field entry_fields[] = {
  [ROW_LAW] = { ENUM(ENTRY, law, control_laws) },
  { NUMBER(ENTRY, from, BETWEEN(-1e9, 1e9), "rad/s, N m or rad") },
  { NUMBER(ENTRY, bandwidth_hz, BETWEEN(0.01, 1000), "Hz"), NULLABLE },
  { NUMBERS(ENTRY, kp, PER_JOINT, GAINS, "N m/rad, N/m"), HAS(ENTRY, has_kp), NULLABLE },
  { NUMBERS(ENTRY, ki, PER_JOINT, GAINS, "N m/(rad s), N/(m s)"), HAS(ENTRY, has_ki), NULLABLE },
  { NUMBERS(ENTRY, kd, PER_JOINT, GAINS, "N m s/rad, N s/m"), HAS(ENTRY, has_kd), NULLABLE },
};
static const struct json_type entry_type =
    JSON_TYPE("an entry of a schedule", entry_fields, ENTRY, entry_init, entry_check);

enum { ROW_OVER, ROW_JOINT, ROW_HYSTERESIS, ROW_ENTRIES, ROW_ZONES, ROW_GAINS_AT };

/* By a number of the state, or by zones. */
static void check_kind(struct json_reader *r, const SCHEDULE *schedule, uint64_t given)
{
  static const struct {
    unsigned row;
    const char *pointer;
  } of_entries[] = { { ROW_OVER, "/over" }, { ROW_JOINT, "/joint" }, { ROW_ENTRIES, "/entries" } };
  for (size_t k = 0; k < sizeof of_entries / sizeof *of_entries; k++) {
    const bool there = given >> of_entries[k].row & 1;
    if (there && *schedule->zones)
      json_fault(r, of_entries[k].pointer, FAULT_INCONSISTENT, "does not go with zones, which say it themselves");
    if (!there && !*schedule->zones)
      json_fault(r, of_entries[k].pointer, FAULT_REQUIRED, "a schedule has over, joint and entries, or zones");
  }
  if (schedule->has_gains_at && !*schedule->zones)
    json_fault(r, "/gains_at", FAULT_INCONSISTENT, "goes with zones; entries have gains of their own");
}

static void schedule_decode_check(struct json_reader *r, void *object, uint64_t given,
                                  const struct json_context *context)
{
  const SCHEDULE *schedule = object;
  char where[48];
  (void)context;
  if (json_reader_status(r)) return;
  check_kind(r, schedule, given);
  for (size_t k = 0; k < schedule->count; k++) {
    const double from = schedule->entries[k].from;
    snprintf(where, sizeof where, "/entries/%zu/from", k);
    if (k > 0 && isnan(from))
      json_fault(r, where, FAULT_REQUIRED, "where the entry begins; only the first has no beginning");
    else if (k == 0 && !isnan(from))
      json_fault(r, where, FAULT_INCONSISTENT, "the first entry has no beginning: it is in force below the second");
    else if (k > 1 && !(from > schedule->entries[k - 1].from))
      json_fault(r, where, FAULT_INCONSISTENT, "must increase, got %g after %g", from, schedule->entries[k - 1].from);
  }
}
static const struct json_field schedule_fields[] = {
  [ROW_OVER] = { ENUM(SCHEDULE, over, over_names) },
  [ROW_JOINT] = { CUSTOM(SCHEDULE, joint, joint_name_decode, NULL, "the name of a joint") },
  [ROW_HYSTERESIS] = { NUMBER(SCHEDULE, hysteresis, BETWEEN(0, 1e9), "of what it is over; of zones rad, m") },
  [ROW_ENTRIES] = { LIST(SCHEDULE, entries, count, 2, entry_type) },
  [ROW_ZONES] = { TEXT(SCHEDULE, zones), MATCHES(json_id_pattern) },
  [ROW_GAINS_AT] = { NUMBERS(SCHEDULE, gains_at, PER_JOINT, BETWEEN(-1e6, 1e6), "rad, m"), HAS(SCHEDULE, has_gains_at),
                     NULLABLE },
};
const struct json_type control_schedule_type =
    JSON_TYPE("a schedule", schedule_fields, SCHEDULE, NULL, schedule_decode_check);

void control_schedule_in_force(const struct control_schedule *asked, const struct armdyn_robot *robot, const double *q,
                               struct armdyn_workspace *workspace, struct armdyn_control *control)
{
  struct armdyn_schedule *schedule = &control->schedule;
  *schedule = (struct armdyn_schedule){
    .count = asked->count, .over = asked->over, .joint = asked->joint, .hysteresis = asked->hysteresis
  };
  for (size_t k = 0; k < asked->count; k++) {
    const struct control_entry *from = &asked->entries[k];
    struct armdyn_schedule_entry *entry = &schedule->entries[k];
    struct armdyn_gains gains = control->gains;
    entry->from = k ? from->from : -INFINITY;
    entry->law = from->has_law ? from->law : control->law;
    if (!isnan(from->bandwidth_hz)) armdyn_gains_init(robot, entry->law, from->bandwidth_hz, q, workspace, &gains);
    memcpy(entry->kp, from->has_kp ? from->kp : gains.kp, sizeof entry->kp);
    memcpy(entry->ki, from->has_ki ? from->ki : gains.ki, sizeof entry->ki);
    memcpy(entry->kd, from->has_kd ? from->kd : gains.kd, sizeof entry->kd);
  }
}

void control_schedule_encode(struct json_writer *w, const struct armdyn_schedule *schedule,
                             const struct control_schedule *asked, const struct armdyn_robot_description *robot)
{
  const size_t joints = robot->joint_count;
  json_begin_object(w);
  if (schedule->zones)
    json_key(w, "zones"), json_write_text(w, asked->zones);
  else {
    json_member_text(w, "over", over_names[schedule->over]);
    json_member_text(w, "joint", robot->joints[schedule->joint].name);
  }
  json_key(w, "hysteresis"), json_write_number(w, schedule->hysteresis);
  if (asked->has_gains_at) json_key(w, "gains_at"), json_write_numbers(w, asked->gains_at, joints);
  if (schedule->zones) {
    json_end_object(w);
    return;
  }
  json_key(w, "entries"), json_begin_array(w);
  for (size_t k = 0; k < schedule->count; k++) {
    const struct armdyn_schedule_entry *entry = &schedule->entries[k];
    json_begin_object(w);
    if (k) json_key(w, "from"), json_write_number(w, entry->from);
    json_key(w, "law"), json_write_text(w, control_laws[entry->law]);
    json_key(w, "kp"), json_write_numbers(w, entry->kp, joints);
    json_key(w, "ki"), json_write_numbers(w, entry->ki, joints);
    json_key(w, "kd"), json_write_numbers(w, entry->kd, joints);
    json_end_object(w);
  }
  json_end_array(w);
  json_end_object(w);
}
