/* Modes of a model whose gears give, at a posture and with a load, and what damps them. */
#include <math.h>
#include <stdlib.h>

#include "armdyn/derivatives.h"
#include "armdyn/dynamics.h"
#include "armdyn/posture_modes.h"

enum { N = ARMDYN_JOINTS_MAX, SWEEPS = 500 };
static const double PI = 3.14159265358979323846, ROUNDING = 1e-9;

enum armdyn_status armdyn_links_matrix(const struct armdyn_robot_description *robot, const struct armdyn_body *payload,
                                       const double *q, double *matrix, double *slope)
{
  double of_speed[ARMDYN_JOINTS_MAX * ARMDYN_JOINTS_MAX];
  const double still[ARMDYN_JOINTS_MAX] = { 0 };
  const struct armdyn_load load = { .frictionless = true };
  struct armdyn_robot_description *links = malloc(sizeof *links);
  struct armdyn_robot *arm = NULL;
  if (!links) return ARMDYN_EMEMORY;
  *links = *robot;
  links->has_transmission = false; /* motors stand: how they are coupled is of no account */
  for (size_t j = 0; j < links->joint_count; j++) links->joints[j].drive.rotor_inertia = 0;
  if (payload) links->payload = *payload;
  enum armdyn_status status = armdyn_robot_new(links, &arm, NULL);
  free(links);
  if (status) return status;
  struct armdyn_workspace *workspace = armdyn_workspace_new(robot->joint_count);
  if (!workspace) status = ARMDYN_EMEMORY;
  if (!status && slope)
    armdyn_inverse_dynamics_derivatives(arm, q, still, still, &load, workspace, slope, of_speed, matrix);
  else if (!status)
    armdyn_mass_matrix(arm, q, workspace, matrix);
  armdyn_workspace_free(workspace);
  armdyn_robot_free(arm);
  return status;
}

/* ---- damping */

/* The ratios are linear in b_j = d_j / k_j. */
struct losses {
  size_t n;
  double normal[N * N], right[N], all[2]; /* all: right and normal of one b for all gears */
};

static void add_ratio(struct losses *l, const double *slope, double ratio)
{
  double sum = 0;
  for (size_t j = 0; j < l->n; j++) {
    sum += slope[j];
    l->right[j] += slope[j] * ratio;
    for (size_t i = 0; i < l->n; i++) l->normal[j * l->n + i] += slope[j] * slope[i];
  }
  l->all[0] += sum * ratio, l->all[1] += sum * sum;
}

/* One after the other to where the squares are least, none below 0. */
static void descend(const struct losses *l, double *b)
{
  for (size_t j = 0; j < l->n; j++) b[j] = l->all[1] > 0 ? fmax(0, l->all[0] / l->all[1]) : 0;
  for (int sweep = 0; sweep < SWEEPS; sweep++)
    for (size_t j = 0; j < l->n; j++) {
      double slope = l->right[j];
      for (size_t i = 0; i < l->n; i++) slope -= l->normal[j * l->n + i] * b[i];
      if (l->normal[j * (l->n + 1)] > 0) b[j] = fmax(0, b[j] + slope / l->normal[j * (l->n + 1)]);
    }
}

void armdyn_fit_damping(size_t n, const struct armdyn_sight *sights, size_t count, const double *ratio,
                        const double *stiffness, double *damping)
{
  struct losses l = { .n = n };
  double frequency[N] = { 0 }, part[N * N], slope[N], b[N];
  for (size_t i = 0; i < count; i++) {
    armdyn_posture_modes(n, sights[i].mass_matrix, stiffness, frequency, part);
    for (size_t m = 0; m < sights[i].count; m++) {
      if (isnan(ratio[i * ARMDYN_SIGHT_MODES + m])) continue;
      for (size_t j = 0; j < n; j++) slope[j] = PI * frequency[m] * part[m * n + j];
      add_ratio(&l, slope, ratio[i * ARMDYN_SIGHT_MODES + m]);
    }
  }
  descend(&l, b);
  for (size_t j = 0; j < n; j++) damping[j] = isfinite(stiffness[j]) ? b[j] * stiffness[j] : 0;
}

/* ---- of a model */

bool armdyn_has_elasticity(const struct armdyn_robot_description *robot)
{
  for (size_t j = 0; j < robot->joint_count; j++)
    if (isfinite(robot->joints[j].elasticity.stiffness)) return true;
  return false;
}

static bool within(const double *range, double x)
{
  return x >= range[0] - ROUNDING && x <= range[1] + ROUNDING;
}

static enum armdyn_status check_seen(const struct armdyn_robot_description *robot, const double *q,
                                     struct armdyn_error *error)
{
  const double mass = robot->payload.mass;
  if (!armdyn_has_elasticity(robot))
    return armdyn_refuse(error, ARMDYN_EINPUT, "",
                         "the model does not know how its gears give: no joint has an elasticity with a stiffness");
  for (size_t j = 0; j < robot->joint_count; j++) {
    const struct armdyn_joint *joint = &robot->joints[j];
    const struct armdyn_elasticity *e = &joint->elasticity;
    if (!within(e->position, q[j]))
      return armdyn_refuse(error, ARMDYN_EINPUT, "",
                           "modes were seen with joint '%.60s' from %.6g to %.6g, not at %.6g, where the motion ends",
                           joint->name, e->position[0], e->position[1], q[j]);
    if (!within(e->payload_mass, mass))
      return armdyn_refuse(error, ARMDYN_EINPUT, "", "modes were seen with %.6g to %.6g kg carried, not with %.6g kg",
                           e->payload_mass[0], e->payload_mass[1], mass);
  }
  return ARMDYN_OK;
}

enum armdyn_status armdyn_elastic_modes(const struct armdyn_robot_description *robot, const double *q, size_t modes_max,
                                        struct armdyn_vibration *out, struct armdyn_error *error)
{
  const size_t n = robot->joint_count;
  double matrix[N * N], stiffness[N], frequency[N], part[N * N];
  *out = (struct armdyn_vibration){ 0 };
  enum armdyn_status status = check_seen(robot, q, error);
  if (!status) status = armdyn_links_matrix(robot, NULL, q, matrix, NULL);
  if (status) return status;
  for (size_t j = 0; j < n; j++) {
    stiffness[j] = robot->joints[j].elasticity.stiffness;
    if (isfinite(stiffness[j]) && !(matrix[j * (n + 1)] > 0))
      return armdyn_refuse(error, ARMDYN_EINPUT, "", "joint '%.60s' moves nothing that has inertia",
                           robot->joints[j].name);
  }
  const size_t found = armdyn_posture_modes(n, matrix, stiffness, frequency, part);
  out->mode_count = found < modes_max ? found : modes_max;
  for (size_t m = 0; m < out->mode_count; m++) {
    double loss = 0, square = 0;
    for (size_t j = 0; j < n; j++) {
      const struct armdyn_elasticity *e = &robot->joints[j].elasticity;
      if (!isfinite(e->stiffness)) continue;
      loss += part[m * n + j] * e->damping / e->stiffness;
      square += pow(part[m * n + j] * e->deviation / e->stiffness, 2);
    }
    out->modes[m] = (struct armdyn_mode){ frequency[m], PI * frequency[m] * loss };
    out->frequency_deviation[m] = frequency[m] * sqrt(square) / 2;
  }
  return ARMDYN_OK;
}
