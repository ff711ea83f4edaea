#include "api/report/ticks.h"

#include <math.h>
#include <stdio.h>

#include "api/report/markup.h"

#define MINUS "\u2212"
#define DOT   "\u00b7"

/* So that neither a range of 1e308 overflows nor one of 1e-320 vanishes. */
static const double RANGE_LEAST = 1e-300;

double ticks_step(double from, double to, size_t about)
{
  double rough = fmax(to / (double)about - from / (double)about, RANGE_LEAST);
  double unit = pow(10, floor(log10(rough)));
  double times = rough / unit;
  return unit * (times < 1.5 ? 1 : times < 3.5 ? 2 : times < 7.5 ? 5 : 10);
}

/* A multiple of 1, 2 or 5 times a power of ten: its digits, and a power of ten where they would be many. */
static void write_label(char *label, double value, double step, double largest)
{
  char power[MARKUP_POWER];
  const char *sign = value < 0 ? MINUS : "";
  int digits = (int)floor(log10(step) + 1e-9), leading = (int)floor(log10(largest) + 1e-9);
  if (fabs(value) < step / 2)
    snprintf(label, TICK_LABEL, "0");
  else if (leading > 4 || digits < -4)
    snprintf(label, TICK_LABEL, "%s%.*f" DOT "%s", sign, leading - digits < 12 ? leading - digits : 12,
             fabs(value) / pow(10, leading), markup_power(leading, power));
  else
    snprintf(label, TICK_LABEL, "%s%.*f", sign, digits < 0 ? -digits : 0, fabs(value));
}

void ticks_linear(double from, double to, size_t about, struct ticks *ticks)
{
  double step = ticks_step(from, to, about);
  double first = ceil(from / step - 1e-9);
  ticks->count = 0;
  for (double k = first; ticks->count < TICKS_MAX; k++) {
    double at = k * step;
    if (!(at <= to + step * 1e-9)) break;
    ticks->at[ticks->count] = at;
    write_label(ticks->label[ticks->count++], at, step, fmax(fmax(fabs(from), fabs(to)), step));
    if (k + 1 == k) break; /* far from zero, in steps finer than numbers are */
  }
}

static void add_power(struct ticks *ticks, double mantissa, int exponent, double from, double to)
{
  double at = mantissa * pow(10, exponent);
  if (at < from * (1 - 1e-9) || at > to * (1 + 1e-9) || ticks->count == TICKS_MAX) return;
  ticks->at[ticks->count] = at;
  char power[MARKUP_POWER], *label = ticks->label[ticks->count++];
  if (exponent >= -3 && exponent <= 4)
    snprintf(label, TICK_LABEL, "%.*f", exponent < 0 ? -exponent : 0, at);
  else if (mantissa > 1)
    snprintf(label, TICK_LABEL, "%.0f" DOT "%s", mantissa, markup_power(exponent, power));
  else
    snprintf(label, TICK_LABEL, "%s", markup_power(exponent, power));
}

void ticks_logarithmic(double from, double to, size_t about, struct ticks *ticks)
{
  double decades = log10(to) - log10(from);
  if (decades < 1) {
    ticks_linear(from, to, about, ticks);
    return;
  }
  int every = (int)ceil(decades / (double)about);
  bool between = decades <= (double)about / 3;
  ticks->count = 0;
  for (int e = (int)floor(log10(from)); e <= (int)ceil(log10(to)); e++) {
    if (e % every) continue;
    add_power(ticks, 1, e, from, to);
    if (between) add_power(ticks, 2, e, from, to), add_power(ticks, 5, e, from, to);
  }
}
