/* One controller on one connection: who it is, how it is, commands, heartbeats. It speaks register protocol v1 here, or
 * has a register map (mapped.h); who calls need not know. It knows no transfers. */
#ifndef SERVER_GATEWAY_CLIENT_H
#define SERVER_GATEWAY_CLIENT_H

#include "server/gateway/link.h"
#include "server/gateway/mapped.h"
#include "server/gateway/peer.h"
#include "server/gateway/profile.h"

struct client {
  struct controller_address address;
  struct link link;
  struct controller_identity identity; /* of the present connection */
  struct controller_state state;       /* as last read */
  uint16_t heartbeat;
  struct {
    uint16_t command, sequence, instance; /* command 0: nothing is open */
  } rung;                                 /* a command whose answer was lost with the connection */
  struct mapped mapped;                   /* of a controller with a register map */
};

/* Connect and learn who is there and how it is. EUNAVAILABLE: nobody; EINPUT: not a controller of this protocol. */
enum armdyn_status client_connect(struct client *c, int timeout_ms, struct armdyn_error *error);
void client_disconnect(struct client *c);
/* Read the state into c->state. */
enum armdyn_status client_look(struct client *c, struct armdyn_error *error);
/* Measured positions of the controller's axes, in its units. */
enum armdyn_status client_positions(struct client *c, float positions[REGISTERS_AXES], struct armdyn_error *error);
/* What it measures while it plays, in its units; NAN where it does not tell. */
struct measurement {
  double time; /* s from the profile's first sample; NAN: it does not tell */
  float position[REGISTERS_AXES], torque[REGISTERS_AXES];
};
/*   period_us  in  of the profile that is played
 * From one request, so that all of it is of one moment; of a register map from the last look. */
enum armdyn_status client_measure(struct client *c, uint32_t period_us, struct measurement *out,
                                  struct armdyn_error *error);
enum armdyn_status client_beat(struct client *c, struct armdyn_error *error);

/* Ring with a command and wait until it is acknowledged.
 *   head  in  arguments of BEGIN and STREAM, and what COMMIT is checked against; NULL for commands without
 * OK: carried out. ECONFLICT: refused by the controller, the message has its error. EUNAVAILABLE: the connection is lost,
 * and with it the answer. After another client_connect the same call finds out whether it was carried out, and rings
 * again, with the same number, only if it was not: so nothing is ever carried out twice. */
enum armdyn_status client_command(struct client *c, enum controller_command command, const struct profile_head *head,
                                  struct armdyn_error *error);
/* Was this command's doorbell rung, whether or not anybody heard it, and its answer is missing? */
bool client_has_rung(const struct client *c, enum controller_command command);
/* After a reconnection: was the command that was rung last carried out or refused (true), or never seen (false)? */
bool client_was_taken(const struct client *c);

/* One window: `count` words from sample `offset` on. Whether it was taken shows in the next offset. */
enum armdyn_status client_window(struct client *c, uint32_t offset, const uint16_t *words, unsigned count,
                                 struct armdyn_error *error);

/* Stop whatever it does, and wait until it says that nothing moves. Connects first if need be.
 * OK: confirmed. ECONFLICT: it still says otherwise. EUNAVAILABLE: nobody answered. Takes at most about 3 s. */
enum armdyn_status client_stop(struct client *c, struct armdyn_error *error);

#endif
