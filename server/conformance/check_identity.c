/* Who it says that it is, and its clock. */
#include <math.h>

#include "server/conformance/checks.h"

enum { CLOCK_MS = 1500, CLOCK_MOST_MS = 10000 };
static const double KNOWN = 0.02, RATE_OFF = 0.02; /* a rate further off is refused by the gateway */

static void connection(struct bench *t)
{
  uint16_t word;
  if (bench_connect(t)) bench_read(t, REGISTER_MAGIC, 1, &word);
}

static void identity(struct bench *t)
{
  uint16_t words[PROTOCOL_IDENTITY];
  struct armdyn_error error;
  if (!bench_read(t, REGISTER_MAGIC, PROTOCOL_IDENTITY, words)) return;
  if (protocol_identity_decode(words, t->options->base, &t->is, &error) != ARMDYN_OK)
    bench_wrong(t, "%s", error.message);
  else if (!(t->is.abilities & ABILITY_FORMATS))
    bench_wrong(t, "+6 is 0x%04X: it offers no format", t->is.abilities);
  else if (t->is.window_most < protocol_sample_words(bench_format(t), t->is.axes))
    bench_wrong(t, "+5: in a window of %u words there is no room for one sample of %u axes", t->is.window_most,
                t->is.axes);
}

static void whole_block(struct bench *t)
{
  uint16_t words[PROTOCOL_LOOK];
  const unsigned end = protocol_span(t->is.places) - (controller_can(&t->is, ABILITY_MEASURES) ? 0 : PROTOCOL_MEASURED);
  for (unsigned at = 0; at < end; at += PROTOCOL_LOOK) {
    const unsigned count = end - at < PROTOCOL_LOOK ? end - at : PROTOCOL_LOOK;
    if (!bench_read(t, at, count, words)) return;
  }
}

static void positions(struct bench *t)
{
  struct controller_state now;
  if (!bench_look(t, &now)) return;
  for (unsigned a = 0; a < t->is.axes; a++)
    if (!isfinite(now.position[a]))
      bench_wrong(t, "the position of axis %u in +%u..%u is no number", a + 1, REGISTER_POSITION + 2 * a,
                  REGISTER_POSITION + 2 * a + 1);
}

/* Looks for a while: the uptime's rate, how often its program runs, and how long an answer takes. The rate is known to the
 * longest time for which the uptime stood still, and looked for until that is little. */
static void clock_rate(struct bench *t)
{
  struct controller_state first, now;
  if (!bench_look(t, &first)) return;
  const int64_t begun = bench_now_ms();
  int64_t passed = 0, stepped = 0, longest = 0;
  unsigned looks = 0, steps = 0;
  uint32_t last = first.uptime_ms;
  do {
    bench_sleep_ms(1);
    if (!bench_look(t, &now)) return;
    passed = bench_now_ms() - begun;
    looks++;
    if (passed - stepped > longest) longest = passed - stepped;
    if (now.uptime_ms == last) continue;
    if (now.uptime_ms - last > UINT32_MAX / 2) {
      bench_wrong(t, "the uptime in +75..76 went from %u ms back to %u ms", last, now.uptime_ms);
      return;
    }
    last = now.uptime_ms;
    stepped = passed;
    steps++;
  } while (passed < CLOCK_MS || ((double)longest > KNOWN * (double)passed && passed < CLOCK_MOST_MS));
  t->answer_ms = (double)passed / looks - 1;
  t->scan_ms = (double)passed / (steps ? steps : 1);
  t->rate = (double)(last - first.uptime_ms) / (double)passed;
  if (fabs(t->rate - 1) > RATE_OFF + (double)longest / (double)passed)
    bench_wrong(t, "in %lld ms of ours the uptime in +75..76 ran on by %u ms", (long long)passed,
                last - first.uptime_ms);
}

static const struct check rows[] = {
  { "it answers", connection,
    "look at host, port, --unit and --base; the Modbus server needs holding registers by function codes 3 and 16",
    PHASE_EMPTY },
  { "magic, version, figures, word order", identity,
    "write +0 to +10 in the first scan, u32 and float32 with the high word first, the magic last", PHASE_EMPTY },
  { "every register can be read", whole_block,
    "let the Modbus server offer all of +0 to +99, the window places and, with ability bit 14, the 42 measured "
    "registers",
    PHASE_EMPTY },
  { "measured positions are numbers", positions, "write the position of every axis to +80.. in every scan",
    PHASE_EMPTY },
  { "the uptime runs as fast as time does", clock_rate,
    "sum in ms what one run of the program really takes (its configured period only when it really has it): profiles "
    "are played by the same clock",
    PHASE_EMPTY },
};
const struct check_table identity_checks = { "identity", rows, sizeof rows / sizeof *rows };
