/* The target of a request, "/v1/robots/a%2Db?limit=3", taken apart in place. */
#ifndef SERVER_HTTP_TARGET_H
#define SERVER_HTTP_TARGET_H

#include <stdbool.h>
#include <stddef.h>

#include "api/wire/faults.h"
#include "server/http/router.h"

enum { PARAMETERS_MOST = LIMIT_QUERY_PARAMETERS };

struct parameter {
  const char *name, *value;
};

struct target {
  const char *segments[SEGMENTS_MOST];
  size_t segment_count;
  struct parameter parameters[PARAMETERS_MOST];
  size_t parameter_count;
};

enum target_fault {
  TARGET_OK,
  TARGET_MALFORMED /* 400 */,
  TARGET_UNKNOWN /* 404: too deep */,
  TARGET_CROWDED /* 414 */
};

/* Percent-decoded within `text`, which is changed; the segments and parameters point into it. */
enum target_fault target_parse(char *text, struct target *target);

/* Parameters that are not among the names of `known` (separated by spaces, NULL = none), or that come twice (but
 * for `metric` and `tag`), are faults. */
void target_check(const struct target *target, const char *known, struct faults *faults);
const char *target_parameter(const struct target *target, const char *name); /* NULL = absent */

#endif
