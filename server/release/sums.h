/* What `make dist` says of its files: SHA256SUMS, as sha256sum writes it, and the Ed25519 key of who signed it. */
#ifndef SERVER_RELEASE_SUMS_H
#define SERVER_RELEASE_SUMS_H

#include <stdbool.h>
#include <stddef.h>

#include "armdyn/status.h"

enum { SUM_SIZE = 32, SUM_NAME_SIZE = 256, SIGNING_KEY_SIZE = 32 };

struct sum {
  char name[SUM_NAME_SIZE]; /* relative to the bundle, of parts that are neither empty nor . nor .. */
  unsigned char hash[SUM_SIZE];
  bool found; /* for who goes through the files */
};
/* By name, each once. */
struct sums {
  struct sum *items;
  size_t count;
};

/* EINPUT: the line that is none, or that names a file twice or one outside; EMEMORY. Release the sums in any case. */
enum armdyn_status sums_parse(const char *text, size_t length, struct sums *sums, struct armdyn_error *error);
void sums_release(struct sums *sums);
/* NULL: none of that name. */
struct sum *sums_find(const struct sums *sums, const char *name);

/* An Ed25519 public key in PEM (RFC 8410), as `openssl pkey -pubout` writes it. EINPUT: it is none, and what it is. */
enum armdyn_status signing_key_parse(const char *text, size_t length, unsigned char key[SIGNING_KEY_SIZE],
                                     struct armdyn_error *error);

#endif
