#include "server/base/memory.h"

#include <malloc.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <unistd.h>

enum {
  /* glibc's own limit is eight per core, and freed memory lies about in each; calls of one sample never ask for memory, so
   * fewer cost nothing */
  ARENAS = 4,
  /* Larger blocks come straight from the system and go back to it: bodies and answers of all sizes, with small things that
   * live long between them, leave gaps in an arena that no later block fits, and a busy service grows for hours. */
  LARGE = 64 * 1024,
  /* Of what is free at the end of an arena, and malloc_trim gives back of the first one alone: the others grow to it in
   * minutes and fall back, each by itself. */
  KEPT = 256 * 1024,
};

/* Every thread keeps freed blocks for itself, seven of each of 64 sizes up to 1 KiB. That is 230 KiB a thread, filled by one
 * rare call after the other for hours; nothing empties it, and each block holds a page that could go back. Threads keep small
 * blocks alone now, for about one percent of the instructions of a call. glibc reads this when a process begins, and not for
 * one that has more rights than its caller; when it cannot begin again the caches stay large, and nothing else is wrong. */
static void bound_caches(char **argv)
{
  static const char name[] = "GLIBC_TUNABLES", small[] = "glibc.malloc.tcache_max=128";
  const char *given = getenv(name);
  char all[1024], path[4096];
  if (!given) given = "";
  if (getauxval(AT_SECURE) || strstr(given, "glibc.malloc.tcache")) return;
  int length = snprintf(all, sizeof all, "%s%s%s", small, *given ? ":" : "", given);
  ssize_t end = readlink("/proc/self/exe", path, sizeof path - 1); /* exec of the link itself would be its name */
  if (length >= (int)sizeof all || end < 0 || setenv(name, all, 1)) return;
  path[end] = '\0';
  execv(path, argv);
}

void memory_set_up(char **argv)
{
  bound_caches(argv);
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
