/* What vibrates after a stop: what is asked, and what is answered. */
#ifndef API_CODEC_VIBRATION_H
#define API_CODEC_VIBRATION_H

#include "api/json/fields.h"
#include "api/json/writer.h"
#include "api/wire/faults.h"
#include "armdyn/dynamics.h"
#include "armdyn/sweep.h"
#include "armdyn/vibration.h"

enum { VIBRATION_ID = 27 };

/* What was played: the members of a reference of that kind. */
struct vibration_chirp {
  double amplitude[ARMDYN_JOINTS_MAX]; /* 0: the joint was not swept */
  double frequencies[2];               /* Hz */
  size_t frequency_count;
  double duration, rest; /* s, of each joint */
};
extern const struct json_type vibration_chirp_type;

/* Part of a stored data set, or samples. */
struct vibration_request {
  char dataset[VIBRATION_ID]; /* "": samples */
  double begin, end;          /* s, of the data set's own time; NAN: to its end */
  double rate_hz;             /* of samples; NAN: a data set has its own */
  size_t modes_max;
  double frequency_max_hz; /* NAN: 100, and at most 0.4 of the rate */
  double range_percent;    /* that a shaper bears */
  bool has_chirp;          /* modes are looked for in it, and not in what dies out */
  struct vibration_chirp chirp;
  const bool *elastic;               /* joints, of a chirp; NULL: those that were swept */
  const struct armdyn_body *payload; /* what was carried, of a chirp; NULL: as its data set or the model says */
  size_t count;
  struct armdyn_rows q;
  double *memory;
};

/*   out  out  release with vibration_request_release unless refused
 * OK, ESYNTAX (400), EINPUT (422), ELIMIT (413), EMEMORY. */
enum armdyn_status vibration_request_decode(size_t joints, const char *body, size_t length,
                                            struct vibration_request *out, struct faults *faults);
void vibration_request_release(struct vibration_request *request);

/* Of the frequencies of an observation, the largest, 0.1 to 50. */
double vibration_deviation_percent(const struct armdyn_vibration *seen);

struct vibration_answer {
  const struct armdyn_robot_description *robot;
  const struct vibration_request *request;
  const struct armdyn_vibration *vibration;
  const struct armdyn_sweep_modes *sweep; /* of a chirp, else NULL */
  size_t samples;
  double rate_hz;
};
void vibration_encode(struct buffer *out, const struct vibration_answer *answer);

#endif
