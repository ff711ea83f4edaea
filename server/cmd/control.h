/* Calls of the HTTP API by commands, over DIR/control.sock of the service that runs there. */
#ifndef SERVER_CMD_CONTROL_H
#define SERVER_CMD_CONTROL_H

#include "api/wire/buffer.h"

/* One call, and its whole answer.
 *   body         in   JSON, or NULL
 *   http_status  out
 *   answer       out  added to
 * OK whatever the service answered; EUNAVAILABLE: no service runs on DIR; EIO: it broke off. */
enum armdyn_status control_call(const char *dir, const char *method, const char *path, const char *body,
                                long *http_status, struct buffer *answer, struct armdyn_error *error);

/* A member of an answer, of nested ones the names with '/' between: "workers/ready". Where there is no such text, number or
 * truth: "", -1, false. */
void control_text(const struct buffer *answer, const char *path, char *text, size_t size);
double control_number(const struct buffer *answer, const char *path);
bool control_truth(const struct buffer *answer, const char *path);

#endif
