/* An identification as a page to mail: errors, torques, residuals, friction, parameters, and what they were computed from. */
#ifndef API_CODEC_IDENTIFICATION_REPORT_H
#define API_CODEC_IDENTIFICATION_REPORT_H

#include "api/report/words.h"
#include "api/wire/buffer.h"
#include "armdyn/robot.h"

struct identification_report {
  enum report_language language;
  const char *document; /* as GET answers it */
  const struct armdyn_robot_description *robot;
  /* rows of its samples: t, dataset, measured (n), filtered (n), predicted (n) */
  const double *rows;
  size_t row_count;
};
void identification_report_write(const struct identification_report *report, struct buffer *out);

#endif
