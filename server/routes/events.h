/* What events tell of: jobs, transfers, controllers, orders and their queues. */
#ifndef SERVER_ROUTES_EVENTS_H
#define SERVER_ROUTES_EVENTS_H

#include "server/http/events.h"
#include "server/jobs/jobs.h"
#include "server/store/store.h"

/* Rows of the table in events.c. */
enum { EVENT_JOB, EVENT_TRANSFER, EVENT_CONTROLLER, EVENT_ORDER, EVENT_QUEUE };

struct hub *events_new(struct app *app);
/* For the rooms that things change in: context is the hub. */
void events_job_changed(void *hub, const char *id);
void events_transfer_changed(void *hub, const char *id);
void events_controller_changed(void *hub, const char *name);
void events_order_changed(void *hub, const char *id);
void events_queue_changed(void *hub, const char *controller);

/* What lists and events show of a job and of a transfer (jobs.c, transfers.c); the failure of `out`. */
enum armdyn_status job_summary(struct app *app, struct job_view *view, struct buffer *out);
enum armdyn_status transfer_summary(const struct store_transfer *transfer, struct buffer *out);
/* All of it, as GET does. */
enum armdyn_status job_document(struct app *app, struct job_view *view, struct buffer *out);
enum armdyn_status transfer_document(struct app *app, const struct store_transfer *transfer, struct buffer *out);
bool job_has_ended(enum job_state state);

#endif
