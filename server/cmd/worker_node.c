/* `armdyn worker-node`: more processors for the jobs of a service whose store is in PostgreSQL. */
#include <getopt.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "server/base/clock.h"
#include "server/base/log.h"
#include "server/cmd/command.h"
#include "server/nodes/worker_node.h"

static const char usage[] =
    "usage: armdyn worker-node [--store ADDRESS] [--workers N] [--data DIR] [--worker-memory MIB] [--job-cpu-time S]\n"
    "                          [--stop-timeout S]\n\n"
    "Computes jobs for the armdyn serve at the same database, of the same version, and nothing else: it has no HTTP, "
    "moves no\n"
    "arm, and may come and go at any time. Stopped by a signal, it takes no more jobs and lets those that run end.\n\n"
    "  --store ADDRESS      postgresql://...; default: ARMDYN_STORE. Not through a pooler of transactions\n"
    "  --workers N          processes that compute (1 to 64); default: as many as there are cores\n"
    "  --data DIR           directory of the node's name; default: ARMDYN_DATA, or armdyn-data\n"
    "  --worker-memory MIB  of each; 0: no limit; default 2048\n"
    "  --job-cpu-time S     of an attempt at a job; 0: no limit; default 14400\n"
    "  --stop-timeout S     for jobs that run to end; default 60\n";

struct words {
  const char *store, *workers, *data, *memory, *cpu, *stop;
};

static const char *variable(const char *name, const char *otherwise)
{
  const char *value = getenv(name);
  return value ? value : otherwise;
}

/* 0: go on; else the exit status + 1. */
static int read_arguments(int argc, char **argv, struct words *w)
{
  static const struct option known[] = { { "store", required_argument, NULL, 's' },
                                         { "workers", required_argument, NULL, 'w' },
                                         { "data", required_argument, NULL, 'd' },
                                         { "worker-memory", required_argument, NULL, 'm' },
                                         { "job-cpu-time", required_argument, NULL, 'c' },
                                         { "stop-timeout", required_argument, NULL, 't' },
                                         { "help", no_argument, NULL, 'h' },
                                         { 0 } };
  bool good = true;
  opterr = 0;
  for (int c; (c = getopt_long(argc, argv, "", known, NULL)) != -1;) {
    switch (c) {
    case 's': w->store = optarg; break;
    case 'w': w->workers = optarg; break;
    case 'd': w->data = optarg; break;
    case 'm': w->memory = optarg; break;
    case 'c': w->cpu = optarg; break;
    case 't': w->stop = optarg; break;
    case 'h': fputs(usage, stdout); return 1;
    default: good = false;
    }
  }
  if (good && optind == argc) return 0;
  fputs(usage, stderr);
  return 3;
}

/* Within bounds, or it is said and false. */
static bool read_number(const char *flag, const char *text, long least, long most, long *number)
{
  char *end;
  *number = strtol(text, &end, 10);
  if (*text && !*end && *number >= least && *number <= most) return true;
  fprintf(stderr, "armdyn worker-node: %s must be a number from %ld to %ld, got '%s'\n", flag, least, most, text);
  return false;
}

static void serve_until_signal(struct worker_node *node, long stop_s)
{
  sigset_t signals;
  int signal = 0;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGINT);
  printf("computing\n");
  if (fflush(stdout)) clearerr(stdout);
  while (sigwait(&signals, &signal)) {
  }
  log_event(LOG_INFO, "stopping", "signal", strsignal(signal), NULL);
  worker_node_stop(node, clock_monotonic_ns() + stop_s * INT64_C(1000000000));
}

static void set_up_process(void)
{
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGINT);
  pthread_sigmask(SIG_BLOCK, &signals, NULL);
  signal(SIGPIPE, SIG_IGN);
  log_start();
}

int command_worker_node(int argc, char **argv)
{
  char cores[24];
  snprintf(cores, sizeof cores, "%ld", sysconf(_SC_NPROCESSORS_ONLN));
  struct words w = { variable("ARMDYN_STORE", ""),
                     variable("ARMDYN_WORKERS", cores),
                     variable("ARMDYN_DATA", "armdyn-data"),
                     variable("ARMDYN_WORKER_MEMORY", "2048"),
                     variable("ARMDYN_JOB_CPU_TIME", "14400"),
                     variable("ARMDYN_STOP_TIMEOUT", "60") };
  long workers, memory, cpu, stop;
  const int wrong = read_arguments(argc, argv, &w);
  if (wrong) return wrong - 1;
  if (!read_number("--workers", w.workers, 1, NODE_WORKERS_MOST, &workers) ||
      !read_number("--worker-memory", w.memory, 0, 1 << 20, &memory) ||
      !read_number("--job-cpu-time", w.cpu, 0, 1 << 30, &cpu) || !read_number("--stop-timeout", w.stop, 1, 3600, &stop))
    return 2;
  if (!store_is_on_server(w.store)) {
    fprintf(stderr, "armdyn worker-node: --store: '%s' is no address of PostgreSQL: a store in a file has one node\n",
            w.store);
    return 2;
  }
  setenv("ARMDYN_STORE", w.store, 1); /* workers read it, and no list of processes shows it */
  set_up_process();
  struct armdyn_error error = { "", "" };
  struct worker_node *node = NULL;
  const struct worker_node_setup setup = { w.store, w.data, (int)workers, w.memory, w.cpu };
  const enum armdyn_status status = worker_node_start(&setup, &node, &error);
  if (!status) serve_until_signal(node, stop);
  if (status) fprintf(stderr, "armdyn worker-node: %s\n", *error.message ? error.message : armdyn_status_text(status));
  log_stop();
  return status ? 1 : 0;
}
