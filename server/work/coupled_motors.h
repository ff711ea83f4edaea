/* Identification of an arm whose friction acts at coupled motors: on motions of the gears' outputs. */
#ifndef SERVER_WORK_COUPLED_MOTORS_H
#define SERVER_WORK_COUPLED_MOTORS_H

#include "api/codec/identification.h"
#include "armdyn/gears.h"

/*   gears  out  release with armdyn_gears_free; NULL where friction acts at joints
 * OK; EINPUT where the request asks for what is made joint by joint, with its pointer; or EMEMORY. */
enum armdyn_status coupled_motors_open(const struct identification_request *request, const struct armdyn_robot *model,
                                       struct armdyn_gears **gears, struct armdyn_error *error);

#endif
