/* Entries of the audit trail that the store does not take for now, where they outlive the process: in a file beside the store
 * whose room was taken while the disk had some. One thread at a time. */
#ifndef SERVER_HTTP_AUDIT_SHELF_H
#define SERVER_HTTP_AUDIT_SHELF_H

#include <stdbool.h>

struct audit_shelf;

/* The shelf of the store in the file `store`. `each` is called with every line that is there. NULL: out of memory; a disk that
 * has no room makes it smaller. */
struct audit_shelf *audit_shelf_open(const char *store, void (*each)(void *context, const char *line), void *context);
void audit_shelf_close(struct audit_shelf *shelf); /* NULL is fine */
/* Durable when it returns true; false: no room, or the disk fails. The line holds no line break. */
bool audit_shelf_put(struct audit_shelf *shelf, const char *line);
/* Takes what room is still missing, too. */
void audit_shelf_clear(struct audit_shelf *shelf);

#endif
