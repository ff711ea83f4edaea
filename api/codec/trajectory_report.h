/* A trajectory as a page for people: what it does, how near it comes to its limits, and what it takes, beside what classic
 * profiles over the same points in the same time would. */
#ifndef API_CODEC_TRAJECTORY_REPORT_H
#define API_CODEC_TRAJECTORY_REPORT_H

#include "api/json/document.h"
#include "api/report/words.h"
#include "api/wire/buffer.h"
#include "armdyn/electrical.h"

/* One motion: rows of armdyn_trajectory_sample, 1 + 5 n wide, and its energies. */
struct report_motion {
  const char *name;
  double *rows;                 /* count x (1 + 5 n) */
  double *power;                /* count: of all joints, mechanical, W */
  double *bus;                  /* count: what the supply gives, W; NULL without the drives' data */
  double *speed, *acceleration; /* count: of the tool, m/s, m/s^2 */
  size_t count;
  struct armdyn_motion_energy energy;
  struct armdyn_electrical_energy electrical; /* with bus */
};

enum { REPORT_MOTIONS = 3 };

struct trajectory_report {
  enum report_language language;
  const struct armdyn_robot_description *robot;
  const char *id, *created_at;
  long long revision;
  const cJSON *document;              /* as GET answers it */
  const struct armdyn_limits *limits; /* n, in force */
  size_t motion_count;                /* the trajectory is the first */
  struct report_motion motions[REPORT_MOTIONS];
};

/* out fails with EMEMORY or ELIMIT as buffers do. */
void trajectory_report_write(const struct trajectory_report *report, struct buffer *out);

#endif
