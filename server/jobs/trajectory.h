/* The job kind "trajectory": see struct job_kind. */
#ifndef SERVER_JOBS_TRAJECTORY_H
#define SERVER_JOBS_TRAJECTORY_H

#include "server/jobs/kinds.h"

enum armdyn_status trajectory_check(const struct armdyn_robot_description *robot, const char *request, size_t length,
                                    struct buffer *tags, struct faults *faults);
void trajectory_run(struct work *work);

#endif
