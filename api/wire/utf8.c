#include "api/wire/utf8.h"

/* What may follow a lead byte; the second byte carries the finer rules. */
static const struct {
  unsigned char lead_least, lead_most, second_least, second_most;
  size_t length;
} forms[] = {
  { 0x00, 0x7f, 0x00, 0x00, 1 }, { 0xc2, 0xdf, 0x80, 0xbf, 2 }, { 0xe0, 0xe0, 0xa0, 0xbf, 3 },
  { 0xe1, 0xec, 0x80, 0xbf, 3 }, { 0xed, 0xed, 0x80, 0x9f, 3 }, { 0xee, 0xef, 0x80, 0xbf, 3 },
  { 0xf0, 0xf0, 0x90, 0xbf, 4 }, { 0xf1, 0xf3, 0x80, 0xbf, 4 }, { 0xf4, 0xf4, 0x80, 0x8f, 4 },
};

size_t utf8_length(const char *at, const char *end)
{
  const unsigned char *c = (const unsigned char *)at;
  for (size_t f = 0; f < sizeof forms / sizeof *forms; f++) {
    if (c[0] < forms[f].lead_least || c[0] > forms[f].lead_most) continue;
    size_t length = forms[f].length;
    if ((size_t)(end - at) < length) return 0;
    if (length > 1 && (c[1] < forms[f].second_least || c[1] > forms[f].second_most)) return 0;
    for (size_t i = 2; i < length; i++)
      if ((c[i] & 0xc0) != 0x80) return 0;
    return length;
  }
  return 0;
}
