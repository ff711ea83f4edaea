#include "server/work/motion_series.h"

#include <math.h>
#include <stdlib.h>

#include "server/data/stored_trajectory.h"
#include "server/work/messages.h"

enum { CHUNK_ROWS = 512 };

static const struct sample_field fields[] = { { "t", 1 },
                                              { "q", PER_JOINT },
                                              { "qd", PER_JOINT },
                                              { "qdd", PER_JOINT },
                                              { "tau", PER_JOINT },
                                              { "power", PER_JOINT },
                                              { "tool_position", 3 },
                                              { "tool_velocity", 3 },
                                              { "tool_acceleration", 3 } };
const struct series_form motion_samples = { .fields = fields,
                                            .field_count = sizeof fields / sizeof *fields,
                                            .named_count = TOOL_FIELDS,
                                            .polynomial = true,
                                            .computes_tool = true };

struct sending {
  struct work *work;
  const struct armdyn_robot *robot;
  const struct armdyn_trajectory *trajectory;
  struct armdyn_workspace *workspace;
  size_t n;
  double *rows; /* CHUNK_ROWS of samples */
  double last_torque[ARMDYN_JOINTS_MAX];
};

static void note_steps(struct sending *s, size_t k, const double *tau, double rate, const struct armdyn_limits *limits,
                       bool *stepping)
{
  for (size_t j = 0; j < s->n; j++) {
    double step = fabs(tau[j] - s->last_torque[j]), most = limits[j].torque_rate / rate;
    if (k > 0 && step > most * (1 + 1e-9)) stepping[j] = true;
    s->last_torque[j] = tau[j];
  }
}

static void send_samples(struct sending *s, double rate, const struct armdyn_limits *limits, double fraction,
                         bool *stepping)
{
  char columns[SERIES_COLUMNS] = "t";
  size_t width = 1 + 5 * s->n, length = 1, count = armdyn_sample_count(s->trajectory, rate);
  static const char *const names[] = { "q", "qd", "qdd", "tau", "power" };
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    for (size_t j = 1; j <= s->n; j++)
      length += (size_t)snprintf(columns + length, sizeof columns - length, ",%s%zu", names[i], j);
  work_series(s->work, SERIES_SAMPLES, columns, width);

  for (size_t first = 0; first < count; first += CHUNK_ROWS) {
    size_t rows = count - first < CHUNK_ROWS ? count - first : CHUNK_ROWS;
    for (size_t k = 0; k < rows; k++) {
      double t = armdyn_sample_time(s->trajectory, rate, first + k);
      armdyn_trajectory_sample(s->robot, s->trajectory, t, s->workspace, s->rows + k * width);
      note_steps(s, first + k, s->rows + k * width + 1 + 3 * s->n, rate, limits, stepping);
    }
    work_rows(s->work, s->rows, rows);
    work_progress(s->work, fraction + (1 - fraction) * (double)(first + rows) / (double)count, "computing torques");
  }
}

/* One row for each piece and joint: [begin, end, joint, c0, c1, ...], q = sum c_i (t - begin)^i. */
static void send_polynomial(struct sending *s)
{
  const struct armdyn_trajectory *t = s->trajectory;
  char columns[512] = "begin,end,joint";
  size_t width = 3 + t->degree + 1, length = strlen(columns), filled = 0;
  for (size_t i = 0; i <= t->degree; i++)
    length += (size_t)snprintf(columns + length, sizeof columns - length, ",c%zu", i);
  work_series(s->work, SERIES_POLYNOMIAL, columns, width);

  size_t room = CHUNK_ROWS * (1 + 5 * s->n) / width;
  for (size_t k = 0; k < t->piece_count; k++)
    for (size_t j = 0; j < s->n; j++) {
      double *row = s->rows + filled * width;
      row[0] = t->breaks[k], row[1] = t->breaks[k + 1], row[2] = (double)(j + 1);
      memcpy(row + 3, t->coefficients + (k * s->n + j) * (t->degree + 1), (t->degree + 1) * sizeof *row);
      if (++filled < room) continue;
      work_rows(s->work, s->rows, filled);
      filled = 0;
    }
  work_rows(s->work, s->rows, filled);
}

enum armdyn_status motion_series_send(struct work *work, const struct armdyn_robot *robot,
                                      const struct armdyn_trajectory *trajectory, double sample_rate,
                                      const struct armdyn_limits *limits, double fraction, bool *stepping)
{
  struct sending s = { .work = work, .robot = robot, .trajectory = trajectory, .n = trajectory->joint_count };
  s.rows = malloc(CHUNK_ROWS * (1 + 5 * s.n) * sizeof *s.rows);
  s.workspace = armdyn_workspace_new(s.n);
  enum armdyn_status status = s.rows && s.workspace ? ARMDYN_OK : ARMDYN_EMEMORY;
  if (!status) {
    memset(stepping, 0, s.n * sizeof *stepping);
    send_samples(&s, sample_rate, limits, fraction, stepping);
    send_polynomial(&s);
  }
  armdyn_workspace_free(s.workspace);
  free(s.rows);
  return status;
}
