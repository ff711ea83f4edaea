/* "HOST:PORT" as people write it, and the socket that listens there. */
#ifndef SERVER_HTTP_ADDRESS_H
#define SERVER_HTTP_ADDRESS_H

#include <stdbool.h>

#include "armdyn/status.h"

struct address {
  char host[128]; /* without brackets */
  char port[16];
  bool v6; /* was written in brackets */
};

/* "127.0.0.1:8080", "localhost:0", "[::1]:8080", ":8080" (every IPv4 address). */
bool address_parse(const char *text, struct address *address);

/* A listening socket.
 *   loopback_only  in   refuse (EINPUT) what is not loopback
 *   name           out  "http://HOST:PORT" with the port that was really taken */
enum armdyn_status address_listen(const char *text, bool loopback_only, int *fd, char name[192],
                                  struct armdyn_error *error);

#endif
