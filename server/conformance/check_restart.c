/* A restart of the controller in every state. It is provoked by a command of the user, or by the user. */
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "server/conformance/checks.h"

enum { BACK_MS = 60000 };

static bool run_command(struct bench *t, const char *command)
{
  char *argv[] = { "sh", "-c", (char *)command, NULL };
  pid_t child;
  int status = -1;
  if (posix_spawn(&child, "/bin/sh", NULL, NULL, argv, environ) || waitpid(child, &status, 0) != child || status)
    return bench_wrong(t, "'%s' did not end with status 0", command);
  return true;
}

static bool provoke(struct bench *t)
{
  if (t->options->restart) return run_command(t, t->options->restart);
  if (!t->options->ask)
    return bench_not_tried(t, "restart it by --restart COMMAND, or run this in a terminal, where it asks");
  fprintf(stderr, "Restart the controller now (in %s), then press Enter: ", protocol_phase_name(t->phase));
  int c;
  do c = getchar();
  while (c != '\n' && c != EOF);
  return true;
}

/* Until it answers as another instance; whether it did so in time. */
static bool came_back(struct bench *t, uint16_t words[PROTOCOL_PLACES])
{
  const uint16_t before = t->is.instance;
  const int64_t begun = bench_now_ms();
  while (bench_now_ms() - begun < (t->options->restart ? BACK_MS / 6 : BACK_MS)) {
    t->outcome = WENT_WELL;
    if (bench_read(t, 0, PROTOCOL_PLACES, words) && words[REGISTER_MAGIC] == PROTOCOL_MAGIC &&
        words[REGISTER_INSTANCE] != before) {
      t->is.instance = words[REGISTER_INSTANCE];
      return true;
    }
    bench_sleep_ms(20);
  }
  if (t->outcome == FAILED) return false; /* it does not answer */
  return bench_wrong(t, "+9 still says instance %u", before);
}

static void restart(struct bench *t)
{
  uint16_t w[PROTOCOL_PLACES] = { 0 };
  if (!bench_bring_to(t, t->phase)) return;
  t->beats = false;
  if (!provoke(t) || !came_back(t, w)) return;
  if (w[REGISTER_STATE] != PHASE_EMPTY || protocol_get_u32(w + REGISTER_PROFILE_ACTIVE))
    bench_wrong(t, "after the restart the state is %s, the active profile 0x%08X",
                protocol_phase_name(w[REGISTER_STATE]), protocol_get_u32(w + REGISTER_PROFILE_ACTIVE));
  else if (w[REGISTER_ACKNOWLEDGED] != w[REGISTER_NUMBER] || protocol_get_u32(w + REGISTER_CHECK_ACKNOWLEDGED))
    bench_wrong(t, "after the restart +60 is %u (+39 is %u), +78..79 is 0x%08X", w[REGISTER_ACKNOWLEDGED],
                w[REGISTER_NUMBER], protocol_get_u32(w + REGISTER_CHECK_ACKNOWLEDGED));
}

#define MEND                                                                                                           \
  "in the first scan: another instance id, all r registers, EMPTY, +60 := +39, +78..79 := 0, the magic last; retain "  \
  "only the counter of the instance id"
static const struct check rows[] = {
  { "restart in EMPTY", restart, MEND, PHASE_EMPTY },     { "restart in LOADING", restart, MEND, PHASE_LOADING },
  { "restart in READY", restart, MEND, PHASE_READY },     { "restart in ARMED", restart, MEND, PHASE_ARMED },
  { "restart in PLAYING", restart, MEND, PHASE_PLAYING }, { "restart in HOLDING", restart, MEND, PHASE_HOLDING },
  { "restart in DONE", restart, MEND, PHASE_DONE },
};
const struct check_table restart_checks = { "restarts", rows, sizeof rows / sizeof *rows };
