/* Window places, COMMIT and the checksum of what is stored. */
#include "server/conformance/checks.h"

enum { AWAIT_MS = 3000 };

static bool write_place(struct bench *t, unsigned place, size_t count, const uint16_t *words)
{
  return bench_write(t, PROTOCOL_PLACES + place * PROTOCOL_PLACE_STRIDE, (unsigned)count, words);
}

/* LOADING, with nothing in the first place that was ever a window. */
static bool begun(struct bench *t)
{
  struct controller_state now;
  uint16_t never[PROTOCOL_WINDOW_HEADER + PROTOCOL_WINDOW_MOST];
  memset(never, 0x5A, sizeof never);
  if (!bench_bring_to(t, PHASE_EMPTY) || !write_place(t, 0, sizeof never / sizeof *never, never) ||
      !bench_expect(t, COMMAND_BEGIN, CONTROLLER_OK) || !bench_look(t, &now))
    return false;
  if (now.phase == PHASE_LOADING && now.profile == t->profile.id && now.next_offset == 0) return true;
  return bench_wrong(t, "after BEGIN: state %s, active profile 0x%08X instead of 0x%08X, next offset %u",
                     protocol_phase_name(now.phase), now.profile, t->profile.id, now.next_offset);
}

/* The next offset becomes this one; 0: it stays so. */
static bool holds(struct bench *t, uint32_t samples, const char *what)
{
  struct controller_state now;
  const int64_t begun_ms = bench_now_ms();
  do {
    if (!bench_settle(t, &now)) return false;
  } while (now.next_offset < samples && bench_now_ms() - begun_ms < AWAIT_MS);
  if (now.next_offset == samples) return true;
  return bench_wrong(t, "%s: next offset is %u instead of %u", what, now.next_offset, samples);
}

static void stale(struct bench *t)
{
  /* Its windows stay in their places; the first one was written over. */
  if (!bench_bring_to(t, PHASE_READY) || !bench_write_window(t, 0, 0, bench_window_samples(t))) return;
  if (!bench_profile(t, t->profile.total, t->profile.period_us, true) || !bench_expect(t, COMMAND_BEGIN, CONTROLLER_OK))
    return;
  holds(t, 0, "after BEGIN, with the windows of the profile before in their places");
}

static void foreign(struct bench *t)
{
  uint16_t words[PROTOCOL_WINDOW_HEADER + PROTOCOL_WINDOW_MOST];
  if (!begun(t)) return;
  t->profile.id ^= 1;
  const size_t count = bench_window(t, 0, 1, words);
  t->profile.id ^= 1;
  if (write_place(t, 0, count, words)) holds(t, 0, "a window of another profile");
}

static void wrong_crc(struct bench *t)
{
  uint16_t words[PROTOCOL_WINDOW_HEADER + PROTOCOL_WINDOW_MOST];
  struct controller_state now;
  if (!begun(t)) return;
  const size_t count = bench_window(t, 0, 1, words);
  words[count - 1] ^= 1;
  if (!write_place(t, 0, count, words) || !holds(t, 0, "a window with a wrong CRC-32")) return;
  words[count - 1] ^= 1;
  if (!write_place(t, 0, count, words) || !holds(t, 1, "the same window, right")) return;
  if (bench_look(t, &now) && now.own_error)
    bench_wrong(t, "a window with a wrong CRC-32 is told as error %u; it is merely not whole yet", now.own_error);
}

/* A window of which the program sees the head of the new one and the data of the old one. */
static void torn(struct bench *t)
{
  uint16_t words[PROTOCOL_WINDOW_HEADER + PROTOCOL_WINDOW_MOST];
  if (!begun(t)) return;
  const size_t count = bench_window(t, 0, bench_window_samples(t), words), half = count / 2;
  if (!write_place(t, 0, half, words) || !holds(t, 0, "half a window")) return;
  if (!bench_write(t, PROTOCOL_PLACES + (unsigned)half, (unsigned)(count - half), words + half)) return;
  const uint32_t samples = bench_window_samples(t), total = t->profile.total;
  holds(t, samples < total ? samples : total, "the other half of a window too");
}

static void gap(struct bench *t)
{
  if (begun(t) && bench_write_window(t, 0, 2, 1)) holds(t, 0, "a window behind a gap");
}

static void any_place(struct bench *t)
{
  const unsigned places = t->is.places;
  if (!begun(t)) return;
  for (unsigned k = 0; k < places; k++)
    if (!bench_write_window(t, places - 1 - k, k, 1)) return;
  holds(t, places, "a window in every place, the first one in the last");
}

static void left_alone(struct bench *t)
{
  uint16_t words[PROTOCOL_WINDOW_HEADER + PROTOCOL_WINDOW_MOST], back[PROTOCOL_WINDOW_HEADER + PROTOCOL_WINDOW_MOST];
  if (!begun(t)) return;
  const size_t count = bench_window(t, 0, 1, words);
  if (!write_place(t, 0, count, words) || !holds(t, 1, "a window") ||
      !bench_read(t, PROTOCOL_PLACES, (unsigned)count, back))
    return;
  if (memcmp(words, back, count * sizeof *words) != 0) bench_wrong(t, "after it was taken the place holds other words");
}

static bool own_error(struct bench *t, const char *what)
{
  struct controller_state now;
  if (!bench_settle(t, &now)) return false;
  if (now.own_error == CONTROLLER_WINDOW) return true;
  return bench_wrong(t, "%s: +77 is %u instead of 10, next offset %u", what, now.own_error, now.next_offset);
}

static void odd_windows(struct bench *t)
{
  const struct bench_profile *p = &t->profile;
  uint16_t words[PROTOCOL_WINDOW_HEADER + PROTOCOL_WINDOW_MOST];
  if (t->is.axes > 1 || p->format != FORMAT_TORQUE_PERMILLE) {
    if (!begun(t)) return;
    const size_t count = protocol_window_encode(p->id, 0, p->data, p->sample_words - 1, words);
    if (!write_place(t, 0, count, words) || !own_error(t, "a window with part of a sample")) return;
  }
  if (!bench_bring_to(t, PHASE_EMPTY) || !bench_profile(t, 2, p->period_us, true) ||
      !bench_expect(t, COMMAND_BEGIN, CONTROLLER_OK))
    return;
  if (3 * p->sample_words > t->is.window_most) return; /* does not go into a window */
  memcpy(t->profile.data + (size_t)2 * p->sample_words, p->data, p->sample_words * sizeof *p->data);
  const size_t count = protocol_window_encode(p->id, 0, p->data, (size_t)3 * p->sample_words, words);
  if (write_place(t, 0, count, words)) own_error(t, "a window beyond the total");
}

static void commit_compares(struct bench *t)
{
  struct protocol_command c;
  if (!begun(t) || !bench_write_window(t, 0, 0, 1) || !holds(t, 1, "a window")) return;
  if (!bench_expect(t, COMMAND_COMMIT, CONTROLLER_CRC)) return; /* not all of it is there */
  if (!bench_send_windows(t) || !bench_command(t, COMMAND_COMMIT, &c)) return;
  c.crc ^= 1;
  if (!bench_expect_error(t, &c, CONTROLLER_CRC)) return;
  struct controller_state now;
  if (!bench_look(t, &now)) return;
  if (now.phase != PHASE_LOADING) {
    bench_wrong(t, "the state is %s after a COMMIT that was refused", protocol_phase_name(now.phase));
    return;
  }
  bench_expect(t, COMMAND_COMMIT, CONTROLLER_OK);
}

static void no_number(struct bench *t)
{
  if (!bench_bring_to(t, PHASE_EMPTY)) return;
  struct bench_profile *p = &t->profile;
  if (p->format == FORMAT_TORQUE_PERMILLE) {
    bench_not_tried(t, "format 1 has no torque that is no number");
    return;
  }
  protocol_put_u32(p->data + (size_t)4 * p->sample_words - 2, 0x7FC00000);
  p->crc = protocol_crc32(0, p->data, (size_t)p->total * p->sample_words);
  if (bench_expect(t, COMMAND_BEGIN, CONTROLLER_OK) && bench_send_windows(t))
    bench_expect(t, COMMAND_COMMIT, CONTROLLER_TORQUE);
}

/* A large profile: what is stored has its checksum, and how fast it went. */
static void download(struct bench *t)
{
  struct controller_state now;
  if (!bench_bring_to(t, PHASE_EMPTY) || !bench_profile(t, SAMPLES_MOST, 1000, true) ||
      !bench_expect(t, COMMAND_BEGIN, CONTROLLER_OK))
    return;
  const int64_t begun_ms = bench_now_ms();
  if (!bench_send_windows(t)) return;
  const int64_t took_ms = bench_now_ms() - begun_ms + 1;
  const uint32_t samples = bench_window_samples(t), windows = (t->profile.total + samples - 1) / samples;
  t->windows_per_s = 1000.0 * windows / (double)took_ms;
  if (!bench_expect(t, COMMAND_COMMIT, CONTROLLER_OK) || !bench_look(t, &now)) return;
  if (now.phase != PHASE_READY)
    bench_wrong(t, "COMMIT is acknowledged while the state is still %s", protocol_phase_name(now.phase));
  else if (now.crc != t->profile.crc)
    bench_wrong(t, "+70..71 is 0x%08X; the CRC-32 of what was sent is 0x%08X", now.crc, t->profile.crc);
}

/* The registers of COMMIT are written, and its program is at it: samples are counted, and nothing is acknowledged yet. */
static bool commit_runs(struct bench *t, const uint16_t words[PROTOCOL_COMMAND], bool *runs)
{
  const uint16_t number = words[REGISTER_NUMBER - REGISTER_COMMAND];
  struct controller_state now;
  if (!bench_write(t, REGISTER_COMMAND, PROTOCOL_COMMAND, words)) return false;
  for (int64_t begun_ms = bench_now_ms(); bench_now_ms() - begun_ms < AWAIT_MS;) {
    if (!bench_look(t, &now)) return false;
    *runs = now.phase == PHASE_LOADING && now.acknowledged != number;
    if (!*runs || now.play_index) return true;
  }
  return true;
}

/* HOLD, which is never allowed there. *between: it was answered while this COMMIT ran; else that was over before. */
static bool refused_meanwhile(struct bench *t, const struct protocol_command *commit, bool *between)
{
  struct protocol_command hold;
  struct controller_state now;
  uint16_t words[PROTOCOL_COMMAND];
  unsigned wrong = 0; /* an answer may hold registers of two scans: it is believed when seen twice */
  if (!bench_command(t, COMMAND_HOLD, &hold)) return false;
  protocol_command_encode(&hold, t->is.instance, words);
  if (!bench_write(t, REGISTER_COMMAND, PROTOCOL_COMMAND, words)) return false;
  for (int64_t begun_ms = bench_now_ms(); bench_now_ms() - begun_ms < AWAIT_MS;) {
    if (!bench_look(t, &now)) return false;
    const bool answered = now.acknowledged == hold.number, right = now.error == CONTROLLER_NOT_ALLOWED;
    *between = answered && now.phase == PHASE_LOADING;
    if (now.acknowledged == commit->number || (answered && right)) return true;
    if (answered && ++wrong > 1)
      return bench_wrong(t, "HOLD, while COMMIT ran, was answered by error %u (%s)", now.error,
                         protocol_error_text(now.error));
  }
  return bench_wrong(t, "HOLD was not acknowledged in +60 while COMMIT ran, nor was COMMIT after it");
}

/* COMMIT, of which nothing is written any more, is acknowledged as carried out. */
static bool commit_ends(struct bench *t, const struct protocol_command *commit)
{
  struct controller_state now;
  const int64_t begun_ms = bench_now_ms();
  do {
    bench_sleep_ms(1);
    if (!bench_look(t, &now)) return false;
  } while (now.acknowledged != commit->number && bench_now_ms() - begun_ms < AWAIT_MS);
  if (now.acknowledged != commit->number)
    return bench_wrong(t, "COMMIT was not acknowledged: in %s +60 tells of HOLD still, with error %u in +62",
                       protocol_phase_name(now.phase), now.error);
  return bench_await(t, PHASE_READY, AWAIT_MS, &now);
}

/* COMMIT of a large profile, and HOLD while it runs; COMMIT is written once more behind that, or is not. */
static void commit_with_hold(struct bench *t, bool again)
{
  struct protocol_command commit;
  uint16_t words[PROTOCOL_COMMAND];
  struct controller_state now;
  bool runs = false, between = false;
  if (!bench_bring_to(t, PHASE_EMPTY) || !bench_profile(t, SAMPLES_MOST, 1000, true) ||
      !bench_expect(t, COMMAND_BEGIN, CONTROLLER_OK) || !bench_send_windows(t) ||
      !bench_command(t, COMMAND_COMMIT, &commit))
    return;
  protocol_command_encode(&commit, t->is.instance, words);
  if (!commit_runs(t, words, &runs) || (runs && !refused_meanwhile(t, &commit, &between))) return;
  if (!between) {
    bench_not_tried(t, "its COMMIT is over before anything can come between");
    return;
  }
  if (!again) {
    commit_ends(t, &commit);
    return;
  }
  if (bench_send_words(t, words, &now) && now.error)
    bench_wrong(t, "COMMIT, written again while it ran, was answered by error %u (%s)", now.error,
                protocol_error_text(now.error));
}

/* What comes while COMMIT runs has an answer of its own, and so has COMMIT. */
static void commit_is_not_alone(struct bench *t)
{
  commit_with_hold(t, false);
  if (t->outcome == WENT_WELL) commit_with_hold(t, true);
}

static void forgotten(struct bench *t)
{
  struct controller_state now;
  if (!bench_bring_to(t, PHASE_READY) || !bench_expect(t, COMMAND_STOP, CONTROLLER_OK) || !bench_look(t, &now)) return;
  if (now.profile || now.next_offset || now.crc)
    bench_wrong(t, "in EMPTY the active profile is 0x%08X, the next offset %u, the CRC-32 0x%08X", now.profile,
                now.next_offset, now.crc);
}

static void stream(struct bench *t)
{
  struct controller_state now;
  if (!controller_can(&t->is, ABILITY_STREAM)) {
    bench_not_tried(t, "it does not offer STREAM (ability bit 8)");
    return;
  }
  if (!bench_bring_to(t, PHASE_EMPTY) || !bench_profile(t, 20, 1000, true)) return;
  if (!bench_expect(t, COMMAND_STREAM, CONTROLLER_OK) || !bench_send_windows(t) || !bench_look(t, &now)) return;
  const uint32_t room = now.free_samples;
  if (bench_may_send(t, COMMAND_ARM) && !bench_expect(t, COMMAND_ARM, CONTROLLER_UNDERRUN)) return; /* 20 ms, not 500 */
  if (!bench_expect(t, COMMAND_COMMIT, CONTROLLER_OK) || !bench_look(t, &now)) return;
  if (now.phase != PHASE_READY || now.crc != t->profile.crc)
    bench_wrong(t, "a stream after its COMMIT: state %s, CRC-32 0x%08X instead of 0x%08X",
                protocol_phase_name(now.phase), now.crc, t->profile.crc);
  else if (!room)
    bench_wrong(t, "20 samples of a stream leave no room in its ring (+67..68 is 0)");
}

static void at_once(struct bench *t)
{
  struct controller_state now;
  if (!controller_can(&t->is, ABILITY_AT_ONCE)) {
    bench_not_tried(t, "it does not claim it (ability bit 10)");
    return;
  }
  if (!begun(t)) return;
  for (uint32_t k = 0; k < 20; k++) {
    if (!bench_write_window(t, 0, k, 1) || !bench_look(t, &now)) return;
    if (now.next_offset != k + 1) {
      bench_wrong(t, "after a window was written the very next look showed next offset %u instead of %u",
                  now.next_offset, k + 1);
      return;
    }
  }
}

static const struct check rows[] = {
  { "windows of the profile before are not taken", stale,
    "the CRC-32 of a window begins with the active profile id: compute it over id, offset, words and data, anew for "
    "every window",
    PHASE_READY },
  { "windows of another profile are not taken", foreign, "begin the CRC-32 of a window with the active profile id",
    PHASE_READY },
  { "a window with a wrong CRC-32 is not taken, and no error", wrong_crc,
    "compare the CRC-32 of every window before you take it; when it is wrong, look again in the next scan",
    PHASE_READY },
  { "half a window is not taken, the whole one is", torn, "copy a place before you check it, and take the copy",
    PHASE_READY },
  { "a window behind a gap is not taken", gap, "take a window only if its offset is the next offset", PHASE_READY },
  { "windows are found in any place", any_place,
    "look at all places until none holds the next offset, at most N windows a scan", PHASE_READY },
  { "places are left as they were written", left_alone,
    "clear no place: neither side ever writes the other's registers", PHASE_READY },
  { "part of a sample and too many samples are error 10", odd_windows,
    "refuse a window whose CRC-32 is right but which has part of a sample or goes beyond the total: +77 := 10",
    PHASE_READY },
  { "COMMIT compares count and CRC-32", commit_compares,
    "compare the samples held with the total and the CRC-32 of what is stored with +32..33; error 4, and LOADING goes "
    "on",
    PHASE_READY },
  { "a torque that is no number is refused", no_number,
    "compare as NOT (ABS(torque) <= limit): a NaN is then above every limit; error 5", PHASE_READY },
  { "a large profile is stored as it was sent", download,
    "compute +70..71 from what is stored, read back, not from what came; acknowledge COMMIT when the state is READY",
    PHASE_READY },
  { "what is refused while COMMIT runs has its own answer", commit_is_not_alone,
    "keep number and check word of the COMMIT that runs: acknowledge what you refuse meanwhile at once, and COMMIT at "
    "its "
    "end; COMMIT written again meanwhile is not new",
    PHASE_READY },
  { "EMPTY holds nothing", forgotten, "set active profile id, next offset and CRC-32 to 0 on the way to EMPTY",
    PHASE_READY },
  { "a stream is loaded and ended", stream,
    "STREAM has total 0 and a ring; ARM needs 500 ms or all (error 8); COMMIT in LOADING leads to READY", PHASE_READY },
  { "what is written is seen at once, as ability bit 10 says", at_once,
    "set ability bit 10 only if your program runs before the next request is taken", PHASE_READY },
};
const struct check_table window_checks = { "windows and COMMIT", rows, sizeof rows / sizeof *rows };
