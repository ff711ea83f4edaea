/* What the files of an endpoint share; nobody else includes it: endpoint.c has the threads, endpoint_port.c what a running
 * transfer hears and says. */
#ifndef SERVER_GATEWAY_ENDPOINT_INTERNAL_H
#define SERVER_GATEWAY_ENDPOINT_INTERNAL_H

#include <pthread.h>

#include "server/base/log.h"
#include "server/gateway/client.h"
#include "server/gateway/listener.h"
#include "server/gateway/standstill.h"

enum { COMMANDS_MOST = 16 /* waiting at one controller; beyond it they are refused */ };

struct recovery {
  char transfer[ID_SIZE];
  bool sets_outputs;
  struct recovery *next;
};

struct endpoint {
  struct endpoints *owner;
  struct controller_address address;
  struct endpoint *next;

  /* under owner->lock */
  struct transfer_command commands[COMMANDS_MOST];
  size_t command_count;
  bool leave_told;
  struct transfer_order *order; /* waiting or running */
  bool end_told;                /* of the order; a last look at the controller may still be on */
  struct transfer_order *following;
  struct recovery *recoveries;
  struct observation seen;
  bool works; /* on what it took */
  struct standstill movement;
  pthread_cond_t changed;

  /* the thread's own */
  pthread_t thread;
  struct client client;
  int lock_fd;                    /* -1: not held */
  struct armdyn_error lock_error; /* then: why */
};

struct endpoints {
  const char *dir;
  enum server_loss on_server_loss;
  struct endpoint_listener listener;
  struct figures *figures;
  pthread_mutex_t lock;
  pthread_cond_t changed; /* a thread has ended */
  struct endpoint *first, *ended;
  size_t threads; /* in either list, or between them */
  bool leaving;
};

struct timespec endpoint_deadline(int wait_ms);
/* A line of the log about a transfer. */
void endpoint_log(enum log_level level, const char *message, const struct transfer_order *order, const char *state,
                  const char *reason);

/* Under the lock: the next command, STOP first; LEAVE once. */
bool endpoint_next_command(struct endpoint *p, struct transfer_command *command);
/* Under the lock. */
bool endpoint_stop_waits(const struct endpoint *p);

/* What became of a command. */
void endpoint_tell(struct endpoint *p, const struct transfer_command *command, enum armdyn_status status,
                   const char *text);
/* A new state of a transfer; an end is written down before. */
void endpoint_tell_state(struct endpoint *p, const struct transfer_order *order, const struct transfer_report *report);
/* What was seen stays when the connection goes; only that it is gone is new then. */
void endpoint_observe(struct endpoint *p, const struct observation *seen);
struct download_port endpoint_port(struct endpoint *p);

#endif
