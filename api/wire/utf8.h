/* UTF-8 as RFC 3629 has it: no overlong forms, no surrogates, nothing beyond U+10FFFF. */
#ifndef API_WIRE_UTF8_H
#define API_WIRE_UTF8_H

#include <stddef.h>

/* Bytes of the character at `at` (at < end), or 0 when it is malformed or cut off. */
size_t utf8_length(const char *at, const char *end);

#endif
