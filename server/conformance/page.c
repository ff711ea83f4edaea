/* A test as a page: what went well in a line each, and what did not with what was seen and what to mend. */
#include "server/conformance/conformance.h"

#include <string.h>

struct page {
  const struct conformance_options *options;
  FILE *out;
  const char *group; /* the last that was named */
  unsigned counts[NOT_TRIED + 1];
};

static void begun(void *context, size_t checks)
{
  (void)context, (void)checks;
}

static void print_controller(void *context, const struct controller_identity *is)
{
  const struct page *page = context;
  const struct conformance_options *options = page->options;
  fprintf(page->out, "%s port %s, unit %u, base %u: %u axes, formats", options->host, options->port, options->unit,
          options->base, is->axes);
  for (unsigned f = FORMAT_TORQUE_PERMILLE; f < FORMAT_END; f++)
    if (is->abilities >> (f - 1) & 1) fprintf(page->out, " %u", f);
  fprintf(page->out, ", %u window places of %u words, most %u samples%s%s%s%s%s\n", is->places, is->window_most,
          is->samples_most, controller_can(is, ABILITY_STREAM) ? ", STREAM" : "",
          controller_can(is, ABILITY_HOLD) ? ", HOLD" : "",
          controller_can(is, ABILITY_AT_ONCE) ? ", takes at once" : "",
          controller_can(is, ABILITY_EPOCHS) ? ", epochs" : "",
          controller_can(is, ABILITY_MEASURES) ? ", measurements" : "");
}

static void print_check(void *context, const struct check_report *check)
{
  static const char *const marks[] = { [WENT_WELL] = "ok   ", [FAILED] = "FAIL ", [NOT_TRIED] = "-    " };
  struct page *page = context;
  page->counts[check->outcome]++;
  if (!page->group || strcmp(page->group, check->group)) fprintf(page->out, "%s\n", check->group);
  page->group = check->group;
  fprintf(page->out, "  %s %s\n", marks[check->outcome], check->name);
  if (check->seen) fprintf(page->out, "        %s: %s\n", check->outcome == FAILED ? "seen" : "not tried", check->seen);
  if (check->mend) fprintf(page->out, "        mend: %s\n", check->mend);
  fflush(page->out);
}

static void print_figures(void *context, const struct figures_report *f)
{
  FILE *out = ((struct page *)context)->out;
  fputs("measured\n", out);
  if (f->fastest)
    fprintf(out, "  its program runs at least every %.1f ms, as often as could be asked\n", f->scan_ms);
  else
    fprintf(out, "  its program runs every %.1f ms\n", f->scan_ms);
  fprintf(out, "  an answer takes %.1f ms; its clock runs %.4f times as fast as ours\n", f->answer_ms, f->rate);
  if (f->windows_per_s > 0) fprintf(out, "  %.0f windows/s, one request after the other\n", f->windows_per_s);
}

int conformance_print(const struct conformance_options *options, FILE *out)
{
  struct page page = { .options = options, .out = out };
  const struct conformance_listener listener = { begun, print_controller, print_check, print_figures, &page };
  const int status = conformance_run(options, &listener);
  if (!options->allow_motion)
    fputs("ARM, START and RESUME were sent nowhere, not even where they must be refused: --allow-motion\n", out);
  fprintf(out, "%u right, %u wrong, %u not tried\n", page.counts[WENT_WELL], page.counts[FAILED],
          page.counts[NOT_TRIED]);
  return status;
}
