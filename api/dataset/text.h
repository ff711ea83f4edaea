/* Texts in other encodings than UTF-8, piece by piece. */
#ifndef API_DATASET_TEXT_H
#define API_DATASET_TEXT_H

#include "api/wire/buffer.h"

enum text_encoding { TEXT_UTF_8, TEXT_WINDOWS_1252, TEXT_UTF_16, TEXT_ENCODINGS };

struct text_decoder {
  enum text_encoding encoding;
  bool big_endian, begun; /* of UTF-16; little-endian unless its byte order mark says otherwise */
  unsigned char odd;      /* half a unit */
  bool has_odd;
  unsigned high; /* the first of a surrogate pair, 0 = none */
};

/* Append the bytes to `out` as UTF-8 (in UTF-8: as they are). A surrogate without its other half becomes U+FFFD. */
void text_decode(struct text_decoder *decoder, const char *bytes, size_t length, struct buffer *out);

#endif
