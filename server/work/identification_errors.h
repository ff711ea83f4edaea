/* How well identified parameters predict the torques of data sets: errors, residuals, and the samples that are kept. */
#ifndef SERVER_WORK_IDENTIFICATION_ERRORS_H
#define SERVER_WORK_IDENTIFICATION_ERRORS_H

#include "api/codec/identification.h"
#include "armdyn/bootstrap.h"
#include "armdyn/gears.h"
#include "armdyn/loads.h"
#include "server/data/logged_motion.h"
#include "server/work/work.h"

struct identification_errors_order {
  struct work *work;
  const struct armdyn_unknowns *unknowns;
  const double *beta;
  const struct armdyn_known_friction *known; /* whose torques come to those of beta; NULL: none */
  struct armdyn_loads *loads;                /* that are taken off what was measured; NULL: none */
  struct armdyn_gears *gears;                /* whose outputs the unknowns are of; NULL: joints. Errors are of joints */
  const struct armdyn_conditioning *conditioning;
  struct logged_motion *motions; /* data_count */
  const struct identification_data *data;
  size_t data_count, joint_count;
  bool no_series;                                /* "samples" is not sent */
  struct armdyn_error_cells *cells[COMPARISONS]; /* that get the errors, too; NULL: none wanted */
};
/* Fills errors, residuals, rate and sample_rate of the result, and sends, unless told not to, the series "samples": t,
 * dataset (from 0, in the order of the data), measured, filtered and predicted torques: of every sample, or of every so many
 * when they are more than LIMIT_RUN_SAMPLES or the disk has no room for them. */
enum armdyn_status identification_errors_compute(const struct identification_errors_order *order,
                                                 struct identification_result *result, struct armdyn_error *error);

#endif
