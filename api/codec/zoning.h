/* Zonings: a box of the joint space divided until constant models are right within a bound. What is asked and answered. */
#ifndef API_CODEC_ZONING_H
#define API_CODEC_ZONING_H

#include "api/codec/carried.h"
#include "api/codec/control_schedule.h"
#include "api/codec/result.h"
#include "armdyn/zones.h"

struct zoning_request {
  struct carried carried;
  enum armdyn_zones_about about;
  double low[ARMDYN_JOINTS_MAX], high[ARMDYN_JOINTS_MAX];                  /* rad, m */
  double acceleration[ARMDYN_JOINTS_MAX], torque_error[ARMDYN_JOINTS_MAX]; /* of linear */
  double inertia_error;                                                    /* of gains */
  bool has_low, has_high, has_acceleration, has_torque_error;
  enum armdyn_law law;
  double bandwidth_hz;
  size_t zones_max, depth_max;
  struct result_labels labels;
};

/* Ends that are not given are the position limits. OK, ESYNTAX (400), EINPUT (422), EMEMORY. */
enum armdyn_status zoning_request_decode(const char *text, size_t length, const struct armdyn_robot_description *robot,
                                         struct zoning_request *out, struct faults *faults);

struct zoning_result {
  const struct zoning_request *request;
  const char *request_text;
  const struct armdyn_robot *robot;
  struct armdyn_workspace *workspace;
  const struct armdyn_zones *found;
};
void zoning_result_encode(const struct zoning_result *result, struct buffer *out);
extern const struct result_form zoning_form;

/* The zones of a stored one as schedules take them: their boxes and gains.
 *   zones  out  allocated
 * OK, EMEMORY, EINPUT: it is not of an arm of so many joints. */
enum armdyn_status zoning_zones_read(const char *document, size_t joints, struct armdyn_zone **zones, size_t *count);

#endif
