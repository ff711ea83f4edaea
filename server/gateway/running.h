/* A running transfer as its parts see it: download.c has its life from the first connection to its end, loading.c brings the
 * profile to the controller, by windows.c, following.c says what the controller's states mean for it, commanding.c grants what
 * is asked of it, outputs.c sets the controller's outputs where the motion rests, guarding.c holds it against the cell. */
#ifndef SERVER_GATEWAY_RUNNING_H
#define SERVER_GATEWAY_RUNNING_H

#include "server/gateway/transfer.h"

/* Windows that were written, and which of their places may be written again. */
struct windows {
  uint32_t at;    /* the next sample to be written */
  unsigned count; /* windows since it was set back: the next one's place is that modulo the places */
  uint32_t passed[PROTOCOL_PLACES_MOST]; /* next offset from which on a place is free again */
  uint32_t next;                         /* next offset as last seen */
  uint32_t looked_at;                    /* the next sample to be written when the last look was sent */
  uint32_t before;                       /* the same, of the last look that was answered */
  bool refused;                          /* one of them was answered by "not now" */
  int64_t seen_ns;                       /* when that was */
  int64_t progress_ns;                   /* when that last grew, or there was no room for more */
  int64_t again_ns;                      /* when what was not taken is written once more */
};

/* The motion as the controller's own clock timed it; of a register map, ours. */
struct watch {
  bool seen, held;            /* playing; holding, or out of sight: then it may have been held */
  uint32_t before_ms;         /* the last look before it played */
  uint32_t first_ms, last_ms; /* the first and the last at which it did */
  struct rest {
    bool holds;          /* at the last look */
    uint32_t seen_ms;    /* of that look */
    uint32_t index;      /* of the play, then */
    uint32_t on_path_ms; /* of this hold, on the way to rest */
    uint32_t ms;         /* all in all, at rest on the path */
  } rest;
};

/* How far its outputs are. */
struct setting {
  size_t done;        /* confirmed */
  bool written;       /* the next one, or an attempt at it */
  int64_t written_ns; /* when */
};

struct running {
  struct transfer_order *order;
  const struct profile_head *head; /* of the order */
  struct client *client;
  const struct download_port *port;
  struct transfer_report now;
  bool ended;

  int64_t seen_due_ns;
  uint32_t told;     /* samples sent, as told last */
  uint16_t instance; /* of the controller when BEGIN or STREAM was carried out */
  int begun;         /* how often one of them was made */
  bool holds;        /* the controller was seen with the profile since */
  bool offered;      /* COMMIT was made: the controller may have all of it, and its PLC may start it */
  bool closed;       /* COMMIT was carried out */
  bool more;         /* of a stream: there is room for more at once */
  bool started;      /* START was made, or the controller was seen playing */
  struct transfer_command
      wanted;          /* of ARM, START, HOLD and RESUME one that is not answered yet; ASK_NONE: there is none */
  int64_t wanted_ns;   /* since when */
  bool measured_anew;  /* the controller's clock, because it seemed wrong */
  bool unproved;       /* the cell has changed since the motion was held against it */
  bool leaving;        /* the service is gone; the motion is brought to its end */
  bool confirmed;      /* the controller said that nothing moves */
  int64_t ready_ns;    /* when it became ready */
  int64_t started_ns;  /* when START was acknowledged */
  int64_t lost_ns;     /* since when it is out of sight; 0: it is not */
  unsigned jitter;     /* of rand_r */
  int64_t feed_due_ns; /* of a stream: the next look whether there is room */
  uint32_t written;    /* samples that were sent since BEGIN, taken or not */
  struct windows windows;
  struct watch watch;
  struct setting setting;
  struct telemetry telemetry;
  struct armdyn_error error;
};

/* -- download.c -- */

/* A new state of the transfer, with its reason ("" = none) and problem (enum problem; -1 = none). */
void running_report(struct running *r, enum transfer_state state, int problem, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* Tell what there is to see. */
void running_observe(struct running *r);
/* Stop the controller if it has anything of ours (or, where a person asked for it, in any case), and end. What was told to
 * stop but says nothing is out of sight. */
void running_stop(struct running *r, bool person, enum transfer_state end, int problem, const char *reason);
/* Connect (again) until the deadline, with growing pauses. OK; EUNAVAILABLE after it; EINPUT: something else answers
 * there; ECANCELLED: the transfer ended meanwhile. */
enum armdyn_status running_regain(struct running *r, int64_t deadline_ns);
/* How long to wait before the attempt-th attempt to connect, from 0: twice as long each time, with jitter, so that many
 * gateways do not come back all at once. */
int running_pause_ms(struct running *r, int attempt);
/* While it loads: a heartbeat, and what there is to see too, as often as that is due. */
enum armdyn_status running_stay_in_touch(struct running *r);
/* It cannot go on, for the reason in r->error: of the controller, or because it cannot be reached. */
void running_fail(struct running *r, enum armdyn_status rc);

/* -- commanding.c -- */

/* While it connects or loads, for wait_ms: STOP and LEAVE end it, everything else comes too early. */
void running_hear(struct running *r, int wait_ms);
/* While nothing but waiting is on: everything. */
void running_grant(struct running *r, const struct transfer_command *command);
/* Go on with the command that waits, if one does; of a transfer that has ended, tell that it is too late. */
void running_go_on(struct running *r);
/* Arm it without being asked. */
void running_arm(struct running *r);
/* start_before has passed. */
void running_expire(struct running *r);

/* -- following.c -- */

/* The controller's state, seen and told. */
void running_follow(struct running *r);
/* Is it the controller that took BEGIN, and not started anew since? */
bool running_same(const struct running *r);
/* Does it hold what BEGIN announced? */
bool running_ours(const struct running *r);

/* -- guarding.c -- */

/* Before anything of it is sent: does the motion keep clear of the cell that its controller stands in? Where it may touch,
 * or the cell says too little, the transfer ends. */
void guarding_begin(struct running *r);
/* That it does, in words; "" where it stands in none. */
void guarding_tell(const struct running *r, char *text, size_t size);
/* The same once more, when a newer revision of the cell has come and the motion has not begun. */
void guarding_renew(struct running *r);
/* May ARM, START or RESUME be sent for a controller that stands in the cell that the command names? OK; ECONFLICT. Of a motion
 * that is held, what is left of it is held against a cell that has changed. */
enum armdyn_status guarding_allow(struct running *r, const struct transfer_command *command);

/* -- loading.c -- */

/* Can this controller play it, in which format, and is it free? ECONFLICT with the reason. */
enum armdyn_status loading_check(struct running *r);
/* Bring the profile, or of a stream as much as the controller has room for, there, through lost connections, resuming
 * where the controller is. OK: it can be armed; ECONFLICT, EUNAVAILABLE, ECANCELLED: the transfer has ended. */
enum armdyn_status loading_run(struct running *r);
/* Of a stream: send what there is room for, close it after the last sample. *more: there is more to be done at once. */
enum armdyn_status loading_feed(struct running *r, bool *more);
/* Is what the controller stores what was sent? ECONFLICT; of a register map also EUNAVAILABLE, ECANCELLED. */
enum armdyn_status loading_verify(struct running *r);

/* -- outputs.c -- */

/* Set what is to be set where the arm rests now, and see whether it is so; after a look. ECONFLICT: the controller does not
 * take it; EUNAVAILABLE; ECANCELLED: the transfer has ended, for the rest ends and it is not confirmed. */
enum armdyn_status outputs_tend(struct running *r);
/* When the next look for their sake is due; INT64_MAX: none is. */
int64_t outputs_due_ns(const struct running *r);
/* The connection was lost and is back: was one being set? Then nobody knows, and the motion is stopped. */
void outputs_after_loss(struct running *r);

/* -- windows.c -- */

/* Go on from where the controller is; nothing is in flight. */
void windows_set_back(struct running *r);
/* Write what there is room for, several in flight, and look where the controller is. EUNAVAILABLE; ECANCELLED: the transfer
 * has ended; ECONFLICT: the controller wants what was never sent. */
enum armdyn_status windows_send(struct running *r);
/* What the controller says it has; nothing, if that is not ours. */
uint32_t windows_taken(const struct running *r);
/* What the last look says of it. */
void windows_note_progress(struct running *r);
/* ECONFLICT: it has taken nothing for too long. */
enum armdyn_status windows_check_progress(struct running *r);

#endif
