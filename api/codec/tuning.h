/* Tunings: gains that are found for a law, against references and plants, within margins. What is asked and answered. */
#ifndef API_CODEC_TUNING_H
#define API_CODEC_TUNING_H

#include "api/codec/verification.h"
#include "armdyn/tune.h"

enum { TUNING_POSTURES = 5 }; /* of a circle or trajectory, at equal times, where margins are held */

/* NAN: nothing is asked of it. */
struct tuning_margins {
  double gain_db, phase_deg, delay, sensitivity;
};

struct tuning_request {
  struct verification_request loops; /* of one law, which has no gains; its references are no sines */
  struct tuning_margins margins;
  double bandwidth_max_hz;
  bool integral;
  double overshoot_percent; /* of steps, at most; NAN: any */
  double rotation_weight;   /* mm per mrad */
  size_t evaluations;
};

/* OK, ESYNTAX (400), EINPUT (422), EMEMORY. */
enum armdyn_status tuning_request_decode(const char *text, size_t length, const struct armdyn_robot_description *robot,
                                         struct tuning_request *out, struct faults *faults);
/* Where margins are held along a reference, of one plant. */
size_t tuning_postures(const struct verification_reference *reference);

/* A plant at rest in a posture. */
struct tuning_place {
  size_t plant, reference; /* of the request */
  double time;             /* s, along the reference */
  double q[ARMDYN_JOINTS_MAX];
  struct armdyn_loop_margin margins[ARMDYN_JOINTS_MAX];
};

struct tuning_result {
  const struct tuning_request *request;
  const char *request_text;
  const struct armdyn_robot_description *robot;
  const double *q; /* where gains are made */
  const struct armdyn_control *control;
  const struct armdyn_tuned *tuned;
  const struct tuning_place *places;
  size_t place_count;
  const struct verification_case *cases; /* plants x references, with the gains */
  size_t case_count;
};
void tuning_result_encode(const struct tuning_result *result, struct buffer *out);
extern const struct result_form tuning_form;

#endif
