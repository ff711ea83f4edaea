#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/select.h>

#include "server/base/clock.h"
#include "server/base/log.h"
#include "server/gateway/endpoint.h"
#include "server/gateway/outbox.h"
#include "server/gateway/process.h"
#include "server/ipc/channel.h"

enum { ARRIVING_MOST = 64, FIGURES_MS = 1000, ALIVE_MS = 500, PRIORITY = -10 };

/* Bytes that come in several frames. */
struct gathered {
  char *bytes;
  size_t size, at;
};

/* An order whose guard and words are still coming. */
struct arriving {
  struct transfer_order *order;
  struct gathered guard;
  size_t words, expected;
};

struct process {
  struct channel channel;
  struct outbox outbox;
  struct endpoints *endpoints;
  struct arriving arriving[ARRIVING_MOST];
  struct gathered cell; /* one at a time */
  struct figures figures;
  struct gateway_figures told;
  int64_t told_ns;
};

/* -- to serve; when it is gone nobody is told, and the journal knows -- */

/* Bytes that may wait; beyond it they are left out. What must not be lost has no bound but memory. */
enum { TIDINGS_MOST = 64 << 10, TELEMETRY_MOST = 16 << 20 };

static void send_message(struct process *p, uint32_t type, const void *message, size_t size)
{
  outbox_put(&p->outbox, type, message, size, SIZE_MAX);
}

static void on_report(void *context, const char *transfer, const struct transfer_report *report)
{
  struct message_report message;
  memset(&message, 0, sizeof message);
  snprintf(message.transfer, sizeof message.transfer, "%s", transfer);
  message.at_ms = clock_wall_ms();
  message.report = *report;
  send_message(context, GATEWAY_REPORT, &message, sizeof message);
}

/* Left out when serve is busy: the next one says more. */
static void send_tidings(struct process *p, uint32_t type, const void *message, size_t size)
{
  outbox_put(&p->outbox, type, message, size, TIDINGS_MOST);
}

static void on_progress(void *context, const char *transfer, uint32_t sent)
{
  struct message_sent message;
  memset(&message, 0, sizeof message);
  snprintf(message.transfer, sizeof message.transfer, "%s", transfer);
  message.sent = sent;
  send_tidings(context, GATEWAY_PROGRESS, &message, sizeof message);
}

static bool on_telemetry(void *context, const char *transfer, const struct telemetry_block *block, bool must)
{
  struct message_telemetry message;
  size_t rows = block->count * sizeof *block->rows;
  memset(&message, 0, offsetof(struct message_telemetry, block.rows));
  snprintf(message.transfer, sizeof message.transfer, "%s", transfer);
  memcpy(&message.block, block, offsetof(struct telemetry_block, rows) + rows);
  struct process *p = context;
  return outbox_put(&p->outbox, GATEWAY_TELEMETRY, &message, message_telemetry_size(&message),
                    must ? SIZE_MAX : TELEMETRY_MOST);
}

static void tell_figures(struct process *p)
{
  struct gateway_figures now;
  int64_t at_ns = clock_monotonic_ns();
  if (at_ns - p->told_ns < FIGURES_MS * 1000000LL) return;
  p->told_ns = at_ns;
  figures_read(&p->figures, &now);
  if (!memcmp(&now, &p->told, sizeof now)) return;
  p->told = now;
  send_tidings(p, GATEWAY_FIGURES, &now, sizeof now);
}

static void on_answer(void *context, const struct message_answer *answer)
{
  send_message(context, GATEWAY_ANSWER, answer, sizeof *answer);
}

/* -- from serve -- */

static void refuse(struct process *p, const char *transfer, enum problem problem, const char *reason)
{
  struct transfer_report report = { .state = TRANSFER_FAILED, .problem = (int)problem };
  snprintf(report.reason, sizeof report.reason, "%.*s", (int)sizeof report.reason - 1, reason);
  on_report(p, transfer, &report);
}

static struct arriving *arriving_of(struct process *p, const char *transfer)
{
  for (size_t i = 0; i < ARRIVING_MOST; i++) {
    struct transfer_order *order = p->arriving[i].order;
    bool same = order && transfer ? !strcmp(order->id, transfer) : !order && !transfer;
    if (same) return &p->arriving[i];
  }
  return NULL;
}

/* The last line of defence: whatever serve checked, this process sends nothing that is beyond a limit. */
static void order_complete(struct process *p, struct arriving *a)
{
  struct transfer_order *order = a->order;
  const struct profile_head *head = &order->profile.head;
  const size_t expected = a->expected;
  struct faults *faults = calloc(1, sizeof *faults);
  const bool guarded = a->guard.size;
  if (guarded && a->guard.at == a->guard.size)
    order->guard = guard_open(a->guard.bytes, a->guard.size, &order->profile);
  free(a->guard.bytes);
  *a = (struct arriving){ .order = NULL };
  if (!faults || (guarded && !order->guard)) {
    refuse(p, order->id, PROBLEM_INTERNAL, "the gateway has no room for the profile and its cell");
  } else if (protocol_crc32(0, order->profile.words, expected) != head->crc) {
    refuse(p, order->id, PROBLEM_INTERNAL, "the profile was damaged on its way to the gateway");
  } else if (profile_check(&order->profile, faults)) {
    refuse(p, order->id, PROBLEM_LIMIT_EXCEEDED, faults->items[0].detail);
  } else {
    char id[ID_SIZE];
    memcpy(id, order->id, sizeof id);
    enum armdyn_status rc = endpoints_submit(p->endpoints, order);
    if (rc) refuse(p, id, rc == ARMDYN_EBUSY ? PROBLEM_LEASE_HELD : PROBLEM_INTERNAL, armdyn_status_text(rc));
    order = NULL;
  }
  free(faults);
  transfer_order_free(order);
}

static bool take_transfer(struct process *p, const struct frame *frame)
{
  if (frame->length != sizeof(struct transfer_order)) return false;
  struct transfer_order *order = malloc(sizeof *order);
  struct arriving *a = arriving_of(p, NULL);
  if (!order) return false;
  memcpy(order, frame->data, sizeof *order);
  const size_t guard_size = order->guard_size;
  order->guard = NULL;
  const struct profile_head *head = &order->profile.head;
  size_t per_sample = profile_sample_words(head->format, head->axis_count);
  size_t expected = (size_t)head->total * per_sample;
  bool sound = head->axis_count >= 1 && head->axis_count <= LIMIT_AXES && per_sample && head->total >= 1 &&
               head->total <= LIMIT_SERIES_ROWS;
  order->profile.words = sound ? malloc(expected * sizeof(uint16_t)) : NULL;
  if (!a || !order->profile.words) {
    refuse(p, order->id, PROBLEM_INTERNAL, "the gateway cannot take the profile");
    transfer_order_free(order);
    return sound;
  }
  *a = (struct arriving){ .order = order, .expected = expected, .guard = { .size = guard_size } };
  return true;
}

/* The next bytes. false: they do not fit. A NULL after the last: out of memory. */
static bool gather(struct gathered *g, const struct message_part *part, const char *bytes)
{
  if (part->at != g->at || part->size != g->size || part->count > g->size - g->at) return false;
  if (!g->at) g->bytes = malloc(g->size);
  if (g->bytes) memcpy(g->bytes + g->at, bytes, part->count);
  g->at += part->count;
  return true;
}

static bool take_part(const struct frame *frame, struct message_part *part)
{
  if (frame->length < sizeof *part) return false;
  memcpy(part, frame->data, sizeof *part);
  return frame->length == sizeof *part + part->count && part->size <= GATEWAY_PART_SIZE;
}

static bool take_guard(struct process *p, const struct frame *frame)
{
  struct message_part part;
  if (!take_part(frame, &part)) return false;
  struct arriving *a = arriving_of(p, part.transfer);
  return !a || gather(&a->guard, &part, (const char *)frame->data + sizeof part);
}

/* A new revision of a cell: for the transfers that are here. */
static bool take_cell(struct process *p, const struct frame *frame)
{
  struct gathered *g = &p->cell;
  struct message_part part;
  struct message_cell head;
  if (!take_part(frame, &part) || part.size < sizeof head) return false;
  if (!part.at) {
    free(g->bytes);
    *g = (struct gathered){ .size = part.size };
  }
  if (!gather(g, &part, (const char *)frame->data + sizeof part)) return false;
  if (g->at < g->size) return true;
  if (g->bytes) {
    memcpy(&head, g->bytes, sizeof head);
    struct guard_cell cell = { .revision = head.revision, .length = g->size - sizeof head };
    memcpy(cell.name, head.name, sizeof cell.name);
    cell.text = g->bytes + sizeof head;
    endpoints_cell(p->endpoints, &cell);
  } else {
    log_event(LOG_ERROR, "a cell that has changed was not taken", NULL);
  }
  free(g->bytes);
  *g = (struct gathered){ .size = 0 };
  return true;
}

static bool take_words(struct process *p, const struct frame *frame)
{
  struct message_words head;
  if (frame->length < sizeof head) return false;
  memcpy(&head, frame->data, sizeof head);
  struct arriving *a = arriving_of(p, head.transfer);
  if (!a) return true; /* refused already */
  size_t count = head.count;
  if (frame->length != sizeof head + count * sizeof(uint16_t) || count > a->expected - a->words) return false;
  memcpy(a->order->profile.words + a->words, frame->data + sizeof head, count * sizeof(uint16_t));
  a->words += count;
  if (a->words == a->expected) order_complete(p, a);
  return true;
}

/* STOP reaches what has not wholly arrived yet, too. */
static void stop_arriving(struct process *p, const struct message_command *message)
{
  for (size_t i = 0; i < ARRIVING_MOST; i++) {
    struct transfer_order *order = p->arriving[i].order;
    if (!order || !address_one_endpoint(&order->address, &message->address)) continue;
    if (*message->command.transfer && strcmp(message->command.transfer, order->id)) continue;
    free(p->arriving[i].guard.bytes);
    p->arriving[i] = (struct arriving){ .order = NULL };
    struct transfer_report report = { .state = TRANSFER_STOPPED, .problem = -1 };
    snprintf(report.reason, sizeof report.reason, "%s", stop_reason(&message->command));
    on_report(p, order->id, &report);
    transfer_order_free(order);
  }
}

static bool take_command(struct process *p, const struct frame *frame)
{
  struct message_command message;
  if (frame->length != sizeof message) return false;
  memcpy(&message, frame->data, sizeof message);
  if (message.command.kind == ASK_STOP) stop_arriving(p, &message);
  endpoints_command(p->endpoints, &message.address, &message.command);
  return true;
}

static bool take_recover(struct process *p, const struct frame *frame)
{
  struct message_recover message;
  if (frame->length != sizeof message) return false;
  memcpy(&message, frame->data, sizeof message);
  endpoints_recover(p->endpoints, &message.address, message.transfer, message.sets_outputs);
  return true;
}

/* It comes the way that STOP comes, as far as all controllers share it: what would hold up STOP holds up the answer. */
static bool take_ping(struct process *p)
{
  if (endpoints_pass(p->endpoints)) outbox_put_first(&p->outbox, GATEWAY_PONG);
  return true;
}

static bool take(struct process *p, const struct frame *frame)
{
  switch (frame->type) {
  case GATEWAY_TRANSFER: return take_transfer(p, frame);
  case GATEWAY_WORDS: return take_words(p, frame);
  case GATEWAY_GUARD: return take_guard(p, frame);
  case GATEWAY_CELL: return take_cell(p, frame);
  case GATEWAY_COMMAND: return take_command(p, frame);
  case GATEWAY_RECOVER: return take_recover(p, frame);
  case GATEWAY_PING: return take_ping(p);
  default: return false;
  }
}

/* Only the channel's end ends this process, so that transfers are brought to theirs; and no file descriptor may reach
 * what libmodbus' select() cannot hold. */
static void settle_in(void)
{
  const int ignored[] = { SIGINT, SIGTERM, SIGHUP, SIGPIPE };
  for (size_t i = 0; i < sizeof ignored / sizeof *ignored; i++) signal(ignored[i], SIG_IGN);
  setpriority(PRIO_PROCESS, 0, PRIORITY); /* before those who compute, where that is permitted */
  struct rlimit files;
  if (getrlimit(RLIMIT_NOFILE, &files)) return;
  if (files.rlim_cur >= FD_SETSIZE) files.rlim_cur = FD_SETSIZE - 1;
  setrlimit(RLIMIT_NOFILE, &files);
}

/* -- the end -- */

struct leaving {
  struct process *process;
  pthread_mutex_t lock;
  pthread_cond_t changed;
  bool done;
};

/* Nobody asks any more whether it lives, for serve has closed that way. */
static void *say_alive(void *context)
{
  struct leaving *l = context;
  pthread_mutex_lock(&l->lock);
  while (!l->done) {
    outbox_put_first(&l->process->outbox, GATEWAY_PONG);
    int64_t next_ns = clock_monotonic_ns() + ALIVE_MS * 1000000LL;
    struct timespec next = { next_ns / 1000000000, next_ns % 1000000000 };
    pthread_cond_clockwait(&l->changed, &l->lock, CLOCK_MONOTONIC, &next);
  }
  pthread_mutex_unlock(&l->lock);
  return NULL;
}

/* Bring the transfers to their end, however long that takes. */
static void leave(struct process *p)
{
  struct leaving l = { .process = p, .lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER };
  pthread_t alive;
  bool told = !pthread_create(&alive, NULL, say_alive, &l);
  endpoints_leave(p->endpoints);
  pthread_mutex_lock(&l.lock);
  l.done = true;
  pthread_cond_signal(&l.changed);
  pthread_mutex_unlock(&l.lock);
  if (told) pthread_join(alive, NULL);
}

int gateway_process(int fd, const char *dir, enum server_loss on_server_loss)
{
  struct process p = { .told_ns = 0 };
  const struct endpoint_listener listener = {
    .context = &p, .report = on_report, .progress = on_progress, .answer = on_answer, .telemetry = on_telemetry
  };
  settle_in();
  log_start(); /* who speaks to a controller never waits for who reads the log */
  channel_open(&p.channel, fd);
  if (outbox_open(&p.outbox, &p.channel)) return 1;
  if (!(p.endpoints = endpoints_new(dir, on_server_loss, &listener, &p.figures))) return 1;

  struct frame frame;
  enum armdyn_status rc = ARMDYN_OK;
  while (!rc) {
    rc = channel_receive(&p.channel, &frame, FIGURES_MS);
    if (!rc && !take(&p, &frame)) rc = ARMDYN_ESYNTAX;
    if (rc == ARMDYN_EUNAVAILABLE) rc = ARMDYN_OK;
    tell_figures(&p);
  }
  log_event(LOG_INFO, "the gateway stops: the service closed its connection", NULL);
  leave(&p);
  outbox_close(&p.outbox);
  for (size_t i = 0; i < ARRIVING_MOST; i++) free(p.arriving[i].guard.bytes), transfer_order_free(p.arriving[i].order);
  free(p.cell.bytes);
  channel_close(&p.channel);
  log_stop();
  return rc == ARMDYN_EIO ? 0 : 1;
}
