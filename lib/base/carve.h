/* A workspace is measured (base NULL) and laid out by one and the same list of carve() calls, never by two. */
#ifndef LIB_BASE_CARVE_H
#define LIB_BASE_CARVE_H

#include <stddef.h>
#include <string.h>

struct carve {
  unsigned char *base; /* 64-byte aligned, or NULL to measure */
  size_t used;
};

/* The next piece, aligned for SIMD; NULL while measuring. */
static inline void *carve(struct carve *c, size_t count, size_t size)
{
  size_t at = c->used;
  c->used += (count * size + 63) & ~(size_t)63;
  return c->base ? c->base + at : NULL; /* no arithmetic on NULL */
}

/* The same, all 0. */
static inline void *carve_zeroed(struct carve *c, size_t count, size_t size)
{
  void *piece = carve(c, count, size);
  return piece ? memset(piece, 0, count * size) : NULL;
}

#endif
