/* Sine and cosine of a vector of doubles by operations that all lanes share. A template: the includer defines LANES and the
 * types `lanes` (LANES doubles) and `lane_bits` (LANES 64-bit integers).
 *
 * |x| <= 1e5: within 2 units in the last place, also near the zeros: multiples of pi/2 are subtracted in pieces of 33, 33
 * and 53 bits, so that the products are exact. Beyond, and for what is not finite, the C library serves lane by lane.
 * The polynomials are minimax on [-pi/4, pi/4], found by Remez exchange; their errors are 2^-58 and 2^-64. */
#ifndef LIB_MATH_SINCOS_KERNEL_H
#define LIB_MATH_SINCOS_KERNEL_H

#include <math.h>
#include <stdbool.h>
#include <string.h>

/* Lane by lane: all bits, where the polynomials serve x. */
static inline lane_bits sincos_range(const lanes *x)
{
  return (*x <= 1e5) & (*x >= -1e5);
}

static inline bool all_lanes(const lane_bits *mask)
{
  long long all = -1;
  for (int l = 0; l < LANES; l++) all &= (*mask)[l];
  return all;
}

/* By the C library, any x. */
static void sincos_by_lane(const lanes *x, lanes *restrict sine, lanes *restrict cosine)
{
  lanes s = { 0 }, c = { 0 };
  for (int l = 0; l < LANES; l++) {
    s[l] = sin((*x)[l]);
    c[l] = cos((*x)[l]);
  }
  *sine = s;
  *cosine = c;
}

/* Within sincos_range. */
static inline void sincos_lanes(const lanes *x, lanes *restrict sine, lanes *restrict cosine)
{
  /* k = x 2/pi to the nearest: beside 1.5 2^52 the last bit of a double counts 1, and the last two tell the quadrant */
  const double beside = 0x1.8p52;
  const lanes sum = *x * 0x1.45f306dc9c883p-1 + beside, k = sum - beside;
  /* k pi/2 in three pieces; what the second subtraction rounds off comes back with the third */
  const lanes t = *x - k * 0x1.921fb544p+0, u = t - k * 0x1.0b4611a6p-34;
  const lanes r = u + (((t - u) - k * 0x1.0b4611a6p-34) - k * 0x1.3198a2e037073p-69);
  const lane_bits quadrant = (lane_bits)sum;

  const lanes z = r * r, zz = z * z;
  const lanes s = r + r * z *
                          ((-0x1.5555555555549p-3 + z * 0x1.111111110f88p-7) +
                           zz * ((-0x1.a01a019c125c1p-13 + z * 0x1.71de35786914p-19) +
                                 zz * (-0x1.ae5e66ccebc37p-26 + z * 0x1.5d932d2721fc8p-33)));
  const lanes c = (1 - 0.5 * z) + zz * ((0x1.555555555554cp-5 - z * 0x1.6c16c16c15184p-10) +
                                        zz * ((0x1.a01a019cb26c1p-16 - z * 0x1.27e4f80a745e9p-22) +
                                              zz * (0x1.1ee9ec4666af2p-29 - z * 0x1.8faece872d72cp-37)));

  /* odd quadrants exchange the two (1 << 62 is a 2); bit 1 of k is the sine's sign, that of k + 1 the cosine's */
  const lane_bits odd = (lanes)((quadrant & 1) << 62) > 1, both = ((lane_bits)s ^ (lane_bits)c) & odd;
  *sine = (lanes)((lane_bits)s ^ both ^ ((quadrant & 2) << 62));
  *cosine = (lanes)((lane_bits)c ^ both ^ (((quadrant + 1) & 2) << 62));
}

#endif
