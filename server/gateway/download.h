/* One transfer: download a profile, have it checked, armed and started on request, and watch it to its end.
 *
 * It runs on the thread of its controller and hears of wishes only between two round trips. After START nothing is sent
 * again but heartbeats and STOP; a lost connection is then opened again only to watch. */
#ifndef SERVER_GATEWAY_DOWNLOAD_H
#define SERVER_GATEWAY_DOWNLOAD_H

#include "api/problem/problem.h"
#include "server/base/id.h"
#include "server/gateway/client.h"
#include "server/store/store.h"

enum server_loss { SERVER_LOSS_STOP, SERVER_LOSS_FINISH };

/* What is to be done. */
struct transfer_order {
  char id[ID_SIZE];
  struct controller_address address;
  int connect_deadline_ms, ready_timeout_ms;
  bool start;              /* arm by itself when ready */
  int64_t start_before_ms; /* with start: wall clock by which START must have been asked for */
  struct profile profile;
};

void transfer_order_free(struct transfer_order *order); /* NULL is fine */

enum wish_kind {
  WISH_NONE,
  WISH_LOOK,
  WISH_ARM,
  WISH_START,
  WISH_HOLD,
  WISH_RESUME,
  WISH_STOP,
  WISH_CLEAR,
  WISH_LEAVE
};

/* Somebody wants something of a controller; each is answered once. LEAVE: the service is gone; needs no answer. */
struct wish {
  uint64_t number;
  enum wish_kind kind;
  char transfer[ID_SIZE];  /* "" = of the controller, whatever it plays */
  int64_t start_before_ms; /* wall clock, of START */
};

/* A change of state. */
struct transfer_report {
  enum transfer_state state;
  int problem; /* enum problem; -1 = none */
  uint32_t sent;
  char reason[200]; /* "" = none */
};

/* What was last seen of a controller. */
struct observation {
  int64_t seen_ms; /* wall clock; 0 = never */
  bool connected, simulated;
  struct controller_state state;
  float position[REGISTERS_AXES];
};

/* How it hears and speaks. */
struct download_port {
  void *context;
  /* The next wish, waiting up to wait_ms for one; STOP before others. False: none. */
  bool (*take_wish)(void *context, int wait_ms, struct wish *wish);
  void (*answer)(void *context, const struct wish *wish, enum armdyn_status status, const char *text);
  void (*report)(void *context, const struct transfer_report *report);
  void (*progress)(void *context, uint32_t sent);
  void (*observe)(void *context, const struct observation *seen);
  enum server_loss on_server_loss;
};

/* Bring a transfer to its end: the last report has a final state. */
void download_run(const struct transfer_order *order, struct client *client, const struct download_port *port);

#endif
