/* The clock and the heartbeat of the simulated controller where its process was late. */
#include <criterion/criterion.h>

#include "server/simulator/controller.h"
#include "server/simulator/play.h"

static void begin(struct simulator *s)
{
  cr_assert_eq(simulator_init(s, &(struct simulator_options){ .axes = 2, .samples_most = 10, .places = 1 }), ARMDYN_OK);
}

/* Play time stands still with the arm. */
Test(simulator, time_left_out_counts_but_for_an_arm_that_moves)
{
  static const enum controller_phase still[] = { PHASE_EMPTY, PHASE_READY, PHASE_ARMED, PHASE_DONE, PHASE_FAULT },
                                     moving[] = { PHASE_PLAYING, PHASE_HOLDING };
  static struct simulator s;
  begin(&s);
  const uint32_t first = s.uptime_ms;
  for (size_t k = 0; k < sizeof still / sizeof *still; k++) {
    s.phase = still[k];
    simulator_lag(&s, 250, 0);
    cr_expect_eq(s.uptime_ms, first + 250 * (k + 1), "phase %d: %u", (int)still[k], s.uptime_ms);
  }
  const uint32_t then = s.uptime_ms;
  for (size_t k = 0; k < sizeof moving / sizeof *moving; k++) {
    s.phase = moving[k];
    simulator_lag(&s, 250, 0);
    cr_expect_eq(s.uptime_ms, then);
  }
  simulator_release(&s);
}

Test(simulator, an_armed_one_is_patient_to_the_millisecond)
{
  static struct simulator s;
  begin(&s);
  s.phase = PHASE_ARMED;
  simulator_lag(&s, 5000, PROTOCOL_BEAT_MOST_MS);
  cr_expect_eq(s.phase, PHASE_ARMED);
  simulator_lag(&s, 0, 1);
  cr_expect_eq(s.phase, PHASE_FAULT);
  cr_expect_eq(s.own_error, CONTROLLER_HEARTBEAT);
  simulator_release(&s);
}
