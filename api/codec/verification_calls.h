/* The calls by which every figure of a verification can be found again, on its page. */
#ifndef API_CODEC_VERIFICATION_CALLS_H
#define API_CODEC_VERIFICATION_CALLS_H

#include "api/json/document.h"
#include "api/limits.h"
#include "api/report/words.h"
#include "api/wire/buffer.h"

/* Of a verification's document. */
enum { VERIFICATION_LAWS_MOST = 2 * LIMIT_VERIFICATION_LAWS };
const char *verification_text(const cJSON *in, const char *path); /* "" where there is none */
/* The names of a list's items; answers how many. */
size_t verification_names(const cJSON *document, const char *list, const char **names, size_t most);

void verification_calls_write(const cJSON *document, enum report_language language, struct buffer *out);

#endif
