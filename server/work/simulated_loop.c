#include "server/work/simulated_loop.h"

#include <stdlib.h>

static enum armdyn_status open_plant(struct simulated_loop *loop, const struct plant_request *plant,
                                     const struct armdyn_robot_description *model, struct armdyn_error *error)
{
  struct armdyn_robot_description *description;
  enum armdyn_status status = overrides_apply(&plant->overrides, model, &description);
  if (status) return status;
  if (!description && (description = malloc(sizeof *description))) *description = *model;
  if (!description) return ARMDYN_EMEMORY;
  armdyn_scale_inertia(description, plant->inertial_scale);
  status = armdyn_robot_new(description, &loop->plant, error);
  free(description);
  return status;
}

enum armdyn_status simulated_loop_open(struct simulated_loop *loop, const struct control_request *control,
                                       const struct plant_request *plant, const struct armdyn_robot *model,
                                       bool friction, double bandwidth_hz, const double *q,
                                       struct armdyn_workspace *workspace, struct armdyn_error *error)
{
  enum armdyn_status status = open_plant(loop, plant, armdyn_robot_description(model), error);
  if (status) return status;
  control_in_force(control, model, bandwidth_hz, q, friction, workspace, &loop->control);
  loop->load = (struct armdyn_load){
    .wrench = plant->has_wrench ? plant->wrench : NULL,
    .wrench_frame = ARMDYN_WRENCH_BASE,
    .frictionless = plant->has_friction ? !plant->friction : !friction,
  };
  loop->loop = (struct armdyn_loop){
    .model = model,
    .plant = loop->plant,
    .control = &loop->control,
    .delay = control->delay_periods,
    .encoder_resolution = control->has_encoder ? control->encoder_resolution : NULL,
    .velocity_filter = control->velocity_filter_hz,
    .elements = plant->has_elements ? &plant->elements : NULL,
    .plant_motion = { .load = &loop->load },
  };
  return ARMDYN_OK;
}

void simulated_loop_close(struct simulated_loop *loop)
{
  armdyn_robot_free(loop->plant);
  loop->plant = NULL;
}
