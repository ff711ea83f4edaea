/* Robot models that commands are given: the text of a file, or what a service has stored. */
#ifndef SERVER_CMD_MODEL_H
#define SERVER_CMD_MODEL_H

#include "api/wire/buffer.h"
#include "armdyn/robot.h"

/* The JSON in a file. false: said on standard error, after "armdyn COMMAND: ". */
bool model_read(const char *command, const char *path, struct buffer *text);
/* The robot that a JSON is, physically possible or not; NULL: said on standard error.
 *   from  in  the file or the name, for messages */
struct armdyn_robot *model_robot(const char *command, const char *from, const struct buffer *text);

#endif
