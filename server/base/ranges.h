/* Ranges of addresses, as people list them in an option: "127.0.0.1, 10.1.0.0/16, fd00::/8". */
#ifndef SERVER_BASE_RANGES_H
#define SERVER_BASE_RANGES_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/socket.h>

#include "armdyn/status.h"

enum { RANGES_MOST = 32 };

struct ranges {
  size_t count;
  struct {
    unsigned char address[16]; /* IPv4 as ::ffff:a.b.c.d */
    unsigned bits;             /* of them count */
  } of[RANGES_MOST];
};

/* option: its name, for messages. EINPUT names the entry that is no range. */
enum armdyn_status ranges_parse(const char *option, const char *text, struct ranges *ranges,
                                struct armdyn_error *error);
bool ranges_have(const struct ranges *ranges, const struct sockaddr_storage *address);

/* Of a numeric address; false, and the family AF_UNSPEC: it is none. */
bool address_read(const char *text, struct sockaddr_storage *address);

#endif
