/* A transfer as it travels: the order, what is asked of it and of its controller, and what is told of both. */
#ifndef SERVER_GATEWAY_TRANSFER_H
#define SERVER_GATEWAY_TRANSFER_H

#include "api/codec/parts.h"
#include "api/problem/problem.h"
#include "server/base/id.h"
#include "server/gateway/guard.h"
#include "server/gateway/telemetry.h"
#include "server/store/store.h"

enum server_loss { SERVER_LOSS_STOP, SERVER_LOSS_FINISH };

/* An output of the controller that is set within the motion, by its map (map_outputs.c). */
struct output_task {
  struct output_setting set; /* in words */
  char field[MAP_NAME_SIZE], confirmed_by[MAP_NAME_SIZE];
  double write, confirmed; /* what is written to the one, and read of the other then */
  uint32_t from, to;       /* the first and the last sample at which the arm rests there */
};

/* What is to be done. */
struct transfer_order {
  char id[ID_SIZE];
  char trace[TRACE_ID_SIZE]; /* of the request, for the log */
  struct controller_address address;
  int connect_deadline_ms, ready_timeout_ms, window_timeout_ms;
  unsigned in_flight;           /* requests at once while windows are written, at least 1 */
  bool stream;                  /* as the controller plays it, not all of it before */
  bool may_fall_back;           /* to another format when the controller does not take this one */
  bool start;                   /* arm by itself when ready */
  int64_t start_before_ms;      /* with start: wall clock by which START must have been asked for */
  int start_within_ms;          /* ... and so long after it is ready; 0: no such limit */
  int telemetry_us;             /* between two measurements while it plays; 0: none are wanted */
  char robot[ARMDYN_NAME_SIZE]; /* whose they are */
  int64_t revision;
  struct overrides overrides;              /* of its payload, tool and gravity */
  size_t output_count;                     /* of a download */
  struct output_task outputs[LIMIT_STEPS]; /* in their order */
  char assumed[80];    /* of the controller, by its entry: what the torques hold, and for what kind */
  struct guard *guard; /* what it must not touch; NULL: its controller stands in no cell */
  size_t guard_size;   /* while it travels: bytes of that, with the cell's text */
  struct profile profile;
};

/* It is ready: the moment by which START must have been asked for. */
static inline int64_t start_before_when_ready(int64_t start_before_ms, int start_within_ms, int64_t ready_ms)
{
  const int64_t within = ready_ms + start_within_ms;
  return start_within_ms && within < start_before_ms ? within : start_before_ms;
}

void transfer_order_free(struct transfer_order *order); /* NULL is fine */

enum transfer_command_kind {
  ASK_NONE,
  ASK_LOOK,    /* what was seen half a second ago will do */
  ASK_MEASURE, /* what is there now */
  ASK_ARM,
  ASK_START,
  ASK_HOLD,
  ASK_RESUME,
  ASK_STOP,
  ASK_CLEAR,
  ASK_LEAVE,
  ASK_EVICT /* for gateway_command: STOP to take the lease */
};

/* Somebody wants something of a controller; each is answered once. LEAVE: the service is gone; needs no answer. */
struct transfer_command {
  uint64_t number;
  enum transfer_command_kind kind;
  bool evicts;                 /* of STOP: to take the lease */
  bool own;                    /* of the transfer itself, which cannot go on without it */
  char transfer[ID_SIZE];      /* "" = of the controller, whatever it plays */
  int64_t before_ms;           /* wall clock, of ARM, START and RESUME; 0: no such time */
  char cell[ARMDYN_NAME_SIZE]; /* of ARM, START and RESUME: that the controller stands in by its entry; "": in none */
};

/* Of STOP. */
static inline const char *stop_reason(const struct transfer_command *command)
{
  return command->evicts ? "an administrator took the lease" : "stopped on request";
}

/* A change of state. */
struct transfer_report {
  enum transfer_state state;
  int problem; /* enum problem; -1 = none */
  uint32_t sent;
  int64_t started_ms; /* wall clock: first seen playing, or, until it is seen, sent START; 0 = neither */
  char reason[200];   /* "" = none */
};

/* What was last seen of a controller. */
struct observation {
  int64_t seen_ms; /* wall clock; 0 = never */
  bool connected, simulated;
  struct controller_state state;
  float torque[PROTOCOL_AXES]; /* as measured within the last second, while it plays; NAN: it does not tell */
  struct observed_clock {
    bool known;               /* better than 1 % */
    double uptime_ms;         /* what it says */
    double offset_ms;         /* how far it went ahead of ours since it was first seen, ... */
    double watched_ms;        /* which is so long ago */
    double rate, uncertainty; /* how much faster it goes than ours: 0.01 is 1 % */
    double scan_ms;           /* its program does not run less often */
    double round_trip_ms;
  } clock;
  bool mapped; /* a register map: then, in the order of its fields, NAN where nothing was read */
  double signals[LIMIT_MAP_FIELDS];
};

/* What there is to see of a controller, from the last look. */
void client_observe(const struct client *c, struct observation *seen);

/* How it hears and speaks. */
struct download_port {
  void *context;
  /* The next command, waiting up to wait_ms for one; STOP before others. False: none. */
  bool (*take_command)(void *context, int wait_ms, struct transfer_command *command);
  /* Is there a command that waits for nothing, like STOP? */
  bool (*urgent)(void *context);
  void (*answer)(void *context, const struct transfer_command *command, enum armdyn_status status, const char *text);
  void (*report)(void *context, const struct transfer_report *report);
  void (*progress)(void *context, uint32_t sent);
  void (*observe)(void *context, const struct observation *seen);
  /* Measurements, before the report of the end that they belong to. False: not now; never where they must be taken. */
  bool (*telemetry)(void *context, const struct telemetry_block *block, bool must);
  /* A newer revision of the cell, if one has come since the last time: it is the caller's then. */
  bool (*take_cell)(void *context, struct guard_cell *cell);
  enum server_loss on_server_loss;
};

#endif
