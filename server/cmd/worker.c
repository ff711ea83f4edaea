#include <errno.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "api/limits.h"
#include "server/cmd/command.h"
#include "server/ipc/child.h"
#include "server/jobs/work.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
enum { SANITIZED = 1 }; /* their shadow memory is address space by the terabyte */
#else
enum { SANITIZED = 0 };
#endif

enum { BEHIND_REQUESTS = 5 }; /* nice: who waits for an answer goes first */

/* A runaway computation ends here, not where the machine does. */
static void bound_self(rlim_t mebibytes)
{
  struct rlimit memory = { MB(mebibytes), MB(mebibytes) };
  if (!SANITIZED && mebibytes && setrlimit(RLIMIT_AS, &memory))
    fprintf(stderr, "armdyn worker: no memory limit: %s\n", strerrordesc_np(errno));
  setpriority(PRIO_PROCESS, 0, BEHIND_REQUESTS);

  int fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC); /* rather a job's attempt than the service */
  if (fd < 0) return;
  ssize_t written = write(fd, "500", 3);
  (void)written; /* it is a wish */
  close(fd);
}

int command_worker(int argc, char **argv)
{
  struct stat s;
  if (argc != 4 || fstat(CHILD_FD, &s) || !S_ISSOCK(s.st_mode)) {
    fprintf(stderr, "armdyn worker: `armdyn serve` starts it; it is of no use by itself\n");
    return 2;
  }
  bound_self(strtoul(argv[2], NULL, 10));
  return work_serve(CHILD_FD, argv[1], strtoul(argv[3], NULL, 10));
}
