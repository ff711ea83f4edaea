/* A controller that speaks register protocol v2, without its network: reads and writes of registers, and its own clock.
 * It shares with the gateway the lists of server/protocol, nothing else, so that each proves the other.
 *
 * Without a scan its program runs at every write, as one does that is called directly after its Modbus server; with one it
 * sees its registers once a cycle, as most do, and sometimes half of a write only. */
#ifndef SERVER_SIMULATOR_CONTROLLER_H
#define SERVER_SIMULATOR_CONTROLLER_H

#include "server/simulator/state.h"

enum armdyn_status simulator_init(struct simulator *s, const struct simulator_options *options);
void simulator_release(struct simulator *s);

/* Registers by offset from the base. 0, or a Modbus exception: 2 illegal address (outside, or not the gateway's to
 * write). A refused write changes nothing. */
int simulator_read(struct simulator *s, size_t offset, size_t count, uint16_t *words);
int simulator_write(struct simulator *s, size_t offset, size_t count, const uint16_t *words);
/* One millisecond passes. */
void simulator_tick(struct simulator *s);
/* As after its power was cut: another instance, no profile; the arm stands where it was. */
void simulator_restart(struct simulator *s);

#endif
