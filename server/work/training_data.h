/* What an identification is trained on: its data sets, without the parts that its request excludes. */
#ifndef SERVER_WORK_TRAINING_DATA_H
#define SERVER_WORK_TRAINING_DATA_H

#include "server/data/opened_logs.h"

/* Leave the parts out that a request excludes.
 *   logs    in      its training data first
 *   stream  in/out  of them
 * OK, EINPUT (a part is beyond its data), EMEMORY. */
enum armdyn_status training_data_exclude(const struct identification_request *request, const struct opened_logs *logs,
                                         struct armdyn_log_stream *stream, struct armdyn_error *error);

#endif
