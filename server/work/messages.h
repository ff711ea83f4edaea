/* What `serve` and a worker process say to each other: frames of server/ipc/channel.h.
 *
 *   worker: READY                                            once, when it can take a job
 *   serve:  ROBOT, REQUEST, RUN                              one job
 *   worker: PROGRESS*, (SERIES ROWS*)*, RESULT or PROBLEM    and it can take the next one
 *   worker: SHARE, serve: nothing                            in a job: it has parts, which others may take
 *   worker: NEXT, serve: OUTCOME*, PART                      which part, and what others came to since it asked last
 *   serve:  ROBOT, REQUEST, RUN that helps                   the parts of a job that another worker runs
 *   worker: (NEXT, OUTCOME)*, HELPED                         each NEXT is answered by a PART, OUTCOME by nothing
 *   serve:  PING, worker: PONG                               at any time once it is ready
 *
 * Both ends are the same binary, so numbers are in the machine's own form. Anything out of turn ends the worker. */
#ifndef SERVER_WORK_MESSAGES_H
#define SERVER_WORK_MESSAGES_H

#include <stdint.h>

#include "server/base/id.h"

enum worker_message {
  MESSAGE_READY = 1, /* nothing */
  MESSAGE_ROBOT,     /* the robot's model, canonical JSON */
  MESSAGE_REQUEST,   /* the job's request as accepted, JSON */
  MESSAGE_RUN,       /* struct message_run */
  MESSAGE_PROGRESS,  /* struct message_progress */
  MESSAGE_SERIES,    /* struct message_series: the rows that follow belong to it */
  MESSAGE_ROWS,      /* doubles, whole rows */
  MESSAGE_RESULT,    /* the result's document, a JSON object: the job succeeded */
  MESSAGE_PROBLEM,   /* problem+json: the job failed */
  MESSAGE_PING,      /* nothing: do you live? */
  MESSAGE_PONG,      /* struct message_pong */
  MESSAGE_SHARE,     /* struct message_share */
  MESSAGE_NEXT,      /* nothing: which part now? */
  MESSAGE_PART,      /* struct message_part: this one */
  MESSAGE_OUTCOME,   /* struct message_part, and bytes of the kind's: what it came to */
  MESSAGE_HELPED     /* nothing: no more of the job is done here */
};

enum { MESSAGE_TEXT = 128, SERIES_NAME = 32, SERIES_COLUMNS = 1024, SERIES_MOST = 8, SERIES_WIDTH_MOST = 1024 };

/* Texts are NUL-terminated within their size. */
struct message_run {
  char kind[32], job[ID_SIZE];
  uint32_t helps; /* 1: with parts of it, which another worker runs */
};
struct message_share {
  uint32_t count; /* of parts */
};
#define MESSAGE_NO_PART UINT32_MAX
struct message_part {
  uint32_t index; /* MESSAGE_NO_PART: none is left */
  uint32_t done;  /* of all have been; of an OUTCOME nothing */
};
struct message_progress {
  double fraction; /* 0..1 */
  char text[MESSAGE_TEXT];
};
struct message_pong {
  uint64_t steps; /* that its jobs have taken; as long as it grows, the computation gets on */
};
struct message_series {
  char name[SERIES_NAME], columns[SERIES_COLUMNS];
  uint32_t width;
};

#endif
