/* What the routes of jobs and of their results need of each other. */
#ifndef SERVER_ROUTES_RESULTS_H
#define SERVER_ROUTES_RESULTS_H

#include "api/codec/result.h"
#include "server/data/samples.h"
#include "server/http/exchange.h"

/* Accept a job of this kind for the robot of the route from the body, and answer with it: at once (202), or when it has
 * ended in the time of `Prefer: wait` (200). Takes ?revision, ?include, Idempotency-Key. */
enum outcome job_create(struct exchange *x, const char *kind);

/* A kind of results: a table in its routes' file. */
struct result_kind {
  const char *name; /* in the store, of the job kind, and of the segment of a path: "trajectory" */
  const struct result_form *form;
  const struct samples_form *samples; /* NULL: it has none */
};
extern const struct result_kind trajectory_results, excitation_results, friction_test_results,
    friction_identification_results, simulation_results, identification_results, evaluation_results,
    collision_check_results;
/* Of every kind of motion: t, q, qd, qdd, tau, power. */
extern const struct samples_form motion_samples;

/* The document of a result as GET answers it. version (NULL = not wanted): of its ETag. ENOTFOUND. */
struct app;
enum armdyn_status result_document(const struct app *app, const struct result_kind *kind, const char *id,
                                   struct buffer *out, int64_t *version);

/* Of what the store said of one: true, or false and answered. */
bool result_found(struct exchange *x, const struct result_kind *kind, enum armdyn_status status);

/* ?fields=q,tau as a bit mask of a form's fields; all when it is absent. false: a fault. */
bool asked_fields(struct exchange *x, const struct samples_form *form, unsigned *fields);

/* 409: who refers to a result or data set ("dataset"). */
void answer_referred(struct exchange *x, const char *kind, const char *id);

/* The routes of results: a page of them, one, what people write on it, its end, its samples. */
enum outcome result_list(struct exchange *x, const struct result_kind *kind);
enum outcome result_get(struct exchange *x, const struct result_kind *kind);
enum outcome result_patch(struct exchange *x, const struct result_kind *kind);
enum outcome result_delete(struct exchange *x, const struct result_kind *kind);
enum outcome result_samples(struct exchange *x, const struct result_kind *kind);

#endif
