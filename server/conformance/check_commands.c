/* Which commands are executed at all: check word, instance, profile, time, arguments. */
#include <math.h>

#include "server/conformance/checks.h"

enum { AWAIT_MS = 3000 };

static bool same(const struct controller_state *a, const struct controller_state *b)
{
  return a->phase == b->phase && a->profile == b->profile && a->next_offset == b->next_offset && a->crc == b->crc;
}

/* These registers must be neither executed nor acknowledged. */
static bool is_ignored(struct bench *t, const uint16_t words[PROTOCOL_COMMAND], const char *what)
{
  struct controller_state before, after;
  if (!bench_look(t, &before) || !bench_write(t, REGISTER_COMMAND, PROTOCOL_COMMAND, words) || !bench_settle(t, &after))
    return false;
  if (!same(&before, &after))
    return bench_wrong(t, "%s was executed: %s became %s", what, protocol_phase_name(before.phase),
                       protocol_phase_name(after.phase));
  if (after.acknowledged == words[REGISTER_NUMBER - REGISTER_COMMAND])
    return bench_wrong(t, "%s was acknowledged with error %u (%s)", what, after.error,
                       protocol_error_text(after.error));
  return true;
}

static void check_word(struct bench *t)
{
  struct protocol_command clear;
  uint16_t words[PROTOCOL_COMMAND];
  if (!bench_bring_to(t, PHASE_READY) || !bench_command(t, COMMAND_CLEAR, &clear)) return;
  protocol_command_encode(&clear, t->is.instance, words);
  words[REGISTER_LOSS_POLICY - REGISTER_COMMAND] ^= 3;
  is_ignored(t, words, "a CLEAR that is not what its check word says");
}

static void torn_command(struct bench *t)
{
  struct protocol_command clear;
  uint16_t words[PROTOCOL_COMMAND];
  struct controller_state after;
  const unsigned cut = 12; /* registers of the first half: command and profile, not yet number and check word */
  if (!bench_bring_to(t, PHASE_READY) || !bench_command(t, COMMAND_CLEAR, &clear)) return;
  protocol_command_encode(&clear, t->is.instance, words);
  if (!bench_write(t, REGISTER_COMMAND, cut, words) || !bench_settle(t, &after)) return;
  if (after.phase != PHASE_READY) {
    bench_wrong(t, "the first %u registers of a CLEAR were executed before the others had come", cut);
    return;
  }
  if (bench_write(t, REGISTER_COMMAND + cut, PROTOCOL_COMMAND - cut, words + cut))
    bench_await(t, PHASE_EMPTY, AWAIT_MS, &after);
}

static void another_instance(struct bench *t)
{
  struct protocol_command clear;
  uint16_t words[PROTOCOL_COMMAND];
  if (!bench_bring_to(t, PHASE_READY) || !bench_command(t, COMMAND_CLEAR, &clear)) return;
  protocol_command_encode(&clear, (uint16_t)(t->is.instance + 1), words);
  is_ignored(t, words, "a CLEAR whose check word is made with another instance id");
}

static void done_once(struct bench *t)
{
  struct protocol_command begin;
  uint16_t words[PROTOCOL_COMMAND];
  struct controller_state now;
  if (!bench_bring_to(t, PHASE_EMPTY) || !bench_command(t, COMMAND_BEGIN, &begin)) return;
  protocol_command_encode(&begin, t->is.instance, words);
  if (!bench_send_words(t, words, &now) || !bench_write_window(t, 0, 0, 1) || !bench_settle(t, &now)) return;
  const uint32_t held = now.next_offset;
  static const uint16_t nothing[PROTOCOL_WINDOW_HEADER] = { 0 }; /* else the window would be taken again at once */
  if (!bench_write(t, PROTOCOL_PLACES, PROTOCOL_WINDOW_HEADER, nothing)) return;
  if (!bench_write(t, REGISTER_COMMAND, PROTOCOL_COMMAND, words) || !bench_settle(t, &now)) return;
  if (now.next_offset < held || !held)
    bench_wrong(t, "the same BEGIN written again began anew: next offset %u after %u", now.next_offset, held);
}

static void another_profile(struct bench *t)
{
  static const enum controller_command commands[] = { COMMAND_COMMIT, COMMAND_HOLD, COMMAND_RESUME, COMMAND_STOP };
  struct controller_state before, after;
  if (!bench_bring_to(t, PHASE_READY) || !bench_look(t, &before)) return;
  for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
    struct protocol_command c;
    if (!bench_may_send(t, commands[i])) continue;
    if (!bench_command(t, commands[i], &c)) return;
    c.profile ^= 1;
    if (!bench_expect_error(t, &c, CONTROLLER_ANOTHER_PROFILE) || !bench_look(t, &after)) return;
    if (!same(&before, &after)) {
      bench_wrong(t, "a refused %s changed something", protocol_command_name(commands[i]));
      return;
    }
  }
}

static void too_late(struct bench *t)
{
  static const int32_t from_now_ms[] = { -1000, PROTOCOL_LATEST_MOST_MS + 1000, INT32_MIN };
  for (size_t i = 0; i < sizeof from_now_ms / sizeof *from_now_ms; i++) {
    struct protocol_command c;
    struct controller_state now;
    if (!bench_bring_to(t, PHASE_READY) || !bench_command(t, COMMAND_CLEAR, &c) || !bench_look(t, &now)) return;
    c.latest_ms = now.uptime_ms + (uint32_t)from_now_ms[i];
    if (!bench_expect_error(t, &c, CONTROLLER_TOO_LATE)) return;
  }
}

static void order_of_refusals(struct bench *t)
{
  struct protocol_command c;
  if (!bench_bring_to(t, PHASE_READY) || !bench_command(t, COMMAND_HOLD, &c)) return;
  c.latest_ms -= BENCH_LIFE_MS + 1000;
  if (!bench_expect_error(t, &c, CONTROLLER_TOO_LATE) || !bench_command(t, COMMAND_HOLD, &c)) return;
  c.profile ^= 1;
  c.latest_ms -= BENCH_LIFE_MS + 1000;
  bench_expect_error(t, &c, CONTROLLER_ANOTHER_PROFILE);
}

/* A BEGIN of this epoch that is wrong in itself, so that nothing comes of it, is refused as one of an old epoch. */
static bool is_old(struct bench *t, unsigned epoch, bool *old)
{
  struct protocol_command c;
  struct controller_state after;
  if (!bench_command(t, COMMAND_BEGIN, &c)) return false;
  c.format = FORMAT_END;
  c.epoch = (uint16_t)epoch;
  if (!bench_send(t, &c, &after)) return false;
  *old = after.error == CONTROLLER_OLD_EPOCH;
  return *old || after.error == CONTROLLER_FORMAT ||
         bench_wrong(t, "a BEGIN of epoch %u in format %d was answered by error %u (%s)", epoch, FORMAT_END,
                     after.error, protocol_error_text(after.error));
}

/* The lowest epoch that it takes. */
static bool find_epoch(struct bench *t, unsigned *found)
{
  unsigned low = 1, high = UINT16_MAX;
  while (low < high) {
    const unsigned middle = (low + high) / 2;
    bool old;
    if (!is_old(t, middle, &old)) return false;
    if (old)
      low = middle + 1;
    else
      high = middle;
  }
  *found = low;
  return true;
}

/* A command of this epoch is answered by this error. */
static bool of_epoch(struct bench *t, enum controller_command command, unsigned epoch, enum controller_error error)
{
  struct protocol_command c;
  if (!bench_command(t, command, &c)) return false;
  c.epoch = (uint16_t)epoch;
  return bench_expect_error(t, &c, error);
}

static void old_epochs(struct bench *t)
{
  unsigned epoch;
  struct protocol_command late;
  struct controller_state before, after;
  if (!controller_can(&t->is, ABILITY_EPOCHS)) {
    bench_not_tried(t, "it does not know epochs (ability bit 11)");
    return;
  }
  if (!bench_bring_to(t, PHASE_EMPTY) || !bench_profile(t, 1, 1000, false) || !find_epoch(t, &epoch)) return;
  if (epoch == UINT16_MAX) {
    bench_not_tried(t, "it has seen the highest epoch: start it anew");
    return;
  }
  if (!of_epoch(t, COMMAND_BEGIN, epoch + 1, CONTROLLER_OK) || !bench_look(t, &before)) return;
  static const enum controller_command old[] = { COMMAND_BEGIN, COMMAND_STREAM, COMMAND_ARM, COMMAND_START,
                                                 COMMAND_RESUME };
  for (size_t i = 0; i < sizeof old / sizeof *old; i++)
    if (bench_may_send(t, old[i]) && !of_epoch(t, old[i], epoch, CONTROLLER_OLD_EPOCH)) return;
  if (!bench_command(t, COMMAND_BEGIN, &late)) return;
  late.epoch = (uint16_t)epoch;
  late.latest_ms -= BENCH_LIFE_MS + 1000;
  if (!bench_expect_error(t, &late, CONTROLLER_OLD_EPOCH) || !bench_look(t, &after)) return;
  if (!same(&before, &after)) {
    bench_wrong(t, "a command that was refused by error 15 changed something");
    return;
  }
  /* no epoch, and what must always be possible */
  if (of_epoch(t, COMMAND_BEGIN, 0, CONTROLLER_OK)) of_epoch(t, COMMAND_STOP, epoch, CONTROLLER_OK);
}

static void a_persons_stop(struct bench *t)
{
  struct protocol_command stop;
  uint16_t words[PROTOCOL_COMMAND];
  struct controller_state now;
  if (!bench_bring_to(t, PHASE_READY) || !bench_command(t, COMMAND_STOP, &stop)) return;
  stop.profile = 0;
  stop.latest_ms = 0;
  protocol_command_encode(&stop, (uint16_t)(t->is.instance + 1), words);
  if (bench_write(t, REGISTER_COMMAND, PROTOCOL_COMMAND, words)) bench_await(t, PHASE_EMPTY, AWAIT_MS, &now);
}

/* A BEGIN with one wrong argument each, and what it is answered by. */
static void arguments(struct bench *t)
{
  struct controller_state before, after;
  if (!bench_bring_to(t, PHASE_READY) || !bench_look(t, &before)) return;
  for (int i = 0; i < 8; i++) {
    struct protocol_command c;
    enum controller_error error = CONTROLLER_FORMAT;
    if (!bench_command(t, COMMAND_BEGIN, &c)) return;
    c.profile ^= 2;
    switch (i) {
    case 0: c.format = FORMAT_END, error = CONTROLLER_FORMAT; break;
    case 1: c.format = 0; break;
    case 2: c.period_us = 0; break;
    case 3: c.loss_policy = 3; break;
    case 4: c.total = 0, error = CONTROLLER_TOO_LONG; break;
    case 5: c.total = t->is.samples_most + 1, error = CONTROLLER_TOO_LONG; break;
    case 6: c.axis_mask = 0, error = CONTROLLER_AXES; break;
    default: c.axis_mask = (uint16_t)(1u << t->is.axes), error = CONTROLLER_AXES; break;
    }
    if (!bench_expect_error(t, &c, error) || !bench_look(t, &after)) return;
    if (!same(&before, &after)) {
      bench_wrong(t, "a BEGIN that was refused by error %d changed what was loaded", error);
      return;
    }
  }
}

static const struct check rows[] = {
  { "a wrong check word is neither executed nor acknowledged", check_word,
    "compute the CRC-32 over instance id, +20..35 and +38..59, and look at nothing of a command before it agrees with "
    "+36..37",
    PHASE_READY },
  { "a command of which half has come waits for the other half", torn_command,
    "look at a command only when number or check word differ from the acknowledged one, and its check word is right",
    PHASE_READY },
  { "a check word for another instance is ignored", another_instance,
    "put your own instance id (+9) first into the CRC-32 of the check word", PHASE_READY },
  { "the same command written again is not executed again", done_once,
    "execute a command only when its number or check word differ from those last acknowledged", PHASE_READY },
  { "another profile's commands are refused", another_profile,
    "compare +22..23 with the active profile id before all but BEGIN, STREAM and CLEAR; error 13", PHASE_READY },
  { "commands come too late", too_late,
    "execute only if (+34..35 less uptime) modulo 2^32 is at most 60000, compared as unsigned numbers; error 14",
    PHASE_READY },
  { "refusals come in the order 15, 13, 14, 1, others", order_of_refusals,
    "check epoch, profile, time, state, then the arguments", PHASE_READY },
  { "commands of an old epoch are refused", old_epochs,
    "refuse BEGIN, STREAM, ARM, START and RESUME whose +38 is lower than the highest of a command that was carried "
    "out, "
    "and not 0, before anything else; error 15. STOP, HOLD, COMMIT and CLEAR go through",
    PHASE_READY },
  { "STOP with profile id 0 is executed whatever its check word", a_persons_stop,
    "a person's STOP needs no check word, profile or time: look for it before anything else", PHASE_READY },
  { "wrong arguments are refused and change nothing", arguments,
    "check every argument of BEGIN before you change anything; the table of errors says which is which", PHASE_READY },
};
const struct check_table command_checks = { "commands", rows, sizeof rows / sizeof *rows };
