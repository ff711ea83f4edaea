/* Commands of register protocol v2: each is one request, repeated as it is until it is acknowledged or its time is over. */
#include "server/base/clock.h"
#include "server/gateway/client.h"
#include "server/gateway/mapped.h"

enum {
  TIME_MS = 1000,            /* of a command, from when it was made to when it may be executed at the latest */
  LONG_TIME_MS = 5000,       /* of BEGIN, STREAM and COMMIT */
  AGAIN_MS = 100,            /* between two writes of the same command */
  COMMIT_PROGRESS_MS = 2000, /* without progress of what runs */
  STANDS_STILL_MS = 1000,    /* a clock that does not move for so long belongs to a program that does not run */
  REST_MOST_MS = 2000,       /* from the acknowledgement of STOP to rest */
  STOP_CONNECT_MS = 1000,
  STOP_PAUSE_MS = 20 /* before a lost connection is opened anew for STOP */
};

static void pause_ms(int ms)
{
  const struct timespec t = { ms / 1000, ms % 1000 * 1000000L };
  nanosleep(&t, NULL);
}

static int64_t after_ms(int64_t ms)
{
  return clock_monotonic_ns() + ms * 1000000;
}

/* -- making one -- */

static uint16_t new_number(struct client *c)
{
  if (!c->random) c->random = (unsigned)clock_monotonic_ns();
  const uint16_t *last = &c->state.command[REGISTER_NUMBER - REGISTER_COMMAND];
  uint16_t number;
  do {
    number = (uint16_t)rand_r(&c->random);
  } while (number == *last || number == c->state.acknowledged);
  return number;
}

static bool is_long(enum controller_command command)
{
  return command == COMMAND_BEGIN || command == COMMAND_STREAM || command == COMMAND_COMMIT;
}

static uint32_t profile_of(const struct client *c, enum controller_command command, const struct profile_head *head)
{
  if (head) return head->id;
  if (command == COMMAND_STOP) return 0; /* a person's */
  return c->state.profile ? c->state.profile : 1;
}

static void make(struct client *c, enum controller_command command, const struct profile_head *head, int64_t before_ms)
{
  int64_t time = is_long(command) ? LONG_TIME_MS : TIME_MS, left = before_ms - clock_wall_ms();
  if (before_ms && left < time) time = left;
  struct protocol_command m = { .command = command,
                                .number = new_number(c),
                                .profile = profile_of(c, command, head),
                                .latest_ms = uptime_now(&c->uptime, clock_monotonic_ns()) + (uint32_t)time };
  if (head && is_long(command)) {
    bool open = command == COMMAND_STREAM; /* COMMIT will tell how much it was */
    m.total = open ? 0 : head->total;
    m.crc = open ? 0 : head->crc;
    m.period_us = head->period_us;
    m.format = head->format;
    m.axis_mask = head->axis_mask;
    m.end_policy = head->end_policy;
    m.loss_policy = head->loss_policy;
    memcpy(m.start, head->start, sizeof m.start);
  }
  c->open = (struct open_command){ .command = command,
                                   .profile = m.profile,
                                   .latest_ms = m.latest_ms,
                                   .number = m.number,
                                   .instance = c->identity.instance };
  protocol_command_encode(&m, c->identity.instance, c->open.words);
  c->open.check = protocol_get_u32(c->open.words + (REGISTER_CHECK - REGISTER_COMMAND));
}

bool client_has_open(const struct client *c, enum controller_command command, uint32_t profile)
{
  if (c->address.mapped) return command == COMMAND_START && c->mapped.started;
  return c->open.command == command && c->open.profile == profile;
}

/* -- waiting for its acknowledgement -- */

static bool acknowledged(const struct client *c)
{
  return c->state.acknowledged == c->open.number && c->state.check == c->open.check;
}

static bool stands(const struct client *c)
{
  return !memcmp(c->state.command, c->open.words, sizeof c->open.words);
}

/* What was seen while it was waited for. */
struct waiting {
  int64_t write_due_ns;
  uint32_t uptime_ms, checked;               /* as last seen */
  int64_t uptime_moved_ns, checked_moved_ns; /* when they did */
};

static void watch(struct waiting *w, const struct client *c)
{
  const int64_t now = clock_monotonic_ns();
  if (w->uptime_ms != c->state.uptime_ms) w->uptime_moved_ns = now;
  if (w->checked != c->state.play_index) w->checked_moved_ns = now;
  w->uptime_ms = c->state.uptime_ms;
  w->checked = c->state.play_index;
}

/* Seen with no acknowledgement after the latest time of its execution: then it never was, or will be, executed. A clock that
 * stands still tells nothing; but it is not waited for for ever either. */
static bool over(const struct client *c, const struct waiting *w)
{
  const int64_t now = clock_monotonic_ns();
  bool passed = !protocol_in_time(c->open.latest_ms + (uint32_t)c->uptime.scan_ms, c->state.uptime_ms);
  bool still = now - w->uptime_moved_ns > STANDS_STILL_MS * 1000000LL;
  bool expected = !protocol_in_time(c->open.latest_ms, uptime_now(&c->uptime, now));
  if (c->open.command == COMMAND_COMMIT && now - w->checked_moved_ns < COMMIT_PROGRESS_MS * 1000000LL) return false;
  return passed || (still && expected);
}

static enum armdyn_status unanswered(struct client *c, const struct waiting *w, struct armdyn_error *error)
{
  const char *name = protocol_command_name(c->open.command), *why = "it stands in its registers";
  if (clock_monotonic_ns() - w->uptime_moved_ns > STANDS_STILL_MS * 1000000LL)
    why = "its program does not run: its uptime stands still";
  else if (c->state.command[REGISTER_NUMBER - REGISTER_COMMAND] != c->open.number)
    why = "another master writes commands there";
  else if (!stands(c))
    why = "its registers do not hold what was written";
  c->open.command = 0;
  return armdyn_refuse(error, ARMDYN_ECONFLICT, "", "%s was not acknowledged in its time, and is not sent again: %s",
                       name, why);
}

/* Write it if that is due: at first, when something else stands there, and now and then; never past its time. */
static enum armdyn_status write_if_due(struct client *c, struct waiting *w, struct armdyn_error *error)
{
  const int64_t now = clock_monotonic_ns();
  bool due = !c->open.written || !stands(c) || now >= w->write_due_ns;
  bool persons = c->open.command == COMMAND_STOP && !c->open.profile;
  if (!due || !(persons || protocol_in_time(c->open.latest_ms, uptime_now(&c->uptime, now)))) return ARMDYN_OK;
  c->open.written = true;
  w->write_due_ns = now + AGAIN_MS * 1000000LL;
  unsigned address = c->address.base + REGISTER_COMMAND;
  enum armdyn_status rc = link_write_once(&c->link, address, PROTOCOL_COMMAND, c->open.words, error);
  return rc == ARMDYN_EBUSY ? ARMDYN_OK : rc; /* the look after it shows that it does not stand there */
}

static enum armdyn_status await(struct client *c, struct armdyn_error *error)
{
  const int64_t now = clock_monotonic_ns();
  struct waiting w = { .uptime_ms = c->state.uptime_ms, .uptime_moved_ns = now };
  while (!acknowledged(c)) {
    if (c->state.instance != c->open.instance) {
      c->open.command = 0;
      return armdyn_refuse(error, ARMDYN_ESTALE, "", "the controller was started anew");
    }
    if (over(c, &w)) return unanswered(c, &w, error);
    enum armdyn_status rc = write_if_due(c, &w, error);
    if (!rc) rc = client_beat(c, error);
    if (!rc) rc = client_look(c, error);
    if (rc) return rc;
    watch(&w, c);
    if (acknowledged(c)) break;
    if (c->urgent && c->urgent(c->context)) return armdyn_refuse(error, ARMDYN_ECANCELLED, "", "something urgent came");
    int part = client_cycle_part_ms(c);
    pause_ms(part ? part : 1);
  }
  return ARMDYN_OK;
}

enum armdyn_status client_command(struct client *c, enum controller_command command, const struct profile_head *head,
                                  int64_t before_ms, struct armdyn_error *error)
{
  const struct meanwhile beats = client_meanwhile(c);
  if (c->address.mapped) return mapped_command(c, command, &beats, error);
  bool known = client_has_open(c, command, profile_of(c, command, head)) && c->open.instance == c->identity.instance;
  if (!known) make(c, command, head, before_ms);
  c->refused = false;
  enum armdyn_status rc = await(c, error);
  if (rc) return rc;
  c->open.command = 0;
  if (!c->state.error) return ARMDYN_OK;
  c->refused = true;
  c->link.figures->refusals++;
  return armdyn_refuse(error, ARMDYN_ECONFLICT, "", "the controller refused %s in state %s: error %u, %s",
                       protocol_command_name(command), protocol_phase_word(c->state.phase), c->state.error,
                       protocol_error_text(c->state.error));
}

/* -- stopping -- */

/* Does it move, or may it, for whom the STOP was meant? */
static bool may_move(const struct client *c, const struct profile_head *head)
{
  enum controller_phase phase = c->state.phase;
  if (head && !c->address.mapped && c->state.profile != head->id) return false;
  return phase == PHASE_ARMED || phase == PHASE_PLAYING || phase == PHASE_HOLDING;
}

/* Wait until nothing moves; ECONFLICT when it still does after a while. */
static enum armdyn_status come_to_rest(struct client *c, const struct profile_head *head, struct armdyn_error *error)
{
  int64_t deadline = after_ms(REST_MOST_MS);
  while (may_move(c, head)) {
    if (clock_monotonic_ns() > deadline)
      return armdyn_refuse(error, ARMDYN_ECONFLICT, "", "the controller took STOP but is still in state %s",
                           protocol_phase_word(c->state.phase));
    if (client_beat(c, error)) return ARMDYN_EUNAVAILABLE;
    pause_ms(2);
    if (client_look(c, error)) return ARMDYN_EUNAVAILABLE;
  }
  return ARMDYN_OK;
}

/* On one connection. */
static enum armdyn_status stop_here(struct client *c, const struct profile_head *head, struct armdyn_error *error)
{
  enum armdyn_status rc = link_is_open(&c->link) ? ARMDYN_OK : client_connect(c, STOP_CONNECT_MS, error);
  if (rc) return rc;
  rc = client_command(c, COMMAND_STOP, head, 0, error);
  bool nothing_moves = rc && c->refused;
  return !rc || nothing_moves ? come_to_rest(c, head, error) : rc;
}

/* Once more in any case: the first may fall to a connection that was dead already. */
enum armdyn_status client_stop(struct client *c, const struct profile_head *head, struct armdyn_error *error)
{
  const int64_t deadline = after_ms(TIME_MS);
  bool (*urgent)(void *context) = c->urgent;
  c->urgent = NULL; /* nothing is more so */
  enum armdyn_status rc = stop_here(c, head, error);
  for (bool more = true; rc && more; rc = stop_here(c, head, error)) {
    more = clock_monotonic_ns() < deadline;
    pause_ms(STOP_PAUSE_MS);
  }
  c->urgent = urgent;
  return rc;
}
