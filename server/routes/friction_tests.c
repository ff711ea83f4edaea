/* Friction tests: runs at constant speeds, planned by jobs, kept with their samples. */
#include "api/codec/friction_test.h"
#include "server/routes/handlers.h"
#include "server/routes/results.h"

const struct result_kind friction_test_results = { "friction_test", &friction_test_form, &motion_samples };

enum outcome friction_test_create(struct exchange *x)
{
  return job_create(x, friction_test_results.name);
}

enum outcome friction_test_list(struct exchange *x)
{
  return result_list(x, &friction_test_results);
}

enum outcome friction_test_get(struct exchange *x)
{
  return result_get(x, &friction_test_results);
}

enum outcome friction_test_patch(struct exchange *x)
{
  return result_patch(x, &friction_test_results);
}

enum outcome friction_test_delete(struct exchange *x)
{
  return result_delete(x, &friction_test_results);
}

enum outcome friction_test_samples(struct exchange *x)
{
  return result_samples(x, &friction_test_results);
}
