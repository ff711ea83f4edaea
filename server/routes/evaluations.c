/* Evaluations: models held against data sets by jobs. */
#include "api/codec/evaluation.h"
#include "server/routes/handlers.h"
#include "server/routes/results.h"

const struct result_kind evaluation_results = { "evaluation", &evaluation_form, NULL };

enum outcome evaluation_create(struct exchange *x)
{
  return job_create(x, evaluation_results.name);
}

enum outcome evaluation_list(struct exchange *x)
{
  return result_list(x, &evaluation_results);
}

enum outcome evaluation_get(struct exchange *x)
{
  return result_get(x, &evaluation_results);
}

enum outcome evaluation_patch(struct exchange *x)
{
  return result_patch(x, &evaluation_results);
}

enum outcome evaluation_delete(struct exchange *x)
{
  return result_delete(x, &evaluation_results);
}
