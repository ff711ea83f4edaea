/* What dies out in a log after a stop, or in samples; and what chirps show. */
#ifndef SERVER_DATA_LOGGED_VIBRATION_H
#define SERVER_DATA_LOGGED_VIBRATION_H

#include "api/codec/vibration.h"
#include "server/store/store.h"

struct logged_vibration {
  struct armdyn_vibration vibration;
  struct armdyn_sweep_modes sweep; /* of a chirp */
  size_t samples;
  double rate;        /* Hz */
  bool other_payload; /* of a data set: it was logged with another payload than the model's, */
  struct armdyn_body payload;
};

/*   request  in   a `begin` that it does not say is found, and put in
 * OK; EINPUT, with a pointer into the request; what the store says; EMEMORY. */
enum armdyn_status logged_vibration_find(struct store *store, const struct armdyn_robot_description *robot,
                                         struct vibration_request *request, struct logged_vibration *out,
                                         struct armdyn_error *error);

#endif
