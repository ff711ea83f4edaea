/* Who hears of orders. */
#ifndef SERVER_ORDERS_LISTENERS_H
#define SERVER_ORDERS_LISTENERS_H

#include "server/base/announce.h"

/* Who hears of orders that get on, and of queues (by their controllers) whose orders or whose block are others. Called under
 * locks: they wait for nobody. */
struct order_listeners {
  struct announce orders, queues;
};

#endif
