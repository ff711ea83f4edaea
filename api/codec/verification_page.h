/* The page of a verification while it is written, and its figures. */
#ifndef API_CODEC_VERIFICATION_PAGE_H
#define API_CODEC_VERIFICATION_PAGE_H

#include <string.h>

#include "api/codec/verification_calls.h"
#include "api/report/page.h"
#include "armdyn/robot.h"

struct verification_page {
  enum report_language language;
  cJSON *document; /* what the service named or said of its own accord is in this language */
  const struct armdyn_robot_description *robot;
  struct buffer *out;
};

/* A text of the page in its language. */
static inline const char *say(const struct verification_page *p, const char *english) __attribute__((format_arg(2)));
static inline const char *say(const struct verification_page *p, const char *english)
{
  return report_words(p->language, english);
}

static inline bool same(const cJSON *in, const char *path, const char *text)
{
  return !strcmp(verification_text(in, path), text);
}

/* What an arm did that played this reference; NULL: none did. */
const cJSON *verification_measured_of(const struct verification_page *p, const char *reference);

void verification_draw_accuracy(struct verification_page *p, const cJSON *accuracy);
void verification_draw_distances(struct verification_page *p, const char *reference);
void verification_draw_spread(struct verification_page *p, const char *reference);
void verification_draw_frequencies(struct verification_page *p, const char *reference);
void verification_draw_envelope(struct verification_page *p, const char *reference, const char *plant);

#endif
