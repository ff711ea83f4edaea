#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "server/base/clock.h"
#include "server/simulator/modbus_server.h"
#include "server/simulator/play.h"

enum {
  CLIENTS = 8,
  AT_LISTENER = CLIENTS, /* among what is polled: after the clients */
  AT_TICKS,
  POLLED,
  HEADER = 7,     /* MBAP: transaction, protocol 0, length, unit */
  PDU_MOST = 253, /* function code and data */
  READ_HOLDING = 3,
  WRITE_SINGLE = 6,
  WRITE_MULTIPLE = 16,
  READ_MOST = 125, /* registers */
  WRITE_MOST = 123,
  CATCH_UP_MOST = 100, /* ms that its arm may be behind; what is more is left out */
  COMPUTE_MOST = 20,   /* ms of computing the arm before clients are heard again */
  LAG_MOST = 250,      /* ms without a heartbeat that one stall of this process may be taken for */
  REST_MS = 20,        /* between looks at its clock while nothing is loaded: a thousand a second are 1.3 % of a core */
  DELAY_MS = 50,
  LATE_MS = 1500
};

struct client {
  int fd; /* -1: free */
  unsigned char in[HEADER + PDU_MOST];
  size_t length;
  unsigned char out[2 * (HEADER + PDU_MOST)]; /* an answer that waits, or two */
  size_t out_length;
  int64_t out_due_ns;
};

static unsigned get16(const unsigned char *at)
{
  return (unsigned)at[0] << 8 | at[1];
}

static void put16(unsigned char *at, unsigned value)
{
  at[0] = (unsigned char)(value >> 8);
  at[1] = (unsigned char)value;
}

static size_t exception(unsigned char *answer, unsigned function, int code)
{
  answer[0] = (unsigned char)(function | 0x80);
  answer[1] = (unsigned char)code;
  return 2;
}

static size_t answer_read(struct modbus_server *s, const unsigned char *request, unsigned char *answer)
{
  unsigned address = get16(request + 1), count = get16(request + 3);
  uint16_t words[READ_MOST];
  if (count < 1 || count > READ_MOST) return exception(answer, READ_HOLDING, 3);
  int code = address < s->base ? outputs_read(&s->outputs, address, count, words)
                               : simulator_read(s->simulator, address - s->base, count, words);
  if (code) return exception(answer, READ_HOLDING, code);
  answer[0] = READ_HOLDING;
  answer[1] = (unsigned char)(2 * count);
  for (unsigned i = 0; i < count; i++) put16(answer + 2 + 2 * i, words[i]);
  return 2 + 2 * (size_t)count;
}

static size_t answer_write(struct modbus_server *s, unsigned function, unsigned address, const unsigned char *data,
                           unsigned count, const unsigned char *request, unsigned char *answer)
{
  uint16_t words[WRITE_MOST];
  for (unsigned i = 0; i < count; i++) words[i] = (uint16_t)get16(data + 2 * i);
  int code = address < s->base ? outputs_write(&s->outputs, address, count, words, s->simulator->profile.id,
                                               simulator_play_index(s->simulator))
                               : simulator_write(s->simulator, address - s->base, count, words);
  if (code) return exception(answer, function, code);
  s->writes++;
  memcpy(answer, request, 5); /* both functions repeat address and count or value */
  return 5;
}

size_t modbus_answer(struct modbus_server *s, const unsigned char *request, size_t length, unsigned char *answer)
{
  if (length < 1) return 0;
  unsigned function = request[0];
  s->requests++;
  if (function == READ_HOLDING && length == 5) return answer_read(s, request, answer);
  if (function == WRITE_SINGLE && length == 5)
    return answer_write(s, function, get16(request + 1), request + 3, 1, request, answer);
  if (function == WRITE_MULTIPLE && length >= 6) {
    unsigned count = get16(request + 3);
    if (count < 1 || count > WRITE_MOST || request[5] != 2 * count || length != 6 + 2 * (size_t)count)
      return exception(answer, function, 3);
    return answer_write(s, function, get16(request + 1), request + 6, count, request, answer);
  }
  s->malformed++;
  return exception(answer, function & 0x7F, 1);
}

static void drop(struct client *c)
{
  close(c->fd);
  *c = (struct client){ .fd = -1 };
}

/* Does this request meet the fault that is switched on? */
static bool struck(struct modbus_server *s)
{
  if (s->fault == FAULT_SILENT) return true;
  if (s->fault == FAULT_NOTHING) return false;
  return s->at ? s->requests + 1 == s->at : s->every && (s->requests + 1) % s->every == 0;
}

/* Spoil the answer in c->out as the fault wants it. */
static void spoil(struct client *c, enum server_fault fault)
{
  switch (fault) {
  case FAULT_TRUNCATE: c->out_length /= 2; break;
  case FAULT_TWICE:
    memcpy(c->out + c->out_length, c->out, c->out_length);
    c->out_length *= 2;
    break;
  case FAULT_TRANSACTION: c->out[1] ^= 1; break;
  default: break;
  }
}

/* One whole request stands in c->in. */
static void serve_request(struct modbus_server *s, struct client *c, size_t pdu)
{
  enum server_fault fault = struck(s) ? s->fault : FAULT_NOTHING;
  if (fault != FAULT_NOTHING) s->faults++;
  if (fault == FAULT_SILENT || fault == FAULT_DROP || fault == FAULT_RESTART) s->requests++;
  if (fault == FAULT_SILENT) return;
  if (fault == FAULT_RESTART || fault == FAULT_REBOOT) {
    simulator_restart(s->simulator);
    s->fault = FAULT_NOTHING;
  }
  if (fault == FAULT_DROP || fault == FAULT_RESTART) {
    drop(c);
    return;
  }

  size_t length;
  if (fault == FAULT_EXCEPTION) {
    s->requests++;
    length = exception(c->out + HEADER, c->in[HEADER] & 0x7Fu, s->exception);
  } else {
    length = modbus_answer(s, c->in + HEADER, pdu, c->out + HEADER);
  }
  if (!length || fault == FAULT_CUT) {
    drop(c);
    return;
  }
  memcpy(c->out, c->in, 4);
  put16(c->out + 4, (unsigned)length + 1);
  c->out[6] = c->in[6];
  c->out_length = HEADER + length;
  spoil(c, fault);
  int late = fault == FAULT_DELAY ? DELAY_MS : fault == FAULT_LATE ? LATE_MS : 0;
  c->out_due_ns = clock_monotonic_ns() + late * 1000000LL;
}

/* Send what is due; an answer of some hundred bytes that a socket does not take at once is a client that does not read. */
static void send_due(struct client *c, int64_t now)
{
  if (c->fd < 0 || !c->out_length || c->out_due_ns > now) return;
  ssize_t sent = send(c->fd, c->out, c->out_length, MSG_NOSIGNAL | MSG_DONTWAIT);
  if (sent == (ssize_t)c->out_length)
    c->out_length = 0;
  else
    drop(c);
}

/* Take requests one by one, each after the answer to the one before it. */
static void take_requests(struct modbus_server *s, struct client *c)
{
  while (c->fd >= 0 && !c->out_length && c->length >= HEADER) {
    unsigned follows = get16(c->in + 4);
    if (get16(c->in + 2) != 0 || follows < 2 || follows > PDU_MOST + 1) {
      s->malformed++;
      drop(c);
      return;
    }
    size_t whole = HEADER - 1 + follows;
    if (c->length < whole) return;
    serve_request(s, c, follows - 1);
    if (c->fd < 0) return;
    memmove(c->in, c->in + whole, c->length - whole);
    c->length -= whole;
    send_due(c, clock_monotonic_ns());
  }
}

static void receive(struct modbus_server *s, struct client *c)
{
  if (c->length < sizeof c->in) {
    ssize_t n = recv(c->fd, c->in + c->length, sizeof c->in - c->length, MSG_DONTWAIT);
    if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR)) {
      drop(c);
      return;
    }
    if (n > 0) c->length += (size_t)n;
  }
  take_requests(s, c);
}

static void take_client(struct modbus_server *s, struct client *clients)
{
  int fd = accept4(s->listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK), on = 1;
  if (fd < 0) return;
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  for (int i = 0; i < CLIENTS; i++)
    if (clients[i].fd < 0) {
      clients[i] = (struct client){ .fd = fd };
      return;
    }
  close(fd); /* full */
}

/* Its arm moves by whole milliseconds. Where computing them takes longer than they last, or after a stall, some are left
 * out and the motion takes longer; the heartbeat is watched in real time all the same, but a long stall of this process
 * is not the gateway's. */
static void keep_time(struct modbus_server *s, int64_t *clock_ns)
{
  const int64_t begun = clock_monotonic_ns(), ms = s->millisecond_ns ? s->millisecond_ns : 1000000;
  int64_t behind = (begun - *clock_ns) / ms, left_out = behind - CATCH_UP_MOST;
  if (left_out > 0) {
    *clock_ns += left_out * ms;
    behind = CATCH_UP_MOST;
    simulator_lag(s->simulator, left_out, left_out < LAG_MOST ? (int)left_out : LAG_MOST);
  }
  for (; behind > 0 && clock_monotonic_ns() - begun < COMPUTE_MOST * 1000000LL; behind--, *clock_ns += ms) {
    simulator_tick(s->simulator);
    outputs_tick(&s->outputs);
  }
}

/* Nothing is loaded and no answer is held back: its milliseconds may be counted when somebody asks. */
static bool is_at_rest(const struct modbus_server *s, const struct client *clients)
{
  bool rests = s->simulator->phase == PHASE_EMPTY;
  for (int i = 0; i < CLIENTS && rests; i++) rests = !clients[i].out_length && !clients[i].length;
  return rests;
}

/* What wakes it every millisecond, or when nothing is loaded every REST_MS: one timer that goes on is cheaper than a
 * time-out of every wait. `fd` -1: there is none. */
static void tick(int fd, bool resting)
{
  const struct timespec period = { 0, (resting ? REST_MS : 1) * 1000000L };
  if (fd >= 0) timerfd_settime(fd, 0, &(struct itimerspec){ .it_interval = period, .it_value = period }, NULL);
}

/* Wait for a client's request, another client, or the next tick. */
static void wait_for_something(struct pollfd polled[POLLED], struct modbus_server *s, const struct client *clients,
                               int ticks)
{
  polled[AT_LISTENER] = (struct pollfd){ s->listener, POLLIN, 0 };
  polled[AT_TICKS] = (struct pollfd){ ticks, POLLIN, 0 };
  for (int i = 0; i < CLIENTS; i++) {
    bool full = clients[i].length == sizeof clients[i].in || clients[i].out_length;
    polled[i] = (struct pollfd){ full ? -1 : clients[i].fd, POLLIN, 0 };
  }
  poll(polled, POLLED, ticks < 0 ? 1 : -1);
  uint64_t passed;
  if (polled[AT_TICKS].revents && read(ticks, &passed, sizeof passed) < 0) return; /* keep_time counts for itself */
}

void modbus_server_run(struct modbus_server *s, const atomic_bool *stop)
{
  const int ticks = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
  struct client clients[CLIENTS];
  for (int i = 0; i < CLIENTS; i++) clients[i] = (struct client){ .fd = -1 };
  int64_t clock_ns = clock_monotonic_ns();
  bool resting = false;
  tick(ticks, resting);

  while (!*stop) {
    struct pollfd polled[POLLED];
    if (is_at_rest(s, clients) != resting) tick(ticks, resting = !resting);
    wait_for_something(polled, s, clients, ticks);
    if (resting) keep_time(s, &clock_ns); /* what is asked now is answered as of now */
    if (polled[AT_LISTENER].revents) take_client(s, clients);
    int64_t now = clock_monotonic_ns();
    for (int i = 0; i < CLIENTS; i++) {
      send_due(&clients[i], now);
      if (polled[i].revents && clients[i].fd == polled[i].fd) receive(s, &clients[i]);
      if (clients[i].fd >= 0 && clients[i].length) take_requests(s, &clients[i]);
    }
    keep_time(s, &clock_ns); /* a heartbeat that came is seen before its age */
  }
  for (int i = 0; i < CLIENTS; i++)
    if (clients[i].fd >= 0) drop(&clients[i]);
  if (ticks >= 0) close(ticks);
}
