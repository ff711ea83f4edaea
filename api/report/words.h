/* What reports say in the languages of the pages. The English text is the key, so that a report reads as it is written:
 *
 *   page_text(out, report_words(language, "Worst: joint %s."), name);
 *
 * To add a text: its row in words.c, with the conversions of the English one in their order, or all numbered (%1$s). */
#ifndef API_REPORT_WORDS_H
#define API_REPORT_WORDS_H

#include <stdbool.h>
#include <stddef.h>

enum report_language { REPORT_ENGLISH, REPORT_CHINESE, REPORT_LANGUAGES };
extern const char *const report_languages[REPORT_LANGUAGES]; /* "en", "zh" */
/* NULL is English; false: there is no such language. */
bool report_language_of(const char *code, enum report_language *out);

/* A text or format; what has no row stays English. */
const char *report_words(enum report_language language, const char *english) __attribute__((format_arg(2)));

/* Many of them, into out. Answers out. */
const char *const *report_words_all(enum report_language language, const char *const *english, size_t count,
                                    const char **out);

/* Row by row, [language]; NULL after the last. */
const char *const *report_words_row(size_t row);

#endif
