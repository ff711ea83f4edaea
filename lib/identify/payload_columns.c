/* P being the pseudo-inertia of the payload in the tool frame, T the pose of that in the frame of the last link as a 4 x 4
 * matrix, the last link has T P T' more. Its columns are those of the last link, turned by that map. */
#include "lib/identify/payload_columns.h"

#include <stdlib.h>
#include <string.h>

#include "armdyn/regressor.h"
#include "lib/identify/pseudo_inertia.h"
#include "lib/model/compiled.h"

static const struct armdyn_parameter_choice bodies = { .rotors = ARMDYN_ROTORS_NONE, .frictionless = true };

void payload_to_link(const struct armdyn_robot *robot, double map[PAYLOAD_TEN * PAYLOAD_TEN])
{
  const struct pose link = pose_inverse(&robot->joints[robot->joint_count - 1].frame);
  struct pose tool;
  double T[16] = { 0 };
  pose_multiply(&tool, &link, &robot->tool);
  for (int i = 0; i < 3; i++) {
    memcpy(T + 4 * i, tool.r + 3 * i, 3 * sizeof *T);
    T[4 * i + 3] = tool.p[i];
  }
  T[15] = 1;
  for (int k = 0; k < PAYLOAD_TEN; k++) {
    double unit[PAYLOAD_TEN] = { 0 }, P[16], half[16] = { 0 }, whole[16] = { 0 }, column[PAYLOAD_TEN];
    unit[k] = 1;
    pseudo_inertia_of(unit, P);
    for (int i = 0; i < 4; i++) {
      for (int j = 0; j < 4; j++) {
        for (int m = 0; m < 4; m++) half[4 * i + j] += T[4 * i + m] * P[4 * m + j];
      }
    }
    for (int i = 0; i < 4; i++) {
      for (int j = 0; j < 4; j++) {
        for (int m = 0; m < 4; m++) whole[4 * i + j] += half[4 * i + m] * T[4 * j + m];
      }
    }
    pseudo_inertia_parameters(whole, column);
    for (int i = 0; i < PAYLOAD_TEN; i++) map[PAYLOAD_TEN * i + k] = column[i];
  }
}

bool payload_columns_open(struct payload_columns *columns, const struct armdyn_robot *robot)
{
  const size_t n = armdyn_robot_joint_count(robot);
  *columns = (struct payload_columns){ .robot = robot, .n = n };
  payload_to_link(robot, columns->to_link);
  columns->workspace = armdyn_workspace_new(n);
  columns->Y = malloc(PAYLOAD_BATCH * n * PAYLOAD_TEN * n * sizeof *columns->Y);
  return columns->workspace && columns->Y;
}

void payload_columns_close(struct payload_columns *columns)
{
  armdyn_workspace_free(columns->workspace);
  free(columns->Y);
  columns->workspace = NULL;
  columns->Y = NULL;
}

void payload_columns_fill(struct payload_columns *columns, const struct armdyn_motion *motion, size_t first,
                          size_t count, double *out)
{
  const size_t n = columns->n, at = first * n, width = PAYLOAD_TEN * n;
  const struct armdyn_samples samples = {
    .count = count, .q = { motion->q + at, n }, .qd = { motion->qd + at, n }, .qdd = { motion->qdd + at, n }
  };
  armdyn_regressor_batch(columns->robot, &bodies, &samples, columns->workspace, columns->Y);
  memset(out, 0, count * n * PAYLOAD_TEN * sizeof *out);
  for (size_t i = 0; i < count * n; i++) {
    const double *link = columns->Y + i * width + PAYLOAD_TEN * (n - 1);
    for (size_t a = 0; a < PAYLOAD_TEN; a++)
      for (size_t b = 0; b < PAYLOAD_TEN; b++)
        out[i * PAYLOAD_TEN + b] += link[a] * columns->to_link[a * PAYLOAD_TEN + b];
  }
}
