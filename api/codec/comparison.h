/* Identifications side by side: their parameters in the base set of the first. */
#ifndef API_CODEC_COMPARISON_H
#define API_CODEC_COMPARISON_H

#include "api/wire/buffer.h"

enum { COMPARED_MOST = 10 };

/* documents: as GET answers them, `count` of them. A parameter that another run does not have is null. */
void comparison_encode(const char *const *documents, size_t count, struct buffer *out);

#endif
