/* Who stands behind the name of a host, so that two names of one controller are one endpoint with one lease. */
#ifndef SERVER_GATEWAY_PEER_H
#define SERVER_GATEWAY_PEER_H

#include <stdbool.h>
#include <stdint.h>

#include "api/codec/controller.h"

enum { PEER_SIZE = 64 };

/* Where a controller is, and how its registers lie. */
struct controller_address {
  char host[HOST_SIZE];
  char peer[PEER_SIZE]; /* who that is, as peer_find said; "" = not known */
  uint16_t port, unit, base;
  bool mapped;             /* it has registers of its own: */
  struct register_map map; /* then */
};

/* One of all controllers. */
struct listed_controller {
  char name[ARMDYN_NAME_SIZE];
  size_t same_as; /* index of the first one that is the same registers of the same controller: itself, mostly */
};

/* Of a controller; who it is, only where that takes no asking. */
void address_of(const struct controller_description *controller, struct controller_address *address);

/* Write who a host is: the smallest of its IPv4 addresses, else of its IPv6 addresses; everything of loopback is
 * 127.0.0.1. "" when nobody knows that name.
 *   ask  in  false: of a name other than localhost nothing is found out, because that may take seconds */
void peer_find(const char *host, bool ask, char peer[PEER_SIZE]);

/* One host, port and unit? By peer where both are known, else by name. */
bool address_same(const struct controller_address *a, const struct controller_address *b);

/* The same registers there too? Of two register maps that is not known. */
bool address_same_block(const struct controller_address *a, const struct controller_address *b);
/* Is it one controller to speak to? Blocks of registers behind one address are controllers of their own, that of another arm
 * perhaps; what a map names may have been described anew. */
bool address_one_endpoint(const struct controller_address *a, const struct controller_address *b);

#endif
