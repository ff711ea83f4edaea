/* What is new, by version: CHANGELOG.md, built into the program. */
#ifndef SERVER_RELEASE_NOTES_H
#define SERVER_RELEASE_NOTES_H

#include "api/wire/buffer.h"

/* The newest version's section as Markdown, without its heading; not NUL-terminated. */
const char *release_notes(size_t *length);

/* What answers differently since: the items under "Changed" of all versions after `since`, one a line, in the order of the
 * file; NULL or a version that is not there: of the newest alone. */
void release_notes_changed(const char *since, struct buffer *out);

#endif
