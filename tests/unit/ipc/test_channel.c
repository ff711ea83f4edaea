#include <criterion/criterion.h>
#include <pthread.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "api/limits.h"
#include "server/base/clock.h"
#include "server/ipc/channel.h"

static void pair(struct channel *a, struct channel *b)
{
  int ends[2];
  cr_assert_eq(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
  channel_open(a, ends[0]);
  channel_open(b, ends[1]);
}

static void unpair(struct channel *a, struct channel *b)
{
  channel_close(a);
  channel_close(b);
}

/* Bytes that depend on the frame and the place in it. */
static char byte_of(size_t frame, size_t at)
{
  return (char)((frame * 131 + at * 7 + (at >> 8)) & 255);
}

static const size_t sizes[] = {
  0, 1, 11, 12, 13, 4095, 4096, 65523, 65524, 65536, 200000, LIMIT_FRAME - 1, LIMIT_FRAME
};
enum { SIZES = sizeof sizes / sizeof *sizes };

static void *send_all(void *context)
{
  struct channel *c = context;
  char *data = malloc(LIMIT_FRAME);
  enum armdyn_status status = ARMDYN_OK;
  for (size_t i = 0; i < 3 * SIZES && !status; i++) {
    size_t length = sizes[i * 5 % SIZES];
    for (size_t k = 0; k < length; k++) data[k] = byte_of(i, k);
    status = channel_send(c, (uint32_t)i, data, length, 20000);
  }
  free(data);
  return (void *)(uintptr_t)status;
}

static void receive_all(struct channel *c)
{
  for (size_t i = 0; i < 3 * SIZES; i++) {
    struct frame frame;
    cr_assert_eq(channel_receive(c, &frame, 20000), ARMDYN_OK, "frame %zu", i);
    cr_assert_eq(frame.type, i);
    cr_assert_eq(frame.length, sizes[i * 5 % SIZES]);
    cr_assert_eq(frame.data[frame.length], '\0');
    for (size_t k = 0; k < frame.length; k++)
      if (frame.data[k] != byte_of(i, k)) cr_assert_fail("frame %zu differs at byte %zu", i, k);
  }
}

Test(channel, carries_frames_of_every_size)
{
  struct channel a, b;
  pthread_t sender;
  void *status;
  pair(&a, &b);
  cr_assert_eq(pthread_create(&sender, NULL, send_all, &a), 0);
  receive_all(&b);
  pthread_join(sender, &status);
  cr_assert_null(status);
  unpair(&a, &b);
}

static volatile sig_atomic_t interruptions;
static void interrupt(int number)
{
  (void)number;
  interruptions++;
}

Test(channel, is_not_disturbed_by_signals)
{
  struct channel a, b;
  pthread_t sender;
  void *status;
  struct sigaction action = { .sa_handler = interrupt }; /* no SA_RESTART: calls end with EINTR */
  sigaction(SIGALRM, &action, NULL);
  struct itimerval every = { { 0, 500 }, { 0, 500 } };
  setitimer(ITIMER_REAL, &every, NULL);
  pair(&a, &b);
  cr_assert_eq(pthread_create(&sender, NULL, send_all, &a), 0);
  receive_all(&b);
  pthread_join(sender, &status);
  cr_assert_null(status);

  struct frame frame;
  int64_t before = clock_monotonic_ns();
  cr_assert_eq(channel_receive(&b, &frame, 50), ARMDYN_EUNAVAILABLE);
  cr_assert_geq(clock_monotonic_ns() - before, 49000000);
  cr_assert_gt(interruptions, 0);
  setitimer(ITIMER_REAL, &(struct itimerval){ 0 }, NULL);
  unpair(&a, &b);
}

Test(channel, puts_frames_together_from_single_bytes)
{
  struct channel a, b;
  struct frame frame;
  static const char wire[] = "ADF1\2\0\0\0\3\0\0\0abcADF1\5\0\0\0\0\0\0\0";
  pair(&a, &b);
  for (size_t i = 0; i < sizeof wire - 1; i++) {
    cr_assert_eq(write(a.fd, wire + i, 1), 1);
    enum armdyn_status status = channel_receive(&b, &frame, 0);
    if (i == 14) {
      cr_assert_eq(status, ARMDYN_OK);
      cr_assert_eq(frame.type, 2);
      cr_assert_eq(frame.length, 3);
      cr_assert_str_eq(frame.data, "abc");
    } else if (i == 26) {
      cr_assert_eq(status, ARMDYN_OK);
      cr_assert_eq(frame.type, 5);
      cr_assert_eq(frame.length, 0);
    } else
      cr_assert_eq(status, ARMDYN_EUNAVAILABLE, "byte %zu", i);
  }
  unpair(&a, &b);
}

Test(channel, keeps_frames_apart_that_came_together)
{
  struct channel a, b;
  struct frame frame;
  pair(&a, &b);
  for (uint32_t i = 0; i < 200; i++) cr_assert_eq(channel_send(&a, i, "0123456789", i % 11, 1000), ARMDYN_OK);
  for (uint32_t i = 0; i < 200; i++) {
    cr_assert_eq(channel_receive(&b, &frame, 0), ARMDYN_OK);
    cr_assert_eq(frame.type, i);
    cr_assert_eq(frame.length, i % 11);
    cr_assert_eq(strlen(frame.data), i % 11);
    cr_assert_eq(memcmp(frame.data, "0123456789", i % 11), 0);
  }
  cr_assert_eq(channel_receive(&b, &frame, 0), ARMDYN_EUNAVAILABLE);
  unpair(&a, &b);
}

Test(channel, refuses_hostile_bytes_before_memory)
{
  static const struct {
    const char *bytes;
    size_t length;
  } hostile[] = {
    { "X", 1 },
    { "ADF2", 4 },
    { "ADF1\1\0\0\0\1\0\20\0", 12 },        /* one byte beyond LIMIT_FRAME */
    { "ADF1\1\0\0\0\377\377\377\377", 12 }, /* 4 GiB */
    { "ADF1\1\0\0\0\1\0\0\0xADF0", 17 },    /* a good frame, then none */
  };
  for (size_t i = 0; i < sizeof hostile / sizeof *hostile; i++) {
    struct channel a, b;
    struct frame frame;
    pair(&a, &b);
    cr_assert_eq(write(a.fd, hostile[i].bytes, hostile[i].length), (ssize_t)hostile[i].length);
    enum armdyn_status status = channel_receive(&b, &frame, 1000);
    if (i == 4) {
      cr_assert_eq(status, ARMDYN_OK);
      cr_assert_str_eq(frame.data, "x");
      status = channel_receive(&b, &frame, 1000);
    }
    cr_assert_eq(status, ARMDYN_ESYNTAX, "case %zu", i);
    cr_assert_leq(b.in.capacity, 256 << 10);
    unpair(&a, &b);
  }
}

Test(channel, sends_nothing_of_what_is_too_long)
{
  struct channel a, b;
  struct frame frame;
  char *data = calloc(LIMIT_FRAME + 1, 1);
  pair(&a, &b);
  cr_assert_eq(channel_send(&a, 1, data, LIMIT_FRAME + 1, 1000), ARMDYN_ELIMIT);
  cr_assert_eq(channel_receive(&b, &frame, 0), ARMDYN_EUNAVAILABLE);
  cr_assert_eq(channel_send(&a, 2, NULL, 0, 1000), ARMDYN_OK);
  cr_assert_eq(channel_receive(&b, &frame, 0), ARMDYN_OK);
  cr_assert_eq(frame.type, 2);
  free(data);
  unpair(&a, &b);
}

Test(channel, gives_up_on_a_peer_that_does_not_read)
{
  struct channel a, b;
  struct frame frame;
  char *data = calloc(LIMIT_FRAME, 1);
  size_t sent = 0, received = 0;
  enum armdyn_status status;
  pair(&a, &b);
  int64_t before = 0;
  do before = clock_monotonic_ns();
  while (!(status = channel_send(&a, 1, data, 100000, 200)) && ++sent < 1000);
  cr_assert_eq(status, ARMDYN_EUNAVAILABLE);
  cr_assert_geq(clock_monotonic_ns() - before, 200000000);
  cr_assert_eq(channel_send(&a, 2, "x", 1, 200), ARMDYN_EIO); /* never behind half a frame */

  while (!(status = channel_receive(&b, &frame, 1000))) {
    cr_assert_eq(frame.type, 1);
    received++;
  }
  cr_assert_eq(status, ARMDYN_EIO);
  cr_assert_eq(received, sent);
  free(data);
  unpair(&a, &b);
}

Test(channel, receives_what_a_dead_peer_sent)
{
  struct channel a, b;
  struct frame frame;
  pair(&a, &b);
  cr_assert_eq(channel_send(&a, 7, "last", 4, 1000), ARMDYN_OK);
  cr_assert_eq(write(a.fd, "ADF1\1\0", 6), 6); /* and half a frame */
  channel_close(&a);
  cr_assert_eq(channel_receive(&b, &frame, 1000), ARMDYN_OK);
  cr_assert_str_eq(frame.data, "last");
  cr_assert_eq(channel_receive(&b, &frame, 1000), ARMDYN_EIO);
  cr_assert_eq(channel_send(&b, 1, "x", 1, 1000), ARMDYN_EIO); /* and no SIGPIPE */
  channel_close(&b);
}

Test(frame, is_the_same_wherever_the_bytes_are_cut)
{
  static const char wire[] = "ADF1\1\0\0\0\5\0\0\0helloADF1\xff\xff\xff\xff\0\0\0\0";
  struct frame frame;
  size_t used;
  for (size_t length = 0; length < sizeof wire - 1; length++) {
    cr_assert_eq(frame_parse(wire, length, &frame, &used), ARMDYN_OK);
    cr_assert_eq(used, length < 17 ? 0 : 17, "%zu bytes", length);
  }
  cr_assert_eq(frame.length, 5);
  cr_assert_eq(memcmp(frame.data, "hello", 5), 0);
  cr_assert_eq(frame_parse(wire + 17, 12, &frame, &used), ARMDYN_OK);
  cr_assert_eq(used, 12);
  cr_assert_eq(frame.type, UINT32_MAX);
}
