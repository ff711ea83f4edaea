/* Locks: `lock` guards what is in memory and is never held while the store, the channel or a caller is waited for;
 * `send_lock` keeps frames whole and guards the child. Neither is taken under the other. */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include "server/base/clock.h"
#include "server/base/log.h"
#include "server/config/options.h"
#include "server/gateway/book.h"
#include "server/gateway/gateway.h"
#include "server/gateway/journal.h"
#include "server/gateway/questions.h"
#include "server/ipc/child.h"

enum {
  TICK_MS = 50,           /* how often who waits too long is told so */
  ANSWER_MOST_MS = 6000,  /* longest wait for what became of a wish */
  SEND_MS = 10000,        /* a gateway that takes nothing for so long is dead */
  RESTART_LEAST_MS = 100, /* back-off of restarts */
  RESTART_MOST_MS = 5000,
  HEALTHY_MS = 10000, /* a gateway that lived so long starts the back-off anew */
};

struct gateway {
  struct store *store;
  char dir[1100];
  char on_server_loss[16];
  pthread_t supervisor;

  pthread_mutex_t send_lock;
  struct child child;
  bool up;
  unsigned generation; /* of the child: an order goes to the one that it was accepted for, or to none */

  pthread_mutex_t lock;
  struct book book;
  struct questions questions;
  int64_t stop_at_ns; /* 0: not stopping */
};

/* -- sending -- */

static enum armdyn_status send_frame_to(struct gateway *g, unsigned generation, enum gateway_message type,
                                        const void *data, size_t size)
{
  enum armdyn_status rc = ARMDYN_EUNAVAILABLE;
  pthread_mutex_lock(&g->send_lock);
  bool there = g->up && g->generation == generation;
  if (there) rc = channel_send(&g->child.channel, type, data, size, SEND_MS);
  if (there && rc) shutdown(g->child.channel.fd, SHUT_RDWR); /* the supervisor sees the end and starts another */
  pthread_mutex_unlock(&g->send_lock);
  return rc ? ARMDYN_EUNAVAILABLE : ARMDYN_OK;
}

/* Is there a child, and which? */
static bool present(struct gateway *g, unsigned *generation)
{
  pthread_mutex_lock(&g->send_lock);
  bool up = g->up;
  *generation = g->generation;
  pthread_mutex_unlock(&g->send_lock);
  return up;
}

static enum armdyn_status send_frame(struct gateway *g, enum gateway_message type, const void *data, size_t size)
{
  unsigned generation;
  return present(g, &generation) ? send_frame_to(g, generation, type, data, size) : ARMDYN_EUNAVAILABLE;
}

/* Frame by frame, so that a STOP finds its way between two of them. */
static enum armdyn_status send_order(struct gateway *g, unsigned generation, const struct transfer_order *order)
{
  const struct profile_head *head = &order->profile.head;
  size_t total = (size_t)head->total * sample_words(head->format, head->axis_count);
  char *frame = malloc(sizeof(struct message_words) + GATEWAY_WORDS_MOST * sizeof(uint16_t));
  if (!frame) return ARMDYN_EMEMORY;
  enum armdyn_status rc = send_frame_to(g, generation, GATEWAY_TRANSFER, order, sizeof *order);
  for (size_t at = 0; !rc && at < total;) {
    size_t count = total - at < GATEWAY_WORDS_MOST ? total - at : GATEWAY_WORDS_MOST;
    struct message_words words = { .count = (uint32_t)count };
    memcpy(words.transfer, order->id, sizeof words.transfer);
    memcpy(frame, &words, sizeof words);
    memcpy(frame + sizeof words, order->profile.words + at, count * sizeof(uint16_t));
    rc = send_frame_to(g, generation, GATEWAY_WORDS, frame, sizeof words + count * sizeof(uint16_t));
    at += count;
  }
  free(frame);
  return rc;
}

/* -- questions -- */

static bool question_take(struct gateway *g, uint64_t number, int64_t now_ns, struct question *out)
{
  pthread_mutex_lock(&g->lock);
  bool found = questions_take(&g->questions, number, now_ns, out);
  pthread_mutex_unlock(&g->lock);
  return found;
}

static const struct observation nothing_seen;

static void expire_questions(struct gateway *g, int64_t now_ns)
{
  struct question q;
  while (question_take(g, 0, now_ns, &q))
    q.answered(q.context, ARMDYN_EUNAVAILABLE, "the controller did not answer in time", &nothing_seen);
}

void gateway_wish(struct gateway *g, const char *controller, const char *transfer, enum wish_kind kind,
                  int64_t start_before_ms, gateway_answered *answered, void *context)
{
  struct message_wish message;
  memset(&message, 0, sizeof message);
  message.wish.kind = kind;
  message.wish.start_before_ms = start_before_ms;
  snprintf(message.wish.transfer, sizeof message.wish.transfer, "%s", transfer);
  pthread_mutex_lock(&g->lock);
  bool known = book_address(&g->book, controller, &message.address);
  int64_t deadline_ns = clock_monotonic_ns() + ANSWER_MOST_MS * 1000000LL;
  if (known && answered) message.wish.number = questions_put(&g->questions, deadline_ns, answered, context);
  pthread_mutex_unlock(&g->lock);

  bool asked = known && (message.wish.number || !answered);
  if (asked && !send_frame(g, GATEWAY_WISH, &message, sizeof message)) return;
  struct question q;
  if (asked && !(answered && question_take(g, message.wish.number, 0, &q))) return; /* answered meanwhile */
  if (answered)
    answered(context, ARMDYN_EUNAVAILABLE, known ? "the gateway is not there" : "no such controller", &nothing_seen);
}

/* -- what the gateway tells -- */

/* Store what the book says of a transfer; when it has ended, forget it there and in the journal. */
static void keep(struct gateway *g, const char *id)
{
  struct store_transfer row;
  pthread_mutex_lock(&g->lock);
  enum armdyn_status rc = book_copy(&g->book, id, &row);
  pthread_mutex_unlock(&g->lock);
  if (rc) return;
  rc = store_transfer_update(g->store, &row);
  if (rc)
    log_event(LOG_ERROR, "a transfer's state was not stored", "transfer", id, "reason", armdyn_status_text(rc), NULL);
  if (transfer_state_final(row.state)) {
    pthread_mutex_lock(&g->lock);
    book_remove(&g->book, id);
    pthread_mutex_unlock(&g->lock);
    if (!rc || rc == ARMDYN_ECONFLICT) journal_remove(g->dir, id);
    log_event(LOG_INFO, "transfer ended", "transfer", id, "state", transfer_state_name(row.state), "controller",
              row.controller, NULL);
  }
  store_transfer_release(&row);
}

/* "start": true, and the controller is armed: claim the one START, durably, and only then ask for it. */
static void start_by_itself(struct gateway *g, const char *id)
{
  char controller[ARMDYN_NAME_SIZE];
  int64_t start_before_ms;
  pthread_mutex_lock(&g->lock);
  bool wanted = book_take_start(&g->book, id, controller, &start_before_ms);
  pthread_mutex_unlock(&g->lock);
  if (!wanted) return;
  enum armdyn_status rc = store_transfer_claim_start(g->store, id);
  if (rc)
    log_event(LOG_ERROR, "START is not sent", "transfer", id, "reason", armdyn_status_text(rc), NULL);
  else
    gateway_wish(g, controller, id, WISH_START, start_before_ms, NULL, NULL);
}

static void take_report(struct gateway *g, const struct message_report *message)
{
  pthread_mutex_lock(&g->lock);
  bool known = book_report(&g->book, message->transfer, message->at_ms, &message->report);
  pthread_mutex_unlock(&g->lock);
  if (!known) return;
  keep(g, message->transfer);
  if (message->report.state == TRANSFER_ARMED) start_by_itself(g, message->transfer);
}

static void take_frame(struct gateway *g, const struct frame *frame)
{
  if (frame->type == GATEWAY_REPORT && frame->length == sizeof(struct message_report)) {
    struct message_report message;
    memcpy(&message, frame->data, sizeof message);
    take_report(g, &message);
  } else if (frame->type == GATEWAY_PROGRESS && frame->length == sizeof(struct message_sent)) {
    struct message_sent message;
    memcpy(&message, frame->data, sizeof message);
    pthread_mutex_lock(&g->lock);
    book_progress(&g->book, message.transfer, message.sent);
    pthread_mutex_unlock(&g->lock);
  } else if (frame->type == GATEWAY_ANSWER && frame->length == sizeof(struct message_answer)) {
    struct message_answer message;
    struct question q;
    memcpy(&message, frame->data, sizeof message);
    if (question_take(g, message.number, 0, &q)) q.answered(q.context, message.status, message.text, &message.seen);
  } else {
    log_event(LOG_ERROR, "an unknown frame from the gateway", NULL);
  }
}

/* -- life of the process -- */

/* The gateway is gone without having ended its transfers: nobody sees them any more. */
static void interrupt_all(struct gateway *g, const char *reason)
{
  struct transfer_report report = { .state = TRANSFER_INTERRUPTED, .problem = PROBLEM_TRANSFER_INTERRUPTED };
  char id[ID_SIZE];
  snprintf(report.reason, sizeof report.reason, "the gateway ended: %s", reason);
  for (;;) {
    pthread_mutex_lock(&g->lock);
    bool found = book_first(&g->book, id);
    if (found) {
      report.sent = book_sent(&g->book, id);
      book_report(&g->book, id, clock_wall_ms(), &report);
    }
    pthread_mutex_unlock(&g->lock);
    if (!found) return;
    keep(g, id);
  }
}

static bool stopping(struct gateway *g, int64_t *deadline_ns)
{
  pthread_mutex_lock(&g->lock);
  *deadline_ns = g->stop_at_ns;
  pthread_mutex_unlock(&g->lock);
  return *deadline_ns != 0;
}

/* Listen until the gateway is gone, or (stopping) takes longer than it may: false then. */
static bool listen_to(struct gateway *g)
{
  struct frame frame;
  int64_t deadline_ns;
  for (;;) {
    enum armdyn_status rc = channel_receive(&g->child.channel, &frame, TICK_MS);
    if (!rc) take_frame(g, &frame);
    int64_t now = clock_monotonic_ns();
    expire_questions(g, now);
    if (rc && rc != ARMDYN_EUNAVAILABLE) return true;
    if (stopping(g, &deadline_ns) && now > deadline_ns) return false;
  }
}

/* Its controller is not described any more, so nobody can ask after it. */
static void orphan(struct gateway *g, const char *id)
{
  const struct transfer_report report = { .state = TRANSFER_INTERRUPTED,
                                          .problem = PROBLEM_TRANSFER_INTERRUPTED,
                                          .reason =
                                              "the service ended while it was on; its controller is unknown now" };
  pthread_mutex_lock(&g->lock);
  book_report(&g->book, id, clock_wall_ms(), &report);
  pthread_mutex_unlock(&g->lock);
  keep(g, id);
}

static void ask_after(struct gateway *g)
{
  struct message_recover message;
  for (size_t i = 0;;) {
    memset(&message, 0, sizeof message);
    pthread_mutex_lock(&g->lock);
    bool found = book_unfinished(&g->book, i, message.transfer, &message.address);
    pthread_mutex_unlock(&g->lock);
    if (!found) return;
    if (!*message.address.host) {
      orphan(g, message.transfer);
      continue;
    }
    send_frame(g, GATEWAY_RECOVER, &message, sizeof message);
    i++;
  }
}

static enum armdyn_status start_child(struct gateway *g, struct armdyn_error *error)
{
  const char *arguments[] = { "gateway", g->dir, g->on_server_loss, NULL };
  pthread_mutex_lock(&g->send_lock);
  enum armdyn_status rc = child_start(&g->child, arguments, false, error);
  g->up = !rc;
  pthread_mutex_unlock(&g->send_lock);
  return rc;
}

/* Reap it, or leave one alone that still ends its transfers. */
static void end_child(struct gateway *g, bool gone, char reason[CHILD_REASON_SIZE])
{
  pthread_mutex_lock(&g->send_lock);
  g->up = false;
  g->generation++;
  if (gone) {
    child_end(&g->child, true, reason);
  } else {
    channel_close(&g->child.channel);
    snprintf(reason, CHILD_REASON_SIZE, "it goes on alone");
  }
  pthread_mutex_unlock(&g->send_lock);
}

static void *supervise(void *context)
{
  struct gateway *g = context;
  char reason[CHILD_REASON_SIZE];
  struct armdyn_error error = { "", "" };
  int64_t deadline_ns;
  for (int pause_ms = RESTART_LEAST_MS;;) {
    int64_t born = clock_monotonic_ns();
    bool gone = listen_to(g);
    end_child(g, gone, reason);
    expire_questions(g, INT64_MAX);
    if (stopping(g, &deadline_ns)) return NULL; /* what it did not report stays for the next start */
    log_event(LOG_ERROR, "the gateway ended; it is started again", "reason", reason, NULL);
    interrupt_all(g, reason);
    do {
      if (clock_monotonic_ns() - born > HEALTHY_MS * 1000000LL) pause_ms = RESTART_LEAST_MS;
      nanosleep(&(struct timespec){ pause_ms / 1000, pause_ms % 1000 * 1000000L }, NULL);
      pause_ms = 2 * pause_ms < RESTART_MOST_MS ? 2 * pause_ms : RESTART_MOST_MS;
      if (stopping(g, &deadline_ns)) return NULL;
    } while (start_child(g, &error));
  }
}

/* -- start and stop -- */

static void visit_controller(void *context, const struct store_controller *row)
{
  struct gateway *g = context;
  struct faults *faults = calloc(1, sizeof *faults);
  struct controller_description *controller = malloc(sizeof *controller);
  if (faults && controller && !controller_decode(row->document, strlen(row->document), controller, faults))
    book_controller(&g->book, controller);
  free(controller);
  free(faults);
}

static void visit_unfinished(void *context, const struct store_transfer *row)
{
  struct gateway *g = context;
  if (book_adopt(&g->book, row)) log_event(LOG_ERROR, "a transfer cannot be followed up", "transfer", row->id, NULL);
}

/* What the store knows: where controllers are, and which transfers have no end yet. */
static enum armdyn_status remember(struct gateway *g)
{
  const struct store_page all = { .limit = 0 };
  enum armdyn_status rc = store_controller_list(g->store, &all, visit_controller, g);
  return rc ? rc : store_transfer_unfinished(g->store, visit_unfinished, g);
}

enum armdyn_status gateway_start(struct store *store, const struct options *options, struct gateway **gateway,
                                 struct armdyn_error *error)
{
  struct gateway *g = calloc(1, sizeof *g);
  if (!g) return ARMDYN_EMEMORY;
  g->store = store;
  pthread_mutex_init(&g->lock, NULL);
  pthread_mutex_init(&g->send_lock, NULL);
  snprintf(g->on_server_loss, sizeof g->on_server_loss, "%s", options->on_server_loss);
  snprintf(g->dir, sizeof g->dir, "%s/gateway", options->data);
  enum armdyn_status rc = ARMDYN_EIO;
  if (mkdir(g->dir, 0700) && errno != EEXIST) {
    armdyn_refuse(error, rc, "", "cannot make '%s': %s", g->dir, strerror(errno));
    goto out;
  }
  if ((rc = remember(g))) goto out;
  if ((rc = start_child(g, error))) goto out;
  ask_after(g);
  if (pthread_create(&g->supervisor, NULL, supervise, g)) {
    char reason[CHILD_REASON_SIZE];
    end_child(g, true, reason);
    rc = armdyn_refuse(error, ARMDYN_EMEMORY, "", "no thread for the gateway");
    goto out;
  }
  *gateway = g;
  g = NULL;
out:
  if (g) book_release(&g->book);
  free(g);
  return rc;
}

void gateway_stop(struct gateway *g, int64_t deadline_ns)
{
  if (!g) return;
  pthread_mutex_lock(&g->lock);
  g->stop_at_ns = deadline_ns;
  pthread_mutex_unlock(&g->lock);
  pthread_mutex_lock(&g->send_lock);
  if (g->up) shutdown(g->child.channel.fd, SHUT_WR); /* it ends its transfers, and can still tell us how */
  pthread_mutex_unlock(&g->send_lock);
  pthread_join(g->supervisor, NULL);
  book_release(&g->book);
  pthread_mutex_destroy(&g->lock);
  pthread_mutex_destroy(&g->send_lock);
  free(g);
}

bool gateway_ready(struct gateway *g)
{
  unsigned generation;
  return present(g, &generation);
}

/* -- for the routes -- */

void gateway_controller_changed(struct gateway *g, const struct controller_description *controller)
{
  pthread_mutex_lock(&g->lock);
  book_controller(&g->book, controller);
  pthread_mutex_unlock(&g->lock);
}

void gateway_controller_gone(struct gateway *g, const char *name)
{
  pthread_mutex_lock(&g->lock);
  book_controller_gone(&g->book, name);
  pthread_mutex_unlock(&g->lock);
}

bool gateway_knows(struct gateway *g, const char *controller)
{
  struct controller_address address;
  pthread_mutex_lock(&g->lock);
  bool known = book_address(&g->book, controller, &address);
  pthread_mutex_unlock(&g->lock);
  return known;
}

bool gateway_controller_of(struct gateway *g, const char *transfer, char controller[ARMDYN_NAME_SIZE])
{
  pthread_mutex_lock(&g->lock);
  bool known = book_controller_of(&g->book, transfer, controller);
  pthread_mutex_unlock(&g->lock);
  return known;
}

bool gateway_lease(struct gateway *g, const char *controller, char holder[ID_SIZE])
{
  struct controller_address address;
  pthread_mutex_lock(&g->lock);
  bool held = book_address(&g->book, controller, &address) && book_holder(&g->book, &address, holder);
  pthread_mutex_unlock(&g->lock);
  return held;
}

enum armdyn_status gateway_submit(struct gateway *g, struct store_transfer *transfer,
                                  const struct store_idempotency *key, struct transfer_order *order,
                                  char holder[ID_SIZE])
{
  enum armdyn_status rc = ARMDYN_OK;
  transfer->total = order->profile.head.total;
  pthread_mutex_lock(&g->lock);
  if (book_holder(&g->book, &order->address, holder))
    rc = ARMDYN_EBUSY;
  else
    rc = book_submit(&g->book, transfer, order);
  pthread_mutex_unlock(&g->lock);
  if (rc) goto out;

  unsigned generation;
  rc = present(g, &generation) ? store_transfer_create(g->store, transfer, key) : ARMDYN_EUNAVAILABLE;
  pthread_mutex_lock(&g->lock);
  if (rc)
    book_remove(&g->book, transfer->id);
  else
    book_accept(&g->book, transfer->id);
  pthread_mutex_unlock(&g->lock);
  if (rc) goto out;
  if (send_order(g, generation, order)) { /* accepted is accepted: its end is told like any other */
    struct message_report lost = { .at_ms = clock_wall_ms(),
                                   .report = { .state = TRANSFER_INTERRUPTED,
                                               .problem = PROBLEM_TRANSFER_INTERRUPTED,
                                               .reason = "the gateway was lost before it had the profile" } };
    memcpy(lost.transfer, transfer->id, sizeof lost.transfer);
    take_report(g, &lost);
  }
out:
  transfer_order_free(order);
  return rc;
}

enum armdyn_status gateway_transfer(struct gateway *g, const char *id, struct store_transfer *out)
{
  pthread_mutex_lock(&g->lock);
  enum armdyn_status rc = book_copy(&g->book, id, out);
  pthread_mutex_unlock(&g->lock);
  return rc == ARMDYN_ENOTFOUND ? store_transfer_get(g->store, id, out) : rc;
}

void gateway_refresh(struct gateway *g, struct store_transfer *row)
{
  pthread_mutex_lock(&g->lock);
  book_refresh(&g->book, row);
  pthread_mutex_unlock(&g->lock);
}
