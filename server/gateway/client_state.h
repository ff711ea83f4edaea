/* What is known of one controller on one connection. */
#ifndef SERVER_GATEWAY_CLIENT_STATE_H
#define SERVER_GATEWAY_CLIENT_STATE_H

#include "server/gateway/link.h"
#include "server/gateway/peer.h"
#include "server/gateway/profile.h"
#include "server/gateway/uptime.h"

/* What is done while something is waited for, and between requests. False: it ends with ECANCELLED. */
struct meanwhile {
  bool (*go_on)(void *context);
  void *context;
};

/* A command that was made, and is not known to have been acknowledged. */
struct open_command {
  enum controller_command command; /* 0: nothing is open */
  uint32_t profile, latest_ms, check;
  uint16_t number, instance;
  bool written;
  uint16_t words[PROTOCOL_COMMAND];
};

/* Of a controller with a register map (mapped.h). */
struct mapped {
  enum controller_phase phase;      /* EMPTY to ARMED as left by us, then as seen */
  uint32_t profile;                 /* what it was left with */
  bool started;                     /* START was written */
  bool toggled;                     /* what the last toggle wrote */
  bool done_before;                 /* when that was, it already said that it is done: of an earlier motion */
  double signals[LIMIT_MAP_FIELDS]; /* as last read; NAN: not readable */
};

/* What a controller measures, in its units; NAN where it does not tell. */
struct measurement {
  double time; /* s from the profile's first sample; NAN: it does not tell */
  float position[PROTOCOL_AXES], torque[PROTOCOL_AXES];
};

struct client {
  struct controller_address address;
  struct link link;
  struct controller_identity identity; /* of the present connection */
  struct controller_state state;       /* as last seen */
  bool restarted; /* under the same instance: its clock went back. Whoever begins something sets it to false */
  struct uptime uptime;
  struct open_command open;
  bool refused; /* the last command, by the controller; else it was carried out, or nobody knows */
  uint16_t heartbeat;
  uint32_t beats_for;          /* profile id; 0: it does not beat */
  int64_t beat_due_ns;         /* of the next heartbeat */
  unsigned random;             /* of rand_r, for numbers of commands */
  struct measurement measured; /* the last one, ... */
  int64_t measured_ns;         /* and when it was made; 0: never */
  struct mapped mapped;        /* of a controller with a register map */

  /* Asked while a command waits: is there something that cannot? It ends with ECANCELLED then. NULL: never. */
  bool (*urgent)(void *context);
  void *context;
};

#endif
