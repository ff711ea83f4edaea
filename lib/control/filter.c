#include "lib/control/filter.h"

#include <math.h>

/* Of (numerator) / (s^2 + damping s + 1), the numerator s^2 `top` + 1, with s = (1 - z^-1) / (1 + z^-1) / K and K the tangent
 * that makes it exact at the frequency. */
static struct section bilinear(double top, double damping, double frequency, double period)
{
  const double K = tan(3.14159265358979323846 * frequency * period), scale = 1 / (1 + damping * K + K * K);
  return (struct section){ .b = { (top + K * K) * scale, 2 * (K * K - top) * scale, (top + K * K) * scale },
                           .a = { 2 * (K * K - 1) * scale, (1 - damping * K + K * K) * scale } };
}

struct section section_lowpass(double frequency, double period)
{
  return bilinear(0, sqrt(2), frequency, period);
}

struct section section_notch(double frequency, double width, double period)
{
  return bilinear(1, width, frequency, period);
}

void section_begin(const struct section *section, struct section_state *state, double x)
{
  state->s[1] = (section->b[2] - section->a[1]) * x;
  state->s[0] = (section->b[1] - section->a[0]) * x + state->s[1];
}

double section_step(const struct section *section, struct section_state *state, double x)
{
  const double y = section->b[0] * x + state->s[0];
  state->s[0] = section->b[1] * x - section->a[0] * y + state->s[1];
  state->s[1] = section->b[2] * x - section->a[1] * y;
  return y;
}
