#include "api/codec/verification_page.h"

#include <math.h>
#include <stdlib.h>

#include "api/codec/verification.h"
#include "api/report/plot.h"

enum { LAWS = VERIFICATION_LAWS_MOST, PLANTS = LIMIT_VERIFICATION_PLANTS, LINES = 16 };

static const cJSON *case_of(const struct verification_page *p, const char *plant, const char *law,
                            const char *reference)
{
  const cJSON *c;
  cJSON_ArrayForEach (c, document_at(p->document, "cases"))
    if (same(c, "plant", plant) && same(c, "law", law) && same(c, "reference", reference)) return c;
  return NULL;
}

void verification_draw_accuracy(struct verification_page *p, const cJSON *accuracy)
{
  const char *const parts[] = { say(p, "the model itself"), say(p, "one deviation of its parameters"),
                                say(p, "with two of them"), say(p, "limit") };
  const char *const series[] = { say(p, "distance") };
  const double values[] = { document_number(accuracy, "nominal_mm"), document_number(accuracy, "parameters_mm"),
                            document_number(accuracy, "together_mm"),
                            document_number(p->document, "limit/position_mm") };
  const struct bar_chart chart = { .title = say(p, "What the tool may be off"),
                                   .unit = say(p, "distance, mm"),
                                   .category_count = isnan(values[3]) ? 3u : 4u,
                                   .series_count = 1,
                                   .categories = parts,
                                   .series = series,
                                   .values = values };
  bar_chart_write(&chart, p->out);
}

void verification_draw_distances(struct verification_page *p, const char *reference)
{
  const char *plants[PLANTS], *laws[LAWS];
  const size_t plant_count = verification_names(p->document, "plants", plants, PLANTS);
  const size_t law_count = verification_names(p->document, "laws", laws, LAWS);
  double values[PLANTS * LAWS];
  for (size_t i = 0; i < plant_count; i++)
    for (size_t k = 0; k < law_count; k++)
      values[i * law_count + k] = document_number(case_of(p, plants[i], laws[k], reference), "judged_mm");
  const struct bar_chart chart = { .title = say(p, "How far the tool is off"),
                                   .unit = say(p, "distance, mm"),
                                   .category_count = plant_count,
                                   .series_count = law_count,
                                   .categories = plants,
                                   .series = laws,
                                   .values = values };
  bar_chart_write(&chart, p->out);
}

/* From the least to the most over the plants, for each law. */
void verification_draw_spread(struct verification_page *p, const char *reference)
{
  const char *const figures[] = { say(p, "least"), say(p, "mean"), say(p, "most") };
  const char *laws[LAWS];
  const cJSON *item;
  double values[3 * LAWS];
  size_t count = 0;
  if (cJSON_GetArraySize(document_at(p->document, "plants")) < 2) return;
  cJSON_ArrayForEach (item, document_at(p->document, "spread")) {
    if (!same(item, "reference", reference) || count == LAWS) continue;
    values[3 * count] = document_number(item, "least_mm"), values[3 * count + 1] = document_number(item, "mean_mm");
    values[3 * count + 2] = document_number(item, "most_mm");
    laws[count++] = verification_text(item, "law");
  }
  const struct bar_chart chart = { .title = say(p, "Spread over the plants"),
                                   .unit = say(p, "distance, mm"),
                                   .category_count = count,
                                   .series_count = 3,
                                   .categories = laws,
                                   .series = figures,
                                   .values = values };
  if (count) bar_chart_write(&chart, p->out);
}

/* A figure over the frequencies for the joints that move, of the cases of the first plant. */
struct curves {
  size_t count;
  char names[LINES][160];
  double x[LIMIT_SWEEP_FREQUENCIES], y[LINES][LIMIT_SWEEP_FREQUENCIES];
  struct plot_series series[LINES];
};

static void read_curve(struct verification_page *p, struct curves *curves, const cJSON *c, size_t joint,
                       const char *member)
{
  const cJSON *response;
  char path[64];
  size_t k = 0;
  if (curves->count == LINES) return;
  snprintf(path, sizeof path, "joints/%zu/%s", joint, member);
  cJSON_ArrayForEach (response, document_at(c, "responses")) {
    if (k == LIMIT_SWEEP_FREQUENCIES) break;
    curves->x[k] = document_number(response, "frequency_hz");
    curves->y[curves->count][k++] = document_number(response, path);
  }
  if (!k || isnan(curves->y[curves->count][0])) return;
  char *name = curves->names[curves->count];
  snprintf(name, sizeof *curves->names, "%.80s, %.64s", verification_text(c, "law"), p->robot->joints[joint].name);
  curves->series[curves->count] =
      (struct plot_series){ .name = name, .x = curves->x, .y = curves->y[curves->count], .count = k };
  curves->count++;
}

void verification_draw_frequencies(struct verification_page *p, const char *reference)
{
  static const struct {
    const char *member, *title, *unit;
    bool logarithmic;
  } figures[] = { { "gain", "Gain", "gain", true }, { "phase_deg", "Phase", "phase, degrees", false } };
  const char *plant = verification_text(p->document, "plants/0/name");
  const cJSON *c;
  struct curves *curves = calloc(1, sizeof *curves);
  if (!curves) {
    p->out->failure = ARMDYN_EMEMORY;
    return;
  }
  page_text(p->out, say(p, "Curves are of %s."), plant);
  for (size_t f = 0; f < sizeof figures / sizeof *figures; f++) {
    curves->count = 0;
    cJSON_ArrayForEach (c, document_at(p->document, "cases"))
      for (size_t j = 0; j < p->robot->joint_count && same(c, "reference", reference) && same(c, "plant", plant); j++)
        read_curve(p, curves, c, j, figures[f].member);
    const struct plot plot = { .title = say(p, figures[f].title),
                               .x = { .title = say(p, "frequency, Hz"), .logarithmic = true },
                               .y = { .title = say(p, figures[f].unit), .logarithmic = figures[f].logarithmic },
                               .series = curves->series,
                               .series_count = curves->count,
                               .nothing = say(p, "Nothing to show.") };
    if (curves->count) plot_write(&plot, p->out);
  }
  free(curves);
}

/* How far the tool is off over time, of the cases of one plant. */
void verification_draw_envelope(struct verification_page *p, const char *reference, const char *plant)
{
  double x[ENVELOPE], y[LAWS + 1][ENVELOPE];
  struct plot_series series[LAWS + 1];
  const double limit = document_number(p->document, "limit/position_mm");
  const struct plot_limit beyond = { say(p, "beyond the limit"), -INFINITY, limit };
  const cJSON *c;
  char title[160];
  snprintf(title, sizeof title, say(p, "Off at the tool, %.80s"), plant);
  struct plot plot = { .title = title,
                       .x = { .title = say(p, "time, s") },
                       .y = { .title = say(p, "distance, mm") },
                       .series = series,
                       .limits = &beyond,
                       .limit_count = isnan(limit) ? 0u : 1u,
                       .nothing = say(p, "Nothing to show.") };
  cJSON_ArrayForEach (c, document_at(p->document, "cases")) {
    if (!same(c, "reference", reference) || !same(c, "plant", plant) || plot.series_count == LAWS) continue;
    const size_t count = document_numbers(c, "envelope_mm", y[plot.series_count], ENVELOPE);
    const double step = document_number(c, "duration") / ENVELOPE;
    if (!count) continue;
    for (size_t k = 0; k < count; k++) x[k] = step * ((double)k + 0.5);
    series[plot.series_count] =
        (struct plot_series){ .name = verification_text(c, "law"), .x = x, .y = y[plot.series_count], .count = count };
    plot.series_count++;
  }
  const cJSON *measured = verification_measured_of(p, reference);
  if (measured && plot.series_count &&
      document_numbers(measured, "envelope_mm", y[plot.series_count], ENVELOPE) == ENVELOPE) {
    series[plot.series_count] = (struct plot_series){
      .name = say(p, "measured"), .kind = PLOT_POINTS, .x = x, .y = y[plot.series_count], .count = ENVELOPE
    };
    plot.series_count++;
  }
  if (plot.series_count) plot_write(&plot, p->out);
}
