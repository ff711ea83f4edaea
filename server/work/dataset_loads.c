#include "server/work/dataset_loads.h"

#include <math.h>
#include <stdlib.h>

static const double TOLD = 0.1; /* of a gain: what is known worse is not used */

/* The model with the payload of a log; NULL: it is that of the model. */
static enum armdyn_status carrying(const struct armdyn_robot *model, const struct logged_motion *motion,
                                   struct armdyn_robot **out, struct armdyn_error *error)
{
  *out = NULL;
  if (!motion->other_payload) return ARMDYN_OK;
  struct armdyn_robot_description *d = malloc(sizeof *d);
  if (!d) return ARMDYN_EMEMORY;
  *d = *armdyn_robot_description(model);
  d->payload = motion->payload;
  const enum armdyn_status status = armdyn_robot_new(d, out, error);
  free(d);
  return status;
}

enum armdyn_status dataset_loads_open(const struct armdyn_robot *model, const struct opened_logs *logs, size_t count,
                                      struct dataset_loads *loads, struct armdyn_error *error)
{
  struct armdyn_robot *with[OPENED_LOGS_MOST] = { NULL };
  enum armdyn_status status = ARMDYN_OK;
  bool any = false;
  for (size_t i = 0; i < count && !status; i++) {
    status = carrying(model, &logs->motions[i], &with[i], error);
    any = any || with[i];
  }
  if (!status && any)
    status = armdyn_loads_new(model, (const struct armdyn_robot *const *)with, count, &loads->loads, error);
  for (size_t i = 0; i < count && loads->loads; i++) loads->weighed.kind[i] = armdyn_loads_kind(loads->loads, i);
  for (size_t i = 0; i < count; i++) armdyn_robot_free(with[i]);
  return status;
}

void dataset_loads_release(struct dataset_loads *loads)
{
  armdyn_loads_free(loads->loads);
  loads->loads = NULL;
}

static enum armdyn_status find_gains(struct dataset_loads *loads, const struct identification_request *request,
                                     const struct armdyn_robot *model, const struct armdyn_source *source,
                                     struct armdyn_error *error)
{
  const size_t n = armdyn_robot_joint_count(model);
  struct armdyn_drive_gain found[ARMDYN_JOINTS_MAX];
  struct armdyn_unknowns *unknowns = NULL;
  double gains[ARMDYN_JOINTS_MAX];
  struct identification_weighed *w = &loads->weighed;
  enum armdyn_status status =
      armdyn_unknowns_new(model, ARMDYN_IDENTIFY_OFFSET | ARMDYN_IDENTIFY_COULOMB | ARMDYN_IDENTIFY_VISCOUS,
                          request->rotor_inertia ? ARMDYN_ROTORS_ALL : ARMDYN_ROTORS_PRESENT, &unknowns, error);
  if (!status)
    status = request->payloads_known == PAYLOADS_WEIGHED
                 ? armdyn_find_drive_gains_by_mass(unknowns, loads->loads, source, found, w->loads, &w->count, error)
                 : armdyn_find_drive_gains(unknowns, loads->loads, source, found, error);
  for (size_t j = 0; j < n && !status; j++) {
    const bool applied = found[j].deviation < TOLD * found[j].gain; /* NAN is not */
    loads->gains[j] = (struct identification_gain){ found[j], applied };
    gains[j] = applied ? found[j].gain : 1;
  }
  if (!status) armdyn_loads_set_gains(loads->loads, gains);
  armdyn_unknowns_free(unknowns);
  return status;
}

enum armdyn_status dataset_loads_take_off(struct dataset_loads *loads, const struct identification_request *request,
                                          const struct armdyn_robot *model, struct armdyn_source *source,
                                          struct armdyn_error *error)
{
  if (request->find_drive_gains && !loads->loads)
    return armdyn_refuse(error, ARMDYN_EINPUT, "/find_drive_gains",
                         "needs data sets with different payloads; say in their conditions what each was logged with");
  if (!loads->loads) return ARMDYN_OK;
  const struct armdyn_source whole = *source;
  const enum armdyn_status status =
      request->find_drive_gains ? find_gains(loads, request, model, source, error) : ARMDYN_OK;
  *source = armdyn_loads_source(loads->loads, &whole);
  return status;
}
