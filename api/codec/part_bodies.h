/* The shapes of a robot's links, base, tool and payload, where a model has them. */
#ifndef API_CODEC_PART_BODIES_H
#define API_CODEC_PART_BODIES_H

#include "api/codec/units.h"
#include "api/json/fields.h"
#include "armdyn/robot.h"

/* What the bodies of a model are read with. */
struct body_context {
  bool allow_unphysical;                  /* in */
  const struct model_units *units;        /* in: what its numbers are written in; NULL = SI */
  struct armdyn_robot_description *robot; /* in: the model, which gets the bodies of its parts */
  size_t unphysical, faults;              /* out: impossible bodies met; faults added for them */
};

/* "bodies" of a link, the base, the tool or the payload of a model, told by where `member` is in it: a row
 *   { CUSTOM(PART, first member, part_bodies_decode, part_bodies_encode, PART_BODIES_WORDS), NAMED("bodies"),
 *     WANTED(part_bodies_wanted) }
 * Reading, json_context.user begins with a struct body_context; writing, it is the description. */
#define PART_BODIES_WORDS "a list of spheres, capsules and boxes"
json_decode_function part_bodies_decode;
json_encode_function part_bodies_encode;
json_wanted_function part_bodies_wanted;

/* In the order of the parts. */
void part_bodies_sort(struct armdyn_robot_description *robot);

#endif
