/* `armdyn <command>`: rows of the table in commands.c.
 * To add a command: its function in a file of its own (cmd/<name>.c), declared here, and a row. */
#ifndef SERVER_CMD_COMMAND_H
#define SERVER_CMD_COMMAND_H

#include <stdbool.h>
#include <stddef.h>

/* argv[0] is the command's name. Returns the exit status: 0 done, 1 failed, 2 wrong usage. */
typedef int command_run(int argc, char **argv);

struct command {
  const char *name;
  command_run *run;
  bool internal; /* started by serve, not by people: help does not list it */
  const char *summary;
};

extern const struct command commands[];
extern const size_t command_count;

const struct command *command_find(const char *name); /* NULL: none */

/* ARMDYN_STORE: the address of a store on a server; "": it is the file in --data. */
const char *command_store_address(void);

command_run command_serve, command_worker, command_gateway, command_controller_sim, command_registers, command_key,
    command_audit, command_backup, command_drain, command_doctor, command_restore, command_healthcheck, command_version,
    command_help, command_routes, command_controller_test, command_code, command_verify, command_upgrade, command_move,
    command_worker_node, command_worker_relay, command_controller_trial;

#endif
