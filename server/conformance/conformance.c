#include "server/conformance/conformance.h"

#include <sodium.h>

#include "server/conformance/checks.h"

static const struct check_table *const tables[] = { &command_checks, &window_checks, &state_checks, &motion_checks,
                                                    &restart_checks };

static void print_controller(const struct bench *t, FILE *out)
{
  const struct controller_identity *is = &t->is;
  fprintf(out, "%s port %s, unit %u, base %u: %u axes, formats", t->options->host, t->options->port, t->options->unit,
          t->options->base, is->axes);
  for (unsigned f = FORMAT_TORQUE_PERMILLE; f < FORMAT_END; f++)
    if (is->abilities >> (f - 1) & 1) fprintf(out, " %u", f);
  fprintf(out, ", %u window places of %u words, most %u samples%s%s%s%s%s\n", is->places, is->window_most,
          is->samples_most, controller_can(is, ABILITY_STREAM) ? ", STREAM" : "",
          controller_can(is, ABILITY_HOLD) ? ", HOLD" : "",
          controller_can(is, ABILITY_AT_ONCE) ? ", takes at once" : "",
          controller_can(is, ABILITY_EPOCHS) ? ", epochs" : "",
          controller_can(is, ABILITY_MEASURES) ? ", measurements" : "");
}

static const char *why_not(const struct bench *t, const struct check *check)
{
  if (check->phase <= PHASE_READY) return NULL;
  if (!t->options->allow_motion) return "it arms the drives: --allow-motion";
  if (!(t->is.abilities >> (FORMAT_POSITION_TORQUE - 1) & 1))
    return "without positions (format 3) no profile can be sent that surely stands still";
  return NULL;
}

static void run(struct bench *t, const struct check *check, unsigned counts[NOT_TRIED + 1], FILE *out)
{
  static const char *const marks[] = { [WENT_WELL] = "ok   ", [FAILED] = "FAIL ", [NOT_TRIED] = "-    " };
  const char *reason = why_not(t, check);
  t->outcome = WENT_WELL;
  t->phase = check->phase;
  t->beats = false;
  if (reason)
    bench_not_tried(t, "%s", reason);
  else
    check->run(t);
  counts[t->outcome]++;
  fprintf(out, "  %s %s\n", marks[t->outcome], check->name);
  if (t->outcome == WENT_WELL) return;
  fprintf(out, "        %s: %s\n", t->outcome == FAILED ? "seen" : "not tried", t->said);
  if (t->outcome == FAILED) fprintf(out, "        mend: %s\n", check->mend);
  fflush(out);
}

static void print_measured(const struct bench *t, FILE *out)
{
  fputs("measured\n", out);
  if (t->scan_ms > 2 * (t->answer_ms + 1))
    fprintf(out, "  its program runs every %.1f ms\n", t->scan_ms);
  else
    fprintf(out, "  its program runs at least every %.1f ms, as often as could be asked\n", t->scan_ms);
  fprintf(out, "  an answer takes %.1f ms; its clock runs %.4f times as fast as ours\n", t->answer_ms, t->rate);
  if (t->windows_per_s > 0) fprintf(out, "  %.0f windows/s, one request after the other\n", t->windows_per_s);
}

static bool is_wanted(const struct bench *t, const struct check *check)
{
  return !t->options->only || strstr(check->name, t->options->only);
}

static void run_table(struct bench *t, const struct check_table *table, unsigned counts[NOT_TRIED + 1], FILE *out)
{
  const char *title = table->title;
  for (size_t k = 0; k < table->count; k++) {
    if (table != &identity_checks && !is_wanted(t, &table->rows[k])) continue;
    if (title) fprintf(out, "%s\n", title);
    title = NULL;
    run(t, &table->rows[k], counts, out);
    if (table == &identity_checks && counts[FAILED]) return; /* of what is not known nothing else can be said */
  }
}

int conformance_run(const struct conformance_options *options, FILE *out)
{
  unsigned counts[NOT_TRIED + 1] = { 0 };
  struct bench *t = sodium_init() < 0 ? NULL : calloc(1, sizeof *t);
  if (!t) {
    fputs("armdyn controller-test: out of memory\n", stderr);
    return 1;
  }
  t->options = options;
  run_table(t, &identity_checks, counts, out);
  if (!counts[FAILED]) {
    print_controller(t, out);
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) run_table(t, tables[i], counts, out);
    t->outcome = WENT_WELL;
    bench_bring_to(t, PHASE_EMPTY);
    print_measured(t, out);
  }
  if (!options->allow_motion)
    fputs("ARM, START and RESUME were sent nowhere, not even where they must be refused: --allow-motion\n", out);
  fprintf(out, "%u right, %u wrong, %u not tried\n", counts[WENT_WELL], counts[FAILED], counts[NOT_TRIED]);
  bench_disconnect(t);
  free(t);
  return counts[FAILED] != 0;
}
