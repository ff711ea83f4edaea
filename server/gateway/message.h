/* What `serve` and the gateway process say to each other: frames of server/ipc/channel.h. Both ends are the same binary,
 * so structs travel as they are; texts are NUL-terminated within their size. */
#ifndef SERVER_GATEWAY_MESSAGE_H
#define SERVER_GATEWAY_MESSAGE_H

#include "server/gateway/transfer.h"

enum gateway_message {
  /* serve: */
  GATEWAY_TRANSFER = 1, /* struct transfer_order without words and guard; then */
  GATEWAY_GUARD,        /* struct message_part and bytes of its guard, in order, if it has one; then */
  GATEWAY_WORDS,        /* struct message_words and words, in order, until all are there: then it is queued */
  GATEWAY_CELL,    /* struct message_part and bytes of a struct message_cell and its text, in order: a new revision */
  GATEWAY_COMMAND, /* struct message_command */
  GATEWAY_RECOVER, /* struct message_recover: a transfer of an earlier gateway; answered by REPORT */
  GATEWAY_PING,    /* nothing: does it live? Answered by PONG */
  /* gateway: */
  GATEWAY_REPORT,    /* struct message_report */
  GATEWAY_PROGRESS,  /* struct message_sent */
  GATEWAY_ANSWER,    /* struct message_answer */
  GATEWAY_FIGURES,   /* struct gateway_figures, now and then */
  GATEWAY_TELEMETRY, /* struct message_telemetry, as many rows of it as there are */
  GATEWAY_PONG       /* nothing: a command would have been heard. While it ends it says so unasked */
};

enum { GATEWAY_WORDS_MOST = 250000 }; /* words of one frame: half of LIMIT_FRAME */
/* Of what comes in parts: a cell's text and the positions of the longest motion. */
#define GATEWAY_PART_SIZE (2 * (uint64_t)LIMIT_ANSWER)

struct message_words {
  char transfer[ID_SIZE];
  uint32_t count;
};
/* Some bytes of something that is larger than a frame. */
struct message_part {
  char transfer[ID_SIZE]; /* whose they are; of a cell: "" */
  uint64_t size;          /* of the whole */
  uint64_t at;            /* where in it they are */
  uint32_t count;
};
struct message_cell {
  char name[ARMDYN_NAME_SIZE];
  int64_t revision; /* 0: it is gone */
};
struct message_command {
  struct transfer_command command;
  struct controller_address address;
};
struct message_recover {
  char transfer[ID_SIZE];
  bool sets_outputs;
  struct controller_address address;
};
struct message_report {
  char transfer[ID_SIZE];
  int64_t at_ms;
  struct transfer_report report;
};
struct message_sent {
  char transfer[ID_SIZE];
  uint32_t sent;
};
struct message_telemetry {
  char transfer[ID_SIZE];
  struct telemetry_block block;
};
static inline size_t message_telemetry_size(const struct message_telemetry *message)
{
  return offsetof(struct message_telemetry, block.rows) + message->block.count * sizeof(struct telemetry_row);
}
/* Whose measurements those of a transfer are. */
struct telemetry_origin {
  char controller[ARMDYN_NAME_SIZE], robot[ARMDYN_NAME_SIZE];
  int64_t revision;
  struct overrides overrides; /* that it was planned with */
};
struct message_answer {
  uint64_t number;
  enum armdyn_status status;
  char text[256];
  struct observation seen;
};

#endif
