#include "armdyn/chirp.h"

#include <math.h>

static const double PI = 3.14159265358979323846;
static const double RISE = 1, FALL = 4; /* periods of the lowest, of the highest */

/* 10 u^3 - 15 u^4 + 6 u^5 of u = t / T, with its first two derivatives by t. */
static void ease(double t, double T, double w[3])
{
  const double u = fmin(fmax(t / T, 0), 1), r = 1 - u;
  w[0] = u * u * u * (10 - 15 * u + 6 * u * u);
  w[1] = 30 * u * u * r * r / T;
  w[2] = 60 * u * r * (1 - 2 * u) / (T * T);
}

void armdyn_chirp_at(const struct armdyn_chirp *chirp, double t, double *s, double *sd, double *sdd)
{
  const double growth = log(chirp->to / chirp->from) / chirp->duration;
  *s = *sd = *sdd = 0;
  if (!(t > 0 && t < chirp->duration)) return;
  double up[3], down[3]; /* down by the time that is left: its first derivative turns */
  ease(t, RISE / chirp->from, up);
  ease(chirp->duration - t, FALL / chirp->to, down);
  const double w = up[0] * down[0], wd = up[1] * down[0] - up[0] * down[1];
  const double wdd = up[2] * down[0] - 2 * up[1] * down[1] + up[0] * down[2];
  const double slower = exp(-growth * t);
  const double a = w * slower, ad = (wd - growth * w) * slower;
  const double add = (wdd - 2 * growth * wd + growth * growth * w) * slower;
  const double speed = 2 * PI * chirp->from / slower, phase = (speed - 2 * PI * chirp->from) / growth;
  const double sine = sin(phase), cosine = cos(phase);
  *s = a * sine;
  *sd = ad * sine + a * speed * cosine;
  *sdd = add * sine + 2 * ad * speed * cosine + a * speed * (growth * cosine - speed * sine);
}
