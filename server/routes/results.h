/* What the routes of jobs, of their results and of data sets need of each other. */
#ifndef SERVER_ROUTES_RESULTS_H
#define SERVER_ROUTES_RESULTS_H

#include "api/codec/result.h"
#include "server/data/samples.h"
#include "server/http/exchange.h"
#include "server/work/kinds.h"

/* The document of a result as GET answers it. version (NULL = not wanted): of its ETag. ENOTFOUND. */
struct app;
enum armdyn_status result_document(const struct app *app, const struct job_kind *kind, const char *id,
                                   struct buffer *out, int64_t *version);

/* Of what the store said of one: true, or false and answered. */
bool result_found(struct exchange *x, const struct job_kind *kind, enum armdyn_status status);

/* ?fields=q,tau as a bit mask of a form's fields; the usual ones when it is absent. false: a fault. */
bool asked_fields(struct exchange *x, const struct series_form *form, unsigned *fields);

/* 409: who refers to a result or data set ("dataset"). */
void answer_referred(struct exchange *x, const char *kind, const char *id);

/* 413 of a series whose answer would be larger than LIMIT_ANSWER. */
void answer_too_many_samples(struct exchange *x);

#endif
