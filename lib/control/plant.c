#include "armdyn/control.h"

static void scale_body(struct armdyn_body *body, double scale)
{
  struct armdyn_inertia *inertia = &body->inertia;
  body->mass *= scale;
  inertia->xx *= scale, inertia->yy *= scale, inertia->zz *= scale;
  inertia->xy *= scale, inertia->xz *= scale, inertia->yz *= scale;
}

void armdyn_scale_inertia(struct armdyn_robot_description *description, double scale)
{
  for (size_t j = 0; j < description->joint_count; j++) {
    scale_body(&description->joints[j].link, scale);
    description->joints[j].drive.rotor_inertia *= scale;
  }
}
