#include "server/work/coupled_motors.h"

/* What knows but friction of joints. */
static enum armdyn_status judge(const struct identification_request *r, struct armdyn_error *error)
{
  const struct {
    const char *pointer, *what;
    bool asked;
  } unknown[] = {
    { "/identify", "a payload", r->identify == IDENTIFY_PAYLOAD },
    { "/estimator", "\"didim\"", r->estimator == ARMDYN_DIDIM },
    { "/loop", "a simulated loop", r->has_loop },
    { "/friction_from", "friction of a test", r->friction_from[0] != 0 },
    { "/friction", "\"load\"", (r->friction.terms & ARMDYN_IDENTIFY_LOAD) != 0 },
    { "/find_torque_delay", "a search for delays", r->find_torque_delay },
    { "/find_drive_gains", "a search for gains of drives", r->find_drive_gains },
    { "/find_cutoffs", "a search for cut-offs", r->find_cutoffs },
  };
  for (size_t k = 0; k < sizeof unknown / sizeof *unknown; k++) {
    if (!unknown[k].asked) continue;
    return armdyn_refuse(error, ARMDYN_EINPUT, unknown[k].pointer,
                         "%s: %s is made joint by joint, and the model has friction at coupled motors "
                         "(transmission/friction \"motors\"): leave it out, or take a revision with \"joints\"",
                         unknown[k].pointer + 1, unknown[k].what);
  }
  return ARMDYN_OK;
}

enum armdyn_status coupled_motors_open(const struct identification_request *request, const struct armdyn_robot *model,
                                       struct armdyn_gears **gears, struct armdyn_error *error)
{
  const enum armdyn_status status = armdyn_friction_at_motors(model) ? judge(request, error) : ARMDYN_OK;
  *gears = NULL;
  return status ? status : armdyn_gears_new(model, gears, error);
}
