/* Tests of a controller on the wire: what is asked for, and what is told while one goes on. */
#ifndef API_CODEC_CONTROLLER_TEST_H
#define API_CODEC_CONTROLLER_TEST_H

#include <stdbool.h>
#include <stdint.h>

#include "api/wire/buffer.h"
#include "api/wire/faults.h"
#include "armdyn/status.h"

enum { CHECK_NAME_SIZE = 128 };
enum { CHECK_RIGHT, CHECK_WRONG, CHECK_NOT_TRIED, CHECK_RESULTS };
enum controller_test_state { TEST_RUNNING, TEST_DONE, TEST_FAILED, TEST_CANCELLED };

struct controller_test_request {
  bool allow_motion;
  char only[CHECK_NAME_SIZE]; /* "": all */
};

struct controller_test_check {
  const char *group, *name;
  int result;
  const char *seen, *mend; /* NULL: nothing to say */
};

struct controller_test_identity {
  unsigned axes, places, window_words;
  uint32_t samples_max;
  unsigned formats; /* bit f - 1: format f */
  bool streams, holds, at_once, epochs, measures;
};

struct controller_test_figures {
  double cycle; /* s; of what is faster than could be asked, an upper bound: `fastest` */
  bool fastest;
  double answer /* s */, clock_rate, windows_per_second /* 0: not measured */;
};

struct controller_test_view {
  const char *controller;
  enum controller_test_state state;
  const struct controller_test_request *request;
  const char *begun_at, *ended_at; /* "": not yet */
  size_t expected;                 /* checks, at most */
  size_t counts[CHECK_RESULTS];
  const char *identity, *checks, *figures; /* JSON; NULL: not known yet; of checks, items with commas between */
  const char *detail;                      /* why it failed; "" */
};

/* OK, ESYNTAX, EINPUT, EMEMORY. */
enum armdyn_status controller_test_request_decode(const char *text, size_t length, struct controller_test_request *out,
                                                  struct faults *faults);
void controller_test_check_encode(const struct controller_test_check *check, struct buffer *out);
void controller_test_identity_encode(const struct controller_test_identity *identity, struct buffer *out);
void controller_test_figures_encode(const struct controller_test_figures *figures, struct buffer *out);
void controller_test_encode(const struct controller_test_view *view, struct buffer *out);

#endif
