/* Simulations: integrated by jobs, kept with their samples. */
#include "api/codec/simulation.h"
#include "server/app.h"
#include "server/data/stored_trajectory.h"
#include "server/routes/handlers.h"
#include "server/routes/results.h"

static const struct sample_field fields[] = {
  { "t", 1 },         { "q", PER_JOINT },        { "qd", PER_JOINT },      { "kinetic", 1 },
  { "potential", 1 }, { "angular_momentum", 3 }, { "linear_momentum", 3 }, { "tau", PER_JOINT }
};
enum { FIELDS = sizeof fields / sizeof *fields };
static const struct samples_form samples = { fields, FIELDS, false };
const struct result_kind simulation_results = { "simulation", &simulation_form, &samples };

/* Simulations from before they kept their torques. */
static const struct samples_form samples_without_torques = { fields, FIELDS - 1, false };
static const struct result_kind results_without_torques = { "simulation", &simulation_form, &samples_without_torques };

static bool has_torques(struct exchange *x)
{
  struct store_series series;
  const char *id = exchange_segment(x, simulation_results.name);
  return store_series_info(exchange_app(x)->store, id, SERIES_SAMPLES, &series) || strstr(series.columns, ",tau1");
}

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
  return result_samples(x, has_torques(x) ? &simulation_results : &results_without_torques);
}
