#include "api/report/markup.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

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

double markup_seen(double value, double scale)
{
  return fabs(value) <= 1e-12 * scale ? 0 : value;
}

/* To so many significant digits; its power of ten, as rounded. */
static double rounded_to(int digits, double size, int *power)
{
  char text[MARKUP_FIGURE];
  snprintf(text, sizeof text, "%.*e", digits - 1, size);
  *power = (int)strtol(strchr(text, 'e') + 1, NULL, 10);
  return strtod(text, NULL);
}

/* size * 10^-power, of denormal numbers, too. */
static double over_power(double size, int power)
{
  return power < -300 ? size * 1e300 / pow(10, power + 300) : size / pow(10, power);
}

static const char *write_figure(double value, int digits, char out[MARKUP_FIGURE])
{
  const double size = fabs(value);
  const char *sign = value < 0 ? MINUS : "";
  char text[MARKUP_POWER];
  int power;
  if (isnan(value)) {
    snprintf(out, MARKUP_FIGURE, "%s", DASH);
  } else if (isinf(value)) {
    snprintf(out, MARKUP_FIGURE, "%s%s", sign, INFINITE);
  } else if (size > 0 && (size < 1e-3 || size >= 1e5)) {
    const double rounded = rounded_to(digits, size, &power);
    snprintf(out, MARKUP_FIGURE, "%s%.*g" DOT "%s", sign, digits, over_power(rounded, power),
             markup_power(power, text));
  } else if (size >= 999.95) {
    snprintf(out, MARKUP_FIGURE, "%s%.0f", sign, size);
  } else {
    snprintf(out, MARKUP_FIGURE, "%s%.15g", sign, rounded_to(digits, size, &power));
  }
  return out;
}

const char *markup_figure(double value, char out[MARKUP_FIGURE])
{
  return write_figure(value, 4, out);
}

const char *markup_estimate(double value, double std, char out[MARKUP_FIGURE])
{
  if (!isfinite(value) || !isfinite(std) || !(markup_seen(std, fabs(value)) > 0)) return markup_figure(value, out);
  const double size = fabs(value);
  char text[MARKUP_POWER];
  int last, first;
  const double rounded = rounded_to(2, std, &last);
  last--; /* the power of the deviation's second digit */
  const char *sign = value < 0 && size >= 0.5 * pow(10, last) ? MINUS : "";
  rounded_to(17, fmax(size, rounded), &first);
  if (first >= 5 || first < -3) {
    snprintf(out, MARKUP_FIGURE, "%s%.*f" DOT "%s", sign, first - last, over_power(size, first),
             markup_power(first, text));
  } else {
    const double unit = last > 0 ? pow(10, last) : 1;
    snprintf(out, MARKUP_FIGURE, "%s%.*f", sign, last > 0 ? 0 : -last, last > 0 ? round(size / unit) * unit : size);
  }
  return out;
}

const char *markup_deviation(double std, double value, char out[MARKUP_FIGURE])
{
  const double seen = markup_seen(std, fabs(value));
  return markup_estimate(seen, seen, out);
}

const char *markup_lasting(double seconds, char out[MARKUP_FIGURE])
{
  if (!(seconds >= 59.5) || seconds > 1e12) { /* or NAN */
    write_figure(markup_seen(seconds, 1), 3, out);
    const size_t length = strlen(out);
    if (isfinite(seconds)) snprintf(out + length, MARKUP_FIGURE - length, " s");
    return out;
  }
  const long long whole = llround(seconds), minutes = llround(seconds / 60);
  if (whole < 3600)
    snprintf(out, MARKUP_FIGURE, "%lld min %02lld s", whole / 60, whole % 60);
  else
    snprintf(out, MARKUP_FIGURE, "%lld h %02lld min", minutes / 60, minutes % 60);
  return out;
}
