/* Samples as their extremes: what a plot draws of a series, fast however long it is. */
#ifndef SERVER_ROUTES_PLOTS_H
#define SERVER_ROUTES_PLOTS_H

#include "server/data/samples.h"
#include "server/http/exchange.h"

/* ?points= : 0 when it is absent. false: a fault. */
bool asked_points(struct exchange *x, long long *points);

/* Answer with the least and greatest values of the samples of `id` with from <= t <= to, in at most `points` buckets: t is
 * of the first sample of each, any other field has a least and a greatest value of each column.
 *   form   in  what a row consists of
 *   width  in  of a row
 * Answers what the store said; anything but OK is yet to be answered. */
enum armdyn_status answer_plot(struct exchange *x, const char *id, const struct series_form *form, size_t width,
                               const struct samples_query *query, size_t points);

#endif
