/* What a simulated controller does at a command. */
#ifndef SERVER_SIMULATOR_COMMANDS_H
#define SERVER_SIMULATOR_COMMANDS_H

#include "server/simulator/state.h"

/* The command in these registers, if it is a new one: carried out or refused, and acknowledged; not so when its check word
 * is wrong. COMMIT with a scan begins here. */
void simulator_take_command(struct simulator *s, const uint16_t words[PROTOCOL_COMMAND]);
/* With a scan: some more of a COMMIT that runs. */
void simulator_go_on_with_commit(struct simulator *s);
/* |torque| and its rate in samples from .. to - 1, compared in float32 as they came: an error of the list. */
unsigned simulator_check_torques(const struct simulator *s, uint32_t from, uint32_t to);

#endif
