/* The line to the controller, and commands. */
#include <errno.h>
#include <modbus/modbus.h>
#include <sodium.h>
#include <stdarg.h>

#include "server/base/clock.h"
#include "server/conformance/bench.h"

enum { ANSWER_MS = 3000, ACKNOWLEDGE_MS = 5000, SETTLE_MS = 40, BEAT_EARLY_MS = 150 };

bool bench_wrong(struct bench *t, const char *format, ...)
{
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(t->said, sizeof t->said, format, arguments);
  va_end(arguments);
  t->outcome = FAILED;
  return false;
}

bool bench_not_tried(struct bench *t, const char *format, ...)
{
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(t->said, sizeof t->said, format, arguments);
  va_end(arguments);
  t->outcome = NOT_TRIED;
  return false;
}

void bench_sleep_ms(int ms)
{
  nanosleep(&(struct timespec){ .tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000L }, NULL);
}

int64_t bench_now_ms(void)
{
  return clock_monotonic_ns() / 1000000;
}

void bench_disconnect(struct bench *t)
{
  if (!t->modbus) return;
  modbus_close(t->modbus);
  modbus_free(t->modbus);
  t->modbus = NULL;
}

bool bench_connect(struct bench *t)
{
  bench_disconnect(t);
  modbus_t *m = modbus_new_tcp_pi(t->options->host, t->options->port);
  if (!m) return bench_wrong(t, "%s port %s: %s", t->options->host, t->options->port, modbus_strerror(errno));
  modbus_set_response_timeout(m, ANSWER_MS / 1000, 0);
  if (modbus_set_slave(m, (int)t->options->unit) || modbus_connect(m)) {
    bench_wrong(t, "cannot connect to %s port %s: %s", t->options->host, t->options->port, modbus_strerror(errno));
    modbus_free(m);
    return false;
  }
  t->modbus = m;
  return true;
}

/* After a bad answer the connection is begun anew: with libmodbus a late answer would be taken for the next one. */
static bool answered(struct bench *t, bool done, const char *doing, unsigned offset, unsigned count)
{
  if (done) return true;
  int why = errno;
  if (bench_connect(t))
    bench_wrong(t, "%s +%u to +%u (registers %u to %u): %s", doing, offset, offset + count - 1,
                t->options->base + offset, t->options->base + offset + count - 1, modbus_strerror(why));
  return false;
}

bool bench_read(struct bench *t, unsigned offset, unsigned count, uint16_t *words)
{
  if (!t->modbus && !bench_connect(t)) return false;
  int got = modbus_read_registers(t->modbus, (int)(t->options->base + offset), (int)count, words);
  return answered(t, got == (int)count, "reading", offset, count);
}

bool bench_write(struct bench *t, unsigned offset, unsigned count, const uint16_t *words)
{
  if (!t->modbus && !bench_connect(t)) return false;
  int put = modbus_write_registers(t->modbus, (int)(t->options->base + offset), (int)count, words);
  return answered(t, put == (int)count, "writing", offset, count);
}

bool bench_beat(struct bench *t, uint32_t profile)
{
  uint16_t words[3] = { ++t->beat };
  protocol_put_u32(words + 1, profile);
  t->beat_ns = clock_monotonic_ns();
  return bench_write(t, REGISTER_HEARTBEAT, 3, words);
}

bool bench_look(struct bench *t, struct controller_state *now)
{
  *now = (struct controller_state){ 0 };
  if (t->beats && clock_monotonic_ns() - t->beat_ns > BEAT_EARLY_MS * 1000000LL && !bench_beat(t, t->profile.id))
    return false;
  uint16_t words[PROTOCOL_LOOK];
  struct armdyn_error error;
  if (!bench_read(t, REGISTER_INSTANCE, PROTOCOL_LOOK, words)) return false;
  return protocol_look_decode(words, now, &error) == ARMDYN_OK || bench_wrong(t, "%s", error.message);
}

/* Until its uptime has gone on three times: its program has run at least twice since. */
bool bench_settle(struct bench *t, struct controller_state *now)
{
  const int64_t begun = bench_now_ms();
  if (!bench_look(t, now)) return false;
  uint32_t last = now->uptime_ms;
  for (int steps = 0; steps < 3 || bench_now_ms() - begun < SETTLE_MS;) {
    bench_sleep_ms(2);
    if (!bench_look(t, now)) return false;
    steps += now->uptime_ms != last;
    last = now->uptime_ms;
    if (bench_now_ms() - begun > ACKNOWLEDGE_MS)
      return bench_wrong(t, "the uptime in +75..76 stood still for %d s", ACKNOWLEDGE_MS / 1000);
  }
  return true;
}

bool bench_command(struct bench *t, enum controller_command command, struct protocol_command *out)
{
  struct controller_state now;
  if (!bench_look(t, &now)) return false;
  uint16_t number = 0;
  const uint16_t written = now.command[REGISTER_NUMBER - REGISTER_COMMAND];
  while (!number || number == now.acknowledged || number == written) number = (uint16_t)randombytes_uniform(65536);
  *out = (struct protocol_command){ .command = command,
                                    .number = number,
                                    .profile = t->profile.id,
                                    .total = command == COMMAND_STREAM ? 0 : t->profile.total,
                                    .period_us = t->profile.period_us,
                                    .crc = command == COMMAND_STREAM ? 0 : t->profile.crc,
                                    .format = (uint16_t)t->profile.format,
                                    .axis_mask = (uint16_t)t->profile.axis_mask,
                                    .end_policy = END_HOLD,
                                    .loss_policy = (uint16_t)t->profile.loss_policy,
                                    .latest_ms = now.uptime_ms + BENCH_LIFE_MS };
  memcpy(out->start, t->profile.start, sizeof out->start);
  return true;
}

bool bench_may_send(const struct bench *t, enum controller_command command)
{
  return t->options->allow_motion || (command != COMMAND_ARM && command != COMMAND_START && command != COMMAND_RESUME);
}

bool bench_send_words(struct bench *t, const uint16_t words[PROTOCOL_COMMAND], struct controller_state *after)
{
  const uint16_t number = words[REGISTER_NUMBER - REGISTER_COMMAND];
  const uint32_t check = protocol_get_u32(words + REGISTER_CHECK - REGISTER_COMMAND);
  *after = (struct controller_state){ 0 };
  if (!bench_write(t, REGISTER_COMMAND, PROTOCOL_COMMAND, words)) return false;
  for (int64_t begun = bench_now_ms(); bench_now_ms() - begun < ACKNOWLEDGE_MS; bench_sleep_ms(1)) {
    if (!bench_look(t, after)) return false;
    /* Seen once it is so, looked at once more: an answer may hold registers of two scans. */
    if (after->acknowledged == number && after->check == check) return bench_look(t, after);
  }
  const char *name = protocol_command_name(words[0]);
  if (after->acknowledged == number)
    return bench_wrong(t, "%s: its number stands in +60, but not its check word 0x%08X in +78..79 (0x%08X)", name,
                       check, after->check);
  return bench_wrong(t, "%s was not acknowledged in +60 within %d s", name, ACKNOWLEDGE_MS / 1000);
}

bool bench_send(struct bench *t, const struct protocol_command *command, struct controller_state *after)
{
  uint16_t words[PROTOCOL_COMMAND];
  protocol_command_encode(command, t->is.instance, words);
  return bench_send_words(t, words, after);
}

bool bench_expect_error(struct bench *t, const struct protocol_command *command, enum controller_error error)
{
  struct controller_state before, after;
  if (!bench_look(t, &before) || !bench_send(t, command, &after)) return false;
  if (after.error == error) return true;
  return bench_wrong(t, "%s in %s was answered by error %u (%s) instead of %d (%s)",
                     protocol_command_name(command->command), protocol_phase_name(before.phase), after.error,
                     protocol_error_text(after.error), error, protocol_error_text(error));
}

bool bench_expect(struct bench *t, enum controller_command command, enum controller_error error)
{
  struct protocol_command c;
  return bench_command(t, command, &c) && bench_expect_error(t, &c, error);
}

bool bench_await(struct bench *t, enum controller_phase phase, int limit_ms, struct controller_state *now)
{
  for (int64_t begun = bench_now_ms();;) {
    if (!bench_look(t, now)) return false;
    if (now->phase == phase) return true;
    if (bench_now_ms() - begun > limit_ms) break;
    bench_sleep_ms(1);
  }
  return bench_wrong(t, "the state was still %s after %.1f s instead of %s; own error %u (%s)",
                     protocol_phase_name(now->phase), limit_ms / 1000.0, protocol_phase_name(phase), now->own_error,
                     protocol_error_text(now->own_error));
}
