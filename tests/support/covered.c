/* Which functions of a program ran: preloaded (LD_PRELOAD) before one that was compiled with -finstrument-functions
 * and -falign-functions=16. A byte for every 16 of the program's text stands in the file COVERED, shared by all its
 * processes, so that it outlives whatever ends them. tests/covered.py reads it. */

#include <fcntl.h>
#include <link.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

enum { SLOTS = 1 << 21 };
static unsigned char *bits;
static uintptr_t base;

void __cyg_profile_func_enter(void *function, void *from);
void __cyg_profile_func_exit(void *function, void *from);

/* The first object is the program itself. */
static int first(struct dl_phdr_info *info, size_t size, void *where)
{
  (void)size;
  *(uintptr_t *)where = info->dlpi_addr;
  return 1;
}

__attribute__((constructor)) static void start(void)
{
  const char *path = getenv("COVERED");
  const int fd = path ? open(path, O_RDWR | O_CLOEXEC) : -1;
  if (fd < 0) return;
  (void)dl_iterate_phdr(first, &base);
  void *at = mmap(NULL, SLOTS, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (at != MAP_FAILED) bits = at;
  (void)close(fd);
}

void __cyg_profile_func_enter(void *function, void *from)
{
  (void)from;
  const uintptr_t slot = ((uintptr_t)function - base) / 16;
  if (bits && slot < SLOTS && !bits[slot]) bits[slot] = 1;
}

void __cyg_profile_func_exit(void *function, void *from)
{
  (void)function, (void)from;
}
