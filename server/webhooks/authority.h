/* Whose certificates the receivers of webhooks show: a factory's own authority, in place of those that the system knows. */
#ifndef SERVER_WEBHOOKS_AUTHORITY_H
#define SERVER_WEBHOOKS_AUTHORITY_H

#include <stddef.h>
#include <stdint.h>

#include "armdyn/status.h"

struct authority {
  size_t count;    /* certificates */
  int64_t expires; /* when the first of them does, Unix time */
};
/* Read the certificates (PEM) of a file. EINPUT: it cannot be read, or holds none; the error names it. */
enum armdyn_status authority_read(const char *file, struct authority *authority, struct armdyn_error *error);

#endif
