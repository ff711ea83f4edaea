/* Collision checks: logs and simulated collisions, watched by jobs, kept with their residuals. */
#include "api/codec/collision_check.h"
#include "server/routes/handlers.h"
#include "server/routes/results.h"

static const struct sample_field fields[] = { { "t", 1 }, { "dataset", 1 }, { "residual", PER_JOINT }, { "alarm", 1 } };
static const struct samples_form samples = { fields, sizeof fields / sizeof *fields, false };
const struct result_kind collision_check_results = { "collision_check", &collision_check_form, &samples };

enum outcome collision_check_create(struct exchange *x)
{
  return job_create(x, collision_check_results.name);
}

enum outcome collision_check_list(struct exchange *x)
{
  return result_list(x, &collision_check_results);
}

enum outcome collision_check_get(struct exchange *x)
{
  return result_get(x, &collision_check_results);
}

enum outcome collision_check_patch(struct exchange *x)
{
  return result_patch(x, &collision_check_results);
}

enum outcome collision_check_delete(struct exchange *x)
{
  return result_delete(x, &collision_check_results);
}

enum outcome collision_check_samples(struct exchange *x)
{
  return result_samples(x, &collision_check_results);
}
