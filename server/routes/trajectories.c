/* Trajectories: planned by jobs, kept with their samples. */
#include "api/codec/trajectory.h"
#include "server/routes/handlers.h"
#include "server/routes/results.h"

static const struct sample_field fields[] = { { "t", 1 },           { "q", PER_JOINT },   { "qd", PER_JOINT },
                                              { "qdd", PER_JOINT }, { "tau", PER_JOINT }, { "power", PER_JOINT } };
const struct samples_form motion_samples = { fields, sizeof fields / sizeof *fields, true };
const struct result_kind trajectory_results = { "trajectory", &trajectory_form, &motion_samples };

enum outcome trajectory_create(struct exchange *x)
{
  return job_create(x, trajectory_results.name);
}

enum outcome trajectory_list(struct exchange *x)
{
  return result_list(x, &trajectory_results);
}

enum outcome trajectory_get(struct exchange *x)
{
  return result_get(x, &trajectory_results);
}

enum outcome trajectory_patch(struct exchange *x)
{
  return result_patch(x, &trajectory_results);
}

enum outcome trajectory_delete(struct exchange *x)
{
  return result_delete(x, &trajectory_results);
}

enum outcome trajectory_samples(struct exchange *x)
{
  return result_samples(x, &trajectory_results);
}
