/* What was seen of a controller, in the words of its arm: GET .../status and the events of controllers. */
#ifndef SERVER_TRANSFERS_CONTROLLER_VIEW_H
#define SERVER_TRANSFERS_CONTROLLER_VIEW_H

#include "api/codec/controller.h"
#include "api/wire/buffer.h"
#include "server/gateway/gateway.h"

struct app;

/* How its registers are read. */
struct controller_view {
  char name[ARMDYN_NAME_SIZE];
  struct axis_map map;
  struct register_map registers; /* of a controller that has one */
};
/* May read the store. EINPUT with faults: it does not fit its arm (any more); what robots_get says. */
enum armdyn_status controller_view_make(struct app *app, const struct controller_description *controller,
                                        struct controller_view *view, struct faults *faults);
/* Where the arm stands, in joint order [rad, m]; room for ARMDYN_JOINTS_MAX. false: it is not connected, or this was seen too
 * long ago. */
bool controller_view_position(const struct controller_view *view, const struct observation *seen, double *position);
/* The status document. */
void controller_view_encode(struct app *app, const struct controller_view *view, const struct observation *seen,
                            struct buffer *out);

#endif
