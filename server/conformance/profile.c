/* Profiles of the bench: they stand still where the arm stands. */
#include <math.h>
#include <sodium.h>

#include "server/conformance/bench.h"

enum { PROGRESS_MS = 2000, REST_MS = 10000, LONG_PERIOD_US = 100000, LONG_TOTAL = 50 };

unsigned bench_format(const struct bench *t)
{
  for (unsigned format = FORMAT_POSITION_TORQUE; format > FORMAT_TORQUE_PERMILLE; format--)
    if (t->is.abilities >> (format - 1) & 1) return format;
  return FORMAT_TORQUE_PERMILLE;
}

/* One sample; told: every word of every sample is another one, though its numbers are tiny. */
static void put_sample(struct bench_profile *p, unsigned axes, uint32_t k, bool told)
{
  uint16_t *out = p->data + (size_t)k * p->sample_words;
  const float little = told ? 1e-6f * (float)(k + 1) : 0;
  for (unsigned a = 0; a < axes; a++) {
    if (p->format == FORMAT_TORQUE_PERMILLE) {
      out[a] = told ? (uint16_t)((k + a) % 5) : 0;
    } else if (p->format == FORMAT_TORQUE) {
      protocol_put_float(out + 2 * a, little);
    } else {
      protocol_put_float(out + 4 * a, p->start[a] + little);
      protocol_put_float(out + 4 * a + 2, little * (float)(a + 1));
    }
  }
}

bool bench_profile(struct bench *t, uint32_t total, uint32_t period_us, bool told)
{
  struct bench_profile *p = &t->profile;
  struct controller_state now;
  if (!bench_look(t, &now)) return false;
  p->id = 1 + randombytes_uniform(UINT32_MAX - 1);
  p->format = bench_format(t);
  p->axis_mask = (1u << t->is.axes) - 1;
  p->sample_words = protocol_sample_words(p->format, t->is.axes);
  p->total = total < t->is.samples_most ? total : t->is.samples_most;
  p->period_us = period_us;
  p->loss_policy = LOSS_STOP;
  memset(p->start, 0, sizeof p->start);
  memcpy(p->start, now.position, t->is.axes * sizeof *p->start);
  for (uint32_t k = 0; k < p->total; k++) put_sample(p, t->is.axes, k, told);
  p->crc = protocol_crc32(0, p->data, (size_t)p->total * p->sample_words);
  return true;
}

uint32_t bench_window_samples(const struct bench *t)
{
  const unsigned words = t->profile.sample_words;
  return words ? t->is.window_most / words : 0;
}

size_t bench_window(const struct bench *t, uint32_t offset, uint32_t samples, uint16_t *words)
{
  const struct bench_profile *p = &t->profile;
  if (offset + samples > p->total) samples = p->total - offset;
  return protocol_window_encode(p->id, offset, p->data + (size_t)offset * p->sample_words,
                                (size_t)samples * p->sample_words, words);
}

bool bench_write_window(struct bench *t, unsigned place, uint32_t offset, uint32_t samples)
{
  uint16_t words[PROTOCOL_WINDOW_HEADER + PROTOCOL_WINDOW_MOST];
  const size_t count = bench_window(t, offset, samples, words);
  return bench_write(t, PROTOCOL_PLACES + place * PROTOCOL_PLACE_STRIDE, (unsigned)count, words);
}

bool bench_send_windows(struct bench *t)
{
  const uint32_t samples = bench_window_samples(t), total = t->profile.total;
  struct controller_state now;
  const uint32_t places = t->is.places;
  if (!places) return bench_wrong(t, "it has no window places");
  if (!bench_look(t, &now)) return false;
  const uint32_t first = now.next_offset;
  uint32_t sent = 0, held = first; /* windows sent, samples held */
  for (int64_t progress = bench_now_ms(); now.next_offset != total;) {
    /* A place is written again when its window was taken. */
    while (first + sent * samples < total && (sent < places || held >= first + (sent - places + 1) * samples)) {
      if (!bench_write_window(t, sent % places, first + sent * samples, samples)) return false;
      sent++;
    }
    if (!bench_look(t, &now)) return false;
    if (now.own_error)
      return bench_wrong(t, "a window was refused: +77 says %u (%s)", now.own_error,
                         protocol_error_text(now.own_error));
    if (now.next_offset != held) progress = bench_now_ms();
    held = now.next_offset;
    if (bench_now_ms() - progress > PROGRESS_MS)
      return bench_wrong(t, "no window was taken for %d s: +63..64 stays at %u of %u samples, %u windows were written",
                         PROGRESS_MS / 1000, held, total, sent);
  }
  return true;
}

/* Whatever it does: to rest, and EMPTY. */
static bool bring_to_empty(struct bench *t)
{
  struct controller_state now;
  t->beats = false;
  if (!bench_look(t, &now)) return false;
  if (now.phase == PHASE_EMPTY) return true;
  struct protocol_command c;
  if (!bench_command(t, now.phase == PHASE_FAULT ? COMMAND_CLEAR : COMMAND_STOP, &c)) return false;
  c.profile = c.command == COMMAND_STOP ? 0 : t->profile.id;
  return bench_expect_error(t, &c, CONTROLLER_OK) && bench_await(t, PHASE_EMPTY, REST_MS, &now);
}

/* The command is carried out, and leads where the table says. */
static bool goes(struct bench *t, enum controller_command command, enum controller_phase to)
{
  struct controller_state now;
  return bench_expect(t, command, CONTROLLER_OK) && bench_await(t, to, PROGRESS_MS + REST_MS / 2, &now);
}

bool bench_bring_to(struct bench *t, enum controller_phase phase)
{
  static const enum controller_phase ways[PHASE_COUNT][4] = {
    [PHASE_ARMED] = { PHASE_ARMED },
    [PHASE_PLAYING] = { PHASE_ARMED, PHASE_PLAYING },
    [PHASE_HOLDING] = { PHASE_ARMED, PHASE_PLAYING, PHASE_HOLDING },
    [PHASE_DONE] = { PHASE_ARMED, PHASE_PLAYING },
    [PHASE_FAULT] = { PHASE_ARMED },
  };
  static const enum controller_command leads[PHASE_COUNT] = {
    [PHASE_ARMED] = COMMAND_ARM, [PHASE_PLAYING] = COMMAND_START, [PHASE_HOLDING] = COMMAND_HOLD
  };
  const bool brief = phase == PHASE_DONE;
  if (!bring_to_empty(t)) return false;
  if (!bench_profile(t, LONG_TOTAL, brief ? LONG_PERIOD_US / 20 : LONG_PERIOD_US, phase <= PHASE_READY)) return false;
  if (phase == PHASE_EMPTY) return true;
  if (!goes(t, COMMAND_BEGIN, PHASE_LOADING) || !bench_send_windows(t)) return false;
  if (phase == PHASE_LOADING) return true;
  if (!goes(t, COMMAND_COMMIT, PHASE_READY)) return false;
  t->beats = true;
  for (size_t i = 0; i < sizeof ways[0] / sizeof *ways[0] && ways[phase][i]; i++)
    if (!goes(t, leads[ways[phase][i]], ways[phase][i])) return false;
  t->beats = phase != PHASE_FAULT;
  struct controller_state now;
  return bench_await(t, phase, REST_MS, &now);
}
