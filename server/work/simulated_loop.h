/* A controller and the arm that it moves, from a request's "control" and "plant": the library's closed loop of them. */
#ifndef SERVER_WORK_SIMULATED_LOOP_H
#define SERVER_WORK_SIMULATED_LOOP_H

#include "api/codec/control.h"

struct simulated_loop {
  struct armdyn_robot *plant;
  struct armdyn_control control;
  struct armdyn_load load; /* of the plant */
  struct armdyn_loop loop; /* all but the reference and q, qd, duration of the motion */
};

/* Make one, which points at itself and must stay where it is.
 *   control, plant  in   must outlive it
 *   model           in   the controller's; must outlive it
 *   friction        in   of the model, and of the plant unless that says otherwise
 *   q               in   where gains are made for the bandwidth, Hz
 *   loop            out  zeroed before; release with simulated_loop_close, refused or not
 * OK, EINPUT (a plant that is no arm), EMEMORY. */
enum armdyn_status simulated_loop_open(struct simulated_loop *loop, const struct control_request *control,
                                       const struct plant_request *plant, const struct armdyn_robot *model,
                                       bool friction, double bandwidth_hz, const double *q,
                                       struct armdyn_workspace *workspace, struct armdyn_error *error);
void simulated_loop_close(struct simulated_loop *loop);

#endif
