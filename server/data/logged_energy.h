/* What the motion of a stored data set costs in electricity: read, conditioned and summed up block by block. */
#ifndef SERVER_DATA_LOGGED_ENERGY_H
#define SERVER_DATA_LOGGED_ENERGY_H

#include "armdyn/electrical.h"
#include "armdyn/identify.h"
#include "server/store/store.h"

struct logged_energy {
  size_t samples;  /* on the even clock */
  double duration; /* s */
  struct armdyn_conditioning conditioning;
  bool other_conditions; /* see struct logged_motion */
  bool has_measured;     /* it has torques */
  struct armdyn_electrical_energy predicted, measured;
};

/*   cutoff  in   Hz, of the filters; NAN = as the motion's bandwidth has it, 0 = not filtered
 *   error   out  what does not fit, in words that go on after "data set ID "
 * OK, ENOTFOUND, EINPUT, EIO, EMEMORY, EBUSY. */
enum armdyn_status logged_energy_find(struct store *store, const char *id, const struct armdyn_robot *robot,
                                      const struct armdyn_electrical_model *drives, double cutoff,
                                      struct logged_energy *out, struct armdyn_error *error);

#endif
