/* A stored result of the job's robot, which a request names by its id. */
#ifndef SERVER_WORK_NAMED_RESULT_H
#define SERVER_WORK_NAMED_RESULT_H

#include "api/json/document.h"
#include "server/work/kinds.h"

struct named_result {
  int64_t revision; /* of the robot, that it was made with */
  cJSON *document;
};

/*   kind     in   "identification"
 *   pointer  in   where the request names it
 *   out      out  release with named_result_close, refused or not
 * OK, EINPUT (not there, of another robot), EMEMORY, EIO. */
enum armdyn_status named_result_open(struct work *work, const char *kind, const char *id, const char *pointer,
                                     struct named_result *out, struct armdyn_error *error);
void named_result_close(struct named_result *result);

/* The source that it is, for struct job_kind. Answers how many: none of "". */
size_t named_result_source(const char *kind, const char *id, const char *pointer, struct job_source *source);

#endif
