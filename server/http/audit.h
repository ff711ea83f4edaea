/* The audit trail: one entry for every request that changes something or moves an arm, and for every one that was
 * refused for want of a right. An entry says when, who (key), from where, which call on which resource, why (X-Reason),
 * and what came of it. Reading and pure computation leave none (the access log has them).
 *
 * Where a handler may block, its entry is durable before the answer goes out; entries of answers given on event threads
 * (refusals, STOP, what somebody waited for) are written by a thread of their own within moments. While the store takes no
 * entries nothing is changed, but for STOP: entries wait, and are written when it does. */
#ifndef SERVER_HTTP_AUDIT_H
#define SERVER_HTTP_AUDIT_H

#include <stdbool.h>

#include "armdyn/status.h"

struct auditor;
struct exchange;
struct app;

enum armdyn_status auditor_start(const struct app *app, struct auditor **auditor);
/* Writes what it was given; what it cannot goes to the log. NULL is fine. */
void auditor_stop(struct auditor *auditor);

/* Before the body comes: where an entry will be left, can its X-Reason be kept? false: it is too long, or no UTF-8; answered
 * (400). A stop is taken whatever it says. */
bool audit_takes_reason(struct exchange *x);
/* Before a handler is called that may block. false: it would change something, and no entry could be kept; answered. */
bool audit_permits(struct auditor *auditor, struct exchange *x);
/* The exchange has its answer. may_block: write the entry here and now. Does nothing for an exchange that leaves none, or
 * that has left one. */
void audit_exchange(struct auditor *auditor, struct exchange *x, bool may_block);

#endif
