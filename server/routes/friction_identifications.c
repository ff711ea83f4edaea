/* Identifications of friction, from logs of friction tests. */
#include "api/codec/friction_identification.h"
#include "server/routes/handlers.h"
#include "server/routes/results.h"

const struct result_kind friction_identification_results = { "friction_identification", &friction_identification_form,
                                                             NULL };

enum outcome friction_identification_create(struct exchange *x)
{
  return job_create(x, friction_identification_results.name);
}

enum outcome friction_identification_list(struct exchange *x)
{
  return result_list(x, &friction_identification_results);
}

enum outcome friction_identification_get(struct exchange *x)
{
  return result_get(x, &friction_identification_results);
}

enum outcome friction_identification_patch(struct exchange *x)
{
  return result_patch(x, &friction_identification_results);
}

enum outcome friction_identification_delete(struct exchange *x)
{
  return result_delete(x, &friction_identification_results);
}
