/* "HOST:PORT" as people write it, and the socket that listens there. */
#ifndef SERVER_HTTP_ADDRESS_H
#define SERVER_HTTP_ADDRESS_H

#include <stdbool.h>
#include <sys/socket.h>

#include "armdyn/status.h"

struct address {
  char host[128]; /* without brackets */
  char port[16];
  bool v6; /* was written in brackets */
};

/* "127.0.0.1:8080", "localhost:0", "[::1]:8080", ":8080" (every IPv4 address). */
bool address_parse(const char *text, struct address *address);

/* A listening socket.
 *   scheme  in   "http" or "https"
 *   name    out  "scheme://HOST:PORT" with the port that was really taken
 * EINPUT, EIO. */
enum armdyn_status address_listen(const char *text, const char *scheme, int *fd, char name[192],
                                  struct armdyn_error *error);
/* DIR/control.sock, for the owner of DIR alone; what a dead process left there is replaced. EIO. */
enum armdyn_status address_listen_local(const char *dir, int *fd, struct armdyn_error *error);
/* Its path, good as long as the file descriptor answered (-1: there is no DIR) is open in this process. */
enum { ADDRESS_LOCAL_SIZE = 64 };
int address_local(const char *dir, char path[ADDRESS_LOCAL_SIZE]);
/* Without the port; "local" for control.sock. */
enum { ADDRESS_TEXT_SIZE = 64 };
void address_text(const struct sockaddr_storage *address, char text[ADDRESS_TEXT_SIZE]);
/* Who is counted as one: an IPv4 address, also where it comes as one of IPv6, or all of a /64 of IPv6, which is what a customer
 * gets. */
enum { ADDRESS_KEY_SIZE = 16 };
void address_key(const struct sockaddr *address, unsigned char key[ADDRESS_KEY_SIZE]);
/* Is it one of loopback? */
bool address_is_own(const struct sockaddr_storage *address);
/* Is this socket bound where no other machine reaches it? */
bool address_is_loopback(int fd);

#endif
