/* The zones of a controller's schedule, which requests name by the id of a zoning. */
#ifndef SERVER_WORK_CONTROL_ZONES_H
#define SERVER_WORK_CONTROL_ZONES_H

#include "api/codec/control.h"
#include "armdyn/zones.h"
#include "server/work/kinds.h"

/*   pointer  in      to the control in the request: "/control"
 *   zones    out     allocated, with the gains in force; NULL: the schedule has none
 *   control  in/out  in force; its schedule points to them
 * OK; EINPUT: there is no such zoning, or of another robot; EMEMORY, ESINGULAR. */
enum armdyn_status control_zones_open(struct work *work, const struct control_request *asked,
                                      const struct armdyn_robot *model, const char *pointer, struct armdyn_zone **zones,
                                      struct armdyn_control *control, struct armdyn_error *error);

/* The zoning as a source of the job. Answers how many, 0 or 1. */
size_t control_zones_source(const struct control_request *asked, const char *pointer, struct job_source *source);

#endif
