/* Friction at coupled motors is identified at the outputs of the gears (lib/model/gears.h), where it is each joint its own.
 *   motion     p = G q and its derivatives: filters and differences are linear, so they may be those of the joints
 *   equations  t = G^-T tau = (G^-T Y) beta: the rows of links, of joints, are turned; friction's columns, G' of one output,
 *              and those of rotors stand in the row of that output alone
 * So everything that follows works row by row, as it does where each joint has a drive of its own; torques, errors and
 * residuals are those of outputs. The noise is, too: drives are measured, not joints. */
#include "armdyn/gears.h"

#include "lib/identify/unknowns.h"
#include "lib/model/gears.h"

struct armdyn_gears {
  struct armdyn_robot *robot;
  struct armdyn_source inner;
  double *memory; /* p, v, a and what is around them; t filtered and raw */
  size_t room;    /* numbers */
};

enum armdyn_status armdyn_gears_new(const struct armdyn_robot *robot, struct armdyn_gears **out,
                                    struct armdyn_error *error)
{
  *out = NULL;
  if (!robot->friction_at_motors) return ARMDYN_OK;
  struct armdyn_gears *g = calloc(1, sizeof *g);
  if (!g) return ARMDYN_EMEMORY;
  const enum armdyn_status status = armdyn_robot_new(&robot->description, &g->robot, error);
  if (status)
    armdyn_gears_free(g);
  else
    *out = g;
  return status;
}

void armdyn_gears_free(struct armdyn_gears *gears)
{
  if (!gears) return;
  armdyn_robot_free(gears->robot);
  free(gears->memory);
  free(gears);
}

enum armdyn_status armdyn_gears_take(struct armdyn_gears *gears, struct armdyn_motion *motion)
{
  if (!gears) return ARMDYN_OK;
  const size_t n = gears->robot->joint_count, lead = motion->before * n;
  const size_t wide = (motion->before + motion->count + motion->after) * n, table = motion->count * n;
  const size_t needed = 3 * wide + 2 * table;
  if (needed > gears->room) {
    free(gears->memory);
    gears->memory = malloc(needed * sizeof *gears->memory);
    gears->room = gears->memory ? needed : 0;
    if (!gears->memory) return ARMDYN_EMEMORY;
  }
  double **const moved[] = { &motion->q, &motion->qd, &motion->qdd };
  double *const torques[] = { motion->tau, motion->tau_raw }, *to = gears->memory;
  for (size_t m = 0; m < sizeof moved / sizeof *moved; m++, to += wide) {
    const double *from = *moved[m] - lead;
    for (size_t k = 0; k < wide; k += n) gear_motion(gears->robot, from + k, to + k);
    *moved[m] = to + lead;
  }
  motion->tau = to;
  motion->tau_raw = to + table;
  for (size_t m = 0; m < sizeof torques / sizeof *torques; m++, to += table) {
    for (size_t k = 0; k < table; k += n) gear_torques(gears->robot, torques[m] + k, to + k);
  }
  return ARMDYN_OK;
}

void armdyn_gears_to_joints(const struct armdyn_gears *gears, size_t count, double *tau)
{
  const size_t n = gears ? gears->robot->joint_count : 0;
  for (size_t k = 0; k < count && gears; k++) {
    double joints[ARMDYN_JOINTS_MAX] = { 0 };
    gear_torques_add(gears->robot, tau + k * n, joints);
    memcpy(tau + k * n, joints, n * sizeof *tau);
  }
}

static enum armdyn_status read_outputs(void *context, size_t index, struct armdyn_motion *motion,
                                       struct armdyn_error *error)
{
  struct armdyn_gears *gears = context;
  const enum armdyn_status status = gears->inner.read(gears->inner.context, index, motion, error);
  return status ? status : armdyn_gears_take(gears, motion);
}

struct armdyn_source armdyn_gears_source(struct armdyn_gears *gears, const struct armdyn_source *source)
{
  if (!gears) return *source;
  gears->inner = *source;
  return (struct armdyn_source){
    .samples = source->samples, .blocks = source->blocks, .read = read_outputs, .context = gears
  };
}

void unknowns_regressor(const struct armdyn_unknowns *unknowns, const double *q, const double *qd, const double *qdd,
                        struct armdyn_workspace *workspace, double *Y)
{
  const struct armdyn_robot *robot = unknowns->robot;
  const double *const given[] = { q, qd, qdd };
  double joints[3][ARMDYN_JOINTS_MAX], column[ARMDYN_JOINTS_MAX], turned[ARMDYN_JOINTS_MAX];
  if (!robot->friction_at_motors) {
    armdyn_regressor(robot, &unknowns->choice, q, qd, qdd, workspace, Y);
    return;
  }
  for (int k = 0; k < 3; k++) gear_joints(robot, given[k], joints[k]);
  armdyn_regressor(robot, &unknowns->choice, joints[0], joints[1], joints[2], workspace, Y);
  for (size_t c = 0; c < unknowns->standard_count; c++) {
    for (size_t i = 0; i < unknowns->n; i++) column[i] = Y[i * unknowns->standard_count + c];
    gear_torques(robot, column, turned);
    for (size_t i = 0; i < unknowns->n; i++) Y[i * unknowns->standard_count + c] = turned[i];
  }
}

/* The torque of an output is made of those of the joints that turn it: its row of G^-T has links from the first of them on. */
size_t unknowns_first_link(const struct armdyn_unknowns *unknowns, size_t joint)
{
  const struct armdyn_robot *robot = unknowns->robot;
  size_t first = 0;
  if (!robot->friction_at_motors) return joint;
  while (first + 1 < unknowns->n && robot->joint_from_gear[first * unknowns->n + joint] == 0) first++;
  return first;
}
