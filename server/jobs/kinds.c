#include "server/jobs/kinds.h"

#include "server/jobs/simulation.h"
#include "server/jobs/trajectory.h"

/* To add a kind: two functions in a file of its own, a row here, its routes in server/routes, and its paths in
 * api/openapi.yaml. */
static const struct job_kind kinds[] = {
  { "trajectory", "/v1/trajectories/", trajectory_check, trajectory_run },
  { "simulation", "/v1/simulations/", simulation_check, simulation_run },
};

const struct job_kind *job_kind_find(const char *name)
{
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
    if (strcmp(kinds[i].name, name) == 0) return &kinds[i];
  return NULL;
}
