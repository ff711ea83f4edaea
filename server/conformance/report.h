/* What a test of a controller tells, as it goes on. */
#ifndef SERVER_CONFORMANCE_REPORT_H
#define SERVER_CONFORMANCE_REPORT_H

#include <stddef.h>

#include "server/protocol/words.h"

enum check_outcome { WENT_WELL, FAILED, NOT_TRIED };

struct check_report {
  const char *group, *name;
  enum check_outcome outcome;
  const char *seen; /* why it failed or was not tried */
  const char *mend; /* what to do when it failed */
};

struct figures_report {
  double scan_ms; /* between two runs of its program; at most, where `fastest` */
  bool fastest;   /* it runs as often as could be asked */
  double answer_ms, rate /* of its clock by ours */, windows_per_s /* 0: not measured */;
};

/* Called in this order; where the controller could not be identified, only `begun` and `checked`. */
struct conformance_listener {
  void (*begun)(void *context, size_t checks); /* to be made, at most */
  void (*known)(void *context, const struct controller_identity *is);
  void (*checked)(void *context, const struct check_report *check);
  void (*measured)(void *context, const struct figures_report *figures);
  void *context;
};

#endif
