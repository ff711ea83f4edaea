/* A controller on the bench: requests to it, commands and profiles, and what came of the check that is being made.
 *
 * A function that answers bool answers false when the check is over, because something failed: what did is in `said` then.
 * Every wait is bounded by time. */
#ifndef SERVER_CONFORMANCE_BENCH_H
#define SERVER_CONFORMANCE_BENCH_H

#include "server/conformance/options.h"
#include "server/conformance/report.h"
#include "server/protocol/words.h"

enum { SAMPLE_WORDS_MOST = 4 * PROTOCOL_AXES, SAMPLES_MOST = 3000 };

/* A profile as it is sent: every axis, in the richest format that the controller offers. */
struct bench_profile {
  uint32_t id, total, period_us, crc;
  unsigned format, axis_mask, sample_words, loss_policy;
  float start[PROTOCOL_AXES];
  uint16_t data[SAMPLES_MOST * SAMPLE_WORDS_MOST];
};

struct bench {
  const struct conformance_options *options;
  void *modbus; /* modbus_t; NULL: no connection */
  struct controller_identity is;
  struct bench_profile profile;
  bool beats; /* looks and writes keep the heartbeat of profile.id alive */
  uint16_t beat;
  int64_t beat_ns;

  double scan_ms, answer_ms, windows_per_s, rate; /* as measured; 0: not yet */

  enum controller_phase phase; /* of the present check */
  enum check_outcome outcome;  /* what came of it */
  char said[512];
};

bool bench_wrong(struct bench *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
bool bench_not_tried(struct bench *t, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* -- the line -- */
bool bench_connect(struct bench *t); /* again, too */
void bench_disconnect(struct bench *t);
bool bench_read(struct bench *t, unsigned offset, unsigned count, uint16_t *words);
bool bench_write(struct bench *t, unsigned offset, unsigned count, const uint16_t *words);
bool bench_look(struct bench *t, struct controller_state *now);
bool bench_beat(struct bench *t, uint32_t profile);
void bench_sleep_ms(int ms);
int64_t bench_now_ms(void);
/* The look after which a program has surely seen what was written. */
bool bench_settle(struct bench *t, struct controller_state *now);

/* -- commands -- */
enum { BENCH_LIFE_MS = 5000 };
/* With the profile's arguments, a number of its own and BENCH_LIFE_MS to live. */
bool bench_command(struct bench *t, enum controller_command command, struct protocol_command *out);
/* ARM, START and RESUME are sent nowhere unless motion is allowed: a program that is wrong may obey them in any state. */
bool bench_may_send(const struct bench *t, enum controller_command command);
/* Send it, and wait for its acknowledgement. */
bool bench_send(struct bench *t, const struct protocol_command *command, struct controller_state *after);
/* The same, as words: instance and check word may be anybody's. */
bool bench_send_words(struct bench *t, const uint16_t words[PROTOCOL_COMMAND], struct controller_state *after);
/* The command with the profile's arguments is answered by this error. */
bool bench_expect(struct bench *t, enum controller_command command, enum controller_error error);
bool bench_expect_error(struct bench *t, const struct protocol_command *command, enum controller_error error);
bool bench_await(struct bench *t, enum controller_phase phase, int limit_ms, struct controller_state *now);

/* -- profiles -- */
unsigned bench_format(const struct bench *t); /* the richest that the controller offers */
/* A new profile that stands still where the arm stands, or (told) one whose words all differ, never to be armed. */
bool bench_profile(struct bench *t, uint32_t total, uint32_t period_us, bool told);
size_t bench_window(const struct bench *t, uint32_t offset, uint32_t samples,
                    uint16_t *words); /* registers of a place */
uint32_t bench_window_samples(const struct bench *t);
bool bench_write_window(struct bench *t, unsigned place, uint32_t offset, uint32_t samples);
bool bench_send_windows(struct bench *t); /* all, as places become free */
bool bench_bring_to(struct bench *t, enum controller_phase phase);

#endif
