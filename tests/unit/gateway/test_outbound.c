/* Is the gateway's process asked whether it lives, whatever is on its way to it? */
#include <criterion/criterion.h>
#include <poll.h>
#include <sys/socket.h>

#include "server/gateway/gateway_internal.h"

enum { ORDERS = 5, ORDER_BYTES = 1 << 20, LONG_MS = 60000 };

/* A service without a process, which the test itself is. */
struct fixture {
  struct gateway *service;
  struct channel process;
};

static void setup(struct fixture *f)
{
  int ends[2];
  f->service = calloc(1, sizeof *f->service);
  cr_assert(f->service);
  cr_assert_eq(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
  pthread_mutex_init(&f->service->lock, NULL);
  pthread_mutex_init(&f->service->send_lock, NULL);
  channel_open(&f->service->child.channel, ends[0]);
  channel_open(&f->process, ends[1]);
  f->service->up = true;
}

static void teardown(struct fixture *f)
{
  channel_close(&f->service->child.channel);
  channel_close(&f->process);
  pthread_mutex_destroy(&f->service->lock);
  pthread_mutex_destroy(&f->service->send_lock);
  free(f->service);
}

/* The supervisor wants it to be asked. */
static void ping(struct fixture *f)
{
  atomic_store(&f->service->ping_due, true);
  gateway_ping(f->service);
}

static enum gateway_message next(struct fixture *f)
{
  struct frame frame;
  cr_assert_eq(channel_receive(&f->process, &frame, LONG_MS), ARMDYN_OK);
  return (enum gateway_message)frame.type;
}

static void *send_orders(void *context)
{
  struct fixture *f = context;
  char *order = calloc(1, ORDER_BYTES);
  for (int k = 0; order && k < ORDERS; k++) gateway_send(f->service, GATEWAY_WORDS, order, ORDER_BYTES);
  free(order);
  return NULL;
}

Test(asking, a_ping_goes_at_once_where_nothing_else_does)
{
  struct fixture f;
  setup(&f);
  ping(&f);
  cr_expect_eq(next(&f), GATEWAY_PING);
  gateway_ping(f.service);
  gateway_send(f.service, GATEWAY_COMMAND, "", 0);
  cr_expect_eq(next(&f), GATEWAY_COMMAND, "one ping, not two");
  teardown(&f);
}

/* Somebody holds the way all the time, and the socket is full: the ping comes between two of his frames. */
Test(asking, a_ping_finds_its_way_between_the_frames_of_profiles)
{
  struct fixture f;
  setup(&f);
  pthread_t sender;
  cr_assert_eq(pthread_create(&sender, NULL, send_orders, &f), 0);
  struct pollfd begun = { .fd = f.process.fd, .events = POLLIN };
  cr_assert_eq(poll(&begun, 1, LONG_MS), 1);
  ping(&f); /* an order is being sent, and does not fit */
  cr_expect_eq(next(&f), GATEWAY_WORDS);
  cr_expect_eq(next(&f), GATEWAY_PING);
  for (int k = 1; k < ORDERS; k++) cr_expect_eq(next(&f), GATEWAY_WORDS);
  pthread_join(sender, NULL);
  teardown(&f);
}

/* Nobody holds the way, but what was sent before still fills it. */
Test(asking, a_ping_that_finds_no_room_is_tried_again)
{
  struct fixture f;
  unsigned before = 0;
  setup(&f);
  while (!channel_send(&f.service->child.channel, GATEWAY_COMMAND, NULL, 0, 0)) before++;
  ping(&f);
  for (unsigned k = 0; k < before; k++) cr_expect_eq(next(&f), GATEWAY_COMMAND);
  gateway_ping(f.service);
  cr_expect_eq(next(&f), GATEWAY_PING);
  teardown(&f);
}
