#include "api/dataset/text.h"

enum { REPLACEMENT = 0xfffd };

static char *put(char *to, unsigned code)
{
  if (code < 0x80) {
    *to++ = (char)code;
    return to;
  }
  const int more = code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
  static const unsigned char lead[] = { 0, 0xc0, 0xe0, 0xf0 };
  *to++ = (char)(lead[more] | code >> 6 * more);
  for (int i = more - 1; i >= 0; i--) *to++ = (char)(0x80 | (code >> 6 * i & 0x3f));
  return to;
}

/* Where Windows-1252 is not Latin-1; 0: not assigned. Source: unicode.org, MAPPINGS/VENDORS/MICSFT/WINDOWS/CP1252. */
static const unsigned short cp1252[32] = {
  0x20ac, 0,      0x201a, 0x0192, 0x201e, 0x2026, 0x2020, 0x2021, 0x02c6, 0x2030, 0x0160,
  0x2039, 0x0152, 0,      0x017d, 0,      0,      0x2018, 0x2019, 0x201c, 0x201d, 0x2022,
  0x2013, 0x2014, 0x02dc, 0x2122, 0x0161, 0x203a, 0x0153, 0,      0x017e, 0x0178,
};

static char *put_byte(char *to, unsigned char byte)
{
  const unsigned code = byte >= 0x80 && byte < 0xa0 ? cp1252[byte - 0x80] : byte;
  return put(to, code || !byte ? code : REPLACEMENT);
}

static char *put_unit(struct text_decoder *d, char *to, unsigned unit)
{
  if (!d->begun) {
    d->begun = true;
    if (unit == 0xfeff) return to;
    if (unit == 0xfffe) {
      d->big_endian = true;
      return to;
    }
  }
  const bool low = unit >= 0xdc00 && unit < 0xe000;
  const unsigned high = d->high;
  d->high = 0;
  if (high && low) return put(to, 0x10000 + ((high - 0xd800) << 10) + (unit - 0xdc00));
  if (high) to = put(to, REPLACEMENT);
  if (low) return put(to, REPLACEMENT);
  if (unit >= 0xd800 && unit < 0xdc00) {
    d->high = unit;
    return to;
  }
  return put(to, unit);
}

void text_decode(struct text_decoder *d, const char *bytes, size_t length, struct buffer *out)
{
  if (d->encoding == TEXT_UTF_8) {
    buffer_append(out, bytes, length);
    return;
  }
  char *start = buffer_reserve(out, 3 * length + 8), *to = start;
  if (!start) return;
  for (size_t i = 0; i < length; i++) {
    const unsigned char byte = (unsigned char)bytes[i];
    if (d->encoding == TEXT_WINDOWS_1252) {
      to = put_byte(to, byte);
    } else if (!d->has_odd) {
      d->odd = byte;
      d->has_odd = true;
    } else {
      const unsigned unit = d->big_endian ? (unsigned)d->odd << 8 | byte : (unsigned)byte << 8 | d->odd;
      d->has_odd = false;
      to = put_unit(d, to, unit);
    }
  }
  buffer_commit(out, (size_t)(to - start));
}
