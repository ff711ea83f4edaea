/* The one thread that writes. Operations are submitted and waited for; all that are queued when the thread becomes idle
 * are one transaction, each in a savepoint of its own, so that one commit (one wait for the disk) serves them all. */
#ifndef SERVER_STORE_WRITER_H
#define SERVER_STORE_WRITER_H

#include <stddef.h>
#include <stdint.h>

#include "armdyn/status.h"
#include "server/store/sql.h"

struct writer;

/* Apply a change; runs on the writer thread inside the transaction. Anything but OK undoes what this call did and is
 * what the submitter gets. */
typedef enum armdyn_status writer_apply(struct sql *sql, void *argument);

/* The connection is the writer's from here on, closed by writer_stop, unless this fails. EMEMORY, EUNAVAILABLE. */
enum armdyn_status writer_start(struct sql *sql, struct writer **writer);
/* Commit what is queued, move the log into the database, close. NULL is fine. */
void writer_stop(struct writer *writer);

/* Returns when the change is durable (OK), or when nothing of it is kept (anything else: what `apply` said; EFULL or EIO
 * of the commit, for all of its group; EBUSY when the queue is full).
 * After a failed sync (EIO, EFULL) the disk may hold more than was acknowledged: if the process dies before the next
 * commit, a refused change may come back. What was acknowledged is never lost.
 *   bytes  in  about how much it writes: a group ends when it holds GROUP_BYTES, so that a big write delays no small ones
 *              behind it for long */
enum armdyn_status writer_do(struct writer *writer, writer_apply *apply, void *argument, size_t bytes);

/* Borrow its connection, to try changes that nobody else sees: what loan_try does stays until writer_return, which undoes
 * it all. Nobody writes meanwhile, so it is held for moments, by who waits for no other writing thread. Statuses of
 * writer_do. */
struct loan;
enum armdyn_status writer_borrow(struct writer *writer, struct loan **loan);
void writer_return(struct loan *loan);
struct sql *loan_sql(const struct loan *loan); /* to read what was tried */
enum armdyn_status loan_try(struct loan *loan, writer_apply *apply, void *argument);

/* Of its connection, from any thread. */
bool writer_is_fenced(const struct writer *writer);
int64_t writer_holds_until_ms(const struct writer *writer);

/* How the last commit or checkpoint ended. */
enum armdyn_status writer_health(struct writer *writer);

/* How long the transaction, or the move of the log, that runs now has been running, s; 0: none does. Waits for nobody who
 * writes. */
double writer_busy(struct writer *writer);

struct writer_counts {
  uint64_t operations, commits, failed_commits, checkpoints;
  size_t queued; /* now */
};
struct writer_counts writer_counts(struct writer *writer);

#endif
