/* The connection that a rehearsal of this thread has borrowed from the writer. */
#ifndef SERVER_STORE_REHEARSALS_H
#define SERVER_STORE_REHEARSALS_H

#include "server/store/writer.h"

/* NULL: it has changed nothing yet, or there is none. */
struct sql *rehearsal_sql(void);
enum armdyn_status rehearsal_write(struct writer *writer, writer_apply *apply, void *argument);

#endif
