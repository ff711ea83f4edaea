/* The simulated controller on the network: Modbus TCP (functions 3, 6 and 16) for a few clients, and the clock, on one
 * thread. Whatever bytes a client sends, it costs that client its connection at most. */
#ifndef SERVER_SIMULATOR_MODBUS_SERVER_H
#define SERVER_SIMULATOR_MODBUS_SERVER_H

#include <stdatomic.h>

#include "server/simulator/controller.h"
#include "server/simulator/outputs.h"

/* What goes wrong: every `every`-th request (0: never), or once, at the `at`-th (0: never). */
enum server_fault {
  FAULT_NOTHING,
  FAULT_DELAY,       /* the answer comes 50 ms late, within the gateway's patience */
  FAULT_LATE,        /* the answer comes 1.5 s late, beyond it */
  FAULT_DROP,        /* the connection is closed before the request is carried out */
  FAULT_CUT,         /* it is carried out, then the connection is closed instead of an answer */
  FAULT_TRUNCATE,    /* it is carried out, half of the answer is sent */
  FAULT_TWICE,       /* it is carried out, the answer is sent twice */
  FAULT_TRANSACTION, /* it is carried out, the answer has another transaction id */
  FAULT_EXCEPTION,   /* answered with an exception, not carried out */
  FAULT_RESTART,     /* once: the controller restarts instead of an answer */
  FAULT_REBOOT,      /* once: it restarts before it answers, and the connection stays */
  FAULT_WRONG_CRC,   /* always: the controller computes another CRC-32 than everybody else */
  FAULT_ZEROS,       /* always: it stores zeros, and finds nothing wrong with that */
  FAULT_SILENT       /* always: connections are taken, nothing is ever answered */
};

struct modbus_server {
  struct simulator *simulator;
  struct outputs outputs; /* at the addresses below those of the protocol */
  int listener;
  unsigned base;
  enum server_fault fault;
  int exception;          /* of FAULT_EXCEPTION */
  int64_t millisecond_ns; /* of its clock; 0: as everybody's */
  unsigned long every, at;
  unsigned long long requests, writes, malformed, faults;
};

/* Serve until *stop is set, by a signal or another thread. */
void modbus_server_run(struct modbus_server *server, const atomic_bool *stop);

/* One request without its MBAP header (function code first), answered into `answer` (at least 256 bytes).
 * Answers its length; 0: not even worth an exception, close. */
size_t modbus_answer(struct modbus_server *server, const unsigned char *request, size_t length, unsigned char *answer);

#endif
