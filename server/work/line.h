/* A worker's end of the channel to `serve`: what work.c and worker.c share. */
#ifndef SERVER_WORK_LINE_H
#define SERVER_WORK_LINE_H

#include <pthread.h>
#include <stdatomic.h>

#include "api/wire/buffer.h"
#include "server/ipc/channel.h"
#include "server/work/messages.h"

struct store;

struct work_line {
  struct channel channel;
  pthread_mutex_t sending;      /* frames go out whole */
  _Atomic uint64_t steps;       /* of all jobs: it grows as long as one gets on */
  struct buffer robot, request; /* texts, as they came */
  size_t width;                 /* of the present series */
  const char *path;             /* of the store */
  struct store *store;          /* NULL: not needed so far */
  int64_t progress_ns;          /* when the last one was sent */
  unsigned long cpu_s;          /* of a job; 0 = no limit */
  bool answered;
  bool helps; /* with parts of a job that another worker runs, and says nothing else of it */
  struct line_parts {
    pthread_mutex_t lock;
    pthread_cond_t told;
    bool there, over;         /* a PART has come; nothing more will */
    struct message_part part; /* the last one */
    struct buffer outcomes;   /* before it: a message_part, a size_t and as many bytes each */
  } parts;
  _Atomic enum armdyn_status status; /* of the channel; sticks */
};

/* From any thread. Once the channel has failed, nothing more is said. */
void line_say(struct work_line *line, enum worker_message message, const void *data, size_t length);

#endif
