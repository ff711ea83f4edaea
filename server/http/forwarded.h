/* Whose request a proxy passes on: X-Forwarded-For, or Forwarded (RFC 7239). Anybody can write these headers, so they are
 * believed only as far as they were written by proxies that are trusted, from the last entry backwards. */
#ifndef SERVER_HTTP_FORWARDED_H
#define SERVER_HTTP_FORWARDED_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/socket.h>

#include "server/base/ranges.h"

enum { FORWARDED_MOST = 16 };

/* The entries of the header, the last FORWARDED_MOST of them; one that names no address has the family AF_UNSPEC. */
struct forwarded {
  size_t count;                                 /* that there were */
  struct sockaddr_storage last[FORWARDED_MOST]; /* entry i at i % FORWARDED_MOST */
};
/* One line of the header; further lines go on where it ended. name: "forwarded" (for=address;by=..., ...) or
 * "x-forwarded-for" (address, ...). */
void forwarded_add(struct forwarded *forwarded, const char *name, const char *line);
/* The client behind the proxies. client: in the peer of the connection, out whoever it passes the request on for. */
void forwarded_client(const struct forwarded *forwarded, const struct ranges *trusted, struct sockaddr_storage *client);

#endif
