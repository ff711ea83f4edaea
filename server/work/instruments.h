/* What an identification compares its columns with: the loop that the arm was logged in, where the request knows it, else for
 * ARMDYN_IV the measured path through another filter. */
#ifndef SERVER_WORK_INSTRUMENTS_H
#define SERVER_WORK_INSTRUMENTS_H

#include "server/work/filtered_path.h"
#include "server/work/kinds.h"
#include "server/work/logged_loop.h"

/* Zeroed at first; it stays where it is, and is released in any case. */
struct instruments {
  struct logged_loop logged;
  struct filtered_path path;
  const struct armdyn_known_loop *loop; /* NULL: not known */
  const struct armdyn_source *source;   /* of ARMDYN_IV without it, else NULL */
  struct identification_instruments told;
};
/* OK, and the refusals of logged_loop_open and filtered_path_open.
 *   has_payloads  in   as of struct logged_loop_order */
enum armdyn_status instruments_open(struct work *work, const struct filtered_path_order *order, bool has_payloads,
                                    struct instruments *instruments, struct armdyn_error *error);
void instruments_release(struct instruments *instruments);

#endif
