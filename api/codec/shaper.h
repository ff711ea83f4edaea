/* Input shapers in requests for trajectories, and what they did in the answer. */
#ifndef API_CODEC_SHAPER_H
#define API_CODEC_SHAPER_H

#include "api/json/fields.h"
#include "armdyn/shaper.h"

#define SHAPER_AUTO ARMDYN_SHAPER_COUNT

struct shaper_request {
  enum armdyn_shaper type; /* SHAPER_AUTO: type and modes are to be taken from the model */
  double range_percent;    /* of SHAPER_AUTO: by how much frequencies may be off */
  int64_t modes_max;       /* of it: at most so many */
  size_t mode_count;
  struct armdyn_mode modes[ARMDYN_MODES_MAX];
};
/* Field kind: an object, checked that there is such a shaper for its modes, or "auto"; context->user is the robot. */
void shaper_decode(struct json_reader *r, const struct json_field *field, void *member,
                   const struct json_context *context);

/* What shaping brought. */
struct shaping {
  struct armdyn_impulses impulses;
  double before[ARMDYN_MODES_MAX][ARMDYN_JOINTS_MAX]; /* amplitude of what every joint leaves of a mode, rad (m) */
  double after[ARMDYN_MODES_MAX][ARMDYN_JOINTS_MAX];
  bool automatic; /* of the model's elasticity: */
  double q[ARMDYN_JOINTS_MAX], payload_mass, frequency_deviation[ARMDYN_MODES_MAX];
};
/* {"type", "fit", "added_time", "impulses": [{"time", "amplitude"}], "modes": [{..., "residual", "before", "after"}]} */
void shaping_encode(struct json_writer *w, const struct shaper_request *request, const struct shaping *shaping,
                    size_t joints);

#endif
