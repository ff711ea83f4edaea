#include "server/trials/child.h"

#include <stdlib.h>

#include "api/codec/controller_test.h"
#include "api/limits.h"
#include "server/conformance/conformance.h"
#include "server/ipc/channel.h"
#include "server/trials/messages.h"

enum { MESSAGE_MOST = KB(8) };

/* Nobody hears any more: serve has gone, or has cancelled it. */
static void tell(struct channel *to, uint32_t type, struct buffer *text)
{
  if (text->failure || channel_send(to, type, text->data, text->length, -1)) exit(1);
  buffer_release(text);
}

static void begun(void *context, size_t checks)
{
  struct buffer text = BUFFER(MESSAGE_MOST);
  buffer_format(&text, "%zu", checks);
  tell(context, TRIAL_BEGUN, &text);
}

static void known(void *context, const struct controller_identity *is)
{
  struct buffer text = BUFFER(MESSAGE_MOST);
  const struct controller_test_identity identity = {
    .axes = is->axes,
    .places = is->places,
    .window_words = is->window_most,
    .samples_max = is->samples_most,
    .formats = is->abilities & ABILITY_FORMATS,
    .streams = controller_can(is, ABILITY_STREAM),
    .holds = controller_can(is, ABILITY_HOLD),
    .at_once = controller_can(is, ABILITY_AT_ONCE),
    .epochs = controller_can(is, ABILITY_EPOCHS),
    .measures = controller_can(is, ABILITY_MEASURES),
  };
  controller_test_identity_encode(&identity, &text);
  tell(context, TRIAL_IDENTITY, &text);
}

static void checked(void *context, const struct check_report *check)
{
  static const int results[] = { [WENT_WELL] = CHECK_RIGHT, [FAILED] = CHECK_WRONG, [NOT_TRIED] = CHECK_NOT_TRIED };
  struct buffer text = BUFFER(MESSAGE_MOST);
  const struct controller_test_check one = { check->group, check->name, results[check->outcome], check->seen,
                                             check->mend };
  controller_test_check_encode(&one, &text);
  tell(context, TRIAL_CHECK + (uint32_t)one.result, &text);
}

static void measured(void *context, const struct figures_report *figures)
{
  struct buffer text = BUFFER(MESSAGE_MOST);
  const struct controller_test_figures one = { figures->scan_ms / 1000, figures->fastest, figures->answer_ms / 1000,
                                               figures->rate, figures->windows_per_s };
  controller_test_figures_encode(&one, &text);
  tell(context, TRIAL_FIGURES, &text);
}

int trial_child(int fd, const struct conformance_options *options)
{
  struct channel to;
  channel_open(&to, fd);
  const struct conformance_listener listener = { begun, known, checked, measured, &to };
  conformance_run(options, &listener);
  channel_close(&to);
  return 0;
}
