#include "lib/symbolic/sine_cosine.h"

#include <math.h>

/* Quarters of a turn are taken off in two pieces of 33 and 53 bits: the first product and difference are exact, the second
 * is off by less than 2^-73. The polynomials are those of lib/math/sincos_kernel.h. In odd quadrants sine and cosine change
 * places, by tables, for a branch would be guessed wrongly half of the time. */
/* clang-format off */
#define BODY(LINE)                                                                                                     \
  LINE(static const double signs[4] = { 1.0, 1.0, -1.0, -1.0 };)                                                       \
  LINE(const int k = (int)((x * 0.63661977236758138) + ((x < 0.0) ? -0.5 : 0.5));)                                     \
  LINE(const double quarters = (double)k;)                                                                             \
  LINE(const double r = (x - (quarters * 1.5707963267341256)) - (quarters * 6.077100506506192e-11);)                   \
  LINE(const double z = r * r;)                                                                                        \
  LINE(const double zz = z * z;)                                                                                       \
  LINE(const double s1 = (0.008333333333322424 * z) - 0.16666666666666632;)                                            \
  LINE(const double s2 = (2.7557313695016734e-06 * z) - 0.00019841269829816262;)                                       \
  LINE(const double s3 = (1.5896826322568905e-10 * z) - 2.5050758623443827e-08;)                                       \
  LINE(const double c1 = 0.0416666666666666 - (0.0013888888888874138 * z);)                                            \
  LINE(const double c2 = 2.480158728949164e-05 - (2.7557314355189754e-07 * z);)                                        \
  LINE(const double c3 = 2.0875723677487395e-09 - (1.1359669510618336e-11 * z);)                                       \
  LINE(const double s = r + ((r * z) * (s1 + (zz * (s2 + (zz * s3)))));)                                               \
  LINE(const double c = (1.0 - (0.5 * z)) + (zz * (c1 + (zz * (c2 + (zz * c3)))));)                                    \
  LINE(const double both[2] = { s, c };)                                                                               \
  LINE(const unsigned int quadrant = (unsigned int)k & 3U;)                                                            \
  LINE(const unsigned int next = (quadrant + 1U) & 3U;)                                                                \
  LINE(*sine = signs[quadrant] * both[quadrant & 1U];)                                                                 \
  LINE(*cosine = signs[next] * both[next & 1U];)
/* clang-format on */

#define AS_IT_IS(...) __VA_ARGS__
#define AS_TEXT(...)  "    " #__VA_ARGS__ "\n"

void code_sine_cosine(double x, double *sine, double *cosine)
{
  if (!(fabs(x) <= 1.0e4)) {
    *sine = sin(x);
    *cosine = cos(x);
  } else {
    BODY(AS_IT_IS)
  }
}

const char code_sine_cosine_body[] = "  if (!(fabs(x) <= 1.0e4)) {\n"
                                     "    *sine = sin(x);\n"
                                     "    *cosine = cos(x);\n"
                                     "  } else {\n" BODY(AS_TEXT) "  }\n";
