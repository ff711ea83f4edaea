#include "server/transfers/standing.h"

#include <stdlib.h>

#include "server/app.h"
#include "server/transfers/command_wait.h"
#include "server/transfers/controller_view.h"

bool standing_measure(struct app *app, const struct controller_description *controller, struct standing *out,
                      struct refusal *why)
{
  char text[256] = "no answer in time";
  struct controller_view *view = calloc(1, sizeof *view);
  enum armdyn_status status = view ? controller_view_make(app, controller, view, why->faults) : ARMDYN_EMEMORY;
  if (status) {
    free(view);
    return refusal_status(why, status);
  }
  const bool heard = command_wait(app->gateway, &(struct awaited_command){ controller->name, "", ASK_MEASURE, 0 },
                                  &out->seen, text, &status);
  const bool known = heard && !status && controller_view_position(view, &out->seen, out->q);
  out->joints = view->map.count;
  free(view);
  if (!known)
    return refusal_say(why, PROBLEM_CONTROLLER_UNREACHABLE, "where the arm of controller '%s' stands is not known: %s",
                       controller->name, *text ? text : "it does not tell");
  if (out->seen.state.phase == PHASE_PLAYING || out->seen.state.phase == PHASE_HOLDING)
    return refusal_say(why, PROBLEM_CONFLICT,
                       "the arm of controller '%s' is on its way: a motion starts where it stands", controller->name);
  return true;
}
