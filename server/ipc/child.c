#include "server/ipc/child.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "server/base/clock.h"

enum { GRACE_MS = 2000, EXIT_NO_EXEC = 127 };

/* Between fork and exec of a process with threads: only async-signal-safe calls, nothing of the heap. */
static _Noreturn void become(int fd, char *const argv[], bool die_with_parent, pid_t parent)
{
  if (die_with_parent) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(EXIT_NO_EXEC); /* it was gone before we asked */
  }
  setsid();
  struct sigaction by_default = { .sa_handler = SIG_DFL };
  for (int s = 1; s < NSIG; s++) sigaction(s, &by_default, NULL); /* ignored signals would stay ignored */
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, NULL);

  int null = open("/dev/null", O_RDWR);
  if (null < 0 || dup2(null, STDIN_FILENO) < 0 || dup2(null, STDOUT_FILENO) < 0 || dup2(fd, CHILD_FD) < 0)
    _exit(EXIT_NO_EXEC);
  close_range(CHILD_FD + 1, ~0U, 0); /* everything is close-on-exec; this is for what libraries open */
  execv("/proc/self/exe", argv);
  _exit(EXIT_NO_EXEC);
}

enum armdyn_status child_start(struct child *child, const char *const arguments[], bool die_with_parent,
                               struct armdyn_error *error)
{
  enum armdyn_status status = ARMDYN_OK;
  int ends[2] = { -1, -1 }, theirs = -1;
  char *argv[CHILD_ARGUMENTS_MAX + 2] = { (char *)(uintptr_t) "armdyn" };
  for (size_t i = 0; arguments[i]; i++) {
    if (i == CHILD_ARGUMENTS_MAX)
      return armdyn_refuse(error, ARMDYN_ELIMIT, "", "more arguments than a child may have");
    argv[i + 1] = (char *)(uintptr_t)arguments[i];
  }

  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) < 0 ||
      (theirs = fcntl(ends[1], F_DUPFD_CLOEXEC, CHILD_FD + 1)) < 0) { /* above 3: dup2 then clears close-on-exec */
    status = armdyn_refuse(error, ARMDYN_EIO, "", "cannot make a socketpair: %s", strerrordesc_np(errno));
    goto out;
  }

  /* No handler of ours may run in the child before it has forgotten them. */
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  pid_t parent = getpid(), pid = fork();
  int why = errno;
  if (pid == 0) become(theirs, argv, die_with_parent, parent);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  if (pid < 0) {
    status = armdyn_refuse(error, ARMDYN_EIO, "", "cannot fork: %s", strerrordesc_np(why));
    goto out;
  }

  child->pid = pid;
  channel_open(&child->channel, ends[0]);
  ends[0] = -1;
out:
  if (ends[0] >= 0) close(ends[0]);
  if (ends[1] >= 0) close(ends[1]);
  if (theirs >= 0) close(theirs);
  return status;
}

/* Has it ended, now or within timeout_ms (< 0: for ever)? It stays to be reaped by child_end. */
static bool child_ended(const struct child *child, int timeout_ms)
{
  int64_t deadline = timeout_ms < 0 ? INT64_MAX : clock_monotonic_ns() + (int64_t)timeout_ms * 1000000;
  for (;;) {
    siginfo_t info = { 0 };
    int rc = waitid(P_PID, (id_t)child->pid, &info, WEXITED | WNOWAIT | WNOHANG);
    if (rc == 0 && info.si_pid == child->pid) return true;
    if (rc < 0 && errno != EINTR) return true; /* ECHILD: somebody ignores SIGCHLD, and it is gone */
    if (clock_monotonic_ns() >= deadline) return false;
    nanosleep(&(struct timespec){ .tv_nsec = 5000000 }, NULL);
  }
}

void child_end(struct child *child, bool kill_it, char reason[CHILD_REASON_SIZE])
{
  reason[0] = '\0';
  if (!child->pid) return;
  channel_close(&child->channel);
  if (kill_it || !child_ended(child, GRACE_MS))
    kill(child->pid, SIGKILL); /* not reaped yet: the pid is still its own */

  int how = 0;
  pid_t rc;
  do rc = waitpid(child->pid, &how, 0);
  while (rc < 0 && errno == EINTR);
  child->pid = 0;
  child->exit = rc > 0 && WIFEXITED(how) ? WEXITSTATUS(how) : -1;
  if (rc < 0)
    snprintf(reason, CHILD_REASON_SIZE, "unknown end");
  else if (WIFSIGNALED(how)) {
    const char *name = sigdescr_np(WTERMSIG(how));
    snprintf(reason, CHILD_REASON_SIZE, "signal %d (%s)", WTERMSIG(how), name ? name : "unknown");
  } else
    snprintf(reason, CHILD_REASON_SIZE, "exit %d", WEXITSTATUS(how));
}
