/* The pages that a browser shows, inside the binary: files that Vite made of src/, put there by pack.py. */
#ifndef SERVER_WEB_PAGES_H
#define SERVER_WEB_PAGES_H

#include <stdint.h>

struct page {
  const char *name; /* "index.html", or of a folder of the build: "app-B1xT9c2Q.js" */
  const char *type; /* Content-Type */
  const char *plain;
  uint64_t plain_length;
  const char *packed; /* by gzip */
  uint64_t packed_length;
};

extern const struct page pages[];  /* sorted by name */
extern const uint64_t page_count;  /* 0: this build has none */
extern const char pages_missing[]; /* then the reason; "" otherwise */

#endif
