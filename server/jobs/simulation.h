/* The job kind "simulation": see struct job_kind. */
#ifndef SERVER_JOBS_SIMULATION_H
#define SERVER_JOBS_SIMULATION_H

#include "server/jobs/kinds.h"

enum armdyn_status simulation_check(const struct armdyn_robot_description *robot, const char *request, size_t length,
                                    struct buffer *tags, struct faults *faults);
void simulation_run(struct work *work);

#endif
