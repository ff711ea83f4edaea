/* Units of a model in JSON other than SI, as tables out of CAD programs have them: converted once, when the model is read.
 * What is stored and answered is SI. */
#ifndef API_CODEC_UNITS_H
#define API_CODEC_UNITS_H

#include "api/json/fields.h"
#include "armdyn/robot.h"

/* Rows of the tables in units.c; all zero is SI, and products as elements of the matrix. */
struct model_units {
  unsigned length, angle, mass, inertia, products;
  bool has_inertia; /* stated, be it SI */
};

extern const struct json_type units_type;         /* "units": {"length": "mm", ...} */
extern const struct json_field units_of_products; /* "products_of_inertia": "tensor" or "positive" */

/* A link or payload: mass, centre of mass and inertia. */
void units_convert_body(const struct model_units *units, struct armdyn_body *body);
/* All other lengths and angles: of the joints, of the tool, and of limits and their rates. Gravity, drives, friction and
 * torques are SI always. */
void units_convert_robot(const struct model_units *units, struct armdyn_robot_description *robot);

#endif
