/* Fits of gears' stiffness on the wire. */
#ifndef API_CODEC_MODE_FIT_H
#define API_CODEC_MODE_FIT_H

#include "api/codec/vibration.h"
#include "api/json/fields.h"
#include "api/wire/buffer.h"
#include "api/wire/faults.h"
#include "armdyn/posture_modes.h"

enum { MODE_FIT_POSTURES = 100, MODE_FIT_LOGS = 50 }; /* what logs show stands behind the observations */

/* A posture with a load, and what was seen there; of a prediction nothing. */
struct mode_posture {
  char dataset[VIBRATION_ID]; /* where it was seen; "": the request says it */
  double q[ARMDYN_JOINTS_MAX];
  bool has_payload;
  struct armdyn_body payload;
  double frequencies[ARMDYN_SIGHT_MODES], dampings[ARMDYN_SIGHT_MODES], deviation_percent;
  size_t frequency_count, damping_count; /* ratios that are not given are NAN */
};

/* A log after whose stop modes are looked for; as of a request for vibrations. */
struct mode_log {
  struct vibration_request look;
  bool has_payload; /* else that of the conditions of the data set, or of the model */
  struct armdyn_body payload;
};

struct mode_fit_request {
  bool elastic[ARMDYN_JOINTS_MAX];
  size_t observation_count, prediction_count, log_count;
  struct mode_log logs[MODE_FIT_LOGS];
  struct mode_posture observations[MODE_FIT_POSTURES], predictions[MODE_FIT_POSTURES];
};

/* What a log shows as an observation; its payload is not set. */
void mode_fit_observe(const struct armdyn_vibration *seen, size_t joints, struct mode_posture *out);

/* OK, ESYNTAX, EINPUT, EMEMORY. */
enum armdyn_status mode_fit_decode(const struct armdyn_robot_description *robot, const char *body, size_t length,
                                   struct mode_fit_request *out, struct faults *faults);

/* Frequencies of the model, a row of n for every posture, `modes` of them. */
struct mode_fit_answer {
  const struct armdyn_robot_description *robot;
  long long revision;
  const struct mode_fit_request *request;
  const struct armdyn_stiffness_fit *fit;
  const double *damping; /* of the gears */
  size_t modes;
  const double *observed, *predicted;
};
void mode_fit_encode(struct buffer *out, const struct mode_fit_answer *answer);

#endif
