/* Input shapers in requests for trajectories, and what they did in the answer. */
#ifndef API_CODEC_SHAPER_H
#define API_CODEC_SHAPER_H

#include "api/json/fields.h"
#include "armdyn/shaper.h"

struct shaper_request {
  enum armdyn_shaper type;
  size_t mode_count;
  struct armdyn_mode modes[ARMDYN_MODES_MAX];
};
extern const struct json_type shaper_type; /* checks that there is such a shaper for these modes */

/* What shaping brought. */
struct shaping {
  struct armdyn_impulses impulses;
  double before[ARMDYN_MODES_MAX][ARMDYN_JOINTS_MAX]; /* amplitude of what every joint leaves of a mode, rad (m) */
  double after[ARMDYN_MODES_MAX][ARMDYN_JOINTS_MAX];
};
/* {"type", "added_time", "impulses": [{"time", "amplitude"}], "modes": [{..., "residual", "before", "after"}]} */
void shaping_encode(struct json_writer *w, const struct shaper_request *request, const struct shaping *shaping,
                    size_t joints);

#endif
