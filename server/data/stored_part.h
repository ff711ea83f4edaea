/* A part that a request names, written out of the store. */
#ifndef SERVER_DATA_STORED_PART_H
#define SERVER_DATA_STORED_PART_H

#include "api/json/document.h"
#include "server/store/store.h"

/* "part": "A7" becomes the part that the robot has under this name. What names nothing stays: decoding tells.
 *   changed  out  set when it did
 * OK, EIO, EMEMORY, EBUSY. */
enum armdyn_status stored_part_put_in(struct store *store, const char *robot, cJSON *request, bool *changed);

#endif
