/* Some of a few words, as a list in JSON and as bits here. */
#ifndef API_CODEC_WORDS_H
#define API_CODEC_WORDS_H

#include "api/json/fields.h"

json_decode_function words_decode;
json_encode_function words_encode;

/* member_: unsigned, bit i for names_[i]; names_: an array, at most 32; words_: "a list of states" */
#define WORDS(type_, member_, names_, words_)                                                                          \
  CUSTOM(type_, member_, words_decode, words_encode, words_), .names = names_,                                         \
                                                              .name_count = sizeof(names_) / sizeof *(names_)

#endif
