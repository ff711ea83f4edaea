#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "api/limits.h"
#include "server/cmd/command.h"
#include "server/ipc/child.h"
#include "server/work/worker.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
enum { SANITIZED = 1 }; /* their shadow memory is address space by the terabyte */
#else
enum { SANITIZED = 0 };
#endif

/* nice, and that of the session where sessions share the processor instead of processes, as is usual: who waits for an
 * answer goes first. */
enum { BEHIND_REQUESTS = 10, COMMANDS = 20, BETWEEN_COMMANDS_NS = 100000000 };

/* The kernel may not know the file; and sessions of one user may ask it ten times a second, all together. */
static void command(const char *file, const char *value)
{
  int fd = open(file, O_WRONLY | O_CLOEXEC);
  if (fd < 0) return;
  for (int i = 0; i < COMMANDS && write(fd, value, strlen(value)) < 0 && errno == EAGAIN; i++)
    nanosleep(&(struct timespec){ .tv_nsec = BETWEEN_COMMANDS_NS }, NULL);
  close(fd);
}

/* A runaway computation ends here, not where the machine does. */
static void bound_self(rlim_t mebibytes)
{
  struct rlimit memory = { MB(mebibytes), MB(mebibytes) };
  if (!SANITIZED && mebibytes && setrlimit(RLIMIT_AS, &memory))
    fprintf(stderr, "armdyn worker: no memory limit: %s\n", strerrordesc_np(errno));
  mallopt(M_ARENA_MAX, 1); /* a second one would take of that */
  setpriority(PRIO_PROCESS, 0, BEHIND_REQUESTS);
  char nice_value[8];
  snprintf(nice_value, sizeof nice_value, "%d", BEHIND_REQUESTS);
  command("/proc/self/autogroup", nice_value);
  command("/proc/self/oom_score_adj", "500"); /* rather a job's attempt than the service */
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
