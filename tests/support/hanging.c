/* Preloaded into a process, whatever it brings to the disk does not come back as long as the file ARMDYN_TEST_HANG is there. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <unistd.h>

static void hang(void)
{
  const char *path = getenv("ARMDYN_TEST_HANG");
  while (path && !access(path, F_OK)) usleep(10000);
}

int fdatasync(int fd)
{
  static int (*real)(int);
  if (!real) *(void **)&real = dlsym(RTLD_NEXT, "fdatasync");
  hang();
  return real(fd);
}

int fsync(int fd)
{
  static int (*real)(int);
  if (!real) *(void **)&real = dlsym(RTLD_NEXT, "fsync");
  hang();
  return real(fd);
}
