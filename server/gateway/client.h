/* One controller on one connection: who it is, how it is, heartbeats, commands, windows. It speaks register protocol v2
 * here, or has a register map (mapped.h); who calls need not know. It knows no transfers.
 *
 * client.c looks, command.c commands. What a look says that would end a transfer, or cannot be, is believed when two say
 * it. */
#ifndef SERVER_GATEWAY_CLIENT_H
#define SERVER_GATEWAY_CLIENT_H

#include "server/gateway/client_state.h"

/* Connect and learn who is there and how it is. EUNAVAILABLE: nobody, or one whose program has not begun; EINPUT: not a
 * controller of this protocol. */
enum armdyn_status client_connect(struct client *c, int timeout_ms, struct armdyn_error *error);
void client_disconnect(struct client *c);
/* Look at it, into c->state. */
enum armdyn_status client_look(struct client *c, struct armdyn_error *error);
/* What it measures while it plays.
 *   period_us  in  of the profile that is played
 * From one request, so that all of it is of one moment; without registers for that from the last look. */
enum armdyn_status client_measure(struct client *c, uint32_t period_us, struct measurement *out,
                                  struct armdyn_error *error);
/* A heartbeat, if one is due. */
enum armdyn_status client_beat(struct client *c, struct armdyn_error *error);
/* Heartbeats, until something urgent waits. */
struct meanwhile client_meanwhile(struct client *c);

/* -- command.c -- */

/* Write a command and wait until it is acknowledged; it is repeated until then, or until its time is over.
 *   head       in  the profile that it is meant for, with the arguments of BEGIN, STREAM and COMMIT; NULL: a person's STOP,
 *                  or CLEAR of whatever is there
 *   before_ms  in  wall clock, after which it must not be executed; 0: no such time
 * OK: acknowledged as carried out; whether it is shows in the state. ECONFLICT: refused by the controller, or not
 * acknowledged in its time; the message says which and why, and it is over. ESTALE: the controller was started anew.
 * EUNAVAILABLE: the connection is lost, and with it the answer; after another client_connect the same call finds out what
 * became of it, and goes on with the identical command while its time is not over. ECANCELLED: something urgent is to be
 * done; the command stays open likewise. */
enum armdyn_status client_command(struct client *c, enum controller_command command, const struct profile_head *head,
                                  int64_t before_ms, struct armdyn_error *error);
/* Is this command open, for this profile? */
bool client_has_open(const struct client *c, enum controller_command command, uint32_t profile);

/* Stop it, and wait until it says that nothing moves. Connects first if need be.
 *   head  in  what is to be stopped; NULL: a person's STOP, of whatever it does
 * OK: confirmed; also when another profile than that of `head` is active. ECONFLICT: it still says otherwise. EUNAVAILABLE:
 * nobody answered. It is tried again for 1 s, the time of a command, and once more after that. */
enum armdyn_status client_stop(struct client *c, const struct profile_head *head, struct armdyn_error *error);

/* -- several requests in flight (link.h) -- */

/* Put a window of a profile on its way into a place: `count` words from sample `offset` on. Whether it was taken shows in
 * the next offset. */
enum armdyn_status client_send_window(struct client *c, unsigned place, uint32_t profile, uint32_t offset,
                                      const uint16_t *words, unsigned count, struct armdyn_error *error);
/* Put a look on its way. */
enum armdyn_status client_send_look(struct client *c, struct armdyn_error *error);
/* What it says, into c->state. False: that has to be seen twice; client_look does. */
bool client_take_look(struct client *c, const struct landed *answer);
/* Put a heartbeat on its way, if one is due. */
enum armdyn_status client_send_beat(struct client *c, struct armdyn_error *error);
/* How long to wait before a look may show something new, ms: a part of its program's cycle. 0: it takes at once. */
int client_cycle_part_ms(const struct client *c);

#endif
