/* Sentences that are put together already, as kept documents have them and the service says them, in another language:
 * what stands at the conversions of the English one (figures, names) is put into the other's. */
#ifndef API_REPORT_SENTENCES_H
#define API_REPORT_SENTENCES_H

#include "api/report/words.h"

/* By the rows of words.c; what has none stays as it is. out: size bytes. */
const char *report_sentence(enum report_language language, const char *english, char *out, size_t size);

/* The same, if this format can have made it; else false. */
bool report_sentence_of(enum report_language language, const char *format, const char *text, char *out, size_t size);

/* What the service said, sentence by sentence (sentences.zh.json). One that is not known there is told by what its code
 * (of a warning, a type of problem; NULL: it has none) means, with its numbers. Names and codes alone stay as they are. */
const char *report_said(enum report_language language, const char *code, const char *english, char *out, size_t size);

#endif
