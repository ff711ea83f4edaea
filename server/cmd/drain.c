/* `armdyn drain`: before a stop or an upgrade, let what runs end and begin nothing more. */
#include <stdlib.h>
#include <time.h>

#include "api/limits.h"
#include "server/base/clock.h"
#include "server/cmd/command.h"
#include "server/cmd/control.h"
#include "server/cmd/flags.h"

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

/* As flags_read. */
static int read_arguments(int argc, char **argv, struct arguments *a)
{
  *a = (struct arguments){ .data = FLAG_DATA_DEFAULT };
  const char *wait = NULL;
  const struct flag flags[] = { { "data", &a->data, NULL }, { "wait", &wait, NULL }, { "end", NULL, &a->end }, { 0 } };
  char *behind = NULL;
  int rest;
  const int wrong = flags_read(argc, argv, flags, usage, &rest);
  if (wrong) return wrong;
  if (wait) a->wait_s = strtol(wait, &behind, 10);
  const bool good = !wait || (*wait && !*behind && a->wait_s >= 0 && a->wait_s <= LIMIT_JOB_TIME);
  return good && !rest && !(a->end && a->wait_s) ? 0 : flags_refuse(usage);
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
