#include "server/cmd/command.h"
#include "server/cmd/flags.h"

/* clang-format off */
const struct command commands[] = {
  /* name             function                internal  summary */
  { "serve",          command_serve,          false,    "serve the HTTP API" },
  { "controller-sim", command_controller_sim, false,    "simulate a controller and its arm" },
  { "controller-test", command_controller_test, false,   "hold a controller against the register protocol" },
  { "key",            command_key,            false,    "make, list and revoke API keys" },
  { "registers",      command_registers,      false,    "print the registers of a controller, and a skeleton of its program" },
  { "code",           command_code,           false,    "write the equations of an arm as a program: for a PLC, in C, ..." },
  { "audit",          command_audit,          false,    "verify or print the audit trail" },
  { "backup",         command_backup,         false,    "copy the store, also of a running service, and check the copy" },
  { "restore",        command_restore,        false,    "make a store of such a copy" },
  { "upgrade",        command_upgrade,        false,    "try an upgrade on a copy of the store: time, room, what changes" },
  { "move",           command_move,           false,    "move the store into PostgreSQL, or back into a file" },
  { "drain",          command_drain,          false,    "let a service end what runs and begin nothing, before a stop" },
  { "doctor",         command_doctor,         false,    "look whether all that a service needs is well" },
  { "gateway",        command_gateway,        true,     "speak to controllers, for serve" },
  { "worker",         command_worker,         true,     "compute jobs for serve" },
  { "controller-trial", command_controller_trial, true,  "test a controller, for serve" },
  { "worker-node",    command_worker_node,    false,    "compute jobs for a service whose store is in PostgreSQL" },
  { "worker-relay",   command_worker_relay,   true,     "speak for a worker of another node, for serve" },
  { "healthcheck",    command_healthcheck,    false,    "ask a running service whether it lives: exit status 0 or 1" },
  { "verify",         command_verify,         false,    "look whether a bundle is whole, and signed by whom it should be" },
  { "version",        command_version,        false,    "print the version, and those of the libraries" },
  { "routes",         command_routes,         false,    "print every call of the HTTP API, one a line" },
  { "help",           command_help,           false,    "list the commands, or `help COMMAND`" },
};
/* clang-format on */
const size_t command_count = sizeof commands / sizeof *commands;

const struct command *command_find(const char *name)
{
  for (size_t i = 0; i < command_count; i++)
    if (!strcmp(commands[i].name, name)) return &commands[i];
  return NULL;
}

const char *command_store_address(void)
{
  return flag_default("ARMDYN_STORE", "");
}
