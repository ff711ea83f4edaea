#include "server/conformance/conformance.h"

#include <sodium.h>

#include "server/conformance/checks.h"

static const struct check_table *const tables[] = { &identity_checks, &command_checks, &window_checks,
                                                    &state_checks,    &motion_checks,  &restart_checks };
enum { TABLES = sizeof tables / sizeof *tables };

static const char *why_not(const struct bench *t, const struct check *check)
{
  if (check->phase <= PHASE_READY) return NULL;
  if (!t->options->allow_motion) return "it arms the drives: --allow-motion";
  if (!(t->is.abilities >> (FORMAT_POSITION_TORQUE - 1) & 1))
    return "without positions (format 3) no profile can be sent that surely stands still";
  return NULL;
}

static enum check_outcome run(struct bench *t, const char *group, const struct check *check,
                              const struct conformance_listener *listener)
{
  const char *reason = why_not(t, check);
  t->outcome = WENT_WELL;
  t->phase = check->phase;
  t->beats = false;
  if (reason)
    bench_not_tried(t, "%s", reason);
  else
    check->run(t);
  listener->checked(listener->context, &(struct check_report){ .group = group,
                                                               .name = check->name,
                                                               .outcome = t->outcome,
                                                               .seen = t->outcome == WENT_WELL ? NULL : t->said,
                                                               .mend = t->outcome == FAILED ? check->mend : NULL });
  return t->outcome;
}

static struct figures_report figures_of(const struct bench *t)
{
  return (struct figures_report){ .scan_ms = t->scan_ms,
                                  .fastest = t->scan_ms <= 2 * (t->answer_ms + 1),
                                  .answer_ms = t->answer_ms,
                                  .rate = t->rate,
                                  .windows_per_s = t->windows_per_s };
}

static bool is_wanted(const struct conformance_options *options, size_t table, const struct check *check)
{
  return table == 0 || !options->only || strstr(check->name, options->only);
}

static size_t count_wanted(const struct conformance_options *options)
{
  size_t count = 0;
  for (size_t i = 0; i < TABLES; i++)
    for (size_t k = 0; k < tables[i]->count; k++) count += is_wanted(options, i, &tables[i]->rows[k]);
  return count;
}

/* How many of a table's went wrong; of who the controller is, the first that does is the last. */
static unsigned run_table(struct bench *t, size_t table, const struct conformance_listener *listener)
{
  unsigned wrong = 0;
  for (size_t k = 0; k < tables[table]->count && !(table == 0 && wrong); k++)
    if (is_wanted(t->options, table, &tables[table]->rows[k]))
      wrong += run(t, tables[table]->title, &tables[table]->rows[k], listener) == FAILED;
  return wrong;
}

int conformance_run(const struct conformance_options *options, const struct conformance_listener *listener)
{
  struct bench *t = sodium_init() < 0 ? NULL : calloc(1, sizeof *t);
  if (!t) {
    fputs("armdyn controller-test: out of memory\n", stderr);
    return 1;
  }
  t->options = options;
  listener->begun(listener->context, count_wanted(options));
  unsigned wrong = run_table(t, 0, listener);
  if (!wrong) { /* of what is not known nothing else can be said */
    listener->known(listener->context, &t->is);
    for (size_t i = 1; i < TABLES; i++) wrong += run_table(t, i, listener);
    t->outcome = WENT_WELL;
    bench_bring_to(t, PHASE_EMPTY);
    const struct figures_report figures = figures_of(t);
    listener->measured(listener->context, &figures);
  }
  bench_disconnect(t);
  free(t);
  return wrong != 0;
}
