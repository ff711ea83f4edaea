/* Identifications of friction between JSON and the library. */
#ifndef API_CODEC_FRICTION_IDENTIFICATION_H
#define API_CODEC_FRICTION_IDENTIFICATION_H

#include "api/codec/identification.h"
#include "armdyn/friction_test.h"

struct friction_identification_request {
  struct id_list datasets;
  double position_cutoff_hz; /* 0: not filtered */
  struct result_labels labels;
};

/* Decode and check in full: everything but what the data sets hold.
 *   out  out  holds no memory of its own
 * OK, ESYNTAX (400), EINPUT (422), EMEMORY. */
enum armdyn_status friction_identification_request_decode(const char *text, size_t length,
                                                          const struct armdyn_robot_description *robot,
                                                          struct friction_identification_request *out,
                                                          struct faults *faults);

/* What was computed. */
struct friction_identification_result {
  const struct armdyn_robot_description *robot;
  const struct friction_identification_request *request;
  const char *request_text;
  const struct armdyn_joint_friction *joints; /* n */
  const struct identification_data *data;
  size_t data_count;
  double rate; /* Hz */
};
/* The document that is kept: a JSON object. */
void friction_identification_result_encode(const struct friction_identification_result *result, struct buffer *out);
extern const struct result_form friction_identification_form;

#endif
