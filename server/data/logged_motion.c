#include "server/data/logged_motion.h"

#include <math.h>
#include <stdlib.h>

#include "api/codec/dataset.h"
#include "armdyn/electrical.h"
#include "armdyn/residuals.h"

enum { BANDWIDTH_ROWS = 50000 };

/* -- conditions, as the owner of the data set wrote them -- */

static enum armdyn_status read_conditions(const char *text, struct logged_motion *m)
{
  struct dataset_conditions conditions;
  struct faults *faults = calloc(1, sizeof *faults);
  if (!faults) return ARMDYN_EMEMORY;
  enum armdyn_status status = dataset_conditions_decode(text, strlen(text), &conditions, faults);
  free(faults);
  if (status) return status == ARMDYN_EMEMORY ? status : ARMDYN_EIO; /* they were checked when they were stored */
  const struct overrides *other = &conditions.overrides;
  m->motor_side = conditions.has_side && conditions.torque_side == TORQUE_OF_MOTOR;
  m->whole_torques = conditions.torque_content == TORQUE_FULL;
  m->other_tool_or_gravity = other->has_tool || other->has_gravity;
  m->other_payload = other->has_payload;
  m->payload = other->payload;
  m->other_conditions = m->other_tool_or_gravity || other->has_payload;
  return ARMDYN_OK;
}

/* -- rows -- */

static bool make_room(struct logged_motion *m, size_t count)
{
  const size_t n = m->robot->joint_count;
  if (count <= m->room) return true;
  free(m->time);
  m->time = malloc(count * (1 + 3 * n) * sizeof *m->time);
  m->room = m->time ? count : 0;
  if (!m->time) return false;
  m->q = m->time + count;
  m->tau = m->q + count * n;
  m->qd = m->tau + count * n;
  return true;
}

/* Rows first .. first + count - 1 of the motion. */
static enum armdyn_status read_rows(void *context, size_t first, size_t count, struct armdyn_log *log,
                                    struct armdyn_error *error)
{
  struct logged_motion *m = context;
  const struct dataset_layout *layout = stored_dataset_layout(m->dataset);
  const size_t n = m->robot->joint_count;
  const double *rows;
  size_t got;
  bool any = false;
  for (size_t j = 0; j < n; j++) any = any || m->use_qd[j];
  if (!make_room(m, count)) return ARMDYN_EMEMORY;
  stored_dataset_seek(m->dataset, m->first + first);
  for (size_t done = 0; done < count; done += got) {
    enum armdyn_status status = stored_dataset_next(m->dataset, &rows, &got);
    if (!status && got == 0) status = ARMDYN_EIO;
    if (status) return armdyn_refuse(error, status, "", "a data set cannot be read");
    if (got > count - done) got = count - done;
    for (size_t k = 0; k < got; k++) {
      const double *row = rows + k * layout->width;
      double *tau = m->tau + (done + k) * n;
      m->time[done + k] = row[layout->begin[DATASET_T]];
      memcpy(m->q + (done + k) * n, row + layout->begin[DATASET_Q], n * sizeof *row);
      memset(tau, 0, n * sizeof *tau);
      if (m->has_torques) memcpy(tau, row + layout->begin[DATASET_TAU], n * sizeof *row);
      if (m->has_velocities) memcpy(m->qd + (done + k) * n, row + layout->begin[DATASET_QD], n * sizeof *row);
      if (m->motor_side) armdyn_joint_torques_of_motors(m->robot, tau, tau);
    }
  }
  *log = (struct armdyn_log){ .count = count,
                              .time = m->time,
                              .q = m->q,
                              .tau = m->tau,
                              .qd = m->has_velocities ? m->qd : NULL,
                              .use_qd = any ? m->use_qd : NULL };
  return ARMDYN_OK;
}

static enum armdyn_status check(struct logged_motion *m, const struct store_dataset *row,
                                const struct dataset_layout *layout, struct armdyn_error *error)
{
  const size_t n = m->robot->joint_count;
  if (strcmp(row->robot, m->robot->name) != 0)
    return armdyn_refuse(error, ARMDYN_EINPUT, "", "is of another robot, %s", row->robot);
  if (layout->joints != n)
    return armdyn_refuse(error, ARMDYN_EINPUT, "", "has %zu joints, the model %zu", layout->joints, n);
  if (m->count < 2)
    return armdyn_refuse(error, ARMDYN_EINPUT, "", "has %lld samples, too few to tell anything",
                         (long long)row->samples);
  return ARMDYN_OK;
}

enum armdyn_status logged_motion_open(struct store *store, const char *id, const struct armdyn_robot_description *robot,
                                      double from, double to, struct logged_motion *motion, struct armdyn_error *error)
{
  enum armdyn_status status = logged_motion_open_any(store, id, robot, from, to, motion, error);
  if (!status && motion->has_torques && !motion->whole_torques)
    return armdyn_refuse(error, ARMDYN_EINPUT, "",
                         "has torques without what its controller added by itself, as its conditions say "
                         "(torque_content): nothing follows from them");
  if (status || motion->has_torques) return status;
  return armdyn_refuse(
      error, ARMDYN_EINPUT, "",
      "has no torques; upload it with columns tau1.. (or currents and the torque constants of drives)");
}

enum armdyn_status logged_motion_open_any(struct store *store, const char *id,
                                          const struct armdyn_robot_description *robot, double from, double to,
                                          struct logged_motion *motion, struct armdyn_error *error)
{
  struct logged_motion *m = motion;
  struct armdyn_log log = { 0 };
  *m = (struct logged_motion){ .robot = robot };
  enum armdyn_status status = stored_dataset_open(store, id, &m->dataset);
  if (status == ARMDYN_ENOTFOUND) return armdyn_refuse(error, status, "", "does not exist");
  if (status) return armdyn_refuse(error, status, "", "cannot be read: %s", armdyn_status_text(status));
  const struct store_dataset *row = stored_dataset_row(m->dataset);
  m->first = (size_t)(from * (double)row->samples);
  m->count = (size_t)(to * (double)row->samples) - m->first;
  m->has_torques = stored_dataset_layout(m->dataset)->present[DATASET_TAU];
  m->has_velocities = stored_dataset_layout(m->dataset)->present[DATASET_QD];
  if ((status = read_conditions(row->conditions, m)))
    return armdyn_refuse(error, status, "", "has conditions that cannot be read: %s", armdyn_status_text(status));
  status = check(m, row, stored_dataset_layout(m->dataset), error);
  if (!status) status = read_rows(m, 0, 1, &log, error);
  if (!status) m->begin = log.time[0];
  if (!status) status = read_rows(m, m->count - 1, 1, &log, error);
  if (!status) m->end = log.time[0];
  if (!status && !(m->end > m->begin))
    status = armdyn_refuse(error, ARMDYN_EINPUT, "", "ends when it begins; its clock does not run");
  return status;
}

void logged_motion_close(struct logged_motion *motion)
{
  stored_dataset_close(motion->dataset);
  free(motion->time);
  *motion = (struct logged_motion){ .room = 0 };
}

struct armdyn_log_reader logged_motion_reader(struct logged_motion *motion)
{
  return (struct armdyn_log_reader){
    .count = motion->count, .first = motion->begin, .last = motion->end, .read = read_rows, .context = motion
  };
}

enum armdyn_status logged_motion_head(struct logged_motion *motion, double seconds, struct armdyn_log *log,
                                      struct armdyn_error *error)
{
  const double rows = ceil(seconds * logged_motion_rate(motion)) + 1;
  return read_rows(motion, 0, rows < (double)motion->count ? (size_t)rows : motion->count, log, error);
}

double logged_motion_rate(const struct logged_motion *motion)
{
  return (double)(motion->count - 1) / (motion->end - motion->begin);
}

double logged_motion_cutoff(double bandwidth, double rate)
{
  /* what is slower than an arm's drives stays, most noise goes */
  static const double of_bandwidth = 10, least = 5, most_of_rate = 0.2;
  return fmin(fmax(of_bandwidth * bandwidth, least), most_of_rate * rate);
}

enum armdyn_status logged_motion_bandwidth(struct logged_motion *m, double *bandwidth, struct armdyn_error *error)
{
  const size_t n = m->robot->joint_count, rows = m->count < BANDWIDTH_ROWS ? m->count : BANDWIDTH_ROWS;
  const double rate = logged_motion_rate(m);
  struct armdyn_log log = { 0 };
  double *even = NULL;
  enum armdyn_status status = read_rows(m, 0, rows, &log, error);
  if (status) return status;
  const size_t count = armdyn_resampled_count(log.count, log.time, rate);
  even = malloc(count * n * sizeof *even);
  if (!even) return ARMDYN_EMEMORY;
  status = armdyn_resample(log.count, n, log.time, log.q, rate, count, even, error);
  if (!status) {
    status = armdyn_bandwidth(count, n, rate, even, bandwidth);
    if (status) armdyn_refuse(error, status, "", "has %zu samples, too few to tell anything", count);
  }
  free(even);
  return status;
}
