#include "server/base/memory.h"

#include <malloc.h>
#include <stdint.h>
#include <sys/mman.h>

enum {
  /* glibc's own limit is eight per core, and freed memory lies about in each; calls of one sample never ask for memory, so
   * fewer cost nothing */
  ARENAS = 4,
  /* Larger blocks come straight from the system and go back to it: bodies and answers of all sizes, with small things that
   * live long between them, leave gaps in an arena that no later block fits, and a busy service grows for hours. */
  LARGE = 64 * 1024,
  KEPT = 1024 * 1024, /* of what is free at the end of an arena */
};

void memory_set_up(void)
{
  mallopt(M_ARENA_MAX, ARENAS);
  mallopt(M_MMAP_THRESHOLD, LARGE);
  mallopt(M_TRIM_THRESHOLD, KEPT);
}

void memory_give_back(void)
{
  malloc_trim(0);
}

void *memory_in_large_pages(void *block, size_t size)
{
  static const uintptr_t page = 2 * 1024 * 1024;
  const uintptr_t first = ((uintptr_t)block + page - 1) / page * page, last = ((uintptr_t)block + size) / page * page;
  if (block && first < last) madvise((void *)first, last - first, MADV_HUGEPAGE); /* refused: small ones do as well */
  return block;
}
