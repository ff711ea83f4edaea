/* Shapes of bodies between JSON and struct armdyn_shape: {"capsule": {"from", "to", "radius"}}, one kind a body. */
#ifndef API_CODEC_SHAPE_H
#define API_CODEC_SHAPE_H

#include "api/json/fields.h"
#include "armdyn/robot.h"

/* A body as it is read and written: a kind that is there, and its numbers. */
struct shape_form {
  bool has[ARMDYN_SHAPE_KIND_COUNT];
  struct armdyn_shape shape;
};

/* Where the points of convex bodies go: json_context.user of who reads any. */
struct shape_points {
  double *numbers; /* as many as the text may have */
  size_t used;
};

extern const struct json_type sphere_type, capsule_type, box_type, cylinder_type, half_space_type, convex_type;

/* Rows of a field table for a struct that begins with a struct shape_form: of a robot's bodies, and more of a cell's. */
#define SHAPE_ROW(name_, kind_, type_)                                                                                 \
  {                                                                                                                    \
    OBJECT(struct shape_form, shape, type_), NAMED(name_), HAS(struct shape_form, has[kind_])                          \
  }
#define PART_SHAPES                                                                                                    \
  SHAPE_ROW("sphere", ARMDYN_SPHERE, sphere_type), SHAPE_ROW("capsule", ARMDYN_CAPSULE, capsule_type),                 \
      SHAPE_ROW("box", ARMDYN_BOX, box_type)
#define CELL_SHAPES                                                                                                    \
  PART_SHAPES, SHAPE_ROW("cylinder", ARMDYN_CYLINDER, cylinder_type),                                                  \
      SHAPE_ROW("half_space", ARMDYN_HALF_SPACE, half_space_type), SHAPE_ROW("convex", ARMDYN_CONVEX, convex_type)

/* Has it one kind? The check of such a type. */
json_check_function shape_form_check;

#endif
