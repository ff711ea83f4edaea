/* `armdyn drain`: before a stop or an upgrade, let what runs end and begin nothing more. */
#include <getopt.h>
#include <stdlib.h>
#include <time.h>

#include "api/limits.h"
#include "server/base/clock.h"
#include "server/cmd/command.h"
#include "server/cmd/control.h"

static const char usage[] =
    "usage: armdyn drain [--wait SECONDS | --end] [--data DIR]\n\n"
    "The service that runs on DIR takes no more jobs and transfers and begins none that wait; what runs comes to its\n"
    "end. Prints what is still under way, as JSON. Exit status 0: nothing is, the service can be stopped; else 1.\n\n"
    "  --wait SECONDS       wait so long for it\n"
    "  --end                take jobs and transfers again\n"
    "  --data DIR           directory of the store; default: ARMDYN_DATA, or armdyn-data\n";

struct arguments {
  const char *data;
  int64_t wait_s;
  bool end;
};

/* 0: go on; else the exit status + 1. */
static int read_arguments(int argc, char **argv, struct arguments *a)
{
  static const struct option known[] = { { "data", required_argument, NULL, 'd' },
                                         { "wait", required_argument, NULL, 'w' },
                                         { "end", no_argument, NULL, 'e' },
                                         { "help", no_argument, NULL, 'h' },
                                         { 0 } };
  const char *variable = getenv("ARMDYN_DATA");
  *a = (struct arguments){ .data = variable ? variable : "armdyn-data" };
  bool good = true;
  char *rest = NULL;
  opterr = 0;
  for (int c; (c = getopt_long(argc, argv, "", known, NULL)) != -1;) {
    switch (c) {
    case 'd': a->data = optarg; break;
    case 'w':
      a->wait_s = strtol(optarg, &rest, 10);
      good = good && rest != optarg && !*rest && a->wait_s >= 0 && a->wait_s <= LIMIT_JOB_TIME;
      break;
    case 'e': a->end = true; break;
    case 'h': fputs(usage, stdout); return 1;
    default: good = false;
    }
  }
  if (good && optind == argc && !(a->end && a->wait_s)) return 0;
  fputs(usage, stderr);
  return 3;
}

/* One call and its answer. false: told on standard error. */
static bool ask(const struct arguments *a, const char *method, struct buffer *answer)
{
  long http = 0;
  struct armdyn_error error = { "", "" };
  buffer_clear(answer);
  enum armdyn_status status = control_call(a->data, method, "/v1/drain", NULL, &http, answer, &error);
  if (!status && http == 200 && buffer_ok(answer)) return true;
  fprintf(stderr, "armdyn drain: %s\n", status ? error.message : answer->data);
  return false;
}

int command_drain(int argc, char **argv)
{
  struct arguments a;
  int wrong = read_arguments(argc, argv, &a);
  if (wrong) return wrong - 1;
  struct buffer answer = BUFFER(KB(64));
  int64_t deadline = clock_monotonic_ns() + a.wait_s * 1000000000;
  bool good = ask(&a, a.end ? "DELETE" : "POST", &answer);
  while (good && !a.end && !control_truth(&answer, "drained") && clock_monotonic_ns() < deadline) {
    nanosleep(&(struct timespec){ .tv_nsec = 200 * 1000 * 1000 }, NULL);
    good = ask(&a, "GET", &answer);
  }
  if (good) printf("%s\n", answer.data);
  int exit_status = good && (a.end || control_truth(&answer, "drained")) ? 0 : 1;
  buffer_release(&answer);
  return exit_status;
}
