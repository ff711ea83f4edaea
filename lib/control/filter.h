/* Second-order sections of a sampling controller. */
#ifndef LIB_CONTROL_FILTER_H
#define LIB_CONTROL_FILTER_H

#include "armdyn/control.h"

/* y = b0 x + b1 x' + b2 x'' - a1 y' - a2 y'', x' and y' being of the period before. */
struct section {
  double b[3], a[2];
};

/* What one joint's section remembers; transposed direct form II. */
struct section_state {
  double s[2];
};

struct section section_lowpass(double frequency, double period);
struct section section_notch(double frequency, double width, double period);

/* As if x had always been there; gain 1 at rest. */
void section_begin(const struct section *section, struct section_state *state, double x);
double section_step(const struct section *section, struct section_state *state, double x);

#endif
