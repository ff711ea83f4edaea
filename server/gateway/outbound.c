#include <sys/socket.h>

#include "server/base/clock.h"
#include "server/base/log.h"
#include "server/gateway/gateway.h"
#include "server/gateway/gateway_internal.h"

enum {
  ANSWER_MOST_MS = 6000, /* longest wait for what became of a command */
  GONE_SIZE = GATEWAY_WHY + 64,
  SEND_MS = 10000 /* a gateway that takes nothing for so long is dead */
};

/* -- sending -- */

/* Under the lock, with a child that is up: the ping, if one is due. */
static enum armdyn_status send_ping(struct gateway *g, int timeout_ms)
{
  if (!atomic_load(&g->ping_due)) return ARMDYN_OK;
  enum armdyn_status rc = channel_send(&g->child.channel, GATEWAY_PING, NULL, 0, timeout_ms);
  if (!rc) atomic_store(&g->ping_due, false);
  return rc;
}

static enum armdyn_status send_frame_to(struct gateway *g, unsigned generation, enum gateway_message type,
                                        const void *data, size_t size)
{
  enum armdyn_status rc = ARMDYN_EUNAVAILABLE;
  pthread_mutex_lock(&g->send_lock);
  bool there = g->up && g->generation == generation;
  if (there) rc = send_ping(g, SEND_MS);
  if (there && !rc) rc = channel_send(&g->child.channel, type, data, size, SEND_MS);
  if (there && rc) shutdown(g->child.channel.fd, SHUT_RDWR); /* the supervisor sees the end and starts another */
  pthread_mutex_unlock(&g->send_lock);
  return rc ? ARMDYN_EUNAVAILABLE : ARMDYN_OK;
}

/* Whoever sends just now may wait for a gateway that takes nothing. */
void gateway_ping(struct gateway *g)
{
  if (pthread_mutex_trylock(&g->send_lock)) return;
  if (g->up) send_ping(g, 0);
  pthread_mutex_unlock(&g->send_lock);
}

bool gateway_ready(struct gateway *g, char why[GATEWAY_WHY])
{
  pthread_mutex_lock(&g->lock);
  bool ready = g->answers;
  if (why) memcpy(why, g->why, sizeof g->why);
  pthread_mutex_unlock(&g->lock);
  return ready;
}

uint64_t gateway_silences(struct gateway *g)
{
  pthread_mutex_lock(&g->lock);
  uint64_t silences = g->silences;
  pthread_mutex_unlock(&g->lock);
  return silences;
}

/* Is there a child, and which? */
static bool gateway_present(struct gateway *g, unsigned *generation)
{
  pthread_mutex_lock(&g->send_lock);
  bool up = g->up;
  *generation = g->generation;
  pthread_mutex_unlock(&g->send_lock);
  return up;
}

enum armdyn_status gateway_send(struct gateway *g, enum gateway_message type, const void *data, size_t size)
{
  unsigned generation;
  return gateway_present(g, &generation) ? send_frame_to(g, generation, type, data, size) : ARMDYN_EUNAVAILABLE;
}

/* Something that is larger than a frame, made of two pieces. */
struct pieces {
  const void *first, *second; /* second NULL: there is none */
  size_t first_size, second_size;
};

/* Bytes [at, at + count) of both. */
static void copy_pieces(const struct pieces *p, size_t at, size_t count, char *to)
{
  const size_t first = at < p->first_size ? p->first_size - at : 0, of_first = first < count ? first : count;
  if (of_first) memcpy(to, (const char *)p->first + at, of_first);
  if (count > of_first && p->second)
    memcpy(to + of_first, (const char *)p->second + (at + of_first - p->first_size), count - of_first);
}

/* Frame by frame, so that a STOP finds its way between two of them; so is all that follows. */
static enum armdyn_status send_pieces(struct gateway *g, unsigned generation, enum gateway_message type,
                                      const char *transfer, const struct pieces *p)
{
  enum { MOST = 2 * GATEWAY_WORDS_MOST };
  struct message_part part = { .size = p->first_size + p->second_size };
  char *frame = malloc(sizeof part + MOST);
  enum armdyn_status rc = frame ? ARMDYN_OK : ARMDYN_EMEMORY;
  snprintf(part.transfer, sizeof part.transfer, "%s", transfer);
  while (!rc && part.at < part.size) {
    part.count = part.size - part.at < MOST ? (uint32_t)(part.size - part.at) : MOST;
    memcpy(frame, &part, sizeof part);
    copy_pieces(p, part.at, part.count, frame + sizeof part);
    rc = send_frame_to(g, generation, type, frame, sizeof part + part.count);
    part.at += part.count;
  }
  free(frame);
  return rc;
}

static enum armdyn_status send_guard(struct gateway *g, unsigned generation, const struct transfer_order *order)
{
  const struct guard *guard = order->guard;
  if (!guard) return ARMDYN_OK;
  const struct pieces pieces = { guard, guard->cell.text, guard_size(guard), guard->cell.length };
  return send_pieces(g, generation, GATEWAY_GUARD, order->id, &pieces);
}

static enum armdyn_status send_order(struct gateway *g, unsigned generation, struct transfer_order *order)
{
  const struct profile_head *head = &order->profile.head;
  size_t total = (size_t)head->total * profile_sample_words(head->format, head->axis_count);
  char *frame = malloc(sizeof(struct message_words) + GATEWAY_WORDS_MOST * sizeof(uint16_t));
  if (!frame) return ARMDYN_EMEMORY;
  order->guard_size = order->guard ? guard_size(order->guard) + order->guard->cell.length : 0;
  enum armdyn_status rc = send_frame_to(g, generation, GATEWAY_TRANSFER, order, sizeof *order);
  if (!rc) rc = send_guard(g, generation, order);
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

bool gateway_question_take(struct gateway *g, uint64_t number, int64_t now_ns, struct question *out)
{
  pthread_mutex_lock(&g->lock);
  bool found = questions_take(&g->questions, number, now_ns, out);
  pthread_mutex_unlock(&g->lock);
  return found;
}

static const struct observation nothing_seen;

void gateway_expire_questions(struct gateway *g, int64_t now_ns, const char *text)
{
  struct question q;
  while (gateway_question_take(g, 0, now_ns, &q)) q.answered(q.context, ARMDYN_EUNAVAILABLE, text, &nothing_seen);
}

const char gateway_barred[] = "the controller is not enabled: an administrator must PUT it with \"enabled\": true, "
                              "once it is clear that this service, and no copy of it, is to move the arm";

/* What to say to who wants something of a gateway that is gone. */
static void say_gone(struct gateway *g, char text[GONE_SIZE])
{
  char why[GATEWAY_WHY];
  bool there = gateway_ready(g, why);
  snprintf(text, GONE_SIZE, "%s; repeat the call in a few seconds", there ? "the gateway takes nothing now" : why);
}

void gateway_disappoint(struct gateway *g)
{
  char text[GONE_SIZE];
  say_gone(g, text);
  gateway_expire_questions(g, INT64_MAX, text);
}

static bool moves(enum transfer_command_kind kind)
{
  return kind == ASK_ARM || kind == ASK_START || kind == ASK_RESUME;
}

/* Nothing begins to move once another node may hold the store, and the arms with it: a START that was frozen on its way here is
 * too late then. 0: no such time. */
static int64_t before_another_holds(const struct gateway *g, int64_t start_before_ms)
{
  const int64_t until_ms = store_holds_until_ms(g->store);
  return until_ms == INT64_MAX || (start_before_ms && start_before_ms < until_ms) ? start_before_ms : until_ms;
}

void gateway_command(struct gateway *g, const char *controller, const char *transfer, enum transfer_command_kind kind,
                     int64_t start_before_ms, gateway_answered *answered, void *context)
{
  struct message_command message;
  memset(&message, 0, sizeof message);
  message.command.kind = kind == ASK_EVICT ? ASK_STOP : kind;
  message.command.evicts = kind == ASK_EVICT;
  message.command.before_ms = moves(kind) ? before_another_holds(g, start_before_ms) : 0;
  snprintf(message.command.transfer, sizeof message.command.transfer, "%s", transfer);
  pthread_mutex_lock(&g->lock);
  bool known = registry_address(&g->registry, controller, &message.address);
  if (known && *transfer)
    registry_address_of(&g->registry, transfer, &message.address); /* two entries may share a lease */
  registry_cell(&g->registry, controller, message.command.cell);
  if (known && message.command.kind == ASK_STOP) registry_stop(&g->registry, &message.address);
  bool barred = known && message.command.kind != ASK_STOP && !registry_enabled(&g->registry, controller);
  int64_t deadline_ns = clock_monotonic_ns() + ANSWER_MOST_MS * 1000000LL;
  if (known && !barred && answered)
    message.command.number = questions_put(&g->questions, deadline_ns, answered, context);
  pthread_mutex_unlock(&g->lock);

  if (barred) {
    if (answered) answered(context, ARMDYN_ECONFLICT, gateway_barred, &nothing_seen);
    return;
  }
  bool crowded = known && answered && !message.command.number; /* a STOP goes all the same, unheard */
  bool asked = known && (!crowded || message.command.kind == ASK_STOP);
  bool sent = asked && !gateway_send(g, GATEWAY_COMMAND, &message, sizeof message);
  if (sent && !crowded) return;
  struct question q;
  if (asked && !crowded && !(answered && gateway_question_take(g, message.command.number, 0, &q)))
    return; /* answered meanwhile */
  char text[GONE_SIZE] = "no such controller";
  if (known && !crowded) say_gone(g, text);
  const char *why = !crowded ? text
                    : sent   ? "it was sent, but too many wait to hear what comes of it"
                             : "too many wait for answers of controllers";
  if (answered) answered(context, ARMDYN_EUNAVAILABLE, why, &nothing_seen);
}

/* -- for the routes -- */

void gateway_controller_changed(struct gateway *g, const struct controller_description *controller)
{
  pthread_mutex_lock(&g->lock);
  registry_controller(&g->registry, controller);
  pthread_mutex_unlock(&g->lock);
}

void gateway_controller_gone(struct gateway *g, const char *name)
{
  pthread_mutex_lock(&g->lock);
  registry_controller_gone(&g->registry, name);
  pthread_mutex_unlock(&g->lock);
}

bool gateway_knows(struct gateway *g, const char *controller)
{
  struct controller_address address;
  pthread_mutex_lock(&g->lock);
  bool known = registry_address(&g->registry, controller, &address);
  pthread_mutex_unlock(&g->lock);
  return known;
}

struct listed_controller *gateway_controllers(struct gateway *g, size_t *count)
{
  pthread_mutex_lock(&g->lock);
  struct listed_controller *list = registry_list(&g->registry, count);
  pthread_mutex_unlock(&g->lock);
  return list;
}

bool gateway_controller_of(struct gateway *g, const char *transfer, char controller[ARMDYN_NAME_SIZE],
                           char job_order_id[LABEL_SIZE])
{
  pthread_mutex_lock(&g->lock);
  bool known = registry_controller_of(&g->registry, transfer, controller, job_order_id);
  pthread_mutex_unlock(&g->lock);
  return known;
}

void gateway_figures(struct gateway *g, struct gateway_figures *out)
{
  pthread_mutex_lock(&g->lock);
  *out = g->before;
  figures_add(out, &g->now);
  pthread_mutex_unlock(&g->lock);
}

void gateway_locate(struct gateway *g, const char *controller)
{
  struct controller_address address;
  char peer[PEER_SIZE];
  pthread_mutex_lock(&g->lock);
  bool known = registry_address(&g->registry, controller, &address);
  pthread_mutex_unlock(&g->lock);
  if (!known) return;
  peer_find(address.host, true, peer);
  pthread_mutex_lock(&g->lock);
  registry_located(&g->registry, controller, address.host, peer);
  pthread_mutex_unlock(&g->lock);
}

bool gateway_lease(struct gateway *g, const char *controller, char holder[ID_SIZE])
{
  struct controller_address address;
  pthread_mutex_lock(&g->lock);
  bool held = registry_address(&g->registry, controller, &address) && registry_holder(&g->registry, &address, holder);
  pthread_mutex_unlock(&g->lock);
  return held;
}

uint64_t gateway_stopped(struct gateway *g, const char *controller)
{
  pthread_mutex_lock(&g->lock);
  uint64_t stopped = registry_stopped(&g->registry, controller);
  pthread_mutex_unlock(&g->lock);
  return stopped;
}

unsigned gateway_generation(struct gateway *g)
{
  unsigned generation;
  (void)gateway_present(g, &generation);
  return generation;
}

void gateway_drain(struct gateway *g, bool draining)
{
  pthread_mutex_lock(&g->lock);
  g->draining = draining;
  pthread_mutex_unlock(&g->lock);
}

bool gateway_draining(struct gateway *g)
{
  pthread_mutex_lock(&g->lock);
  bool draining = g->draining;
  pthread_mutex_unlock(&g->lock);
  return draining;
}

size_t gateway_active(struct gateway *g)
{
  pthread_mutex_lock(&g->lock);
  size_t active = registry_active(&g->registry);
  pthread_mutex_unlock(&g->lock);
  return active;
}

enum armdyn_status gateway_submit(struct gateway *g, struct store_transfer *transfer,
                                  const struct store_idempotency *key, struct transfer_order *order,
                                  char holder[ID_SIZE])
{
  enum armdyn_status rc = ARMDYN_OK;
  *holder = '\0';
  transfer->total = order->profile.head.total;
  trace_id(transfer->traceparent, order->trace);
  peer_find(order->address.host, true, order->address.peer);
  pthread_mutex_lock(&g->lock);
  registry_located(&g->registry, transfer->controller, order->address.host, order->address.peer);
  if (g->draining)
    rc = ARMDYN_EUNAVAILABLE;
  else if (registry_holder(&g->registry, &order->address, holder))
    rc = ARMDYN_EBUSY;
  else
    rc = registry_submit(&g->registry, transfer, order);
  pthread_mutex_unlock(&g->lock);
  if (rc) goto out;

  unsigned generation;
  rc = gateway_present(g, &generation) ? store_transfer_create(g->store, transfer, key) : ARMDYN_EUNAVAILABLE;
  pthread_mutex_lock(&g->lock);
  if (rc)
    registry_remove(&g->registry, transfer->id);
  else
    registry_accept(&g->registry, transfer->id);
  pthread_mutex_unlock(&g->lock);
  if (rc) goto out;
  announce_change(&g->changes, transfer->id);
  if (send_order(g, generation, order)) { /* accepted is accepted: its end is told like any other */
    struct message_report lost = { .at_ms = clock_wall_ms(),
                                   .report = { .state = TRANSFER_INTERRUPTED,
                                               .problem = PROBLEM_TRANSFER_INTERRUPTED,
                                               .reason = "the gateway was lost before it had the profile" } };
    memcpy(lost.transfer, transfer->id, sizeof lost.transfer);
    gateway_take_report(g, &lost);
  } else if (order->guard) { /* it may have changed before the gateway had this one */
    gateway_cell_changed(g, order->guard->cell.name, order->guard->cell.revision);
  }
out:
  transfer_order_free(order);
  return rc;
}

/* One after the other, so that the last one sent is the newest. */
void gateway_cell_changed(struct gateway *g, const char *name, int64_t known)
{
  struct message_cell head = { .revision = 0 };
  struct store_cell row = { .version = 0 };
  pthread_mutex_lock(&g->lock);
  const bool stands = registry_stands_in(&g->registry, name);
  pthread_mutex_unlock(&g->lock);
  if (!stands) return;
  snprintf(head.name, sizeof head.name, "%s", name);
  pthread_mutex_lock(&g->cell_lock);
  unsigned generation;
  const enum armdyn_status status = store_cell_get(g->store, name, 0, &row);
  if (!status) head.revision = row.version;
  enum armdyn_status rc = status == ARMDYN_ENOTFOUND ? ARMDYN_OK : status;
  if (!rc && (!known || head.revision != known) && gateway_present(g, &generation)) {
    const struct pieces pieces = { &head, row.document, sizeof head, row.document ? strlen(row.document) : 0 };
    rc = send_pieces(g, generation, GATEWAY_CELL, "", &pieces);
  }
  pthread_mutex_unlock(&g->cell_lock);
  store_cell_release(&row);
  if (rc)
    log_event(LOG_ERROR, "the gateway does not know of a cell that has changed", "cell", name, "reason",
              armdyn_status_text(rc), NULL);
}

enum armdyn_status gateway_transfer(struct gateway *g, const char *id, struct store_transfer *out)
{
  pthread_mutex_lock(&g->lock);
  enum armdyn_status rc = registry_copy(&g->registry, id, out);
  pthread_mutex_unlock(&g->lock);
  return rc == ARMDYN_ENOTFOUND ? store_transfer_get(g->store, id, out) : rc;
}

void gateway_refresh(struct gateway *g, struct store_transfer *row)
{
  pthread_mutex_lock(&g->lock);
  registry_refresh(&g->registry, row);
  pthread_mutex_unlock(&g->lock);
}
