/* Simulations: integrated by jobs, kept with their samples. */
#include "api/codec/simulation.h"
#include "server/routes/results.h"
#include "server/routes/route.h"

static const struct sample_field fields[] = {
  { "t", 1 },         { "q", PER_JOINT },        { "qd", PER_JOINT },     { "kinetic", 1 },
  { "potential", 1 }, { "angular_momentum", 3 }, { "linear_momentum", 3 }
};
static const struct samples_form samples = { fields, sizeof fields / sizeof *fields, false };
const struct result_kind simulation_results = { "simulation", &simulation_form, &samples };

enum outcome simulation_create(struct exchange *x)
{
  return job_create(x, simulation_results.name);
}

enum outcome simulation_list(struct exchange *x)
{
  return result_list(x, &simulation_results);
}

enum outcome simulation_get(struct exchange *x)
{
  return result_get(x, &simulation_results);
}

enum outcome simulation_patch(struct exchange *x)
{
  return result_patch(x, &simulation_results);
}

enum outcome simulation_delete(struct exchange *x)
{
  return result_delete(x, &simulation_results);
}

enum outcome simulation_samples(struct exchange *x)
{
  return result_samples(x, &simulation_results);
}
