#include "api/report/markup.h"

#include <math.h>
#include <stdint.h>

#include "api/wire/utf8.h"

#define REPLACEMENT "\ufffd"
#define ELLIPSIS    "\u2026"
#define MINUS       "\u2212"
#define DASH        "\u2013"
#define DOT         "\u00b7"
#define INFINITE    "\u221e"

static void write_character(struct buffer *out, const char *at, size_t length)
{
  /* U+FFFE and U+FFFF are UTF-8 but no XML */
  bool nothing = length == 3 && memcmp(at, "\xef\xbf", 2) == 0 && (unsigned char)at[2] >= 0xbe;
  if (!length || nothing || (length == 1 && ((unsigned char)*at < ' ' || *at == 0x7f) && !strchr("\t\n\r", *at)))
    buffer_text(out, REPLACEMENT);
  else if (*at == '&')
    buffer_text(out, "&amp;");
  else if (*at == '<')
    buffer_text(out, "&lt;");
  else if (*at == '>')
    buffer_text(out, "&gt;");
  else if (*at == '"')
    buffer_text(out, "&quot;");
  else if (*at == '\'')
    buffer_text(out, "&#39;");
  else
    buffer_append(out, at, length);
}

/* The next character; a byte that begins none stands for itself. */
static const char *next_character(const char *at, const char *end, size_t *length)
{
  *length = utf8_length(at, end);
  return at + (*length ? *length : 1);
}

void markup_text_cut(struct buffer *out, const char *text, size_t most)
{
  if (!text) return;
  const char *end = text + strlen(text), *at = text;
  size_t count = 0, length;
  while (at < end && count <= most) at = next_character(at, end, &length), count++;
  bool cut = count > most;
  at = text;
  for (size_t i = 0; at < end && !(cut && i + 1 >= most); i++) {
    const char *next = next_character(at, end, &length);
    write_character(out, at, length);
    at = next;
  }
  if (cut) buffer_text(out, ELLIPSIS);
}

void markup_text(struct buffer *out, const char *text)
{
  markup_text_cut(out, text, SIZE_MAX - 1);
}

const char *markup_power(int exponent, char out[MARKUP_POWER])
{
  static const char *const digits[] = { "\u2070", "\u00b9", "\u00b2", "\u00b3", "\u2074",
                                        "\u2075", "\u2076", "\u2077", "\u2078", "\u2079" };
  char plain[16];
  snprintf(plain, sizeof plain, "%d", exponent);
  size_t length = (size_t)snprintf(out, MARKUP_POWER, "10");
  for (const char *at = plain; *at; at++)
    length += (size_t)snprintf(out + length, MARKUP_POWER - length, "%s", *at == '-' ? "\u207b" : digits[*at - '0']);
  return out;
}

const char *markup_figure(double value, char out[MARKUP_FIGURE])
{
  double size = fabs(value);
  const char *sign = value < 0 ? MINUS : "";
  if (isnan(value)) {
    snprintf(out, MARKUP_FIGURE, "%s", DASH);
  } else if (isinf(value)) {
    snprintf(out, MARKUP_FIGURE, "%s%s", sign, INFINITE);
  } else if (size > 0 && (size < 1e-3 || size >= 1e5)) {
    int exponent = (int)floor(log10(size));
    double mantissa = size / pow(10, exponent);
    if (!isfinite(mantissa)) mantissa = size * 1e10 / pow(10, exponent + 10); /* 10^-320 is denormal */
    if (mantissa >= 9.9995) mantissa /= 10, exponent++;
    char power[MARKUP_POWER];
    snprintf(out, MARKUP_FIGURE, "%s%.4g" DOT "%s", sign, mantissa, markup_power(exponent, power));
  } else if (size >= 999.95) {
    snprintf(out, MARKUP_FIGURE, "%s%.0f", sign, size);
  } else {
    snprintf(out, MARKUP_FIGURE, "%s%.4g", sign, size);
  }
  return out;
}
