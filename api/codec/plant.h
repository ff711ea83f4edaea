/* The arm that a controller moves, as requests name it, "plant", and what became of the energy of its elements. */
#ifndef API_CODEC_PLANT_H
#define API_CODEC_PLANT_H

#include "api/codec/parts.h"
#include "armdyn/plant.h"

/* How the arm differs from the model that the controller has. */
struct plant_request {
  struct overrides overrides;
  double inertial_scale;
  bool friction, has_friction;
  double wrench[6]; /* [moment; force] on the tool, base axes; N m, N */
  bool has_wrench;
  struct armdyn_elements elements;
  bool has_elements; /* any of them */
};
/* Decoding: context->user is the robot's description. */
extern const struct json_type plant_type;

/* A field: the name of a joint, as its index. context->user is the robot's description. */
void joint_name_decode(struct json_reader *r, const struct json_field *field, void *member,
                       const struct json_context *context);

/* The members of an account: an object with one member for each element that is present. */
void element_energies_encode(struct json_writer *w, const struct armdyn_energy_account *account);
/* J that elements have more stored and dissipated, less what they were supplied with. */
double element_energies_sum(const struct armdyn_energy_account *account);

#endif
