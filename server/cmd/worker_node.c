/* `armdyn worker-node`: more processors for the jobs of a service whose store is in PostgreSQL. */
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "server/base/clock.h"
#include "server/base/log.h"
#include "server/cmd/command.h"
#include "server/cmd/flags.h"
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

/* As flags_read. */
static int read_arguments(int argc, char **argv, struct words *w)
{
  const struct flag flags[] = { { "store", &w->store, NULL },
                                { "workers", &w->workers, NULL },
                                { "data", &w->data, NULL },
                                { "worker-memory", &w->memory, NULL },
                                { "job-cpu-time", &w->cpu, NULL },
                                { "stop-timeout", &w->stop, NULL },
                                { 0 } };
  int rest;
  const int wrong = flags_read(argc, argv, flags, usage, &rest);
  return wrong || !rest ? wrong : flags_refuse(usage);
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
  struct words w = { flag_default("ARMDYN_STORE", ""),
                     flag_default("ARMDYN_WORKERS", cores),
                     flag_default("ARMDYN_DATA", "armdyn-data"),
                     flag_default("ARMDYN_WORKER_MEMORY", "2048"),
                     flag_default("ARMDYN_JOB_CPU_TIME", "14400"),
                     flag_default("ARMDYN_STOP_TIMEOUT", "60") };
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
