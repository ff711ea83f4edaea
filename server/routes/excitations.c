/* Excitations: motions made for identification, designed by jobs, kept with their samples. */
#include "api/codec/excitation.h"
#include "server/routes/handlers.h"
#include "server/routes/results.h"

const struct result_kind excitation_results = { "excitation", &excitation_form, &motion_samples };

enum outcome excitation_create(struct exchange *x)
{
  return job_create(x, excitation_results.name);
}

enum outcome excitation_list(struct exchange *x)
{
  return result_list(x, &excitation_results);
}

enum outcome excitation_get(struct exchange *x)
{
  return result_get(x, &excitation_results);
}

enum outcome excitation_patch(struct exchange *x)
{
  return result_patch(x, &excitation_results);
}

enum outcome excitation_delete(struct exchange *x)
{
  return result_delete(x, &excitation_results);
}

enum outcome excitation_samples(struct exchange *x)
{
  return result_samples(x, &excitation_results);
}
