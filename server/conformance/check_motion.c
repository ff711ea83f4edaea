/* What is seen only with drives on: ARM, START, heartbeat, the end. The arm stands still all the while. */
#include <math.h>

#include "server/conformance/checks.h"

enum { SLACK_MS = 1500, REST_MS = 10000, SCANS_MOST = 5, AT_ONCE_MS = 500 };
static const float still = 0.01F; /* rad, m: how far an arm that stands still may be from itself */

static void starts_elsewhere(struct bench *t)
{
  static const float aside[] = { 1, NAN };
  struct controller_state now;
  for (size_t i = 0; i < sizeof aside / sizeof *aside; i++) {
    struct protocol_command begin;
    if (!bench_bring_to(t, PHASE_EMPTY)) return;
    t->profile.start[t->is.axes - 1] += aside[i];
    if (!bench_command(t, COMMAND_BEGIN, &begin) || !bench_send(t, &begin, &now)) return;
    if (isnan(aside[i]) && now.error == CONTROLLER_START_POSITION) continue; /* what is no number may be refused here */
    if (now.error != CONTROLLER_OK) {
      bench_wrong(t, "BEGIN was answered by error %u (%s)", now.error, protocol_error_text(now.error));
      return;
    }
    if (!bench_send_windows(t) || !bench_expect(t, COMMAND_COMMIT, CONTROLLER_OK) ||
        !bench_expect(t, COMMAND_ARM, CONTROLLER_START_POSITION) || !bench_look(t, &now))
      return;
    if (now.phase != PHASE_READY) bench_wrong(t, "the state is %s after it", protocol_phase_name(now.phase));
  }
}

/* Looks, and with them heartbeats, go on meanwhile. */
static bool wait_looking(struct bench *t, int ms, struct controller_state *now)
{
  const int64_t begun = bench_now_ms();
  do {
    bench_sleep_ms(20);
    if (!bench_look(t, now)) return false;
  } while (bench_now_ms() - begun < ms);
  return true;
}

/* FAULT with error 9 within this time of its last heartbeat, and not at once. */
static bool faults(struct bench *t, int64_t since_ms, int least_ms, int most_ms)
{
  struct controller_state now;
  if (!bench_await(t, PHASE_FAULT, most_ms, &now)) return false;
  const int64_t took = bench_now_ms() - since_ms;
  if (now.own_error != CONTROLLER_HEARTBEAT)
    return bench_wrong(t, "FAULT came with error %u in +77 instead of 9", now.own_error);
  return took >= least_ms || bench_wrong(t, "FAULT came after %lld ms already", (long long)took);
}

static void lost_armed(struct bench *t)
{
  struct controller_state now;
  if (!bench_bring_to(t, PHASE_ARMED)) return;
  if (!wait_looking(t, 1500, &now)) return;
  if (now.phase != PHASE_ARMED) {
    bench_wrong(t, "with a heartbeat every 200 ms it was in %s after 1.5 s", protocol_phase_name(now.phase));
    return;
  }
  t->beats = false;
  if (!bench_beat(t, t->profile.id)) return;
  faults(t, bench_now_ms(), PROTOCOL_BEAT_MOST_MS / 2, PROTOCOL_BEAT_MOST_MS + SLACK_MS);
}

static void anothers_beats(struct bench *t)
{
  struct controller_state now;
  if (!bench_bring_to(t, PHASE_ARMED)) return;
  t->beats = false;
  const int64_t begun = bench_now_ms();
  do {
    if (!bench_beat(t, t->profile.id ^ 1) || !bench_look(t, &now)) return;
    bench_sleep_ms(50);
  } while (now.phase == PHASE_ARMED && bench_now_ms() - begun < PROTOCOL_BEAT_MOST_MS + SLACK_MS);
  if (now.phase != PHASE_FAULT) bench_wrong(t, "heartbeats with another profile id kept it in ARMED");
}

static void lost_playing(struct bench *t)
{
  if (!bench_bring_to(t, PHASE_PLAYING)) return;
  t->beats = false;
  faults(t, bench_now_ms(), 0, REST_MS);
}

static void late_start(struct bench *t)
{
  struct protocol_command c;
  struct controller_state now;
  if (!bench_bring_to(t, PHASE_ARMED) || !bench_command(t, COMMAND_START, &c)) return;
  c.latest_ms -= BENCH_LIFE_MS + 1000;
  if (!bench_expect_error(t, &c, CONTROLLER_TOO_LATE) || !bench_settle(t, &now)) return;
  if (now.phase != PHASE_ARMED) bench_wrong(t, "the state is %s after it", protocol_phase_name(now.phase));
}

static void foreign_start(struct bench *t)
{
  struct protocol_command c;
  struct controller_state now;
  if (!bench_bring_to(t, PHASE_ARMED) || !bench_command(t, COMMAND_START, &c)) return;
  c.profile ^= 1;
  if (!bench_expect_error(t, &c, CONTROLLER_ANOTHER_PROFILE) || !bench_settle(t, &now)) return;
  if (now.phase != PHASE_ARMED) bench_wrong(t, "the state is %s after it", protocol_phase_name(now.phase));
}

/* A START that waits in the controller may come upon somebody who believes that it was lost. */
static void at_once(struct bench *t)
{
  struct controller_state now;
  if (!bench_bring_to(t, PHASE_ARMED)) return;
  const int64_t begun = bench_now_ms();
  if (!bench_expect(t, COMMAND_START, CONTROLLER_OK)) return;
  const int64_t acknowledged = bench_now_ms() - begun;
  if (!bench_await(t, PHASE_PLAYING, REST_MS, &now)) return;
  const int64_t playing = bench_now_ms() - begun;
  if (playing > (int64_t)(SCANS_MOST * t->scan_ms) + AT_ONCE_MS)
    bench_wrong(t, "START was acknowledged after %lld ms, and the state was PLAYING after %lld ms",
                (long long)acknowledged, (long long)playing);
}

static void whole_motion(struct bench *t)
{
  const uint32_t total = 100, period_us = 10000;
  struct controller_state now, before;
  if (!bench_bring_to(t, PHASE_EMPTY) || !bench_profile(t, total, period_us, false) ||
      !bench_expect(t, COMMAND_BEGIN, CONTROLLER_OK) || !bench_send_windows(t) ||
      !bench_expect(t, COMMAND_COMMIT, CONTROLLER_OK))
    return;
  t->beats = true;
  if (!bench_expect(t, COMMAND_ARM, CONTROLLER_OK) || !bench_expect(t, COMMAND_START, CONTROLLER_OK) ||
      !bench_await(t, PHASE_PLAYING, REST_MS, &before))
    return;
  const int64_t begun = bench_now_ms();
  uint32_t index = before.play_index;
  do {
    if (!bench_look(t, &now)) return;
    if (now.play_index < index && now.phase == PHASE_PLAYING) {
      bench_wrong(t, "the play index in +65..66 went from %u back to %u", index, now.play_index);
      return;
    }
    index = now.play_index;
    bench_sleep_ms(2);
  } while (now.phase == PHASE_PLAYING && bench_now_ms() - begun < REST_MS);
  const double took = (double)(bench_now_ms() - begun), own = (total - 1) * period_us / 1000.0;
  if (now.phase != PHASE_DONE)
    bench_wrong(t, "the state is %s instead of DONE, own error %u", protocol_phase_name(now.phase), now.own_error);
  else if (took < 0.95 * own - 2 * t->scan_ms - 20 || took > 1.05 * own + SLACK_MS + 4 * t->scan_ms)
    bench_wrong(t, "a profile of %.0f ms was DONE after %.0f ms", own, took);
  else if (now.profile != t->profile.id || now.crc != t->profile.crc || now.next_offset != total)
    bench_wrong(t, "DONE does not keep profile id, CRC-32 and next offset");
}

/* One measurement of a motion that stands still: its time is between the samples before and after, its positions are those
 * of the looks. */
static bool measure(struct bench *t, double *time_ms)
{
  uint16_t words[PROTOCOL_MEASURED];
  struct controller_state before, after;
  const unsigned first = PROTOCOL_PLACES + t->is.places * PROTOCOL_PLACE_STRIDE;
  if (!bench_look(t, &before) || !bench_read(t, first, PROTOCOL_MEASURED, words) || !bench_look(t, &after))
    return false;
  const double period_ms = t->profile.period_us * 1e-3, slack = period_ms + 2 * t->scan_ms;
  *time_ms = protocol_get_u32(words + REGISTER_MEASURED_TIME) * 1e-3;
  if (after.phase != PHASE_PLAYING) return true; /* it is over */
  if (*time_ms < before.play_index * period_ms - slack || *time_ms > after.play_index * period_ms + slack)
    return bench_wrong(t, "its measured time was %.1f ms while samples %u to %u of %.1f ms each were played", *time_ms,
                       before.play_index, after.play_index, period_ms);
  for (unsigned a = 0; a < t->is.axes; a++) {
    const float at = protocol_get_float(words + REGISTER_MEASURED_POSITION + 2 * a);
    if (!(fabsf(at - after.position[a]) <= still))
      return bench_wrong(t, "axis %u of an arm that stands still was measured at %g, and is at %g in +%u..%u", a + 1,
                         (double)at, (double)after.position[a], REGISTER_POSITION + 2 * a,
                         REGISTER_POSITION + 2 * a + 1);
  }
  return true;
}

static void measurements(struct bench *t)
{
  const uint32_t total = 100, period_us = 10000;
  struct controller_state now;
  double last_ms = 0, time_ms;
  unsigned steps = 0;
  if (!controller_can(&t->is, ABILITY_MEASURES)) {
    bench_not_tried(t, "it does not offer measurements (ability bit 14)");
    return;
  }
  if (!bench_bring_to(t, PHASE_EMPTY) || !bench_profile(t, total, period_us, false) ||
      !bench_expect(t, COMMAND_BEGIN, CONTROLLER_OK) || !bench_send_windows(t) ||
      !bench_expect(t, COMMAND_COMMIT, CONTROLLER_OK))
    return;
  t->beats = true;
  if (!bench_expect(t, COMMAND_ARM, CONTROLLER_OK) || !bench_expect(t, COMMAND_START, CONTROLLER_OK) ||
      !bench_await(t, PHASE_PLAYING, REST_MS, &now))
    return;
  const int64_t begun = bench_now_ms();
  do {
    if (!measure(t, &time_ms) || !bench_look(t, &now)) return;
    steps += time_ms > last_ms;
    last_ms = time_ms;
    bench_sleep_ms(2);
  } while (now.phase == PHASE_PLAYING && bench_now_ms() - begun < REST_MS);
  if (steps < 3)
    bench_wrong(t, "its measured time moved %u times in a motion of %.0f ms", steps, total * 1e-3 * period_us);
}

static void hold_and_resume(struct bench *t)
{
  struct controller_state now, later;
  if (!controller_can(&t->is, ABILITY_HOLD)) {
    bench_not_tried(t, "it does not offer HOLD (ability bit 9)");
    return;
  }
  if (!bench_bring_to(t, PHASE_HOLDING)) return;
  if (!wait_looking(t, 1000, &now) || !wait_looking(t, 500, &later)) return;
  if (later.play_index != now.play_index) {
    bench_wrong(t, "1.5 s after HOLD the play index still runs: %u, then %u", now.play_index, later.play_index);
    return;
  }
  if (bench_expect(t, COMMAND_RESUME, CONTROLLER_OK)) bench_await(t, PHASE_DONE, 2 * REST_MS, &now);
}

static const struct check rows[] = {
  { "ARM compares the start position", starts_elsewhere,
    "refuse ARM as NOT (ABS(start - measured) <= tolerance) for every axis of the mask: also what is no number; error "
    "7",
    PHASE_PLAYING },
  { "ARMED without a heartbeat is FAULT 9 after 1 s", lost_armed,
    "measure the time since +11 last changed with the active id in +12..13, from entering ARMED on", PHASE_PLAYING },
  { "heartbeats with another profile id do not count", anothers_beats,
    "look at +12..13 with every heartbeat: only the active profile's counts", PHASE_PLAYING },
  { "PLAYING without a heartbeat comes to rest and is FAULT 9", lost_playing,
    "loss policy 1 ramps to rest, then FAULT with +77 := 9", PHASE_PLAYING },
  { "a START that comes too late is refused", late_start,
    "compare +34..35 with your uptime at the moment of execution; error 14, and ARMED goes on", PHASE_PLAYING },
  { "a START of another profile is refused", foreign_start, "compare +22..23 with the active id; error 13",
    PHASE_PLAYING },
  { "START is carried out at once", at_once,
    "look at +20..59 in every scan, and go to PLAYING in the scan in which you acknowledge START: what must be made "
    "ready, "
    "brakes and drives, belongs to ARM",
    PHASE_PLAYING },
  { "a profile is played in its own time and is DONE", whole_motion,
    "play sample k at k times the period of the uptime's clock; DONE keeps id, CRC-32 and offset", PHASE_PLAYING },
  { "measurements are of the profile's time and the arm's place", measurements,
    "write the 42 measured registers in one scan: microseconds on the path from sample 0 on, which stand still while "
    "it "
    "is held, positions and torques of that moment by axis number",
    PHASE_PLAYING },
  { "HOLD comes to rest, RESUME goes on", hold_and_resume,
    "ramp the speed along the path to 0 and back; the play index stays meanwhile", PHASE_PLAYING },
};
const struct check_table motion_checks = { "motion", rows, sizeof rows / sizeof *rows };
