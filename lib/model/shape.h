/* What shapes must keep to. */
#ifndef LIB_MODEL_SHAPE_H
#define LIB_MODEL_SHAPE_H

#include "armdyn/robot.h"

/* Is every number of the shape's kind what it must be? The pointer of a refusal starts with `prefix`. */
enum armdyn_status shape_check(const struct armdyn_shape *shape, const char *prefix, struct armdyn_error *error);

/* Those of a robot: spheres, capsules and boxes, each of a part that is there. */
enum armdyn_status part_bodies_check(const struct armdyn_robot_description *robot, struct armdyn_error *error);

#endif
