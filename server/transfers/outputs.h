/* Outputs of a controller that a motion sets: does the controller have them, and does the arm rest there? */
#ifndef SERVER_TRANSFERS_OUTPUTS_H
#define SERVER_TRANSFERS_OUTPUTS_H

#include "server/transfers/prepared.h"

/* Can this controller be told to, within a motion? Refusals are at `place`, or below it. */
bool outputs_offered(const struct controller_profile *profile, const struct output_setting *setting, const char *place,
                     const struct map_output **output, const struct map_output_value **value, struct refusal *why);
/* Those that the request names, into the order of the transfer, whose profile is made. false: p->why says why. */
bool outputs_place(struct prepared_transfer *p);

#endif
