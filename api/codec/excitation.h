/* Excitations between JSON and the library: what is asked, and what is answered. */
#ifndef API_CODEC_EXCITATION_H
#define API_CODEC_EXCITATION_H

#include "api/codec/identification.h"
#include "api/codec/trajectory.h"
#include "armdyn/excitation.h"

struct excitation_box {
  double min[3], max[3]; /* m, of the tool origin in the base frame */
};

struct excitation_request {
  struct carried carried;
  double duration; /* s */
  size_t harmonics;
  double base_frequency_hz; /* NAN = one period in the duration */
  enum armdyn_excitation_criterion criterion;
  double lambda;
  bool rotor_inertia;
  unsigned friction; /* enum armdyn_friction_terms */
  struct requested_limits limits;
  bool has_box;
  struct excitation_box tool_box;
  struct clearance_constraint clear;
  struct id_list known; /* data sets whose information is held already */
  size_t population, generations;
  uint64_t seed;
  double sample_rate; /* Hz */
  struct result_labels labels;
};

/* Decode and check in full: everything but whether there is such a motion.
 *   out  out  holds no memory of its own
 * OK, ESYNTAX (400), EINPUT (422), EMEMORY. */
enum armdyn_status excitation_request_decode(const char *text, size_t length,
                                             const struct armdyn_robot_description *robot,
                                             struct excitation_request *out, struct faults *faults);
double excitation_base_frequency(const struct excitation_request *request);

/* What was computed. margin: ARMDYN_LIMIT_KINDS x n. */
struct excitation_result {
  const struct armdyn_robot_description *robot;
  const struct excitation_request *request;
  const char *request_text;
  const struct armdyn_excitation *excitation;
  const struct armdyn_margin *margin;
  const struct armdyn_motion_clearance *clearance; /* NULL: no cell is named */
  const bool *stepping;                            /* n, see struct trajectory_result */
  size_t parameters;                               /* base parameters that it tells apart */
  const struct identification_data *known;
  size_t known_count;
};
/* The document that is kept: a JSON object. */
void excitation_result_encode(const struct excitation_result *result, struct buffer *out);

extern const struct result_form excitation_form;

#endif
