/* What may become of an order, what may be asked of it, and what that means for its queue: the tables in states.c. */
#ifndef SERVER_ORDERS_STATES_H
#define SERVER_ORDERS_STATES_H

#include "server/store/store.h"

enum { ORDER_MESSAGE = 256 }; /* bytes of what is said of one */
enum order_command { COMMAND_START_ORDER, COMMAND_HOLD_ORDER, COMMAND_RESUME_ORDER, ORDER_COMMANDS };

bool order_may_become(enum order_state from, enum order_state to);
/* What its transfer's state makes of it. */
enum order_state order_state_of(enum transfer_state transfer);
/* The state in which a command is taken. */
enum order_state order_taken_in(enum order_command command);
/* Does an order that comes to this state block its queue?
 *   sent  in  something of it was sent to the controller */
bool order_blocks(enum order_state state, bool sent);
/* Has it begun to be planned: is its place fixed? Is it at the controller? */
bool order_is_placed(enum order_state state);
bool order_is_loaded(enum order_state state);

#endif
